package e2e

import (
	"encoding/json"
	"strings"
	"testing"

	"sluice/internal/app"
	"sluice/internal/line/task"
)

func (m mixed) calls() []app.CallDoc {
	m.t.Helper()
	var doc app.CallsDoc
	m.decode(&doc, "calls", crashID)
	return doc.Calls
}

// TestPlanDecisionsBesideADrive decides about a task while another process works on the plan and waits for a model: what was
// decided holds, and the other goes on.
func TestPlanDecisionsBesideADrive(t *testing.T) {
	for _, c := range []struct {
		name  string
		agent string // whose n-th reply the other waits for
		n     int
		args  []string
		ends  int
		cut   int // calls for what is taken back
		want  func(t *testing.T, m mixed)
	}{
		{"approve what is read", "check", 1, []string{"review", crashID, "b0", "--approve"}, 0, 0, func(t *testing.T, m mixed) {
			if d := m.shown(crashID, "b0"); d.Status != task.Done || len(d.Reviews) != 2 || d.Reviews[0].Reviewer != "ann" {
				t.Errorf("%+v", d)
			}
		}},
		{"reject what is read", "check", 1, []string{"review", crashID, "b0", "--reject", "--reason", "bad"}, 0, 0, func(t *testing.T, m mixed) {
			if d := m.shown(crashID, "b0"); len(d.Artifacts) != 2 || d.Artifacts[0].Standing != "REJECTED" || d.ApprovedArtifactID != d.Artifacts[1].ArtifactID {
				t.Errorf("%+v", d)
			}
		}},
		{"submit what is written", authorAction, 1, []string{"submit", crashID, "b0", "-f", "mine.md"}, 4, 0, func(t *testing.T, m mixed) {
			if d := m.shown(crashID, "b0"); len(d.Artifacts) != 2 || d.ApprovedArtifactID != d.Artifacts[0].ArtifactID || !strings.HasPrefix(d.Artifacts[0].By, "person") {
				t.Errorf("%+v", d)
			}
		}},
		{"give up what is written", authorAction, 2, []string{"abandon", crashID, "c0", "--reason", "x"}, 4, 1, func(t *testing.T, m mixed) {
			if d := m.shown(crashID, "c0"); d.Status != task.Abandoned || len(d.Artifacts) != 0 {
				t.Errorf("%+v", d)
			}
		}},
		{"redo what was approved", authorAction, 2, []string{"redo", crashID, "b0", "--note", "shorter"}, 0, 1, func(t *testing.T, m mixed) {
			if d := m.shown(crashID, "b0"); len(d.Artifacts) != 2 || d.ApprovedArtifactID != d.Artifacts[1].ArtifactID {
				t.Errorf("%+v", d)
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m := newMixedPlan(t, sketch(mixedPlan))
			drive := m.drive(c.agent, c.n, "task", "run", crashID)
			m.mustRun(0, append([]string{"task"}, c.args...)...)
			drive.end(c.ends)
			c.want(t, m)
			m.soundPlan(c.cut)
			asked := m.author.calls.Load()
			m.real(c.ends, "task", "run", crashID)
			if n := m.author.calls.Load(); n != asked {
				t.Errorf("%d calls were left to make", n-asked)
			}
			c.want(t, m)
		})
	}
}

// TestAPlanIsCancelledBesideADrive ends a plan while another process works on it: that one stops, and what is named next is
// what lets it go on.
func TestAPlanIsCancelledBesideADrive(t *testing.T) {
	t.Parallel()
	m := newMixedPlan(t, sketch(mixedPlan))
	drive := m.drive("check", 2, "task", "run", crashID)
	m.mustRun(0, "cancel", crashID, "--reason", "enough")
	said := drive.end(6)
	for _, args := range [][]string{{"task", "status", crashID}, {"task", "rewrite", crashID}} {
		out, _ := m.mustRun(0, args...)
		wantAll(t, out, "next: sluice resume "+crashID)
	}
	wantAll(t, said, "next: sluice resume "+crashID)
	m.mustRun(0, "doctor")
	m.real(0, "resume", crashID)
	if p := m.plan(crashID); p.Status != task.PlanDone {
		t.Errorf("the plan is %s", p.Status)
	}
	m.sound(crashID)
}

// TestAnEstimateBesideADrive wants estimates of a plan that another process works on: that is refused, and nobody pays for it.
func TestAnEstimateBesideADrive(t *testing.T) {
	t.Parallel()
	m := newMixedPlan(t, sketch(mixedPlan))
	drive := m.drive("check", 1, "task", "run", crashID)
	for range 2 {
		wantAll(t, m.real(5, "task", "feasibility", crashID), "lease_held")
	}
	wantAll(t, drive.end(0), "DONE")
	for _, c := range m.calls() {
		if c.Agent == "feasibility" {
			t.Errorf("it was asked for: %+v", c)
		}
	}
	m.real(0, "task", "feasibility", crashID)
	m.soundPlan(0)
}

// wantingPlan has a task that waits for a file and one that waits for a word.
func wantingPlan(lines string) planObject {
	doc := sketch(lines)
	doc["requirements"] = []any{
		planObject{"requirement_id": longID("f0"), "task_id": longID("c0"), "name": "brief", "kind": "FILE", "required": true, "min_count": 1, "allowed_types": []any{"md"}},
		planObject{"requirement_id": longID("f2"), "task_id": longID("e0"), "name": "go ahead", "kind": "CONFIRMATION", "required": true}}
	return doc
}

// TestInputsBesideADrive supplies what tasks wait for while another process works on the plan: that one goes on with it. What
// is named for several inputs is what each of them takes.
func TestInputsBesideADrive(t *testing.T) {
	t.Parallel()
	m := newMixedPlan(t, wantingPlan(mixedPlan))
	drive := m.drive("check", 1, "task", "run", crashID)
	out, _ := m.mustRun(2, "--json", "task", "supply", crashID, "--note", "x")
	next := nextCommands(out)
	if len(next) != 2 {
		t.Fatalf("of two inputs %q are named", next)
	}
	for _, command := range next {
		m.mustRun(0, words(strings.ReplaceAll(command, "FILE", "mine.md"))...)
	}
	wantAll(t, drive.end(0), "DONE")
	m.soundPlan(0)
}

// TestARewriteBesideAnEstimate stores a better plan while the leaves of the older one are estimated: the better one stands.
func TestARewriteBesideAnEstimate(t *testing.T) {
	for _, c := range []struct {
		name, lines string
		ends        int
		says        string
	}{
		{"that is whole", mixedPlan, 0, "follow from the plan already"},
		{"that leaves a cycle", strings.ReplaceAll(mixedPlan, "text.md", "text.md needs=e0"), 5, "sluice task feasibility " + crashID},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m := newMixedPlan(t, sketch(strings.ReplaceAll(c.lines, "data.md", "data.md days=25")))
			estimate, err := json.Marshal(map[string]any{"results": []any{map[string]any{"task_id": longID("c0"), "estimated_person_days": 30, "one_shot_pass": false, "why": "it is hard"}}})
			if err != nil {
				t.Fatal(err)
			}
			m.author.says("feasibility", string(estimate))
			drive := m.drive("feasibility", 1, "task", "feasibility", crashID)
			m.run("", "task", "rewrite", crashID, "--apply")
			before := m.plan(crashID)
			if len(before.Nodes) < 9 {
				t.Fatalf("the leaf was not split: %+v", before)
			}
			wantAll(t, drive.end(c.ends), c.says)
			if after := m.plan(crashID); len(after.Nodes) != len(before.Nodes) {
				t.Errorf("of %d tasks %d are left", len(before.Nodes), len(after.Nodes))
			}
			m.mustRun(0, "doctor")
		})
	}
}

// TestASubmissionThatComesLate lets a person hand over a version that was made ready before another process began to work on
// the same task: neither is lost.
func TestASubmissionThatComesLate(t *testing.T) {
	t.Parallel()
	m := newMixedPlan(t, sketch(mixedPlan))
	late := m.hold(1, "task", "submit", crashID, "b0", "-f", "mine.md")
	drive := m.drive(authorAction, 1, "task", "run", crashID)
	if err := late.end(); err != nil {
		t.Fatal(err)
	}
	drive.end(4)
	if d := m.shown(crashID, "b0"); len(d.Artifacts) != 2 || d.Artifacts[0].ArtifactID != d.ApprovedArtifactID || d.Status != task.Done {
		t.Errorf("%+v", d)
	}
	m.soundPlan(0)
}

// TestTwoVerdictsAtOnce lets two people judge the same version at the same time: both are kept.
func TestTwoVerdictsAtOnce(t *testing.T) {
	t.Parallel()
	m := newMixedPlan(t, sketch(mixedPlan))
	m.mustRun(0, "task", "submit", crashID, "b0", "-f", "mine.md")
	late := m.hold(1, "task", "review", crashID, "b0", "--approve")
	m.mustRun(0, "task", "review", crashID, "b0", "--reject", "--reason", "bad")
	if err := late.end(); err != nil {
		t.Fatal(err)
	}
	if d := m.shown(crashID, "b0"); len(d.Reviews) != 2 || d.Reviews[0].Verdict != "REJECTED" || d.Reviews[1].Verdict != "APPROVED" || d.Status != task.Done {
		t.Errorf("%+v", d)
	}
	m.soundPlan(0)
}
