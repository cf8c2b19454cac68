package engine

import (
	"context"

	"sluice/internal/fault"
	"sluice/internal/journal"
	"sluice/internal/kernel"
	"sluice/internal/line"
)

// Tables is where the rows that SQL clients read are written anew. Rows that change with a batch commit with it.
type Tables interface {
	// RowsDue gives the runs whose rows were never written.
	RowsDue(ctx context.Context) ([]string, error)
	// PutRows puts rows in place of all that a run has. It refuses with conflict when the run is not at the number.
	PutRows(ctx context.Context, run string, at int64, rows []journal.Row) error
}

// rows gives the rows that the turn changes. A line without tables costs nothing.
func (t *turn) rows(ctx context.Context) ([]journal.Row, error) {
	if t.line.Rows == nil {
		return nil, nil
	}
	return t.line.Rows(line.Changed{Run: t.run, Events: t.events, Nodes: reached(t.run, t.events),
		Body: func(v *kernel.Version) ([]byte, error) { return t.body(ctx, v) }})
}

// DeriveRows gives every row that SQL clients should find of a run.
func (e *Engine) DeriveRows(ctx context.Context, run *kernel.Run) ([]journal.Row, error) {
	l, err := e.line(run.Line())
	if err != nil || l.Rows == nil {
		return nil, err
	}
	return l.Rows(line.Changed{Run: run, Whole: true, Body: func(v *kernel.Version) ([]byte, error) {
		return e.Journal.Blob(ctx, string(run.ID()), v.Seq, v.Digest)
	}})
}

// RewriteRows writes the rows of a run anew, from its whole journal and no cache of it.
func (e *Engine) RewriteRows(ctx context.Context, id kernel.RunID) error {
	for try := 0; ; try++ {
		run := kernel.NewRun()
		if err := e.catchUp(ctx, id, run); err != nil {
			return err
		}
		rows, err := e.DeriveRows(ctx, run)
		if err != nil {
			return err
		}
		err = e.Tables.PutRows(ctx, string(id), run.Seq(), rows)
		if fault.CodeOf(err) != fault.Conflict || try == retries {
			return err
		}
	}
}

// FillRows writes the rows of runs that a program without tables wrote. A run that cannot be read is told of and left to
// the doctor: it must not keep the others from being seen.
func (e *Engine) FillRows(ctx context.Context) error {
	due, err := e.Tables.RowsDue(ctx)
	if err != nil {
		return err
	}
	for _, id := range due {
		err := e.RewriteRows(ctx, kernel.RunID(id))
		if ctx.Err() != nil {
			return err
		}
		if err != nil {
			e.Log.Warn("a run is not shown to SQL clients", "run", id, "error", err)
		}
	}
	return nil
}
