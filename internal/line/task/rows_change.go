package task

import (
	"strings"

	"sluice/internal/kernel"
	"sluice/internal/line"
)

// work is what happened to a task that its rows tell of.
type work struct {
	versions   []kernel.VersionID
	reviews    []kernel.ReviewID
	everything bool // its rows may all differ
}

// worked gives the tasks whose artifacts or reviews changed, with what is new of them.
func worked(c line.Changed) map[kernel.NodeID]work {
	all := map[kernel.NodeID]work{}
	if c.Whole {
		for _, id := range c.Nodes {
			all[id] = work{everything: true}
		}
	}
	for _, e := range c.Events {
		switch f := e.Fact.(type) {
		case kernel.VersionStored:
			at := all[f.Version.Node]
			at.versions = append(at.versions, f.Version.ID)
			all[f.Version.Node] = at
		case kernel.ReviewRecorded:
			at := all[f.Review.Node]
			at.reviews = append(at.reviews, f.Review.ID)
			all[f.Review.Node] = at
		case kernel.NodeAbandoned: // whose a person's review is hangs on which CHECK there is
			again(c.Run, f.Node, all)
		case kernel.NodeReopened:
			again(c.Run, f.Node, all)
		}
	}
	return all
}

func again(r *kernel.Run, id kernel.NodeID, all map[kernel.NodeID]work) {
	if n, ok := r.Node(id); ok && n.Node().Kind == kernel.Check {
		all[n.Node().Target] = work{everything: true}
	}
}

// movesDocument tells whether the document of the plan may be another one now.
func movesDocument(events []kernel.Event) bool {
	for _, e := range events {
		id := kernel.NodeID("")
		switch f := e.Fact.(type) {
		case kernel.RunOpened, kernel.RolledBack, kernel.RollbackUndone:
			return true
		case kernel.VersionStored:
			id = f.Version.Node
		case kernel.VersionApproved:
			id = f.Node
		case kernel.OfferTaken:
			id = f.Node
		}
		if id == PlanNode || strings.HasPrefix(string(id), "draft/") || strings.HasPrefix(string(id), "feasibility/") {
			return true
		}
	}
	return false
}

// isTask tells whether a node of the run is a task of the plan.
func isTask(n kernel.Node) bool {
	return n.Kind == kernel.Group || n.Step == StepAction || n.Step == StepCheck
}

// hasTasks tells whether the tasks of the plan are nodes of the run. They come after those of planning, so that it looks
// at few.
func hasTasks(r *kernel.Run) bool {
	for n := range r.Nodes() {
		if !IsPlanning(n.Node()) && !IsInput(n.ID()) {
			return true
		}
	}
	return false
}

// isGone tells whether the GOAL that all others are part of was abandoned. The law calls such a run done: there is nothing
// left to do in it.
func isGone(r *kernel.Run) bool {
	if r.Status() != kernel.RunDone {
		return false
	}
	gone := false
	for n := range r.Nodes() {
		if n.Node().Kind != kernel.Group || n.Node().Parent != "" {
			continue
		}
		if gone = n.Status() == kernel.StatusAbandoned; !gone {
			return false
		}
	}
	return gone
}

// isBegun tells whether any task was ever begun. While a plan is driven nearly every batch begins or ends an attempt, so
// that the tasks themselves are looked through only for what people do in between.
func isBegun(c line.Changed) bool {
	begun := func(id kernel.NodeID) bool {
		n, ok := c.Run.Node(id)
		return ok && n.Attempts() > 0 && isTask(n.Node())
	}
	for _, e := range c.Events {
		switch f := e.Fact.(type) {
		case kernel.AttemptBegan:
			if begun(f.Node) {
				return true
			}
		case kernel.AttemptClosed:
			if begun(f.Node) {
				return true
			}
		}
	}
	for n := range c.Run.Nodes() {
		if n.Attempts() > 0 && isTask(n.Node()) {
			return true
		}
	}
	return false
}
