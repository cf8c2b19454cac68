package spec

import (
	"slices"

	"sluice/internal/kernel"
	"sluice/internal/line"
)

// unfold says what follows an approved version. It is asked once and recorded.
func unfold(in line.Unfolding) (line.Followers, error) {
	p, err := ParamsOf(in.Node)
	if err != nil {
		return line.Followers{}, err
	}
	var nodes []kernel.Node
	p.Feature = ""
	switch StepName(in.Node.Step) {
	case StepCompile:
		var s CanonicalSpec
		if err = decode(in.Body, &s); err == nil {
			nodes, err = validateNodes(p, in.Node.ID, s)
		}
	case StepValidate:
		nodes, err = afterGate(in, p)
	case StepClarify:
		var d QuestionsDocument
		if err = decode(in.Body, &d); err == nil {
			nodes, err = answerNodes(p, d.Questions)
		}
	case StepApply:
		p.Round++
		p.Stuck, p.Stage, p.Source = false, "", ""
		nodes, err = roundNodes(p, in.Node.ID)
	}
	return line.Followers{Nodes: nodes}, err
}

// afterGate: an open gate leads on, a closed one to a clarify round.
func afterGate(in line.Unfolding, p Params) ([]kernel.Node, error) {
	var r GateResult
	if err := decode(in.Body, &r); err != nil {
		return nil, err
	}
	switch {
	case !r.OverallPass:
		p.Stuck = p.Round > 1 && closedNone(p.Asked, r.MissingFields)
		return clarifyNodes(p, in.Node.ID)
	case p.Stage == StageSpec:
		return planNodes(p)
	}
	if v := in.Run.Approved(p.Source); v != nil {
		p.SpecVersion = string(v.ID)
	}
	n, err := reviewNode(p)
	return []kernel.Node{n}, err
}

// closedNone tells whether every path that was asked for is still missing.
func closedNone(asked []string, missing []MissingField) bool {
	for _, path := range asked {
		if !slices.ContainsFunc(missing, func(m MissingField) bool { return m.Path == path }) {
			return false
		}
	}
	return len(asked) > 0
}
