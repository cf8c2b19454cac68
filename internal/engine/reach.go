package engine

import "sluice/internal/kernel"

// reached lists the nodes whose standing may differ by the events, once each. It follows how the law carries a change
// on: to the checks of a node; and when the node begins or ceases to be settled, to the groups around it and to what
// needs it. Most events do neither, so that a node that a thousand others need is no burden to every step of it.
func reached(r *kernel.Run, events []kernel.Event) []kernel.NodeID {
	s := reach{run: r, seen: map[kernel.NodeID]bool{}, spread: map[around]bool{}}
	for _, e := range events {
		ids, unsettles := about(r, e.Fact)
		for _, id := range ids {
			s.from(id, unsettles)
		}
	}
	return s.nodes
}

// about gives the nodes that a fact names, and tells whether others may stand otherwise by it although they are not
// settled now: they were before, or another version of them is approved.
func about(r *kernel.Run, f kernel.Fact) (ids []kernel.NodeID, unsettles bool) {
	switch f := f.(type) {
	case kernel.NodesAdded:
		for _, n := range f.Nodes {
			ids = append(ids, n.ID)
		}
		return ids, true
	case kernel.RedoRequested:
		return f.Nodes, true
	case kernel.RolledBack:
		return f.Nodes, true
	case kernel.RollbackUndone:
		for n := range r.Nodes() {
			ids = append(ids, n.ID())
		}
		return ids, true
	case kernel.ReviewRecorded:
		return []kernel.NodeID{f.Review.Node, f.Review.Check}, false
	case kernel.VersionStored: // the engine delivers what it has under way, which is not settled
		return []kernel.NodeID{f.Version.Node}, f.Version.By.Kind != kernel.Engine
	}
	id, unsettles := aboutOne(f)
	return []kernel.NodeID{id}, unsettles
}

// aboutOne is about for facts that name one node, or none.
func aboutOne(f kernel.Fact) (id kernel.NodeID, unsettles bool) {
	switch f := f.(type) {
	case kernel.NodeAbandoned:
		return f.Node, true
	case kernel.NodeReopened:
		return f.Node, true
	case kernel.NodeHeld:
		return f.Node, true
	case kernel.OfferTaken:
		return f.Node, true
	case kernel.VersionRejected:
		return f.Node, true
	case kernel.VersionApproved: // of an older version too: what was made from the one before is stale
		return f.Node, true
	case kernel.AttemptBegan:
		return f.Node, false
	case kernel.AttemptClosed:
		return f.Node, false
	case kernel.AskOpened:
		return f.Ask.Node, false
	case kernel.AskClosed:
		return f.Node, false
	}
	return "", false // of the run as a whole
}

// reach collects nodes.
type reach struct {
	run    *kernel.Run
	nodes  []kernel.NodeID
	seen   map[kernel.NodeID]bool
	spread map[around]bool // from where it was gone on already
}

// around is a node from which a change is carried on, and whether it may have ceased to be settled.
type around struct {
	node      kernel.NodeID
	unsettled bool
}

// from takes in a node that a fact names, its checks and its target, and goes on from it if it matters to others.
func (s *reach) from(id kernel.NodeID, unsettles bool) {
	n, ok := s.add(id)
	if !ok {
		return
	}
	s.goOn(n, unsettles)
	for _, c := range n.Checks() {
		if check, ok := s.add(c); ok {
			s.goOn(check, true) // a new version unsettles it
		}
	}
	if n.Node().Target != "" {
		s.add(n.Node().Target)
	}
}

// goOn takes in the groups that a node is in, and what needs it or them, as far as a change of it is carried on.
func (s *reach) goOn(n kernel.View, unsettles bool) {
	for next := []around{{n.ID(), unsettles}}; len(next) > 0; next = next[1:] {
		at := next[0]
		n, _ := s.run.Node(at.node)
		if s.spread[at] || !at.unsettled && !isSettled(n.Status()) {
			continue
		}
		s.spread[at] = true
		if group, ok := s.group(n); ok {
			next = append(next, around{group.ID(), at.unsettled})
		}
		for _, d := range n.Dependants() {
			// Whether it can begin hangs on n; whether it is settled does not, unless it is made anew by itself.
			if to, ok := s.add(d); ok && to.Node().Refresh {
				next = append(next, around{d, true})
			}
		}
	}
}

// group gives the group whose standing hangs on a node. That of a check beside its target does not.
func (s *reach) group(n kernel.View) (kernel.View, bool) {
	if target, ok := s.run.Node(n.Node().Target); ok && target.Node().Parent == n.Node().Parent {
		return kernel.View{}, false
	}
	return s.add(n.Node().Parent)
}

// add takes a node in and tells whether there is one.
func (s *reach) add(id kernel.NodeID) (kernel.View, bool) {
	n, ok := s.run.Node(id)
	if ok && !s.seen[id] {
		s.seen[id] = true
		s.nodes = append(s.nodes, id)
	}
	return n, ok
}

// isSettled tells whether something that needs a node of this status may go on.
func isSettled(s kernel.Status) bool {
	return s == kernel.StatusDone || s == kernel.StatusFailed || s == kernel.StatusAbandoned
}
