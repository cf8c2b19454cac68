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

// reached lists the nodes whose standing may differ by the events, once each: those that the events are about, their
// checks and targets, the groups around them, and what needs any of these. It follows how the law carries a change on.
func reached(r *kernel.Run, events []kernel.Event) []kernel.NodeID {
	s := spread{run: r, seen: map[kernel.NodeID]bool{}, spread: map[kernel.NodeID]bool{}}
	for _, e := range events {
		for _, id := range about(r, e.Fact) {
			s.from(id)
		}
	}
	return s.nodes
}

// about gives the nodes that a fact names.
func about(r *kernel.Run, f kernel.Fact) []kernel.NodeID {
	switch f := f.(type) {
	case kernel.NodesAdded:
		ids := make([]kernel.NodeID, len(f.Nodes))
		for i, n := range f.Nodes {
			ids[i] = n.ID
		}
		return ids
	case kernel.NodeAbandoned:
		return []kernel.NodeID{f.Node}
	case kernel.NodeReopened:
		return []kernel.NodeID{f.Node}
	case kernel.NodeHeld:
		return []kernel.NodeID{f.Node}
	case kernel.RedoRequested:
		return f.Nodes
	case kernel.AttemptBegan:
		return []kernel.NodeID{f.Node}
	case kernel.AttemptClosed:
		return []kernel.NodeID{f.Node}
	case kernel.VersionStored:
		return []kernel.NodeID{f.Version.Node}
	case kernel.OfferTaken:
		return []kernel.NodeID{f.Node}
	case kernel.ReviewRecorded:
		return []kernel.NodeID{f.Review.Node, f.Review.Check}
	case kernel.VersionApproved:
		return []kernel.NodeID{f.Node}
	case kernel.VersionRejected:
		return []kernel.NodeID{f.Node}
	case kernel.AskOpened:
		return []kernel.NodeID{f.Ask.Node}
	case kernel.AskClosed:
		return []kernel.NodeID{f.Node}
	case kernel.RolledBack:
		return f.Nodes
	case kernel.RollbackUndone:
		var all []kernel.NodeID
		for n := range r.Nodes() {
			all = append(all, n.ID())
		}
		return all
	}
	return nil // of the run as a whole
}

// spread collects nodes.
type spread struct {
	run    *kernel.Run
	nodes  []kernel.NodeID
	seen   map[kernel.NodeID]bool
	spread map[kernel.NodeID]bool // from which it was gone on already
}

// add takes a node in and tells whether there is one.
func (s *spread) add(id kernel.NodeID) (kernel.View, bool) {
	n, ok := s.run.Node(id)
	if ok && !s.seen[id] {
		s.seen[id] = true
		s.nodes = append(s.nodes, id)
	}
	return n, ok
}

// from takes in a node and everything that a change of it is carried on to.
func (s *spread) from(id kernel.NodeID) {
	for next := []kernel.NodeID{id}; len(next) > 0; {
		id, next = next[0], next[1:]
		n, ok := s.add(id)
		if !ok || s.spread[id] {
			continue
		}
		s.spread[id] = true
		next = append(next, n.Checks()...)
		if of := n.Node(); of.Target != "" || of.Parent != "" {
			next = append(next, of.Target, of.Parent)
		}
		for _, d := range n.Dependants() { // as ready or waiting, which nothing else hangs on, unless it is made anew by itself
			if to, ok := s.add(d); ok && to.Node().Refresh {
				next = append(next, d)
			}
		}
	}
}
