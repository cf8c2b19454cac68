//go:build darwin || freebsd

package workspace

import (
	"os"
	"syscall"
)

// fileSystem names the type of the file system that holds an existing directory, as mount does.
func fileSystem(dir string) (string, error) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		return "", &os.PathError{Op: "statfs", Path: dir, Err: err}
	}
	var name []byte
	for _, c := range s.Fstypename {
		if c == 0 {
			break
		}
		name = append(name, byte(c))
	}
	return string(name), nil
}
