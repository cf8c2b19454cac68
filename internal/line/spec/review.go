package spec

import (
	"encoding/json"
	"fmt"
	"slices"

	"sluice/internal/fault"
	"sluice/internal/kernel"
	"sluice/internal/line"
)

// RuleReview binds a decision to the version that its review is about.
const (
	RuleReview         = "review"
	RuleReviewRevision = 1
)

// rule knows one rule, review: the document decides go, hold or drop, says why, and is about exactly the version that
// passed every gate.
func rule(n kernel.Node, body []byte) (kernel.RuleResult, error) {
	res := kernel.RuleResult{Rule: n.Gate.Rule, Revision: n.Gate.Revision}
	if n.Gate.Rule != RuleReview {
		return res, fault.New(fault.BadNode, string(n.ID), "line %s has no rule %q; it has %s", Name, n.Gate.Rule, RuleReview)
	}
	p, err := ParamsOf(n)
	if err != nil {
		return res, err
	}
	against := func(code, message string) {
		res.Findings = append(res.Findings, kernel.Finding{Code: code, Severity: "high", Message: message})
	}
	var d ReviewDecision
	if err := decode(body, &d); err != nil {
		against("unreadable", "the decision does not parse: "+err.Error())
		return res, nil
	}
	if !slices.Contains(Recommendations(), d.Decision) {
		against("unknown_decision", fmt.Sprintf("the decision is %q, not go, hold or drop", d.Decision))
	}
	if d.SpecVersion != p.SpecVersion {
		against("other_version", fmt.Sprintf("the decision is about %s, and %s passed the gates", d.SpecVersion, p.SpecVersion))
	}
	if isBlank(d.Reason) {
		against("no_reason", "the decision says no reason")
	}
	res.Pass = len(res.Findings) == 0
	return res, nil
}

// supplyReview makes the document of a decision.
func supplyReview(g line.Given, n kernel.Node) (*line.Out, error) {
	if len(g.Content) > 0 {
		var d ReviewDecision
		if err := decode(g.Content, &d); err != nil {
			return nil, fault.Wrap(fault.BadValue, string(n.ID), err, "the decision does not parse")
		}
		if string(d.Decision) != g.Choice { // the law records the choice, so that the two must say the same
			return nil, fault.New(fault.BadValue, string(n.ID), "the document decides %q, and the answer %q", d.Decision, g.Choice)
		}
		return Decide(g.Run, g.By, Verdict{Decision: d.Decision, SpecVersion: d.SpecVersion, Reason: d.Reason})
	}
	return Decide(g.Run, g.By, Verdict{Decision: Recommendation(g.Choice), Reason: g.Reason})
}

// Verdict is a person's word on a version; an empty version means the one that is up for review.
type Verdict struct {
	Decision    Recommendation
	SpecVersion string
	Reason      string
}

// Decide makes the document of a decision, or refuses it: it must be about the version that passed every gate, and what is
// published or dropped is decided for good.
func Decide(r *kernel.Run, by kernel.Actor, v Verdict) (*line.Out, error) {
	id := string(r.ID())
	// First, since what else is refused names a review as the way on.
	switch s := StatusOf(r); s {
	case ExecutableReady, OnHold:
	default:
		return nil, fault.New(fault.IllegalStep, id, "feature %s is %s; a review needs a version that passed every gate", id, s).With(NextActions(r)...)
	}
	if !slices.Contains(Recommendations(), v.Decision) {
		return nil, fault.New(fault.BadValue, id, "the decision is %q, not go, hold or drop", v.Decision).
			With(fault.Action{Action: "review", Command: "sluice spec review " + id + " go --reason TEXT"})
	}
	if isBlank(v.Reason) {
		return nil, fault.New(fault.BadValue, id, "a decision needs a reason").
			With(fault.Action{Action: "review", Command: fmt.Sprintf("sluice spec review %s %s --reason TEXT", id, v.Decision)})
	}
	version, err := UpForReview(r)
	if err != nil {
		return nil, err
	}
	if v.SpecVersion != "" && v.SpecVersion != version {
		return nil, fault.New(fault.StaleVerdict, id, "the decision is on %s, and %s is up for review", v.SpecVersion, version).
			With(fault.Action{Action: "show", Command: "sluice spec show " + id, Why: "it shows the version that is up for review"})
	}
	body, err := encode(ReviewDecision{Decision: v.Decision, SpecVersion: version, Reason: v.Reason, By: by.String()})
	return &line.Out{Body: body, Schema: reviewSchema + string(v.Decision)}, err
}

// UpForReview is the version that the review of the current round is about.
func UpForReview(r *kernel.Run) (string, error) {
	n, ok := r.Node(Current(r).Review())
	if !ok {
		return "", fault.New(fault.IllegalStep, string(r.ID()), "feature %s is %s, and nothing of it is up for review", r.ID(), StatusOf(r)).With(NextActions(r)...)
	}
	p, err := ParamsOf(n.Node())
	return p.SpecVersion, err
}

// reviewNext is what follows a decision.
func reviewNext(d ReviewDecision) StepDecision {
	out := StepDecision{Decision: string(d.Decision), Reason: d.Reason}
	switch d.Decision {
	case Go:
		out.NextStep = string(StepPublish)
	case Hold:
		out.NextStep = string(StepClarify)
	default:
		out.NextStep = "none"
	}
	return out
}

// decisionIn reads the decision of a review document.
func decisionIn(body json.RawMessage) (ReviewDecision, error) {
	var d ReviewDecision
	err := decode(body, &d)
	return d, err
}
