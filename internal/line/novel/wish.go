package novel

import (
	"slices"

	"sluice/internal/fault"
	"sluice/internal/kernel"
	"sluice/internal/line"
	"sluice/internal/line/novel/story"
)

// chapterNodes lists everything that was recorded of a chapter, in the order of work.
func chapterNodes(r *kernel.Run, chapter int) []kernel.NodeID {
	all := []kernel.NodeID{ChapterNode(chapter, StepPlan)}
	all = append(all, sceneNodes(r, chapter)...)
	for _, step := range []string{StepText, StepMemory, StepConsistency, StepLogic} {
		all = append(all, ChapterNode(chapter, step))
	}
	for k := range candidates(r, chapter) {
		all = append(all, CandidateNode(chapter, k+1))
	}
	all = append(all, ChapterNode(chapter, StepRevision))
	return slices.DeleteFunc(all, func(id kernel.NodeID) bool { _, ok := r.Node(id); return !ok })
}

// Force throws away on purpose what a goal would make, before the work begins. The same request while it is unfinished
// goes on with it: nothing that was made again already is made a third time. A goal of chapters names them.
func Force(r *kernel.Run, s kernel.Stamp, g Goal) []Deed {
	if isUnmade(r, g) {
		return nil
	}
	scope, again := forceScope(g), forced(r, g)
	var deeds []Deed
	if g.until() == StepText {
		for _, n := range g.Chapters {
			deeds = append(deeds, supersede(r, s, n, "the chapter is written anew")...)
		}
	}
	if again = slices.DeleteFunc(again, func(id kernel.NodeID) bool { n, _ := r.Node(id); return n.Open() != nil }); len(again) > 0 {
		deeds = append(deeds, Deed{Command: kernel.Revise{Stamp: s, Nodes: again}})
	}
	return append(deeds, Deed{Command: kernel.Relabel{Stamp: s, Set: map[string]string{LabelForce: scope}}})
}

// IsForced tells whether the same goal is being made again already and is unfinished: some of it is not made yet, or what
// follows from it is not, such as the reports on a text.
func IsForced(r *kernel.Run, body line.Body, s kernel.Stamp, g Goal) (bool, error) {
	if isUnmade(r, g) {
		return true, nil
	}
	if r.Labels()[LabelForce] != forceScope(g) {
		return false, nil
	}
	st, err := NewGuide(g).Next(r, body, s)
	return !st.isEmpty(), err
}

// isUnmade tells whether some of a goal that is being made again is not made yet.
func isUnmade(r *kernel.Run, g Goal) bool {
	return r.Labels()[LabelForce] == forceScope(g) && slices.ContainsFunc(forced(r, g), func(id kernel.NodeID) bool {
		n, _ := r.Node(id)
		return n.Status() != kernel.StatusDone
	})
}

// forced lists what a forced goal makes again. What was never made is made anyway.
func forced(r *kernel.Run, g Goal) []kernel.NodeID {
	var again []kernel.NodeID
	if !IsChapterStep(g.until()) {
		again = append(again, kernel.NodeID(g.until()))
	}
	for _, n := range g.Chapters {
		if !g.Alone || g.until() == StepPlan {
			again = append(again, ChapterNode(n, StepPlan))
		}
		if g.until() == StepText {
			again = append(append(again, sceneNodes(r, n)...), ChapterNode(n, StepText))
		}
	}
	return slices.DeleteFunc(again, func(id kernel.NodeID) bool {
		n, ok := r.Node(id)
		return !ok || n.Newest() == nil || n.Status() == kernel.StatusAbandoned
	})
}

// ForceDone forgets a forced scope that is finished.
func ForceDone(r *kernel.Run, s kernel.Stamp) []Deed {
	if _, ok := r.Labels()[LabelForce]; !ok {
		return nil
	}
	return []Deed{{Command: kernel.Relabel{Stamp: s, Drop: []string{LabelForce}}}}
}

func forceScope(g Goal) string {
	scope := g.until()
	if g.Alone {
		scope += " alone"
	}
	return scope + " " + FormatChapters(g.Chapters)
}

// supersede clears a pending revision whose text is about to be another.
func supersede(r *kernel.Run, s kernel.Stamp, chapter int, why string) []Deed {
	if n, ok := r.Node(ChapterNode(chapter, StepRevision)); !ok || !isPending(n) {
		return nil
	}
	return []Deed{{Command: kernel.Abandon{Stamp: s, Node: ChapterNode(chapter, StepRevision), Reason: why}}}
}

// Reopen gives what failed in the scope of a goal its attempts again: asking is the wish to. A review that failed and holds
// its chapter is tried again by a review; of a chapter that waits only the plan is made by a run.
func Reopen(r *kernel.Run, s kernel.Stamp, g Goal) []Deed {
	var deeds []Deed
	add := func(id kernel.NodeID) {
		if n, ok := r.Node(id); ok && n.Status() == kernel.StatusFailed {
			deeds = append(deeds, Deed{Command: kernel.Reopen{Stamp: s, Node: id, Reason: "run again"}})
		}
	}
	for _, n := range bookNodes() {
		add(n.ID)
	}
	chapters := g.Chapters
	switch {
	case !IsChapterStep(g.until()):
		return deeds // a step of the whole book does nothing to chapters
	case chapters == nil:
		chapters = Chapters(r)
	}
	pending := Pending(r)
	for _, n := range chapters {
		for _, id := range chapterNodes(r, n) {
			if !slices.Contains(pending, n) || id == ChapterNode(n, StepPlan) {
				add(id)
			}
		}
	}
	return deeds
}

// WishReport wants a report on the text that stands: the logic review, or the consistency check. Commands come first, then
// the node is performed; no node means that the report is there already.
func WishReport(r *kernel.Run, body line.Body, s kernel.Stamp, chapter int, step string, again bool) ([]Deed, kernel.NodeID, error) {
	text := r.Approved(ChapterNode(chapter, StepText))
	if text == nil {
		return nil, "", unwritten(r, body, chapter)
	}
	spec := reportNode(chapter, step)
	n, ok := r.Node(spec.ID)
	if !ok || n.Status() == kernel.StatusAbandoned {
		return []Deed{{Command: kernel.Unfold{Stamp: s, Nodes: []kernel.Node{spec}}}}, spec.ID, nil
	}
	switch n.Status() {
	case kernel.StatusDone:
		if !again && slices.Contains(n.Approved().Parents, text.ID) {
			return nil, "", nil
		}
		return []Deed{{Command: kernel.Revise{Stamp: s, Nodes: []kernel.NodeID{spec.ID}}}}, spec.ID, nil
	case kernel.StatusFailed:
		return []Deed{{Command: kernel.Reopen{Stamp: s, Node: spec.ID, Reason: "asked for again"}}}, spec.ID, nil
	}
	return nil, spec.ID, nil
}

// ReviewOutcome is what a logic review of the text that stands does to the gate: a pass supersedes what was pending on
// another text or for want of a review, a fail makes it pending or renews it. With the policy off it never blocks.
func ReviewOutcome(r *kernel.Run, body line.Body, s kernel.Stamp, chapter int) ([]Deed, error) {
	text, report := r.Approved(ChapterNode(chapter, StepText)), r.Approved(ChapterNode(chapter, StepLogic))
	if text == nil || report == nil || !slices.Contains(report.Parents, text.ID) {
		return nil, nil
	}
	logic, err := decodeVersion[story.LogicReviewReport](body, report)
	if err != nil {
		return nil, err
	}
	settings, err := SettingsOf(r, body)
	if err != nil {
		return nil, err
	}
	n, ok := r.Node(ChapterNode(chapter, StepRevision))
	isHeld := ok && isPending(n)
	if logic.IsPassed(settings.LogicReviewMinScore) {
		if !isHeld {
			return nil, nil
		}
		isOver, err := isReleased(r, body, chapter, report, text)
		if err != nil || !isOver {
			return nil, err
		}
		return supersede(r, s, chapter, "the text that stands passed its logic review"), nil
	}
	if settings.LogicReviewPolicy != story.LogicBlocking && !isHeld {
		return nil, nil
	}
	if isHeld && n.Newest().Seq > report.Seq { // it was said already
		return nil, nil
	}
	next := story.RevisionStatus{ChapterNumber: chapter, Status: story.RevisionPending, TriggeredBy: story.ByLogicReview,
		RevisionNotes: logic.Notes(settings.LogicReviewMinScore), Issues: logic.RevisionIssues(), Base: string(text.Digest), CreatedAt: timeText(s.At)}
	return holdDeeds(r, s, next, nil)
}

// RollbackTo lists the nodes that go back to the state just before a place: a step, a chapter, or a scene of one.
func RollbackTo(r *kernel.Run, step string, chapter, scene int) []kernel.NodeID {
	var back []kernel.NodeID
	if step != "" && !IsChapterStep(step) {
		back = append(back, kernel.NodeID(step))
	}
	for _, n := range Chapters(r) {
		switch {
		case n < chapter:
			continue
		case n == chapter && scene > 0:
			all := sceneNodes(r, n)
			back = append(back, all[min(scene-1, len(all)):]...)
			back = append(back, afterPlan(r, n)...)
		case step == StepText:
			back = append(back, sceneNodes(r, n)...)
			back = append(back, afterPlan(r, n)...)
		default:
			back = append(back, chapterNodes(r, n)...)
		}
	}
	return back
}

// CheckScene refuses a scene that a chapter does not have, by its plan or else by its text.
func CheckScene(r *kernel.Run, body line.Body, chapter, scene int) error {
	count := 0
	if v := r.Approved(ChapterNode(chapter, StepPlan)); v != nil {
		plan, err := decodeVersion[story.ChapterPlan](body, v)
		if err != nil {
			return err
		}
		count = len(plan.Scenes)
	} else if text, err := TextOf(r, body, chapter); err != nil {
		return err
	} else if text != nil {
		count = len(text.Scenes)
	}
	if scene >= 1 && scene <= count {
		return nil
	}
	return fault.New(fault.BadValue, ProjectOf(r), "chapter %d has %d scenes; there is no scene %d", chapter, count, scene).
		With(fault.Action{Action: "status", Command: "sluice novel status " + ProjectOf(r), Why: "it shows where the book stands"})
}

// afterPlan is what was recorded of a chapter beside its plan and scenes.
func afterPlan(r *kernel.Run, chapter int) []kernel.NodeID {
	return slices.DeleteFunc(chapterNodes(r, chapter), func(id kernel.NodeID) bool {
		n, _ := r.Node(id)
		return n.Node().Step == StepPlan || n.Node().Step == StepScene
	})
}

// Lock changes which chapters are locked.
func Lock(r *kernel.Run, s kernel.Stamp, chapters []int, isLocked bool) Deed {
	list := slices.DeleteFunc(Locked(r), func(n int) bool { return slices.Contains(chapters, n) })
	if isLocked {
		list = sorted(append(list, chapters...))
	}
	if len(list) == 0 {
		return Deed{Command: kernel.Relabel{Stamp: s, Drop: []string{LabelLocked}}}
	}
	return Deed{Command: kernel.Relabel{Stamp: s, Set: map[string]string{LabelLocked: FormatChapters(list)}}}
}
