package engine

import (
	"context"

	"sluice/internal/fault"
	"sluice/internal/journal"
	"sluice/internal/kernel"
	"sluice/internal/line"
)

// Wish looks at a run and says what should be done to it. It may be asked again when the run moved on meanwhile.
type Wish func(l Look) ([]Act, error)

// Look is a run as a wish sees it: what it decides is committed only if the run still stands like that.
type Look struct{ t *turn }

// Run gives the run; it must not be kept.
func (l Look) Run() *kernel.Run { return l.t.run }

// Body gives the bytes of a version of the run.
func (l Look) Body(ctx context.Context) line.Body {
	return func(v *kernel.Version) ([]byte, error) { return l.t.body(ctx, v) }
}

// DoWish applies what a wish decides, all or none, in one batch. Nothing decided is nothing done. A run that this process
// drives gets it through its owner.
func (e *Engine) DoWish(ctx context.Context, id kernel.RunID, wish Wish) (*kernel.Run, error) {
	for try := 0; ; try++ {
		t, err := e.begin(ctx, id)
		if err != nil {
			return nil, err
		}
		acts, err := wish(Look{t})
		if err != nil {
			return nil, err
		}
		if e.driving(id) != nil {
			return e.Do(ctx, id, acts...)
		}
		for _, a := range acts {
			if err := t.apply(a); err != nil {
				return nil, err
			}
		}
		if err := t.unfold(ctx); err != nil {
			return nil, err
		}
		err = t.commit(ctx, 0, false)
		if fault.CodeOf(err) == fault.Conflict && try < retries {
			continue
		}
		return t.run, err
	}
}

// OpenWith makes a run and applies commands to it in one batch, as when work done elsewhere is taken over.
func (e *Engine) OpenWith(ctx context.Context, c kernel.Open, acts ...Act) (*kernel.Run, error) {
	t, err := e.open(ctx, c, nil)
	if err != nil {
		return nil, err
	}
	for _, a := range acts {
		if err := t.apply(a); err != nil {
			return nil, err
		}
	}
	if err := t.unfold(ctx); err != nil {
		return nil, err
	}
	return t.run, t.commit(ctx, 0, false)
}

// Performed is what a step would deliver.
type Performed struct {
	Out     line.Out
	Content kernel.Content
	Blobs   []journal.Blob
}

// Perform does the work of a node that needs no model, and records nothing: what comes of it is the wish's to say.
func (l Look) Perform(ctx context.Context, node kernel.NodeID) (Performed, error) {
	t, err := l.t.e.begin(ctx, l.t.run.ID()) // a copy, on which it begins
	if err != nil {
		return Performed{}, err
	}
	if err := t.apply(Act{Command: kernel.Begin{Stamp: t.e.stamp(kernel.Engine), Node: node, TakeOver: true}}); err != nil {
		return Performed{}, err
	}
	n, _ := t.run.Node(node)
	f, err := t.prepare(ctx, n.Open())
	if err != nil {
		return Performed{}, err
	}
	for range maxReads {
		m, err := f.step(f.in)
		switch {
		case err != nil:
			return Performed{}, err
		case m.Done != nil:
			return PerformedAs(*m.Done), nil
		case len(m.Reads) == 0 && len(m.Wants) == 0:
			return Performed{}, fault.New(fault.BadNode, string(node), "step %s of node %s cannot be done without a model", n.Node().Step, node)
		}
		if err := t.supply(ctx, f, m); err != nil {
			return Performed{}, err
		}
	}
	return Performed{}, fault.New(fault.BadNode, string(node), "step %s of node %s reads for ever", n.Node().Step, node)
}

// PerformedAs is what a step would deliver with other output than its own.
func PerformedAs(out line.Out) Performed {
	p := Performed{Out: out}
	p.Content, p.Blobs = contentOf(&out)
	return p
}
