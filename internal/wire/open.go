package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"sluice/internal/app"
	"sluice/internal/config"
	"sluice/internal/doctor"
	"sluice/internal/engine"
	"sluice/internal/export"
	"sluice/internal/fault"
	"sluice/internal/kernel"
	"sluice/internal/line"
	"sluice/internal/line/novel"
	"sluice/internal/line/novel/story"
	"sluice/internal/line/sample"
	"sluice/internal/line/scene"
	"sluice/internal/line/spec"
	"sluice/internal/line/task"
	"sluice/internal/model"
	"sluice/internal/publish"
	"sluice/internal/replyfile"
	"sluice/internal/runner"
	"sluice/internal/session"
	"sluice/internal/sqlitestore"
	"sluice/internal/workspace"
)

// Setup is what a workspace is opened with.
type Setup struct {
	Root      string
	Settings  *config.Settings
	Rehearsal string // path of a rehearsal script; empty is none
	Replies   string // path of a file with replies to use; empty is none
	Switch    bool   // the user named the provider: a run may go on with rehearsal
	By        kernel.Actor
	Verbose   io.Writer // nil: calls are not shown
	Observe   func(r *kernel.Run, events []kernel.Event)
	Warn      func(message string)
	Between   Between
	Dry       func(app.DryCall) // told of calls instead of making them, and nothing is written; nil: they are made
}

// Between may put something between the engine and what it stands on. Tests that die at a commit do.
type Between struct {
	Journal func(engine.Journal) engine.Journal
	Files   func(engine.Files) engine.Files
	Calls   func(model.Calls) model.Calls
	Rows    func(workspace.Rows) workspace.Rows
	Exports func(export.Tree) export.Tree
	Ledger  func(publish.Ledger) publish.Ledger
}

// house is an open workspace.
type house struct {
	store *sqlitestore.Store
	tree  *workspace.Tree
	log   *os.File
	index *app.Indexer
	extra *replyfile.File // replies that were recorded elsewhere

	spending *model.Budget
	scratch  string // directory of a store that goes with the house; empty is none
}

// Open opens a workspace and completes what a killed process left: files that were committed and not put in place.
func Open(ctx context.Context, s Setup) (*app.App, func() error, error) {
	h := &house{}
	a, err := h.enter(ctx, s)
	if err != nil {
		return nil, nil, err
	}
	return a, h.close, nil
}

func (h *house) enter(ctx context.Context, s Setup) (*app.App, error) {
	if err := workspace.CheckFolder(s.Root, allowUnsafe()); err != nil {
		return nil, err
	}
	a, err := h.open(ctx, s)
	if err != nil {
		return nil, errors.Join(err, h.close())
	}
	return a, nil
}

func (h *house) open(ctx context.Context, s Setup) (*app.App, error) {
	var err error
	if h.tree, err = workspace.Open(s.Root); err != nil {
		return nil, err
	}
	if err := h.openStore(ctx, s); err != nil {
		return nil, err
	}
	log, err := h.logger(s)
	if err != nil {
		return nil, err
	}
	lines, err := builtin()
	if err != nil {
		return nil, err
	}
	h.spending = h.budget(s)
	answers, class, err := h.model(s, log)
	if err != nil {
		return nil, err
	}
	failures := newErrorLog(s.Settings.Log.Dir, log)
	files := workspace.NewCheckouts(h.tree, between(s.Between.Rows, workspace.Rows(h.store)), h.store, nil)
	e := &engine.Engine{Journal: between(s.Between.Journal, engine.Journal(h.store)), Leaser: h.store, Folds: h.store, Counter: h.store, Tables: h.store,
		Files: between(s.Between.Files, engine.Files(files)),
		Model: talk{model: answers, schemas: model.NewSchemas(), class: class}, Runner: programs(s.Settings.Task),
		Lines: lines, Now: time.Now, Log: log, Observe: failures.observing(s.Observe)}
	e.Finder = &session.Finder{Tree: h.tree, Runs: h.store, Load: e.Load}
	if s.Dry != nil {
		e.Files = stillFiles{files}
	} else if err := recoverFiles(ctx, files, e); err != nil {
		return nil, err
	}
	if err := e.FillRows(ctx); err != nil {
		return nil, err
	}
	a := &app.App{Root: s.Root, Engine: e, Store: h.store, Counter: h.store, By: s.By, Now: time.Now,
		Plans: planSettings(s.Settings.Task), Novel: bookSettings(s.Settings.Novel),
		Plan: engine.Plan{Workers: s.Settings.Engine.Workers, Switch: s.Switch},
		Tree: between(s.Between.Exports, export.Tree(h.tree)), Space: h.tree, Writer: h.tree, Notes: h.tree, ErrorLog: failures.path, Publisher: h.desk(s.Settings.Publish, between(s.Between.Ledger, publish.Ledger(h.store)))}
	a.Health = health{doctor.Workspace{Store: h.store, Rows: h.store, Files: files, Leases: h.store, Shown: h.store, Tables: tables{h.store, e},
		Copies: []doctor.Copy{ledgerFile{a, h.tree}}}}
	a.Keeper = keeper{s.Root, h.store}
	a.Spending = h.spendingOf(s.Settings)
	e.Outlook = a.Outlook
	a.Recorded = talk{model: model.Recorded(h.store), schemas: model.NewSchemas(), class: class}
	h.index = app.NewIndexer(a.WriteIndex, func(err error) { log.Warn("an index was not written", "error", err) })
	a.Index = h.index
	if s.Dry != nil {
		h.still(a)
	}
	return a, nil
}

// planSettings are what plans are held to. Which programs may be run is not among them: a plan keeps its settings, and
// those programs are the user's of the moment.
func planSettings(c config.Task) task.Settings {
	return task.Settings{MaxDecompositionDepth: c.MaxDecompositionDepth, OneShotThresholdPersonDays: c.OneShotThresholdPersonDays,
		MaxLeaves: c.MaxLeaves, MaxPlanAttempts: c.MaxPlanAttempts, MaxTotalAttempts: c.MaxTotalAttempts, MaxAttempts: c.MaxAttempts,
		ReviewPassScore: c.ReviewPassScore, PlanReviewPassScore: c.PlanReviewPassScore,
		ExportIncludeCandidates: c.ExportIncludeCandidates, Reviewer: c.Reviewer}
}

// bookSettings are what books begin with.
func bookSettings(c config.Novel) story.Settings {
	return story.Settings{Language: c.Language, Author: c.Author, TargetChapters: c.TargetChapters, WordsPerScene: c.WordsPerScene,
		RevisionPolicy: story.RevisionPolicy(c.RevisionPolicy), LogicReviewPolicy: story.LogicReviewPolicy(c.LogicReviewPolicy),
		LogicReviewMinScore: c.LogicReviewMinScore, MemoryContextChapters: c.MemoryContextChapters, ContextTokens: c.ContextTokens}
}

// programs runs what the user's own settings name, and nothing else.
func programs(c config.Task) *runner.Runner {
	r := &runner.Runner{Setting: "task.smoke_tests", Getenv: os.Getenv}
	for _, t := range c.SmokeTests {
		r.Rules = append(r.Rules, runner.Rule{Match: t.Match, Command: t.Command, Timeout: t.Timeout})
	}
	return r
}

func between[T any](wrap func(T) T, inner T) T {
	if wrap == nil {
		return inner
	}
	return wrap(inner)
}

func (h *house) close() error {
	var errs []error
	if h.index != nil {
		errs = append(errs, h.index.Close())
	}
	if h.store != nil {
		errs = append(errs, h.store.Close())
	}
	if h.tree != nil {
		errs = append(errs, h.tree.Close())
	}
	if h.extra != nil {
		errs = append(errs, h.extra.Close())
	}
	if h.log != nil {
		errs = append(errs, h.log.Close())
	}
	if h.scratch != "" {
		errs = append(errs, os.RemoveAll(h.scratch))
	}
	return errors.Join(errs...)
}

// builtin gives the lines of this program.
func builtin() (map[string]*line.Line, error) {
	lines := map[string]*line.Line{}
	for _, make := range []func() (*line.Line, error){sample.New, session.New, scene.New, task.New, spec.New, novel.New} {
		l, err := make()
		if err != nil {
			return nil, err
		}
		lines[l.Name] = l
	}
	return lines, nil
}

// recoverFiles completes checkouts that a killed process left, and takes over what people wrote there meanwhile. A file
// that cannot be brought in place, or a run of a line that this program does not have, must not keep everything else
// from working: it is told of, and stays for the doctor.
func recoverFiles(ctx context.Context, files *workspace.Checkouts, e *engine.Engine) error {
	edits, err := files.Recover(ctx)
	if ctx.Err() != nil {
		return err
	}
	if err != nil {
		e.Log.Warn("files are not all in place; sluice doctor says more", "error", err)
	}
	for _, edit := range edits {
		if edit.Kept != "" {
			e.Log.Warn("a file was changed and put back", "path", edit.Row.Path, "kept", edit.Kept)
		}
	}
	err = e.TakeOver(ctx, edits)
	if err == nil || ctx.Err() != nil {
		return err
	}
	e.Log.Warn("changed files were not taken over", "error", err)
	return nil
}

// logger writes warnings for the user and everything to the daily log.
func (h *house) logger(s Setup) (*slog.Logger, error) {
	if s.Dry != nil {
		return slog.New(slog.DiscardHandler), nil
	}
	name := "sluice-" + time.Now().UTC().Format("20060102") + ".log"
	var err error
	if dir := s.Settings.Log.Dir; dir == "" {
		if h.log, err = h.tree.OpenLog(name); err != nil {
			return nil, err
		}
	} else if h.log, err = openLog(dir, name); err != nil {
		return nil, err
	}
	file := slog.NewTextHandler(h.log, &slog.HandlerOptions{Level: slog.LevelInfo})
	if s.Warn == nil {
		return slog.New(file), nil
	}
	return slog.New(slog.NewMultiHandler(file, warnings{s.Warn})), nil
}

// openLog opens a log in a directory of the user's own.
func openLog(dir, name string) (*os.File, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, noLog(dir, err)
	}
	f, err := os.OpenFile(filepath.Join(dir, name), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, noLog(filepath.Join(dir, name), err)
	}
	return f, nil
}

func noLog(path string, err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		err = p.Err
	}
	return fault.Wrap(fault.NoPermission, path, err, "the log %s cannot be written", path).
		With(fault.Action{Action: "move away what is there, or name another place in the setting log.dir"})
}

// warnings shows warnings to the person at the terminal, as prose.
type warnings struct{ show func(string) }

func (w warnings) Enabled(_ context.Context, l slog.Level) bool { return l >= slog.LevelWarn }

func (w warnings) Handle(_ context.Context, r slog.Record) error {
	text := r.Message
	r.Attrs(func(a slog.Attr) bool {
		text += fmt.Sprintf(" %s=%v", a.Key, a.Value)
		return true
	})
	w.show(text)
	return nil
}

func (w warnings) WithAttrs([]slog.Attr) slog.Handler { return w }
func (w warnings) WithGroup(string) slog.Handler      { return w }
