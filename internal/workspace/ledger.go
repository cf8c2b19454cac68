package workspace

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"

	"sluice/internal/digest"
)

const (
	ledgerName = privateDir + "/placed"
	ledgerOld  = privateDir + "/placed.old"
	ledgerSize = 4 << 20
)

// ledger lists what was put where, in order, one line per file, written before the file is. It tells processes apart
// from persons: a process may have put a file in place and died, or not yet told the store, when another one finds
// the file. It is asked only about files that show neither what their row says nor what it says was before, and it
// may be lost: then such a file counts as edited, which costs a question and no bytes. It is used under the lock.
type ledger struct {
	root   *os.Root
	placed map[string][]digest.Digest // read when first asked
}

// add notes what is about to be put in place.
func (l *ledger) add(lines map[string]digest.Digest) error {
	if len(lines) == 0 {
		return nil
	}
	if fi, err := l.root.Stat(ledgerName); err == nil && fi.Size() > ledgerSize {
		if err := l.root.Rename(ledgerName, ledgerOld); err != nil {
			return err
		}
	}
	f, err := l.root.OpenFile(ledgerName, os.O_WRONLY|os.O_CREATE|os.O_APPEND, privatePerm)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	for name, d := range lines {
		text.WriteString(string(d) + " " + name + "\n")
		if l.placed != nil {
			l.placed[name] = append(l.placed[name], d)
		}
	}
	_, err = f.Write(text.Bytes())
	return errors.Join(err, f.Close())
}

// isPlaced says that bytes were put at a path by us after the path last showed before.
func (l *ledger) isPlaced(name string, d, before digest.Digest) (bool, error) {
	if l.placed == nil {
		placed := map[string][]digest.Digest{}
		for _, file := range []string{ledgerOld, ledgerName} {
			text, err := l.root.ReadFile(file)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return false, err
			}
			for line := range strings.Lines(string(text)) {
				// A line that a crash cut short has a digest or a path that nothing matches.
				d, name, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
				placed[name] = append(placed[name], digest.Digest(d))
			}
		}
		l.placed = placed
	}
	for _, p := range slices.Backward(l.placed[name]) {
		if p == d {
			return true, nil
		}
		if p == before {
			break
		}
	}
	return false, nil
}
