package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"sluice/internal/engine"
	"sluice/internal/fault"
	"sluice/internal/journal"
	"sluice/internal/kernel"
	"sluice/internal/line"
	"sluice/internal/session"
)

// SessionDiff previews the commit of a session.
func (a *App) SessionDiff(ctx context.Context, name string) (DiffDoc, error) {
	run, err := a.openSession(ctx, name)
	if err != nil {
		return DiffDoc{}, err
	}
	ids, err := a.sessionWorkflows(ctx, name)
	if err != nil {
		return DiffDoc{}, err
	}
	rec := session.Read(run)
	p, err := a.planCommit(ctx, rec)
	if err != nil {
		return DiffDoc{}, err
	}
	c := commitDoc(rec, p, ids)
	return DiffDoc{SessionName: c.SessionName, SessionID: c.SessionID, Status: c.Status, Changes: c.Changes,
		Workflows: c.Workflows, Conflicts: c.Conflicts}, nil
}

func commitDoc(rec session.Record, p session.Plan, workflows []kernel.RunID) CommitDoc {
	d := CommitDoc{SessionName: rec.Name, SessionID: string(rec.ID), Status: string(rec.Status),
		Changes: []ChangeDoc{}, Workflows: []string{}, Conflicts: p.Conflicts()}
	for _, c := range p.Changes {
		added, removed := countLines(c.Before, c.After)
		d.Changes = append(d.Changes, ChangeDoc{Path: c.Path, Change: string(c.Kind), Workflow: c.Owner, Bytes: int64(len(c.After)),
			LinesAdded: added, LinesRemoved: removed, Conflict: c.Conflict})
	}
	for _, id := range workflows {
		d.Workflows = append(d.Workflows, string(id))
	}
	return d
}

// countLines counts the lines that only one side has, whatever their order.
func countLines(before, after []byte) (added, removed int) {
	balance := map[string]int{}
	for l := range bytes.Lines(after) {
		balance[string(l)]++
	}
	for l := range bytes.Lines(before) {
		balance[string(l)]--
	}
	for _, n := range balance {
		if n > 0 {
			added += n
		} else {
			removed -= n
		}
	}
	return added, removed
}

// seen reads the files of a session, with the workflows that show them.
func (a *App) seen(ctx context.Context, rec session.Record, want func(path string) bool) ([]session.Seen, error) {
	paths, err := session.Walk(ctx, a.Space, rec.Name)
	if err != nil {
		return nil, err
	}
	var all []session.Seen
	for _, p := range paths {
		if !want(p) {
			continue
		}
		body, there, err := session.Look(a.Space, p)
		if err != nil {
			return nil, err
		}
		if !there {
			continue
		}
		s := session.Seen{Path: line.GlobalPath(rec.Name, p), Body: body}
		row, ok, err := a.Engine.Files.Checkout(ctx, p)
		if err != nil {
			return nil, err
		}
		if ok && !row.Removed && row.Run != string(rec.ID) {
			s.Owner = row.Run
		}
		all = append(all, s)
	}
	return all, nil
}

func (a *App) planCommit(ctx context.Context, rec session.Record) (session.Plan, error) {
	seen, err := a.seen(ctx, rec, func(p string) bool { return session.IsCommitted(rec.Name, p) })
	if err != nil {
		return session.Plan{}, err
	}
	return session.PlanCommit(rec, seen, func(p string) ([]byte, bool, error) {
		if _, err := a.Space.Check(p); err != nil {
			return nil, false, err
		}
		return session.Look(a.Space, p)
	})
}

// CommitSession brings a session into the workspace, all or nothing, or previews that unless confirm is given. Asked
// again after the end it tells of it.
func (a *App) CommitSession(ctx context.Context, name string, confirm bool) (CommitDoc, error) {
	return a.endSession(ctx, name, session.Committed, confirm, func(e *ending) ([]session.Act, error) {
		p, err := a.planCommit(ctx, e.rec)
		if err != nil {
			return nil, err
		}
		e.doc = commitDoc(e.rec, p, e.workflows)
		if !confirm {
			e.doc.Preview = true
			return nil, nil
		}
		if len(e.doc.Conflicts) > 0 {
			return nil, conflicts(e.doc)
		}
		return session.RecordCommit(a.stamp(), e.rec, p, e.end(session.Committed))
	}, func(*kernel.Run) []session.Act { return session.MoveWorkflow(a.stamp(), name) })
}

// CancelSession ends a session and what was done in it: its files are removed and its workflows are not found any more.
// The journal keeps both.
func (a *App) CancelSession(ctx context.Context, name string) (CommitDoc, error) {
	return a.endSession(ctx, name, session.Cancelled, true, func(e *ending) ([]session.Act, error) {
		seen, err := a.seen(ctx, e.rec, func(string) bool { return true })
		if err != nil {
			return nil, err
		}
		e.doc = commitDoc(e.rec, session.Plan{}, e.workflows)
		return session.RecordCancel(a.stamp(), e.rec, seen, e.end(session.Cancelled))
	}, func(r *kernel.Run) []session.Act { return session.EndWorkflow(a.stamp(), name, r) })
}

// ending is a session that is about to end, with the leases of all its runs.
type ending struct {
	run       *kernel.Run
	rec       session.Record
	workflows []kernel.RunID
	loaded    []*kernel.Run
	doc       CommitDoc
}

func (e *ending) end(s session.Status) session.End {
	end := session.End{Outcome: s}
	for _, r := range e.loaded {
		end.Workflows = append(end.Workflows, string(r.ID()))
		end.Retries = append(end.Retries, session.Retries(r)...)
	}
	return end
}

// endSession takes the leases of all runs of the session, lets plan say what is recorded, and does it in one
// transaction; files follow, and are completed on the next start if this process dies.
func (a *App) endSession(ctx context.Context, name string, to session.Status, confirm bool,
	plan func(*ending) ([]session.Act, error), move func(*kernel.Run) []session.Act) (CommitDoc, error) {
	const tries = 4
	for try := 1; ; try++ {
		doc, err := a.tryToEnd(ctx, name, to, confirm, plan, move)
		// Someone wrote into the session between the plan and the transaction: plan again.
		if !errors.Is(err, errMoved) || try == tries {
			return doc, err
		}
	}
}

var errMoved = errors.New("the session moved on while its end was planned")

func (a *App) tryToEnd(ctx context.Context, name string, to session.Status, confirm bool,
	plan func(*ending) ([]session.Act, error), move func(*kernel.Run) []session.Act) (CommitDoc, error) {
	info, err := a.sessionInfo(ctx, name)
	if errors.Is(err, fault.UnknownSession) {
		return a.endedSession(ctx, name, to)
	}
	if err != nil {
		return CommitDoc{}, err
	}
	e := &ending{}
	if confirm {
		release, err := a.leaseAll(ctx, e, info)
		defer release()
		if err != nil {
			return CommitDoc{}, err
		}
	} else if e.workflows, err = a.sessionWorkflows(ctx, name); err != nil {
		return CommitDoc{}, err
	}
	if err := a.gather(ctx, e, info, confirm); err != nil {
		return CommitDoc{}, err
	}
	acts, err := plan(e)
	if err != nil || !confirm {
		return e.doc, err
	}
	// The session's batch comes first: it says what the workspace's files were before the workflows' replace them.
	many := []engine.RunActs{{Run: e.run.ID(), At: e.run.Seq(), Acts: sessionActs(acts)}}
	for _, r := range e.loaded {
		many = append(many, engine.RunActs{Run: r.ID(), Acts: sessionActs(move(r))})
	}
	if err := a.Engine.DoAll(ctx, many...); err != nil {
		if errors.Is(err, fault.Conflict) && fault.From(err).Subject == string(e.run.ID()) {
			return CommitDoc{}, fmt.Errorf("%w: %w", errMoved, err)
		}
		return CommitDoc{}, err
	}
	e.doc.Status = string(to)
	return e.doc, a.afterEnd(ctx, name)
}

// leaseAll takes the leases of the session and of its workflows, also of those that came while it waited.
func (a *App) leaseAll(ctx context.Context, e *ending, info journal.RunInfo) (release func(), err error) {
	held := map[kernel.RunID]journal.Lease{}
	release = func() {
		for _, l := range held {
			// One that is not given back dies with this process.
			_ = a.Engine.Leaser.Release(context.WithoutCancel(ctx), l)
		}
	}
	wanted := []kernel.RunID{kernel.RunID(info.ID)}
	for {
		for _, id := range wanted {
			if _, ok := held[id]; ok {
				continue
			}
			l, err := a.Engine.Leaser.Acquire(ctx, string(id))
			if err != nil {
				return release, err
			}
			held[id] = l
		}
		name := info.Labels[line.LabelSession]
		if e.workflows, err = a.sessionWorkflows(ctx, name); err != nil {
			return release, err
		}
		if wanted = append(wanted[:1:1], e.workflows...); len(held) >= len(wanted) {
			return release, nil
		}
	}
}

// gather loads the runs; what people changed in the files of workflows is taken over before they move.
func (a *App) gather(ctx context.Context, e *ending, info journal.RunInfo, adopt bool) (err error) {
	for _, id := range e.workflows {
		if adopt {
			if _, err := a.Engine.Adopt(ctx, id); err != nil {
				return err
			}
		}
		r, err := a.Engine.Load(ctx, id)
		if err != nil {
			return err
		}
		e.loaded = append(e.loaded, r)
	}
	if e.run, err = a.Engine.Load(ctx, kernel.RunID(info.ID)); err != nil {
		return err
	}
	e.rec = session.Read(e.run)
	return nil
}

// endedSession answers for a session that is not open: what was wished for has happened already, or cannot.
func (a *App) endedSession(ctx context.Context, name string, to session.Status) (CommitDoc, error) {
	page, err := a.Store.List(ctx, session.Selects(name, ""))
	if err != nil {
		return CommitDoc{}, err
	}
	if len(page.Runs) == 0 {
		return CommitDoc{}, unknownSession(name)
	}
	rec, _ := session.ReadInfo(page.Runs[0])
	switch {
	case rec.Status == to:
		run, err := a.Engine.Load(ctx, rec.ID)
		if err != nil {
			return CommitDoc{}, err
		}
		d := commitDoc(session.Read(run), session.Plan{}, nil)
		d.Workflows, d.Already = append(d.Workflows, session.Read(run).Workflows...), true
		return d, a.afterEnd(ctx, name)
	case rec.Status == session.Committed:
		return CommitDoc{}, fault.New(fault.SessionClosed, name, "session %s was committed and cannot be cancelled", name).
			With(fault.Action{Action: "open it anew", Command: "sluice session new " + name})
	}
	return CommitDoc{}, unknownSession(name)
}

// afterEnd does what follows from the end and may be done again: the workspace's index lists what came over, and the
// command line leaves the session.
func (a *App) afterEnd(ctx context.Context, name string) error {
	if err := a.WriteIndex(ctx, ""); err != nil {
		return err
	}
	note, err := a.Notes.Note(currentNote)
	if err != nil {
		return err
	}
	if strings.TrimSpace(string(note)) == name {
		return a.LeaveSession(ctx)
	}
	return nil
}

// conflicts refuses a commit and names what stands in its way.
func conflicts(d CommitDoc) error {
	var lines []string
	for _, c := range d.Changes {
		if c.Conflict != "" {
			lines = append(lines, c.Path+": "+c.Conflict)
		}
	}
	const shown = 5
	text := strings.Join(lines[:min(shown, len(lines))], "; ")
	if n := len(lines) - shown; n > 0 {
		text += "; and " + strconv.Itoa(n) + " more"
	}
	first := d.Conflicts[0]
	return fault.New(fault.Conflict, d.SessionName, "session %s cannot be committed, nothing was written: %s", d.SessionName, text).With(
		fault.Action{Action: "diff", Command: "sluice session diff " + d.SessionName, Why: "it lists every conflict"},
		fault.Action{Action: "rebase", Command: fmt.Sprintf("sluice session path --session %s --rebase %q", d.SessionName, first),
			Why: "once the session's copy holds what should stand, the workspace's file as it is now is what it is compared with"},
		fault.Action{Action: "cancel", Command: "sluice session cancel " + d.SessionName, Why: "the workspace stays as it is"})
}

func suffix(n int) string {
	if n == 1 {
		return ""
	}
	return "-" + strconv.Itoa(n)
}
