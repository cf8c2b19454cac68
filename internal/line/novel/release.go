package novel

import (
	"slices"

	"sluice/internal/kernel"
	"sluice/internal/line"
	"sluice/internal/line/novel/story"
)

// isReleased tells whether a report that passed supersedes a pending revision: it is younger than the pending, and either
// the text is too, or the chapter waited for want of a review and for nothing else. A report that was there before releases
// nothing, and neither does another review of the text that failed, or of one that a person set to pending: nobody gets
// past the gate by looking at it, by asking until the answer fits, or by a policy that was changed since.
func isReleased(r *kernel.Run, body line.Body, chapter int, report, text *kernel.Version) (bool, error) {
	n, _ := r.Node(ChapterNode(chapter, StepRevision))
	opened, rev, err := pendingSince(r, n, body)
	if err != nil || report.Seq < opened.Seq {
		return false, err
	}
	if text.Seq > opened.Seq {
		return true, nil
	}
	logic, _ := r.Node(report.Node)
	isFirst := !slices.ContainsFunc(logic.Versions(), func(v *kernel.Version) bool {
		return v.Seq < report.Seq && slices.Contains(v.Parents, text.ID)
	})
	return isFirst && opened.By.Kind != kernel.File && rev.TriggeredBy == story.ByLogicReview && len(rev.Issues) == 0, nil
}

// pendingSince is the version with which the newest revision became pending, by the order of the journal: candidates and edits
// of it come later and begin nothing. One that cannot be read stands for itself.
func pendingSince(r *kernel.Run, n kernel.View, body line.Body) (*kernel.Version, story.RevisionStatus, error) {
	opened := n.Newest()
	if opened.Schema == SchemaUnreadable {
		return opened, story.RevisionStatus{}, nil
	}
	rev, err := decodeVersion[story.RevisionStatus](body, opened)
	if err != nil {
		return nil, rev, err
	}
	for _, v := range slices.Backward(n.Versions()) {
		if v.Seq >= opened.Seq || v.IsAway() {
			continue
		}
		if v.Schema == SchemaUnreadable || !goesOn(r, opened) {
			break
		}
		before, err := decodeVersion[story.RevisionStatus](body, v)
		if err != nil {
			return nil, rev, err
		}
		if before.Status != story.RevisionPending {
			break
		}
		opened = v
	}
	return opened, rev, nil
}

// Notes of revisions that say again what is pending, with something added.
const (
	noteCandidate = "candidate made"
	noteKept      = "its file was removed, which decides nothing"
)

// goesOn tells whether a version of a revision is about what was pending before it: a candidate that was made for it, its file
// put back, or a person's edit of that file. What a report found opens it anew, and so does a file where there was none.
func goesOn(r *kernel.Run, v *kernel.Version) bool {
	if v.By.Kind == kernel.File {
		return baseFile(r, v) == ""
	}
	a, ok := r.Attempt(v.Attempt)
	return ok && (slices.Contains(a.Notes, noteCandidate) || slices.Contains(a.Notes, noteKept))
}
