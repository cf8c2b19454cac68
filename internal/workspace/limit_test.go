//go:build unix

package workspace

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/internal/digest"
	"sluice/internal/fault"
	"sluice/internal/journal"
)

const childVar = "SLUICE_WORKSPACE_TEST_CHILD"

// TestMain runs the test binary as the process of limited means that the tests below start.
func TestMain(m *testing.M) {
	if job := os.Getenv(childVar); job != "" {
		name, dir, _ := strings.Cut(job, "=")
		fmt.Print(fault.CodeOf(children[name](dir)))
		os.Exit(0)
	}
	os.Exit(m.Run())
}

var children = map[string]func(dir string) error{
	"full":     writeWithLimit,
	"full-all": writeAllWithLimit,
	"place":    placeWithLimit,
	"churn":    churn,
	"write": func(dir string) error {
		return inTree(dir, func(t *Tree) error { return t.Write("d/a.md", []byte("new"), 0) })
	},
	"read": func(dir string) error {
		return inTree(dir, func(t *Tree) error { _, err := t.Read("secret.md"); return err })
	},
	"mkdir":  func(dir string) error { return inTree(dir, func(t *Tree) error { return t.Write("d/e/a.md", nil, 0) }) },
	"remove": func(dir string) error { return inTree(dir, func(t *Tree) error { return t.Remove("d/a.md", "") }) },
	"init":   func(dir string) error { return Init(filepath.Join(dir, "d", "new"), nil, true) },
}

func inTree(dir string, do func(*Tree) error) error {
	tree, err := Open(dir)
	if err != nil {
		return err
	}
	defer tree.Close()
	return do(tree)
}

func limit() error {
	signal.Ignore(syscall.SIGXFSZ)
	return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 4096, Max: 4096})
}

func writeWithLimit(dir string) error {
	if err := limit(); err != nil {
		return err
	}
	return inTree(dir, func(t *Tree) error { return t.Write("d/a.md", bytes.Repeat([]byte("x"), 10_000), 0) })
}

func writeAllWithLimit(dir string) error {
	if err := limit(); err != nil {
		return err
	}
	return inTree(dir, func(t *Tree) error {
		return t.WriteAll([]File{{Path: "d/b.md", Body: []byte("small")}, {Path: "d/a.md", Body: make([]byte, 10_000)}})
	})
}

func placeWithLimit(dir string) error {
	if err := limit(); err != nil {
		return err
	}
	return inTree(dir, func(t *Tree) error {
		s := newFakeStore()
		s.commit(journal.Checkout{Path: "d/b.md"}, []byte("small"))
		s.commit(journal.Checkout{Path: "d/a.md", Before: digest.Of([]byte("old"))}, make([]byte, 10_000))
		_, err := NewCheckouts(t, s, s, nil).Recover(bg)
		return err
	})
}

// child runs this binary for one job in a directory, as another user if it would be root, and gives the code.
func child(t *testing.T, job, dir string, lesser bool) fault.Code {
	t.Helper()
	binary := os.Args[0]
	cmd := exec.Command(binary)
	if lesser && os.Geteuid() == 0 {
		cmd = exec.Command(reachable(t, binary))
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
	cmd.Env = append(os.Environ(), childVar+"="+job+"="+dir)
	cmd.Stderr = os.Stderr
	cmd.Dir = "/"
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return fault.Code(out)
}

// shared makes a directory that other users can reach, which t.TempDir is not.
func shared(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "workspace-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

func reachable(t *testing.T, binary string) string {
	t.Helper()
	from, err := os.Open(binary)
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	name := filepath.Join(shared(t), "workspace.test")
	to, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(to, from); err != nil {
		t.Fatal(err)
	}
	if err := to.Close(); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestDiskFull(t *testing.T) {
	for job, want := range map[string]map[string]string{
		"full":     {"d/a.md": "old"},
		"full-all": {"d/a.md": "old"},
		"place":    {"d/a.md": "old", "d/b.md": "small"},
	} {
		dir := t.TempDir()
		plant(t, filepath.Join(dir, "d/a.md"), "old")
		if got := child(t, job, dir, false); got != fault.DiskFull {
			t.Errorf("%s: code %q, want disk_full", job, got)
		}
		if diff := cmp.Diff(want, disk(t, dir)); diff != "" {
			t.Errorf("%s: files (-want +got):\n%s", job, diff)
		}
	}
}

func TestNoPermission(t *testing.T) {
	dir := shared(t)
	plant(t, filepath.Join(dir, "d/a.md"), "old")
	plant(t, filepath.Join(dir, "secret.md"), "secret")
	for p, mode := range map[string]os.FileMode{"secret.md": 0, "d": 0o555} {
		if err := os.Chmod(filepath.Join(dir, p), mode); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { os.Chmod(filepath.Join(dir, "d"), 0o755); os.Chmod(filepath.Join(dir, "secret.md"), 0o644) })
	for _, job := range []string{"write", "read", "mkdir", "remove", "init"} {
		if got := child(t, job, dir, true); got != fault.NoPermission {
			t.Errorf("%s: code %q, want no_permission", job, got)
		}
	}
	os.Chmod(filepath.Join(dir, "secret.md"), 0o644)
	if diff := cmp.Diff(map[string]string{"d/a.md": "old", "secret.md": "secret"}, disk(t, dir)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

// churn rewrites the same files for ever and says when a round is done.
func churn(dir string) error {
	return inTree(dir, func(t *Tree) error {
		for round := 0; ; round++ {
			files := make([]File, 40)
			for i := range files {
				files[i] = File{Path: fmt.Sprintf("d%d/%d.md", i%3, i), Body: bytes.Repeat([]byte{byte('a' + round%26)}, 20_000)}
			}
			if err := t.WriteAll(files); err != nil {
				return err
			}
			fmt.Println(round)
		}
	})
}

func TestKilledWhileWriting(t *testing.T) {
	dir := t.TempDir()
	for kill := range 5 {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), childVar+"=churn="+dir)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		rounds := bufio.NewScanner(out)
		for range kill + 1 {
			rounds.Scan()
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		if _, err := mustOpen(t, dir).Sweep(); err != nil {
			t.Fatal(err)
		}
		files := disk(t, dir)
		for p, body := range files {
			if len(body) != 20_000 || strings.Trim(body, body[:1]) != "" {
				t.Errorf("%s is not whole: %d bytes", p, len(body))
			}
		}
		if len(files) != 40 {
			t.Errorf("%d files, want 40 and no unfinished ones", len(files))
		}
	}
}
