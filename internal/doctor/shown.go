package doctor

import (
	"context"
	"encoding/json"
	"slices"

	"sluice/internal/fault"
	"sluice/internal/journal"
	"sluice/internal/kernel"
)

// isShown tells findings about rows that only show what the journal holds.
func isShown(code string) bool {
	return code == HeadDiffers || code == AskMissing || code == AskStray || code == AskDiffers
}

// putShown writes the row and the asks of a run anew from its journal, once per run. A journal that is not whole says
// nothing about what should be shown.
func (w Workspace) putShown(ctx context.Context, id string, found Report, done map[string]error) error {
	if err, tried := done[id]; tried {
		return err
	}
	err := w.rewriteShown(ctx, id, found)
	done[id] = err
	return err
}

func (w Workspace) rewriteShown(ctx context.Context, id string, found Report) error {
	isBroken := func(f Finding) bool { return f.Run == id && f.Severity == Error }
	if w.Shown == nil || slices.ContainsFunc(found.Findings, isBroken) {
		return fault.New(fault.StoreCorrupt, id, "the journal of run %s is not whole, so nothing is derived from it", id)
	}
	_, run, err := verifyRun(ctx, w.Store, id, definitions{})
	if err != nil {
		return err
	}
	if run == nil {
		return fault.New(fault.Conflict, id, "run %s goes on; look again when it waits", id)
	}
	now, err := w.Store.Run(ctx, id)
	if err != nil {
		return err
	}
	h := journal.Head{Line: run.Line(), Definition: run.Definition(), Title: run.Title(), Status: string(run.Status()), Labels: run.Labels(),
		Summary: now.Summary}
	rows, err := w.Store.Asks(ctx, id, true)
	if err != nil {
		return err
	}
	var asks []journal.Ask
	var never []string
	put := func(a *kernel.Ask) error {
		body, err := json.Marshal(a)
		asks = append(asks, journal.Ask{ID: string(a.ID), Run: id, Node: string(a.Node), Kind: string(a.Kind), Title: a.Title, Version: string(a.Version),
			Digest: a.Digest, OpenedAt: a.OpenedAt, Open: a.IsOpen(), Body: body})
		return err
	}
	for _, row := range rows {
		a, known := run.Ask(kernel.AskID(row.ID))
		if !known {
			never = append(never, row.ID)
		} else if !a.IsOpen() {
			if err := put(a); err != nil {
				return err
			}
		}
	}
	for a := range run.OpenAsks() {
		if err := put(a); err != nil {
			return err
		}
	}
	return w.Shown.PutShown(ctx, id, run.Seq(), h, asks, never)
}
