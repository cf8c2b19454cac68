package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"strings"

	"golang.org/x/sync/errgroup"
)

const (
	filePerm    fs.FileMode = 0o644
	dirPerm     fs.FileMode = 0o755
	privatePerm fs.FileMode = 0o600
	privateDirs fs.FileMode = 0o700

	chunk   = 256 // files that lie beside their places at one time
	writers = 16  // synced at one time: a file system commits waiting syncs together
)

// File is one file to write. Perm 0 keeps the permissions of the file that is there, or gives 0644.
type File struct {
	Path string
	Body []byte
	Perm fs.FileMode
}

// Write puts a file in place whole and durably, or leaves everything as it was.
func (t *Tree) Write(p string, body []byte, perm fs.FileMode) error {
	return t.WriteAll([]File{{Path: p, Body: body, Perm: perm}})
}

// WriteNew is Write for a path that shows nothing. It refuses to replace (file_exists), and two writers of the same
// path cannot both succeed.
func (t *Tree) WriteNew(p string, body []byte, perm fs.FileMode) error {
	b := t.batch()
	disk, err := b.settle(p)
	if err != nil {
		return err
	}
	return t.writeNew(b, disk, body, perm)
}

func (t *Tree) writeNew(b *batch, disk string, body []byte, perm fs.FileMode) error {
	if _, err := t.root.Lstat(disk); err == nil {
		return fail("write", disk, fs.ErrExist)
	}
	if err := b.makeDir(path.Dir(disk)); err != nil {
		return err
	}
	s, err := t.stage(disk, body, perm)
	if err != nil {
		return err
	}
	defer s.discard()
	if err := b.create(s); err != nil {
		return err
	}
	return b.sync()
}

// WriteAll writes many files, each whole, and syncs each directory once. All paths are judged before the first file
// is touched. When a file fails, those before it stay in place and the rest are as they were.
func (t *Tree) WriteAll(files []File) error {
	b := t.batch()
	disks := make([]string, len(files))
	for i, f := range files {
		disk, err := b.settle(f.Path)
		if err != nil {
			return err
		}
		disks[i] = disk
	}
	for len(files) > 0 {
		n := min(len(files), chunk)
		if err := t.writeChunk(b, disks[:n], files[:n]); err != nil {
			return errors.Join(err, b.sync())
		}
		disks, files = disks[n:], files[n:]
	}
	return b.sync()
}

func (t *Tree) writeChunk(b *batch, disks []string, files []File) error {
	for _, disk := range disks {
		if err := b.makeDir(path.Dir(disk)); err != nil {
			return err
		}
	}
	all := make([]*staged, len(files))
	defer func() {
		for _, s := range all {
			s.discard()
		}
	}()
	var group errgroup.Group
	group.SetLimit(writers)
	for i, f := range files {
		group.Go(func() (err error) {
			all[i], err = t.stage(disks[i], f.Body, f.Perm)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	for _, s := range all {
		if err := b.replace(s); err != nil {
			return err
		}
	}
	return nil
}

// Check says whether a file could be written at the path as far as its name goes, and gives the clean path. Callers
// ask before they commit a checkout, so that a row never names a place that cannot be filled.
func (t *Tree) Check(p string) (string, error) {
	clean, err := CleanPath(p)
	if err != nil {
		return "", err
	}
	_, err = t.batch().settle(clean)
	return clean, err
}

// staged is a synced file beside the place it is meant for.
type staged struct {
	tree *Tree
	path string // on disk, as is temp
	temp string
}

// stage writes the bytes beside their place.
func (t *Tree) stage(disk string, body []byte, perm fs.FileMode) (*staged, error) {
	keep := perm == 0
	fi, err := t.root.Lstat(disk)
	switch {
	case err == nil && !fi.Mode().IsRegular():
		return nil, badPath(disk, "write %s: what is there is not a regular file", disk)
	case err == nil && keep:
		perm = fi.Mode().Perm()
	case keep:
		perm, keep = filePerm, false
	}
	s := &staged{tree: t, path: disk, temp: t.tempName(path.Dir(disk))}
	f, err := t.openTemp(s.temp, perm)
	if err != nil {
		return nil, fail("write", disk, err)
	}
	if err := fill(f, body, perm, keep); err != nil {
		s.discard()
		return nil, fail("write", disk, err)
	}
	return s, nil
}

// openTemp makes the file. Its directory was there a moment ago; should someone prune it meanwhile it is made again.
func (t *Tree) openTemp(name string, perm fs.FileMode) (*os.File, error) {
	const tries = 32
	for try := 1; ; try++ {
		f, err := t.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
		if !errors.Is(err, fs.ErrNotExist) || try == tries {
			return f, err
		}
		if err := t.root.MkdirAll(path.Dir(name), dirPerm); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
}

func fill(f *os.File, body []byte, perm fs.FileMode, chmod bool) error {
	_, err := f.Write(body)
	if err == nil && chmod {
		err = f.Chmod(perm) // the umask may have taken bits that the old file has
	}
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// discard removes what was staged and not put in place. It may be called at any time, also on nil.
func (s *staged) discard() {
	if s != nil && s.temp != "" {
		_ = s.tree.root.Remove(s.temp)
		s.temp = ""
	}
}

// batch is one group of writes: names that were settled for it, and the directories to sync at its end. It is used by
// one goroutine.
type batch struct {
	tree  *Tree
	names map[string]settled  // folded path → how it is spelled
	made  map[string]bool     // directories known to be there
	dirty map[string][]string // directory → names put there
}

type settled struct{ name, disk string }

func (t *Tree) batch() *batch {
	return &batch{tree: t, names: map[string]settled{}, made: map[string]bool{".": true}, dirty: map[string][]string{}}
}

// settle takes a path through CleanPath, refuses twins on disk and within the batch, in every component, and gives
// the path as it is or will be spelled on disk.
func (b *batch) settle(p string) (string, error) {
	clean, err := CleanPath(p)
	if err != nil {
		return "", err
	}
	var key, disk string
	for name := range strings.SplitSeq(clean, "/") {
		key += "/" + fold(name)
		if s, ok := b.names[key]; ok {
			if s.name != name {
				return "", twinFault(clean, s.disk)
			}
			disk = s.disk
			continue
		}
		spelled, err := b.tree.spelling(orTop(disk), name)
		if err != nil {
			return "", fail("write", clean, err)
		}
		disk = path.Join(disk, spelled)
		b.names[key] = settled{name, disk}
	}
	return disk, nil
}

// makeDir makes a directory and those above it. What was made becomes durable with the batch.
func (b *batch) makeDir(dir string) error { return b.makeDirs(dir, dirPerm) }

func (b *batch) makeDirs(dir string, perm fs.FileMode) error {
	if b.made[dir] {
		return nil
	}
	fi, err := b.tree.root.Stat(dir)
	if err == nil && !fi.IsDir() {
		return badPath(dir, "%s is a file where a directory is needed", dir)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fail("make directory", dir, err)
	}
	if err != nil {
		if err := b.makeDirs(path.Dir(dir), perm); err != nil {
			return err
		}
		if err := b.tree.root.Mkdir(dir, perm); err != nil && !errors.Is(err, fs.ErrExist) && !errors.Is(err, fs.ErrNotExist) {
			return fail("make directory", dir, err)
		}
		b.changed(path.Dir(dir), path.Base(dir))
	}
	b.made[dir] = true
	return nil
}

// replace puts a staged file in place of whatever regular file is there.
func (b *batch) replace(s *staged) error {
	if err := b.tree.root.Rename(s.temp, s.path); err != nil {
		return fail("write", s.path, err)
	}
	s.temp = ""
	b.changed(path.Dir(s.path), path.Base(s.path))
	return nil
}

// create puts a staged file in place if nothing is there. Linking never replaces; where the file system has no links
// a look has to do.
func (b *batch) create(s *staged) error {
	root := b.tree.root
	err := root.Link(s.temp, s.path)
	if err == nil {
		b.changed(path.Dir(s.path), path.Base(s.path))
		s.discard()
		return nil
	}
	if _, there := root.Lstat(s.path); there == nil || errors.Is(err, fs.ErrExist) {
		return fail("write", s.path, fs.ErrExist)
	}
	return b.replace(s)
}

// changed says that the names in a directory changed, and which were put there.
func (b *batch) changed(dir string, names ...string) {
	b.dirty[dir] = append(b.dirty[dir], names...)
}

// sync makes the names durable and ends the batch.
func (b *batch) sync() error {
	var first error
	for dir, names := range b.dirty {
		b.tree.noted(dir, names)
		if err := syncDir(b.tree.root, dir); err != nil && !errors.Is(err, fs.ErrNotExist) && first == nil {
			first = fail("write into", dir, err)
		}
	}
	clear(b.dirty)
	return first
}

// writePrivate writes one of Sluice's own files. The name is ours, never a caller's.
func (t *Tree) writePrivate(name string, body []byte) error {
	b := t.batch()
	if err := b.makeDirs(path.Dir(name), privateDirs); err != nil {
		return err
	}
	s, err := t.stage(name, body, privatePerm)
	if err != nil {
		return err
	}
	defer s.discard()
	if err := b.replace(s); err != nil {
		return err
	}
	return b.sync()
}
