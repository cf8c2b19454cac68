package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/unicode/norm"

	"sluice/internal/fault"
)

func mustOpen(t testing.TB, dir string) *Tree {
	t.Helper()
	tree, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tree.Close() })
	return tree
}

func mustWrite(t testing.TB, tree *Tree, p, body string) {
	t.Helper()
	if err := tree.Write(p, []byte(body), 0); err != nil {
		t.Fatal(err)
	}
}

func mustCode(t testing.TB, err error, want fault.Code) {
	t.Helper()
	if fault.CodeOf(err) != want {
		t.Fatalf("got %q (%v), want code %q", fault.CodeOf(err), err, want)
	}
}

// disk gives every file of a directory outside .sluice, with its bytes.
func disk(t testing.TB, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.Name() == privateDir {
			return fs.SkipDir
		}
		if d.Type().IsRegular() {
			body, err := os.ReadFile(p)
			rel, _ := filepath.Rel(dir, p)
			files[filepath.ToSlash(rel)] = string(body)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestTreeWritesAndReads(t *testing.T) {
	tree := mustOpen(t, t.TempDir())
	mustWrite(t, tree, "novel/第三章/正文.md", "one")
	mustWrite(t, tree, "novel/第三章/正文.md", "two")
	mustWrite(t, tree, "novel/empty", "")
	want := map[string]string{"novel/第三章/正文.md": "two", "novel/empty": ""}
	if diff := cmp.Diff(want, disk(t, tree.Dir())); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	body, err := tree.Read("novel/第三章/正文.md")
	if err != nil || string(body) != "two" {
		t.Errorf("Read = %q, %v", body, err)
	}
	if fi, err := tree.Stat("novel/empty"); err != nil || fi.Size() != 0 {
		t.Errorf("Stat = %v, %v", fi, err)
	}
	entries, err := tree.List("novel")
	if err != nil || len(entries) != 2 || entries[0].Name() != "empty" {
		t.Errorf("List = %v, %v", entries, err)
	}
	_, err = tree.Read("novel/none")
	mustCode(t, err, fault.NotFound)
	_, err = tree.Read("novel")
	mustCode(t, err, fault.BadPath)
	_, err = tree.Read("../x")
	mustCode(t, err, fault.BadPath)
	mustCode(t, tree.Write("novel/empty/x", nil, 0), fault.BadPath)
	mustCode(t, tree.Write("novel", nil, 0), fault.BadPath)
}

func TestTreeKeepsPermissions(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such permissions")
	}
	tree := mustOpen(t, t.TempDir())
	mode := func(p string) fs.FileMode {
		fi, err := tree.Stat(p)
		if err != nil {
			t.Fatal(err)
		}
		return fi.Mode().Perm()
	}
	mustWrite(t, tree, "d/run.sh", "one")
	if got := mode("d/run.sh") &^ 0o022; got != 0o644 {
		t.Errorf("new file has mode %o", got)
	}
	if err := os.Chmod(filepath.Join(tree.Dir(), "d/run.sh"), 0o766); err != nil {
		t.Fatal(err)
	}
	mustWrite(t, tree, "d/run.sh", "two")
	if got := mode("d/run.sh"); got != 0o766 {
		t.Errorf("replaced file has mode %o, want what it had", got)
	}
	if err := tree.Write("d/run.sh", nil, 0o600); err != nil || mode("d/run.sh") != 0o600 {
		t.Errorf("mode %o, %v; want what was asked for", mode("d/run.sh"), err)
	}
}

func TestTreeListHidesOwnFiles(t *testing.T) {
	dir := t.TempDir()
	tree := mustOpen(t, dir)
	mustWrite(t, tree, "a.md", "")
	for _, p := range []string{".sluice/x", ".git/config", "sluice.yaml", ".sluice-tmp-0-0-x"} {
		plant(t, filepath.Join(dir, p), "")
	}
	entries, err := tree.List("")
	if err != nil || len(entries) != 1 || entries[0].Name() != "a.md" {
		t.Errorf("List = %v, %v; want a.md alone", entries, err)
	}
}

// plant writes a file as a person would.
func plant(t testing.TB, name, body string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(body), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestWriteNewRefusesToReplace(t *testing.T) {
	tree := mustOpen(t, t.TempDir())
	if err := tree.WriteNew("d/a.md", []byte("one"), 0); err != nil {
		t.Fatal(err)
	}
	mustCode(t, tree.WriteNew("d/a.md", []byte("two"), 0), fault.FileExists)

	var won atomic.Int32
	var group sync.WaitGroup
	for i := range 16 {
		group.Go(func() {
			if tree.WriteNew("d/b.md", fmt.Append(nil, i), 0) == nil {
				won.Add(1)
			}
		})
	}
	group.Wait()
	if won.Load() != 1 {
		t.Errorf("%d writers of the same new file succeeded, want 1", won.Load())
	}
	if files := disk(t, tree.Dir()); len(files) != 2 || files["d/a.md"] != "one" {
		t.Errorf("files are %v", files)
	}
}

func TestRemovePrunesEmptyDirectories(t *testing.T) {
	tree := mustOpen(t, t.TempDir())
	mustWrite(t, tree, "novel/book/ch/1/a.md", "")
	mustWrite(t, tree, "novel/book/ch/2/a.md", "")
	mustWrite(t, tree, "novel/book/ch/2/b.md", "")
	for _, p := range []string{"novel/book/ch/1/a.md", "novel/book/ch/2/a.md"} {
		if err := tree.Remove(p, "novel"); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := tree.Stat("novel/book/ch/1"); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("empty directory stays: %v", err)
	}
	if err := tree.Remove("novel/book/ch/2/b.md", "novel"); err != nil {
		t.Fatal(err)
	}
	entries, err := tree.List("novel")
	if err != nil || len(entries) != 0 {
		t.Errorf("novel holds %v, %v; want the empty directory", entries, err)
	}
	mustCode(t, tree.Remove("novel/x", ""), fault.NotFound)
	mustCode(t, tree.Remove("novel", ""), fault.BadPath)
}

func TestMove(t *testing.T) {
	tree := mustOpen(t, t.TempDir())
	mustWrite(t, tree, "a/one.md", "1")
	mustWrite(t, tree, "a/two.md", "2")
	mustCode(t, tree.Move("a/one.md", "a/two.md"), fault.FileExists)
	mustCode(t, tree.Move("a/one.md", "a/TWO.md"), fault.BadPath)
	mustCode(t, tree.Move("a/none.md", "a/three.md"), fault.NotFound)
	if err := tree.Move("a/one.md", "b/c/one.md"); err != nil {
		t.Fatal(err)
	}
	if err := tree.Move("a/two.md", "a/Two.md"); err != nil {
		t.Errorf("a change of case alone: %v", err)
	}
	if diff := cmp.Diff(map[string]string{"b/c/one.md": "1", "a/Two.md": "2"}, disk(t, tree.Dir())); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

func TestTwinsAreRefused(t *testing.T) {
	dir := t.TempDir()
	tree := mustOpen(t, dir)
	mustWrite(t, tree, "Novel/a.json", "old")
	for _, p := range []string{"Novel/A.json", "novel/b.json", "NOVEL/x/y.json"} {
		err := tree.Write(p, []byte("new"), 0)
		mustCode(t, err, fault.BadPath)
		if !strings.Contains(err.Error(), "Novel") {
			t.Errorf("%q does not name the twin", err)
		}
		_, err = tree.Check(p)
		mustCode(t, err, fault.BadPath)
	}
	mustCode(t, tree.WriteAll([]File{{Path: "x/a"}, {Path: "X/b"}}), fault.BadPath)
	mustCode(t, tree.WriteAll([]File{{Path: "x/straße"}, {Path: "x/STRASSE"}}), fault.BadPath)

	// What a person does meanwhile counts.
	plant(t, filepath.Join(dir, "Novel", "Glossary.md"), "theirs")
	mustCode(t, tree.Write("Novel/glossary.md", nil, 0), fault.BadPath)
	if err := os.Remove(filepath.Join(dir, "Novel", "a.json")); err != nil {
		t.Fatal(err)
	}
	mustWrite(t, tree, "Novel/A.json", "new")
	want := map[string]string{"Novel/A.json": "new", "Novel/Glossary.md": "theirs"}
	if diff := cmp.Diff(want, disk(t, dir)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

func TestNamesInAnotherNormalFormAreFound(t *testing.T) {
	dir := t.TempDir()
	tree := mustOpen(t, dir)
	name := "café/résumé.md"
	decomposed := norm.NFD.String(name)
	plant(t, filepath.Join(dir, decomposed), "theirs")
	for _, p := range []string{name, decomposed} {
		if body, err := tree.Read(p); err != nil || string(body) != "theirs" {
			t.Errorf("Read(%+q) = %q, %v", p, body, err)
		}
	}
	mustWrite(t, tree, name, "ours")
	if diff := cmp.Diff(1, len(disk(t, dir))); diff != "" {
		t.Errorf("a second file appeared: %v", disk(t, dir))
	}
	if body, err := tree.Read(name); err != nil || string(body) != "ours" {
		t.Errorf("Read = %q, %v", body, err)
	}
}

func TestSymlinksAreRefused(t *testing.T) {
	outside, dir := t.TempDir(), t.TempDir()
	plant(t, filepath.Join(outside, "secret"), "secret")
	plant(t, filepath.Join(dir, ".sluice", "token"), "token")
	for name, target := range map[string]string{
		"out": outside, "file": filepath.Join(outside, "secret"), "up": "..", "store": ".sluice", "token": ".sluice/token",
		"gone": "nowhere",
	} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Skip("no symbolic links here:", err)
		}
	}
	tree := mustOpen(t, dir)
	for _, p := range []string{"out/secret", "file", "up/x", "store/token", "token"} {
		_, err := tree.Read(p)
		mustCode(t, err, fault.BadPath)
		mustCode(t, tree.Write(p, []byte("x"), 0), fault.BadPath)
	}
	mustCode(t, tree.Write("out/new", []byte("x"), 0), fault.BadPath)
	mustCode(t, tree.Write("gone", []byte("x"), 0), fault.BadPath)
	mustCode(t, tree.WriteNew("out/new", []byte("x"), 0), fault.BadPath)
	mustCode(t, tree.Remove("out/secret", ""), fault.BadPath)
	mustCode(t, tree.Move("out/secret", "mine"), fault.BadPath)
	_, err := tree.List("out")
	mustCode(t, err, fault.BadPath)
	// Inside, where links are followed for comparing, os.Root keeps them in the tree.
	_, _, err = tree.read("out/secret")
	mustCode(t, fail("read", "out/secret", err), fault.BadPath)
	if diff := cmp.Diff(map[string]string{"secret": "secret"}, disk(t, outside)); diff != "" {
		t.Errorf("outside (-want +got):\n%s", diff)
	}
}

func TestOpenRefusesPrivateSymlink(t *testing.T) {
	dir := t.TempDir()
	if err := os.Symlink(t.TempDir(), filepath.Join(dir, ".sluice")); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	_, err := Open(dir)
	mustCode(t, err, fault.BadPath)
	_, err = Open(filepath.Join(dir, "none"))
	mustCode(t, err, fault.NotFound)
}

func TestWriteAll(t *testing.T) {
	tree := mustOpen(t, t.TempDir())
	var files []File
	want := map[string]string{}
	for i := range 2*chunk + 7 {
		f := File{Path: fmt.Sprintf("d%d/%03d.md", i%7, i), Body: fmt.Append(nil, "body ", i)}
		files = append(files, f)
		want[f.Path] = string(f.Body)
	}
	if err := tree.WriteAll(files); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, disk(t, tree.Dir())); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	// One bad path among them: nothing is touched.
	err := tree.WriteAll([]File{{Path: "d0/000.md", Body: []byte("x")}, {Path: "../x"}})
	mustCode(t, err, fault.BadPath)
	if diff := cmp.Diff(want, disk(t, tree.Dir())); diff != "" {
		t.Errorf("files after a refusal (-want +got):\n%s", diff)
	}
}

func TestConcurrentWritersAndPruning(t *testing.T) {
	tree := mustOpen(t, t.TempDir())
	var group sync.WaitGroup
	for w := range 4 {
		group.Go(func() {
			for i := range 20 {
				p := fmt.Sprintf("shared/deep/%d.md", w)
				if err := tree.Write(p, fmt.Append(nil, i), 0); err != nil {
					t.Error(err)
				}
				if err := tree.Remove(p, ""); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	if files := disk(t, tree.Dir()); len(files) != 0 {
		t.Errorf("files stay: %v", files)
	}
}

func TestSweep(t *testing.T) {
	dir := t.TempDir()
	tree := mustOpen(t, dir)
	old := time.Now().Add(-2 * stale)
	const nobody = "2147483646" // above every process number that systems give out
	for name, age := range map[string]time.Time{
		"novel/" + tempPrefix + host() + "-" + nobody + "-DEAD":        time.Now(),
		tempPrefix + "other-1-OLD":                                     old,
		".sluice/kept/" + tempPrefix + "other-1-OLD":                   old,
		"novel/" + tempPrefix + "other-1-YOUNG":                        time.Now(),
		tree.temp + "MINE":                                             old,
		fmt.Sprintf("%s%s-%d-ALIVE", tempPrefix, host(), os.Getppid()): time.Now(),
		"novel/.sluice-notes":                                          old,
		".git/" + tempPrefix + "other-1-OLD":                           old,
	} {
		p := filepath.Join(dir, name)
		plant(t, p, "")
		if err := os.Chtimes(p, age, age); err != nil {
			t.Fatal(err)
		}
	}
	n, err := tree.Sweep()
	if n != 3 || err != nil {
		t.Errorf("Sweep = %d, %v; want 3; left %v", n, err, disk(t, dir))
	}
}

func TestFailMapsErrors(t *testing.T) {
	for _, c := range []struct {
		err  error
		want fault.Code
	}{
		{&fs.PathError{Op: "openat", Path: "x", Err: fs.ErrNotExist}, fault.NotFound},
		{&os.LinkError{Op: "link", Err: fs.ErrExist}, fault.FileExists},
		{fs.ErrPermission, fault.NoPermission},
		{fault.New(fault.BadPath, "x", "x"), fault.BadPath},
		{errors.New("input/output error"), fault.Unexpected},
	} {
		mustCode(t, fail("write", "x", c.err), c.want)
	}
	if fail("write", "x", nil) != nil {
		t.Error("nil is no fault")
	}
}
