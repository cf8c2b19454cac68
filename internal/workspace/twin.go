package workspace

import (
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"

	"sluice/internal/fault"
)

// listing is what a directory held when its modification time was as recorded. Without it 10,000 writes into one
// directory would read the directory 10,000 times. What we write we note here; a stranger's file that appears in the
// same tick of the file system's clock as one of ours is noticed only with the next change.
type listing struct {
	modified time.Time
	names    map[string][]string // folded name → spellings on disk, usually one
}

// spelling says how a component that is to be written is spelled on disk: as given if nothing of that name is there,
// otherwise as found, which may be in another normal form. A name that differs by case is a twin: some file systems
// cannot hold both, so it is refused.
func (t *Tree) spelling(dir, name string) (string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	l, err := t.list(dir)
	if err != nil {
		if isAbsent(err) {
			return name, nil
		}
		return "", err
	}
	key := fold(name)
	if found, ok := match(l.names[key], name); ok {
		return found, nil
	}
	for _, twin := range l.names[key] {
		if _, err := t.root.Lstat(path.Join(dir, twin)); err == nil {
			return "", twinFault(path.Join(dir, name), path.Join(dir, twin))
		}
	}
	delete(l.names, key) // what the listing remembers is gone
	return name, nil
}

func twinFault(p, twin string) error {
	return badPath(p, "path %s differs only by case or spelling from %s, which is there already", p, twin).
		With(fault.Action{Action: "use the path " + twin + " or another name",
			Why: "not every file system can hold both"})
}

// match finds a name among spellings: exactly, or in another normal form.
func match(spellings []string, name string) (string, bool) {
	if slices.Contains(spellings, name) {
		return name, true
	}
	for _, s := range spellings {
		if norm.NFC.String(s) == name {
			return s, true
		}
	}
	return "", false
}

// locate gives the spelling on disk of a clean path, which is the path itself unless a name was made in another
// normal form, as some systems do.
func (t *Tree) locate(clean string) string {
	if isASCII(clean) {
		return clean
	}
	if _, err := t.root.Lstat(clean); err == nil {
		return clean
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	disk := ""
	for name := range strings.SplitSeq(clean, "/") {
		if l, err := t.list(orTop(disk)); err == nil {
			if found, ok := match(l.names[fold(name)], name); ok {
				name = found
			}
		}
		disk = path.Join(disk, name)
	}
	return disk
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r > '\x7f' })
}

func orTop(dir string) string {
	if dir == "" {
		return "."
	}
	return dir
}

// list gives the listing of a directory, read again if the directory changed. The caller holds mu.
func (t *Tree) list(dir string) (*listing, error) {
	fi, err := t.root.Lstat(dir)
	if err != nil {
		return nil, err
	}
	if fi.Mode()&fs.ModeSymlink != 0 {
		return nil, badPath(dir, "%s is a symbolic link; files are written through none", dir)
	}
	if l, ok := t.listings[dir]; ok && l.modified.Equal(fi.ModTime()) {
		return l, nil
	}
	entries, err := t.entries(dir)
	if err != nil {
		return nil, err
	}
	l := &listing{modified: fi.ModTime(), names: make(map[string][]string, len(entries))}
	for _, e := range entries {
		l.add(e.Name())
	}
	t.listings[dir] = l
	return l, nil
}

func (l *listing) add(name string) {
	key := fold(name)
	if !slices.Contains(l.names[key], name) {
		l.names[key] = append(l.names[key], name)
	}
}

// noted records names that we put into a directory ourselves, so that its listing stays true.
func (t *Tree) noted(dir string, names []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	l, ok := t.listings[dir]
	if !ok {
		return
	}
	for _, name := range names {
		l.add(name)
	}
	if fi, err := t.root.Lstat(dir); err == nil {
		l.modified = fi.ModTime()
	}
}
