package e2e

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/internal/app"
)

// crashPlan has a rejected draft, dependencies, one of several ways, several files in one deliverable and an assembly.
const crashPlan = `
plan   d1 A_site
goal   a0 Site mode=ASSEMBLE assemble=e0
action b0 Text    in=a0 file=text.md
action c0 Data    in=a0 file=data.json needs=b0
goal   a2 Look    in=a0 or
action d0 Dark    in=a2
action f0 Light   in=a2
action e0 Package in=a0 needs=b0,c0,a2 file=index.html dir=site files=index.html,data.json
`

const crashRules = `
- agent: check
  when: {title: Text, version: 1}
  reply: {total_score: 30, verdict: REJECTED, suggestions: [say more]}
`

// planned is a workspace with an imported plan, before anything of it was done.
type planned struct {
	dir   string
	rules string
}

const crashID = "d1000000-0000-4000-8000-000000000000"

func newPlanned(t *testing.T, lines, rules string) *planned {
	t.Helper()
	s := newShell(t)
	raw, err := json.Marshal(sketch(lines))
	if err != nil {
		t.Fatal(err)
	}
	s.write("plan.json", string(raw))
	// One at a time, so that every run has the same points in the same order.
	s.write("sluice.yaml", "engine:\n  workers: 1\n")
	p := &planned{dir: s.dir, rules: s.write("rules.yaml", rules)}
	s.mustRun(0, "task", "import", "plan.json")
	return p
}

// copied gives a shell in a copy of the workspace.
func (p *planned) copied(t *testing.T) *shell {
	t.Helper()
	s := &shell{t: t, dir: t.TempDir()}
	if err := os.CopyFS(s.dir, os.DirFS(p.dir)); err != nil {
		t.Fatal(err)
	}
	return s
}

// points counts the points of a command in a copy of the workspace, which it then gives.
func (p *planned) points(t *testing.T, args ...string) (int, *shell) {
	t.Helper()
	s := p.copied(t)
	fuse := filepath.Join(t.TempDir(), "fuse")
	s.env = []string{"SLUICE_E2E_FUSE=" + fuse, "SLUICE_E2E_AT=-1"}
	s.mustRun(0, args...)
	s.env = nil
	return len(mustRead(fuse)), s
}

// killed runs a command in a copy of the workspace and kills it at a point.
func (p *planned) killed(t *testing.T, at int, args ...string) *shell {
	t.Helper()
	s := p.copied(t)
	s.env = []string{"SLUICE_E2E_FUSE=" + filepath.Join(t.TempDir(), "fuse"), "SLUICE_E2E_AT=" + strconv.Itoa(at)}
	cmd := s.command(t.Context(), "", args...)
	if out, err := cmd.CombinedOutput(); cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != -1 {
		t.Fatalf("the process was not killed: %v\n%s", err, out)
	}
	s.env = nil
	return s
}

// files gives what is below a directory of the workspace; the manifest without the time it was written.
func (s *shell) files(below string) map[string]string {
	s.t.Helper()
	found := map[string]string{}
	root := filepath.Join(s.dir, filepath.FromSlash(below))
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if os.IsNotExist(err) && path == root {
			return nil
		}
		if err != nil || d.IsDir() {
			return err
		}
		body := string(mustRead(path))
		if d.Name() == "manifest.json" {
			var kept []string
			for row := range strings.Lines(body) {
				if !strings.Contains(row, `"exported_at"`) && !strings.Contains(row, `"at":`) {
					kept = append(kept, row)
				}
			}
			body = strings.Join(kept, "")
		}
		rel, err := filepath.Rel(root, path)
		found[filepath.ToSlash(rel)] = body
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return found
}

// paid counts the answers of the model, by key.
func (s *shell) paid(plan string) map[string]int {
	s.t.Helper()
	out, _ := s.mustRun(0, "--json", "calls", plan)
	var doc app.CallsDoc
	if err := json.Unmarshal([]byte(out), &doc); err != nil {
		s.t.Fatal(err)
	}
	paid := map[string]int{}
	for _, c := range doc.Calls {
		if c.Outcome == "answered" {
			paid[c.Key]++
		}
	}
	return paid
}

// sound wants every record and every file to be as it should.
func (s *shell) sound(plan string) {
	s.t.Helper()
	s.mustRun(0, "verify")
	s.mustRun(0, "doctor")
	s.mustRun(0, "task", "doctor", plan)
}

// TestPlanKilledWhileItRuns kills a plan just before and after everything that becomes durable: the rest goes on, no
// version is lost or made twice, and nothing that was answered is paid for again.
func TestPlanKilledWhileItRuns(t *testing.T) {
	t.Run("one by one", func(t *testing.T) {
		killedRuns(t, newPlanned(t, crashPlan, crashRules), 14)
	})
	t.Run("side by side", func(t *testing.T) { // which of several ways is done first is a matter of luck then
		lines := strings.ReplaceAll(crashPlan, " or\n", "\n")
		killedRuns(t, newPlanned(t, lines, crashRules), 6, "--workers", "4")
	})
}

func killedRuns(t *testing.T, p *planned, some int, flags ...string) {
	t.Helper()
	args := append([]string{"--rehearsal", p.rules, "task", "run", crashID}, flags...)
	points, whole := p.points(t, args...)
	want, keys := whole.files("workspace"), whole.paid(crashID)
	t.Logf("%d points, %d files, %d calls", points, len(want), len(keys))
	if points < 80 || len(want) < 11 || len(keys) < 11 {
		t.Fatalf("%d points, %d files and %d calls are too few to crash", points, len(want), len(keys))
	}
	whole.sound(crashID)
	if len(flags) > 0 {
		points -= points / 4 // side by side, several things may become durable at one point, so that there are fewer
	}
	for _, at := range sample(t, points, some) {
		t.Run(fmt.Sprintf("point %d of %d", at, points), func(t *testing.T) {
			t.Parallel()
			s := p.killed(t, at, args...)
			s.mustRun(0, "task", "status", crashID) // whatever stands can be looked at
			s.mustRun(0, args...)
			if diff := cmp.Diff(want, s.files("workspace")); diff != "" {
				t.Errorf("versions and reviews differ from those of an undisturbed run (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(keys, s.paid(crashID)); diff != "" {
				t.Errorf("other calls were paid for than in an undisturbed run (-want +got):\n%s", diff)
			}
			s.sound(crashID)
		})
	}
}

// TestPlanKilledWhileItIsExported kills an export between its files and around them: the bundle is the old one or the new
// one, whole, and the next export finds its way.
func TestPlanKilledWhileItIsExported(t *testing.T) {
	p := newPlanned(t, crashPlan, crashRules)
	first := &shell{t: t, dir: p.dir}
	first.mustRun(0, "--rehearsal", p.rules, "task", "run", crashID)
	killedExports(t, "first", p, nil)
	first.mustRun(0, "task", "export", crashID)
	before := first.files(crashBundle)
	first.write("mine.md", "# Text\n\nMine.\n")
	first.mustRun(0, "task", "submit", crashID, "b0", "-f", "mine.md")
	first.mustRun(0, "task", "review", crashID, "b0", "--approve")
	killedExports(t, "second", p, before)
}

const crashBundle = "workspace/deliverables/" + crashID + "/bundle"

// killedExports kills the export of a plan at each of its points; before is the bundle that is there already.
func killedExports(t *testing.T, name string, p *planned, before map[string]string) {
	t.Helper()
	args := []string{"task", "export", crashID}
	points, whole := p.points(t, args...)
	after := whole.files(crashBundle)
	if points < 12 || cmp.Equal(before, after) {
		t.Fatalf("%d points are too few, or nothing changed", points)
	}
	p = &planned{dir: p.copied(t).dir} // the workspace goes on while the cases wait for their turn
	for _, at := range sample(t, points, 5) {
		t.Run(fmt.Sprintf("%s export at point %d of %d", name, at, points), func(t *testing.T) {
			t.Parallel()
			s := p.killed(t, at, args...)
			got := s.files(crashBundle)
			if len(got)+len(before) > 0 && !cmp.Equal(got, before) && !cmp.Equal(got, after) {
				t.Errorf("the bundle is neither the old nor the new one:\n%s", cmp.Diff(after, got))
			}
			if len(got) > 0 {
				s.mustRun(0, "verify", crashBundle)
			}
			s.sound(crashID)
			s.mustRun(0, args...)
			if diff := cmp.Diff(after, s.files(crashBundle)); diff != "" {
				t.Errorf("the next export differs (-want +got):\n%s", diff)
			}
			s.mustRun(0, "verify", crashBundle)
			if left, err := os.ReadDir(filepath.Join(s.dir, filepath.FromSlash(crashBundle), "..")); err != nil || len(left) != 1 {
				t.Errorf("%v were left beside the bundle (%v)", left, err)
			}
		})
	}
}

// largeDraft makes a plan with a leaf that must be split.
const largeDraft = `
- agent: plan-review
  when: {version: 1}
  reply: {total_score: 50, problems: [nobody tests it]}
- agent: feasibility
  reply: {results: [{task_id: 20000000-0000-4000-8000-000000000000, estimated_person_days: 25, one_shot_pass: false, why: it is hard}]}
- agent: plan-gen
  reply:
    plan: {title: Game, root_task_id: r}
    nodes:
      - {task_id: r, node_type: GOAL, title: Game, root_acceptance_criteria: [{id: R1, statement: it works, covered_by: [r]}], final_deliverable_spec: {mode: PASS_THROUGH}}
      - {task_id: 20000000-0000-4000-8000-000000000000, node_type: ACTION, title: Rules, estimated_person_days: 1, deliverable_spec: {format: md, filename: rules.md, single_file: true}, acceptance_criteria: [{id: AC-1, type: content, statement: names every move, check_method: manual_review, severity: blocker}]}
      - {task_id: ca, node_type: CHECK, title: Review of rules, review_target_task_id: 20000000-0000-4000-8000-000000000000, review_output_spec: {approved_filename: APPROVED.md, rejected_filename: REJECTED.md}}
    edges:
      - {from_task_id: r, to_task_id: 20000000-0000-4000-8000-000000000000, edge_type: DECOMPOSE}
`

// TestPlanKilledWhileItIsPlanned kills planning: what there is of the plan goes on to the same plan, and no answer is paid
// for again. The plan's id is made from the time, so that keys differ from one run to the next and only counts compare.
func TestPlanKilledWhileItIsPlanned(t *testing.T) {
	s := newShell(t)
	p := &planned{dir: s.dir, rules: s.write("rules.yaml", largeDraft)}
	args := []string{"--rehearsal", p.rules, "task", "new", "Make a game"}
	points, whole := p.points(t, args...)
	id := onlyPlan(t, whole)
	whole.mustRun(0, "--rehearsal", p.rules, "task", "run", id)
	calls := len(whole.paid(id))
	t.Logf("%d points, %d calls", points, calls)
	if points < 30 || calls < 12 {
		t.Fatalf("%d points and %d calls are too few to crash", points, calls)
	}
	for _, at := range sample(t, points, 4) {
		t.Run(fmt.Sprintf("point %d of %d", at, points), func(t *testing.T) {
			t.Parallel()
			s := p.killed(t, at, args...)
			id := onlyPlan(t, s)
			if id == "" {
				return // killed before anything was recorded
			}
			s.mustRun(0, "--rehearsal", p.rules, "task", "run", id)
			paid := s.paid(id)
			for key, n := range paid {
				if n > 1 {
					t.Errorf("call %s was paid for %d times", key, n)
				}
			}
			if len(paid) != calls {
				t.Errorf("%d calls were answered, want %d as undisturbed", len(paid), calls)
			}
			s.sound(id)
		})
	}
}

// onlyPlan names the plan of a workspace, or nothing.
func onlyPlan(t *testing.T, s *shell) string {
	t.Helper()
	out, _ := s.mustRun(0, "--json", "task", "list")
	var doc app.PlanListDoc
	if err := json.Unmarshal([]byte(out), &doc); err != nil || len(doc.Plans) > 1 {
		t.Fatalf("%v\n%s", err, out)
	}
	if len(doc.Plans) == 0 {
		return ""
	}
	return doc.Plans[0].PlanID
}
