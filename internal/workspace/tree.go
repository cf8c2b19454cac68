package workspace

import (
	"crypto/rand"
	"errors"
	"hash/fnv"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"sluice/internal/fault"
	"sluice/internal/safepath"
)

// Tree is a directory that nothing given to its methods can leave. Every path is taken through CleanPath. A Tree is
// safe for concurrent use.
type Tree struct {
	root *os.Root
	dir  string
	temp string // what the names of this process's unfinished files begin with
	mark mark   // that this process writes

	mu       sync.Mutex
	listings map[string]*listing
}

// Open opens the tree at an existing directory. The caller closes it.
func Open(dir string) (*Tree, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fail("open", dir, err)
	}
	root, err := os.OpenRoot(abs)
	if err != nil {
		return nil, fail("open", abs, err)
	}
	if err := checkPrivate(root, abs); err != nil {
		root.Close()
		return nil, err
	}
	return &Tree{root: root, dir: abs, temp: tempPrefix + host() + "-" + strconv.Itoa(os.Getpid()) + "-",
		listings: map[string]*listing{}}, nil
}

// host tells machines and containers apart that share a workspace but not their process numbers.
func host() string {
	name, _ := os.Hostname()
	h := fnv.New32a()
	h.Write([]byte(name))
	return strconv.FormatUint(uint64(h.Sum32()), 16)
}

// Close gives the directory back.
func (t *Tree) Close() error { return errors.Join(t.unmark(), t.root.Close()) }

// Dir is the absolute path of the tree, for messages and for the store. Files are reached through methods only.
func (t *Tree) Dir() string { return t.dir }

// Read gives the bytes of a file.
func (t *Tree) Read(p string) ([]byte, error) {
	disk, err := t.plain(p)
	if err != nil {
		return nil, err
	}
	body, _, err := t.read(disk)
	return body, fail("read", p, err)
}

// Stat says what is at the path. It follows no symbolic link.
func (t *Tree) Stat(p string) (fs.FileInfo, error) {
	disk, err := t.plain(p)
	if err != nil {
		return nil, err
	}
	fi, err := t.root.Lstat(disk)
	return fi, fail("look at", p, err)
}

// List gives the entries of one directory by name, without Sluice's own and git's; "" is the top of the tree.
func (t *Tree) List(dir string) ([]fs.DirEntry, error) {
	disk := "."
	if dir != "" && dir != "." {
		var err error
		if disk, err = t.plain(dir); err != nil {
			return nil, err
		}
	}
	entries, err := t.entries(disk)
	if err != nil {
		return nil, fail("list", dir, err)
	}
	entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return safepath.IsOwn(e.Name()) })
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, nil
}

// Remove removes a file and then the directories above it that became empty, up to the directory keep, which stays;
// "" is the top of the tree.
func (t *Tree) Remove(p, keep string) error {
	disk, err := t.plain(p)
	if err != nil {
		return err
	}
	fi, err := t.root.Lstat(disk)
	if err != nil {
		return fail("remove", p, err)
	}
	if fi.IsDir() {
		return badPath(p, "remove %s: it is a directory", p)
	}
	return t.remove(disk, keep)
}

func (t *Tree) remove(disk, keep string) error {
	if err := t.root.Remove(disk); err != nil {
		return fail("remove", disk, err)
	}
	dir := path.Dir(disk)
	for dir != "." && dir != keep && t.root.Remove(dir) == nil {
		dir = path.Dir(dir)
	}
	if err := syncDir(t.root, dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fail("remove", disk, err)
	}
	return nil
}

// Move gives a file or directory another path. It refuses to replace what is there, save for the last moment before
// the rename.
func (t *Tree) Move(from, to string) error {
	source, err := t.plain(from)
	if err != nil {
		return err
	}
	b := t.batch()
	target, err := b.settle(to)
	if err != nil {
		// A change of case alone finds the file as its own twin.
		clean, cleanErr := CleanPath(to)
		if cleanErr != nil || path.Dir(clean) != path.Dir(source) || fold(path.Base(clean)) != fold(path.Base(source)) {
			return err
		}
		target = path.Join(path.Dir(source), path.Base(clean))
	} else if _, err := t.root.Lstat(target); err == nil {
		return fault.New(fault.FileExists, to, "move %s to %s: a file is there already", from, to)
	}
	if err := b.makeDir(path.Dir(target)); err != nil {
		return err
	}
	if err := t.root.Rename(source, target); err != nil {
		return fail("move", from, err)
	}
	b.changed(path.Dir(source))
	b.changed(path.Dir(target), path.Base(target))
	return b.sync()
}

// plain gives the spelling on disk of a path that passes CleanPath and goes through no symbolic link: a link inside
// the tree could still lead to the store.
func (t *Tree) plain(p string) (string, error) {
	clean, err := CleanPath(p)
	if err != nil {
		return "", err
	}
	disk := t.locate(clean)
	for end := 0; end < len(disk); end++ {
		next := strings.IndexByte(disk[end:], '/')
		if end += next; next < 0 {
			end = len(disk)
		}
		fi, err := t.root.Lstat(disk[:end])
		if err != nil {
			break // the operation itself says what is missing
		}
		if fi.Mode()&fs.ModeSymlink != 0 {
			return "", badPath(p, "path %s goes through the symbolic link %s", p, disk[:end])
		}
	}
	return disk, nil
}

// read gives the bytes of a regular file and what the file system says about exactly these bytes. A file that
// changes while it is read is read again.
func (t *Tree) read(disk string) ([]byte, fs.FileInfo, error) {
	const tries = 4
	for try := 1; ; try++ {
		body, before, after, err := t.readOnce(disk)
		if err != nil {
			return nil, nil, err
		}
		if sameState(before, after) || try == tries {
			return body, after, nil
		}
	}
}

// maxRead is the most that is read of one file. A content is kept whole in memory while it is compared and recorded.
const maxRead = 256 << 20

func (t *Tree) readOnce(disk string) (body []byte, before, after fs.FileInfo, err error) {
	f, err := t.root.OpenFile(disk, readFlags, 0)
	if err != nil {
		return nil, nil, nil, err
	}
	defer f.Close()
	if before, err = f.Stat(); err != nil {
		return nil, nil, nil, err
	}
	if !before.Mode().IsRegular() {
		return nil, nil, nil, badPath(disk, "read %s: it is not a regular file", disk)
	}
	if before.Size() > maxRead {
		return nil, nil, nil, fault.New(fault.BadValue, disk, "file %s has %d bytes, over the limit of %d", disk, before.Size(), maxRead).
			With(fault.Action{Action: "move it away", Why: "nothing that is worked with here is as large"})
	}
	body = make([]byte, 0, before.Size()+1)
	for {
		n, err := f.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, nil, nil, err
		}
		if len(body) == cap(body) {
			body = slices.Grow(body, len(body)+512)
		}
	}
	after, err = f.Stat()
	return body, before, after, err
}

// sameState says that nothing the file system records about a file has changed.
func sameState(a, b fs.FileInfo) bool {
	return a.Size() == b.Size() && a.ModTime().Equal(b.ModTime()) && changeTime(a) == changeTime(b) && os.SameFile(a, b)
}

func (t *Tree) entries(disk string) ([]fs.DirEntry, error) {
	d, err := t.root.Open(disk)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.ReadDir(-1)
}

func (t *Tree) tempName(dir string) string {
	t.writing()
	return path.Join(dir, t.temp+rand.Text())
}
