package workspace

import (
	"context"

	"sluice/internal/fault"
	"sluice/internal/journal"
)

// Scan compares written rows with the disk and gives back what differs: of one run ("" is all), or of these paths
// only. It changes nothing. A file whose size, times and identity are as when its bytes were last known in this
// process is not read again.
func (c *Checkouts) Scan(ctx context.Context, run string, paths ...string) ([]Edit, error) {
	rows, err := c.scope(ctx, run, paths)
	if err != nil {
		return nil, err
	}
	var edits []Edit
	for _, row := range rows {
		if err := ctx.Err(); err != nil {
			return edits, fault.Wrap(fault.Interrupted, row.Path, err, "comparing files was interrupted")
		}
		e, err := c.compare(ctx, row)
		if err != nil {
			return edits, err
		}
		if e != nil {
			edits = append(edits, *e)
		}
	}
	return edits, nil
}

func (c *Checkouts) scope(ctx context.Context, run string, paths []string) ([]journal.Checkout, error) {
	if len(paths) == 0 {
		return c.rows.Checkouts(ctx, run)
	}
	var rows []journal.Checkout
	for _, p := range paths {
		clean, err := CleanPath(p)
		if err != nil {
			return nil, err
		}
		row, ok, err := c.rows.Checkout(ctx, clean)
		if err != nil {
			return nil, err
		}
		if ok && (run == "" || row.Run == run) {
			rows = append(rows, row)
		}
	}
	return rows, nil
}

// compare judges one row. A difference counts only if the row is still the same afterwards: another process may have
// committed and placed a newer one.
func (c *Checkouts) compare(ctx context.Context, row journal.Checkout) (*Edit, error) {
	for {
		// A path that was given up or handed over is nobody's: what a person puts there is not ours to judge.
		if !row.Written || row.Removed || row.Role == journal.Given || c.isShown(row.Path, row.Digest) {
			return nil, nil
		}
		f, err := c.look(row.Path)
		if err != nil {
			return nil, err
		}
		if f.there && f.digest == row.Digest {
			return nil, nil
		}
		now, ok, err := c.rows.Checkout(ctx, row.Path)
		if err != nil || !ok {
			return nil, err
		}
		if now == row {
			e := c.edit(difference(row, f), row, f)
			return &e, nil
		}
		row = now
	}
}

func difference(row journal.Checkout, f found) journal.EditKind {
	switch {
	case row.Role == journal.Kept:
		return journal.Damaged
	case !f.there:
		return journal.Vanished
	}
	return journal.Edited
}
