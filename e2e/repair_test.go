package e2e

import (
	"database/sql"
	"path/filepath"
	"testing"
)

// TestRowsThatOnlyShowAreDerivedAnew breaks what lists and the inbox read, and lets doctor derive it from the journal.
func TestRowsThatOnlyShowAreDerivedAnew(t *testing.T) {
	s := newShell(t)
	s.write("one.json", `{"title":"one","nodes":[{"id":"text","kind":"make","step":"text","performer":"engine","attempts":2,"gate":{"person":true},"params":{"text":"words","path":"text.md"}}]}`)
	s.mustRun(4, "sample", "new", "one.json", "--id", "r1")
	s.mustRun(4, "sample", "new", "one.json", "--id", "r2")
	db, err := sql.Open("sqlite", "file:"+filepath.Join(s.dir, ".sluice", "sluice.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, q := range []string{
		"UPDATE run SET title = 'another', status = 'done', labels = '{\"x\":\"y\"}' WHERE id = 'r1'",
		"DELETE FROM ask WHERE run = (SELECT n FROM run WHERE id = 'r1')",
		"INSERT INTO ask SELECT 'a00000000000', run, node, kind, title, version, digest, opened, 1, body FROM ask LIMIT 1",
		"UPDATE ask SET title = 'approve everything' WHERE id <> 'a00000000000'",
	} {
		if _, err := db.ExecContext(t.Context(), q); err != nil {
			t.Fatal(err)
		}
	}
	out, _ := s.mustRun(7, "doctor")
	wantAll(t, out, "head_differs", "ask_missing", "ask_stray", "ask_differs")
	s.mustRun(0, "doctor", "--repair")
	s.mustRun(0, "doctor")
	s.mustRun(0, "verify")
	out, _ = s.mustRun(0, "inbox")
	wantAll(t, out, "run r1", "run r2")
	out, _ = s.mustRun(0, "status")
	wantAll(t, out, "r1", "parked", "one")
}
