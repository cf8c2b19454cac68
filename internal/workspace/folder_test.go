package workspace

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/internal/fault"
)

func TestInitAndFind(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "my", "book")
	if err := Init(dir, []byte("model: {}\n"), false); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"sluice.yaml": "model: {}\n"}, disk(t, dir)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	if body, err := os.ReadFile(filepath.Join(dir, ".sluice", ".gitignore")); err != nil || string(body) != "*\n" {
		t.Errorf(".gitignore is %q, %v", body, err)
	}
	if fi, err := os.Stat(filepath.Join(dir, ".sluice")); err != nil || runtime.GOOS != "windows" && fi.Mode().Perm() != 0o700 {
		t.Errorf(".sluice is %v, %v; want 0700", fi, err)
	}
	mustCode(t, Init(dir, nil, false), fault.WorkspaceExists)

	deep := filepath.Join(dir, "novel", "deep")
	if err := os.MkdirAll(deep, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, args := range map[string][2]string{
		"from inside": {deep, ""}, "at it": {dir, ""}, "explicit": {"/", dir}, "explicit and relative": {deep, "../.."},
	} {
		if got, err := Find(args[0], args[1]); err != nil || got != dir {
			t.Errorf("%s: Find = %q, %v; want %q", name, got, err, dir)
		}
	}
	_, err := Find(dir, deep)
	mustCode(t, err, fault.UnknownWorkspace)
	_, err = Find(t.TempDir(), "")
	mustCode(t, err, fault.UnknownWorkspace)
	if next := fault.From(err).Next; len(next) != 1 || next[0].Command != "sluice init" {
		t.Errorf("next actions are %v, want sluice init", next)
	}
}

func TestUnsafeReason(t *testing.T) {
	for _, c := range []struct {
		kind, dir string
		unsafe    bool
	}{
		{"", "/home/ada/book", false},
		{"ext4", "/home/ada/book", false},
		{"overlay", "/app", false},
		{"fuse.fuse-overlayfs", "/app", false},
		{"fuseblk", "/mnt/usb", false},
		{"fuse", "/mnt/x", false},
		{"virtiofs", "/mnt/host", false},
		{"apfs", "/Users/ada/book", false},
		{"tmpfs", "/tmp/x", false},
		{"nfs", "/home/ada/book", true},
		{"nfs4", "/home/ada/book", true},
		{"cifs", "/mnt/share", true},
		{"smb2", "/mnt/share", true},
		{"smbfs", "/Volumes/share", true},
		{"9p", "/mnt/c/book", true},
		{"fuse.sshfs", "/mnt/server", true},
		{"fuse.rclone", "/mnt/drive", true},
		{"remote", `Z:\book`, true},
		{"", `\\server\share\book`, true},
		{"", `\\?\C:\book`, false},
		{"", `C:\Users\ada\OneDrive\book`, true},
		{"", `C:\Users\ada\OneDrive - Contoso\book`, true},
		{"ext4", "/home/ada/Dropbox/book", true},
		{"ext4", "/home/ada/Dropbox (Personal)/book", true},
		{"ext4", "/home/ada/src/dropbox/book", false},
		{"ext4", "/home/ada/Dropboxes/book", false},
		{"ext4", "/home/ada/Nextcloud/book", true},
		{"ext4", "/home/ada/坚果云/book", true},
		{"apfs", "/Users/ada/Google Drive/book", true},
		{"apfs", "/Users/ada/Library/Mobile Documents/com~apple~CloudDocs/book", true},
		{"apfs", "/Users/ada/Library/CloudStorage/GoogleDrive-ada@example.org/book", true},
		{"apfs", "/Users/ada/CloudStorage/book", false},
	} {
		if why := unsafeReason(c.kind, c.dir); (why != "") != c.unsafe {
			t.Errorf("unsafeReason(%q, %q) = %q, want unsafe %v", c.kind, c.dir, why, c.unsafe)
		}
	}
}

func TestCheckFolder(t *testing.T) {
	synced := filepath.Join(t.TempDir(), "Dropbox")
	mustCode(t, CheckFolder(filepath.Join(synced, "not", "yet"), false), fault.UnsafeFolder)
	mustCode(t, Init(filepath.Join(synced, "book"), nil, false), fault.UnsafeFolder)
	if _, err := os.Stat(synced); err == nil {
		t.Error("a refused Init left a directory")
	}
	if err := Init(filepath.Join(synced, "book"), nil, true); err != nil {
		t.Errorf("allowed all the same: %v", err)
	}
	link := filepath.Join(t.TempDir(), "innocent")
	if err := os.Symlink(synced, link); err == nil {
		mustCode(t, CheckFolder(link, false), fault.UnsafeFolder)
	}
}
