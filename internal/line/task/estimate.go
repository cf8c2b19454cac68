package task

import (
	"slices"
	"strconv"
	"strings"

	"sluice/internal/kernel"
)

// FeasibilityDoc says which leaves of a plan fit one call of a model.
type FeasibilityDoc struct {
	PlanID    string         `json:"plan_id"`
	Threshold float64        `json:"one_shot_threshold_person_days"`
	Leaves    []LeafEstimate `json:"leaves"`
	TooLarge  int            `json:"too_large"`
	Written   bool           `json:"written"` // corrected estimates are in the plan now
	Begun     bool           `json:"begun"`   // its tasks follow from the plan already, and estimates are only told
}

// LeafEstimate is the estimate of one leaf.
type LeafEstimate struct {
	TaskID              string  `json:"task_id"`
	Title               string  `json:"title"`
	Before              float64 `json:"before"`
	EstimatedPersonDays float64 `json:"estimated_person_days"`
	OneShotPass         bool    `json:"one_shot_pass"`
	Why                 string  `json:"why"`
}

// EstimateNode is the node by which a person has the leaves of a plan estimated: the last one if it is not finished, or a new
// one.
func (v View) EstimateNode() (n kernel.Node, isKnown bool) {
	name := func(n int) kernel.NodeID { return kernel.NodeID("estimate/" + strconv.Itoa(n)) }
	last := 0
	for ; ; last++ {
		if _, taken := v.Run.Node(name(last + 1)); !taken {
			break
		}
	}
	if n, ok := v.Run.Node(name(last)); ok && v.isUnfinished(n) {
		return n.Node(), true
	}
	return kernel.Node{ID: name(last + 1), Kind: kernel.Make, Step: stepFeasibility, Title: "Feasibility",
		Performer: kernel.Engine, Attempts: 3, Needs: []kernel.Need{{Node: PlanNode}}}, false
}

// isUnfinished tells of an estimate that has yet to be made, or to be written into the plan that it was made of.
func (v View) isUnfinished(n kernel.View) bool {
	switch n.Status() {
	case kernel.StatusWaiting, kernel.StatusReady, kernel.StatusRunning, kernel.StatusRework:
		return true
	case kernel.StatusDone:
		return !v.IsUnfolded() && v.IsEstimated(n.Approved())
	}
	return false
}

// IsEstimated tells whether an estimate is of the plan as it is, and differs from it.
func (v View) IsEstimated(made *kernel.Version) bool {
	plan := v.Run.Approved(PlanNode)
	return plan != nil && made != nil && made.Digest != plan.Digest && slices.Contains(made.Parents, plan.ID)
}

// Feasibility compares the estimates of a plan with those of an estimated copy.
func Feasibility(before, after Document, s Settings) FeasibilityDoc {
	d := FeasibilityDoc{PlanID: before.Plan.PlanID, Threshold: s.OneShotThresholdPersonDays, Leaves: []LeafEstimate{}}
	was, is := NewChart(&before), NewChart(&after)
	for _, id := range is.Leaves() {
		old, now := was.nodes[id], is.nodes[id]
		if old == nil {
			continue
		}
		e := LeafEstimate{TaskID: id, Title: now.Title, Before: old.EstimatedPersonDays, EstimatedPersonDays: now.EstimatedPersonDays,
			OneShotPass: now.EstimatedPersonDays <= s.OneShotThresholdPersonDays, Why: "the estimate is confirmed"}
		if old.EstimatedPersonDays != now.EstimatedPersonDays {
			e.Why = strings.TrimSpace(strings.TrimPrefix(now.Rationale, old.Rationale))
		}
		if !e.OneShotPass {
			d.TooLarge++
		}
		d.Leaves = append(d.Leaves, e)
	}
	return d
}
