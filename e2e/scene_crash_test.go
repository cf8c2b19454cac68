package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/internal/line/scene"
)

// sceneDecision is a command of a person on a workflow, and the commands that lead to where it is given.
type sceneDecision struct {
	name string
	lead [][]string
	args []string
	on   [][]string // what leads on from it, before the workflow runs to its end
}

func sceneDecisions() []sceneDecision {
	approve, resume := []string{"approve", "ID"}, []string{"resume", "ID"}
	return []sceneDecision{
		{"approve", nil, approve, nil},
		{"reject to be made again", nil, []string{"reject", "ID", "--set", "pace=slower"}, [][]string{{"run", "ID"}, approve}},
		{"reject", nil, []string{"reject", "ID"}, [][]string{resume, {"run", "ID"}, approve}},
		{"cancel", nil, []string{"cancel", "ID"}, [][]string{resume, approve}},
		{"go back to the plan", [][]string{approve}, []string{"resume", "ID", "--from", "3"}, [][]string{{"run", "ID"}, approve}},
	}
}

// TestSceneKilledWhileAPersonDecides kills what decides about a scene just before and after everything that becomes durable. It is
// decided or not, the same command decides it, and the scene is then the same for the same calls.
func TestSceneKilledWhileAPersonDecides(t *testing.T) {
	first := newShell(t)
	first.write("sluice.yaml", "engine:\n  workers: 1\n")
	place := filepath.Join(first.dir, "acts", "act-1", "chapters", "chapter-02", "scenes")
	if err := os.MkdirAll(place, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(place, "scene-0204-blueprint.md"), []byte(shortBlueprint), 0o600); err != nil {
		t.Fatal(err)
	}
	first.mustRun(4, "scene", "generate", "0204")
	id := first.onlyWorkflow()
	for _, d := range sceneDecisions() {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			s := (&planned{dir: first.dir}).copied(t)
			for _, args := range d.lead {
				s.onWorkflow(id, args)
			}
			killedDecision(t, &planned{dir: s.dir}, id, d)
		})
	}
}

func killedDecision(t *testing.T, p *planned, id string, d sceneDecision) {
	t.Helper()
	args := append([]string{"scene"}, onID(id, d.args)...)
	before := p.copied(t).workflowState(id)
	points, whole := p.mended(t, args...)
	after := whole.workflowState(id)
	whole.finish(id, d)
	want, paid := whole.scenes(), whole.paid(id)
	if points < 4 || before == after || len(want) == 0 {
		t.Fatalf("%d points are too few to crash, or nothing is decided", points)
	}
	t.Logf("%d points", points)
	for _, at := range sample(t, points, 1) {
		t.Run(fmt.Sprintf("point %d of %d", at, points), func(t *testing.T) {
			t.Parallel()
			s := p.killed(t, at, args...)
			s.mustRun(0, "doctor")
			now := s.workflowState(id)
			if now != before && now != after {
				t.Errorf("the workflow is neither as it was nor as it was meant to be (-want +got):\n%s", cmp.Diff(after, now))
			}
			if now != after {
				s.mustRun(0, args...)
			}
			s.finish(id, d)
			if diff := cmp.Diff(want, s.scenes()); diff != "" {
				t.Errorf("the scene is another (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(paid, s.paid(id)); diff != "" {
				t.Errorf("other calls were paid for (-want +got):\n%s", diff)
			}
			s.mustRun(0, "verify")
			s.mustRun(0, "doctor")
		})
	}
}

func onID(id string, args []string) []string {
	return strings.Split(strings.ReplaceAll(strings.Join(args, "\n"), "ID", id), "\n")
}

func (s *shell) onlyWorkflow() string {
	s.t.Helper()
	var list scene.ListDoc
	if s.decode(&list, "scene", "list"); list.Total != 1 {
		s.t.Fatalf("there are %d workflows", list.Total)
	}
	return list.Workflows[0].WorkflowID
}

func (s *shell) onWorkflow(id string, args []string) {
	s.t.Helper()
	s.mend(append([]string{"scene"}, onID(id, args)...)...)
}

// finish leads a workflow to its end.
func (s *shell) finish(id string, d sceneDecision) {
	s.t.Helper()
	for _, args := range d.on {
		s.onWorkflow(id, args)
	}
	s.mustRun(0, "scene", "run", id)
	if got := s.workflowState(id); !strings.Contains(got, `"status": "completed"`) {
		s.t.Errorf("the workflow ends as %s", got)
	}
}

var anyTime = regexp.MustCompile(`"\d{4}-\d\d-\d\dT[^"]*"`)

// workflowState is the state of a workflow without its times, which its file must show as the journal does.
func (s *shell) workflowState(id string) string {
	s.t.Helper()
	var doc scene.StatusDoc
	s.decode(&doc, "scene", "status", id)
	body := mustRead(filepath.Join(s.dir, "workspace", "workflow-state", id+".json"))
	var state scene.State
	if err := json.Unmarshal(body, &state); err != nil {
		s.t.Fatal(err)
	}
	if state.Status != doc.Status || state.Generation.CurrentStep != doc.CurrentStep {
		s.t.Errorf("the state file says %s at step %d, the journal %s at step %d", state.Status, state.Generation.CurrentStep, doc.Status, doc.CurrentStep)
	}
	return anyTime.ReplaceAllString(string(body), `"T"`)
}

// scenes are the files of the story and of the workflow.
func (s *shell) scenes() map[string]string {
	all := s.files("acts")
	for name, body := range s.files(filepath.Join("workspace", "generation-runs")) {
		all[name] = anyTime.ReplaceAllString(body, `"T"`)
	}
	return all
}
