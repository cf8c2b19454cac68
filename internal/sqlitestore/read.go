package sqlitestore

import (
	"context"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"

	"sluice/internal/digest"
	"sluice/internal/fault"
	"sluice/internal/journal"
)

// scanner is a row or rows of database/sql.
type scanner interface{ Scan(dest ...any) error }

// collect runs a query of the readers and turns each row into a value.
func collect[T any](ctx context.Context, s *Store, query string, args []any, read func(scanner) (T, error)) ([]T, error) {
	stmt, err := s.prepared(ctx, query)
	if err != nil {
		return nil, failure(s.file, err)
	}
	rows, err := stmt.QueryContext(ctx, args...)
	if err != nil {
		return nil, failure(s.file, err)
	}
	defer rows.Close()
	var all []T
	for rows.Next() {
		v, err := read(rows)
		if err != nil {
			return nil, failure(s.file, err)
		}
		all = append(all, v)
	}
	if err := rows.Err(); err != nil {
		return nil, failure(s.file, err)
	}
	return all, nil
}

// one runs a query of the readers that gives a row at most. Such a query is short: it is not watched for the end of
// ctx while it runs, which would cost as much as the query.
func one[T any](ctx context.Context, s *Store, query string, args []any, read func(scanner) (T, error)) (T, bool, error) {
	var v T
	stmt, err := s.prepared(ctx, query)
	if err == nil {
		err = ctx.Err()
	}
	if err == nil {
		v, err = read(stmt.QueryRowContext(context.WithoutCancel(ctx), args...))
	}
	if errors.Is(err, sql.ErrNoRows) {
		return v, false, nil
	}
	if err != nil {
		return v, false, failure(s.file, err)
	}
	return v, true, nil
}

// prepared gives a statement of the readers, made once. There are as many as there are shapes of queries.
func (s *Store) prepared(ctx context.Context, query string) (*sql.Stmt, error) {
	if stmt, ok := s.queries.Load(query); ok {
		return stmt.(*sql.Stmt), nil
	}
	stmt, err := s.reading.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	if first, loaded := s.queries.LoadOrStore(query, stmt); loaded {
		return first.(*sql.Stmt), stmt.Close()
	}
	return stmt, nil
}

// number gives the run's row number, or unknown_run.
func (s *Store) number(ctx context.Context, run string) (int64, error) {
	n, ok, err := one(ctx, s, "SELECT n FROM run WHERE id = ?", []any{run}, func(r scanner) (n int64, err error) {
		err = r.Scan(&n)
		return n, err
	})
	if err == nil && !ok {
		err = unknownRun(run)
	}
	return n, err
}

// Load gives the batches of a run that end after a sequence number, in order.
func (s *Store) Load(ctx context.Context, run string, after int64) ([]journal.Stored, error) {
	n, err := s.number(ctx, run)
	if err != nil {
		return nil, err
	}
	return collect(ctx, s, `SELECT first, last, at, prev, hash, digests, events FROM batch
		WHERE run = ? AND last > ? ORDER BY last`, []any{n, after}, readStored)
}

func readStored(r scanner) (journal.Stored, error) {
	var b journal.Stored
	var at int64
	var prev, hash, digests, events []byte
	if err := r.Scan(&b.First, &b.Last, &at, &prev, &hash, &digests, &events); err != nil {
		return b, err
	}
	if len(prev) != len(b.Prev) || len(hash) != len(b.Hash) || len(digests)%digestSize != 0 {
		return b, corrupt(fileName, nil, "batch %d–%d has a hash or digest of the wrong size", b.First, b.Last)
	}
	copy(b.Prev[:], prev)
	copy(b.Hash[:], hash)
	for ; len(digests) > 0; digests = digests[digestSize:] {
		b.Blobs = append(b.Blobs, digest.Digest("sha256:"+hex.EncodeToString(digests[:digestSize])))
	}
	b.At, b.Events = timeOf(at), events
	return b, nil
}

// Blob gives bytes that the batch holding sequence number seq stored.
func (s *Store) Blob(ctx context.Context, run string, seq int64, d digest.Digest) ([]byte, error) {
	n, err := s.number(ctx, run)
	if err != nil {
		return nil, err
	}
	type columns struct {
		first           int64
		digests, frames []byte
	}
	c, ok, err := one(ctx, s, "SELECT first, digests, bytes FROM batch WHERE run = ? AND last >= ? ORDER BY last LIMIT 1",
		[]any{n, seq}, func(r scanner) (c columns, err error) {
			err = r.Scan(&c.first, &c.digests, &c.frames)
			return c, err
		})
	if err != nil {
		return nil, err
	}
	if !ok || seq < c.first {
		return nil, fault.New(fault.NotFound, run, "run %s has no batch with number %d", run, seq)
	}
	return s.pick(d, c.digests, c.frames)
}

const infoColumns = "r.n, r.id, r.seq, r.created, r.updated, r.line, r.definition, r.title, r.status, r.labels, r.summary"

// info is a row of a list with its place in the order of creation.
type info struct {
	n int64
	journal.RunInfo
}

func readInfo(r scanner) (info, error) {
	var i info
	var created, updated int64
	var definition, labels, summary string
	err := r.Scan(&i.n, &i.ID, &i.Seq, &created, &updated, &i.Line, &definition, &i.Title, &i.Status, &labels, &summary)
	if err != nil {
		return i, err
	}
	i.Created, i.Updated, i.Definition = timeOf(created), timeOf(updated), digest.Digest(definition)
	if summary != "" {
		i.Summary = json.RawMessage(summary)
	}
	i.Labels, err = decodeLabels(labels)
	return i, err
}

// Run gives the row of one run.
func (s *Store) Run(ctx context.Context, id string) (journal.RunInfo, error) {
	i, ok, err := one(ctx, s, "SELECT "+infoColumns+" FROM run r WHERE r.id = ?", []any{id}, readInfo)
	if err == nil && !ok {
		err = unknownRun(id)
	}
	return i.RunInfo, err
}
