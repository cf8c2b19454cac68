package e2e

import (
	"encoding/json"
	"testing"
)

// TestTheNextCommandOfAPlan wants what is named next to be what a plan takes where it stands.
func TestTheNextCommandOfAPlan(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	killed := s.write("killed.yaml", "- {agent: plan-gen, fail: crash_before}\n")
	if out, err := s.command(t.Context(), "", "--rehearsal", killed, "task", "new", "Make a game").CombinedOutput(); err == nil {
		t.Fatalf("the process was not killed: %s", out)
	}
	id := onlyPlan(t, s)
	for _, args := range [][]string{{"status", id}, {"doctor", id}, {"rewrite", id}} { // its planning was cut short
		_, out, _ := s.run("", append([]string{"task"}, args...)...)
		wantAll(t, out, "next: sluice task run "+id)
	}
	s.mustRun(0, "task", "run", id)

	large := sketch("plan d1 A_game\ngoal a0 Game\naction b0 Rules in=a0 days=25")
	raw, err := json.Marshal(large)
	if err != nil {
		t.Fatal(err)
	}
	s.write("plan.json", string(raw))
	s.mustRun(0, "task", "import", "plan.json")
	_, errs := s.mustRun(2, "task", "review", crashID, "b0", "--approve") // it has findings, and does not run
	wantAll(t, errs, "next: sluice task doctor "+crashID)
}
