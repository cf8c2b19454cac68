package sqlitestore

import (
	"context"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"sluice/internal/fault"
	"sluice/internal/journal"
)

// Acquire takes the lease of a run. It is free if nobody holds it or if the lock of the driver that holds it can be
// taken, because then that driver's process is dead; every taking starts a new epoch.
func (s *Store) Acquire(ctx context.Context, run string) (journal.Lease, error) {
	if err := s.live(); err != nil {
		return journal.Lease{}, err
	}
	type held struct {
		driver string
		epoch  int64
	}
	// The lock of another driver is tried outside the writer. If the lease moved meanwhile, it is looked at again.
	for range 10 {
		h, ok, err := one(ctx, s, "SELECT driver, epoch FROM run WHERE id = ?", []any{run},
			func(r scanner) (h held, err error) {
				err = r.Scan(&h.driver, &h.epoch)
				return h, err
			})
		if err == nil && !ok {
			err = unknownRun(run)
		}
		if err != nil {
			return journal.Lease{}, err
		}
		if h.driver != "" {
			alive, err := s.isAlive(h.driver)
			if err != nil {
				return journal.Lease{}, err
			}
			if alive {
				return journal.Lease{}, leaseHeld(run, h.driver)
			}
		}
		var took bool
		err = s.writer.submit(ctx, func(w *writer) (err error) {
			took, err = w.changed("UPDATE run SET driver = ?, epoch = epoch + 1 WHERE id = ? AND driver = ? AND epoch = ?",
				s.driver, run, h.driver, h.epoch)
			return err
		})
		if err != nil {
			return journal.Lease{}, err
		}
		if took {
			return journal.Lease{Run: run, Driver: s.driver, Epoch: h.epoch + 1}, nil
		}
	}
	return journal.Lease{}, leaseHeld(run, "that changes faster than it can be asked")
}

func leaseHeld(run, driver string) error {
	return fault.New(fault.LeaseHeld, run, "run %s is being worked on by driver %s", run, driver).
		With(fault.Action{Action: "wait for it, or end the process that works on the run"})
}

// Release gives the lease back. One that was lost meanwhile is refused with lease_lost, and nothing changes.
func (s *Store) Release(ctx context.Context, l journal.Lease) error {
	return s.writer.submit(ctx, func(w *writer) error {
		freed, err := w.changed("UPDATE run SET driver = '' WHERE id = ? AND driver = ? AND epoch = ?",
			l.Run, l.Driver, l.Epoch)
		if err != nil || freed {
			return err
		}
		return fault.New(fault.LeaseLost, l.Run, "run %s is no longer leased to driver %s at epoch %d",
			l.Run, l.Driver, l.Epoch)
	})
}

// DeadLeases gives the leases whose driver's process has ended. They are free for the taking.
func (s *Store) DeadLeases(ctx context.Context) ([]journal.Lease, error) {
	held, err := collect(ctx, s, "SELECT id, driver, epoch FROM run WHERE driver <> '' ORDER BY id", nil,
		func(r scanner) (l journal.Lease, err error) {
			err = r.Scan(&l.Run, &l.Driver, &l.Epoch)
			return l, err
		})
	if err != nil {
		return nil, err
	}
	var dead []journal.Lease
	for _, l := range held {
		alive := l.Driver == s.driver
		if !alive {
			if alive, err = s.isAlive(l.Driver); err != nil {
				return nil, err
			}
		}
		if !alive {
			dead = append(dead, l)
		}
	}
	return dead, nil
}

// live locks this driver's file, once. It happens before the driver's name is in any row, so that whoever reads the
// name finds the lock held.
func (s *Store) live() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errClosed(s.file)
	}
	if s.life != nil {
		return nil
	}
	path := s.lockPath(s.driver)
	lock := flock.New(path, flock.SetPermissions(0o600))
	ok, err := lock.TryLock()
	if err != nil {
		return failure(path, err)
	}
	if !ok {
		return fault.New(fault.LeaseHeld, path, "the lock of this driver is held by another process")
	}
	s.life = lock
	s.sweepLocks()
	return nil
}

// lockAge is how old a lock is before it may be swept: one that is being made is not held yet.
const lockAge = time.Hour

// sweepLocks removes the locks of processes that were killed while they led no run. What stays does no harm.
func (s *Store) sweepLocks() {
	paths, _ := filepath.Glob(s.lockPath("*"))
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil || time.Since(info.ModTime()) < lockAge {
			continue
		}
		name := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(path), "driver-"), ".lock")
		if name != s.driver {
			_, _ = s.isAlive(name)
		}
	}
}

// die gives the driver's lock back. The caller holds s.mu.
func (s *Store) die() error {
	if s.life == nil {
		return nil
	}
	// Removed while still held: nobody can come to hold the lock of a driver that is alive.
	err := os.Remove(s.life.Path())
	unlock := s.life.Unlock()
	if err != nil { // some systems remove no file that is open
		err = os.Remove(s.life.Path())
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, unlock)
}

func (s *Store) lockPath(driver string) string {
	return filepath.Join(s.dir, "driver-"+driver+".lock")
}

// isAlive says whether the process of a driver lives. The lock of a dead one is removed.
func (s *Store) isAlive(driver string) (bool, error) {
	if _, err := hex.DecodeString(driver); err != nil {
		return false, corrupt(s.file, nil, "a lease names driver %q, which is no name of a driver", driver)
	}
	path := s.lockPath(driver)
	// A shared lock, so that two who ask at once do not take each other for the driver.
	lock := flock.New(path, flock.SetFlag(os.O_RDONLY))
	free, err := lock.TryRLock()
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, failure(path, err)
	}
	if !free {
		return true, nil
	}
	if err := lock.Unlock(); err != nil {
		return false, failure(path, err)
	}
	// What cannot be removed does no harm: the next who asks finds it free as well.
	_ = os.Remove(path)
	return false, nil
}
