package wire

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sluice/internal/app"
	"sluice/internal/config"
	"sluice/internal/digest"
	"sluice/internal/engine"
	"sluice/internal/journal"
	"sluice/internal/kernel"
	"sluice/internal/workspace"
)

func openTest(t *testing.T, change func(*Setup)) *app.App {
	t.Helper()
	dir := t.TempDir()
	if err := workspace.Init(dir, config.DefaultFile(), true); err != nil {
		t.Fatal(err)
	}
	a, closeAll := openIn(t, dir, change)
	t.Cleanup(closeAll)
	return a
}

func openIn(t *testing.T, dir string, change func(*Setup)) (*app.App, func()) {
	t.Helper()
	settings, err := config.Load(config.Source{})
	if err != nil {
		t.Fatal(err)
	}
	s := Setup{Root: dir, Settings: settings, By: kernel.Actor{Kind: kernel.Person, Name: "ann", Via: "test"}}
	if change != nil {
		change(&s)
	}
	a, closeAll, err := Open(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return a, func() {
		if err := closeAll(); err != nil {
			t.Error(err)
		}
	}
}

// deadFiles stands for a process that died right after its commits: nothing is brought in place.
type deadFiles struct{ engine.Files }

func (deadFiles) Place(context.Context, []journal.Checkout, map[digest.Digest][]byte) ([]journal.Edit, error) {
	return nil, nil
}

func dying(s *Setup) {
	s.Between.Files = func(f engine.Files) engine.Files { return deadFiles{f} }
}

const oneFile = `{"title":"t","nodes":[
	{"id":"x","kind":"make","step":"text","performer":"engine","attempts":1,"params":{"text":"ours","path":"x.md"}}]}`

func TestWhatAPersonWroteBehindAKilledCheckoutIsTakenOver(t *testing.T) {
	dir := t.TempDir()
	if err := workspace.Init(dir, config.DefaultFile(), true); err != nil {
		t.Fatal(err)
	}
	a, closeAll := openIn(t, dir, dying)
	if _, err := a.StartSample(t.Context(), []byte(oneFile), "r1", true); err != nil {
		t.Fatal(err)
	}
	closeAll()
	mustWrite(t, filepath.Join(dir, "sample", "r1", "x.md"), "mine")
	a, closeAll = openIn(t, dir, nil)
	defer closeAll()
	doc, err := a.Status(t.Context(), "r1")
	if err != nil {
		t.Fatal(err)
	}
	if got := doc.Nodes[0].Approved; got != "x@2" {
		t.Errorf("approved is %s, want x@2, which a person wrote", got)
	}
	report, err := a.Health.Examine(t.Context(), false)
	if err != nil || len(report.Findings) > 0 {
		t.Errorf("doctor finds %v %v", report.Findings, err)
	}
}

func TestAFileThatCannotBePlacedStopsNothingElse(t *testing.T) {
	dir := t.TempDir()
	if err := workspace.Init(dir, config.DefaultFile(), true); err != nil {
		t.Fatal(err)
	}
	a, closeAll := openIn(t, dir, dying)
	if _, err := a.StartSample(t.Context(), []byte(oneFile), "r1", true); err != nil {
		t.Fatal(err)
	}
	closeAll()
	mustWrite(t, filepath.Join(dir, "sample", "r1", "x.md", "a-directory-is-here"), "")
	var warned []string
	a, closeAll = openIn(t, dir, func(s *Setup) { s.Warn = func(m string) { warned = append(warned, m) } })
	defer closeAll()
	if len(warned) != 1 || !strings.Contains(warned[0], "sample/r1/x.md") {
		t.Errorf("warned of %q, want one warning that names the file", warned)
	}
	if _, err := a.StartSample(t.Context(), []byte(oneFile), "r2", true); err != nil {
		t.Errorf("another run: %v", err)
	}
	report, err := a.Health.Examine(t.Context(), false)
	if err != nil || len(report.Findings) == 0 {
		t.Errorf("doctor finds nothing, %v", err)
	}
}

func TestWhatARunCostIsWhatWasAsked(t *testing.T) {
	script := filepath.Join(t.TempDir(), "script.yaml")
	mustWrite(t, script, "- {agent: sample-variants, calls: [1, 2], fail: bad_json}\n- {agent: sample-variants, calls: [4], fail: refuse}\n")
	a := openTest(t, func(s *Setup) { s.Rehearsal = script })
	doc, err := a.StartDemo(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if doc, err = a.Revise(t.Context(), doc.Run, []string{"angle"}, ""); err != nil {
		t.Fatal(err)
	}
	if doc, err = a.Drive(t.Context(), doc.Run); err != nil {
		t.Fatal(err)
	}
	calls, err := a.Calls(t.Context(), doc.Run)
	if err != nil {
		t.Fatal(err)
	}
	in := 0
	for _, c := range calls.Calls {
		in += c.InputTokens
	}
	if doc.Usage.Calls != 4 || len(calls.Calls) != 4 || doc.Usage.InputTokens != in {
		t.Errorf("the run tells of %d calls and %d tokens; %d were made with %d", doc.Usage.Calls, doc.Usage.InputTokens, len(calls.Calls), in)
	}
}

func mustWrite(t *testing.T, name, body string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(body), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestDemoOnTheEmbeddedDefaults(t *testing.T) {
	a := openTest(t, nil)
	doc, err := a.StartDemo(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for doc.Status == "parked" {
		ask := doc.Asks[0]
		doc, err = a.Answer(t.Context(), app.Reply{Ask: ask.Ask, Choice: ask.Options[0], Run: true})
		if err != nil {
			t.Fatal(err)
		}
	}
	if doc.Status != "done" || !doc.Rehearsal {
		t.Fatalf("the demo ends %s, rehearsal %v", doc.Status, doc.Rehearsal)
	}
	out, err := a.Export(t.Context(), doc.Run, "", false)
	if err != nil {
		t.Fatal(err)
	}
	if len(out.Files) != 4 || !out.Manifest.Rehearsal {
		t.Errorf("exported %v, rehearsal %v", out.Files, out.Manifest.Rehearsal)
	}
	report, err := a.Health.Examine(t.Context(), false)
	if err != nil || len(report.Findings) > 0 {
		t.Errorf("doctor finds %v %v", report.Findings, err)
	}
	calls, err := a.Calls(t.Context(), doc.Run)
	if err != nil {
		t.Fatal(err)
	}
	agents := []string{}
	for _, c := range calls.Calls {
		agents = append(agents, c.Agent+" "+c.Outcome)
	}
	if got := strings.Join(agents, ", "); got != "sample-variants answered, sample-write answered, sample-judge answered" {
		t.Errorf("calls: %s", got)
	}
}
