package app

import (
	"context"
	"errors"
	"slices"
	"strings"

	"sluice/internal/engine"
	"sluice/internal/fault"
	"sluice/internal/journal"
	"sluice/internal/kernel"
	"sluice/internal/line"
	"sluice/internal/session"
)

// currentNote is where the command line remembers the session it works in.
const currentNote = "session"

// CreateSession opens a copy-on-write session. createdBy says who asked for it; empty means who uses this door.
func (a *App) CreateSession(ctx context.Context, name, createdBy string) (SessionDoc, error) {
	if err := session.CheckName(name); err != nil {
		return SessionDoc{}, err
	}
	if createdBy == "" {
		createdBy = a.By.String()
	}
	if err := session.CheckAuthor(createdBy); err != nil {
		return SessionDoc{}, err
	}
	earlier, err := a.sessionRuns(ctx, session.Selects("", ""))
	if err != nil {
		return SessionDoc{}, err
	}
	n := 1
	for _, r := range earlier {
		other, _ := session.ReadInfo(r)
		// Directories that differ by case only are one directory on many systems.
		if other.Status == session.Active && strings.EqualFold(other.Name, name) {
			return SessionDoc{}, sessionExists(other.Name)
		}
		if other.Name == name {
			n++
		}
	}
	if err := a.putAside(ctx, name, earlier); err != nil {
		return SessionDoc{}, err
	}
	open := session.Open(name, n, createdBy)
	open.Stamp = a.stamp()
	run, err := a.Engine.Open(ctx, open)
	if errors.Is(err, fault.RunExists) || errors.Is(err, fault.Conflict) {
		return SessionDoc{}, sessionExists(name)
	}
	if err != nil {
		return SessionDoc{}, err
	}
	if err := a.initIndex(name); err != nil {
		return SessionDoc{}, err
	}
	return a.sessionDoc(ctx, session.Read(run), nil)
}

func sessionExists(name string) error {
	return fault.New(fault.SessionExists, name, "session %s is open", name).With(
		fault.Action{Action: "work in it", Command: "sluice session switch " + name},
		fault.Action{Action: "cancel", Command: "sluice session cancel " + name, Why: "its name is free again then"})
}

// putAside makes room for a new session of a name that was used before: the closed directory gets a name that no
// session can have. Nothing in it is tracked any more.
func (a *App) putAside(ctx context.Context, name string, earlier []journal.RunInfo) error {
	last := slices.IndexFunc(earlier, func(r journal.RunInfo) bool { // the newest comes first
		other, _ := session.ReadInfo(r)
		return other.Name == name
	})
	dir := line.SessionDir(name)
	if _, err := a.Space.Stat(dir); last < 0 || errors.Is(err, fault.NotFound) {
		return nil
	} else if err != nil {
		return err
	}
	for n := 1; ; n++ {
		err := a.Space.Move(dir, dir+".closed-"+earlier[last].ID+suffix(n))
		if !errors.Is(err, fault.FileExists) || ctx.Err() != nil {
			return err
		}
	}
}

// initIndex gives a session its empty list of workflows. What lists them later rewrites it.
func (a *App) initIndex(name string) error {
	err := a.Space.WriteNew(session.IndexPath(name), []byte(session.EmptyIndex), 0)
	if errors.Is(err, fault.FileExists) {
		return nil
	}
	return err
}

// Sessions lists the sessions that can be found, newest first.
func (a *App) Sessions(ctx context.Context) (SessionsDoc, error) {
	runs, err := a.sessionRuns(ctx, session.Selects("", ""))
	if err != nil {
		return SessionsDoc{}, err
	}
	d := SessionsDoc{Sessions: []SessionDoc{}}
	if d.Current, err = a.CurrentSession(ctx); err != nil {
		return SessionsDoc{}, err
	}
	for _, r := range runs {
		rec, sum := session.ReadInfo(r)
		if rec.Status == session.Cancelled {
			continue
		}
		doc, err := a.sessionDoc(ctx, rec, &sum)
		if err != nil {
			return SessionsDoc{}, err
		}
		doc.Current = rec.Status == session.Active && rec.Name == d.Current
		d.Sessions = append(d.Sessions, doc)
	}
	d.Total = len(d.Sessions)
	return d, nil
}

// sessionRuns pages through the runs of sessions, newest first.
func (a *App) sessionRuns(ctx context.Context, f journal.Filter) ([]journal.RunInfo, error) {
	var all []journal.RunInfo
	for {
		page, err := a.Store.List(ctx, f)
		if err != nil {
			return nil, err
		}
		all = append(all, page.Runs...)
		if page.Next == "" {
			return all, nil
		}
		f.Cursor = page.Next
	}
}

func (a *App) sessionDoc(ctx context.Context, rec session.Record, sum *session.Summary) (SessionDoc, error) {
	d := SessionDoc{SessionName: rec.Name, SessionID: string(rec.ID), Status: string(rec.Status), CreatedAt: rec.CreatedAt,
		CreatedBy: rec.CreatedBy, Directory: line.SessionDir(rec.Name)}
	if !rec.ClosedAt.IsZero() {
		d.ClosedAt = &rec.ClosedAt
	}
	if sum != nil {
		d.Files, d.Deleted, d.Workflows = sum.Files, sum.Deleted, sum.Moved
	} else {
		d.Files, d.Deleted = rec.Counts()
		d.Workflows = len(rec.Workflows)
	}
	if rec.Status != session.Active {
		return d, nil
	}
	ids, err := a.sessionWorkflows(ctx, rec.Name)
	d.Workflows = len(ids)
	return d, err
}

// sessionWorkflows gives the workflows of an open session, oldest first. Those of an ended one carry other labels.
func (a *App) sessionWorkflows(ctx context.Context, name string) ([]kernel.RunID, error) {
	runs, err := a.sessionRuns(ctx, journal.Filter{Labels: map[string]string{line.LabelSession: name}, Limit: 1000})
	var ids []kernel.RunID
	for _, r := range runs {
		if r.Line != session.Name {
			ids = append(ids, kernel.RunID(r.ID))
		}
	}
	slices.Reverse(ids)
	return ids, err
}

// SwitchSession makes a session the current one of the command line.
func (a *App) SwitchSession(ctx context.Context, name string) (SessionDoc, error) {
	run, err := a.openSession(ctx, name)
	if err != nil {
		return SessionDoc{}, err
	}
	if err := a.Notes.SetNote(currentNote, []byte(name+"\n")); err != nil {
		return SessionDoc{}, err
	}
	d, err := a.sessionDoc(ctx, session.Read(run), nil)
	d.Current = true
	return d, err
}

// CurrentSession names the session the command line works in, or nothing. One that has ended is none.
func (a *App) CurrentSession(ctx context.Context) (string, error) {
	note, err := a.Notes.Note(currentNote)
	name := strings.TrimSpace(string(note))
	if err != nil || name == "" || session.CheckName(name) != nil {
		return "", err
	}
	page, err := a.Store.List(ctx, session.Selects(name, session.Active))
	if err != nil || len(page.Runs) == 0 {
		return "", err
	}
	return name, nil
}

// LeaveSession lets the command line work in no session.
func (a *App) LeaveSession(context.Context) error { return a.Notes.SetNote(currentNote, nil) }

// RequireSession refuses a name that is no open session's. The empty name is no session, and fine.
func (a *App) RequireSession(ctx context.Context, name string) error {
	if name == "" {
		return nil
	}
	_, err := a.sessionInfo(ctx, name)
	return err
}

// sessionInfo finds the open session of a name.
func (a *App) sessionInfo(ctx context.Context, name string) (journal.RunInfo, error) {
	if err := session.CheckName(name); err != nil {
		return journal.RunInfo{}, err
	}
	page, err := a.Store.List(ctx, session.Selects(name, session.Active))
	if err != nil {
		return journal.RunInfo{}, err
	}
	if len(page.Runs) == 0 {
		return journal.RunInfo{}, unknownSession(name)
	}
	return page.Runs[0], nil
}

func unknownSession(name string) error {
	return fault.New(fault.UnknownSession, name, "there is no open session %s", name).With(
		fault.Action{Action: "list the sessions", Command: "sluice session list"},
		fault.Action{Action: "open it", Command: "sluice session new " + name})
}

func (a *App) openSession(ctx context.Context, name string) (*kernel.Run, error) {
	info, err := a.sessionInfo(ctx, name)
	if err != nil {
		return nil, err
	}
	return a.Engine.Load(ctx, kernel.RunID(info.ID))
}

// isGone tells whether a run ended with a cancelled session: then no door finds it.
func isGone(r journal.RunInfo) bool { return r.Labels[line.LabelEnded] != "" }

func goneRun(id string) error {
	return fault.New(fault.UnknownRun, id, "run %s is not in this workspace", id).
		With(fault.Action{Action: "list the runs", Command: "sluice status"})
}

// sessionOnly refuses a command on a session's own run: its end concerns more than that run.
func sessionOnly(r *kernel.Run) error {
	name := session.Read(r).Name
	return fault.New(fault.IllegalStep, string(r.ID()), "run %s is session %s; only the commands of sessions change it", r.ID(), name).
		With(fault.Action{Action: "session", Command: "sluice session --help"})
}

func sessionActs(acts []session.Act) []engine.Act {
	out := make([]engine.Act, len(acts))
	for i, x := range acts {
		out[i] = engine.Act{Command: x.Command, Blobs: x.Blobs}
	}
	return out
}

// openIn makes a run, in a session if one is named. The session records it in the same transaction: a session that ends
// at the same time has the run with it or refuses it.
func (a *App) openIn(ctx context.Context, name string, open kernel.Open, acts ...engine.Act) (*kernel.Run, error) {
	if name == "" {
		return a.Engine.OpenWith(ctx, open, acts...)
	}
	for {
		run, err := a.openSession(ctx, name)
		if err != nil {
			return nil, err
		}
		err = a.Engine.DoAll(ctx,
			engine.RunActs{Run: run.ID(), At: run.Seq(), Acts: sessionActs(session.Join(open.Stamp, open.Run))},
			engine.RunActs{Run: open.Run, Acts: append([]engine.Act{{Command: open}}, acts...)})
		if errors.Is(err, fault.Conflict) && fault.From(err).Subject == string(run.ID()) && ctx.Err() == nil {
			continue // something else was recorded in the session meanwhile
		}
		if err != nil {
			return nil, err
		}
		return a.Engine.Load(ctx, open.Run)
	}
}
