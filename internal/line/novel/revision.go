package novel

import (
	"fmt"
	"strings"
	"time"

	"sluice/internal/digest"
	"sluice/internal/fault"
	"sluice/internal/kernel"
	"sluice/internal/line"
	"sluice/internal/line/novel/story"
)

// Deed is a command with the bytes of the content it names.
type Deed struct {
	Command kernel.Command
	Bodies  [][]byte
}

// submit stores content of a node outside any attempt.
func submit(s kernel.Stamp, id kernel.NodeID, schemaName string, body []byte, note string, sources ...kernel.VersionID) Deed {
	return Deed{Command: kernel.Submit{Stamp: s, Node: id, Note: note, Sources: sources,
		Content: kernel.Content{Digest: digest.Of(body), Size: int64(len(body)), Schema: schemaName}}, Bodies: [][]byte{body}}
}

// SubmitSettings stores settings as a person gave them.
func SubmitSettings(s kernel.Stamp, v story.Settings) (Deed, error) {
	body, err := story.Encode(v)
	return submit(s, SettingsNode, SchemaSettings, body, ""), err
}

// submitRevision stores a RevisionStatus with what its rule finds.
func submitRevision(s kernel.Stamp, rev story.RevisionStatus, note string, sources ...kernel.VersionID) (Deed, error) {
	body, err := story.Encode(rev)
	if err != nil {
		return Deed{}, err
	}
	n := revisionNode(rev.ChapterNumber)
	d := submit(s, n.ID, SchemaRevision, body, note, sources...)
	found, err := rule(n, body)
	c := d.Command.(kernel.Submit)
	c.Rule = &found
	d.Command = c
	return d, err
}

// IsKept tells whether a document stays when its file is removed: a revision, since that decides nothing, and a text that its
// scenes do not give back, since a revision was applied to it or a person wrote it.
func IsKept(n kernel.View) bool {
	newest := n.Newest()
	return newest != nil && (n.Node().Step == StepRevision || n.Node().Step == StepText && newest.By.Kind != kernel.Engine)
}

// Keep stores again what a document says that stays when its file is removed.
func Keep(n kernel.View, body line.Body, s kernel.Stamp) (Deed, error) {
	s.By = kernel.Actor{Kind: kernel.Rule, Name: Name}
	raw, err := body(n.Newest())
	if err != nil {
		return Deed{}, err
	}
	d := submit(s, n.ID(), n.Newest().Schema, raw, noteKept)
	if n.Node().Gate.Rule == "" {
		return d, nil
	}
	found, err := rule(n.Node(), raw)
	c := d.Command.(kernel.Submit)
	c.Rule = &found
	d.Command = c
	return d, err
}

// holdDeeds make a revision pending.
func holdDeeds(r *kernel.Run, s kernel.Stamp, rev story.RevisionStatus, sources []kernel.VersionID) ([]Deed, error) {
	d, err := submitRevision(s, rev, "", sources...)
	if err != nil {
		return nil, err
	}
	return append(wanted(r, s, revisionNode(rev.ChapterNumber)), d), nil
}

// wanted records a node that is not there or was given up.
func wanted(r *kernel.Run, s kernel.Stamp, spec kernel.Node) []Deed {
	if n, ok := r.Node(spec.ID); ok && n.Status() != kernel.StatusAbandoned {
		return nil
	}
	return []Deed{{Command: kernel.Unfold{Stamp: s, Nodes: []kernel.Node{spec}}}}
}

// wishCandidate finds the node that revises the text that stands by these notes. Deeds, if any, are needed before it can
// be performed.
func wishCandidate(r *kernel.Run, chapter int, by story.Trigger, notes string, s kernel.Stamp) (kernel.Node, []Deed) {
	last, ok := lastCandidate(r, chapter)
	if !ok {
		spec := candidateNode(chapter, 1, by, notes)
		return spec, []Deed{{Command: kernel.Unfold{Stamp: s, Nodes: []kernel.Node{spec}}}}
	}
	if p, err := paramsOf(last.Node()); err != nil || p.Notes != notes || p.TriggeredBy != by || last.Status() == kernel.StatusAbandoned {
		spec := candidateNode(chapter, candidates(r, chapter)+1, by, notes)
		return spec, []Deed{{Command: kernel.Unfold{Stamp: s, Nodes: []kernel.Node{spec}}}}
	}
	if last.Status() == kernel.StatusDone && last.IsStale() {
		return last.Node(), []Deed{{Command: kernel.Revise{Stamp: s, Nodes: []kernel.NodeID{last.ID()}}}}
	}
	return last.Node(), nil
}

func candidates(r *kernel.Run, chapter int) int {
	for k := 1; ; k++ {
		if _, ok := r.Node(CandidateNode(chapter, k)); !ok {
			return k - 1
		}
	}
}

// logicNotes is what a logic review wants mended; of one that failed, why.
func logicNotes(report *story.LogicReviewReport, failed *kernel.StepError, minScore int) string {
	if report != nil {
		return report.Notes(minScore)
	}
	why := "it was not made"
	if failed != nil {
		why = strings.Join(strings.Fields(failed.Message), " ")
	}
	return "- logic_review_failed: " + why
}

func joinNotes(notes []string) string {
	var all []string
	for _, n := range notes {
		if strings.TrimSpace(n) != "" {
			all = append(all, n)
		}
	}
	return strings.Join(all, "\n")
}

func timeText(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// pendingOf gives the pending revision of a chapter, or refuses.
func pendingOf(r *kernel.Run, body line.Body, chapter int) (story.RevisionStatus, error) {
	n, ok := r.Node(ChapterNode(chapter, StepRevision))
	if !ok || !isPending(n) {
		return story.RevisionStatus{}, fault.New(fault.IllegalStep, ProjectOf(r), "chapter %d has no pending revision", chapter).
			With(fault.Action{Action: "status", Command: "sluice novel status " + ProjectOf(r), Why: "it shows which chapters wait"})
	}
	rev, err := RevisionOf(r, body, chapter)
	if err != nil {
		return story.RevisionStatus{}, err
	}
	if rev == nil {
		file := pathOf(r, story.RevisionFile(chapter))
		f := fault.New(fault.RevisionUnreadable, file, "%s cannot be read", file).
			With(fault.Action{Action: "reject", Command: fmt.Sprintf("sluice novel reject %s %d --reason TEXT", ProjectOf(r), chapter), Why: "the chapter stays as it is"})
		if r.Approved(ChapterNode(chapter, StepPlan)) != nil {
			f = f.With(fault.Action{Action: "regen", Command: fmt.Sprintf("sluice novel regen %s %d", ProjectOf(r), chapter), Why: "the chapter is written anew"})
		}
		return story.RevisionStatus{}, f
	}
	return *rev, nil
}

// Apply makes the candidate of a pending revision the chapter, and the revision accepted: in one batch, by the person who
// said so. A candidate that was made from another text is refused unless over is set.
func Apply(r *kernel.Run, body line.Body, s kernel.Stamp, chapter int, over bool) ([]Deed, error) {
	rev, err := pendingOf(r, body, chapter)
	if err != nil {
		return nil, err
	}
	project := ProjectOf(r)
	again := fault.Action{Action: "generate_candidate", Command: fmt.Sprintf("sluice novel candidate %s %d", project, chapter), Why: "it is made from the text that stands"}
	reject := fault.Action{Action: "reject", Command: fmt.Sprintf("sluice novel reject %s %d --reason TEXT", project, chapter), Why: "the chapter stays as it is"}
	text := r.Approved(ChapterNode(chapter, StepText))
	if rev.RevisedChapter == nil {
		f := fault.New(fault.MissingPrerequisite, project, "the revision of chapter %d has no candidate", chapter)
		if text == nil { // there is nothing to revise
			return nil, f.With(reject)
		}
		return nil, f.With(again, reject)
	}
	if !CanApply(r, &rev) && !over {
		why := "was made from a text that no longer stands"
		if rev.Base == "" {
			why = "does not say as its base which text it was made from"
		}
		return nil, fault.New(fault.StaleCandidate, project, "the candidate of chapter %d %s", chapter, why).
			With(again, reject, fault.Action{Action: "apply_revision", Command: fmt.Sprintf("sluice novel apply %s %d --over", project, chapter), Why: "it replaces the text that stands all the same"})
	}
	c := *rev.RevisedChapter
	c.ChapterNumber = chapter
	chapterBody, err := story.Encode(c)
	if err != nil {
		return nil, err
	}
	rev.Status, rev.DecisionAt, rev.DecidedBy = story.RevisionAccepted, timeText(s.At), s.By.String()
	revision, _ := r.Node(ChapterNode(chapter, StepRevision))
	decided, err := submitRevision(s, rev, "accepted")
	if err != nil {
		return nil, err
	}
	if text != nil && text.Digest == digest.Of(chapterBody) {
		return []Deed{decided}, nil
	}
	var sources []kernel.VersionID
	for _, p := range revision.Newest().Parents { // the candidate as it was made, if the revision still names it
		if v, ok := r.Version(p); ok && v.Schema == SchemaCandidate {
			sources = append(sources, p)
		}
	}
	return []Deed{submit(s, ChapterNode(chapter, StepText), SchemaText, chapterBody, "revision applied", sources...), decided}, nil
}

// CanApply tells whether a revision has a candidate of the text that stands.
func CanApply(r *kernel.Run, rev *story.RevisionStatus) bool {
	if rev == nil || rev.RevisedChapter == nil {
		return false
	}
	text := r.Approved(ChapterNode(rev.ChapterNumber, StepText))
	return text == nil || rev.Base == string(text.Digest)
}

// Reject keeps the chapter as it is and opens the gate. A revision that cannot be read can only be rejected or superseded.
func Reject(r *kernel.Run, body line.Body, s kernel.Stamp, chapter int, reason string) ([]Deed, error) {
	rev, err := pendingOf(r, body, chapter)
	if fault.CodeOf(err) == fault.RevisionUnreadable {
		rev, err = story.RevisionStatus{ChapterNumber: chapter, CreatedAt: timeText(s.At)}, nil
	}
	if err != nil {
		return nil, err
	}
	rev.Status, rev.DecisionAt, rev.DecidedBy = story.RevisionRejected, timeText(s.At), s.By.String()
	d, err := submitRevision(s, rev, reason)
	return []Deed{d}, err
}

// WishCandidate has a candidate of a pending revision made by its notes: commands to apply, then the node to perform. What
// is made for the same text and notes already is made again.
func WishCandidate(r *kernel.Run, body line.Body, s kernel.Stamp, chapter int) ([]Deed, kernel.NodeID, error) {
	rev, err := pendingOf(r, body, chapter)
	if err != nil {
		return nil, "", err
	}
	spec, deeds := wishCandidate(r, chapter, rev.TriggeredBy, rev.RevisionNotes, s)
	if n, ok := r.Node(spec.ID); ok && len(deeds) == 0 {
		switch n.Status() {
		case kernel.StatusDone:
			deeds = append(deeds, Deed{Command: kernel.Revise{Stamp: s, Nodes: []kernel.NodeID{spec.ID}}})
		case kernel.StatusFailed:
			deeds = append(deeds, Deed{Command: kernel.Reopen{Stamp: s, Node: spec.ID}})
		}
	}
	return deeds, spec.ID, nil
}

// TakeCandidate puts a candidate that was made into the pending revision.
func TakeCandidate(r *kernel.Run, body line.Body, s kernel.Stamp, chapter int, from kernel.NodeID) ([]Deed, error) {
	rev, err := pendingOf(r, body, chapter)
	if err != nil {
		return nil, err
	}
	v := r.Approved(from)
	if v == nil {
		return nil, fault.New(fault.StepFailed, string(from), "no candidate of chapter %d was made", chapter)
	}
	c, err := decodeVersion[story.GeneratedChapter](body, v)
	if err != nil {
		return nil, err
	}
	rev.RevisedChapter, rev.Base = &c, baseOf(r, v)
	d, err := submitRevision(s, rev, noteCandidate, v.ID)
	if n, _ := r.Node(ChapterNode(chapter, StepRevision)); err == nil && n.Newest().Digest == digest.Of(d.Bodies[0]) {
		return nil, nil // it is there already
	}
	return []Deed{d}, err
}

// baseOf is the digest of the text that a candidate was made from.
func baseOf(r *kernel.Run, candidate *kernel.Version) string {
	for _, p := range candidate.Parents {
		if v, ok := r.Version(p); ok && v.Schema == SchemaText {
			return string(v.Digest)
		}
	}
	return ""
}
