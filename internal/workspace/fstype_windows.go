package workspace

import (
	"path/filepath"

	"golang.org/x/sys/windows"
)

// fileSystem tells network drives, "remote", from all others.
func fileSystem(dir string) (string, error) {
	name, err := windows.UTF16PtrFromString(filepath.VolumeName(dir) + `\`)
	if err != nil {
		return "", err
	}
	if windows.GetDriveType(name) == windows.DRIVE_REMOTE {
		return "remote", nil
	}
	return "", nil
}
