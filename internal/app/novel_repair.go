package app

import (
	"context"
	"fmt"
	"slices"

	"sluice/internal/engine"
	"sluice/internal/fault"
	"sluice/internal/kernel"
	"sluice/internal/line"
	"sluice/internal/line/novel"
	"sluice/internal/line/novel/story"
)

// phase is one of several pieces of work on a book, each begun when those before are done.
type phase func(r *kernel.Run, body line.Body) (novel.Stage, error)

// inPhases performs pieces of work one after the other, in one drive. One that needs nothing is passed over. Command is the wish
// as somebody types it.
func (a *App) inPhases(ctx context.Context, run *kernel.Run, command string, phases ...phase) (*kernel.Run, error) {
	scope := map[kernel.NodeID]bool{}
	plan := a.Plan
	plan.Only = func(n kernel.Node) bool { return scope[n.ID] }
	plan.Next = func(l engine.Look) ([]engine.Act, error) {
		clear(scope)
		for len(phases) > 0 {
			st, err := phases[0](l.Run(), l.Body(ctx))
			if err != nil {
				return nil, err
			}
			phases = phases[1:]
			if err := a.mayAsk(l.Run(), revising(st.Deeds)); err != nil {
				return nil, err
			}
			for _, id := range st.Drive {
				scope[id] = true
			}
			if len(st.Deeds) > 0 || slices.ContainsFunc(st.Drive, func(id kernel.NodeID) bool { return isToDo(l.Run(), id) }) {
				return deeds(st.Deeds), nil
			}
		}
		return nil, nil
	}
	run, err := a.afford(ctx, run)
	if err != nil {
		return nil, err
	}
	done, err := a.Engine.Drive(ctx, run.ID(), plan)
	if err != nil {
		return nil, novelStopped(novel.ProjectOf(run), unlessMeant(err, command))
	}
	if stopped := a.outOfMoney(done); stopped != nil {
		return nil, stopped
	}
	return done, nil
}

// revising are those of the deeds that throw content away.
func revising(list []novel.Deed) []novel.Deed {
	return slices.DeleteFunc(slices.Clone(list), func(d novel.Deed) bool { _, ok := d.Command.(kernel.Revise); return !ok })
}

func isToDo(r *kernel.Run, id kernel.NodeID) bool {
	n, ok := r.Node(id)
	return ok && (n.Status() == kernel.StatusReady || n.Status() == kernel.StatusRework || n.Status() == kernel.StatusRunning)
}

// ruled is a stamp of what follows by rule.
func (a *App) ruled() kernel.Stamp {
	s := a.stamp()
	s.By = kernel.Actor{Kind: kernel.Rule, Name: novel.Name}
	return s
}

// failedNode is the error of a node that could not be made; the same command tries again.
func failedNode(r *kernel.Run, id kernel.NodeID, command string) error {
	n, ok := r.Node(id)
	if !ok || n.Status() != kernel.StatusFailed {
		return nil
	}
	e := kernel.StepError{Code: string(fault.StepFailed), Message: "it failed"}
	if f := n.Failure(); f != nil {
		e = *f
	}
	return stepFault(e, string(id)).With(fault.Action{Action: "again", Command: command, Why: "it tries again"})
}

// chapterOf finds a book and one of its chapters. A chapter that it does not have is refused.
func (a *App) chapterOf(ctx context.Context, name string, chapter int) (*kernel.Run, error) {
	run, _, err := a.book(ctx, name)
	if err != nil {
		return nil, err
	}
	return run, a.knownChapters(ctx, run, []int{chapter})
}

// knownChapters refuses numbers that the book does not have. What stands or waits without being in the outline counts.
func (a *App) knownChapters(ctx context.Context, run *kernel.Run, chapters []int) error {
	body := a.bodies(ctx, run)
	settings, err := novel.SettingsOf(run, body)
	if err != nil {
		return err
	}
	outline, err := novel.OutlineOf(run, body)
	if err != nil {
		return err
	}
	waits := novel.Pending(run)
	unwritten := slices.DeleteFunc(slices.Clone(chapters), func(n int) bool {
		return run.Approved(novel.ChapterNode(n, novel.StepText)) != nil || slices.Contains(waits, n)
	})
	return novel.CheckChapters(run, outline, settings, unwritten)
}

// CheckDoc shows what a consistency check found.
type CheckDoc struct {
	Project       string                  `json:"project"`
	ChapterNumber int                     `json:"chapter_number"`
	Action        novel.Action            `json:"action"`
	Path          string                  `json:"path"`
	Fixable       int                     `json:"fixable_issues"`
	Report        story.ConsistencyReport `json:"report"`
}

// CheckChapter shows the consistency report on the text of a chapter that stands, and makes one where there is none. With
// again it is made anew.
func (a *App) CheckChapter(ctx context.Context, name string, chapter int, again bool) (CheckDoc, error) {
	run, err := a.chapterOf(ctx, name, chapter)
	if err != nil {
		return CheckDoc{}, err
	}
	d := CheckDoc{Project: novel.ProjectOf(run), ChapterNumber: chapter, Path: story.Dir(novel.ProjectOf(run)) + "/" + story.ReportsFile}
	if run, d.Action, err = a.report(ctx, run, chapter, novel.StepConsistency, again, fmt.Sprintf("sluice novel check %s %d", d.Project, chapter)); err != nil {
		return d, err
	}
	report, err := novel.ConsistencyOf(run, a.bodies(ctx, run), chapter)
	if err != nil || report == nil {
		return d, err
	}
	d.Report, d.Fixable = *report, report.Fixable()
	return d, nil
}

// report wants a report on a chapter's text, and says whether it was there.
func (a *App) report(ctx context.Context, run *kernel.Run, chapter int, step string, again bool, command string) (*kernel.Run, novel.Action, error) {
	list, node, err := novel.WishReport(run, a.bodies(ctx, run), a.stamp(), chapter, step, again)
	if err != nil {
		return nil, "", err
	}
	if node == "" && len(list) == 0 {
		return run, novel.Reused, nil
	}
	action := novel.Generated
	if run.Approved(node) != nil {
		action = novel.Regenerated
	}
	repeat := command
	if again {
		repeat += " --again"
	}
	run, err = a.inPhases(ctx, run, repeat, func(*kernel.Run, line.Body) (novel.Stage, error) {
		return novel.Stage{Deeds: list, Drive: []kernel.NodeID{node}}, nil
	})
	if err != nil {
		return nil, "", err
	}
	return run, action, failedNode(run, node, command)
}

// ReviewDoc shows the logic review of a chapter, what else was found, and what it does to the book.
type ReviewDoc struct {
	Project       string                   `json:"project"`
	ChapterNumber int                      `json:"chapter_number"`
	Action        novel.Action             `json:"action"`
	Path          string                   `json:"path"`
	Passed        bool                     `json:"passed"`
	ObservedScore int                      `json:"observed_score"`
	MinScore      int                      `json:"min_score"`
	HighIssues    int                      `json:"high_issues_count"`
	Report        story.LogicReviewReport  `json:"report"`
	Consistency   *story.ConsistencyReport `json:"consistency_report,omitempty"`
	Revision      *story.RevisionStatus    `json:"revision_status,omitempty"`
	Block         *novel.Block             `json:"block,omitempty"`
	Next          []fault.Action           `json:"next_actions"`
}

// ReviewChapter shows the logic review of the text that stands, and makes one where there is none. A pass supersedes what
// was pending on another text, a fail renews it; with the policy off nothing is blocked.
func (a *App) ReviewChapter(ctx context.Context, name string, chapter int, again bool) (ReviewDoc, error) {
	run, err := a.chapterOf(ctx, name, chapter)
	if err != nil {
		return ReviewDoc{}, err
	}
	project := novel.ProjectOf(run)
	d := ReviewDoc{Project: project, ChapterNumber: chapter, Path: story.Dir(project) + "/" + story.ReviewFile(chapter)}
	if run, d.Action, err = a.report(ctx, run, chapter, novel.StepLogic, again, fmt.Sprintf("sluice novel review %s %d", project, chapter)); err != nil {
		return d, err
	}
	list, err := novel.ReviewOutcome(run, a.bodies(ctx, run), a.ruled(), chapter)
	if err != nil {
		return d, err
	}
	if len(list) > 0 {
		if run, err = a.Engine.Do(ctx, run.ID(), deeds(list)...); err != nil {
			return d, err
		}
	}
	return a.reviewDoc(ctx, run, d)
}

func (a *App) reviewDoc(ctx context.Context, run *kernel.Run, d ReviewDoc) (ReviewDoc, error) {
	body := a.bodies(ctx, run)
	settings, err := novel.SettingsOf(run, body)
	if err != nil {
		return d, err
	}
	report, err := novel.LogicOf(run, body, d.ChapterNumber)
	if err != nil || report == nil {
		return d, err
	}
	d.Report, d.Passed = *report, report.IsPassed(settings.LogicReviewMinScore)
	d.ObservedScore, d.MinScore, d.HighIssues = report.OverallScore, settings.LogicReviewMinScore, report.HighIssues()
	if d.Consistency, err = novel.ConsistencyOf(run, body, d.ChapterNumber); err != nil {
		return d, err
	}
	if d.Revision, err = novel.RevisionOf(run, body, d.ChapterNumber); err != nil {
		return d, err
	}
	if d.Block, _, err = novel.BlockOf(run, body); err != nil {
		return d, err
	}
	d.Next = []fault.Action{{Action: "run", Command: "sluice novel run " + d.Project, Why: "the book goes on"}}
	if slices.Contains(novel.Pending(run), d.ChapterNumber) {
		d.Next = novel.WaysOut(run, d.ChapterNumber, novel.CanApply(run, d.Revision))
	}
	return d, nil
}

// RevisionDoc shows a revision after something was done about it.
type RevisionDoc struct {
	Project            string               `json:"project"`
	ChapterNumber      int                  `json:"chapter_number"`
	Status             story.RevisionState  `json:"status"`
	RevisionStatusFile string               `json:"revision_status_file"`
	RevisedFile        string               `json:"revised_file,omitempty"`
	Path               string               `json:"path"` // of the chapter
	Words              int                  `json:"words"`
	Revision           story.RevisionStatus `json:"revision"`
	PendingChapters    []int                `json:"pending_chapters"`
	Affected           []int                `json:"affected_chapters"` // later ones that were made from another text
	Next               []fault.Action       `json:"next_actions"`
}

func (a *App) revisionDoc(ctx context.Context, run *kernel.Run, chapter int) (RevisionDoc, error) {
	project := novel.ProjectOf(run)
	dir := story.Dir(project) + "/"
	d := RevisionDoc{Project: project, ChapterNumber: chapter, RevisionStatusFile: dir + story.RevisionFile(chapter), Path: dir + story.ChapterFile(chapter),
		PendingChapters: orEmpty(novel.Pending(run)), Affected: laterThan(run, chapter)}
	body := a.bodies(ctx, run)
	rev, err := novel.RevisionOf(run, body, chapter)
	if err != nil {
		return d, err
	}
	if rev != nil {
		d.Revision, d.Status = *rev, rev.Status
		if rev.RevisedChapter != nil {
			d.RevisedFile = dir + story.RevisedFile(chapter)
		}
	}
	text, err := novel.TextOf(run, body, chapter)
	if err != nil {
		return d, err
	}
	if text != nil {
		d.Words = text.TotalWords
	}
	d.Next = []fault.Action{{Action: "run", Command: "sluice novel run " + project, Why: "the book goes on"}}
	if len(d.PendingChapters) > 0 {
		first := d.PendingChapters[0]
		has := first == chapter && novel.CanApply(run, rev)
		d.Next = novel.WaysOut(run, first, has)
	}
	return d, nil
}

// laterThan lists the chapters after one that a change of it touches, directly or through others.
func laterThan(run *kernel.Run, chapter int) []int {
	all := novel.Affected(run)
	for _, o := range novel.Stale(run) {
		all = append(all, o.ChapterNumber)
	}
	slices.Sort(all)
	return orEmpty(slices.DeleteFunc(slices.Compact(all), func(n int) bool { return n <= chapter }))
}

// MakeCandidate has a pending chapter revised by its notes, for a person to look at.
func (a *App) MakeCandidate(ctx context.Context, name string, chapter int) (RevisionDoc, error) {
	run, err := a.chapterOf(ctx, name, chapter)
	if err != nil {
		return RevisionDoc{}, err
	}
	list, node, err := novel.WishCandidate(run, a.bodies(ctx, run), a.stamp(), chapter)
	if err != nil {
		return RevisionDoc{}, err
	}
	command := fmt.Sprintf("sluice novel candidate %s %d", novel.ProjectOf(run), chapter)
	run, err = a.inPhases(ctx, run, command,
		func(*kernel.Run, line.Body) (novel.Stage, error) {
			return novel.Stage{Deeds: list, Drive: []kernel.NodeID{node}}, nil
		},
		func(r *kernel.Run, body line.Body) (novel.Stage, error) {
			if n, ok := r.Node(node); !ok || n.Status() != kernel.StatusDone {
				return novel.Stage{}, nil
			}
			taken, err := novel.TakeCandidate(r, body, a.ruled(), chapter, node)
			return novel.Stage{Deeds: taken}, err
		})
	if err != nil {
		return RevisionDoc{}, err
	}
	if err := failedNode(run, node, command); err != nil {
		return RevisionDoc{}, err
	}
	return a.revisionDoc(ctx, run, chapter)
}

// ApplyRevision makes the candidate of a pending chapter its text, and has its memory recorded anew. With over a text that
// the candidate was not made from is replaced all the same.
func (a *App) ApplyRevision(ctx context.Context, name string, chapter int, over bool) (RevisionDoc, error) {
	d, err := a.AcceptRevision(ctx, name, chapter, over)
	if err != nil {
		return d, err
	}
	return d, a.RememberChapter(ctx, name, chapter)
}

// AcceptRevision records that the candidate of a pending chapter is its text now. Its memory is left to be recorded.
func (a *App) AcceptRevision(ctx context.Context, name string, chapter int, over bool) (RevisionDoc, error) {
	run, err := a.chapterOf(ctx, name, chapter)
	if err != nil {
		return RevisionDoc{}, err
	}
	run, err = a.Engine.DoWish(ctx, run.ID(), func(l engine.Look) ([]engine.Act, error) {
		if err := novel.RefuseLocked(l.Run(), []int{chapter}); err != nil {
			return nil, err
		}
		list, err := novel.Apply(l.Run(), l.Body(ctx), a.stamp(), chapter, over)
		return deeds(list), err
	})
	if err != nil {
		return RevisionDoc{}, err
	}
	return a.revisionDoc(ctx, run, chapter)
}

// RememberChapter records the memory of a chapter whose text is another now.
func (a *App) RememberChapter(ctx context.Context, name string, chapter int) error {
	run, err := a.chapterOf(ctx, name, chapter)
	if err == nil {
		_, err = a.remember(ctx, run, chapter)
	}
	switch fault.CodeOf(err) { // the decision stands; whoever writes the book, or the next run, records it
	case fault.LeaseHeld:
		a.Engine.Log.Warn(fmt.Sprintf("the memory of chapter %d is recorded when the book goes on: it is being worked on", chapter))
		return nil
	case fault.ProviderChanged:
		a.Engine.Log.Warn(fmt.Sprintf("the memory of chapter %d is recorded when the book goes on: the model that wrote it is not the one that is configured", chapter))
		return nil
	}
	return err
}

// remember records the memory of a chapter whose text is another now. A failure is told of and stops nothing.
func (a *App) remember(ctx context.Context, run *kernel.Run, chapter int) (*kernel.Run, error) {
	node := novel.ChapterNode(chapter, novel.StepMemory)
	run, err := a.inPhases(ctx, run, fmt.Sprintf("sluice novel memory %s --rebuild --chapters %d", novel.ProjectOf(run), chapter), func(r *kernel.Run, body line.Body) (novel.Stage, error) {
		list, _, err := novel.WishReport(r, body, a.ruled(), chapter, novel.StepMemory, false)
		return novel.Stage{Deeds: list, Drive: []kernel.NodeID{node}}, err
	})
	if err != nil {
		return nil, err
	}
	if n, ok := run.Node(node); ok && n.Status() == kernel.StatusFailed {
		a.Engine.Log.Warn(fmt.Sprintf("the memory of chapter %d was not recorded: %s", chapter, n.Failure().Message))
	}
	return run, nil
}

// RejectRevision keeps a pending chapter as it is.
func (a *App) RejectRevision(ctx context.Context, name string, chapter int, reason string) (RevisionDoc, error) {
	run, err := a.chapterOf(ctx, name, chapter)
	if err != nil {
		return RevisionDoc{}, err
	}
	run, err = a.Engine.DoWish(ctx, run.ID(), func(l engine.Look) ([]engine.Act, error) {
		list, err := novel.Reject(l.Run(), l.Body(ctx), a.stamp(), chapter, reason)
		return deeds(list), err
	})
	if err != nil {
		return RevisionDoc{}, err
	}
	return a.revisionDoc(ctx, run, chapter)
}

// RegenChapter writes a chapter anew from its plan. A revision that waited on the old text is over.
func (a *App) RegenChapter(ctx context.Context, name string, chapter int, tell func(NovelNotice)) (NovelRunDoc, error) {
	return a.RunNovel(ctx, NovelRun{Name: name, Chapters: []int{chapter}, Until: novel.StepText, Alone: true, Force: true, Tell: tell})
}
