package workspace

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/internal/fault"
)

// fillWith writes the files of a map.
func fillWith(files map[string]string) func(func(string, []byte) error) error {
	return func(write func(string, []byte) error) error {
		for p, body := range files {
			if err := write(p, []byte(body)); err != nil {
				return err
			}
		}
		return nil
	}
}

func mustReplace(t *testing.T, tree *Tree, dir string, files map[string]string) {
	t.Helper()
	if err := tree.ReplaceDir(t.Context(), dir, fillWith(files)); err != nil {
		t.Fatal(err)
	}
}

// under gives the files below a directory, own ones included.
func under(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for p, body := range disk(t, dir) {
		if !strings.HasPrefix(p, privateDir+"/") {
			all[p] = body
		}
	}
	return all
}

func TestReplaceDirSwapsTheWholeDirectory(t *testing.T) {
	dir := t.TempDir()
	tree := mustOpen(t, dir)
	mustReplace(t, tree, "out/book", map[string]string{"a.md": "1", "章/一.md": "2"})
	mustReplace(t, tree, "out/book", map[string]string{"b.md": "3", "sub/deep/c.md": "4"})
	want := map[string]string{"out/book/b.md": "3", "out/book/sub/deep/c.md": "4"}
	if diff := cmp.Diff(want, under(t, dir)); diff != "" {
		t.Error(diff)
	}
}

func TestReplaceDirLeavesTheOldOneWhenFillingFails(t *testing.T) {
	dir := t.TempDir()
	tree := mustOpen(t, dir)
	mustReplace(t, tree, "out", map[string]string{"a.md": "1"})
	for name, fill := range map[string]func(func(string, []byte) error) error{
		"an error":         func(func(string, []byte) error) error { return errors.New("no bytes") },
		"a path outside":   fillWith(map[string]string{"../a.md": "2"}),
		"a path of ours":   fillWith(map[string]string{".sluice/x": "2"}),
		"files that clash": fillWith(map[string]string{"x": "1", "x/y": "2"}),
	} {
		if err := tree.ReplaceDir(t.Context(), "out", fill); err == nil {
			t.Errorf("%s: no error", name)
		}
		if diff := cmp.Diff(map[string]string{"out/a.md": "1"}, under(t, dir)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestReplaceDirRefusesWhatIsNoDirectory(t *testing.T) {
	dir := t.TempDir()
	tree := mustOpen(t, dir)
	mustWrite(t, tree, "file", "x")
	if err := os.Symlink(t.TempDir(), filepath.Join(dir, "link")); err != nil {
		t.Skip("no symbolic links here")
	}
	for _, p := range []string{"file", "link", "link/sub", "../out", ".sluice", ""} {
		mustCode(t, tree.ReplaceDir(t.Context(), p, fillWith(nil)), fault.BadPath)
	}
}

// TestReplaceDirAfterACrash plants what a killed replacement leaves at each of its points.
func TestReplaceDirAfterACrash(t *testing.T) {
	const stage = "out/" + tempPrefix + "0-1-KILLED/"
	for name, left := range map[string]struct{ files, want map[string]string }{
		"while filling": {
			map[string]string{"out/book/a": "old", stage + "new/a": "ne"},
			map[string]string{"out/book/a": "old"}},
		"between the renames": {
			map[string]string{stage + "old/book/a": "old", stage + "new/a": "new"},
			map[string]string{"out/book/a": "old"}},
		"before clearing": {
			map[string]string{"out/book/a": "new", stage + "old/book/a": "old"},
			map[string]string{"out/book/a": "new"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for p, body := range left.files {
				plant(t, filepath.Join(dir, filepath.FromSlash(p)), body)
			}
			if err := os.Mkdir(filepath.Join(dir, privateDir), 0o700); err != nil {
				t.Fatal(err)
			}
			tree := mustOpen(t, dir)
			err := tree.ReplaceDir(t.Context(), "out/book", func(func(string, []byte) error) error {
				got := map[string]string{}
				for p, body := range under(t, dir) {
					if !strings.HasPrefix(p, "out/"+tempPrefix) {
						got[p] = body
					}
				}
				if diff := cmp.Diff(left.want, got); diff != "" {
					t.Error("before filling:", diff)
				}
				return errors.New("stop")
			})
			if err == nil {
				t.Fatal("no error")
			}
			if diff := cmp.Diff(left.want, under(t, dir)); diff != "" {
				t.Error("afterwards:", diff)
			}
		})
	}
}

func TestReplaceDirWaitsForAnother(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, privateDir), 0o700); err != nil {
		t.Fatal(err)
	}
	tree, other := mustOpen(t, dir), mustOpen(t, dir)
	err := tree.ReplaceDir(t.Context(), "out", func(func(string, []byte) error) error {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		mustCode(t, other.ReplaceDir(ctx, "out", fillWith(nil)), fault.Interrupted)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestSub(t *testing.T) {
	tree := mustOpen(t, t.TempDir())
	mustWrite(t, tree, "out/a.md", "x")
	sub, err := tree.Sub("out")
	if err != nil {
		t.Fatal(err)
	}
	if body, err := fs.ReadFile(sub, "a.md"); err != nil || string(body) != "x" {
		t.Errorf("got %q, %v", body, err)
	}
	_, err = tree.Sub("gone")
	mustCode(t, err, fault.NotFound)
	_, err = tree.Sub("out/a.md")
	mustCode(t, err, fault.BadPath)
}
