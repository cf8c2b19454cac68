package workspace

import (
	"errors"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"time"
)

// stale is the age at which an unfinished file of another machine counts as left behind; a live one is there for
// milliseconds.
const stale = time.Hour

// Sweep removes the unfinished files that killed processes left behind, in the whole tree, and says how many. Files of
// live processes stay.
func (t *Tree) Sweep() (int, error) {
	var dirs []string
	err := fs.WalkDir(t.root.FS(), ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
				return nil
			}
			return err
		}
		if d.IsDir() && d.Name() == ".git" {
			return fs.SkipDir
		}
		if d.IsDir() {
			dirs = append(dirs, p)
		}
		return nil
	})
	if err != nil {
		return 0, fail("sweep", t.dir, err)
	}
	return t.sweep(dirs...)
}

func (t *Tree) sweep(dirs ...string) (int, error) {
	count := 0
	for _, dir := range dirs {
		entries, err := t.entries(dir)
		if isAbsent(err) || errors.Is(err, fs.ErrPermission) {
			continue
		}
		if err != nil {
			return count, fail("sweep", dir, err)
		}
		for _, e := range entries {
			if !e.Type().IsRegular() || !t.isLeftBehind(e) {
				continue
			}
			err := t.root.Remove(path.Join(dir, e.Name()))
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return count, fail("sweep", path.Join(dir, e.Name()), err)
			}
			count++
		}
	}
	return count, nil
}

// isLeftBehind goes by the process number in the name if the file is of this machine, otherwise by age.
func (t *Tree) isLeftBehind(e fs.DirEntry) bool {
	if !strings.HasPrefix(e.Name(), tempPrefix) || strings.HasPrefix(e.Name(), t.temp) {
		return false
	}
	if id := strings.Split(strings.TrimPrefix(e.Name(), tempPrefix), "-"); len(id) == 3 && id[0] == host() {
		if pid, err := strconv.Atoi(id[1]); err == nil && !isAlive(pid) {
			return true
		}
	}
	fi, err := e.Info()
	return err == nil && time.Since(fi.ModTime()) > stale
}
