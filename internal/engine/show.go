package engine

import (
	"context"
	"slices"

	"sluice/internal/digest"
	"sluice/internal/journal"
	"sluice/internal/kernel"
	"sluice/internal/line"
)

// checkouts gives the files that must change: those of nodes whose content moved, and state files that differ.
func (t *turn) checkouts(ctx context.Context) ([]journal.Checkout, error) {
	var rows []journal.Checkout
	moved := t.moved()
	if t.line.Files != nil {
		for _, id := range moved {
			n, ok := t.run.Node(id)
			if !ok {
				continue
			}
			for _, f := range t.line.Files(t.run, n) {
				more, err := t.fileRows(ctx, id, f)
				if err != nil {
					return nil, err
				}
				rows = append(rows, more...)
			}
		}
	}
	records, err := t.records(ctx)
	if err != nil {
		return nil, err
	}
	rows = append(rows, records...)
	if t.line.State == nil || t.shown != nil && t.line.Shows != nil && !slices.ContainsFunc(moved, t.line.Shows) {
		return rows, nil
	}
	if t.shown == nil {
		t.shown = map[string]digest.Digest{}
	}
	shown, err := t.line.State(t.run, func(v *kernel.Version) ([]byte, error) { return t.body(ctx, v) })
	if err != nil {
		return nil, err
	}
	for _, s := range shown {
		more, err := t.stateRows(ctx, s)
		if err != nil {
			return nil, err
		}
		rows = append(rows, more...)
	}
	return rows, nil
}

// fileRows gives the rows of one file. What the path shows before it is ours comes first, as a row that is written:
// the store keeps it as what the new row replaces.
func (t *turn) fileRows(ctx context.Context, id kernel.NodeID, f line.File) ([]journal.Checkout, error) {
	row := fileRow(id, f)
	now, there, err := t.e.Files.Checkout(ctx, f.Path)
	if err != nil {
		return nil, err
	}
	own := there && now.Run == string(t.run.ID())
	switch {
	case f.Loose && (!own || now.Removed):
		return nil, nil
	case f.Loose:
		row.Removed, row.Written = true, true
	case there && now.Digest == row.Digest && now.Version == row.Version && now.Removed == row.Removed && now.Role == row.Role:
		return nil, nil
	case own && !row.Removed && t.taken[f.Path] != "":
		base := row // a person's bytes that are taken over: ours may stand in their place
		base.Digest, base.Written = t.taken[f.Path], true
		return []journal.Checkout{base, row}, nil
	case row.Removed && f.Base != "":
		row.Digest = f.Base // by which what is there is known as ours to remove
	case row.Removed && !there:
		return nil, nil
	case f.Base != "" && !own:
		base := row
		base.Digest, base.Written = f.Base, true
		return []journal.Checkout{base, row}, nil
	}
	if f.Body != nil && !row.Removed {
		t.keep(journal.Blob{Digest: row.Digest, Body: f.Body})
	}
	return []journal.Checkout{row}, nil
}

// stateRows gives the row of a state file that differs from what this owner committed last.
func (t *turn) stateRows(ctx context.Context, s line.StateFile) ([]journal.Checkout, error) {
	if s.Make != nil {
		if t.shown[s.Path] == s.Mark {
			return nil, nil
		}
		body, err := s.Make()
		if err != nil {
			return nil, err
		}
		t.shown[s.Path] = s.Mark
		d := digest.Of(body)
		t.keep(journal.Blob{Digest: d, Body: body})
		return []journal.Checkout{{Path: s.Path, Digest: d, Role: journal.State}}, nil
	}
	if s.Loose || s.Body == nil {
		return t.fileRows(ctx, "", line.File{Path: s.Path, Role: journal.State, Loose: s.Loose})
	}
	d := digest.Of(s.Body)
	if t.shown[s.Path] == d {
		return nil, nil
	}
	t.shown[s.Path] = d
	t.keep(journal.Blob{Digest: d, Body: s.Body})
	return []journal.Checkout{{Path: s.Path, Digest: d, Role: journal.State}}, nil
}

func fileRow(id kernel.NodeID, f line.File) journal.Checkout {
	row := journal.Checkout{Path: f.Path, Node: string(id), Role: f.Role, Removed: f.Version == nil && f.Body == nil}
	if f.Version == nil {
		if f.Body != nil {
			row.Digest = digest.Of(f.Body)
		}
		return row
	}
	row.Version, row.Digest, row.Seq = string(f.Version.ID), f.Version.Digest, f.Version.Seq
	for _, p := range f.Version.Parts {
		if p.Path == f.Part {
			row.Digest = p.Digest
		}
	}
	return row
}
