package scene

import (
	"slices"

	"sluice/internal/kernel"
)

// Rehearsed lists the steps of which what stands came from rehearsal. Whether the replies of an attempt did is the caller's to say.
// A person's edit is as what it was made of: who edits what was rehearsed has not made it real.
func Rehearsed(r *kernel.Run, wasRehearsed func(kernel.AttemptID) bool) []int {
	var out []int
	for n := range r.Nodes() {
		for _, v := range slices.Backward(n.Versions()) {
			if v.IsAway() || v.By.IsHuman() || v.By.Kind == kernel.File {
				continue
			}
			if wasRehearsed(v.Attempt) {
				out = append(out, numberOf(n.ID()))
			}
			break
		}
	}
	return out
}
