package backup

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"sluice/internal/digest"
	"sluice/internal/fault"
	"sluice/internal/journal"
	"sluice/internal/safepath"
)

// Live is the store of the workspace, which goes on while it is backed up.
type Live interface {
	Checkout(ctx context.Context, path string) (journal.Checkout, bool, error)
	Blob(ctx context.Context, run string, seq int64, d digest.Digest) ([]byte, error)
}

// Source is a workspace at one moment.
type Source struct {
	Root    *os.Root           // the workspace
	Copy    string             // the copy of its store that fixes the moment
	Rows    []journal.Checkout // as the copy has them
	Live    Live
	At      time.Time
	Program string // that writes the archive
}

// Write writes the archive.
func Write(ctx context.Context, out io.Writer, s Source) (Manifest, error) {
	z, err := gzip.NewWriterLevel(out, gzip.BestSpeed)
	if err != nil {
		return Manifest{}, err
	}
	w := &writer{ctx: ctx, Source: s, tar: tar.NewWriter(z), rows: make(map[string]journal.Checkout, len(s.Rows)),
		m: Manifest{Format: Format, CreatedAt: s.At.UTC(), Program: s.Program, Entries: []Entry{}}}
	for _, r := range s.Rows {
		w.rows[r.Path] = r
	}
	if err := w.all(); err != nil {
		return w.m, err
	}
	return w.m, errors.Join(w.tar.Close(), z.Close())
}

type writer struct {
	Source
	ctx  context.Context // of the one call that this value serves
	tar  *tar.Writer
	rows map[string]journal.Checkout // whose files were not met yet
	m    Manifest
}

func (w *writer) all() error {
	if err := w.raw(formatName, []byte(Format+"\n")); err != nil {
		return err
	}
	if err := w.store(); err != nil {
		return err
	}
	if err := w.private(); err != nil {
		return err
	}
	if err := w.files(); err != nil {
		return err
	}
	body, err := json.MarshalIndent(w.m, "", " ")
	if err != nil {
		return err
	}
	return w.raw(manifestName, body)
}

// raw writes an entry that the manifest does not list.
func (w *writer) raw(name string, body []byte) error {
	if err := w.header(name, int64(len(body)), false); err != nil {
		return err
	}
	_, err := w.tar.Write(body)
	return err
}

func (w *writer) header(name string, size int64, run bool) error {
	mode := int64(0o644)
	if run {
		mode = 0o755
	}
	return w.tar.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Size: size, Mode: mode, ModTime: w.At.UTC(), Format: tar.FormatPAX})
}

func (w *writer) entry(name string, body []byte, run bool) error {
	if err := w.header(name, int64(len(body)), run); err != nil {
		return err
	}
	if _, err := w.tar.Write(body); err != nil {
		return err
	}
	w.m.Entries = append(w.m.Entries, Entry{Path: name, Size: int64(len(body)), SHA256: digest.Of(body).Hex(), Run: run})
	return nil
}

// stream writes a file that does not change any more.
func (w *writer) stream(name string, f fs.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if err := w.header(name, info.Size(), false); err != nil {
		return err
	}
	hash := sha256.New()
	if _, err := io.Copy(io.MultiWriter(w.tar, hash), f); err != nil {
		return err
	}
	w.m.Entries = append(w.m.Entries, Entry{Path: name, Size: info.Size(), SHA256: hex.EncodeToString(hash.Sum(nil))})
	return nil
}

// store writes the copy of the database, and the large contents beside it. A content is on the disk before a batch names
// it and stays, so that those of the copy are all there.
func (w *writer) store() error {
	f, err := os.Open(w.Copy)
	if err != nil {
		return err
	}
	err = errors.Join(w.stream(storePrefix+storeName, f), f.Close())
	if err != nil {
		return err
	}
	return w.below(path.Join(safepath.PrivateDir, blobsName), func(rel string) error {
		if !blobPath.MatchString(rel) {
			return nil // one that is being written
		}
		f, err := w.Root.Open(path.Join(safepath.PrivateDir, rel))
		if err != nil {
			return err
		}
		return errors.Join(w.stream(storePrefix+rel, f), f.Close())
	})
}

func (w *writer) private() error {
	for _, name := range privatePaths {
		err := w.below(path.Join(safepath.PrivateDir, name), func(rel string) error {
			if _, err := place(storePrefix + rel); err != nil {
				return nil // a file that is being written, or none of ours
			}
			body, err := w.Root.ReadFile(path.Join(safepath.PrivateDir, rel))
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if err != nil {
				return err
			}
			return w.entry(storePrefix+rel, body, false)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// below visits the regular files at or below a path of the private directory, by their path inside it.
func (w *writer) below(dir string, do func(rel string) error) error {
	return fs.WalkDir(w.Root.FS(), dir, func(p string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		if err := w.ctx.Err(); err != nil {
			return fault.Wrap(fault.Interrupted, p, err, "the backup was interrupted")
		}
		return do(strings.TrimPrefix(p, safepath.PrivateDir+"/"))
	})
}

// files writes what people see. Directories by themselves are not kept.
func (w *writer) files() error {
	err := fs.WalkDir(w.Root.FS(), ".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case p == ".":
			return err
		case errors.Is(err, fs.ErrNotExist):
			return nil // it went while we looked
		case errors.Is(err, fs.ErrPermission):
			w.leave(p, "it may not be read")
			return nil
		case err != nil:
			return err
		case w.ctx.Err() != nil:
			return fault.Wrap(fault.Interrupted, p, w.ctx.Err(), "the backup was interrupted")
		case p == safepath.ConfigName && d.Type().IsRegular():
			return w.file(p, d)
		case d.IsDir() && safepath.IsOwn(d.Name()):
			if d.Name() != safepath.PrivateDir {
				w.leave(p, "it is git's")
			}
			return fs.SkipDir
		case d.IsDir() || strings.HasPrefix(d.Name(), safepath.TempPrefix):
			return nil
		case !d.Type().IsRegular():
			w.leave(p, "it is no regular file")
			return nil
		}
		if clean, err := safepath.Clean(p); err != nil || clean != p {
			w.leave(p, "its name cannot be used on every system")
			return nil
		}
		return w.file(p, d)
	})
	if err != nil {
		return err
	}
	return w.replaced()
}

func (w *writer) leave(p, why string) { w.m.LeftOut = append(w.m.LeftOut, LeftOut{p, why}) }

// file writes one file as it was at the moment of the copy. What the program puts in place is in a row before it is on
// the disk: so the row is asked for after the file is read, and one that moved on tells that the file may have, too.
func (w *writer) file(p string, d fs.DirEntry) error {
	body, err := w.Root.ReadFile(p)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case errors.Is(err, fs.ErrPermission):
		w.leave(p, "it may not be read")
		return nil
	case err != nil:
		return err
	}
	then, had := w.rows[p]
	if !had || then.Removed || digest.Of(body) != then.Digest {
		now, has, err := w.Live.Checkout(w.ctx, p)
		if err != nil {
			return err
		}
		switch {
		case !had && has:
			return nil // it came after the moment
		case had && !isSame(then, now):
			return nil // it is written with those that are gone
		}
	}
	delete(w.rows, p)
	info, err := d.Info()
	return w.entry(filesPrefix+p, body, err == nil && info.Mode()&0o100 != 0)
}

// replaced writes the files that the program replaced or removed after the moment, as they were.
func (w *writer) replaced() error {
	left := make([]string, 0, len(w.rows))
	for p := range w.rows {
		left = append(left, p)
	}
	slices.Sort(left)
	for _, p := range left {
		then := w.rows[p]
		now, has, err := w.Live.Checkout(w.ctx, p)
		if err != nil {
			return err
		}
		if then.Removed || has && isSame(then, now) { // a person removed it, or it was never brought in place
			continue
		}
		body, err := w.Live.Blob(w.ctx, then.Run, then.Seq, then.Digest)
		if err != nil {
			return err
		}
		if err := w.entry(filesPrefix+p, body, false); err != nil {
			return err
		}
	}
	return nil
}

// isSame says that a path still has to show what it had to.
func isSame(a, b journal.Checkout) bool {
	return a.Run == b.Run && a.Seq == b.Seq && a.Digest == b.Digest && a.Removed == b.Removed
}
