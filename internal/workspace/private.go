package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path"

	"sluice/internal/fault"
)

// checkPrivate refuses a private directory that leads elsewhere. A workspace may come from a stranger, and store, locks
// and log are opened by name: a link would have them written to wherever it points, and a pipe would wait for ever.
func checkPrivate(root *os.Root, dir string) error {
	info, err := root.Lstat(privateDir)
	if err != nil {
		return nil // there is none yet; whoever needs it says so
	}
	if !info.IsDir() {
		return foreign(dir, privateDir, info.Mode())
	}
	d, err := root.Open(privateDir)
	if err != nil {
		return fail("open", privateDir, err)
	}
	defer d.Close()
	entries, err := d.ReadDir(-1)
	if err != nil {
		return fail("list", privateDir, err)
	}
	for _, e := range entries {
		if !e.IsDir() && !e.Type().IsRegular() {
			return foreign(dir, path.Join(privateDir, e.Name()), e.Type())
		}
	}
	return nil
}

func foreign(dir, name string, mode fs.FileMode) error {
	what := "is no plain file"
	switch {
	case mode&fs.ModeSymlink != 0:
		what = "is a symbolic link"
	case mode&fs.ModeNamedPipe != 0:
		what = "is a named pipe"
	case mode&fs.ModeSocket != 0:
		what = "is a socket"
	}
	return fault.New(fault.BadPath, name, "%s in %s %s; Sluice makes none there, and what it leads to is not touched", name, dir, what).
		With(fault.Action{Action: "look", Command: "ls -la " + privateDir, Why: "if you did not put it there, the workspace is not to be trusted; if you did, remove it"})
}

// OpenLog opens a log of the private directory for appending, and makes it if it is not there.
func (t *Tree) OpenLog(name string) (*os.File, error) {
	dir := path.Join(privateDir, "log")
	if err := t.batch().makeDirs(dir, privateDirs); err != nil {
		return nil, err
	}
	file := path.Join(dir, name)
	for _, p := range []string{dir, file} {
		info, err := t.root.Lstat(p)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return nil, fail("open", p, err)
		case (p == dir) != info.IsDir(), p == file && !info.Mode().IsRegular():
			return nil, foreign(t.dir, p, info.Mode())
		}
	}
	f, err := t.root.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, privatePerm)
	return f, fail("open", file, err)
}
