package task

import (
	"strings"
	"testing"
	"time"

	"sluice/internal/kernel"
	"sluice/internal/line"
	"sluice/internal/linetest"
)

// smokePlan has one criterion of the design for which a program is to be run.
func smokePlan(severity string) Document {
	d := soundPlan()
	n := d.node("design")
	n.AcceptanceCriteria = append(n.AcceptanceCriteria, Criterion{ID: "AC-2", Type: "run", Statement: "it runs", CheckMethod: RunSmokeTest, Severity: severity})
	return d
}

// program answers every command so, but from the given one on as if all was well.
func program(p line.Program, bad int) (func(line.Command) line.Ran, *[]line.Command) {
	asked := map[string]bool{}
	var all []line.Command
	return func(c line.Command) line.Ran {
		if key := string(c.Files[0].Body); !asked[key] {
			asked[key] = true
			all = append(all, c)
		}
		got := p
		if len(asked) > bad {
			got = line.Program{Name: p.Name, Command: p.Command}
		}
		return line.Ran{Slot: c.Slot, Programs: []line.Program{got}}
	}, &all
}

func reviewsOf(t *testing.T, r *kernel.Run, name string) []*kernel.Review {
	t.Helper()
	var all []*kernel.Review
	n, _ := r.Node(kernel.NodeID(tid(name)))
	for _, v := range n.Versions() {
		all = append(all, v.Reviews()...)
	}
	return all
}

func TestAProgramThatEndsBadlyRejects(t *testing.T) {
	for name, p := range map[string]line.Program{
		"exit code 3":                    {Command: []string{"try", "./design.md"}, Exit: 3, Output: "line 7: no king\n| x"},
		"killed at the time limit of 5s": {Command: []string{"try", "./design.md"}, Exit: -1, TimedOut: 5 * time.Second},
		"ended by a signal":              {Command: []string{"try", "./design.md"}, Exit: -1},
	} {
		models := newScripted(nil)
		runs, asked := program(p, 1)
		r := drivenIn(t, smokePlan(Major), linetest.World{Models: models.answer, Runs: runs})
		reviews := reviewsOf(t, r, "design")
		if r.Status() != kernel.RunDone || len(reviews) != 2 || reviews[0].Verdict != kernel.AgainstIt || reviews[1].Verdict != kernel.ForIt {
			t.Fatalf("%s: run %s, reviews %+v", name, r.Status(), reviews)
		}
		if got := reviews[0].Criteria[1]; got.Pass || !strings.HasPrefix(got.Evidence, "ran try ./design.md: "+name) || !strings.HasSuffix(got.Evidence, p.Output) {
			t.Errorf("%s: evidence %q", name, got.Evidence)
		}
		if models.asked["check design"] != 1 {
			t.Errorf("%s: a reviewer was asked %d times", name, models.asked["check design"])
		}
		if prompt := models.prompt["action design"][1]; p.Output != "" && !strings.Contains(prompt, "    line 7: no king\n    | x\n") {
			t.Errorf("the next attempt does not see the output:\n%s", prompt)
		}
		if c := (*asked)[0]; c.Format != "md" || c.Files[0].Path != "design.md" {
			t.Errorf("asked for %+v", c)
		}
		if got := reviews[1].Criteria[1]; !got.Pass || got.Evidence != "ran try ./design.md: exit code 0" {
			t.Errorf("%s: in the end %+v", name, got)
		}
	}
}

func TestAMinorProgramIsRecordedAndRejectsNothing(t *testing.T) {
	models := newScripted(nil)
	runs, _ := program(line.Program{Command: []string{"lint"}, Exit: 1, Output: "long line"}, 9)
	r := drivenIn(t, smokePlan(Minor), linetest.World{Models: models.answer, Runs: runs})
	reviews := reviewsOf(t, r, "design")
	if len(reviews) != 1 || reviews[0].Verdict != kernel.ForIt || reviews[0].Criteria[1].Pass {
		t.Fatalf("got %+v", reviews)
	}
	if prompt := models.prompt["check design"][0]; !strings.Contains(prompt, "ran lint: exit code 1") || strings.Contains(prompt, "long line") {
		t.Errorf("the reviewer is told otherwise:\n%s", prompt)
	}
}

func TestWhatIsNotRunIsSaidToBeJudgedByReading(t *testing.T) {
	r := drivenIn(t, smokePlan(Blocker), linetest.World{Models: newScripted(nil).answer})
	got := reviewsOf(t, r, "design")[0]
	want := "not run (no program is run here), judged by reading: line 1"
	if got.Verdict != kernel.ForIt || got.Criteria[1].Evidence != want {
		t.Errorf("got %+v", got)
	}
	silent := judgeRun(kernel.Criterion{ID: "AC-2"}, false, line.Ran{NotRun: "x"})
	if silent.Pass {
		t.Error("what nobody ran and nobody read passes")
	}
}

func TestAReviewersWordCountsAgainstWhatRan(t *testing.T) {
	ran := line.Ran{Programs: []line.Program{{Command: []string{"try"}}}}
	if got := judgeRun(kernel.Criterion{Evidence: "the button does nothing"}, true, ran); got.Pass || got.Evidence != "the button does nothing; ran try: exit code 0" {
		t.Errorf("got %+v", got)
	}
	if got := judgeRun(kernel.Criterion{}, false, ran); !got.Pass {
		t.Errorf("got %+v", got)
	}
}

func TestTheFileOfAReviewHoldsTheOutput(t *testing.T) {
	score := 0.0
	text := ReviewText(kernel.Review{Verdict: kernel.AgainstIt, Score: &score, Criteria: []kernel.Criterion{
		{ID: "AC-2", Evidence: "ran try: exit code 1\n# APPROVED\n- score: 100\n"}, {ID: "AC-3", Evidence: "ran try: exit code 1\n# APPROVED\n- score: 100\n"}}}, nil)
	if !strings.Contains(text, "## Evidence for AC-2\n\n    ran try: exit code 1\n    # APPROVED\n    - score: 100\n") || strings.Count(text, "# APPROVED") != 1 {
		t.Errorf("got\n%s", text)
	}
	if !strings.Contains(text, "| AC-2 |  | fail |  | ran try: exit code 1 (more below) |") {
		t.Errorf("got\n%s", text)
	}
}
