package novel

import (
	"encoding/json"
	"fmt"
	"slices"

	"sluice/internal/fault"
	"sluice/internal/kernel"
	"sluice/internal/line"
	"sluice/internal/line/novel/story"
)

// Pending lists the chapters whose revision is pending, ascending. It costs the asks that are open.
func Pending(r *kernel.Run) []int {
	var all []int
	for a := range r.OpenAsks() {
		if n, ok := r.Node(a.Node); ok && n.Node().Step == StepRevision && isPending(n) {
			all = append(all, ChapterOf(a.Node))
		}
	}
	return sorted(all)
}

// Blocked is the lowest chapter whose revision is pending; nil where there is none.
func Blocked(r *kernel.Run) *int {
	if pending := Pending(r); len(pending) > 0 {
		return &pending[0]
	}
	return nil
}

// isPending is the one reading of the signal: the newest RevisionStatus is not decided.
func isPending(revision kernel.View) bool {
	return revision.Newest() != nil && revision.Status() == kernel.StatusAsking
}

// Request is what a door was asked to generate, as far as the gate goes.
type Request struct {
	Chapters []int // ascending
	// Listed: the chapters were named for one piece of work, so that each counts. Otherwise only those count that would be
	// generated.
	Listed bool
	Force  bool
	Until  string // the last step wanted; empty means text
}

// Block is the refusal document of the gate, and what a review adds to it.
type Block struct {
	BlockedChapter        int           `json:"blocked_chapter"`
	TargetChapter         int           `json:"target_chapter,omitempty"`
	RevisionStatusFile    string        `json:"revision_status_file"`
	LogicReviewReportFile string        `json:"logic_review_report_file,omitempty"`
	PendingChapters       []int         `json:"pending_chapters"`
	TriggeredBy           story.Trigger `json:"triggered_by"` // empty where the revision does not say it
	RevisionNotes         string        `json:"revision_notes"`
	ObservedScore         *int          `json:"observed_score,omitempty"`
	MinScore              *int          `json:"min_score,omitempty"`
	HighIssuesCount       *int          `json:"high_issues_count,omitempty"`
}

// Gate refuses to generate anything after the lowest chapter whose revision is pending. It is the one gate, for every verb
// of every door; nil lets the request through.
func Gate(r *kernel.Run, body line.Body, req Request) error {
	pending := Pending(r)
	if len(pending) == 0 {
		return nil
	}
	blocked := pending[0]
	at := slices.IndexFunc(req.Chapters, func(n int) bool {
		return n > blocked && (req.Listed || req.Force || wouldGenerate(r, n, req.Until))
	})
	if at < 0 {
		return nil
	}
	return blockedBy(r, body, pending, req.Chapters[at])
}

// wouldGenerate tells whether running a chapter would make anything of it.
func wouldGenerate(r *kernel.Run, chapter int, until string) bool {
	for _, step := range []string{StepPlan, StepText} {
		n, ok := r.Node(ChapterNode(chapter, step))
		if !ok || n.Status() != kernel.StatusDone {
			return true
		}
		if step == until {
			break
		}
	}
	return false
}

// BlockedBy is the refusal of a run that came to a pending chapter. Target is the chapter that would have come next, or 0.
func BlockedBy(r *kernel.Run, body line.Body, target int) error {
	if pending := Pending(r); len(pending) > 0 {
		return blockedBy(r, body, pending, target)
	}
	return nil
}

func blockedBy(r *kernel.Run, body line.Body, pending []int, target int) error {
	blocked := pending[0]
	doc, rev, err := blockOf(r, body, pending)
	if err != nil {
		return err
	}
	doc.TargetChapter = target
	code := fault.RevisionPending
	message, see := fmt.Sprintf("chapter %d waits for revision", blocked), "; see "+doc.RevisionStatusFile
	if rev == nil {
		code = fault.RevisionUnreadable
		message, see = doc.RevisionStatusFile+" cannot be read and counts as pending", ""
	}
	message += fmt.Sprintf("; chapters after %d are blocked until it is handled", blocked)
	if target > 0 {
		message += fmt.Sprintf("; chapter %d cannot be generated", target)
	}
	if message += see; see != "" && doc.LogicReviewReportFile != "" {
		message += " and " + doc.LogicReviewReportFile
	}
	f := fault.New(code, ProjectOf(r), "%s", message).With(WaysOut(r, blocked, CanApply(r, rev))...)
	if f.Fields, err = json.Marshal(doc); err != nil {
		return err
	}
	return f
}

// blockOf is the refusal document of the lowest pending chapter, with its revision if that can be read.
func blockOf(r *kernel.Run, body line.Body, pending []int) (Block, *story.RevisionStatus, error) {
	blocked := pending[0]
	doc := Block{BlockedChapter: blocked, RevisionStatusFile: pathOf(r, story.RevisionFile(blocked)), PendingChapters: pending}
	rev, err := RevisionOf(r, body, blocked)
	if err != nil {
		return doc, nil, err
	}
	if rev != nil {
		doc.TriggeredBy, doc.RevisionNotes = rev.TriggeredBy, rev.RevisionNotes
	}
	report := r.Approved(ChapterNode(blocked, StepLogic))
	if report == nil {
		return doc, rev, nil
	}
	if n, _ := r.Node(report.Node); n.Status() == kernel.StatusDone { // else its file was removed, or it is made again
		doc.LogicReviewReportFile = pathOf(r, story.ReviewFile(blocked))
	}
	logic, err := decodeVersion[story.LogicReviewReport](body, report)
	if err != nil {
		return doc, rev, err
	}
	settings, err := SettingsOf(r, body)
	if err != nil {
		return doc, rev, err
	}
	high := logic.HighIssues()
	doc.ObservedScore, doc.MinScore, doc.HighIssuesCount = &logic.OverallScore, &settings.LogicReviewMinScore, &high
	return doc, rev, nil
}

// OnTo is an action that would generate something of a chapter (for one that runs past it: of the next), or where the gate refuses that, a look at what holds it up.
func OnTo(r *kernel.Run, chapter int, a fault.Action) fault.Action {
	blocked := Blocked(r)
	if blocked == nil || chapter <= *blocked {
		return a
	}
	if r.Approved(ChapterNode(*blocked, StepText)) == nil { // there is nothing to look at
		return fault.Action{Action: "reject", Command: fmt.Sprintf("sluice novel reject %s %d --reason TEXT", ProjectOf(r), *blocked),
			Why: fmt.Sprintf("chapter %d waits for revision and has no text; rejecting opens the gate", *blocked)}
	}
	return fault.Action{Action: "review", Command: fmt.Sprintf("sluice novel review %s %d", ProjectOf(r), *blocked),
		Why: fmt.Sprintf("chapter %d waits for revision; nothing after it is written until that is handled", *blocked)}
}

// WaysOut are the five ways out of a pending revision, by the words of the contract.
func WaysOut(r *kernel.Run, chapter int, canApply bool) []fault.Action {
	at := fmt.Sprintf("%s %d", ProjectOf(r), chapter)
	apply := fault.Action{Action: "apply_revision", Command: "sluice novel apply " + at, Why: "the candidate becomes the chapter"}
	if !canApply {
		apply.After = "generate_candidate"
	}
	all := []fault.Action{
		{Action: "review", Command: "sluice novel review " + at, Why: "it shows what was found, and reviews a text that was changed since"},
		{Action: "generate_candidate", Command: "sluice novel candidate " + at, Why: "the chapter is revised by the notes, for you to look at"},
		apply,
		{Action: "regen", Command: "sluice novel regen " + at, Why: "the chapter is written anew"},
		{Action: "rollback", Command: fmt.Sprintf("sluice novel rollback %s --to-chapter %d", ProjectOf(r), chapter), Why: "the chapter and what follows are put away"},
	}
	return waysNow(r, chapter, all)
}

// waysNow marks ways out that something else must come before: a lock, or a revision that holds nothing to work with.
func waysNow(r *kernel.Run, chapter int, all []fault.Action) []fault.Action {
	project := ProjectOf(r)
	behind := slices.DeleteFunc(Locked(r), func(n int) bool { return n < chapter })
	n, ok := r.Node(ChapterNode(chapter, StepRevision))
	isUnreadable := ok && n.Newest() != nil && n.Newest().Schema == SchemaUnreadable
	hasText, hasPlan := r.Approved(ChapterNode(chapter, StepText)) != nil, r.Approved(ChapterNode(chapter, StepPlan)) != nil
	rejects, unlocks := false, false
	for i := range all {
		a := &all[i]
		isChange := a.Action == "apply_revision" || a.Action == "regen"
		switch {
		case a.Action == "rollback" && len(behind) > 0, isChange && slices.Contains(behind, chapter):
			a.After, unlocks = "unlock", true
		case isUnreadable && (a.Action == "generate_candidate" || a.Action == "apply_revision"),
			!hasText && (a.Action == "review" || a.Action == "generate_candidate"),
			a.Action == "regen" && !hasPlan, a.Action == "rollback" && !hasText && !hasPlan && !isUnreadable:
			a.After, rejects = "reject", true
		}
	}
	if rejects {
		all = append(all, fault.Action{Action: "reject", Command: fmt.Sprintf("sluice novel reject %s %d --reason TEXT", project, chapter), Why: "the chapter stays as it is, and the book goes on"})
	}
	if unlocks {
		all = append(all, fault.Action{Action: "unlock", Command: fmt.Sprintf("sluice novel unlock %s %s", project, FormatChapters(behind)), Why: "then they may change"})
	}
	return all
}

// Locked lists the chapters that must not change, ascending.
func Locked(r *kernel.Run) []int {
	list, err := ParseChapters(r.Labels()[LabelLocked])
	if err != nil {
		return nil
	}
	return list
}

// RefuseLocked refuses a scope that holds a locked chapter.
func RefuseLocked(r *kernel.Run, chapters []int) error {
	locked := Locked(r)
	for _, n := range chapters {
		if slices.Contains(locked, n) {
			return fault.New(fault.ChapterLocked, ProjectOf(r), "chapter %d is locked", n).
				With(fault.Action{Action: "unlock", Command: fmt.Sprintf("sluice novel unlock %s %d", ProjectOf(r), n), Why: "then it may change"})
		}
	}
	return nil
}

// RefuseUndecided refuses to make a revision again or to put it away alone: it is decided, or goes with its text.
func RefuseUndecided(r *kernel.Run, nodes []kernel.NodeID) error {
	for _, id := range nodes {
		if n, ok := r.Node(id); ok && n.Node().Step == StepRevision {
			f := fault.New(fault.IllegalStep, string(id), "the revision of chapter %d is decided, and neither made again nor put away alone", ChapterOf(id))
			if isPending(n) {
				return f.With(WaysOut(r, ChapterOf(id), false)...)
			}
			return f.With(fault.Action{Action: "status", Command: "sluice novel status " + ProjectOf(r), Why: "it shows where the book stands"})
		}
	}
	return nil
}

// Written are those of the nodes that the text of a chapter is made of: what the gate speaks about.
func Written(nodes []kernel.NodeID) []kernel.NodeID {
	return slices.DeleteFunc(slices.Clone(nodes), func(id kernel.NodeID) bool {
		n := ChapterOf(id)
		return n == 0 || SceneNumber(id) == 0 && id != ChapterNode(n, StepPlan) && id != ChapterNode(n, StepText)
	})
}
