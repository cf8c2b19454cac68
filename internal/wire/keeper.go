package wire

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"sluice/internal/app"
	"sluice/internal/backup"
	"sluice/internal/fault"
	"sluice/internal/journal"
	"sluice/internal/kernel"
	"sluice/internal/model"
	"sluice/internal/replyfile"
	"sluice/internal/sqlitestore"
	"sluice/internal/workspace"
)

// keeper lets the doors back a workspace up, carry replies and make room.
type keeper struct {
	root  string
	store *sqlitestore.Store
}

// Backup writes the whole workspace as it is at one moment.
func (k keeper) Backup(ctx context.Context, file string) (app.BackupDoc, error) {
	if err := k.outside(file); err != nil {
		return app.BackupDoc{}, err
	}
	var d app.BackupDoc
	err := newFile(file, func(dir string, out *os.File) error {
		root, err := os.OpenRoot(k.root)
		if err != nil {
			return err
		}
		defer root.Close()
		at := time.Now().UTC()
		copied := filepath.Join(dir, "sluice.db")
		rows, err := k.store.Snapshot(ctx, copied)
		if err != nil {
			return err
		}
		m, err := backup.Write(ctx, out, backup.Source{Root: root, Copy: copied, Rows: rows, Live: k.store, At: at, Program: "sluice " + Version})
		if err != nil {
			return err
		}
		info, err := out.Stat()
		if err != nil {
			return err
		}
		d = app.BackupDoc{File: file, CreatedAt: at, Files: len(m.Entries), Bytes: m.Bytes(), Size: info.Size(), LeftOut: []app.LeftOutDoc{}}
		for _, l := range m.LeftOut {
			d.LeftOut = append(d.LeftOut, app.LeftOutDoc(l))
		}
		return nil
	})
	return d, err
}

// outside refuses a place that would be a part of the next backup.
func (k keeper) outside(file string) error {
	root, err := filepath.EvalSymlinks(k.root)
	if err != nil {
		return err
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(file))
	if err != nil {
		return fault.New(fault.NotFound, file, "there is no directory %s", filepath.Dir(file)).
			With(fault.Action{Action: "make it", Why: "make the directory, or name another one"})
	}
	if rel, err := filepath.Rel(root, dir); err == nil && filepath.IsLocal(rel) {
		return fault.New(fault.BadPath, file, "%s is inside the workspace; each backup would hold the one before", file).
			With(fault.Action{Action: "elsewhere", Command: "sluice backup ../" + filepath.Base(file)})
	}
	return nil
}

// newFile makes a file whole or not at all, and never in the place of another. The directory it hands out is private and
// goes with it.
func newFile(file string, fill func(dir string, out *os.File) error) error {
	if _, err := os.Lstat(file); err == nil {
		return fileThere(file)
	}
	dir, err := os.MkdirTemp(filepath.Dir(file), ".sluice-writing-*")
	if err != nil {
		return cannotWrite(file, err)
	}
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, "new")
	out, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return cannotWrite(file, err)
	}
	err = fill(dir, out)
	if err == nil {
		err = out.Sync()
	}
	if err = errors.Join(err, out.Close()); err != nil {
		return err
	}
	if err = os.Link(name, file); errors.Is(err, fs.ErrExist) {
		return fileThere(file)
	} else if err == nil {
		return nil
	}
	// Not every file system has links. Then a file that comes at this very moment is lost.
	if _, err := os.Lstat(file); err == nil {
		return fileThere(file)
	}
	if err := os.Rename(name, file); err != nil {
		return cannotWrite(file, err)
	}
	return nil
}

func fileThere(file string) error {
	return fault.New(fault.FileExists, file, "%s is there already and is not overwritten", file).
		With(fault.Action{Action: "another name", Why: "name a file that is not there"})
}

func cannotWrite(file string, err error) error {
	return fault.Wrap(fault.NoPermission, file, err, "%s cannot be written", file).
		With(fault.Action{Action: "another place", Why: "name a directory that you may write to"})
}

// restore makes a workspace of a backup, whole or not at all.
func restore(ctx context.Context, file, dir string, maxBytes int64) (app.RestoreDoc, error) {
	in, err := os.Open(file)
	if err != nil {
		return app.RestoreDoc{}, fault.Wrap(fault.NotFound, file, err, "the backup %s cannot be read", file)
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return app.RestoreDoc{}, fault.New(fault.BadArchive, file, "%s is no regular file, so it is no backup", file)
	}
	limits := backup.DefaultLimits(info.Size())
	if maxBytes > 0 {
		limits.Bytes = maxBytes
	}
	if err := isFree(dir); err != nil {
		return app.RestoreDoc{}, err
	}
	fresh, err := os.MkdirTemp(filepath.Dir(dir), ".sluice-restoring-*")
	if err != nil {
		return app.RestoreDoc{}, cannotWrite(dir, err)
	}
	defer os.RemoveAll(fresh)
	m, err := unpack(ctx, in, fresh, limits)
	if err != nil {
		return app.RestoreDoc{}, err
	}
	if err := isFree(dir); err != nil {
		return app.RestoreDoc{}, err
	}
	_ = os.Remove(dir) // an empty directory; one that was filled meanwhile refuses both this and the next
	if err := os.Rename(fresh, dir); err != nil {
		return app.RestoreDoc{}, cannotWrite(dir, err)
	}
	return app.RestoreDoc{Workspace: dir, CreatedAt: m.CreatedAt, Files: len(m.Entries), Bytes: m.Bytes()}, nil
}

// isFree refuses a directory in which something is.
func isFree(dir string) error {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err == nil && len(entries) == 0:
		return nil
	}
	return fault.New(fault.FileExists, dir, "%s is there already and is not overwritten", dir).
		With(fault.Action{Action: "another name", Why: "name a directory that is not there, or an empty one"})
}

func unpack(ctx context.Context, in io.Reader, fresh string, l backup.Limits) (backup.Manifest, error) {
	if err := workspace.CheckFolder(fresh, allowUnsafe()); err != nil {
		return backup.Manifest{}, err
	}
	root, err := os.OpenRoot(fresh)
	if err != nil {
		return backup.Manifest{}, err
	}
	m, err := backup.Unpack(ctx, in, root, l)
	if err = errors.Join(err, root.Close()); err != nil {
		return m, err
	}
	if err := sqlitestore.CheckFile(ctx, filepath.Join(fresh, ".sluice", "sluice.db")); err != nil {
		return m, fault.Wrap(fault.BadArchive, "backup", err, "the store in the backup cannot be used")
	}
	return m, os.Chmod(fresh, 0o755)
}

// ExportReplies writes the replies of runs, each once.
func (k keeper) ExportReplies(ctx context.Context, runs []string, file string) (app.RepliesDoc, error) {
	d := app.RepliesDoc{File: file, Runs: runs}
	if _, err := os.Stat(filepath.Dir(file)); err != nil {
		return d, cannotWrite(file, err)
	}
	err := newFile(file, func(_ string, out *os.File) error {
		w, err := replyfile.NewWriter(out)
		if err != nil {
			return err
		}
		seen := map[string]bool{}
		for _, run := range runs {
			calls, err := k.store.Calls(ctx, run)
			if err != nil {
				return err
			}
			for _, c := range calls {
				if c.Outcome != journal.Answered && c.Outcome != journal.Reused || seen[c.Key] {
					continue
				}
				seen[c.Key] = true
				r, ok, err := k.store.Reply(ctx, c.Key)
				if err != nil {
					return err
				}
				if !ok {
					d.Missing++
					continue
				}
				d.Replies, d.Tokens = d.Replies+1, d.Tokens+r.Usage.InputTokens+r.Usage.OutputTokens
				if err := w.Add(r); err != nil {
					return err
				}
			}
		}
		return w.Close()
	})
	return d, err
}

// Waste lists what nothing needs, and removes it if that is wanted.
func (k keeper) Waste(ctx context.Context, q app.WasteQuery) (app.WasteDoc, error) {
	var d app.WasteDoc
	found, err := k.store.FindWaste(ctx)
	if err != nil {
		return d, err
	}
	files := func(kind, why string, files []sqlitestore.WasteFile) {
		for _, f := range files {
			d.Items = append(d.Items, app.WasteItem{Kind: kind, Name: ".sluice/" + f.Path, Count: 1, Bytes: f.Bytes, Why: why})
		}
	}
	files("orphaned_content", "no event names it: the batch it was written for was refused", found.Orphans)
	files("unfinished_file", "a process that ended was writing it", found.Unfinished)
	files("stale_lock", "its process has ended", found.Locks)
	if q.Remove {
		if err := k.store.RemoveWaste(ctx, found); err != nil {
			return d, err
		}
	}
	rows := func(kind, why string, c sqlitestore.Counted) {
		if c.Rows > 0 {
			d.Items = append(d.Items, app.WasteItem{Kind: kind, Count: c.Rows, Bytes: c.Bytes, Why: why})
		}
	}
	notOf, kind, why := kernel.FoldRevision, "old_fold", "another version of sluice folded it"
	if q.Folds {
		notOf, kind, why = "", "fold", "it is made anew when the run is next used"
	}
	c, err := k.store.Folds(ctx, notOf, q.Remove)
	if err != nil {
		return d, err
	}
	rows(kind, why, c)
	if q.Cancelled {
		if c, err = k.store.CancelledReplies(ctx, q.Remove); err != nil {
			return d, err
		}
		rows("cancelled_reply", "only runs that were cancelled or dropped asked for it", c)
	}
	return d, nil
}

// carry lets calls find the replies of a file, if one is named.
func (h *house) carry(file string, calls *model.Calls) (err error) {
	if file == "" {
		return nil
	}
	if h.extra, err = replyfile.Open(file); err != nil {
		return err
	}
	*calls = carried{*calls, h.extra, h.store.PutReply}
	return nil
}

// carried also knows the replies of a file. One that is found there is stored before it is used, as any other is.
type carried struct {
	model.Calls
	file *replyfile.File
	put  func(context.Context, journal.Reply) error
}

// Reply gives what is stored, or what the file has.
func (c carried) Reply(ctx context.Context, key string) (journal.Reply, bool, error) {
	r, ok, err := c.Calls.Reply(ctx, key)
	if err != nil || ok {
		return r, ok, err
	}
	if r, ok, err = c.file.Reply(key); err != nil || !ok {
		return r, false, err
	}
	return r, true, c.put(ctx, r)
}
