package app

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"sluice/internal/engine"
	"sluice/internal/fault"
	"sluice/internal/kernel"
	"sluice/internal/line"
	"sluice/internal/line/novel"
)

// NovelRun is a wish to go on with a book.
type NovelRun struct {
	Name     string
	Chapters []int  // nil: every chapter of the outline
	Until    string // the last step wanted; empty: text
	Alone    bool   // that step and nothing before it
	Force    bool
	Tell     func(NovelNotice) // what is used as it is or made again, before the work; nil: nobody listens
}

// NovelRunDoc says what became of it.
type NovelRunDoc struct {
	Project        string         `json:"project"`
	Results        []novel.Result `json:"results"`
	FailedChapters []int          `json:"failed_chapters"`
	BlockedChapter *int           `json:"blocked_chapter"`              // null: none
	Rehearsal      bool           `json:"rehearsal"`                    // its text came from the rehearsal model
	Rehearsed      []int          `json:"rehearsal_chapters,omitempty"` // of those worked on in a book that is real otherwise
	Next           []fault.Action `json:"next_actions"`
}

// RunNovel makes what a book lacks within a scope, chapter after chapter. What stands is used as it is unless it is forced.
func (a *App) RunNovel(ctx context.Context, w NovelRun) (NovelRunDoc, error) {
	if err := novel.CheckStep(w.Until); err != nil {
		return NovelRunDoc{}, err
	}
	run, flaws, err := a.book(ctx, w.Name)
	if err != nil {
		return NovelRunDoc{}, err
	}
	if run, err = a.afford(ctx, run); err != nil {
		return NovelRunDoc{}, err
	}
	goal, err := a.novelGoal(ctx, run, w)
	if err != nil {
		return NovelRunDoc{}, err
	}
	if w.Tell != nil {
		if err := a.foretell(ctx, run, goal, w); err != nil {
			return NovelRunDoc{}, err
		}
	}
	before := novel.Mark(run, goal)
	// Whether an unfinished force goes on is told by the book as the request found it: what a killed process left open is
	// finished before anything else.
	isGoingOn := false
	if w.Force {
		if isGoingOn, err = novel.IsForced(run, a.bodies(ctx, run), a.stamp(), goal); err != nil {
			return NovelRunDoc{}, err
		}
	}
	prepare := func(r *kernel.Run) ([]novel.Deed, error) {
		var list []novel.Deed
		if w.Force && !isGoingOn {
			list = novel.Force(r, a.stamp(), goal)
		}
		return append(list, novel.Reopen(r, a.stamp(), goal)...), a.setAside(r, flaws, goal.Chapters)
	}
	return a.leadNovel(ctx, run, goal, before, prepare, w.Tell, w.command(novel.ProjectOf(run)))
}

// command is the wish as somebody types it.
func (w NovelRun) command(project string) string {
	verb := "run " + project
	switch {
	case w.Alone:
		verb = "step " + project + " " + w.Until
	case w.Until != "":
		verb += " --until " + w.Until
	}
	if len(w.Chapters) > 0 {
		verb += " --chapters " + novel.FormatChapters(w.Chapters)
	}
	if w.Force {
		verb += " --force"
	}
	return "sluice novel " + verb
}

// preparation is what is recorded of a request before its work, once nobody else drives the book.
type preparation func(r *kernel.Run) ([]novel.Deed, error)

// leadNovel lets a guide lead a book to its goal, and says what became of it.
func (a *App) leadNovel(ctx context.Context, run *kernel.Run, goal novel.Goal, before novel.Marks, prepare preparation, tell func(NovelNotice), command string) (NovelRunDoc, error) {
	guide := novel.NewGuide(goal)
	run, err := a.driveNovel(ctx, run.ID(), guide, prepare)
	err = unlessMeant(err, command)
	if run == nil {
		return NovelRunDoc{}, err
	}
	doc := NovelRunDoc{Project: novel.ProjectOf(run)}
	if goal.Chapters == nil { // the outline came into being on the way
		goal.Chapters = outlined(run, a.bodies(ctx, run))
	}
	doc.Results = orEmpty(novel.Results(run, goal, before, guide.Ends))
	doc.FailedChapters = []int{}
	for _, e := range guide.Ends {
		if e.State == novel.Broken && e.Chapter > 0 {
			doc.FailedChapters = append(doc.FailedChapters, e.Chapter)
		}
	}
	doc.Results, doc.Next = append(doc.Results, unremembered(run, goal)...), a.goesOn(ctx, run, doc.FailedChapters)
	doc.BlockedChapter, doc.Rehearsal = novel.Blocked(run), run.Provider() == kernel.ProviderRehearsal
	a.logEnds(run, guide.Ends, before, tell)
	if a.isStandIn(run) {
		var bad error
		if doc.Rehearsed, bad = a.rehearsed(ctx, run, goal.Chapters); bad != nil {
			return doc, errors.Join(err, bad)
		}
	}
	if isShut(err) {
		return doc, withResults(err, doc)
	}
	if err != nil {
		return doc, novelStopped(doc.Project, err)
	}
	if stopped := a.outOfMoney(run); stopped != nil {
		return doc, withResults(stopped, doc)
	}
	return doc, a.novelEnd(ctx, run, goal, guide, doc)
}

// goesOn is what comes after a request: what failed is tried again.
func (a *App) goesOn(ctx context.Context, run *kernel.Run, failed []int) []fault.Action {
	o, err := novel.OutlineOf(run, a.bodies(ctx, run))
	if err != nil {
		o = nil // what failed is named without what it builds on
	}
	if again := novel.Again(run, o, failed); len(again) > 0 {
		return again
	}
	return []fault.Action{{Action: "status", Command: "sluice novel status " + novel.ProjectOf(run), Why: "it shows where the book stands"}}
}

// novelGoal resolves a wish against the book as it stands, and refuses what cannot be before anything runs.
func (a *App) novelGoal(ctx context.Context, run *kernel.Run, w NovelRun) (novel.Goal, error) {
	goal := novel.Goal{Until: w.Until, Alone: w.Alone, Chapters: w.Chapters}
	if err := refuseClosed(run); err != nil {
		return goal, err
	}
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
		goal.Chapters = outlined(run, body)
	}
	if w.Until == "" || novel.IsChapterStep(w.Until) {
		if err := novel.RefuseLocked(run, lockedScope(run, goal, w)); err != nil {
			return goal, err
		}
		// The gate comes before what is missing: the steps that would make it are refused behind a pending chapter as well.
		if err := novel.Gate(run, body, novel.Request{Chapters: goal.Chapters, Listed: w.Alone, Force: w.Force, Until: w.Until}); err != nil {
			return goal, err
		}
	}
	return goal, novel.Missing(run, body, goal)
}

// outlined lists the chapters of the outline, ascending; none where there is no outline.
func outlined(run *kernel.Run, body line.Body) []int {
	o, err := novel.OutlineOf(run, body)
	if err != nil || o == nil {
		return nil
	}
	var all []int
	for _, c := range o.Chapters {
		all = append(all, c.ChapterNumber)
	}
	slices.Sort(all)
	return all
}

// lockedScope is what a lock speaks about: chapters that were named, or that would be made or made again.
func lockedScope(run *kernel.Run, goal novel.Goal, w NovelRun) []int {
	if w.Chapters != nil || w.Force {
		return goal.Chapters
	}
	return slices.DeleteFunc(slices.Clone(goal.Chapters), func(n int) bool { return !novel.WouldGenerate(run, n, w.Until) })
}

// mayAsk refuses to throw content away where what would replace it may not be asked for.
func (a *App) mayAsk(run *kernel.Run, list []novel.Deed) error {
	if len(list) == 0 || a.Plan.Switch || !a.isStandIn(run) {
		return nil
	}
	return fault.New(fault.ProviderChanged, string(run.ID()), "book %s has replies of a real model and would go on with rehearsal", novel.ProjectOf(run))
}

// isStandIn tells whether rehearsal would answer for a book that has replies of a real model.
func (a *App) isStandIn(run *kernel.Run) bool {
	return run.Provider() == kernel.ProviderReal && a.Engine.Model != nil && a.Engine.Model.Class() == kernel.ProviderRehearsal
}

// unlessMeant names the ways on from the refusal to rehearse a real book: the key that is missing, or the word that rehearsal
// is meant. Other errors stay as they are.
func unlessMeant(err error, command string) error {
	if fault.CodeOf(err) != fault.ProviderChanged {
		return err
	}
	f := *fault.From(err)
	f.Next = []fault.Action{{Action: "configure", Command: "sluice config show", Why: "a key or a provider is missing"},
		{Action: "rehearse", Command: command + " --provider rehearsal", Why: "if rehearsal is meant; what it writes is labelled"}}
	return &f
}

// isShut tells of a refusal by what a person did.
func isShut(err error) bool {
	code := fault.CodeOf(err)
	return code == fault.ChapterLocked || code == fault.RevisionPending || code == fault.RevisionUnreadable
}

// driveNovel lets a guide lead a book to its goal, in one drive. What is to be recorded before comes first in it: where the
// drive is refused, nothing is.
func (a *App) driveNovel(ctx context.Context, id kernel.RunID, guide *novel.Guide, prepare preparation) (*kernel.Run, error) {
	scope := map[kernel.NodeID]bool{}
	plan := a.Plan
	plan.Only = func(n kernel.Node) bool { return scope[n.ID] }
	plan.Next = func(l engine.Look) ([]engine.Act, error) {
		if first := prepare; first != nil {
			prepare = nil
			list, err := first(l.Run())
			if err == nil {
				err = a.mayAsk(l.Run(), list)
			}
			if err != nil || len(list) > 0 {
				return deeds(list), err
			}
		}
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
func (a *App) novelEnd(ctx context.Context, run *kernel.Run, goal novel.Goal, guide *novel.Guide, doc NovelRunDoc) error {
	if list := novel.ForceDone(run, a.stamp()); len(list) > 0 && len(doc.FailedChapters) == 0 && doc.BlockedChapter == nil {
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
		target := 0
		for _, n := range goal.Chapters {
			if n > last.Chapter && novel.WouldGenerate(run, n, goal.Until) {
				target = n
				break
			}
		}
		return withResults(novel.BlockedBy(run, a.bodies(ctx, run), target), doc)
	case last.Chapter == 0 && last.State == novel.Broken:
		f := stepFault(last.Error, string(last.Node))
		again := fault.Action{Action: "run", Command: "sluice novel run " + doc.Project, Why: "it tries again"}
		if f.Code == fault.MissingPrerequisite && last.Node == novel.WorldNode { // a world is made from the premise alone
			f, again.After = f.With(fault.Action{Action: "set", Command: "sluice novel set " + doc.Project + " premise=TEXT", Why: "a book begins with what it is about"}), "set"
		}
		return withResults(f.With(again), doc)
	}
	return nil
}

// stepFault is the error of a step that failed, by what the step said.
func stepFault(e kernel.StepError, subject string) *fault.Error {
	code := fault.Code(e.Code)
	if code.Exit() == fault.ExitUnexpected {
		code = fault.StepFailed
	}
	return fault.New(code, subject, "%s", e.Message).With(cure(code)...)
}

// novelStopped makes sure that an interruption says how the book goes on.
func novelStopped(project string, err error) error {
	f := fault.From(err)
	if len(f.Next) > 0 || f.Code != fault.Interrupted && !errors.Is(err, context.Canceled) {
		return err
	}
	return fault.Wrap(fault.Interrupted, project, f.Cause, "book %s was interrupted; what was finished is kept", project).
		With(fault.Action{Action: "run", Command: "sluice novel run " + project, Why: "it goes on where it stopped"})
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
