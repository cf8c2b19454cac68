package sqlitestore

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"errors"
	"path/filepath"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"sluice/internal/fault"
)

// Options adjusts a store. The zero value is what a user gets.
type Options struct {
	Now  func() time.Time // time.Now
	Busy time.Duration    // how long to wait for another program that holds the store; 5 s
	Seal Sealer           // of limits that were set by hand; nil: every row is believed
}

// Sealer tells what its user said from what a store says that came from elsewhere.
type Sealer interface {
	Seal(text string) (string, error)
	IsSealed(text, seal string) bool
}

const (
	fileName    = "sluice.db"
	defaultBusy = 5 * time.Second
)

// Store is an open workspace store. It is safe for concurrent use.
type Store struct {
	dir, file string
	now       func() time.Time
	driver    string
	writer    *writer
	writing   *sql.DB
	reading   *sql.DB
	marks     *marks
	packer    packer
	sealer    Sealer
	queries   sync.Map // text to *sql.Stmt of the readers

	mu      sync.Mutex // guards what follows
	watcher *sql.Conn  // the connection that DataVersion asks
	life    *flock.Flock
	closed  bool
}

// Open opens the store in the .sluice directory dir, makes it if it is not there, and brings its schema up to date.
func Open(ctx context.Context, dir string, o Options) (*Store, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Busy <= 0 {
		o.Busy = defaultBusy
	}
	file := filepath.Join(dir, fileName)
	if err := prepareFile(dir, file); err != nil {
		return nil, err
	}
	s := &Store{dir: dir, file: file, now: o.Now, driver: newDriver(), marks: newMarks(), sealer: o.Seal}
	var err error
	if s.writing, err = sql.Open("sqlite", dataSource(file, o.Busy, false)); err != nil {
		return nil, failure(file, err)
	}
	s.writing.SetMaxOpenConns(1)
	if s.reading, err = sql.Open("sqlite", dataSource(file, o.Busy, true)); err != nil {
		return nil, failure(file, errors.Join(err, s.writing.Close()))
	}
	s.reading.SetMaxOpenConns(8)
	s.reading.SetMaxIdleConns(4)
	if err := migrate(ctx, s.writing, dir, o.Busy); err != nil {
		return nil, s.abandon(err)
	}
	if s.writer, err = startWriter(ctx, s.writing, s.marks, o.Busy, file); err != nil {
		return nil, s.abandon(err)
	}
	return s, nil
}

// abandon closes what a failed Open had opened.
func (s *Store) abandon(err error) error {
	err = failure(s.file, err)
	if e := errors.Join(s.reading.Close(), s.writing.Close()); e != nil {
		return errors.Join(err, e)
	}
	return err
}

// newDriver names this process among the drivers of a workspace.
func newDriver() string {
	var b [8]byte
	rand.Read(b[:]) // never fails: the runtime ends the process if the system has no randomness
	return hex.EncodeToString(b[:])
}

// Close writes what was deferred, ends the writer and gives the driver's lock back. Leases that were not released
// become free with the lock.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	errs := []error{s.writer.stop()}
	if s.watcher != nil {
		errs = append(errs, s.watcher.Close())
	}
	errs = append(errs, s.reading.Close(), s.writing.Close(), s.die())
	if err := errors.Join(errs...); err != nil {
		return failure(s.file, err)
	}
	return nil
}

// Driver is the identity of this process's driver. It is published in a lease only after its lock file is locked.
func (s *Store) Driver() string { return s.driver }

// Commits counts the transactions that this process committed.
func (s *Store) Commits() int64 { return s.writer.commits.Load() }

// DataVersion is a number that changes when any connection, of this process or another, has committed.
func (s *Store) DataVersion(ctx context.Context) (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return 0, errClosed(s.file)
	}
	if s.watcher == nil {
		// The number is only comparable on one connection, so this one is kept.
		c, err := s.reading.Conn(ctx)
		if err != nil {
			return 0, failure(s.file, err)
		}
		s.watcher = c
	}
	var v int64
	if err := s.watcher.QueryRowContext(ctx, "PRAGMA data_version").Scan(&v); err != nil {
		return 0, failure(s.file, err)
	}
	return v, nil
}

// Check reads the whole file and says whether SQLite finds it sound.
func (s *Store) Check(ctx context.Context) error {
	var verdict string
	err := s.reading.QueryRowContext(ctx, "PRAGMA integrity_check(1)").Scan(&verdict)
	if err != nil {
		return failure(s.file, err)
	}
	if verdict != "ok" {
		return corrupt(s.file, nil, "the store is damaged: %s", verdict)
	}
	return nil
}

func errClosed(file string) error {
	return fault.New(fault.Unexpected, file, "the store is closed")
}
