package app

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"sluice/internal/digest"
	"sluice/internal/engine"
	"sluice/internal/fault"
	"sluice/internal/journal"
	"sluice/internal/kernel"
	"sluice/internal/line/novel"
	"sluice/internal/line/novel/story"
)

// deeds renders what the line decided for the engine.
func deeds(list []novel.Deed) []engine.Act {
	acts := make([]engine.Act, 0, len(list))
	for _, d := range list {
		act := engine.Act{Command: d.Command}
		for _, body := range d.Bodies {
			act.Blobs = append(act.Blobs, journal.Blob{Digest: digest.Of(body), Body: body})
		}
		acts = append(acts, act)
	}
	return acts
}

// NovelNew is a wish for a new book: its settings whole, or what differs from what is configured.
type NovelNew struct {
	Name     string
	Settings story.Settings
	Set      map[string]string // if it is not nil, over the configured settings
}

// NovelDoc answers with a book that was made or found.
type NovelDoc struct {
	Project  string         `json:"project"`
	RunID    kernel.RunID   `json:"run_id"`
	Path     string         `json:"path"`
	Settings story.Settings `json:"settings"`
}

// NewNovel makes a book: its directory, its settings and its run, in one commit.
func (a *App) NewNovel(ctx context.Context, w NovelNew) (NovelDoc, error) {
	name, err := story.ParseName(w.Name)
	if err != nil {
		return NovelDoc{}, err
	}
	s := w.Settings
	if w.Set != nil {
		s = a.Novel
		for key, value := range w.Set {
			if err := s.Set(key, value); err != nil {
				return NovelDoc{}, err
			}
		}
	}
	s.ProjectName = name
	if s.Language == "" {
		s.Language = story.LanguageOf(s.Premise)
	}
	if err := s.Check("settings"); err != nil {
		return NovelDoc{}, err
	}
	if _, err := a.Store.Run(ctx, string(novel.RunID(name))); err == nil || a.projectExists(a.spelled(name)) {
		return NovelDoc{}, fault.New(fault.ProjectExists, name, "project %s exists", name).
			With(fault.Action{Action: "status", Command: "sluice novel status " + name, Why: "it shows where the book stands"})
	}
	if err := a.makeRoom(name); err != nil {
		return NovelDoc{}, err
	}
	open, err := novel.Open(name, s)
	if err != nil {
		return NovelDoc{}, err
	}
	open.Stamp = a.stamp()
	given, err := novel.SubmitSettings(a.stamp(), s)
	if err != nil {
		return NovelDoc{}, err
	}
	run, err := a.Engine.OpenWith(ctx, open, deeds([]novel.Deed{given})...)
	if err != nil {
		return NovelDoc{}, err
	}
	return NovelDoc{Project: name, RunID: run.ID(), Path: story.Dir(name), Settings: s}, nil
}

// makeRoom makes the directories of a book, and proves that they can be written before anything is recorded of it.
func (a *App) makeRoom(name string) error {
	dir := story.Dir(name) + "/" + story.ChaptersDir
	probe := dir + "/writable"
	if err := a.Space.WriteNew(probe, nil, 0o644); err != nil && fault.CodeOf(err) != fault.FileExists {
		return err
	}
	return a.Space.Remove(probe, dir)
}

// book finds a project and takes over what people changed in it. One without a journal is adopted whole. Flaws are files
// that could not be taken over; they are told of.
func (a *App) book(ctx context.Context, given string) (*kernel.Run, []novel.Flaw, error) {
	name, err := story.ParseName(given)
	if err != nil {
		return nil, nil, err
	}
	run, flaws, err := a.adopted(ctx, name)
	for _, f := range flaws {
		a.Engine.Log.Warn(fault.From(f.Err).Message)
	}
	return run, flaws, err
}

func (a *App) adopted(ctx context.Context, name string) (*kernel.Run, []novel.Flaw, error) {
	id := novel.RunID(name)
	_, err := a.Store.Run(ctx, string(id))
	if fault.CodeOf(err) == fault.UnknownRun {
		run, flaws, adopting := a.adoptProject(ctx, name)
		if code := fault.CodeOf(adopting); code != fault.RunExists && code != fault.Conflict {
			return run, flaws, adopting
		}
		err = nil // another process adopted it in the same moment: what it made is the book
	}
	if err != nil {
		return nil, nil, err
	}
	edits, err := a.Engine.Adopt(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	run, err := a.Engine.Load(ctx, id)
	if err == nil && len(edits) > 0 {
		run, err = a.edited(ctx, run, edits)
	}
	if err != nil {
		return nil, nil, err
	}
	found, err := a.strays(run, novel.ProjectOf(run))
	if err != nil || len(found) == 0 {
		return run, nil, err
	}
	var flaws []novel.Flaw
	run, err = a.Engine.DoWish(ctx, id, func(l engine.Look) ([]engine.Act, error) { // others may find the same files now
		var list []novel.Deed
		list, flaws = novel.Import(l.Run(), a.stamp(), found)
		return deeds(list), nil
	})
	return run, flaws, err
}

// setAside keeps files that nobody can read under the project's versions, so that what is made can stand in their place.
// Files of chapters outside the scope stay where they are.
func (a *App) setAside(run *kernel.Run, flaws []novel.Flaw, chapters []int) error {
	dir := story.Dir(novel.ProjectOf(run)) + "/"
	for _, f := range flaws {
		file := strings.TrimPrefix(f.Path, dir)
		p, ok := story.ParsePlace(file)
		if !f.Broken || !ok || p.Chapter > 0 && chapters != nil && !slices.Contains(chapters, p.Chapter) {
			continue
		}
		for n := 1; ; n++ {
			to := fmt.Sprintf("%s%s/%s.broken%d", dir, story.VersionsDir, file, n)
			if _, err := a.Space.Stat(to); err == nil {
				continue
			}
			if err := a.Space.Move(f.Path, to); err != nil {
				return err
			}
			a.Engine.Log.Warn(fmt.Sprintf("%s cannot be read and is kept as %s", f.Path, to))
			break
		}
	}
	return nil
}

func (a *App) projectExists(name string) bool {
	found, err := a.projectFiles(name, func(story.Place) bool { return true })
	return err == nil && len(found) > 0
}

// spelled is the name of a project as its directory has it: names that differ in case alone are one name.
func (a *App) spelled(name string) string {
	entries, err := a.Space.List(story.Root)
	if err != nil {
		return name
	}
	spelled := name
	for _, e := range entries {
		if e.Name() == name {
			return name
		}
		if found, err := story.ParseName(e.Name()); err == nil && found == e.Name() && e.IsDir() && novel.RunID(found) == novel.RunID(name) {
			spelled = found
		}
	}
	return spelled
}

// adoptProject makes a book of a directory that has no journal.
func (a *App) adoptProject(ctx context.Context, name string) (*kernel.Run, []novel.Flaw, error) {
	name = a.spelled(name)
	found, err := a.projectFiles(name, func(story.Place) bool { return true })
	if err != nil {
		return nil, nil, err
	}
	if len(found) == 0 {
		return nil, nil, fault.New(fault.UnknownProject, name, "there is no project %s", name).
			With(fault.Action{Action: "list", Command: "sluice novel list", Why: "it shows the projects there are"},
				fault.Action{Action: "new", Command: "sluice novel new " + name + " --premise TEXT", Why: "it makes one"})
	}
	open, err := novel.Open(name, a.Novel)
	if err != nil {
		return nil, nil, err
	}
	open.Stamp = a.stamp()
	fresh := kernel.NewRun()
	if _, err := kernel.Apply(fresh, open); err != nil {
		return nil, nil, err
	}
	list, flaws := novel.Import(fresh, a.stamp(), found)
	run, err := a.Engine.OpenWith(ctx, open, deeds(list)...)
	return run, flaws, err
}

// strays are files of a project that show a node without content: people put them there.
func (a *App) strays(run *kernel.Run, name string) ([]novel.Found, error) {
	return a.projectFiles(name, func(p story.Place) bool {
		id, ok := novel.NodeOf(p)
		if !ok {
			return false // the two files that show all chapters are ours
		}
		n, ok := run.Node(id)
		return !ok || n.Newest() == nil || n.Status() == kernel.StatusAbandoned
	})
}

// projectFiles reads the documents of a project that are wanted.
func (a *App) projectFiles(name string, wanted func(story.Place) bool) ([]novel.Found, error) {
	var found []novel.Found
	for _, dir := range []string{"", story.ChaptersDir + "/", story.ReviewsDir + "/"} {
		at := story.Dir(name) + "/" + dir
		entries, err := a.Space.List(at)
		if fault.CodeOf(err) == fault.NotFound {
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			p, ok := story.ParsePlace(dir + e.Name())
			// A link or a directory in the place of a revision may hide one that is pending: reading it refuses.
			if !ok || !e.Type().IsRegular() && p.Kind != story.KindRevision || !wanted(p) {
				continue
			}
			body, err := a.Space.Read(at + e.Name())
			if err != nil {
				return nil, err
			}
			found = append(found, novel.Found{Place: p, Path: at + e.Name(), Body: body})
		}
	}
	return found, nil
}

// NovelStatus says where a book stands.
func (a *App) NovelStatus(ctx context.Context, name string) (novel.StatusDoc, error) {
	_, doc, err := a.novelStatus(ctx, name)
	return doc, err
}

func (a *App) novelStatus(ctx context.Context, name string) (*kernel.Run, novel.StatusDoc, error) {
	run, _, err := a.book(ctx, name)
	if err != nil {
		return nil, novel.StatusDoc{}, err
	}
	doc, err := novel.Status(run, a.bodies(ctx, run))
	u := a.usage(ctx, run)
	doc.Tokens, doc.Cost = u.InputTokens+u.OutputTokens, u.Cost
	return run, doc, err
}
