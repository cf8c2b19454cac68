package app

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"sluice/internal/engine"
	"sluice/internal/fault"
	"sluice/internal/kernel"
	"sluice/internal/line/novel"
	"sluice/internal/line/novel/story"
)

// refuseClosed refuses work on a book that was ended.
func refuseClosed(run *kernel.Run) error {
	if s := run.Status(); s == kernel.RunCancelled || s == kernel.RunDropped {
		return fault.New(fault.RunClosed, string(run.ID()), "book %s is %s", novel.ProjectOf(run), s).
			With(fault.Action{Action: "resume", Command: "sluice resume " + string(run.ID()), Why: "a closed run goes on only when it is resumed"})
	}
	return nil
}

// SetNovel changes settings of a book. What was made under others stays as it is.
func (a *App) SetNovel(ctx context.Context, name string, set map[string]string) (NovelDoc, error) {
	run, _, err := a.book(ctx, name)
	if err != nil {
		return NovelDoc{}, err
	}
	s, err := novel.SettingsOf(run, a.bodies(ctx, run))
	if err != nil {
		return NovelDoc{}, err
	}
	before := s
	for key, value := range set {
		if err := s.Set(key, value); err != nil {
			return NovelDoc{}, err
		}
	}
	if s.Language == "" {
		s.Language = story.LanguageOf(s.Premise)
	}
	if err := s.Check("settings"); err != nil {
		return NovelDoc{}, err
	}
	if !s.Equal(before) {
		deed, err := novel.SubmitSettings(a.stamp(), s)
		if err != nil {
			return NovelDoc{}, err
		}
		if run, err = a.Engine.Do(ctx, run.ID(), deeds([]novel.Deed{deed})...); err != nil {
			return NovelDoc{}, err
		}
	}
	project := novel.ProjectOf(run)
	return NovelDoc{Project: project, RunID: run.ID(), Path: story.Dir(project), Settings: s}, nil
}

// LockDoc lists the chapters that must not change.
type LockDoc struct {
	Project string `json:"project"`
	Locked  []int  `json:"locked_chapters"`
}

// LockChapters makes chapters final, or lets them change again.
func (a *App) LockChapters(ctx context.Context, name string, chapters []int, isLocked bool) (LockDoc, error) {
	run, _, err := a.book(ctx, name)
	if err != nil {
		return LockDoc{}, err
	}
	if err := a.knownChapters(ctx, run, chapters); err != nil {
		return LockDoc{}, err
	}
	run, err = a.Engine.DoWish(ctx, run.ID(), func(l engine.Look) ([]engine.Act, error) {
		return deeds([]novel.Deed{novel.Lock(l.Run(), a.stamp(), chapters, isLocked)}), nil
	})
	if err != nil {
		return LockDoc{}, err
	}
	return LockDoc{Project: novel.ProjectOf(run), Locked: orEmpty(novel.Locked(run))}, nil
}

// NovelRollback is a wish to take a book back to the state just before a place, or to bring the last one back.
type NovelRollback struct {
	Name    string
	Step    string
	Chapter int
	Scene   int // of Chapter
	Undo    bool
	Reason  string
}

// RollbackDoc says what was put away or brought back.
type RollbackDoc struct {
	Project string         `json:"project"`
	Undone  bool           `json:"undone"`
	Files   []string       `json:"files"` // that no longer stand, or stand again
	Next    []fault.Action `json:"next_actions"`
}

// RollbackNovel takes a book back. What followed is kept under .versions and in the journal.
func (a *App) RollbackNovel(ctx context.Context, w NovelRollback) (RollbackDoc, error) {
	if err := novel.CheckStep(w.Step); err != nil {
		return RollbackDoc{}, err
	}
	run, _, err := a.book(ctx, w.Name)
	if err != nil {
		return RollbackDoc{}, err
	}
	project := novel.ProjectOf(run)
	before := novel.Standing(run)
	if w.Undo {
		run, err = a.Engine.Do(ctx, run.ID(), engine.Act{Command: kernel.Undo{Stamp: a.stamp()}})
	} else {
		run, err = a.rollBack(ctx, run, w)
	}
	if err != nil {
		return RollbackDoc{}, err
	}
	d := RollbackDoc{Project: project, Undone: w.Undo, Files: []string{}, Next: []fault.Action{
		novel.OnTo(run, story.MaxChapters+1, fault.Action{Action: "run", Command: "sluice novel run " + project, Why: "it makes anew what is missing"})}}
	after := novel.Standing(run)
	if w.Undo { // what came back may wait for a person, and then nothing runs
		before, after = after, before
		d.Next = []fault.Action{{Action: "status", Command: "sluice novel status " + project, Why: "it shows where the book stands"}}
	} else {
		d.Next = append(d.Next, fault.Action{Action: "undo", Command: "sluice novel rollback " + project + " --undo", Why: "it brings back what was put away"})
	}
	for _, f := range before {
		if !slices.Contains(after, f) {
			d.Files = append(d.Files, story.Dir(project)+"/"+f.File)
		}
	}
	return d, nil
}

func (a *App) rollBack(ctx context.Context, run *kernel.Run, w NovelRollback) (*kernel.Run, error) {
	project := novel.ProjectOf(run)
	if w.Chapter > 0 {
		if err := a.knownChapters(ctx, run, []int{w.Chapter}); err != nil {
			return nil, err
		}
	}
	if w.Scene > 0 {
		if err := novel.CheckScene(run, a.bodies(ctx, run), w.Chapter, w.Scene); err != nil {
			return nil, err
		}
	}
	if w.Reason == "" {
		w.Reason = strings.TrimSpace(fmt.Sprintf("rolled back %s", w.place()))
	}
	run, err := a.Engine.DoWish(ctx, run.ID(), func(l engine.Look) ([]engine.Act, error) { // who writes the book may add to it meanwhile
		nodes := novel.RollbackTo(l.Run(), w.Step, w.Chapter, w.Scene)
		if err := novel.RefuseLocked(l.Run(), chaptersOf(nodes)); err != nil {
			return nil, err
		}
		if len(nodes) == 0 {
			return nil, nothingToRollBack(project)
		}
		return []engine.Act{{Command: kernel.Rollback{Stamp: a.stamp(), Nodes: nodes, Reason: w.Reason}}}, nil
	})
	if fault.CodeOf(err) == fault.IllegalStep {
		return nil, nothingToRollBack(project)
	}
	return run, err
}

func nothingToRollBack(project string) error {
	return fault.New(fault.IllegalStep, project, "nothing of %s from there on has content to roll back", project).
		With(fault.Action{Action: "status", Command: "sluice novel status " + project, Why: "it shows where the book stands"})
}

func (w NovelRollback) place() string {
	switch {
	case w.Scene > 0:
		return fmt.Sprintf("to before scene %d of chapter %d", w.Scene, w.Chapter)
	case w.Chapter > 0:
		return fmt.Sprintf("to before chapter %d", w.Chapter)
	}
	return "to before step " + w.Step
}

// chaptersOf lists the chapters that nodes belong to, ascending.
func chaptersOf(nodes []kernel.NodeID) []int {
	var all []int
	for _, id := range nodes {
		if n := novel.ChapterOf(id); n > 0 {
			all = append(all, n)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
