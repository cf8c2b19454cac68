package kernel

import (
	"errors"
	"slices"

	"sluice/internal/fault"
)

// wayOut tells what is wrong with the next actions of a refusal: there must be some, and each must be legal now.
func wayOut(r *Run, err error) string {
	f, ok := errors.AsType[*fault.Error](err)
	if !ok {
		return "it is no fault"
	}
	if f.Code == fault.BadNode || f.Code == fault.Cycle { // a line's mistake, not a state
		return ""
	}
	if len(f.Next) == 0 {
		return "it knows no way out"
	}
	for _, a := range f.Next {
		if !isLegal(r, f.Subject, a.Action) {
			return "its way out is not legal: " + a.Action
		}
	}
	return ""
}

func isLegal(r *Run, subject, action string) bool {
	s := Stamp{By: ada, At: epoch}
	accepted := func(c Command) bool { _, err := Decide(r, c); return err == nil }
	anyNode := func(command func(NodeID) Command) bool {
		if _, ok := r.nodes[NodeID(subject)]; ok { // the command that is named is about this one
			return accepted(command(NodeID(subject)))
		}
		return slices.ContainsFunc(r.order, func(n *node) bool { return accepted(command(n.ID)) })
	}
	switch action {
	case "answer":
		for a := range r.OpenAsks() {
			for _, o := range a.Options {
				c := content("an answer")
				answer := Answer{Stamp: s, Ask: a.ID, Choice: o.Value}
				if o.Effect == SupplyIt {
					answer.Content, answer.Rule = &c, ruleOf[true]
				}
				if accepted(answer) {
					return true
				}
			}
		}
		return false
	case "revise":
		return anyNode(func(id NodeID) Command { return Revise{Stamp: s, Nodes: []NodeID{id}} })
	case "reopen":
		return anyNode(func(id NodeID) Command { return Reopen{Stamp: s, Node: id} })
	case "resume":
		return accepted(Resume{Stamp: s})
	case "run", "rehearse":
		return r.closing == ""
	case "inspect", "configure":
		return true
	}
	return false
}
