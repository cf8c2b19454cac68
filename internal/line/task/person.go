package task

import (
	"slices"

	"sluice/internal/digest"
	"sluice/internal/fault"
	"sluice/internal/journal"
	"sluice/internal/kernel"
	"sluice/internal/line"
)

// personReviews gives the files of the reviews that people wrote on a task, in the place of its CHECK: they are records and
// have no version of their own.
func personReviews(r *kernel.Run, n kernel.View) []line.File {
	var out []line.File
	var task *Node
	for _, made := range n.Versions() {
		for _, review := range made.Reviews() {
			if !review.By.IsHuman() {
				continue
			}
			if task == nil {
				t, err := TaskOf(n.Node())
				if err != nil {
					return nil
				}
				task = &t
			}
			if check := orText(string(review.Check), checkIn(r, n.ID())); check != "" {
				out = append(out, line.File{Path: ReviewPath(check, reviewUUID(review.ID), review.Verdict),
					Body: personReview(*review, check, *task), Role: journal.Kept})
			}
		}
	}
	return out
}

func personReview(review kernel.Review, check string, t Node) []byte {
	review.Check = kernel.NodeID(check)
	return []byte(ReviewText(review, t.AcceptanceCriteria))
}

// reviewSum is the sha256 of a review's file, in bare hex.
func reviewSum(r *kernel.Run, target kernel.View, review kernel.Review) string {
	if v, ok := r.Version(review.Report); ok {
		return v.Digest.Hex()
	}
	t, err := TaskOf(target.Node())
	if err != nil || !review.By.IsHuman() {
		return ""
	}
	return digest.Of(personReview(review, orText(string(review.Check), checkIn(r, target.ID())), t)).Hex()
}

// reviewArtifacts gives the files that a CHECK handed over, in the order in which they came.
func reviewArtifacts(check string, reviews []ReviewRow) []ArtifactRow {
	out := []ArtifactRow{}
	reviews = slices.Clone(reviews)
	slices.SortStableFunc(reviews, func(a, b ReviewRow) int { return a.CreatedAt.Compare(b.CreatedAt) })
	for _, r := range reviews {
		if r.sum == "" || r.CheckTaskID != check {
			continue
		}
		out = append(out, ArtifactRow{ArtifactID: r.file, TaskID: check, Version: len(out) + 1, Path: r.Path, Format: "md", SHA256: r.sum, CreatedAt: r.CreatedAt,
			By: r.Reviewer, Standing: r.Verdict, Files: []FileRow{{r.Path, r.sum}}, Rehearsal: r.Rehearsal})
	}
	return out
}

// lastPersonReview names the file that a CHECK has active where a person has spoken in its place since it did.
func lastPersonReview(r *kernel.Run, check kernel.View) string {
	target, ok := r.Node(check.Node().Target)
	if !ok || check.Node().Kind != kernel.Check {
		return ""
	}
	var last *kernel.Review
	for _, v := range target.Versions() {
		for _, review := range v.Reviews() {
			by := orText(string(review.Check), checkIn(r, target.ID()))
			if by == string(check.ID()) && (review.Report != "" || review.By.IsHuman()) && (last == nil || !review.At.Before(last.At)) {
				last = review
			}
		}
	}
	if last == nil || last.Report != "" {
		return ""
	}
	return reviewUUID(last.ID)
}

// IsJudged tells whether a CHECK has spoken on the newest version of its ACTION: a version is reviewed once per reviewer.
func (v View) IsJudged(t Node) bool {
	n, ok := v.Run.Node(kernel.NodeID(t.TaskID))
	if !ok || n.Node().Kind != kernel.Check || n.Status() == kernel.StatusAbandoned {
		return false
	}
	target, ok := v.Run.Node(n.Node().Target)
	if !ok || target.Newest() == nil {
		return false
	}
	return slices.ContainsFunc(target.Newest().Reviews(), func(r *kernel.Review) bool { return r.Check == n.ID() && r.Report != "" })
}

// RefuseAgain is the refusal to have a version judged again by who judged it.
func (v View) RefuseAgain(t Node) error {
	return fault.New(fault.AlreadyReviewed, t.TaskID, "CHECK %q has judged the newest version; what it said stands", oneLine(t.Title)).
		With(fault.Action{Action: "redo", Command: "sluice task redo " + string(v.Run.ID()) + " " + t.ReviewTargetTaskID, Why: "a new version is judged anew"})
}
