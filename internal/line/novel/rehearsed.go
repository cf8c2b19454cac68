package novel

import (
	"slices"

	"sluice/internal/kernel"
)

// Rehearsed tells whether the text of a chapter that stands came from rehearsal, at least in part. Whether the replies of an
// attempt did is the caller's to say. A person's text is as the one before it: who edits a rehearsed chapter has not made it
// real, and who writes one where there was none has.
func Rehearsed(r *kernel.Run, chapter int, wasRehearsed func(kernel.AttemptID) bool) bool {
	n, ok := r.Node(ChapterNode(chapter, StepText))
	if !ok || n.Approved() == nil {
		return false
	}
	for _, v := range slices.Backward(n.Versions()) {
		if v.N > n.Approved().N || v.IsAway() || v.IsOffer() {
			continue
		}
		made := false
		for _, p := range v.Parents {
			from, ok := r.Version(p)
			if !ok || from.Schema != SchemaScene && from.Schema != SchemaCandidate {
				continue
			}
			if wasRehearsed(from.Attempt) {
				return true
			}
			made = true
		}
		if made {
			return false
		}
	}
	return false
}
