package app

import (
	"context"
	"sort"
	"time"

	"sluice/internal/digest"
	"sluice/internal/engine"
	"sluice/internal/export"
	"sluice/internal/fault"
	"sluice/internal/journal"
	"sluice/internal/kernel"
	"sluice/internal/line"
	"sluice/internal/line/novel"
	"sluice/internal/line/novel/story"
	"sluice/internal/line/scene"
	"sluice/internal/line/task"
	"sluice/internal/session"
)

// Store is what verbs read besides the engine.
type Store interface {
	Run(ctx context.Context, id string) (journal.RunInfo, error)
	List(ctx context.Context, f journal.Filter) (journal.RunPage, error)
	Asks(ctx context.Context, run string, all bool) ([]journal.Ask, error)
	Ask(ctx context.Context, idOrPrefix string) (journal.Ask, error)
	Calls(ctx context.Context, run string) ([]journal.Call, error)
}

// App is one open workspace with everything its verbs need.
type App struct {
	Root      string // of the workspace
	Engine    *engine.Engine
	Store     Store
	By        kernel.Actor   // who uses this door
	Plan      engine.Plan    // how runs are driven, from configuration
	Plans     task.Settings  // what plans of tasks are held to, from configuration
	Novel     story.Settings // of books that say nothing, from configuration
	Counter   Counter        // of display ids
	Health    Health         // doctor and verify
	Tree      export.Tree    // where exports are written
	Space     session.Tree   // the workspace's files
	Writer    Writer         // of files that show what the store holds
	Publisher Publisher      // of specs
	Recorded  engine.Model   // gives recorded replies; nil: runs are not replayed
	Index     *Indexer       // of workflows
	Notes     session.Notes
	Spending  Spending // what may be spent, and what was
	Keeper    Keeper   // of backups, replies to carry and room on the disk
	Now       func() time.Time
	// ErrorLog says where the errors of a day stand that steps of specs met; nil: nowhere.
	ErrorLog func(at time.Time) string
}

func (a *App) stamp() kernel.Stamp {
	return kernel.Stamp{By: a.By, At: a.Now().UTC().Truncate(time.Microsecond)}
}

func (a *App) lineOf(r *kernel.Run) *line.Line { return a.Engine.Lines[r.Line()] }

// load gives a run as it stands, with what people changed in its files taken over first.
func (a *App) load(ctx context.Context, id string) (*kernel.Run, error) {
	run, err := a.resolve(ctx, id)
	if err != nil {
		return nil, err
	}
	if info, err := a.Store.Run(ctx, string(run)); err == nil && info.Line == novel.Name {
		book, _, err := a.book(ctx, info.Labels[novel.LabelProject])
		return book, err
	}
	if _, err := a.Engine.Adopt(ctx, run); err != nil {
		return nil, err
	}
	return a.Engine.Load(ctx, run)
}

// Start is a wish for a new run.
type Start struct {
	Open  kernel.Open
	Blobs []journal.Blob
	Drive bool
}

// StartRun makes a run of any line and drives it until it waits or ends, if that is wanted.
func (a *App) StartRun(ctx context.Context, s Start) (RunDoc, error) {
	s.Open.Stamp = a.stamp()
	var run *kernel.Run
	var err error
	if s.Drive {
		run, err = a.Engine.OpenAndDrive(ctx, s.Open, a.Plan, s.Blobs...)
	} else {
		run, err = a.Engine.Open(ctx, s.Open, s.Blobs...)
	}
	return a.outcome(ctx, run, err)
}

// Drive lets a run go on until it waits or ends. Failed nodes are tried again: asking is the wish to.
func (a *App) Drive(ctx context.Context, id string) (RunDoc, error) {
	run, err := a.load(ctx, id)
	if err != nil {
		return RunDoc{}, err
	}
	if run.Line() == novel.Name {
		return a.driveBook(ctx, run)
	}
	if run, err = a.afford(ctx, run); err != nil {
		return RunDoc{}, err
	}
	if run.Status() == kernel.RunFailed {
		if run, err = a.Engine.Do(ctx, run.ID(), engine.Act{Command: kernel.Resume{Stamp: a.stamp(), Reason: "run again"}}); err != nil {
			return RunDoc{}, err
		}
	}
	switch run.Status() {
	case kernel.RunCancelled, kernel.RunDropped:
		return RunDoc{}, fault.New(fault.RunClosed, string(run.ID()), "run %s is %s", run.ID(), run.Status()).
			With(fault.Action{Action: "resume", Command: engine.Command(a.lineOf(run), run, "", "resume"), Why: "a closed run goes on only when it is resumed"})
	case kernel.RunActive:
		run, err = a.driveAny(ctx, run)
	}
	return a.outcome(ctx, run, err)
}

// driveAny drives a run in the way of its line.
func (a *App) driveAny(ctx context.Context, run *kernel.Run) (*kernel.Run, error) {
	if run.Line() != scene.Name {
		return a.Engine.Drive(ctx, run.ID(), a.Plan)
	}
	run, err := a.driveWorkflow(ctx, run.ID())
	if run == nil {
		return nil, err
	}
	shown := a.showWorkflow(context.WithoutCancel(ctx), run)
	if err == nil { // else it says more
		err = shown
	}
	return run, err
}

// outcome renders a driven run. An interruption is an error with the document of what was reached.
func (a *App) outcome(ctx context.Context, run *kernel.Run, err error) (RunDoc, error) {
	if run == nil {
		return RunDoc{}, err
	}
	return a.runDoc(ctx, run), err
}

// Resume reopens a closed or failed run, from an earlier node if one is named, and drives it.
func (a *App) Resume(ctx context.Context, id, from, reason string) (RunDoc, error) {
	return a.command(ctx, id, kernel.Resume{Stamp: a.stamp(), From: kernel.NodeID(from), Reason: reason}, true)
}

// Cancel ends a run.
func (a *App) Cancel(ctx context.Context, id, reason string) (RunDoc, error) {
	return a.command(ctx, id, kernel.Cancel{Stamp: a.stamp(), Reason: reason}, false)
}

// Revise throws the content of nodes away on purpose; the next drive makes it again.
func (a *App) Revise(ctx context.Context, id string, nodes []string, note string) (RunDoc, error) {
	return a.command(ctx, id, kernel.Revise{Stamp: a.stamp(), Nodes: nodeIDs(nodes), Note: note}, false)
}

// Reopen gives a node its attempts again.
func (a *App) Reopen(ctx context.Context, id, node, reason string) (RunDoc, error) {
	return a.command(ctx, id, kernel.Reopen{Stamp: a.stamp(), Node: kernel.NodeID(node), Reason: reason}, false)
}

// Rollback takes nodes and what depends on them back to the time before they had content.
func (a *App) Rollback(ctx context.Context, id string, nodes []string, reason string) (RunDoc, error) {
	return a.command(ctx, id, kernel.Rollback{Stamp: a.stamp(), Nodes: nodeIDs(nodes), Reason: reason}, false)
}

// Undo brings the last rollback back.
func (a *App) Undo(ctx context.Context, id string) (RunDoc, error) {
	return a.command(ctx, id, kernel.Undo{Stamp: a.stamp()}, false)
}

func (a *App) command(ctx context.Context, id string, c kernel.Command, drive bool) (RunDoc, error) {
	run, err := a.load(ctx, id)
	if err != nil {
		return RunDoc{}, err
	}
	if run.Line() == session.Name {
		return RunDoc{}, sessionOnly(run)
	}
	if err := a.refuseOnBook(ctx, run, c); err != nil {
		return RunDoc{}, err
	}
	if err := refuseOnSpec(run, c); err != nil {
		return RunDoc{}, err
	}
	if run, err = a.Engine.Do(ctx, run.ID(), engine.Act{Command: c}); err != nil {
		return RunDoc{}, err
	}
	if drive {
		return a.Drive(ctx, string(run.ID()))
	}
	return a.runDoc(ctx, run), nil
}

func nodeIDs(names []string) []kernel.NodeID {
	out := make([]kernel.NodeID, len(names))
	for i, n := range names {
		out[i] = kernel.NodeID(n)
	}
	return out
}

// Lines names the lines of this program.
func (a *App) Lines() []string {
	names := make([]string, 0, len(a.Engine.Lines))
	for n := range a.Engine.Lines {
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}

func blob(body []byte) journal.Blob { return journal.Blob{Digest: digest.Of(body), Body: body} }
