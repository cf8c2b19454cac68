package app

import (
	"context"
	"errors"

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
	var acts []session.Act
	for i, p := range paths {
		if docs[i], err = a.look(rec, p, write); err != nil {
			return nil, err
		}
		if !write {
			continue
		}
		more, touch, err := a.plan(rec, &docs[i])
		if err != nil {
			return nil, err
		}
		acts = append(acts, more...)
		if touch != nil {
			touches = append(touches, *touch)
		}
	}
	if !write {
		return docs, nil
	}
	bases, err := session.RecordBases(a.stamp(), rec, touches...)
	if err != nil {
		return nil, err
	}
	// The record comes first: a copy without one would look like a file of unknown origin.
	if acts = append(bases, acts...); len(acts) > 0 {
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

// plan says what must be recorded and copied before a path is written in the session, and points the document there.
func (a *App) plan(rec session.Record, d *PathDoc) ([]session.Act, *session.Touch, error) {
	own := line.SessionPath(rec.Name, d.Path)
	if _, err := a.Space.Check(own); err != nil {
		return nil, nil, err
	}
	switch d.Source {
	case fromDeleted:
		acts, err := session.RecordWritten(a.stamp(), rec, d.Path)
		d.Source = fromSession
		return acts, nil, err
	case fromSession:
		return nil, nil, nil
	}
	body, there, err := session.Look(a.Space, d.Path)
	if err != nil {
		return nil, nil, err
	}
	d.ResolvedPath, d.Source, d.Exists, d.Copied = own, fromSession, there, there
	return nil, &session.Touch{Path: d.Path, Body: body, There: there}, nil
}

func (a *App) copyIn(name string, touches []session.Touch) error {
	for _, t := range touches {
		if !t.There {
			continue
		}
		err := a.Space.WriteNew(line.SessionPath(name, t.Path), t.Body, 0)
		if err != nil && !errors.Is(err, fault.FileExists) { // another call came first with the same bytes
			return err
		}
	}
	return nil
}

// sessionEnded tells a session that ended meanwhile from other refusals.
func (a *App) sessionEnded(ctx context.Context, rec session.Record, err error) error {
	if _, gone := a.sessionInfo(ctx, rec.Name); gone != nil && fault.CodeOf(gone) == fault.UnknownSession {
		return gone
	}
	return err
}

// RemovePath removes a file as the session sees it: a tombstone stands for it until the commit.
func (a *App) RemovePath(ctx context.Context, name, path string) (PathDoc, error) {
	run, err := a.openSession(ctx, name)
	if err != nil {
		return PathDoc{}, err
	}
	rec := session.Read(run)
	d, err := a.look(rec, path, true)
	if err != nil {
		return PathDoc{}, err
	}
	own := line.SessionPath(rec.Name, d.Path)
	switch d.Source {
	case fromDeleted:
		return d, nil
	case fromNothing:
		return PathDoc{}, fault.New(fault.NotFound, d.Path, "session %s sees no file %s", rec.Name, d.Path).
			With(fault.Action{Action: "diff", Command: "sluice session diff " + rec.Name, Why: "it shows what the session holds"})
	}
	if row, ok, err := a.Engine.Files.Checkout(ctx, own); err != nil {
		return PathDoc{}, err
	} else if ok && !row.Removed && row.Run != string(rec.ID) {
		return PathDoc{}, fault.New(fault.IllegalStep, d.Path, "file %s is shown by workflow %s; it goes when the workflow does", own, row.Run).
			With(fault.Action{Action: "status", Command: "sluice status " + row.Run})
	}
	global, there, err := session.Look(a.Space, d.Path)
	if err != nil {
		return PathDoc{}, err
	}
	held, isHeld, err := session.Look(a.Space, own)
	if err != nil {
		return PathDoc{}, err
	}
	acts, err := session.RecordDeleted(a.stamp(), rec, session.Touch{Path: d.Path, Body: global, There: there}, held, isHeld)
	if err != nil {
		return PathDoc{}, err
	}
	if _, err := a.Engine.Do(ctx, run.ID(), sessionActs(acts)...); err != nil {
		return PathDoc{}, a.sessionEnded(ctx, rec, err)
	}
	if isHeld {
		if err := a.Space.Remove(own, line.SessionDir(rec.Name)); err != nil && !errors.Is(err, fault.NotFound) {
			return PathDoc{}, err
		}
	}
	return PathDoc{Path: d.Path, ResolvedPath: own, SessionName: rec.Name, Source: fromDeleted}, nil
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
