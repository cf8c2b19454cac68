package novel

import (
	"slices"

	"sluice/internal/kernel"
	"sluice/internal/line"
)

// spoilt is how many takes right before this attempt's were lost to replies that could not be used, and to nothing else. For a
// step of many calls the good replies of those takes count still; what was thrown away on purpose is before them.
func spoilt(in line.In) int {
	take := in.Attempt.Take
	for _, a := range slices.Backward(in.Run.AttemptsAt(in.Node.ID)) {
		switch {
		case a.N >= in.Attempt.N:
		case a.Outcome == kernel.Unusable && a.Take == take-1:
			take--
		case a.Take == take && (a.Outcome == kernel.Failed || a.Outcome == kernel.Withdrawn):
		default:
			return in.Attempt.Take - take
		}
	}
	return in.Attempt.Take - take
}
