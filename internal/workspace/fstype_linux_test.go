package workspace

import "testing"

func TestMountType(t *testing.T) {
	const table = `22 1 254:0 / / rw,relatime - ext4 /dev/vda rw
30 22 0:40 / /mnt/server rw,nosuid shared:5 - fuse.sshfs ada@server: rw,user_id=1000
31 22 0:41 / /mnt/my\040disk rw - fuseblk /dev/sdb1 rw
32 30 0:42 / /mnt/server/inner rw - fuse.fuse-overlayfs fuse-overlayfs rw
broken line
`
	for dir, want := range map[string]string{
		"/mnt/server":         "fuse.sshfs",
		"/mnt/server/a/b":     "fuse.sshfs",
		"/mnt/server/inner/a": "fuse.fuse-overlayfs",
		"/mnt/serverside":     "ext4",
		"/mnt/my disk/book":   "fuseblk",
		"/home":               "ext4",
	} {
		if got := mountType(table, dir); got != want {
			t.Errorf("mountType(%q) = %q, want %q", dir, got, want)
		}
	}
	if _, err := fileSystem(t.TempDir()); err != nil {
		t.Error(err)
	}
}
