package app

import (
	"context"
	"encoding/json"

	"sluice/internal/engine"
	"sluice/internal/fault"
	"sluice/internal/kernel"
	"sluice/internal/line/novel"
)

// NovelRun is a wish to go on with a book.
type NovelRun struct {
	Name     string
	Chapters []int  // nil: every chapter of the outline
	Until    string // the last step wanted; empty: text
	Alone    bool   // that step and nothing before it
	Force    bool
}

// NovelRunDoc says what became of it.
type NovelRunDoc struct {
	Project        string         `json:"project"`
	Results        []novel.Result `json:"results"`
	FailedChapters []int          `json:"failed_chapters"`
	BlockedChapter int            `json:"blocked_chapter"`
	Ends           []novel.End    `json:"-"`
	Flaws          []novel.Flaw   `json:"-"`
}

// RunNovel makes what a book lacks within a scope, chapter after chapter. What stands is used as it is unless it is forced.
func (a *App) RunNovel(ctx context.Context, w NovelRun) (NovelRunDoc, error) {
	run, flaws, err := a.book(ctx, w.Name)
	if err != nil {
		return NovelRunDoc{}, err
	}
	doc := NovelRunDoc{Project: novel.ProjectOf(run), Flaws: flaws}
	goal, err := a.novelGoal(ctx, run, w)
	if err != nil {
		return doc, err
	}
	before := novel.Mark(run, goal)
	if err := a.prepareNovel(ctx, run, goal, w.Force); err != nil {
		return doc, err
	}
	guide := novel.NewGuide(goal)
	run, err = a.driveNovel(ctx, run.ID(), guide)
	if run == nil {
		return doc, err
	}
	doc.Ends = guide.Ends
	if goal.Chapters == nil { // the outline came into being on the way
		goal.Chapters = novel.Chapters(run)
	}
	doc.Results = novel.Results(run, goal, before, guide.Ends)
	for _, e := range guide.Ends {
		if e.State == novel.Broken && e.Chapter > 0 {
			doc.FailedChapters = append(doc.FailedChapters, e.Chapter)
		}
	}
	if pending := novel.Pending(run); len(pending) > 0 {
		doc.BlockedChapter = pending[0]
	}
	if err != nil {
		return doc, err
	}
	return doc, a.novelEnd(ctx, run, guide, doc)
}

// novelGoal resolves a wish against the book as it stands, and refuses what cannot be before anything runs.
func (a *App) novelGoal(ctx context.Context, run *kernel.Run, w NovelRun) (novel.Goal, error) {
	goal := novel.Goal{Until: w.Until, Alone: w.Alone, Chapters: w.Chapters}
	body := a.bodies(ctx, run)
	settings, err := novel.SettingsOf(run, body)
	if err != nil {
		return goal, err
	}
	outline, err := novel.OutlineOf(run, body)
	if err != nil {
		return goal, err
	}
	if err := novel.CheckChapters(run, outline, settings, w.Chapters); err != nil {
		return goal, err
	}
	if goal.Chapters == nil && outline != nil {
		for _, c := range outline.Chapters {
			goal.Chapters = append(goal.Chapters, c.ChapterNumber)
		}
	}
	if err := novel.Missing(run, goal); err != nil {
		return goal, err
	}
	if w.Until != "" && !novel.IsChapterStep(w.Until) {
		return goal, nil
	}
	if err := novel.RefuseLocked(run, lockedScope(run, goal, w)); err != nil {
		return goal, err
	}
	return goal, novel.Gate(run, body, novel.Request{Chapters: goal.Chapters, Listed: w.Alone, Force: w.Force, Until: w.Until})
}

// lockedScope is what a lock speaks about: chapters that were named, or that would be made again.
func lockedScope(run *kernel.Run, goal novel.Goal, w NovelRun) []int {
	if w.Chapters != nil || w.Force {
		return goal.Chapters
	}
	var made []int
	for _, n := range goal.Chapters {
		if run.Approved(novel.ChapterNode(n, novel.StepText)) == nil {
			made = append(made, n)
		}
	}
	return made
}

// prepareNovel records a forced scope, and gives what failed its attempts again.
func (a *App) prepareNovel(ctx context.Context, run *kernel.Run, goal novel.Goal, force bool) error {
	var list []novel.Deed
	if force {
		list = novel.Force(run, a.stamp(), goal)
	}
	list = append(list, novel.Reopen(run, a.stamp(), goal)...)
	if len(list) == 0 {
		return nil
	}
	_, err := a.Engine.Do(ctx, run.ID(), deeds(list)...)
	return err
}

// driveNovel lets a guide lead a book to its goal, in one drive.
func (a *App) driveNovel(ctx context.Context, id kernel.RunID, guide *novel.Guide) (*kernel.Run, error) {
	scope := map[kernel.NodeID]bool{}
	plan := a.Plan
	plan.Only = func(n kernel.Node) bool { return scope[n.ID] }
	plan.Next = func(l engine.Look) ([]engine.Act, error) {
		st, err := guide.Next(l.Run(), l.Body(ctx), a.stamp())
		clear(scope)
		for _, node := range st.Drive {
			scope[node] = true
		}
		return deeds(st.Deeds), err
	}
	return a.Engine.Drive(ctx, id, plan)
}

// novelEnd forgets a forced scope that is done, and answers with the refusal of a book that came to a pending chapter.
func (a *App) novelEnd(ctx context.Context, run *kernel.Run, guide *novel.Guide, doc NovelRunDoc) error {
	if list := novel.ForceDone(run, a.stamp()); len(list) > 0 && len(doc.FailedChapters) == 0 && doc.BlockedChapter == 0 {
		if _, err := a.Engine.Do(ctx, run.ID(), deeds(list)...); err != nil {
			return err
		}
	}
	if len(guide.Ends) == 0 {
		return nil
	}
	last := guide.Ends[len(guide.Ends)-1]
	switch {
	case last.State == novel.Waiting:
		return withResults(novel.BlockedBy(run, a.bodies(ctx, run), 0), doc)
	case last.Chapter == 0 && last.State == novel.Broken:
		return withResults(fault.New(fault.Code(last.Error.Code), string(last.Node), "%s", last.Error.Message).
			With(fault.Action{Action: "run", Command: "sluice novel run " + doc.Project, Why: "it tries again"}), doc)
	}
	return nil
}

// withResults puts what was reached beside a refusal.
func withResults(err error, doc NovelRunDoc) error {
	f := fault.From(err)
	if f == nil {
		return nil
	}
	fields := map[string]json.RawMessage{}
	if len(f.Fields) > 0 {
		if json.Unmarshal(f.Fields, &fields) != nil {
			return err
		}
	}
	for name, v := range map[string]any{"project": doc.Project, "results": doc.Results, "failed_chapters": doc.FailedChapters} {
		raw, bad := json.Marshal(v)
		if bad != nil {
			return err
		}
		fields[name] = raw
	}
	c := *f
	var bad error
	if c.Fields, bad = json.Marshal(fields); bad != nil {
		return err
	}
	return &c
}
