package task

import "sluice/internal/kernel"

// isRehearsed tells whether rehearsal made a version in a run that has replies of a real model. What a person handed over
// is the person's.
func (v View) isRehearsed(made *kernel.Version) bool { return made != nil && v.Rehearsed[made.Attempt] }

// isReviewRehearsed tells whether rehearsal gave a verdict in a run that has replies of a real model.
func (v View) isReviewRehearsed(r kernel.Review) bool {
	report, ok := v.Run.Version(r.Report)
	return ok && v.isRehearsed(report)
}

// isPlanRehearsed tells whether rehearsal drafted or estimated the plan itself, in a run that has replies of a real model.
func (v View) isPlanRehearsed() bool {
	if len(v.Rehearsed) == 0 {
		return false
	}
	seen := map[kernel.VersionID]bool{}
	var walk func(made *kernel.Version) bool
	walk = func(made *kernel.Version) bool {
		if made == nil || seen[made.ID] {
			return false
		}
		seen[made.ID] = true
		if v.isRehearsed(made) {
			return true
		}
		for _, id := range made.Parents {
			if from, _ := v.Run.Version(id); walk(from) {
				return true
			}
		}
		return false
	}
	return walk(v.Run.Approved(PlanNode))
}
