package briefing

import "testing"

func TestTheModelOfAStep(t *testing.T) {
	models := map[string]string{"text": "big", "logic-review": "sharp", "plan": "quick"}
	for agent, want := range map[string]string{AgentScene: "big", AgentRevision: "big", AgentLogic: "sharp", AgentPlan: "quick", AgentWorld: ""} {
		if got := modelOf(models, agent); got != want {
			t.Errorf("%s is asked of %q, want %q", agent, got, want)
		}
	}
}
