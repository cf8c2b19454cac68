package sqlitestore

import (
	"context"
	"encoding/json"

	"sluice/internal/fault"
	"sluice/internal/journal"
)

// checkRows refuses rows that the views could not read.
func checkRows(run string, rows []journal.Row) error {
	for _, r := range rows {
		if r.Table == "" || r.Key == "" && r.Body != nil || r.Body != nil && len(r.Body) == 0 {
			return fault.New(fault.BadValue, run, "a row of run %s has table %q, key %q and a body of %d bytes", run, r.Table, r.Key, len(r.Body))
		}
	}
	return nil
}

// putRow puts, replaces or removes a row that SQL clients read. One that is the same already costs a look and no write.
func (w *writer) putRow(run int64, r *journal.Row) error {
	var err error
	switch {
	case r.Key == "":
		_, err = w.exec("DELETE FROM reader_row WHERE run = ? AND tab = ?", run, r.Table)
	case r.Body == nil:
		_, err = w.exec("DELETE FROM reader_row WHERE run = ? AND tab = ? AND key = ?", run, r.Table, r.Key)
	default:
		_, err = w.exec(`INSERT INTO reader_row (run, tab, key, body) VALUES (?, ?, ?, ?)
			ON CONFLICT (run, tab, key) DO UPDATE SET body = excluded.body WHERE body <> excluded.body`,
			run, r.Table, r.Key, string(r.Body))
	}
	return err
}

// Rows gives the rows of a run that SQL clients read, by table and key.
func (s *Store) Rows(ctx context.Context, run string) ([]journal.Row, error) {
	n, err := s.number(ctx, run)
	if err != nil {
		return nil, err
	}
	return collect(ctx, s, "SELECT tab, key, body FROM reader_row WHERE run = ? ORDER BY tab, key", []any{n},
		func(r scanner) (journal.Row, error) {
			var row journal.Row
			var body string
			err := r.Scan(&row.Table, &row.Key, &body)
			row.Body = json.RawMessage(body)
			return row, err
		})
}

// PutRows writes all rows of a run anew, in place of those that are there. They are right for the run as it is at the
// sequence number: one that has moved on is a conflict.
func (s *Store) PutRows(ctx context.Context, run string, at int64, rows []journal.Row) error {
	if err := checkRows(run, rows); err != nil {
		return err
	}
	return s.writer.submit(ctx, func(w *writer) error {
		var n, seq int64
		ok, err := w.scan("SELECT n, seq FROM run WHERE id = ?", []any{run}, &n, &seq)
		switch {
		case err != nil:
			return err
		case !ok:
			return unknownRun(run)
		case seq != at:
			return fault.New(fault.Conflict, run, "run %s is at %d and the rows are of %d", run, seq, at)
		}
		if _, err := w.exec("DELETE FROM reader_row WHERE run = ?", n); err != nil {
			return err
		}
		for i := range rows {
			if err := w.putRow(n, &rows[i]); err != nil {
				return err
			}
		}
		_, err = w.exec("DELETE FROM reader_due WHERE run = ?", n)
		return err
	})
}

// RowsDue gives the runs whose rows were never written: a program without them wrote those runs.
func (s *Store) RowsDue(ctx context.Context) ([]string, error) {
	return collect(ctx, s, "SELECT r.id FROM reader_due d JOIN run r ON r.n = d.run ORDER BY r.n", nil,
		func(r scanner) (id string, err error) {
			err = r.Scan(&id)
			return id, err
		})
}
