package sqlitestore

import (
	"context"

	"sluice/internal/fault"
	"sluice/internal/journal"
)

// PutShown writes the row by which a run is listed and its rows in the inbox anew, and takes asks away that never were.
// The journal, which they are derived from, stays as it is. It refuses with conflict when the run is not at the number.
func (s *Store) PutShown(ctx context.Context, run string, at int64, h journal.Head, asks []journal.Ask, never []string) error {
	labels, err := encodeLabels(h.Labels)
	if err != nil {
		return err
	}
	return s.writer.submit(ctx, func(w *writer) error {
		var n int64
		there, err := w.scan("SELECT n FROM run WHERE id = ? AND seq = ?", []any{run, at}, &n)
		if err != nil {
			return err
		}
		if !there {
			return fault.New(fault.Conflict, run, "run %s is not at %d any more", run, at)
		}
		delete(w.rows, run)
		if _, err := w.exec("UPDATE run SET line = ?, definition = ?, title = ?, status = ?, labels = ?, summary = ? WHERE n = ?",
			h.Line, string(h.Definition), h.Title, h.Status, labels, string(h.Summary), n); err != nil {
			return err
		}
		if _, err := w.exec("DELETE FROM run_label WHERE run = ?", n); err != nil {
			return err
		}
		if err := w.relabel(n, nil, h.Labels); err != nil {
			return err
		}
		for _, id := range never {
			if _, err := w.exec("DELETE FROM ask WHERE id = ? AND run = ?", id, n); err != nil {
				return err
			}
		}
		for i := range asks {
			if err := w.putAsk(n, &asks[i]); err != nil {
				return err
			}
		}
		return nil
	})
}
