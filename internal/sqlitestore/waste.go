package sqlitestore

import (
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"sluice/internal/fault"
)

// WasteFile is a file of the store's directory that nothing needs.
type WasteFile struct {
	Path  string // below the directory, with slashes
	Bytes int64
}

// Waste is what a store holds and nothing needs. Batches, and what they name, are never among it.
type Waste struct {
	Orphans    []WasteFile // contents of batches that were refused
	Unfinished []WasteFile // contents that a killed process was writing
	Locks      []WasteFile // of drivers that ended

	after int64 // rows of the journal up to here name none of the orphans
}

// grace is how old a file is before it may be waste: a content is written before the batch that names it.
const grace = time.Hour

// FindWaste looks for files that nothing needs. It changes nothing.
func (s *Store) FindWaste(ctx context.Context) (Waste, error) {
	var w Waste
	orphans, err := s.oldContents(&w)
	if err != nil {
		return w, failure(s.dir, err)
	}
	if len(orphans) > 0 {
		if w.after, err = strikeNamed(ctx, s.reading, 0, orphans); err != nil {
			return w, failure(s.file, err)
		}
	}
	for name, size := range orphans {
		w.Orphans = append(w.Orphans, WasteFile{"blobs/" + name[:2] + "/" + name, size})
	}
	locks, err := filepath.Glob(s.lockPath("*"))
	if err != nil {
		return w, failure(s.dir, err)
	}
	for _, path := range locks {
		if info, err := os.Stat(path); err == nil && s.now().Sub(info.ModTime()) > grace && path != s.lockPath(s.driver) && !isHeld(path) {
			w.Locks = append(w.Locks, WasteFile{filepath.Base(path), info.Size()})
		}
	}
	return w, nil
}

// oldContents gives the files of large contents that are old enough, by the name of their digest.
func (s *Store) oldContents(w *Waste) (map[string]int64, error) {
	found := map[string]int64{}
	err := filepath.WalkDir(filepath.Join(s.dir, "blobs"), func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		info, err := d.Info()
		if err != nil || s.now().Sub(info.ModTime()) <= grace {
			return nil // it is gone, or may be about to be named
		}
		dir := filepath.Base(filepath.Dir(path))
		_, err = hex.DecodeString(d.Name())
		switch {
		case err == nil && len(d.Name()) == 2*digestSize && strings.HasPrefix(d.Name(), dir):
			found[d.Name()] = info.Size()
		case strings.HasPrefix(d.Name(), ".new-"):
			w.Unfinished = append(w.Unfinished, WasteFile{"blobs/" + dir + "/" + d.Name(), info.Size()})
		}
		return nil
	})
	return found, err
}

type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// strikeNamed takes out of the files what the journal names after a row, and gives its last row. Rows are only added.
func strikeNamed(ctx context.Context, db querier, after int64, files map[string]int64) (int64, error) {
	rows, err := db.QueryContext(ctx, "SELECT rowid, digests FROM batch WHERE rowid > ? ORDER BY rowid", after)
	if err != nil {
		return after, err
	}
	defer rows.Close()
	var digests sql.RawBytes
	for rows.Next() {
		if err := rows.Scan(&after, &digests); err != nil {
			return after, err
		}
		for d := digests; len(d) >= digestSize; d = d[digestSize:] {
			delete(files, hex.EncodeToString(d[:digestSize]))
		}
	}
	return after, rows.Err()
}

// isHeld says whether a process holds a lock.
func isHeld(path string) bool {
	lock := flock.New(path, flock.SetFlag(os.O_RDONLY))
	free, err := lock.TryRLock()
	return err != nil || !free || lock.Unlock() != nil
}

// RemoveWaste removes what FindWaste found and still nothing needs. Contents are removed while no one can commit: a batch
// that is about to name one of them then finds it gone, and is refused before it is written.
func (s *Store) RemoveWaste(ctx context.Context, found Waste) error {
	files := make(map[string]int64, len(found.Orphans))
	for _, f := range found.Orphans {
		files[f.Path[strings.LastIndexByte(f.Path, '/')+1:]] = f.Bytes
	}
	if len(files) > 0 {
		err := s.writer.submit(ctx, func(w *writer) error {
			if _, err := strikeNamed(context.Background(), w.conn, found.after, files); err != nil {
				return err
			}
			for name := range files {
				if err := drop(filepath.Join(s.dir, "blobs", name[:2], name)); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	for _, f := range append(append([]WasteFile{}, found.Unfinished...), found.Locks...) {
		if err := drop(filepath.Join(s.dir, filepath.FromSlash(f.Path))); err != nil {
			return failure(f.Path, err)
		}
	}
	return nil
}

func drop(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// removed says that a large content of a batch is not there any more.
func (e *entry) removed() error {
	for _, path := range e.files {
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return fault.New(fault.Conflict, e.Run, "content of run %s was removed as unused while it was stored", e.Run)
		}
	}
	return nil
}

// Counted is how many rows there are of something, and how large they are.
type Counted struct {
	Rows  int
	Bytes int64
}

// Folds counts the folded states of another revision than the given, or all if it is empty, and removes them if that is
// wanted.
func (s *Store) Folds(ctx context.Context, notOf string, remove bool) (Counted, error) {
	const of = " FROM fold WHERE ? = '' OR revision <> ?"
	return s.countOrRemove(ctx, "SELECT count(*), coalesce(sum(length(state)), 0)"+of, "DELETE"+of, []any{notOf, notOf}, remove)
}

// CancelledReplies counts the replies that only cancelled and dropped runs asked for, and removes them if that is wanted.
func (s *Store) CancelledReplies(ctx context.Context, remove bool) (Counted, error) {
	const of = ` FROM reply WHERE key IN (SELECT c.key FROM call c LEFT JOIN run r ON r.id = c.run GROUP BY c.key
		HAVING min(coalesce(r.status IN ('cancelled', 'dropped'), 0)) = 1)`
	return s.countOrRemove(ctx, "SELECT count(*), coalesce(sum(length(content)), 0)"+of, "DELETE"+of, nil, remove)
}

func (s *Store) countOrRemove(ctx context.Context, count, remove string, args []any, doIt bool) (Counted, error) {
	c, _, err := one(ctx, s, count, args, func(r scanner) (c Counted, err error) {
		err = r.Scan(&c.Rows, &c.Bytes)
		return c, err
	})
	if err != nil || !doIt || c.Rows == 0 {
		return c, err
	}
	return c, s.writer.submit(ctx, func(w *writer) error {
		_, err := w.exec(remove, args...)
		return err
	})
}
