package workspace

import (
	"testing"

	"sluice/internal/digest"
	"sluice/internal/journal"
)

// A file that is handed over is placed with the care of a working file, and then it is nobody's.
func TestGivenFiles(t *testing.T) {
	d := newDesk(t)
	d.edits("ours.md", "base")
	d.edits("edited.md", "a person's")
	for _, p := range []string{"ours.md", "edited.md"} {
		d.store.commit(journal.Checkout{Path: p, Role: journal.Given, Before: digest.Of([]byte("base"))}, []byte("new"))
	}
	edits, err := d.Recover(bg)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := d.told(edits), "edited a person's"; got != want {
		t.Errorf("edits are %q, want %q", got, want)
	}
	if got := d.shows("ours.md") + " " + d.shows("edited.md"); got != "new a person's" {
		t.Errorf("files show %q", got)
	}
	for _, later := range []string{"changed later", absent} {
		d.edits("ours.md", later)
		if edits, err := d.Scan(bg, ""); err != nil || len(edits) != 0 {
			t.Errorf("a file that was handed over is compared when it shows %q: %+v, %v", later, edits, err)
		}
	}
}

func TestNotes(t *testing.T) {
	tree := mustOpen(t, t.TempDir())
	if got, err := tree.Note("session"); got != nil || err != nil {
		t.Errorf("a note that was never written is %q, %v", got, err)
	}
	for _, text := range []string{"one", ""} {
		if err := tree.SetNote("session", []byte(text)); err != nil {
			t.Fatal(err)
		}
		if got, err := tree.Note("session"); string(got) != text || err != nil {
			t.Errorf("the note is %q, %v; want %q", got, err, text)
		}
	}
}
