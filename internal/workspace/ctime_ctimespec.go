//go:build darwin || freebsd || netbsd

package workspace

import (
	"io/fs"
	"syscall"
)

// changeTime is the time that no program can set back, in nanoseconds.
func changeTime(fi fs.FileInfo) int64 {
	if s, ok := fi.Sys().(*syscall.Stat_t); ok {
		return s.Ctimespec.Nano()
	}
	return 0
}
