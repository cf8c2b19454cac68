package task

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"sluice/internal/kernel"
	"sluice/internal/line"
)

// Steps of planning. Each round has a draft, its review and the estimate of its leaves.
const (
	stepPlanGen     = "plan-gen"
	stepSplit       = "split"
	stepPlanReview  = "plan-review"
	stepFeasibility = "feasibility"
	stepFinal       = "final"
)

// RulePlan holds a draft against the doctor's hard rules before anyone reads it.
const (
	RulePlan         = "plan_doctor"
	RulePlanRevision = 2
)

// NewPlanID names a plan by what makes it unique.
func NewPlanID(names ...string) string { return deriveID(append([]string{"plan"}, names...)...) }

// OpenNew is the command that begins a plan from a task in a person's words.
func OpenNew(id, topTask string, s Settings) (kernel.Open, error) {
	settings, err := json.Marshal(kept{s, topTask})
	if err != nil {
		return kernel.Open{}, err
	}
	nodes, err := round(1, stepPlanGen, s)
	return kernel.Open{Run: kernel.RunID(id), Line: Name, Title: oneLine(cutText(topTask, 120)), Settings: settings, Nodes: nodes}, err
}

func draftID(round int) kernel.NodeID { return kernel.NodeID("draft/" + strconv.Itoa(round)) }
func estimateID(round int) kernel.NodeID {
	return kernel.NodeID("feasibility/" + strconv.Itoa(round))
}
func inputID(round int) kernel.NodeID { return kernel.NodeID("input/" + strconv.Itoa(round)) }

// planningParams are what a node of planning knows.
type planningParams struct {
	Round    int      `json:"round"`
	Settings Settings `json:"settings"` // a rule sees nothing but its node
}

// round gives the nodes of one round of planning.
func round(n int, step string, s Settings, needs ...kernel.NodeID) ([]kernel.Node, error) {
	params, err := json.Marshal(planningParams{n, s})
	if err != nil {
		return nil, err
	}
	draft := kernel.Node{ID: draftID(n), Kind: kernel.Make, Step: step, Title: fmt.Sprintf("Plan, round %d", n), Performer: kernel.Engine, Attempts: s.MaxPlanAttempts,
		OnReject: kernel.Rework, Gate: kernel.Gate{Rule: RulePlan, Revision: RulePlanRevision, Checks: true}, Params: params}
	for _, id := range needs {
		draft.Needs = append(draft.Needs, kernel.Need{Node: id})
	}
	return []kernel.Node{draft,
		{ID: draft.ID + "/review", Kind: kernel.Check, Step: stepPlanReview, Title: fmt.Sprintf("Plan review, round %d", n), Target: draft.ID, Performer: kernel.Engine, Attempts: 3, Params: params},
		{ID: estimateID(n), Kind: kernel.Make, Step: stepFeasibility, Title: fmt.Sprintf("Feasibility, round %d", n), Performer: kernel.Engine, Attempts: 3,
			Needs: []kernel.Need{{Node: draft.ID}}, Unfolds: true, Params: params}}, nil
}

func planningOf(n kernel.Node) (planningParams, error) {
	p := planningParams{}
	err := json.Unmarshal(n.Params, &p)
	return p, err
}

// rule is the doctor as a gate. What is too large is split later, so that it is no reason against a draft.
func rule(n kernel.Node, body []byte) (kernel.RuleResult, error) {
	res := kernel.RuleResult{Rule: n.Gate.Rule, Revision: n.Gate.Revision}
	p, err := planningOf(n)
	if err != nil {
		return res, err
	}
	d, err := ParseDocument(body)
	if err != nil {
		return res, err
	}
	for _, f := range Doctor(d, p.Settings) {
		// Whoever imports a plan may leave open what it must fulfil as a whole; whoever makes one may not.
		isHard := f.Severity == SeverityError || f.Code == RootCriteriaMissing && n.Gate.Revision > 1
		if isHard && f.Code != LeafOverThreshold {
			res.Findings = append(res.Findings, kernel.Finding{Code: f.Code, Severity: Blocker, Path: strings.TrimPrefix(f.Node+"."+f.Path, "."), Message: f.Message, Fix: f.Hint})
		}
	}
	res.Pass = len(res.Findings) == 0
	return res, nil
}

// TooLarge gives the leaves that do not fit one call of a model.
func TooLarge(d Document, s Settings) []Node {
	c := NewChart(&d)
	var out []Node
	for _, id := range c.Leaves() {
		if n := c.nodes[id]; n.EstimatedPersonDays > s.OneShotThresholdPersonDays {
			out = append(out, *n)
		}
	}
	return out
}

// follow says what follows from estimates: the plan, another round that splits, or a question to a person.
func follow(in line.Unfolding) (line.Followers, error) {
	p, err := planningOf(in.Node)
	if err != nil {
		return line.Followers{}, err
	}
	d, err := ParseDocument(in.Body)
	if err != nil {
		return line.Followers{}, err
	}
	var out line.Followers
	if len(TooLarge(d, p.Settings)) == 0 {
		out.Nodes = []kernel.Node{{ID: PlanNode, Kind: kernel.Make, Step: stepFinal, Title: "Plan", Performer: kernel.Engine, Attempts: 1,
			Needs: []kernel.Need{{Node: in.Node.ID}}, Unfolds: true}}
		return out, nil
	}
	better, _ := splitWith(d, p.Settings, nil)
	if len(TooLarge(better, p.Settings)) == 0 && spent(in.Run) < p.Settings.MaxTotalAttempts {
		out.Nodes, err = round(p.Round+1, stepSplit, p.Settings, in.Node.ID)
		return out, err
	}
	out.Nodes, err = round(p.Round+1, stepPlanGen, p.Settings, in.Node.ID, inputID(p.Round))
	out.Nodes = append(out.Nodes, kernel.Node{ID: inputID(p.Round), Kind: kernel.Make, Title: "What the plan needs", Performer: kernel.Person,
		Ask: &kernel.AskSpec{Kind: kernel.AskSupply, Title: "Supply what " + requiredDoc(in.Run.ID()) + " asks for"}})
	return out, err
}

// spent counts the attempts at drafts.
func spent(r *kernel.Run) int {
	total := 0
	for n := range Rounds(r) {
		if d, ok := r.Node(draftID(n)); ok {
			total += d.Attempts()
		}
	}
	return total
}

// Rounds gives the numbers of the rounds of planning that were opened.
func Rounds(r *kernel.Run) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		for n := 1; ; n++ {
			if _, ok := r.Node(draftID(n)); !ok || !yield(n) {
				return
			}
		}
	}
}

// IsPlanning tells whether a node belongs to planning: its document, and what leads to it.
func IsPlanning(n kernel.Node) bool {
	switch n.Step {
	case stepPlanGen, stepSplit, stepPlanReview, stepFeasibility, stepFinal:
		return true
	}
	return n.ID == PlanNode
}

func requiredDoc(run kernel.RunID) string { return "workspace/required_docs/" + string(run) + ".md" }
