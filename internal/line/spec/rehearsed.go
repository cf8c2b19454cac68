package spec

import (
	"slices"

	"sluice/internal/kernel"
)

// Rehearsed lists the versions of a feature that text from rehearsal stands in, oldest first: those that a rehearsed reply went
// into, and those that were made from them, since what stands is kept word for word. Whether the reply of an attempt was
// rehearsed is the caller's to say.
func Rehearsed(r *kernel.Run, wasRehearsed func(kernel.AttemptID) bool) []string {
	var names []string
	marked := map[kernel.VersionID]bool{}
	for _, v := range inOrder(r) {
		if wasRehearsed(v.Attempt) || slices.ContainsFunc(v.Parents, func(p kernel.VersionID) bool { return marked[p] }) {
			marked[v.ID] = true
			names = append(names, string(v.ID))
		}
	}
	return names
}
