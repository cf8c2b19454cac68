package workspace

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"
)

// markPrefix begins the names of marks in the private directory. A process that writes files makes one before its first
// and holds it locked for as long as it lives, so that one that can be locked is of a process that was killed.
const markPrefix = "writing-"

// markAge is how old a mark is before it may be removed: one that is being made is not locked yet.
const markAge = time.Second

// mark is made once, with the first file.
type mark struct {
	once sync.Once
	lock *flock.Flock
}

// writing leaves the mark. Without one, a file that is left behind stays longer, which does no harm; so nobody is kept from
// writing for the lack of it. A directory outside any workspace gets none.
func (t *Tree) writing() {
	t.mark.once.Do(func() {
		if _, err := t.root.Lstat(privateDir); err != nil {
			return
		}
		lock := flock.New(filepath.Join(t.dir, privateDir, markPrefix+rand.Text()), flock.SetPermissions(privatePerm))
		if ok, err := lock.TryLock(); ok && err == nil {
			t.mark.lock = lock
		}
	})
}

// unmark takes the mark away: nothing is left behind.
func (t *Tree) unmark() error {
	t.mark.once.Do(func() {}) // nothing is marked from now on
	if t.mark.lock == nil {
		return nil
	}
	return removeMark(t.mark.lock)
}

// removeMark removes a mark that is held, while it is held where the system lets that be.
func removeMark(lock *flock.Flock) error {
	err := os.Remove(lock.Path())
	unlock := lock.Unlock()
	if err != nil {
		err = os.Remove(lock.Path())
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, unlock)
}

// SweepKilled is Sweep where a process was killed that wrote files, and costs nothing otherwise: the whole tree may be
// large, and every command begins with this.
func (t *Tree) SweepKilled() (int, error) {
	entries, err := t.entries(privateDir)
	if isAbsent(err) {
		return 0, nil
	}
	if err != nil {
		return 0, fail("sweep", privateDir, err)
	}
	var dead []*flock.Flock
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), markPrefix) || !e.Type().IsRegular() {
			continue
		}
		lock := flock.New(filepath.Join(t.dir, privateDir, e.Name()), flock.SetPermissions(privatePerm))
		if ok, err := lock.TryLock(); ok && err == nil {
			dead = append(dead, lock)
		}
	}
	if len(dead) == 0 {
		return 0, nil
	}
	n, swept := t.Sweep()
	errs := []error{swept}
	for _, lock := range dead {
		if info, err := os.Stat(lock.Path()); swept == nil && err == nil && time.Since(info.ModTime()) >= markAge {
			errs = append(errs, removeMark(lock))
			continue
		}
		errs = append(errs, lock.Unlock())
	}
	return n, errors.Join(errs...)
}
