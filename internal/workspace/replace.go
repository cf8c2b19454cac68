package workspace

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"sluice/internal/fault"
)

const (
	replaceLock = privateDir + "/replace.lock"

	// Inside the directory that a replacement works in, beside the one it replaces.
	freshDir = "new" // what is being filled
	asideDir = "old" // holds what was replaced, under its own name, until the new one is in place
)

// Sub gives a directory for reading.
func (t *Tree) Sub(dir string) (fs.FS, error) {
	disk, err := t.plain(dir)
	if err != nil {
		return nil, err
	}
	fi, err := t.root.Lstat(disk)
	if err != nil {
		return nil, fail("look at", dir, err)
	}
	if !fi.IsDir() {
		return nil, badPath(dir, "%s is not a directory", dir)
	}
	sub, err := fs.Sub(t.root.FS(), disk)
	return sub, fail("look at", dir, err)
}

// ReplaceDir fills a new directory and puts it in the place of dir whole; paths given to write are relative to it. When
// filling fails, dir is as it was. What dir showed is removed once the new directory is in place. Killed in between, it
// leaves the old or the new directory whole; killed between the two renames that swap them, dir itself is not there and
// the next ReplaceDir beside it first puts the old one back.
//
// Replacements in one workspace wait for each other. In a tree that is no workspace nothing keeps two replacements of
// the same directory apart.
func (t *Tree) ReplaceDir(ctx context.Context, dir string, fill func(write func(p string, body []byte) error) error) error {
	disk, err := t.plain(dir)
	if err != nil {
		return err
	}
	b := t.batch()
	if disk, err = b.settle(disk); err != nil {
		return err
	}
	if fi, err := t.root.Lstat(disk); err == nil && !fi.IsDir() {
		return badPath(dir, "replace %s: it is not a directory", dir)
	}
	held, unlock, err := t.lockReplacing(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if err := b.makeDir(path.Dir(disk)); err != nil {
		return err
	}
	if err := t.sweepReplaced(path.Dir(disk), held); err != nil {
		return err
	}
	stage := t.tempName(path.Dir(disk))
	defer t.clearStage(stage, disk)
	if err := t.fillStage(stage, fill); err != nil {
		return err
	}
	if err := t.swap(stage, disk); err != nil {
		return err
	}
	b.changed(path.Dir(disk), path.Base(disk))
	return b.sync()
}

// lockReplacing keeps the replacements of a workspace apart. It tells whether there is such a lock: a directory outside
// any workspace gets no files of ours.
func (t *Tree) lockReplacing(ctx context.Context) (held bool, unlock func(), err error) {
	if _, err := t.root.Lstat(privateDir); err != nil {
		return false, func() {}, nil
	}
	lock := flock.New(filepath.Join(t.dir, replaceLock), flock.SetPermissions(privatePerm))
	const poll = 5 * time.Millisecond
	if _, err := lock.TryLockContext(ctx, poll); err != nil {
		if ctx.Err() != nil {
			return false, nil, fault.Wrap(fault.Interrupted, replaceLock, err, "waiting for another process to replace a directory")
		}
		return false, nil, fail("lock", replaceLock, err)
	}
	return true, func() { _ = lock.Unlock() }, nil
}

// sweepReplaced clears away what killed replacements left in a directory, and first puts back what they had moved aside
// without a successor. Under the lock, whatever is there was left behind.
func (t *Tree) sweepReplaced(parent string, held bool) error {
	entries, err := t.entries(parent)
	if err != nil {
		return fail("sweep", parent, err)
	}
	for _, e := range entries {
		if !e.IsDir() || !strings.HasPrefix(e.Name(), tempPrefix) || !held && !t.isLeftBehind(e) {
			continue
		}
		stage := path.Join(parent, e.Name())
		aside, err := t.entries(path.Join(stage, asideDir))
		if err != nil && !isAbsent(err) {
			return fail("sweep", stage, err)
		}
		for _, old := range aside {
			place := path.Join(parent, old.Name())
			if _, err := t.root.Lstat(place); !errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err := t.root.Rename(path.Join(stage, asideDir, old.Name()), place); err != nil {
				return fail("put back", place, err)
			}
		}
		if err := t.root.RemoveAll(stage); err != nil {
			return fail("sweep", stage, err)
		}
	}
	return nil
}

func (t *Tree) fillStage(stage string, fill func(write func(p string, body []byte) error) error) error {
	fresh := path.Join(stage, freshDir)
	for _, d := range []string{stage, fresh, path.Join(stage, asideDir)} {
		if err := t.root.Mkdir(d, dirPerm); err != nil {
			return fail("make directory", d, err)
		}
	}
	root, err := t.root.OpenRoot(fresh)
	if err != nil {
		return fail("open", fresh, err)
	}
	inside := &Tree{root: root, dir: filepath.Join(t.dir, filepath.FromSlash(fresh)), temp: t.temp, listings: map[string]*listing{}}
	err = fill(func(p string, body []byte) error { return inside.Write(p, body, filePerm) })
	if err = errors.Join(err, inside.Close()); err != nil { // closed before the rename: Windows renames no open directory
		return flat(err)
	}
	for _, d := range []string{fresh, stage, path.Dir(stage)} {
		if err := syncDir(t.root, d); err != nil {
			return fail("write into", d, err)
		}
	}
	return nil
}

// flat gives the fault inside a joined error its place as the error itself.
func flat(err error) error {
	if f, ok := errors.AsType[*fault.Error](err); ok {
		return f
	}
	return err
}

// clearStage removes what a replacement worked in. What it moved aside goes only when its place is taken; whatever stays
// is settled by the next replacement.
func (t *Tree) clearStage(stage, disk string) {
	_, aside := t.root.Lstat(path.Join(stage, asideDir, path.Base(disk)))
	if _, err := t.root.Lstat(disk); err == nil || aside != nil {
		_ = t.root.RemoveAll(stage)
	}
}

// swap moves the old directory aside and the new one in.
func (t *Tree) swap(stage, disk string) error {
	aside := path.Join(stage, asideDir, path.Base(disk))
	moved := true
	if err := t.root.Rename(disk, aside); err != nil {
		if !errors.Is(err, os.ErrNotExist) {
			return fail("replace", disk, err)
		}
		moved = false
	}
	err := t.root.Rename(path.Join(stage, freshDir), disk)
	if err != nil && moved {
		err = errors.Join(err, t.root.Rename(aside, disk))
	}
	return fail("replace", disk, err)
}
