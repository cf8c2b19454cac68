package app

import (
	"context"
	"fmt"

	"sluice/internal/kernel"
	"sluice/internal/line/novel"
	"sluice/internal/line/novel/story"
)

// NovelNotice tells a person what a request does with a step, before and after the work.
type NovelNotice struct {
	Kind     NoticeKind
	Step     string
	Chapter  int // 0: a step of the whole book
	Path     string
	Language string // of the book
	Count    int    // of issues that could be fixed
	Command  string // that shows more
	Error    string
}

// NoticeKind is the sort of a notice. The zero value is invalid.
type NoticeKind string

const (
	NoticeReused  NoticeKind = "reused"
	NoticeForced  NoticeKind = "forced"
	NoticeFixable NoticeKind = "fixable"
	NoticeForgot  NoticeKind = "memory_failed"
)

// foretell tells what is used as it is and what is made again.
func (a *App) foretell(ctx context.Context, run *kernel.Run, goal novel.Goal, w NovelRun) error {
	settings, err := novel.SettingsOf(run, a.bodies(ctx, run))
	if err != nil {
		return err
	}
	for _, s := range novel.Foreseen(run, goal, w.Force) {
		n := NovelNotice{Step: s.Step, Chapter: s.ChapterNumber, Path: s.Path, Language: settings.Language}
		switch s.Action {
		case novel.Reused:
			n.Kind = NoticeReused
		case novel.Regenerated:
			n.Kind = NoticeForced
		default:
			continue
		}
		w.Tell(n)
	}
	return nil
}

// unremembered are the chapters whose memory could not be recorded: told of, and nothing stops for them.
func unremembered(run *kernel.Run, goal novel.Goal) []novel.Result {
	var all []novel.Result
	for _, n := range goal.Chapters {
		if m, ok := run.Node(novel.ChapterNode(n, novel.StepMemory)); ok && m.Status() == kernel.StatusFailed {
			all = append(all, novel.Result{Step: novel.StepMemory, ChapterNumber: n, Action: novel.Failed,
				Path: story.Dir(novel.ProjectOf(run)) + "/" + story.MemoryFile, Error: m.Failure().Message})
		}
	}
	return all
}

// logEnds puts how each chapter ended into the log, and tells what a person may want to act on.
func (a *App) logEnds(run *kernel.Run, ends []novel.End, before novel.Marks, tell func(NovelNotice)) {
	project := novel.ProjectOf(run)
	for _, e := range ends {
		now := run.Approved(novel.ChapterNode(e.Chapter, novel.StepText))
		if e.State == novel.Reached && now != nil && before[now.Node] == now.ID {
			continue // it was used as it is, and a book that is run over and over says nothing new of it
		}
		a.Engine.Log.Info("a chapter was worked on", "project", project, "chapter", e.Chapter, "outcome", e.State, "revision", e.Revision, "fixable", e.Fixable,
			"node", e.Node, "error", e.Error.Message)
		text := novel.ChapterNode(e.Chapter, novel.StepText)
		if v := run.Approved(text); tell == nil || v == nil || before[text] == v.ID { // what was told before is not told again
			continue
		}
		if m, ok := run.Node(novel.ChapterNode(e.Chapter, novel.StepMemory)); ok && m.Status() == kernel.StatusFailed {
			tell(NovelNotice{Kind: NoticeForgot, Chapter: e.Chapter, Error: m.Failure().Message,
				Command: fmt.Sprintf("sluice novel memory %s --rebuild --chapters %d", project, e.Chapter)})
		}
		if e.Fixable > 0 {
			tell(NovelNotice{Kind: NoticeFixable, Chapter: e.Chapter, Count: e.Fixable, Path: story.Dir(project) + "/" + story.ReportsFile,
				Command: fmt.Sprintf("sluice novel check %s %d", project, e.Chapter)})
		}
	}
}
