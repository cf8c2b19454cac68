package workspace

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

const readFlags = os.O_RDONLY

func isFull(err error) bool {
	return errors.Is(err, windows.ERROR_DISK_FULL) || errors.Is(err, windows.ERROR_HANDLE_DISK_FULL) ||
		errors.Is(err, windows.ERROR_FILE_TOO_LARGE)
}

// isReadOnly also takes in files that another program holds open: Windows lets nobody replace those.
func isReadOnly(err error) bool {
	return errors.Is(err, windows.ERROR_WRITE_PROTECT) || errors.Is(err, windows.ERROR_SHARING_VIOLATION)
}

// syncDir does nothing: Windows has no such operation, NTFS journals its names.
func syncDir(*os.Root, string) error { return nil }

func isAlive(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	_ = p.Release()
	return true
}
