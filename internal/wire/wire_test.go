package wire

import (
	"strings"
	"testing"

	"sluice/internal/app"
	"sluice/internal/config"
	"sluice/internal/kernel"
	"sluice/internal/workspace"
)

func openTest(t *testing.T, change func(*Setup)) *app.App {
	t.Helper()
	dir := t.TempDir()
	if err := workspace.Init(dir, config.DefaultFile(), true); err != nil {
		t.Fatal(err)
	}
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
	t.Cleanup(func() {
		if err := closeAll(); err != nil {
			t.Error(err)
		}
	})
	return a
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
