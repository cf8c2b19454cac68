package novel

import (
	"encoding/json"

	"sluice/internal/fault"
	"sluice/internal/kernel"
	"sluice/internal/line/novel/story"
)

// rule evaluates the gate of a revision: it is open unless the revision is pending. What cannot be read counts as pending,
// since nobody can say that it is not.
func rule(n kernel.Node, body []byte) (kernel.RuleResult, error) {
	res := kernel.RuleResult{Rule: n.Gate.Rule, Revision: n.Gate.Revision}
	if n.Gate.Rule != RuleRevision {
		return res, fault.New(fault.BadNode, string(n.ID), "line %s has no rule %q", Name, n.Gate.Rule)
	}
	rev, err := story.Decode[story.RevisionStatus](string(n.ID), body)
	switch {
	case err != nil:
		res.Findings = []kernel.Finding{{Code: string(fault.RevisionUnreadable), Severity: "high", Message: err.Error()}}
	case rev.Status == story.RevisionPending:
		res.Findings = []kernel.Finding{{Code: string(fault.RevisionPending), Severity: "high", Message: rev.RevisionNotes}}
	default:
		res.Pass = true
	}
	res.Detail, err = json.Marshal(struct {
		Status      story.RevisionState `json:"status,omitempty"`
		TriggeredBy story.Trigger       `json:"triggered_by,omitempty"`
	}{rev.Status, rev.TriggeredBy})
	return res, err
}
