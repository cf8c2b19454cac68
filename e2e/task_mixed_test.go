package e2e

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/internal/app"
	"sluice/internal/line/task"
)

// wantTaskLabels wants exactly these tasks of a real plan to be labelled, wherever they are shown.
func (m mixed) wantTaskLabels(want ...string) {
	m.t.Helper()
	doc := m.plan(crashID)
	var got []string
	for _, n := range doc.Nodes {
		if n.Rehearsal {
			got = append(got, n.TaskID[:2])
		}
		shown := m.shown(crashID, n.TaskID)
		if shown.Rehearsal != n.Rehearsal {
			m.t.Errorf("status labels %s: %v, and what is shown of it: %v", n.TaskID, n.Rehearsal, shown.Rehearsal)
		}
	}
	if doc.Rehearsal || !slices.Equal(got, want) {
		m.t.Errorf("status labels all: %v, tasks: %v; want %v", doc.Rehearsal, got, want)
	}
	out, _ := m.mustRun(0, "task", "status", crashID)
	for row := range strings.Lines(out) {
		if f := strings.Fields(row); len(f) > 4 && strings.HasSuffix(f[0], "000000") && strings.Contains(row, "rehearsal") != slices.Contains(want, f[0][:2]) {
			m.t.Errorf("a row of status has the wrong label: %s", row)
		}
	}
	var plans app.PlanListDoc
	if m.decode(&plans, "task", "list"); plans.Plans[0].Rehearsal {
		m.t.Errorf("the list shows a real plan as %+v", plans.Plans[0])
	}
}

// wantBundleLabels wants exactly these deliverables of an export to be labelled as rehearsed, and these as judged so.
func (m mixed) wantBundleLabels(made, judged []string) {
	m.t.Helper()
	said, _ := m.mustRun(0, "task", "export", crashID)
	var doc struct {
		Rehearsal bool
		Label     string
		Items     []struct {
			task.ManifestItem
		}
	}
	raw := mustRead(filepath.Join(m.dir, filepath.FromSlash(crashBundle), "manifest.json"))
	if err := json.Unmarshal(raw, &doc); err != nil {
		m.t.Fatal(err)
	}
	var gotMade, gotJudged []string
	for _, item := range doc.Items {
		if item.Rehearsal {
			gotMade = append(gotMade, item.TaskID[:2])
		}
		if item.Review.Rehearsal {
			gotJudged = append(gotJudged, item.TaskID[:2])
		}
	}
	if diff := cmp.Diff([][]string{made, judged}, [][]string{gotMade, gotJudged}); diff != "" || doc.Rehearsal {
		m.t.Errorf("the labels of the bundle differ (-want +got), all: %v\n%s", doc.Rehearsal, diff)
	}
	isLabelled := len(made)+len(judged) > 0
	if strings.Contains(doc.Label, "REHEARSAL") != isLabelled || strings.Contains(said, "REHEARSAL") != isLabelled {
		m.t.Errorf("the bundle is labelled %q\n%s", doc.Label, said)
	}
	m.mustRun(0, "verify", crashBundle)
}

// wantPlanAccounts wants the cost to be the author's alone, and the tokens those of all who answered.
func (m mixed) wantPlanAccounts() {
	m.t.Helper()
	in, out := 0, 0
	for _, c := range m.calls() {
		isReal := c.Provider != "rehearsal"
		switch {
		case c.Outcome != "answered":
			continue
		case isReal && (c.InputTokens != authorIn || c.OutputTokens != authorOut || c.Cost == nil || !near(*c.Cost, authorCost)):
			m.t.Errorf("a call of the author is accounted for as %+v", c)
		case !isReal && c.Cost != nil && *c.Cost != 0:
			m.t.Errorf("a call of rehearsal has a price: %+v", c)
		}
		in, out = in+c.InputTokens, out+c.OutputTokens
	}
	var run app.RunDoc
	if m.decode(&run, "status", crashID); run.Usage.InputTokens != in || run.Usage.OutputTokens != out {
		m.t.Errorf("the run took %+v, and its calls %d and %d", run.Usage, in, out)
	}
}

// TestAPlanOfARealAuthorAndRehearsal kills a real author's process in the middle of a task: somebody without the key goes on only
// where that is said to be meant, and then exactly what rehearsal did is labelled.
func TestAPlanOfARealAuthorAndRehearsal(t *testing.T) {
	t.Parallel()
	m := newMixedPlan(t, sketch(mixedPlan))
	m.drive("check", 2, "task", "run", crashID).kill()
	m.wantTaskLabels()
	before := m.files("workspace")
	var pasted string
	for _, args := range [][]string{{"feasibility", crashID}, {"run", crashID}} {
		out, _ := m.mustRun(5, append([]string{"--json", "task"}, args...)...)
		next := nextCommands(out)
		at := slices.IndexFunc(next, isMeant)
		if !strings.Contains(out, `"provider_changed"`) || at < 0 || !strings.HasPrefix(next[at], "task "+args[0]+" ") {
			t.Fatalf("%v: %s", args, out)
		}
		pasted = next[at]
	}
	if diff := cmp.Diff(before, m.files("workspace")); diff != "" {
		t.Errorf("what was refused changed the plan (-want +got):\n%s", diff)
	}
	if n := len(m.plan(crashID).Nodes); n != 7 || strings.Contains(m.ran("status", crashID), "estimate/") {
		t.Errorf("what was refused added something; %d tasks", n)
	}
	m.mustRun(0, strings.Fields(pasted)...)
	m.wantTaskLabels("c1", "e0", "e1")
	m.wantBundleLabels([]string{"e0"}, []string{"c0", "e0"})
	m.wantPlanAccounts()

	// What is made anew is labelled by who made it; what a person hands over is the person's.
	m.mustRun(0, "task", "redo", crashID, "e0")
	m.real(0, "task", "run", crashID)
	m.wantTaskLabels("c1")
	m.mustRun(0, "task", "submit", crashID, "c0", "-f", "mine.md")
	m.mustRun(0, "task", "review", crashID, "c0", "--approve")
	m.wantBundleLabels(nil, nil)
	m.wantPlanAccounts()
	m.sound(crashID)
}

func (s *shell) ran(args ...string) string {
	s.t.Helper()
	out, errs := s.mustRun(0, args...)
	return out + errs
}

// TestARealAuthorGoesOnWithARehearsedPlan lets rehearsal plan, be killed in a task, and a real author go on with it.
func TestARealAuthorGoesOnWithARehearsedPlan(t *testing.T) {
	for _, fail := range []string{"crash_before", "crash_after"} {
		t.Run(fail, func(t *testing.T) {
			t.Parallel()
			m := newMixedPlan(t, sketch(mixedPlan))
			script := m.write("killed.yaml", "- {agent: check, calls: [2], fail: "+fail+"}\n")
			killed := m.command(t.Context(), "", "--rehearsal", script, "task", "run", crashID)
			if out, err := killed.CombinedOutput(); killed.ProcessState.ExitCode() != -1 {
				t.Fatalf("the process was not killed: %v\n%s", err, out)
			}
			m.real(0, "task", "run", crashID)
			m.wantTaskLabels("b0", "b1", "c0")
			m.wantBundleLabels([]string{"b0", "c0"}, []string{"b0"})
			m.wantPlanAccounts()
			m.soundPlan(0)
		})
	}
}
