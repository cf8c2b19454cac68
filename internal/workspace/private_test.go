package workspace

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sluice/internal/fault"
)

func TestPrivateDirectoryLeadsNowhereElse(t *testing.T) {
	outside := t.TempDir()
	for _, name := range []string{".sluice", ".sluice/log", ".sluice/sluice.db-wal", ".sluice/anything"} {
		dir := t.TempDir()
		at := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(outside, at); err != nil {
			t.Skip("symbolic links are not allowed here")
		}
		_, err := Open(dir)
		f := fault.From(err)
		if f == nil || f.Code != fault.BadPath || !strings.Contains(f.Message, "is a symbolic link") || len(f.Next) == 0 {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestOpenLogFollowsNoLink(t *testing.T) {
	dir, target := t.TempDir(), filepath.Join(t.TempDir(), "bashrc")
	if err := os.WriteFile(target, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	tree, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	f, err := tree.OpenLog("a.log")
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, filepath.Join(dir, ".sluice", "log", "b.log")); err != nil {
		t.Skip("symbolic links are not allowed here")
	}
	if _, err := tree.OpenLog("b.log"); fault.CodeOf(err) != fault.BadPath {
		t.Errorf("got %v", err)
	}
	if err := os.Mkdir(filepath.Join(dir, ".sluice", "log", "c.log"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := tree.OpenLog("c.log"); fault.CodeOf(err) != fault.BadPath {
		t.Errorf("got %v", err)
	}
}
