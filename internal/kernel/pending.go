package kernel

import "iter"

// Duty is something that must be done now, by someone who can: the kernel never does it itself.
type Duty interface{ duty() }

// PerformStep is a make to be performed: the open attempt, or one to begin if Attempt is empty.
type PerformStep struct {
	Node    NodeID
	Attempt AttemptID
}

// RunCheck is a check to be performed, likewise.
type RunCheck struct {
	Node    NodeID
	Attempt AttemptID
}

// UnfoldNodes is an approved version whose followers the line has not been asked for.
type UnfoldNodes struct {
	Node    NodeID
	Version VersionID
}

func (PerformStep) duty() {}
func (RunCheck) duty()    {}
func (UnfoldNodes) duty() {}

// Pending lists what must be done now, best first: nodes to unfold, attempts of the engine that are open (a crash left
// them, or they are being performed), then nodes that can begin. It costs what is read of it.
func Pending(r *Run) iter.Seq[Duty] {
	return func(yield func(Duty) bool) {
		if r.closing != "" {
			return
		}
		for n := range r.unfolding.all() {
			if !yield(UnfoldNodes{Node: n.ID, Version: n.approved.ID}) {
				return
			}
		}
		for n := range r.working.all() {
			if !yield(n.dutyFor(n.open.ID)) {
				return
			}
		}
		for n := range r.ready.inOrder(r.order) {
			if !yield(n.dutyFor("")) {
				return
			}
		}
	}
}

func (n *node) dutyFor(a AttemptID) Duty {
	if n.Kind == Check {
		return RunCheck{Node: n.ID, Attempt: a}
	}
	return PerformStep{Node: n.ID, Attempt: a}
}

func (r *Run) hasDuties() bool {
	return r.unfolding.len() > 0 || r.working.len() > 0 || r.ready.len() > 0
}
