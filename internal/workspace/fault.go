package workspace

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"sluice/internal/fault"
)

// escapes is the text of the error that os.Root gives for a path that leaves the tree; os exports no value for it.
const escapes = "path escapes from parent"

// fail turns an error of the file system into a fault about the path.
func fail(does, path string, err error) error {
	if err == nil {
		return nil
	}
	if f, ok := errors.AsType[*fault.Error](err); ok {
		return f
	}
	err = reason(err)
	switch {
	case isFull(err):
		return fault.Wrap(fault.DiskFull, path, err, "%s %s: the disk is full or the file is over a limit", does, path).
			With(fault.Action{Action: "free disk space and run the command again", Why: "the file is as it was before"})
	case errors.Is(err, fs.ErrPermission), isReadOnly(err):
		return fault.Wrap(fault.NoPermission, path, err, "%s %s: not permitted", does, path).
			With(fault.Action{Action: "give your user the right to write there and run the command again"})
	case errors.Is(err, fs.ErrNotExist):
		return fault.Wrap(fault.NotFound, path, err, "%s %s: not there", does, path)
	case errors.Is(err, fs.ErrExist):
		return fault.Wrap(fault.FileExists, path, err, "%s %s: a file is there already", does, path)
	case err.Error() == escapes:
		return badPath(path, "%s %s: a symbolic link leads out of the workspace", does, path)
	case isBadName(err):
		return fault.Wrap(fault.BadPath, path, err, "%s %s", does, path)
	}
	return fault.Wrap(fault.Unexpected, path, err, "%s %s", does, path)
}

// reason strips what the fault says itself: the operation and the path.
func reason(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	if e, ok := errors.AsType[*os.LinkError](err); ok {
		return e.Err
	}
	return err
}

func isBadName(err error) bool {
	for _, e := range []syscall.Errno{
		syscall.ENOTDIR, syscall.EISDIR, syscall.ELOOP, syscall.ENAMETOOLONG, syscall.EILSEQ, syscall.EINVAL,
	} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// isAbsent says that the path names nothing: it is missing, or what should be a directory on the way is a file.
func isAbsent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}
