package app

import (
	"fmt"

	"sluice/internal/engine"
	"sluice/internal/fault"
	"sluice/internal/kernel"
	"sluice/internal/line/novel"
	"sluice/internal/line/spec"
)

// onward is what a line knows to do with a run in which there is nothing left to do.
func onward(r *kernel.Run) []fault.Action {
	if r.Line() != spec.Name {
		return nil
	}
	return spec.NextActions(r)
}

// refresh is what brings a finished run up to date in which something is older than what it was made from: the first of it,
// since what follows may then be stale in its turn. A book weighs the ways itself; a spec has passes instead.
func (a *App) refresh(r *kernel.Run) []fault.Action {
	var first kernel.NodeID
	n := 0
	for v := range r.Nodes() {
		if v.IsStale() && v.Status() == kernel.StatusDone {
			if n++; first == "" {
				first = v.ID()
			}
		}
	}
	if n == 0 || r.Line() == spec.Name {
		return nil
	}
	why := "it is stale: what it was made from was replaced"
	if n > 1 {
		why = fmt.Sprintf("it is the first of %d that are stale: what they were made from was replaced", n)
	}
	if r.Line() == novel.Name {
		return []fault.Action{{Action: "stale", Command: "sluice novel stale " + novel.ProjectOf(r), Why: "it lists what is stale, and what bringing it up to date costs"}}
	}
	return []fault.Action{{Action: "revise", Command: engine.Command(a.lineOf(r), r, first, "revise"), Why: why}}
}
