package workspace

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// fileSystem names the type of the file system that holds an existing directory, as mount does.
func fileSystem(dir string) (string, error) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		return "", &os.PathError{Op: "statfs", Path: dir, Err: err}
	}
	switch uint32(s.Type) {
	case 0x6969:
		return "nfs", nil
	case 0xff534d42:
		return "cifs", nil
	case 0x517b:
		return "smb", nil
	case 0xfe534d42:
		return "smb2", nil
	case 0x01021997:
		return "9p", nil
	case 0x5346414f, 0x6b414653:
		return "afs", nil
	case 0x00c36400:
		return "ceph", nil
	case 0x73757245:
		return "coda", nil
	case 0x564c:
		return "ncpfs", nil
	case 0x0bd00bd0:
		return "lustre", nil
	case 0x47504653:
		return "gpfs", nil
	case 0x65735546:
		// One number for everything made with FUSE, local or not: the mount table knows more.
		table, err := os.ReadFile("/proc/self/mountinfo")
		if err != nil {
			return "fuse", nil
		}
		return mountType(string(table), dir), nil
	}
	return "", nil
}

// mountType finds in a mount table (proc_pid_mountinfo(5)) the type of the mount that holds an absolute path. Of two
// mounts at one place the later one counts.
func mountType(table, dir string) string {
	unescape := strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`)
	kind, longest := "", -1
	for line := range strings.Lines(table) {
		mount, source, ok := strings.Cut(line, " - ")
		left, right := strings.Fields(mount), strings.Fields(source)
		if !ok || len(left) < 5 || len(right) < 1 {
			continue
		}
		point := unescape.Replace(left[4])
		if rel, err := filepath.Rel(point, dir); err != nil || !filepath.IsLocal(rel) {
			continue
		}
		if len(point) >= longest {
			kind, longest = right[0], len(point)
		}
	}
	return kind
}
