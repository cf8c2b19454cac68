package kernel

import (
	"slices"

	"sluice/internal/fault"
)

func decideReopen(r *Run, c Reopen) ([]Fact, error) {
	n, err := r.find(c.Node)
	if err != nil {
		return nil, err
	}
	switch {
	case n.status == StatusFailed && n.Kind != Group, n.status == StatusHeld, n.isUsedUp():
		return []Fact{NodeReopened{Node: n.ID, Reason: c.Reason}}, nil
	case n.status == StatusAbandoned:
		if err := n.reopenable(nil); err != nil {
			return nil, err
		}
		return reopenTree(n, c.Reason), nil
	}
	return nil, refuse(fault.IllegalStep, n, "node %s is %s; there is nothing to reopen", n.ID, n.status)
}

// isUsedUp tells whether a person is asked what to do since its attempts are at an end.
func (n *node) isUsedUp() bool {
	return slices.ContainsFunc(n.asks, func(a *Ask) bool { return a.Reason == UsedUp })
}

// reopenable tells why an abandoned node cannot come back by itself, if it cannot. Those in with come back too.
func (n *node) reopenable(with map[*node]bool) error {
	for _, o := range []*node{n.parent, n.target} {
		if o != nil && o.abandoned && !with[o] {
			if o.reopenable(nil) != nil {
				return fault.New(fault.IllegalStep, string(n.ID), "node %s was abandoned with %s", n.ID, o.ID).
					With(fault.Action{Action: "run", Why: "the run goes on without it"})
			}
			return fault.New(fault.IllegalStep, string(o.ID), "node %s was abandoned with %s", n.ID, o.ID).
				With(fault.Action{Action: "reopen", Why: "node " + string(o.ID) + " comes first"})
		}
	}
	if n.Kind == Check && n.target == nil {
		return fault.New(fault.IllegalStep, string(n.ID), "check %s has no target", n.ID).
			With(fault.Action{Action: "run", Why: "the run goes on without it"})
	}
	if o := n.doneInstead(); o != nil {
		return fault.New(fault.IllegalStep, string(n.ID), "node %s was done instead of %s", o.ID, n.ID).
			With(fault.Action{Action: "run", Why: "the run goes on without it"})
	}
	return nil
}

// doneInstead gives the alternative or sibling whose being done excludes this node, if there is one.
func (n *node) doneInstead() *node {
	var others []*node
	if n.rivals != nil {
		others = n.rivals.nodes
	}
	if n.parent != nil && n.parent.Any && n.parent.doneKids > 0 && n.countsForParent() {
		others = append(slices.Clone(others), n.parent.children...)
	}
	for _, o := range others {
		if o != n && o.status == StatusDone && o.target != n && n.target != o {
			return o
		}
	}
	return nil
}

// reopenTree brings a node back with its checks and children.
func reopenTree(n *node, reason string) []Fact {
	var facts []Fact
	n.eachUnder(func(o *node) bool {
		if o.status != StatusAbandoned || o.doneInstead() != nil {
			return false
		}
		facts = append(facts, NodeReopened{Node: o.ID, Reason: under(n, o, "with", reason)})
		return true
	})
	return facts
}

func decideAbandon(r *Run, c Abandon) ([]Fact, error) {
	n, err := r.find(c.Node)
	if err != nil {
		return nil, err
	}
	if n.abandoned {
		return nil, refuse(fault.IllegalStep, n, "node %s is abandoned already", n.ID)
	}
	return abandonTree(n, c.Reason), nil
}

// abandonTree takes a node out with its checks and children.
func abandonTree(n *node, reason string) []Fact {
	var facts []Fact
	n.eachUnder(func(o *node) bool {
		if o.abandoned {
			return false
		}
		facts = append(facts, NodeAbandoned{Node: o.ID, Reason: under(n, o, "abandoned with", reason)})
		return true
	})
	return facts
}

// under gives the reason for the node itself, and for what goes with it that it does.
func under(n, o *node, with, reason string) string {
	if o == n {
		return reason
	}
	return with + " " + string(n.ID)
}

// eachUnder visits a node, its checks and its children, each once, and goes on below those for which visit says so.
func (n *node) eachUnder(visit func(*node) bool) {
	seen := map[*node]bool{}
	var walk func(*node)
	walk = func(o *node) {
		if seen[o] {
			return
		}
		seen[o] = true
		if !visit(o) {
			return
		}
		for _, c := range o.checks {
			walk(c)
		}
		for _, c := range o.children {
			walk(c)
		}
	}
	walk(n)
}
