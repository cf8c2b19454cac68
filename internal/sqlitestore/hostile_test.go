package sqlitestore

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sluice/internal/fault"
)

// TestStoresOfStrangersAreRefused opens stores that no sluice made.
func TestStoresOfStrangersAreRefused(t *testing.T) {
	run := func(statement string) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, fileName))
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			if _, err := db.ExecContext(t.Context(), statement); err != nil {
				t.Fatal(err)
			}
		}
	}
	write := func(name, body string) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(body), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	link := func(name string) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			_ = os.Remove(filepath.Join(dir, name))
			if err := os.Symlink(filepath.Join(t.TempDir(), "target"), filepath.Join(dir, name)); err != nil {
				t.Skip("symbolic links are not allowed here")
			}
		}
	}
	for name, tt := range map[string]struct {
		do   func(*testing.T, string)
		want fault.Code
	}{
		"as it was":                  {func(*testing.T, string) {}, ""},
		"a trigger":                  {run("CREATE TRIGGER evil AFTER INSERT ON run BEGIN DELETE FROM ask; END"), fault.StoreCorrupt},
		"a view of another name":     {run("CREATE VIEW mine AS SELECT 1"), ""},
		"a view of ours, changed":    {run("DROP VIEW plans; CREATE VIEW plans AS SELECT 1"), fault.StoreCorrupt},
		"a view for a table":         {run("ALTER TABLE counter RENAME TO old; CREATE VIEW counter AS SELECT 1"), fault.StoreCorrupt},
		"a virtual table":            {run("CREATE VIRTUAL TABLE evil USING fts5(x)"), fault.StoreCorrupt},
		"a journal with a name":      {write(fileName+"-journal", "x/precious\x00\x00\x00\x0a\x00\x00\x00\x01"+string(superMark)), fault.StoreCorrupt},
		"an empty journal":           {write(fileName+"-journal", ""), ""},
		"a linked store":             {link(fileName), fault.StoreCorrupt},
		"linked writes":              {link(fileName + "-wal"), fault.StoreCorrupt},
		"linked memory":              {link(fileName + "-shm"), fault.StoreCorrupt},
		"a linked journal":           {link(fileName + "-journal"), fault.StoreCorrupt},
		"a table that is not there":  {run("DROP TABLE checkout"), ""}, // found when it is needed
		"a column that is not there": {run("ALTER TABLE reply DROP COLUMN content"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s, err := Open(t.Context(), dir, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			tt.do(t, dir)
			s, err = Open(t.Context(), dir, Options{})
			if err == nil {
				err = s.Close()
			}
			if got := fault.CodeOf(err); err != nil && got != tt.want || err == nil && tt.want != "" {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

func TestFramesThatClaimTooMuchAreNotUnpacked(t *testing.T) {
	bomb := addFrame(nil, formFlate, 1<<39, []byte(strings.Repeat("\x00", 64)))
	if _, err := unpack(bomb); err == nil || !strings.Contains(err.Error(), "frame says") {
		t.Errorf("got %v", err)
	}
}

func TestContentsAreReadFromPlainFilesOfTheirSize(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "f")
	if err := os.WriteFile(file, []byte("four"), 0o600); err != nil {
		t.Fatal(err)
	}
	if body, err := readBlob(file, 4); err != nil || string(body) != "four" {
		t.Errorf("got %q, %v", body, err)
	}
	if _, err := readBlob(file, 5); err == nil {
		t.Error("a file of another size was read")
	}
	if _, err := readBlob(dir, 4); err == nil {
		t.Error("a directory was read")
	}
	if err := os.Symlink(file, filepath.Join(dir, "l")); err == nil {
		if _, err := readBlob(filepath.Join(dir, "l"), 4); err == nil {
			t.Error("a link was followed")
		}
	}
}
