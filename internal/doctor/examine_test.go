package doctor

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/internal/fault"
	"sluice/internal/journal"
	"sluice/internal/sqlitestore"
	"sluice/internal/workspace"
)

// room is a workspace on a disk with one run, whose versions are checked out in all roles.
type room struct {
	t     *testing.T
	dir   string
	store *sqlitestore.Store
	files *workspace.Checkouts
}

func newRoom(t *testing.T) *room {
	t.Helper()
	r := &room{t: t, dir: t.TempDir()}
	store, err := sqlitestore.Open(t.Context(), filepath.Join(r.dir, ".sluice"), sqlitestore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	tree, err := workspace.Open(r.dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tree.Close() })
	r.store, r.files = store, workspace.NewCheckouts(tree, store, store, nil)
	if _, err := store.PutDefinition(t.Context(), []byte("steps: [world, text]")); err != nil {
		t.Fatal(err)
	}
	tellTo(t, newStore(), "r1", r.append)
	return r
}

// append stores a batch and checks its content out: the first body as a working file, then one in each other role.
func (r *room) append(b journal.Batch) {
	r.t.Helper()
	roles := []journal.Role{journal.Working, journal.State, journal.Kept}
	for i, blob := range b.Blobs {
		role := roles[i%len(roles)]
		b.Checkouts = append(b.Checkouts, journal.Checkout{Path: string(role) + "/" + blob.Digest.Short(), Node: "n", Digest: blob.Digest, Role: role})
	}
	if err := r.store.Append(r.t.Context(), b); err != nil {
		r.t.Fatal(err)
	}
	for i := range b.Checkouts {
		b.Checkouts[i].Run = b.Run
	}
	if _, err := r.files.Place(r.t.Context(), b.Checkouts, nil); err != nil {
		r.t.Fatal(err)
	}
}

// file finds the newest file in a role; the path is relative to the workspace.
func (r *room) file(role journal.Role) string {
	r.t.Helper()
	rows, err := r.store.Checkouts(r.t.Context(), "r1")
	if err != nil {
		r.t.Fatal(err)
	}
	found := ""
	for _, row := range rows {
		if row.Role == role {
			found = row.Path
		}
	}
	return found
}

func (r *room) abs(p string) string { return filepath.Join(r.dir, filepath.FromSlash(p)) }

func (r *room) write(p, body string) {
	r.t.Helper()
	if err := os.WriteFile(r.abs(p), []byte(body), 0o644); err != nil {
		r.t.Fatal(err)
	}
}

func (r *room) remove(p string) {
	r.t.Helper()
	if err := os.Remove(r.abs(p)); err != nil {
		r.t.Fatal(err)
	}
}

// sql damages the database behind the store's back.
func (r *room) sql(statement string, args ...any) {
	r.t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.ToSlash(filepath.Join(r.dir, ".sluice", "sluice.db")))
	if err != nil {
		r.t.Fatal(err)
	}
	defer db.Close()
	res, err := db.Exec(statement, args...)
	if err != nil {
		r.t.Fatal(err)
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		r.t.Fatalf("%s changed %d rows: %v", statement, n, err)
	}
}

func (r *room) workspace() Workspace { return Workspace{Store: r.store, Rows: r.store, Files: r.files} }

func (r *room) examine() Report {
	r.t.Helper()
	rep, err := r.workspace().Examine(r.t.Context(), nil)
	if err != nil {
		r.t.Fatal(err)
	}
	return rep
}

func (r *room) repair(found Report) Report {
	r.t.Helper()
	rep, err := r.workspace().Repair(r.t.Context(), found)
	if err != nil {
		r.t.Fatal(err)
	}
	return rep
}

func mustCodes(t *testing.T, what string, got []Finding, want ...string) {
	t.Helper()
	if want == nil {
		want = []string{}
	}
	if diff := cmp.Diff(want, codes(got)); diff != "" {
		t.Errorf("%s: %s\n%+v", what, diff, got)
	}
}

func TestExamineAHealthyWorkspace(t *testing.T) {
	r := newRoom(t)
	rep := r.examine()
	mustCodes(t, "found", rep.Findings)
	if rep.Runs != 1 || rep.Batches != 12 || rep.Versions != 4 || rep.Bytes == 0 {
		t.Errorf("%+v", rep)
	}
}

func TestExamineAndRepairFiles(t *testing.T) {
	for name, c := range map[string]struct {
		damage   func(*room)
		found    string
		severity string
		repaired bool
	}{
		"a working file is gone":    {func(r *room) { r.remove(r.file(journal.Working)) }, FileMissing, Warning, true},
		"a state file is gone":      {func(r *room) { r.remove(r.file(journal.State)) }, FileMissing, Warning, true},
		"a kept file is gone":       {func(r *room) { r.remove(r.file(journal.Kept)) }, FileMissing, Warning, true},
		"a kept file is damaged":    {func(r *room) { r.write(r.file(journal.Kept), "x") }, FileDamaged, Error, true},
		"a working file is edited":  {func(r *room) { r.write(r.file(journal.Working), "mine") }, FileEdited, Note, false},
		"a state file is changed":   {func(r *room) { r.write(r.file(journal.State), "mine") }, StateChanged, Warning, false},
		"a file became a directory": {func(r *room) { p := r.file(journal.Kept); r.remove(p); _ = os.Mkdir(r.abs(p), 0o755) }, FileUnreadable, Warning, false},
		"a file never came into place": {func(r *room) {
			r.sql("UPDATE checkout SET written = 0 WHERE path = ?", r.file(journal.Working))
			r.remove(r.file(journal.Working))
		}, FileUnwritten, Warning, true},
		"an edit lies where a file never came": {func(r *room) {
			r.sql("UPDATE checkout SET written = 0 WHERE path = ?", r.file(journal.Working))
			r.write(r.file(journal.Working), "mine")
		}, FileUnwritten, Warning, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRoom(t)
			if err := r.store.Flush(t.Context()); err != nil {
				t.Fatal(err)
			}
			before := r.disk()
			c.damage(r)
			damaged := r.disk()
			found := r.examine()
			mustCodes(t, "found", found.Findings, c.found)
			if got := found.Findings[0].Severity; got != c.severity {
				t.Errorf("severity %s, want %s", got, c.severity)
			}
			if diff := cmp.Diff(damaged, r.disk()); diff != "" {
				t.Errorf("looking changed: %s", diff)
			}
			after := r.repair(found)
			if c.repaired {
				mustCodes(t, "left", after.Findings)
				mustCodes(t, "repaired", after.Repaired, c.found)
				mustCodes(t, "found again", r.examine().Findings)
				if diff := cmp.Diff(before, r.disk()); diff != "" {
					t.Error(diff)
				}
				return
			}
			mustCodes(t, "left", after.Findings, c.found)
			mustCodes(t, "repaired", after.Repaired)
			if diff := cmp.Diff(damaged, r.disk()); diff != "" {
				t.Errorf("a person's bytes: %s", diff)
			}
		})
	}
}

// disk gives the checked-out files.
func (r *room) disk() map[string]string {
	r.t.Helper()
	all := map[string]string{}
	names, err := filepath.Glob(filepath.Join(r.dir, "*", "*"))
	if err != nil {
		r.t.Fatal(err)
	}
	for _, name := range names {
		rel, _ := filepath.Rel(r.dir, name)
		if strings.HasPrefix(rel, ".sluice") {
			continue
		}
		body, _ := os.ReadFile(name)
		all[filepath.ToSlash(rel)] = string(body)
	}
	return all
}

func TestRepairSaysWhereDamagedBytesWent(t *testing.T) {
	r := newRoom(t)
	r.write(r.file(journal.Kept), "someone needed this")
	after := r.repair(r.examine())
	if len(after.Repaired) != 1 || !strings.Contains(after.Repaired[0].Hint, ".sluice/kept/") {
		t.Fatalf("%+v", after)
	}
	kept := strings.TrimPrefix(after.Repaired[0].Hint, "what it showed is kept at ")
	if body, err := os.ReadFile(r.abs(kept)); err != nil || string(body) != "someone needed this" {
		t.Errorf("%q %v", body, err)
	}
}

func TestRepairLooksAgain(t *testing.T) {
	r := newRoom(t)
	state := r.file(journal.State)
	r.remove(state)
	found := r.examine()
	r.write(state, "written meanwhile")
	after := r.repair(found)
	mustCodes(t, "left", after.Findings, StateChanged)
	if body, _ := os.ReadFile(r.abs(state)); string(body) != "written meanwhile" {
		t.Errorf("got %q", body)
	}
}

func TestRepairKeepsWhatItCannotPutRight(t *testing.T) {
	r := newRoom(t)
	r.remove(r.file(journal.Kept))
	r.remove(r.file(journal.State))
	r.sql("UPDATE batch SET bytes = zeroblob(length(bytes)) WHERE bytes IS NOT NULL")
	found := r.examine()
	after := r.repair(found)
	mustCodes(t, "repaired", after.Repaired)
	if diff := cmp.Diff(codes(found.Findings), codes(after.Findings)); diff != "" {
		t.Error(diff)
	}
}

// TestExamineADamagedDatabase damages rows of a real store.
func TestExamineADamagedDatabase(t *testing.T) {
	for name, c := range map[string]struct {
		statement string
		want      []string
	}{
		"events":        {"UPDATE batch SET events = replace(events, '2026', '2025') WHERE first = 1", []string{BatchAltered}},
		"batch deleted": {"DELETE FROM batch WHERE first = 1", []string{ChainBroken, JournalGap}},
		"hash cut":      {"UPDATE batch SET hash = x'00' WHERE first = 1", []string{StoreUnreadable}},
		"title":         {"UPDATE run SET title = 'other'", []string{HeadDiffers}},
		"ask deleted":   {"DELETE FROM ask WHERE open = 1", []string{AskMissing}},
		"definition":    {"UPDATE definition SET body = x'7201016f'", []string{DefinitionDamaged}},
	} {
		r := newRoom(t)
		r.sql(c.statement)
		mustCodes(t, name, r.examine().Findings, c.want...)
	}
}

// deadLeases are those of a test.
type deadLeases []journal.Lease

func (d deadLeases) DeadLeases(context.Context) ([]journal.Lease, error) { return d, nil }

func TestExamineTellsOfDriversThatEnded(t *testing.T) {
	r := newRoom(t)
	w := r.workspace()
	w.Leases = deadLeases{{Run: "r1", Driver: "d1", Epoch: 3}}
	rep, err := w.Examine(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	mustCodes(t, "found", rep.Findings, DriverGone)
	if rep.Err() != nil {
		t.Errorf("a note is no fault: %v", rep.Err())
	}
}

func TestReportErr(t *testing.T) {
	rep := Report{Findings: []Finding{{Severity: Error, Repairable: true}, {Severity: Warning}, {Severity: Note}}}
	err := fault.From(rep.Err())
	if err.Code != fault.Findings || err.Code.Exit() != fault.ExitFindings || len(err.Next) != 1 || err.Next[0].Command != "sluice doctor --repair" {
		t.Errorf("%+v", err)
	}
}

func TestRepairIsInterrupted(t *testing.T) {
	r := newRoom(t)
	r.remove(r.file(journal.Kept))
	found := r.examine()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	after, err := r.workspace().Repair(ctx, found)
	if fault.CodeOf(err) != fault.Interrupted {
		t.Errorf("got %v", err)
	}
	mustCodes(t, "left", after.Findings, FileMissing)
}
