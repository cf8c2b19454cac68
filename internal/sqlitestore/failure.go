package sqlitestore

import (
	"context"
	"errors"
	"io/fs"
	"runtime"
	"strings"
	"syscall"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"sluice/internal/fault"
)

// failure turns an error of SQLite or of the file system into the fault that says what to do about it. Faults pass.
func failure(subject string, err error) error {
	if err == nil {
		return nil
	}
	if f, ok := errors.AsType[*fault.Error](err); ok {
		return f
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return fault.Wrap(fault.Interrupted, subject, err, "the request to the store was given up")
	}
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		return sqliteFailure(subject, e)
	}
	switch {
	case isDiskFull(err):
		return diskFull(subject, err)
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return noPermission(subject, err)
	}
	return fault.Wrap(fault.Unexpected, subject, err, "the store did not do what was asked")
}

func sqliteFailure(subject string, err *sqlite.Error) error {
	switch err.Code() {
	case sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR_SHMSIZE:
		// What the system refuses to write is a quota or a limit of size far more often than a broken disk.
		return diskFull(subject, err)
	case sqlite3.SQLITE_IOERR_SHORT_READ:
		return corrupt(subject, err, "the store is shorter than it says")
	}
	switch text := err.Error(); {
	case strings.Contains(text, "no such table"), strings.Contains(text, "no such column"), strings.Contains(text, "has no column"):
		return corrupt(subject, err, "the store lacks a part of its schema")
	}
	switch err.Code() & 0xff {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return fault.Wrap(fault.StoreLocked, subject, err, "another program holds the store").
			With(fault.Action{Action: "close the program that has the file open, then run the command again"})
	case sqlite3.SQLITE_FULL:
		return diskFull(subject, err)
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return corrupt(subject, err, "the store is damaged or is no store")
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH, sqlite3.SQLITE_CANTOPEN:
		return noPermission(subject, err)
	}
	return fault.Wrap(fault.Unexpected, subject, err, "the store did not do what was asked")
}

// isOwnFault says whether a statement failed because of what one request holds, so that its neighbours may still
// succeed without it.
func isOwnFault(err error) bool {
	e, ok := errors.AsType[*sqlite.Error](err)
	if !ok {
		return true
	}
	switch e.Code() & 0xff {
	case sqlite3.SQLITE_CONSTRAINT, sqlite3.SQLITE_TOOBIG, sqlite3.SQLITE_MISMATCH, sqlite3.SQLITE_RANGE:
		return true
	}
	return false
}

// isBusy says whether another connection holds the lock that was wanted.
func isBusy(err error) bool {
	e, ok := errors.AsType[*sqlite.Error](err)
	return ok && e.Code()&0xff == sqlite3.SQLITE_BUSY
}

func isDiskFull(err error) bool {
	const windowsDiskFull = syscall.Errno(112)
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EFBIG) || errors.Is(err, syscall.EDQUOT) ||
		runtime.GOOS == "windows" && errors.Is(err, windowsDiskFull)
}

func diskFull(subject string, err error) error {
	return fault.Wrap(fault.DiskFull, subject, err,
		"the disk took no more (full, quota or limit of file size) and nothing of the request was stored").
		With(fault.Action{Action: "free space, then run the command again"})
}

func noPermission(subject string, err error) error {
	return fault.Wrap(fault.NoPermission, subject, err, "the store may not be read or written by this user").
		With(fault.Action{Action: "give yourself the right to read and write the directory .sluice"})
}

func corrupt(subject string, cause error, format string, args ...any) error {
	return fault.Wrap(fault.StoreCorrupt, subject, cause, format, args...).
		With(fault.Action{Action: "look at what is damaged", Command: "sluice doctor", Why: "where the store still opens"},
			fault.Action{Action: "put back a copy of the directory .sluice that was made before"})
}
