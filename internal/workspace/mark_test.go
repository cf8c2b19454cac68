package workspace

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// marks lists the marks of a tree.
func marks(t *testing.T, dir string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, privateDir, markPrefix+"*"))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestTreeIsSweptOnlyAfterAKill(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, privateDir), 0o700); err != nil {
		t.Fatal(err)
	}
	left := "novel/" + tempPrefix + host() + "-2147483646-DEAD"
	plant(t, filepath.Join(dir, left), "")
	sweep := func(want int) {
		t.Helper()
		tree := mustOpen(t, dir)
		defer tree.Close()
		if n, err := tree.SweepKilled(); n != want || err != nil {
			t.Errorf("SweepKilled = %d, %v; want %d", n, err, want)
		}
	}
	sweep(0) // nobody says that anything was left behind

	alive := mustOpen(t, dir)
	if err := alive.Write("a.md", []byte("a"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := alive.Write("b.md", []byte("b"), 0o644); err != nil {
		t.Fatal(err)
	}
	if n := len(marks(t, dir)); n != 1 {
		t.Fatalf("%d marks while one process writes", n)
	}
	sweep(0) // who writes is alive
	if err := alive.Close(); err != nil {
		t.Fatal(err)
	}
	if n := len(marks(t, dir)); n != 0 {
		t.Fatalf("%d marks after it ended", n)
	}
	sweep(0)

	dead := filepath.Join(dir, privateDir, markPrefix+"DEAD")
	plant(t, dead, "") // which nobody holds
	sweep(1)
	plant(t, filepath.Join(dir, left), "")
	if n := len(marks(t, dir)); n != 1 {
		t.Fatalf("%d marks; a young one may be about to be locked", n)
	}
	old := time.Now().Add(-2 * markAge)
	if err := os.Chtimes(dead, old, old); err != nil {
		t.Fatal(err)
	}
	sweep(1)
	if n := len(marks(t, dir)); n != 0 {
		t.Fatalf("%d marks after all was swept", n)
	}
}

func TestDirectoryOutsideAWorkspaceGetsNoMark(t *testing.T) {
	dir := t.TempDir()
	tree := mustOpen(t, dir)
	if err := tree.Write("a.md", []byte("a"), 0o644); err != nil {
		t.Fatal(err)
	}
	if files := disk(t, dir); len(files) != 1 {
		t.Errorf("files %v", files)
	}
}
