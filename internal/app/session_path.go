package app

import (
	"context"
	"errors"

	"golang.org/x/sync/errgroup"

	"sluice/internal/fault"
	"sluice/internal/kernel"
	"sluice/internal/line"
	"sluice/internal/session"
)

// What PathDoc.Source says.
const (
	fromSession = "session"
	fromGlobal  = "global"
	fromNothing = "absent"
	fromDeleted = "deleted"
)

// ResolvePath says which file stands for a path in a session; to write, it is copied into the session first. Without a
// session the path stands for itself.
func (a *App) ResolvePath(ctx context.Context, name, path string, write bool) (PathDoc, error) {
	docs, err := a.ResolvePaths(ctx, name, []string{path}, write)
	if err != nil {
		return PathDoc{}, err
	}
	return docs[0], nil
}

// ResolvePaths does so for many paths. What has to be recorded is recorded at once.
func (a *App) ResolvePaths(ctx context.Context, name string, paths []string, write bool) ([]PathDoc, error) {
	if name == "" {
		return a.resolveGlobal(paths)
	}
	run, err := a.openSession(ctx, name)
	if err != nil {
		return nil, err
	}
	rec := session.Read(run)
	docs := make([]PathDoc, len(paths))
	var touches []session.Touch
	for i, p := range paths {
		if docs[i], err = a.look(rec, p, write); err != nil {
			return nil, err
		}
		if !write {
			continue
		}
		touch, err := a.touch(rec, &docs[i])
		if err != nil {
			return nil, err
		}
		if touch != nil {
			touches = append(touches, *touch)
		}
	}
	acts, err := session.RecordBases(a.stamp(), rec, touches...)
	if err != nil {
		return nil, err
	}
	// The record comes first: a copy without one would look like a file of unknown origin.
	if len(acts) > 0 {
		if _, err := a.Engine.Do(ctx, run.ID(), sessionActs(acts)...); err != nil {
			return nil, a.sessionEnded(ctx, rec, err)
		}
	}
	return docs, a.copyIn(rec.Name, touches)
}

func (a *App) resolveGlobal(paths []string) ([]PathDoc, error) {
	docs := make([]PathDoc, len(paths))
	for i, p := range paths {
		clean, err := a.Space.Check(p)
		if err != nil {
			return nil, err
		}
		if owner, _, ok := line.SessionOf(clean); ok {
			return nil, fault.New(fault.BadPath, clean, "path %s belongs to session %s", clean, owner).
				With(fault.Action{Action: "work in it", Command: "sluice session switch " + owner})
		}
		_, there, err := session.Look(a.Space, clean)
		if err != nil {
			return nil, err
		}
		docs[i] = PathDoc{Path: clean, ResolvedPath: clean, Source: fromNothing, Exists: there}
		if there {
			docs[i].Source = fromGlobal
		}
	}
	return docs, nil
}

// look finds the file that stands for a path: the session's copy, else a tombstone, else the workspace's file.
func (a *App) look(rec session.Record, p string, write bool) (PathDoc, error) {
	clean, err := session.CheckPath(a.Space, rec.Name, p, write)
	if err != nil {
		return PathDoc{}, err
	}
	own := line.SessionPath(rec.Name, clean)
	d := PathDoc{Path: clean, ResolvedPath: own, SessionName: rec.Name, Source: fromSession}
	if _, d.Exists, err = session.Look(a.Space, own); err != nil || d.Exists {
		return d, err
	}
	if f, known := rec.File(clean); known && f.Deleted {
		d.Source = fromDeleted
		return d, nil
	}
	_, there, err := session.Look(a.Space, clean)
	switch {
	case err != nil:
		return PathDoc{}, err
	case there:
		d.ResolvedPath, d.Source, d.Exists = clean, fromGlobal, true
	default:
		d.Source = fromNothing
	}
	return d, nil
}

// touch says what must be recorded and copied before a path is written in the session, and points the document there.
func (a *App) touch(rec session.Record, d *PathDoc) (*session.Touch, error) {
	own := line.SessionPath(rec.Name, d.Path)
	if _, err := a.Space.Check(own); err != nil {
		return nil, err
	}
	switch d.Source {
	case fromDeleted:
		d.Source = fromSession
		return &session.Touch{Path: d.Path, Again: true}, nil
	case fromSession:
		return nil, nil
	}
	body, there, err := session.Look(a.Space, d.Path)
	if err != nil {
		return nil, err
	}
	d.ResolvedPath, d.Source, d.Exists, d.Copied = own, fromSession, there, there
	return &session.Touch{Path: d.Path, Body: body, There: there}, nil
}

// copyIn puts copies in place, several at a time: a file system commits waiting syncs together.
func (a *App) copyIn(name string, touches []session.Touch) error {
	var group errgroup.Group
	group.SetLimit(copiers)
	for _, t := range touches {
		if !t.There {
			continue
		}
		group.Go(func() error {
			err := a.Space.WriteNew(line.SessionPath(name, t.Path), t.Body, 0)
			if errors.Is(err, fault.FileExists) { // another call came first with the same bytes
				return nil
			}
			return err
		})
	}
	return group.Wait()
}

const copiers = 16

// sessionEnded tells a session that ended meanwhile from other refusals.
func (a *App) sessionEnded(ctx context.Context, rec session.Record, err error) error {
	if _, gone := a.sessionInfo(ctx, rec.Name); gone != nil && fault.CodeOf(gone) == fault.UnknownSession {
		return gone
	}
	return err
}

// RemovePath removes a file as the session sees it: a tombstone stands for it until the commit.
func (a *App) RemovePath(ctx context.Context, name, path string) (PathDoc, error) {
	docs, err := a.RemovePaths(ctx, name, []string{path})
	if err != nil {
		return PathDoc{}, err
	}
	return docs[0], nil
}

// RemovePaths removes many files, all or none.
func (a *App) RemovePaths(ctx context.Context, name string, paths []string) ([]PathDoc, error) {
	run, err := a.openSession(ctx, name)
	if err != nil {
		return nil, err
	}
	rec := session.Read(run)
	docs := make([]PathDoc, len(paths))
	var gone []session.Removal
	for i, p := range paths {
		if docs[i], err = a.look(rec, p, true); err != nil {
			return nil, err
		}
		if docs[i].Source == fromDeleted {
			continue
		}
		r, err := a.removal(ctx, rec, docs[i])
		if err != nil {
			return nil, err
		}
		gone = append(gone, r)
		docs[i] = PathDoc{Path: r.Path, ResolvedPath: line.SessionPath(rec.Name, r.Path), SessionName: rec.Name, Source: fromDeleted}
	}
	acts, err := session.RecordDeleted(a.stamp(), rec, gone...)
	if err != nil || len(acts) == 0 {
		return docs, err
	}
	if _, err := a.Engine.Do(ctx, run.ID(), sessionActs(acts)...); err != nil {
		return nil, a.sessionEnded(ctx, rec, err)
	}
	for _, r := range gone {
		if !r.IsHeld {
			continue
		}
		err := a.Space.Remove(line.SessionPath(rec.Name, r.Path), line.SessionDir(rec.Name))
		if err != nil && !errors.Is(err, fault.NotFound) {
			return nil, err
		}
	}
	return docs, nil
}

// removal says what goes with a file, or why it cannot.
func (a *App) removal(ctx context.Context, rec session.Record, d PathDoc) (session.Removal, error) {
	own := line.SessionPath(rec.Name, d.Path)
	if d.Source == fromNothing {
		return session.Removal{}, fault.New(fault.NotFound, d.Path, "session %s sees no file %s", rec.Name, d.Path).
			With(fault.Action{Action: "diff", Command: "sluice session diff " + rec.Name, Why: "it shows what the session holds"})
	}
	row, ok, err := a.Engine.Files.Checkout(ctx, own)
	if err != nil {
		return session.Removal{}, err
	}
	if ok && !row.Removed && row.Run != string(rec.ID) {
		return session.Removal{}, fault.New(fault.IllegalStep, d.Path, "file %s is shown by workflow %s; it goes when the workflow does", own, row.Run).
			With(fault.Action{Action: "status", Command: "sluice status " + row.Run})
	}
	r := session.Removal{Touch: session.Touch{Path: d.Path}}
	if r.Body, r.There, err = session.Look(a.Space, d.Path); err != nil {
		return r, err
	}
	r.Held, r.IsHeld, err = session.Look(a.Space, own)
	return r, err
}

// RebasePath takes the workspace's file as it is now for what the session's was copied from: the way out of a conflict,
// once both are merged in the session. A workflow that will write a path of the workspace says so with it too.
func (a *App) RebasePath(ctx context.Context, name, path string) (PathDoc, error) {
	run, err := a.openSession(ctx, name)
	if err != nil {
		return PathDoc{}, err
	}
	rec := session.Read(run)
	clean, err := session.CheckPath(a.Space, rec.Name, path, true)
	if err != nil {
		return PathDoc{}, err
	}
	body, there, err := session.Look(a.Space, clean)
	if err != nil {
		return PathDoc{}, err
	}
	acts, err := session.RecordBases(a.stamp(), rec, session.Touch{Path: clean, Body: body, There: there})
	if err != nil {
		return PathDoc{}, err
	}
	if len(acts) > 0 {
		if run, err = a.Engine.Do(ctx, kernel.RunID(rec.ID), sessionActs(acts)...); err != nil {
			return PathDoc{}, a.sessionEnded(ctx, rec, err)
		}
		rec = session.Read(run)
	}
	return a.look(rec, clean, true)
}

// claimOutputs records what the workspace shows where a workflow of a session has put files outside its working
// directory, unless that is recorded: it wrote them without asking first, and a commit must be able to tell whether the
// workspace's files changed since.
func (a *App) claimOutputs(ctx context.Context, r *kernel.Run) error {
	name, l := r.Labels()[line.LabelSession], a.lineOf(r)
	if name == "" || l.Files == nil {
		return nil
	}
	var paths []string
	for n := range r.Nodes() {
		for _, f := range l.Files(r, n) {
			if p := line.GlobalPath(name, f.Path); p != f.Path && !session.InWorkingDir(p) {
				paths = append(paths, p)
			}
		}
	}
	if len(paths) == 0 {
		return nil
	}
	run, err := a.openSession(ctx, name)
	if errors.Is(err, fault.UnknownSession) { // a workflow that was imported with the name of none
		return nil
	}
	if err != nil {
		return err
	}
	rec := session.Read(run)
	var touches []session.Touch
	for _, p := range paths {
		if _, known := rec.File(p); known {
			continue
		}
		body, there, err := session.Look(a.Space, p)
		if err != nil {
			return err
		}
		touches = append(touches, session.Touch{Path: p, Body: body, There: there})
	}
	acts, err := session.RecordBases(a.stamp(), rec, touches...)
	if err != nil || len(acts) == 0 {
		return err
	}
	_, err = a.Engine.Do(ctx, run.ID(), sessionActs(acts)...)
	return err
}
