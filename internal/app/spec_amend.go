package app

import (
	"context"

	"sluice/internal/engine"
	"sluice/internal/kernel"
	"sluice/internal/line/spec"
)

// AmendDoc says where an amended feature stands, and what changed.
type AmendDoc struct {
	SpecDoc
	Delta *spec.Delta `json:"delta,omitempty"` // from the last version before; none while there is no newer one
}

// AmendSpec gives a published or dropped feature new input: a new run of the same feature. Where ingest could not read
// what was given, new input takes its place. The feature is driven until it waits or ends.
func (a *App) AmendSpec(ctx context.Context, feature string, w spec.Wish) (AmendDoc, error) {
	r, err := a.amend(ctx, feature, w)
	if err != nil {
		return AmendDoc{}, err
	}
	d, err := a.driveInput(ctx, r, w)
	if err != nil {
		return AmendDoc{SpecDoc: d}, err
	}
	if r, err = a.Engine.Load(ctx, r.ID()); err != nil {
		return AmendDoc{SpecDoc: d}, err
	}
	return a.amended(ctx, r, d)
}

// amended adds what changed since the run before.
func (a *App) amended(ctx context.Context, r *kernel.Run, d SpecDoc) (AmendDoc, error) {
	out := AmendDoc{SpecDoc: d}
	older := spec.DeltaBase(r)
	newer, _ := spec.Newest(r)
	if older == nil || newer == nil || older == newer {
		return out, nil
	}
	delta, err := a.delta(ctx, r, older, newer)
	out.Delta = &delta
	return out, err
}

// BeginAmend gives a feature new input and does nothing about it yet.
func (a *App) BeginAmend(ctx context.Context, feature string, w spec.Wish) (SpecDoc, error) {
	r, err := a.amend(ctx, feature, w)
	if err != nil {
		return SpecDoc{}, err
	}
	return a.specDoc(ctx, r)
}

func (a *App) amend(ctx context.Context, feature string, w spec.Wish) (*kernel.Run, error) {
	r, err := a.feature(ctx, feature)
	if err != nil {
		return nil, err
	}
	input, err := w.Input()
	if err != nil {
		return nil, err
	}
	p := engine.PerformedAs(input)
	run := ""
	if !spec.IsUnreadable(r) {
		if _, _, err := spec.Amend(r, ""); err != nil { // before a number is lost
			return nil, err
		}
		if run, err = a.nextID(ctx, spec.RunSeries(a.Now())); err != nil {
			return nil, err
		}
	}
	return a.Engine.DoWish(ctx, r.ID(), func(l engine.Look) ([]engine.Act, error) {
		r := l.Run() // as it is now: somebody else may have amended it meanwhile
		at := spec.Current(r)
		submit := kernel.Submit{Stamp: a.stamp(), Node: at.Input(), Content: p.Content}
		if run == "" && spec.IsUnreadable(r) {
			return []engine.Act{{Command: submit, Blobs: p.Blobs}}, nil
		}
		nodes, labels, err := spec.Amend(r, run)
		submit.Node = spec.Place{Pass: at.Pass + 1}.Input()
		return []engine.Act{{Command: kernel.Unfold{Stamp: a.stamp(), Nodes: nodes}}, {Command: kernel.Relabel{Stamp: a.stamp(), Set: labels}},
			{Command: submit, Blobs: p.Blobs}}, err
	})
}
