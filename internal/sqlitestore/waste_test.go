package sqlitestore

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"sluice/internal/digest"
	"sluice/internal/fault"
	"sluice/internal/journal"
)

func largeBatch(run string, after int64, body []byte) journal.Batch {
	return journal.Batch{Run: run, After: after, Count: 1, Events: []byte(`[{}]`), Blobs: []journal.Blob{{Digest: digest.Of(body), Body: body}},
		Head: journal.Head{Line: "task", Status: "active"}}
}

// TestContentIsRemovedOnlyWhenNoBatchNamesIt lets a batch be committed between the look and the removal.
func TestContentIsRemovedOnlyWhenNoBatchNamesIt(t *testing.T) {
	dir := t.TempDir()
	later := time.Now().Add(2 * grace)
	s, err := Open(t.Context(), dir, Options{Now: func() time.Time { return later }})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	named, orphan, late := bytes.Repeat([]byte("n"), inlineUpTo+1), bytes.Repeat([]byte("o"), inlineUpTo+1), bytes.Repeat([]byte("l"), inlineUpTo+1)
	if err := s.Append(t.Context(), largeBatch("r1", 0, named)); err != nil {
		t.Fatal(err)
	}
	for _, body := range [][]byte{orphan, late} { // batches that are refused leave their contents
		if err := s.Append(t.Context(), largeBatch("r1", 7, body)); fault.CodeOf(err) != fault.Conflict {
			t.Fatal(err)
		}
	}
	found, err := s.FindWaste(t.Context())
	if err != nil || len(found.Orphans) != 2 {
		t.Fatalf("found %v %v, want two orphans", found.Orphans, err)
	}
	if err := s.Append(t.Context(), largeBatch("r1", 1, late)); err != nil {
		t.Fatal(err)
	}
	if err := s.RemoveWaste(t.Context(), found); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]struct {
		body  []byte
		there bool
	}{"named": {named, true}, "named since": {late, true}, "orphan": {orphan, false}} {
		_, err := os.Stat(s.blobPath(digest.Of(want.body)))
		if (err == nil) != want.there {
			t.Errorf("%s is there: %v", name, err == nil)
		}
	}
}

func TestABatchWhoseContentWasRemovedIsRefused(t *testing.T) {
	s, err := Open(t.Context(), t.TempDir(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	body := bytes.Repeat([]byte("b"), inlineUpTo+1)
	e, err := s.prepare(largeBatch("r1", 0, body))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(s.blobPath(digest.Of(body))); err != nil {
		t.Fatal(err)
	}
	err = s.writer.submit(t.Context(), func(w *writer) error { return w.appendAll([]entry{e}, s.driver) })
	if fault.CodeOf(err) != fault.Conflict {
		t.Errorf("got %v, want conflict", err)
	}
	if _, err := s.Run(t.Context(), "r1"); fault.CodeOf(err) != fault.UnknownRun {
		t.Errorf("the run is there: %v", err)
	}
}

func TestSnapshotIsAWholeStore(t *testing.T) {
	s, err := Open(t.Context(), t.TempDir(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	b := largeBatch("r1", 0, []byte("small"))
	b.Checkouts = []journal.Checkout{{Path: "a.md", Digest: b.Blobs[0].Digest, Role: journal.Working}}
	if err := s.Append(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file := filepath.Join(dir, fileName)
	rows, err := s.Snapshot(t.Context(), file)
	if err != nil || len(rows) != 1 || rows[0].Path != "a.md" || rows[0].Run != "r1" {
		t.Fatalf("rows %v, %v", rows, err)
	}
	if err := CheckFile(t.Context(), file); err != nil {
		t.Error(err)
	}
	if _, err := s.Snapshot(t.Context(), file); err == nil {
		t.Error("a file was overwritten")
	}
	again, err := Open(t.Context(), dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if body, err := again.Blob(t.Context(), "r1", 1, b.Blobs[0].Digest); err != nil || string(body) != "small" {
		t.Errorf("%q %v", body, err)
	}
}

func TestAFileThatActsByItselfIsNoStore(t *testing.T) {
	dir := t.TempDir()
	s, err := Open(t.Context(), dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	err = s.writer.submit(t.Context(), func(w *writer) error {
		_, err := w.exec("CREATE TRIGGER evil AFTER INSERT ON batch BEGIN DELETE FROM ask; END")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := CheckFile(t.Context(), filepath.Join(dir, fileName)); fault.CodeOf(err) != fault.StoreCorrupt {
		t.Errorf("got %v, want store_corrupt", err)
	}
	other := filepath.Join(dir, "other")
	if err := os.WriteFile(other, bytes.Repeat([]byte("no database"), 1000), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := CheckFile(t.Context(), other); err == nil {
		t.Error("a file that is no database is a store")
	}
}
