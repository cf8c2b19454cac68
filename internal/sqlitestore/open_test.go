package sqlitestore

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"sluice/internal/digest"
	"sluice/internal/fault"
	"sluice/internal/journal"
)

func TestSchemaVersionIsTheNewestMigration(t *testing.T) {
	files, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != schemaVersion {
		t.Errorf("got schema version %d with %d migrations, want them equal", schemaVersion, len(files))
	}
}

func TestOpenBringsAnOlderSchemaUpToDate(t *testing.T) {
	dir := t.TempDir()
	script, err := os.ReadFile("testdata/v1.sql")
	if err != nil {
		t.Fatal(err)
	}
	old := mustForeign(t, dir)
	mustExec(t, old, string(script))
	if err := old.Close(); err != nil {
		t.Fatal(err)
	}
	s := mustOpen(t, dir)
	if got := len(mustChain(t, s, "old-run")); got != 2 {
		t.Errorf("got %d batches, want 2", got)
	}
	body, err := s.Blob(t.Context(), "old-run", 2, digest.Of([]byte("chapter one\n")))
	if err != nil || string(body) != "chapter one\n" {
		t.Errorf("blob: %q, %v", body, err)
	}
	rows, err := s.Unwritten(t.Context())
	if err != nil || len(rows) != 1 {
		t.Errorf("unwritten: %v, %v", rows, err)
	}
	if err := s.SaveFold(t.Context(), journal.Fold{Run: "old-run", Seq: 2, Revision: "1"}); err != nil {
		t.Error(err)
	}
	mustAppend(t, s, batch("old-run", 2))
	mustChain(t, s, "old-run")
}

func TestOpenRefusesANewerSchema(t *testing.T) {
	dir := t.TempDir()
	mustClose(t, mustOpen(t, dir))
	mustExec(t, mustForeign(t, dir), "INSERT INTO schema_version (version_id, is_applied) VALUES (99, 1)")
	_, err := Open(t.Context(), dir, Options{})
	wantCode(t, err, fault.StoreNewer)
	if !strings.Contains(err.Error(), "99") {
		t.Errorf("%q does not name the schema", err)
	}
}

func TestOpenGoesBackToTheWriteAheadLog(t *testing.T) {
	dir := t.TempDir()
	mustClose(t, mustOpen(t, dir))
	mustExec(t, mustForeign(t, dir), "PRAGMA journal_mode=DELETE")
	s := mustOpen(t, dir)
	mustAppend(t, s, batch("r1", 0))
	if _, err := os.Stat(filepath.Join(dir, fileName+"-wal")); err != nil {
		t.Error(err)
	}
}

func TestFilesAreTheOwnersAlone(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes of files are of Unix")
	}
	dir := filepath.Join(t.TempDir(), ".sluice")
	s := mustOpen(t, dir)
	b := batch("r1", 0)
	large := make([]byte, inlineUpTo+1)
	b.Blobs = []journal.Blob{{Digest: digest.Of(large), Body: large}}
	b.Driver = s.Driver()
	mustAppend(t, s, b)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestOpenTellsWhatIsInTheWay(t *testing.T) {
	file := func(content string) func(t *testing.T, path string) {
		return func(t *testing.T, path string) {
			if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, c := range map[string]struct {
		put  func(t *testing.T, path string)
		want fault.Code
	}{
		"another kind of file": {file(strings.Repeat("this is no database\n", 500)), fault.StoreCorrupt},
		"a few bytes":          {file("hello"), fault.StoreCorrupt},
		"a directory": {func(t *testing.T, path string) {
			if err := os.Mkdir(path, 0o700); err != nil {
				t.Fatal(err)
			}
		}, fault.StoreCorrupt},
		"a truncated store": {func(t *testing.T, path string) {
			makeStore(t, filepath.Dir(path))
			info, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.Truncate(path, info.Size()/2); err != nil {
				t.Fatal(err)
			}
		}, fault.StoreCorrupt},
		"a store with its first page overwritten": {func(t *testing.T, path string) {
			makeStore(t, filepath.Dir(path))
			overwrite(t, path, 100, 3996)
		}, fault.StoreCorrupt},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			c.put(t, filepath.Join(dir, fileName))
			s, err := Open(t.Context(), dir, Options{Busy: shortBusy})
			if err == nil {
				t.Cleanup(func() { _ = s.Close() })
			}
			wantCode(t, err, c.want)
			if len(fault.From(err).Next) == 0 {
				t.Error("the fault knows no way out")
			}
		})
	}
}

// makeStore fills a store with enough pages to damage some.
func makeStore(t *testing.T, dir string) {
	t.Helper()
	s := mustOpen(t, dir)
	for i := range int64(50) {
		b := batch("r1", i)
		body := benchPayload()
		b.Blobs = []journal.Blob{{Digest: digest.Of(body), Body: body}}
		mustAppend(t, s, b)
	}
	mustClose(t, s)
}

func overwrite(t *testing.T, path string, from, n int64) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteAt([]byte(strings.Repeat("\xAA", int(n))), from); err != nil {
		t.Fatal(err)
	}
}

func TestDamageInsideIsFound(t *testing.T) {
	dir := t.TempDir()
	makeStore(t, dir)
	path := filepath.Join(dir, fileName)
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	overwrite(t, path, info.Size()-10*4096, 10*4096)
	s := mustOpen(t, dir)
	wantCode(t, s.Check(t.Context()), fault.StoreCorrupt)
	if _, err := s.Load(t.Context(), "r1", 0); err == nil {
		t.Error("loading over damaged pages gave no error")
	}
}

func TestDamagedBytesAreNotGivenOut(t *testing.T) {
	dir := t.TempDir()
	s := mustOpen(t, dir)
	small, large := []byte("a small body"), make([]byte, inlineUpTo+1)
	b := batch("r1", 0)
	b.Blobs = []journal.Blob{{Digest: digest.Of(small), Body: small}, {Digest: digest.Of(large), Body: large}}
	mustAppend(t, s, b)
	mustExec(t, mustForeign(t, dir), "UPDATE batch SET bytes = CAST(replace(CAST(bytes AS TEXT), 'small', 'SMALL') AS BLOB)")
	overwrite(t, s.blobPath(digest.Of(large)), 5, 1)
	for _, blob := range b.Blobs {
		_, err := s.Blob(t.Context(), "r1", 1, blob.Digest)
		wantCode(t, err, fault.StoreCorrupt)
	}
	if err := os.Remove(s.blobPath(digest.Of(large))); err != nil {
		t.Fatal(err)
	}
	_, err := s.Blob(t.Context(), "r1", 1, digest.Of(large))
	wantCode(t, err, fault.StoreCorrupt)
}

func TestALockedStoreIsToldWithinTheBusyTime(t *testing.T) {
	dir := t.TempDir()
	s := mustOpen(t, dir)
	other := mustForeign(t, dir)
	mustExec(t, other, "BEGIN EXCLUSIVE")
	began := time.Now()
	wantCode(t, s.Append(t.Context(), batch("r1", 0)), fault.StoreLocked)
	if took := time.Since(began); took < shortBusy || took > 20*shortBusy {
		t.Errorf("took %v with a busy time of %v", took, shortBusy)
	}
	second, err := Open(t.Context(), dir, Options{Busy: shortBusy}) // reading needs no lock
	if err != nil {
		t.Fatal(err)
	}
	mustClose(t, second)
	mustExec(t, other, "ROLLBACK")
	mustAppend(t, s, batch("r1", 0))
}

func TestAStoreHeldForGoodIsTold(t *testing.T) {
	dir := t.TempDir()
	mustClose(t, mustOpen(t, dir))
	other := mustForeign(t, dir)
	mustExec(t, other, "PRAGMA locking_mode=EXCLUSIVE")
	mustExec(t, other, "BEGIN EXCLUSIVE")
	_, err := Open(t.Context(), dir, Options{Busy: shortBusy})
	wantCode(t, err, fault.StoreLocked)
}
