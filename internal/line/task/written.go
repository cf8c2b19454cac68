package task

import (
	"encoding/json"
	"path"
	"slices"
	"strconv"
	"strings"

	"sluice/internal/fault"
	"sluice/internal/kernel"
	"sluice/internal/line"
)

// Written is a review as a person gives it.
type Written struct {
	Approve     bool
	Reason      string
	Version     string // an artifact id or its beginning; empty is the newest
	Score       *float64
	Criteria    map[string]kernel.Criterion // by id; a bare approval passes every one
	Suggestions []string
}

// ParseWritten reads a review from a file, in the words of a reviewer's reply.
func ParseWritten(raw []byte) (Written, error) {
	var doc struct {
		checkReply
		Score    *float64 `json:"total_score"`
		Artifact string   `json:"reviewed_artifact_id"`
	}
	if err := json.Unmarshal(raw, &doc); err != nil {
		return Written{}, fault.Wrap(fault.BadValue, "review", err, "the review does not parse")
	}
	if doc.Verdict != VerdictApproved && doc.Verdict != VerdictRejected {
		return Written{}, fault.New(fault.BadValue, "verdict", "the review has verdict %q, not APPROVED or REJECTED", doc.Verdict)
	}
	w := Written{Approve: doc.Verdict == VerdictApproved, Reason: strings.Join(append([]string{doc.Summary}, doc.Reasons...), "; "), Version: doc.Artifact,
		Score: doc.Score, Suggestions: doc.Suggestions, Criteria: map[string]kernel.Criterion{}}
	w.Reason = strings.Trim(w.Reason, "; ")
	for _, r := range doc.AcceptanceResults {
		w.Criteria[r.CriterionID] = kernel.Criterion{ID: r.CriterionID, Pass: r.Pass, Evidence: r.Evidence}
	}
	return w, nil
}

// Judge is the command that a person's review is.
func Judge(r *kernel.Run, t Node, w Written) (kernel.Judge, error) {
	if t.NodeType != Action {
		e := fault.New(fault.BadValue, t.TaskID, "%s is a %s; versions of ACTIONs are reviewed", t.TaskID, t.NodeType)
		if t.NodeType == Check && t.ReviewTargetTaskID != "" {
			return kernel.Judge{}, e.With(fault.Action{Action: "show", Command: "sluice task show " + string(r.ID()) + " " + t.ReviewTargetTaskID, Why: "it is what this CHECK judges"})
		}
		return kernel.Judge{}, e.With(fault.Action{Action: "status", Command: "sluice task status " + string(r.ID()), Why: "it lists the tasks"})
	}
	n, ok := r.Node(kernel.NodeID(t.TaskID))
	if !ok || n.Newest() == nil {
		return kernel.Judge{}, fault.New(fault.MissingPrerequisite, t.TaskID, "%s %q has no version to review", t.NodeType, t.Title).
			With(onward(r, ok))
	}
	version, err := w.meant(r, n, t)
	if err != nil {
		return kernel.Judge{}, err
	}
	s, err := SettingsOf(r)
	if err != nil {
		return kernel.Judge{}, err
	}
	if w.Approve && w.Score != nil && *w.Score < s.ReviewPassScore {
		return kernel.Judge{}, fault.New(fault.BadValue, t.TaskID, "the score is %s, and %s is needed to approve", days(*w.Score), days(s.ReviewPassScore)).
			With(fault.Action{Action: "reject", Command: "sluice task review " + string(r.ID()) + " " + t.TaskID + " --reject --reason TEXT"})
	}
	review := kernel.Review{ID: kernel.ReviewID(deriveID("review", string(r.ID()), string(version.ID), strconv.Itoa(len(version.Reviews())))),
		Check: kernel.NodeID(checkIn(r, n.ID())), Summary: w.Reason, Score: w.Score}
	j := kernel.Judge{Node: n.ID(), Version: version.ID, Verdict: kernel.ForIt}
	if !w.Approve {
		j.Verdict = kernel.AgainstIt
	}
	return j, w.fill(&j, review, t)
}

// meant finds the version that a review names, or the newest.
func (w Written) meant(r *kernel.Run, n kernel.View, t Node) (*kernel.Version, error) {
	if w.Version == "" {
		return n.Newest(), nil
	}
	var found []*kernel.Version
	for _, v := range n.Versions() {
		if strings.HasPrefix(string(v.ID), w.Version) {
			found = append(found, v)
		}
	}
	if len(found) == 1 {
		return found[0], nil
	}
	show := fault.Action{Action: "show", Command: "sluice task show " + string(r.ID()) + " " + t.TaskID, Why: "it lists them"}
	if len(found) > 1 {
		return nil, fault.New(fault.BadValue, w.Version, "%d artifacts of task %s begin with %q", len(found), t.TaskID, w.Version).With(show)
	}
	return nil, fault.New(fault.UnknownVersion, w.Version, "task %s has no artifact %q", t.TaskID, w.Version).With(show)
}

func (w Written) fill(j *kernel.Judge, review kernel.Review, t Node) error {
	if review.Score == nil && w.Approve {
		full := 100.0
		review.Score = &full
	}
	for _, k := range t.AcceptanceCriteria {
		got, ok := w.Criteria[k.ID]
		switch {
		case !ok && !w.Approve:
			continue // a rejection need not judge every criterion
		case !ok:
			got = kernel.Criterion{Pass: true, Evidence: orText(w.Reason, "approved by a person")}
		}
		got.ID = k.ID
		if got.Pass && w.Approve && strings.TrimSpace(got.Evidence) == "" {
			got.Evidence = orText(w.Reason, "approved by a person")
		}
		if !got.Pass && w.Approve && k.Severity != Minor {
			return fault.New(fault.BadValue, k.ID, "criterion %s is a %s and fails; what fails it is not approved", k.ID, k.Severity)
		}
		if !got.Pass {
			review.Findings = append(review.Findings, kernel.Finding{Code: "criterion_failed", Severity: k.Severity, Path: k.ID,
				Message: strings.TrimSuffix(k.Statement+": "+got.Evidence, ": "), Fix: strings.Join(w.Suggestions, "; ")})
		}
		review.Criteria = append(review.Criteria, got)
	}
	for id := range w.Criteria {
		if !slices.ContainsFunc(t.AcceptanceCriteria, func(k Criterion) bool { return k.ID == id }) {
			return fault.New(fault.BadValue, id, "task %s has no criterion %q", t.TaskID, id)
		}
	}
	if !w.Approve {
		review.Findings = append(review.Findings, kernel.Finding{Code: "reason", Severity: Major, Message: w.Reason, Fix: strings.Join(w.Suggestions, "; ")})
	}
	j.Review = review
	return nil
}

// Accepted is what a person says of the criteria who accepts a version from the inbox: the same as with a bare approval.
func Accepted(r *kernel.Run, ask *kernel.Ask, choice, reason string) ([]kernel.Criterion, *float64) {
	n, ok := r.Node(ask.Node)
	if !ok || !slices.ContainsFunc(ask.Options, func(o kernel.Option) bool { return o.Value == choice && o.Effect == kernel.Approve }) {
		return nil, nil
	}
	if n.Node().Kind == kernel.Check { // who answers for a CHECK judges its ACTION
		if n, ok = r.Node(n.Node().Target); !ok {
			return nil, nil
		}
	}
	t, err := TaskOf(n.Node())
	if err != nil || t.NodeType != Action {
		return nil, nil
	}
	var j kernel.Judge
	if err := (Written{Approve: true, Reason: strings.TrimSpace(reason)}).fill(&j, kernel.Review{}, t); err != nil {
		return nil, nil
	}
	return j.Review.Criteria, j.Review.Score
}

// Submission makes a version of files that a person hands over, under the names that the task gives them.
func Submission(run kernel.RunID, n kernel.View, t Node, files []line.Part) (line.Out, error) {
	names := fileNames(t)
	patterns := []string{t.DeliverableSpec.Filename}
	if !t.DeliverableSpec.IsSingle() {
		patterns = t.DeliverableSpec.Files
	} else if len(files) != 1 {
		return line.Out{}, fault.New(fault.BadValue, t.TaskID, "the deliverable of %q is one file, and %d were given", t.Title, len(files))
	}
	var parts []line.Part
	taken := map[string]bool{}
	for _, f := range files {
		base := path.Base(f.Path)
		place := ""
		for i, p := range patterns {
			if matchesPath(path.Base(p), base) {
				place = path.Join(t.DeliverableSpec.OutputDir, path.Dir(p), base)
			} else if t.DeliverableSpec.IsSingle() {
				place = names[i]
			}
		}
		if place == "" {
			return line.Out{}, fault.New(fault.BadValue, base, "%s fits none of the files of %q: %s", base, t.Title, strings.Join(patterns, ", "))
		}
		if why := pathFlaw(place, false); why != "" {
			return line.Out{}, fault.New(fault.BadPath, place, "the file name %q %s", place, why)
		}
		if taken[strings.ToLower(place)] {
			return line.Out{}, fault.New(fault.BadValue, place, "two files were given for %s", place)
		}
		taken[strings.ToLower(place)] = true
		parts = append(parts, line.Part{Path: place, Body: f.Body})
	}
	// An attempt that a process begins meanwhile has the same number, and names its version after it: the two must differ.
	attempt := kernel.AttemptID(string(n.ID()) + "#" + strconv.Itoa(n.Attempts()+1) + "/person")
	return ProductOf(ArtifactID(run, attempt), parts)
}
