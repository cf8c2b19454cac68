package sqlitestore

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"sluice/internal/fault"
	"sluice/internal/journal"
)

const shortBusy = 200 * time.Millisecond

func mustOpen(t testing.TB, dir string) *Store {
	t.Helper()
	s, err := Open(t.Context(), dir, Options{Busy: shortBusy})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { mustClose(t, s) })
	return s
}

func mustClose(t testing.TB, s *Store) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// batch makes a batch of one event.
func batch(run string, after int64) journal.Batch {
	return journal.Batch{Run: run, After: after, At: time.UnixMicro(after), Count: 1,
		Events: fmt.Appendf(nil, `[{"number":%d}]`, after+1), Head: journal.Head{Line: "task", Status: "running"}}
}

func mustAppend(t testing.TB, s *Store, batches ...journal.Batch) {
	t.Helper()
	if err := s.Append(t.Context(), batches...); err != nil {
		t.Fatal(err)
	}
}

func wantCode(t testing.TB, err error, want fault.Code) {
	t.Helper()
	if got := fault.CodeOf(err); got != want {
		t.Fatalf("got code %q (%v), want %q", got, err, want)
	}
}

// mustForeign opens the file as another program would.
func mustForeign(t testing.TB, dir string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.ToSlash(filepath.Join(dir, fileName)))
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func mustExec(t testing.TB, db *sql.DB, query string) {
	t.Helper()
	if _, err := db.ExecContext(t.Context(), query); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
}

// mustChain checks numbers and hashes of a run and gives its batches.
func mustChain(t testing.TB, s *Store, run string) []journal.Stored {
	t.Helper()
	all, err := s.Load(t.Context(), run, 0)
	if err != nil {
		t.Fatal(err)
	}
	var prev journal.Hash
	for i, b := range all {
		want := journal.Chain(prev, run, b.First, b.Last, b.At, b.Events, b.Blobs)
		if b.Prev != prev || b.Hash != want {
			t.Fatalf("run %s: batch %d does not follow its predecessor", run, i+1)
		}
		prev = b.Hash
	}
	return all
}
