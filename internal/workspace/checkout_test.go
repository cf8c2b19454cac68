package workspace

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sluice/internal/digest"
	"sluice/internal/fault"
	"sluice/internal/journal"
)

const (
	chapter = "novel/第三章.md"
	absent  = "-" // what a missing file shows in tables
)

type desk struct {
	*Checkouts
	t     testing.TB
	store *fakeStore
	dir   string
}

func newDesk(t testing.TB) *desk {
	dir := t.TempDir()
	s := newFakeStore()
	return &desk{NewCheckouts(mustOpen(t, dir), s, s, nil), t, s, dir}
}

// edits does to a file what a person does.
func (d *desk) edits(p, body string) {
	d.t.Helper()
	name := filepath.Join(d.dir, p)
	if body != absent {
		plant(d.t, name, body)
	} else if err := os.Remove(name); err != nil && !os.IsNotExist(err) {
		d.t.Fatal(err)
	}
}

func (d *desk) shows(p string) string {
	d.t.Helper()
	body, err := os.ReadFile(filepath.Join(d.dir, p))
	if os.IsNotExist(err) {
		return absent
	}
	if err != nil {
		d.t.Fatal(err)
	}
	return string(body)
}

func (d *desk) isWritten(p string) bool { return d.store.rows[p].Written }

// step commits a new text for a path and places it.
func (d *desk) step(role journal.Role, p, body string) []Edit {
	d.t.Helper()
	row := d.store.commit(journal.Checkout{Path: p, Role: role}, []byte(body))
	edits, err := d.Place(bg, []journal.Checkout{row}, map[digest.Digest][]byte{row.Digest: []byte(body)})
	if err != nil {
		d.t.Fatal(err)
	}
	return edits
}

// told is an edit as tables write it: kind, bytes, "kept" if they were saved, the earlier version.
func (d *desk) told(edits []Edit) string {
	d.t.Helper()
	var all []string
	for _, e := range edits {
		words := []string{string(e.Kind)}
		if e.Body != nil {
			words = append(words, string(e.Body))
			if e.Digest != digest.Of(e.Body) {
				d.t.Errorf("edit of %s: digest is not of its body", e.Row.Path)
			}
		}
		if e.Kept != "" {
			words = append(words, "kept")
			if got := d.shows(e.Kept); got != string(e.Body) {
				d.t.Errorf("%s holds %q, want %q", e.Kept, got, e.Body)
			}
		}
		if e.Returned != "" {
			words = append(words, "returned", e.Returned)
		}
		all = append(all, strings.Join(words, " "))
	}
	return strings.Join(all, ", ")
}

// TestCompletingRows holds the law of what happens to a file whose row is committed and not marked, right after the
// commit and after a kill alike.
func TestCompletingRows(t *testing.T) {
	for _, c := range []struct {
		name    string
		role    journal.Role
		before  string // what the path showed before; empty if nothing of ours
		removed bool
		disk    string
		want    string // on disk afterwards; the new text is "new"
		told    string
		left    bool // the row stays unwritten
	}{
		{"new file", journal.Working, "", false, absent, "new", "", false},
		{"old text is replaced", journal.Working, "old", false, "old", "new", "", false},
		{"in place, only the mark is missing", journal.Working, "old", false, "new", "new", "", false},
		{"removed by a person: the step was done again", journal.Working, "old", false, absent, "new", "", false},
		{"edited", journal.Working, "old", false, "edit", "edit", "edited edit", true},
		{"emptied", journal.Working, "old", false, "", "", "edited ", true},
		{"a person's own file in the way", journal.Working, "", false, "theirs", "theirs", "edited theirs", true},
		{"given up", journal.Working, "old", true, "old", absent, "", false},
		{"given up and gone", journal.Working, "old", true, absent, absent, "", false},
		{"given up and edited", journal.Working, "old", true, "edit", "edit", "edited edit", true},

		{"state, new", journal.State, "", false, absent, "new", "", false},
		{"state, replaced", journal.State, "old", false, "old", "new", "", false},
		{"state, edited", journal.State, "old", false, "edit", "new", "edited edit kept", false},
		{"state, removed", journal.State, "old", false, absent, "new", "", false},
		{"state, given up and edited", journal.State, "old", true, "edit", absent, "edited edit kept", false},

		{"kept, new", journal.Kept, "", false, absent, "new", "", false},
		{"kept, in place", journal.Kept, "", false, "new", "new", "", false},
		{"kept, damaged", journal.Kept, "", false, "bad", "new", "damaged bad kept", false},
	} {
		for _, way := range []string{"place", "recover"} {
			t.Run(c.name+", "+way, func(t *testing.T) {
				d := newDesk(t)
				row := journal.Checkout{Path: chapter, Role: c.role, Removed: c.removed}
				if c.before != "" {
					row.Before = digest.Of([]byte(c.before))
				}
				row = d.store.commit(row, []byte("new"))
				d.edits(chapter, c.disk)
				complete := d.Recover
				if way == "place" {
					complete = func(ctx context.Context) ([]Edit, error) {
						return d.Place(ctx, []journal.Checkout{row}, map[digest.Digest][]byte{row.Digest: []byte("new")})
					}
				}
				edits, err := complete(bg)
				if err != nil {
					t.Fatal(err)
				}
				if got := d.told(edits); got != c.told {
					t.Errorf("told %q, want %q", got, c.told)
				}
				if got := d.shows(chapter); got != c.want {
					t.Errorf("file shows %q, want %q", got, c.want)
				}
				if d.isWritten(chapter) == c.left {
					t.Errorf("written is %v", d.isWritten(chapter))
				}
			})
		}
	}
}

func TestScan(t *testing.T) {
	for _, c := range []struct {
		name       string
		role       journal.Role
		disk, told string
	}{
		{"unchanged", journal.Working, "v2", ""},
		{"edited", journal.Working, "edit", "edited edit"},
		{"same length", journal.Working, "w2", "edited w2"},
		{"back to an older version", journal.Working, "v1", "edited v1 returned V-1"},
		{"removed", journal.Working, absent, "removed"},
		{"state, unchanged", journal.State, "v2", ""},
		{"state, edited", journal.State, "edit", "edited edit"},
		{"state, removed", journal.State, absent, "removed"},
		{"kept, unchanged", journal.Kept, "v2", ""},
		{"kept, damaged", journal.Kept, "bad", "damaged bad"},
		{"kept, missing", journal.Kept, absent, "damaged"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDesk(t)
			d.known = func(p string, sum digest.Digest) (string, bool) {
				return "V-1", p == chapter && sum == digest.Of([]byte("v1"))
			}
			d.step(c.role, chapter, "v1")
			d.step(c.role, chapter, "v2")
			d.edits(chapter, c.disk)
			for _, scan := range []func() ([]Edit, error){
				func() ([]Edit, error) { return d.Scan(bg, "run") },
				func() ([]Edit, error) { return d.Scan(bg, "") },
				func() ([]Edit, error) { return d.Scan(bg, "run", chapter) },
			} {
				edits, err := scan()
				if got := d.told(edits); got != c.told || err != nil {
					t.Errorf("told %q, %v; want %q", got, err, c.told)
				}
			}
			if got := d.shows(chapter); got != c.disk {
				t.Errorf("Scan changed the file to %q", got)
			}
			if edits, err := d.Scan(bg, "other run"); len(edits) != 0 || err != nil {
				t.Errorf("another run has edits %v, %v", edits, err)
			}
		})
	}
}

func TestScanLeavesUnwrittenAndRemovedRowsAlone(t *testing.T) {
	d := newDesk(t)
	d.step(journal.Working, chapter, "v1")
	d.store.commit(journal.Checkout{Path: chapter}, []byte("v2"))
	d.store.commit(journal.Checkout{Path: "novel/gone.md", Removed: true}, nil)
	if _, err := d.Place(bg, []journal.Checkout{{Path: "novel/gone.md"}}, nil); err != nil {
		t.Fatal(err)
	}
	d.edits("novel/gone.md", "a person's own")
	if edits, err := d.Scan(bg, ""); len(edits) != 0 || err != nil {
		t.Errorf("Scan = %v, %v; want nothing", edits, err)
	}
	_, err := d.Scan(bg, "", "../x")
	mustCode(t, err, fault.BadPath)
}

// A file that is as old as it was seen to be is not read again, and setting its time back fools nobody where the
// file system keeps a time of its own.
func TestScanRemembersWhatItSaw(t *testing.T) {
	d := newDesk(t)
	d.step(journal.Working, chapter, "v1")
	name := filepath.Join(d.dir, chapter)
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(name, old, old); err != nil {
		t.Fatal(err)
	}
	later := time.Now().Add(time.Minute)
	d.now = func() time.Time { return later }
	sum := digest.Of([]byte("v1"))
	if d.isShown(chapter, sum) {
		t.Error("a file is trusted before it was read again")
	}
	if edits, err := d.Scan(bg, ""); len(edits) != 0 || err != nil {
		t.Fatalf("Scan = %v, %v", edits, err)
	}
	if !d.isShown(chapter, sum) {
		t.Error("an unchanged file has to be read again")
	}
	info, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	if changeTime(info) == 0 {
		t.Skip("no change time here")
	}
	d.edits(chapter, "w1")
	if err := os.Chtimes(name, old, old); err != nil {
		t.Fatal(err)
	}
	edits, err := d.Scan(bg, "")
	if got := d.told(edits); got != "edited w1" || err != nil {
		t.Errorf("told %q, %v; want the edit", got, err)
	}
}

func TestEditedWhileWeWrite(t *testing.T) {
	for _, c := range []struct{ name, before, told string }{
		{"a file of ours", "v1", "edited edit"},
		{"a path that showed nothing", absent, "edited edit"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDesk(t)
			if c.before != absent {
				d.step(journal.Working, chapter, c.before)
			}
			row := d.store.commit(journal.Checkout{Path: chapter}, []byte("v2"))
			d.store.onBlob = func(digest.Digest) { d.edits(chapter, "edit") }
			edits, err := d.Place(bg, []journal.Checkout{row}, nil)
			if got := d.told(edits); got != c.told || err != nil {
				t.Errorf("told %q, %v; want %q", got, err, c.told)
			}
			if diff := cmp.Diff(map[string]string{chapter: "edit"}, disk(t, d.dir)); diff != "" {
				t.Errorf("files (-want +got):\n%s", diff)
			}
			// The edit is adopted; choosing what we made later is a replacement like any other.
			d.store.onBlob = nil
			if got := d.told(d.step(journal.Working, chapter, "edit")); got != "" || !d.isWritten(chapter) {
				t.Errorf("adopting told %q", got)
			}
			if got := d.told(d.step(journal.Working, chapter, "v2")); got != "" || d.shows(chapter) != "v2" {
				t.Errorf("choosing told %q, file shows %q", got, d.shows(chapter))
			}
		})
	}
}

func TestStateEditedWhileWeWriteIsKept(t *testing.T) {
	d := newDesk(t)
	d.step(journal.State, "state.json", "v1")
	row := d.store.commit(journal.Checkout{Path: "state.json", Role: journal.State}, []byte("v2"))
	d.store.onBlob = func(digest.Digest) { d.edits("state.json", "edit") }
	edits, err := d.Place(bg, []journal.Checkout{row}, nil)
	if got := d.told(edits); got != "edited edit kept" || err != nil || d.shows("state.json") != "v2" {
		t.Errorf("told %q, %v; file shows %q", got, err, d.shows("state.json"))
	}
}

func TestRecoverSweepsHalfWrittenFiles(t *testing.T) {
	d := newDesk(t)
	d.store.commit(journal.Checkout{Path: chapter}, []byte("new"))
	d.edits("novel/"+tempPrefix+host()+"-2147483646-DEAD", "ne")
	if _, err := d.Recover(bg); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{chapter: "new"}, disk(t, d.dir)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	if edits, err := d.Recover(bg); len(edits) != 0 || err != nil || d.store.marks != 1 {
		t.Errorf("a second Recover does something: %v, %v, %d marks", edits, err, d.store.marks)
	}
}

// forgetful loses marks, as a process does that dies, or that has not told the store yet, after it placed its files.
type forgetful struct{ *fakeStore }

func (f forgetful) MarkWritten(context.Context, ...journal.Checkout) error { return context.Canceled }

func TestFilesOfOtherProcessesAreNoEdits(t *testing.T) {
	d := newDesk(t)
	d.step(journal.State, "state.json", "v0")
	other := NewCheckouts(mustOpen(t, d.dir), forgetful{d.store}, d.store, nil)
	for _, text := range []string{"v1", "v2"} {
		row := d.store.commit(journal.Checkout{Path: "state.json", Role: journal.State}, []byte(text))
		if _, err := other.Place(bg, []journal.Checkout{row}, nil); err != context.Canceled || d.shows("state.json") != text {
			t.Fatalf("%v, file shows %q", err, d.shows("state.json"))
		}
	}
	if got := d.told(d.step(journal.State, "state.json", "v3")); got != "" || d.shows("state.json") != "v3" {
		t.Errorf("told %q, file shows %q; want v3 without an edit", got, d.shows("state.json"))
	}

	// What was placed before the path last showed something for certain is a person's doing if it comes back.
	d.step(journal.Working, chapter, "v0")
	d.step(journal.Working, chapter, "v1")
	d.store.commit(journal.Checkout{Path: chapter}, []byte("v2"))
	d.edits(chapter, "v0")
	edits, err := d.Recover(bg)
	if got := d.told(edits); got != "edited v0" || err != nil || d.shows(chapter) != "v0" {
		t.Errorf("told %q, %v; file shows %q", got, err, d.shows(chapter))
	}
}

func TestNewerRowCommittedWhileWePlace(t *testing.T) {
	d := newDesk(t)
	d.step(journal.Working, chapter, "v0")
	row := d.store.commit(journal.Checkout{Path: chapter}, []byte("v1"))
	d.store.onMark = func() {
		d.store.onMark = nil
		d.store.commit(journal.Checkout{Path: chapter}, []byte("v2"))
	}
	edits, err := d.Place(bg, []journal.Checkout{row}, nil)
	if got := d.told(edits); got != "" || err != nil || d.shows(chapter) != "v2" || !d.isWritten(chapter) {
		t.Errorf("told %q, %v; file shows %q", got, err, d.shows(chapter))
	}
}

func TestLedgerTurnsOver(t *testing.T) {
	d := newDesk(t)
	d.step(journal.Working, chapter, "v0")
	plant(t, filepath.Join(d.dir, ledgerName), strings.Repeat("x", ledgerSize+1))
	other := NewCheckouts(mustOpen(t, d.dir), forgetful{d.store}, d.store, nil)
	row := d.store.commit(journal.Checkout{Path: chapter}, []byte("v1"))
	_, _ = other.Place(bg, []journal.Checkout{row}, nil)
	if got := d.told(d.step(journal.Working, chapter, "v2")); got != "" || d.shows(chapter) != "v2" {
		t.Errorf("told %q, file shows %q", got, d.shows(chapter))
	}
	if fi, err := os.Stat(filepath.Join(d.dir, ledgerName)); err != nil || fi.Size() > 1000 {
		t.Errorf("ledger is %v, %v; want a short one", fi, err)
	}
}

func TestRestore(t *testing.T) {
	for _, c := range []struct {
		name       string
		role       journal.Role
		over       bool
		disk, want string
		told       string
	}{
		{"missing", journal.Working, false, absent, "v1", ""},
		{"right", journal.Working, false, "v1", "v1", ""},
		{"edited", journal.Working, false, "edit", "edit", "edited edit"},
		{"edited, over", journal.Working, true, "edit", "v1", "edited edit kept"},
		{"broken, over", journal.Working, true, "{", "v1", "edited { kept"},
		{"state", journal.State, false, "edit", "v1", "edited edit kept"},
		{"kept, damaged", journal.Kept, false, "bad", "v1", "damaged bad kept"},
		{"kept, missing", journal.Kept, false, absent, "v1", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDesk(t)
			d.step(c.role, chapter, "v1")
			d.edits(chapter, c.disk)
			edits, err := d.Restore(bg, c.over, d.store.rows[chapter])
			if got := d.told(edits); got != c.told || err != nil {
				t.Errorf("told %q, %v; want %q", got, err, c.told)
			}
			if got := d.shows(chapter); got != c.want || !d.isWritten(chapter) {
				t.Errorf("file shows %q, want %q; written %v", got, c.want, d.isWritten(chapter))
			}
		})
	}
}

func TestKeep(t *testing.T) {
	d := newDesk(t)
	first, err := d.Keep(bg, chapter, []byte("{broken"))
	if err != nil || first != ".sluice/kept/"+digest.Of([]byte("{broken")).Hex() || d.shows(first) != "{broken" {
		t.Errorf("Keep = %q, %v", first, err)
	}
	again, err := d.Keep(bg, chapter, []byte("{broken"))
	if err != nil || again != first {
		t.Errorf("a second Keep = %q, %v", again, err)
	}
	if fi, err := os.Stat(filepath.Join(d.dir, first)); err != nil || fi.Mode().Perm()&0o077 != 0 && changeTime(fi) != 0 {
		t.Errorf("kept file is %v, %v; want 0600", fi, err)
	}
}

func TestRenamedByCaseInOneCommit(t *testing.T) {
	d := newDesk(t)
	d.step(journal.Working, "novel/Old.md", "text")
	rows := []journal.Checkout{
		d.store.commit(journal.Checkout{Path: "novel/old.md"}, []byte("text")),
		d.store.commit(journal.Checkout{Path: "novel/Old.md", Removed: true}, nil),
	}
	edits, err := d.Place(bg, rows, nil)
	if len(edits) != 0 || err != nil {
		t.Fatalf("Place = %v, %v", edits, err)
	}
	if diff := cmp.Diff(map[string]string{"novel/old.md": "text"}, disk(t, d.dir)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

func TestOneBadFileKeepsNoOtherFromItsPlace(t *testing.T) {
	d := newDesk(t)
	d.edits("a/b/c.md", "in the way")
	rows := []journal.Checkout{
		d.store.commit(journal.Checkout{Path: "a/b"}, []byte("1")),
		d.store.commit(journal.Checkout{Path: "x/y.md"}, []byte("2")),
	}
	_, err := d.Place(bg, rows, nil)
	mustCode(t, err, fault.BadPath)
	if d.shows("x/y.md") != "2" || !d.isWritten("x/y.md") || d.isWritten("a/b") {
		t.Errorf("x/y.md shows %q", d.shows("x/y.md"))
	}
	_, err = d.Place(bg, []journal.Checkout{{Path: "no/row.md"}}, nil)
	mustCode(t, err, fault.Unexpected)
	row := d.store.commit(journal.Checkout{Path: "z.md"}, []byte("3"))
	_, err = d.Place(bg, []journal.Checkout{row}, map[digest.Digest][]byte{row.Digest: []byte("other")})
	mustCode(t, err, fault.StoreCorrupt)
}

func TestPlaceWaitsForOtherProcessesAndCanBeInterrupted(t *testing.T) {
	d := newDesk(t)
	row := d.store.commit(journal.Checkout{Path: chapter}, []byte("v1"))
	other := NewCheckouts(mustOpen(t, d.dir), d.store, d.store, nil)
	ctx, cancel := context.WithCancel(bg)
	cancel()
	err := other.locked(bg, func() error {
		_, err := d.Place(ctx, []journal.Checkout{row}, nil)
		return err
	})
	mustCode(t, err, fault.Interrupted)
	if d.shows(chapter) != absent {
		t.Error("a file was placed without the lock")
	}
}

func TestManyFiles(t *testing.T) {
	d := newDesk(t)
	rows := commitMany(d.store, 2*chunk+3)
	edits, err := d.Place(bg, rows, nil)
	if len(edits) != 0 || err != nil {
		t.Fatalf("Place = %v, %v", edits, err)
	}
	if unwritten, _ := d.store.Unwritten(bg); len(unwritten) != 0 || len(disk(t, d.dir)) != len(rows) {
		t.Errorf("%d rows are unwritten, %d files there", len(unwritten), len(disk(t, d.dir)))
	}
	d.edits(rows[7].Path, "edit")
	edits, err = d.Scan(bg, "run")
	if got := d.told(edits); got != "edited edit" || err != nil {
		t.Errorf("told %q, %v", got, err)
	}
}
