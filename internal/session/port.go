package session

import (
	"context"
	"io/fs"

	"sluice/internal/journal"
	"sluice/internal/kernel"
)

// Reader is the workspace's files, as far as they are read. Every path is checked; links are refused.
type Reader interface {
	// Check gives the one spelling of a path, or refuses it.
	Check(path string) (string, error)
	Read(path string) ([]byte, error)
	Stat(path string) (fs.FileInfo, error)
	List(dir string) ([]fs.DirEntry, error)
}

// Tree is the workspace's files with what a session does to them outside any transaction.
type Tree interface {
	Reader
	WriteNew(path string, body []byte, perm fs.FileMode) error
	Remove(path, keep string) error
	Move(from, to string) error
}

// Notes are small private files of this workspace's user.
type Notes interface {
	Note(name string) ([]byte, error)
	SetNote(name string, body []byte) error
}

// Runs finds the runs of sessions and their workflows.
type Runs interface {
	List(ctx context.Context, f journal.Filter) (journal.RunPage, error)
}

// Load gives a run as it stands.
type Load func(ctx context.Context, id kernel.RunID) (*kernel.Run, error)
