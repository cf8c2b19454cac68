package task

import (
	"strings"
	"testing"

	"sluice/internal/fault"
	"sluice/internal/kernel"
	"sluice/internal/line"
	"sluice/internal/linetest"
)

func TestAPlanWhoseTasksHaveBegunIsRewrittenWhereNoneOfThemChanges(t *testing.T) {
	d := eitherPlan()
	d.node("root").RootAcceptanceCriteria = nil
	r := driven(t, d, newScripted(nil).answer)
	v := View{Run: r, Doc: d}
	better, changes, inTheWay, err := v.Rewrite(DefaultSettings())
	if err != nil || len(inTheWay) > 0 || len(changes) != 1 || changes[0].Code != RootCriteriaMissing {
		t.Fatalf("got %+v, in the way %+v, %v", changes, inTheWay, err)
	}
	if found := Doctor(better, DefaultSettings()); len(found) > 0 {
		t.Errorf("left: %+v", found)
	}
	for _, n := range better.Nodes {
		if n.Status != "" {
			t.Errorf("%s is stored as %s", n.Title, n.Status)
		}
	}
	body, err := better.Encode()
	if err != nil {
		t.Fatal(err)
	}
	plan, _ := r.Node(PlanNode)
	follow, err := unfold(line.Unfolding{Run: r, Node: plan.Node(), Body: body})
	if err != nil || len(follow.Nodes)+len(follow.Abandon) > 0 {
		t.Errorf("what was given up is wanted again: %+v, %v", follow, err)
	}
}

func TestWhatStandsInTheWayOfARewrite(t *testing.T) {
	d := soundPlan()
	r := drivenIn(t, d, linetest.World{Models: newScripted(map[string][]int{"design": {10, 10, 10}}).answer})
	changed := soundPlan()
	changed.node("build").EstimatedPersonDays = 25
	v := View{Run: r, Doc: changed}
	_, _, inTheWay, err := v.Rewrite(DefaultSettings())
	if err != nil || len(inTheWay) != 2 || inTheWay[0].TaskID != tid("build") || inTheWay[0].Why != "it would be split" || inTheWay[0].Status != Pending ||
		inTheWay[1].Why != "it would be gone" {
		t.Fatalf("got %+v, %v", inTheWay, err)
	}
	refused := fault.From(RefuseRewrite("p", inTheWay))
	if refused.Code != fault.IllegalStep || !strings.Contains(refused.Message, "build (2f77fdb4, PENDING): it would be split") || len(refused.Next) != 3 {
		t.Errorf("got %v", refused)
	}
	if RefuseRewrite("p", nil) != nil {
		t.Error("nothing is in the way, and it is refused")
	}
}

func TestARewriteLeavesAloneWhatWasGivenUp(t *testing.T) {
	r := drivenIn(t, soundPlan(), linetest.World{Models: hopeless(newScripted(nil), "design"), Person: giveUp("design")})
	changed := soundPlan()
	changed.node("design").EstimatedPersonDays = 25
	v := View{Run: r, Doc: changed}
	better, changes, inTheWay, err := v.Rewrite(DefaultSettings())
	if err != nil || len(inTheWay)+len(changes) > 0 || better.node("design").NodeType != Action {
		t.Errorf("got %+v, in the way %+v, %v", changes, inTheWay, err)
	}
	if n, _ := r.Node(kernel.NodeID(tid("design"))); n.Status() != kernel.StatusAbandoned {
		t.Errorf("design is %s", n.Status())
	}
}
