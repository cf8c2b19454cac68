package app

import (
	"sluice/internal/fault"
	"sluice/internal/kernel"
	"sluice/internal/line/spec"
)

// onward is what a line knows to do with a run in which there is nothing left to do.
func onward(r *kernel.Run) []fault.Action {
	if r.Line() != spec.Name {
		return nil
	}
	return spec.NextActions(r)
}
