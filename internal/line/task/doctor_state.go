package task

import "slices"

// Codes of findings on what became of a plan.
const (
	BadStatus             = "bad_status"
	DoneWithoutApproved   = "done_without_approved_version"
	ApprovedWithoutReview = "approved_without_review"
	CheckWithoutReview    = "check_done_without_review"
	DuplicateReview       = "duplicate_review"
	FileMissing           = "file_missing"
	FileChanged           = "file_hash_wrong"
	ReviewFileMissing     = "review_file_missing"
)

// IsOfFile tells whether a finding is about a file of the workspace, which is written again from what is recorded.
func (f Finding) IsOfFile() bool {
	return f.Code == FileMissing || f.Code == FileChanged || f.Code == ReviewFileMissing
}

// Sum gives the sha256 of a file of the workspace, in bare hex; false if it is not there.
type Sum func(path string) (string, bool)

// DoctorState holds what became of a plan against the hard rules: what is done was approved, what was approved was
// reviewed as exactly that, and the files are what the records say.
func DoctorState(tasks []TaskDoc, sum Sum) []Finding {
	x := &examination{}
	for _, t := range tasks {
		x.standing(t)
		x.reviewed(t)
		if t.NodeType == Check {
			continue // its files are those of reviews
		}
		for _, a := range t.Artifacts {
			for _, f := range a.Files {
				got, ok := sum(f.Path)
				switch {
				case !ok:
					x.find(FileMissing, t.TaskID, f.Path, "sluice doctor --repair writes it again", "a file of artifact %s is not there", a.ArtifactID)
				case got != f.SHA256:
					x.find(FileChanged, t.TaskID, f.Path, "sluice doctor --repair writes it again", "a file of artifact %s is not what was recorded", a.ArtifactID)
				}
			}
		}
	}
	return x.all()
}

func (x *examination) standing(t TaskDoc) {
	if !t.Status.fits(t.NodeType) {
		x.find(BadStatus, t.TaskID, "status", "this is a fault of the program; report it", "a %s is %s", t.NodeType, t.Status)
	}
	switch {
	case t.NodeType == Action && t.Status == Done && t.ApprovedArtifactID == "":
		x.find(DoneWithoutApproved, t.TaskID, "approved_artifact_id", "have it made and reviewed again: sluice task redo", "ACTION %q is DONE and has no approved version", t.Title)
	case t.NodeType == Check && t.Status == Done && len(t.Reviews) == 0:
		x.find(CheckWithoutReview, t.TaskID, "", "have it judged again: sluice task redo", "CHECK %q is DONE and has written no review", t.Title)
	}
}

func (x *examination) reviewed(t TaskDoc) {
	if t.NodeType != Action {
		return
	}
	if id := t.ApprovedArtifactID; id != "" && !slices.ContainsFunc(t.Reviews, func(r ReviewRow) bool { return r.ReviewedArtifactID == id && r.Verdict == VerdictApproved }) {
		x.find(ApprovedWithoutReview, t.TaskID, "approved_artifact_id", "have it reviewed: sluice task review", "version %s is approved without an APPROVED review of exactly it", id)
	}
	seen := map[string]bool{}
	for _, r := range t.Reviews {
		key := r.IdempotencyKey + " " + r.Verdict
		if seen[key] {
			x.find(DuplicateReview, t.TaskID, r.Path, "this is a fault of the program; report it", "version %s was reviewed twice by %s", r.ReviewedArtifactID, r.Reviewer)
		}
		seen[key] = true
	}
}

// DoctorReviews looks at the files of reviews.
func DoctorReviews(tasks []TaskDoc, sum Sum) []Finding {
	x := &examination{}
	const hint = "sluice doctor --repair writes it again"
	for _, t := range tasks {
		if t.NodeType != Action {
			continue
		}
		for _, r := range t.Reviews {
			if r.sum == "" {
				continue
			}
			switch got, ok := sum(r.Path); {
			case !ok:
				x.find(ReviewFileMissing, t.TaskID, r.Path, hint, "the file of review %s is not there", r.ReviewID)
			case got != r.sum:
				x.find(FileChanged, t.TaskID, r.Path, hint, "the file of review %s is not what was recorded", r.ReviewID)
			}
		}
	}
	return x.all()
}
