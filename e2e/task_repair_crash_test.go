package e2e

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/internal/line/task"
)

// mending is a command that changes a plan, and the commands that lead to where it is given.
type mending struct {
	name string
	doc  planObject
	lead [][]string
	args []string
	sort repairSort
}

const mendRules = `
- agent: check
  when: {title: Text, version: 1}
  reply: {total_score: 30, verdict: REJECTED, suggestions: [say more]}
- agent: feasibility
  reply: {results: [{task_id: c0000000-0000-4000-8000-000000000000, estimated_person_days: 3, one_shot_pass: true, why: it is hard}]}
`

const mendPlan = `
plan   d1 A_site
goal   a0 Site
action b0 Text in=a0 file=text.md
action c0 Data in=a0 file=data.md needs=b0
`

func mendings() []mending {
	run, submit := []string{"run", crashID}, []string{"submit", crashID, "b0", "-f", "mine.md"}
	large := sketch(mendPlan)
	nodeOf(large, 1)["estimated_person_days"] = 25
	wanting := sketch(mendPlan)
	wanting["requirements"] = []any{planObject{"requirement_id": longID("f0"), "task_id": longID("c0"), "name": "brief", "kind": "FILE", "required": true}}
	return []mending{
		{"submit", sketch(mendPlan), [][]string{run}, submit, decision},
		{"approve", sketch(mendPlan), [][]string{submit}, []string{"review", crashID, "b0", "--approve"}, decision},
		{"reject", sketch(mendPlan), [][]string{submit}, []string{"review", crashID, "b0", "--reject", "--reason", "bad"}, decision},
		{"redo", sketch(mendPlan), [][]string{run}, []string{"redo", crashID, "b0", "--note", "shorter"}, decision},
		{"abandon", sketch(mendPlan), nil, []string{"abandon", crashID, "c0", "--reason", "x"}, decision},
		{"rewrite", large, nil, []string{"rewrite", crashID, "--apply"}, decision},
		{"supply", wanting, [][]string{run}, []string{"supply", crashID, "-f", "mine.md"}, sequel},
		{"feasibility", large, nil, []string{"feasibility", crashID}, work},
		{"feasibility of what is done", sketch(mendPlan), [][]string{run}, []string{"feasibility", crashID}, work},
	}
}

// planOutcome is where a plan stands, with its files and what was paid for.
type planOutcome struct {
	Plan  task.StatusDoc
	Files map[string]string
	Paid  map[string]int
}

func (s *shell) planOutcome() planOutcome {
	return planOutcome{s.plan(crashID), s.files("workspace"), s.paid(crashID)}
}

// TestPlanKilledWhileItIsMended kills what changes a plan just before and after everything that becomes durable. The plan is then
// as it was or as it was meant to be; the same command again ends where it would have, and so does going on, for the same calls.
func TestPlanKilledWhileItIsMended(t *testing.T) {
	for _, c := range mendings() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newShell(t)
			raw, err := json.Marshal(c.doc)
			if err != nil {
				t.Fatal(err)
			}
			s.write("plan.json", string(raw))
			s.write("mine.md", "# Mine\n\nMade by a person.\n")
			s.write("sluice.yaml", "engine:\n  workers: 1\n")
			p := &planned{dir: s.dir, rules: s.write("rules.yaml", mendRules)}
			s.mustRun(0, "task", "import", "plan.json")
			for _, args := range c.lead {
				s.mend(append([]string{"--rehearsal", p.rules, "task"}, args...)...)
			}
			killedMendings(t, p, c)
		})
	}
}

func killedMendings(t *testing.T, p *planned, c mending) {
	t.Helper()
	args := append([]string{"--rehearsal", p.rules, "task"}, c.args...)
	on := []string{"--rehearsal", p.rules, "task", "run", crashID}
	before := p.copied(t).planOutcome()
	points, whole := p.mended(t, args...)
	after := whole.planOutcome()
	whole.mayGoOn(on...)
	end := whole.planOutcome()
	if points < 2 || cmp.Equal(before, after) {
		t.Fatalf("%d points are too few to crash, or nothing is changed", points)
	}
	t.Logf("%d points", points)
	for _, at := range sample(t, points, 1) {
		t.Run(fmt.Sprintf("point %d of %d", at, points), func(t *testing.T) {
			t.Parallel()
			s := p.killed(t, at, args...)
			s.mustRun(0, "doctor")
			now := s.planOutcome()
			if c.sort == decision && !cmp.Equal(now, before) && !cmp.Equal(now, after) {
				t.Errorf("the plan is neither as it was nor as it was meant to be (-want +got):\n%s", cmp.Diff(after, now))
			}
			code, out, errs := s.run("", args...)
			if !slices.Contains([]int{0, 2, 4, 5}, code) || code == 2 && c.sort != sequel {
				t.Errorf("given again it ended with %d\n%s%s", code, out, errs)
			}
			if diff := cmp.Diff(after, s.planOutcome()); diff != "" && c.sort != sequel && !(c.sort == work && at == points) {
				t.Errorf("given again it ended elsewhere (-want +got):\n%s", diff)
			}
			s.mayGoOn(on...)
			if diff := cmp.Diff(end, s.planOutcome()); diff != "" && !(c.sort == work && at == points) {
				t.Errorf("it went on to another end (-want +got):\n%s", diff)
			}
			for key, n := range s.paid(crashID) {
				if n > 1 {
					t.Errorf("call %s was paid for %d times", key, n)
				}
			}
			s.mustRun(0, "verify")
			s.mustRun(0, "doctor")
		})
	}
}

// mayGoOn lets a plan go on that may wait, or have findings.
func (s *shell) mayGoOn(args ...string) {
	s.t.Helper()
	if code, out, errs := s.run("", args...); code != 0 && code != 4 && code != 7 {
		s.t.Fatalf("%v: %d\n%s%s", args, code, out, errs)
	}
}
