package sqlitestore

import (
	"context"

	"sluice/internal/digest"
	"sluice/internal/fault"
	"sluice/internal/journal"
)

// SaveFold keeps a folded state. One of the same revision that reaches further stays.
func (s *Store) SaveFold(ctx context.Context, f journal.Fold) error {
	n, err := s.number(ctx, f.Run)
	if err != nil {
		return err
	}
	state := s.packer.add(nil, f.State)
	return s.writer.submit(ctx, func(w *writer) error {
		_, err := w.exec(`INSERT INTO fold (run, seq, revision, state) VALUES (?, ?, ?, ?)
			ON CONFLICT (run) DO UPDATE SET seq = excluded.seq, revision = excluded.revision, state = excluded.state
			WHERE excluded.revision <> fold.revision OR excluded.seq > fold.seq`, n, f.Seq, f.Revision, state)
		return err
	})
}

// Fold gives the folded state of a run if it is of the revision. One of another revision, or one that cannot be read,
// counts as not there; the next SaveFold replaces it.
func (s *Store) Fold(ctx context.Context, run, revision string) (journal.Fold, bool, error) {
	n, err := s.number(ctx, run)
	if err != nil {
		return journal.Fold{}, false, err
	}
	var state []byte
	f, ok, err := one(ctx, s, "SELECT seq, revision, state FROM fold WHERE run = ?", []any{n},
		func(r scanner) (journal.Fold, error) {
			f := journal.Fold{Run: run}
			err := r.Scan(&f.Seq, &f.Revision, &state)
			return f, err
		})
	if err != nil || !ok || f.Revision != revision {
		return journal.Fold{}, false, err
	}
	if f.State, err = unpack(state); err != nil {
		return journal.Fold{}, false, nil
	}
	return f, true, nil
}

// PutDefinition stores the definition of a line under its digest.
func (s *Store) PutDefinition(ctx context.Context, body []byte) (digest.Digest, error) {
	d := digest.Of(body)
	if _, ok, err := s.definition(ctx, d); ok || err != nil {
		return d, err
	}
	frame := s.packer.add(nil, body)
	return d, s.writer.submit(ctx, func(w *writer) error {
		_, err := w.exec("INSERT INTO definition (digest, body) VALUES (?, ?) ON CONFLICT (digest) DO NOTHING",
			string(d), frame)
		return err
	})
}

// Definition gives the definition with the digest.
func (s *Store) Definition(ctx context.Context, d digest.Digest) ([]byte, error) {
	frame, ok, err := s.definition(ctx, d)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, fault.New(fault.NotFound, string(d), "definition %s is not stored", d.Short())
	}
	body, err := unpack(frame)
	if err != nil {
		return nil, corrupt(s.file, err, "definition %s is damaged", d.Short())
	}
	if got := digest.Of(body); got != d {
		return nil, corrupt(s.file, nil, "definition %s hashes to %s", d.Short(), got.Short())
	}
	return body, nil
}

func (s *Store) definition(ctx context.Context, d digest.Digest) ([]byte, bool, error) {
	return one(ctx, s, "SELECT body FROM definition WHERE digest = ?", []any{string(d)},
		func(r scanner) (frame []byte, err error) {
			err = r.Scan(&frame)
			return frame, err
		})
}
