//go:build unix

package sqlitestore

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"sluice/internal/fault"
)

// TestAReadOnlyStoreIsTold runs a child as another user where this one may write everywhere.
func TestAReadOnlyStoreIsTold(t *testing.T) {
	dir, err := os.MkdirTemp("", "sqlitestore-test-") // other users can reach it, which they cannot with t.TempDir
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	store := filepath.Join(dir, ".sluice")
	mustClose(t, mustOpen(t, store))
	if err := os.Chmod(filepath.Join(store, fileName), 0o400); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	if os.Geteuid() == 0 {
		const nobody = 65534
		body, err := os.ReadFile(os.Args[0])
		if err != nil {
			t.Fatal(err)
		}
		binary := filepath.Join(dir, "sqlitestore.test")
		if err := os.WriteFile(binary, body, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{store, filepath.Join(store, fileName)} {
			if err := os.Chown(name, nobody, nobody); err != nil {
				t.Fatal(err)
			}
		}
		cmd = exec.Command(binary)
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
	cmd.Dir = "/"
	cmd.Env = append(os.Environ(), workerDir+"="+store, workerName+"="+readOnly)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	if got := fault.Code(out); got != fault.NoPermission {
		t.Errorf("the user is told %q, want %q", got, fault.NoPermission)
	}
}
