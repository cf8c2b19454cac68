package backup

import (
	"archive/tar"
	"bufio"
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
	"strings"

	"sluice/internal/fault"
	"sluice/internal/safepath"
)

// Limits bound what an archive may become on the disk.
type Limits struct {
	Bytes   int64
	Entries int
}

// DefaultLimits are what a real backup of that size never reaches.
func DefaultLimits(size int64) Limits {
	const atLeast, factor = 256 << 20, 100
	return Limits{Bytes: max(atLeast, size*factor), Entries: 2_000_000}
}

const maxManifest = 1 << 30

// Unpack checks an archive while it is unpacked into an empty directory. After an error the directory is to be thrown
// away.
func Unpack(ctx context.Context, in io.Reader, into *os.Root, l Limits) (Manifest, error) {
	z, err := gzip.NewReader(bufio.NewReaderSize(in, 1<<16))
	if err != nil {
		return Manifest{}, refuse("it is no archive: %v", err)
	}
	u := &unpacker{ctx: ctx, root: into, left: l, tar: tar.NewReader(z), seen: map[string]Entry{}, spelled: map[string]bool{}, dirs: map[string]bool{}}
	m, err := u.all()
	if err != nil {
		return m, u.told(err)
	}
	// What follows the archive is nobody's; its checksum is at its very end.
	if n, err := io.Copy(io.Discard, io.LimitReader(z, 1<<20)); err != nil || n == 1<<20 {
		return m, refuse("something follows its end")
	}
	return m, nil
}

type unpacker struct {
	ctx     context.Context // of the one call that this value serves
	root    *os.Root
	left    Limits
	tar     *tar.Reader
	seen    map[string]Entry
	spelled map[string]bool // paths as a file system that folds case takes them
	dirs    map[string]bool
}

// told puts what the readers of the formats say into our words.
func (u *unpacker) told(err error) error {
	if _, ok := errors.AsType[*fault.Error](err); ok {
		return err
	}
	if _, ok := errors.AsType[*fs.PathError](err); ok { // of writing, which is not the archive's fault
		return err
	}
	return refuse("it is damaged or cut off: %v", err)
}

func (u *unpacker) all() (Manifest, error) {
	h, err := u.tar.Next()
	if err != nil || h.Name != formatName || h.Typeflag != tar.TypeReg || h.Size > 100 {
		return Manifest{}, refuse("it is no backup that sluice wrote")
	}
	head, err := io.ReadAll(u.tar)
	if err != nil {
		return Manifest{}, err
	}
	if got := strings.TrimSpace(string(head)); got != Format {
		return Manifest{}, refuse("its format is %.40q and this program reads %s", got, Format)
	}
	for {
		if err := u.ctx.Err(); err != nil {
			return Manifest{}, fault.Wrap(fault.Interrupted, "backup", err, "restoring was interrupted")
		}
		h, err := u.tar.Next()
		if errors.Is(err, io.EOF) {
			return Manifest{}, refuse("it ends before its list of contents")
		}
		if err != nil {
			return Manifest{}, err
		}
		if h.Name == manifestName {
			return u.manifest(h)
		}
		if err := u.entry(h); err != nil {
			return Manifest{}, err
		}
	}
}

// entry writes one file.
func (u *unpacker) entry(h *tar.Header) error {
	if h.Typeflag != tar.TypeReg {
		return refuse("entry %q is not a file", h.Name)
	}
	p, err := place(h.Name)
	if err != nil {
		return err
	}
	if folded := safepath.Fold(p); u.spelled[folded] {
		return refuse("entry %q is there twice", h.Name)
	} else {
		u.spelled[folded] = true
	}
	u.left.Entries--
	if u.left.Entries < 0 || h.Size < 0 || h.Size > u.left.Bytes {
		return refuse("it unpacks to more than it may, at entry %q", h.Name).
			With(fault.Action{Action: "limit", Command: "sluice restore --max-bytes N FILE DIR", Why: "if you know where it comes from, allow more"})
	}
	u.left.Bytes -= h.Size
	isPrivate := strings.HasPrefix(p, safepath.PrivateDir+"/")
	if err := u.makeDir(path.Dir(p), isPrivate); err != nil {
		return err
	}
	mode := fs.FileMode(0o644)
	switch {
	case isPrivate:
		mode = 0o600
	case h.Mode&0o100 != 0:
		mode = 0o755
	}
	sum, err := u.write(p, mode, h.Size)
	u.seen[h.Name] = Entry{Path: h.Name, Size: h.Size, SHA256: sum, Run: mode == 0o755}
	return err
}

func (u *unpacker) makeDir(dir string, isPrivate bool) error {
	if dir == "." || u.dirs[dir] {
		return nil
	}
	if err := u.makeDir(path.Dir(dir), isPrivate); err != nil {
		return err
	}
	mode := fs.FileMode(0o755)
	if isPrivate {
		mode = 0o700
	}
	if err := u.root.Mkdir(dir, mode); err != nil {
		if errors.Is(err, fs.ErrExist) { // a file, or another spelling of a directory
			return refuse("directory %q is there in two ways", dir)
		}
		return err
	}
	u.dirs[dir] = true
	return nil
}

func (u *unpacker) write(p string, mode fs.FileMode, size int64) (string, error) {
	f, err := u.root.OpenFile(p, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if errors.Is(err, fs.ErrExist) {
		return "", refuse("entry %q is there in two ways", p)
	}
	if err != nil {
		return "", err
	}
	hash := sha256.New()
	n, err := io.Copy(io.MultiWriter(f, hash), u.tar)
	if err == nil && n != size {
		err = io.ErrUnexpectedEOF
	}
	if err == nil {
		err = f.Sync()
	}
	return hex.EncodeToString(hash.Sum(nil)), errors.Join(err, f.Close())
}

// manifest holds what was unpacked against what was packed.
func (u *unpacker) manifest(h *tar.Header) (Manifest, error) {
	var m Manifest
	if h.Typeflag != tar.TypeReg || h.Size > maxManifest {
		return m, refuse("its list of contents is too long")
	}
	body, err := io.ReadAll(u.tar)
	if err != nil {
		return m, err
	}
	if err := json.Unmarshal(body, &m); err != nil || m.Format != Format {
		return m, refuse("its list of contents cannot be read")
	}
	if len(m.Entries) != len(u.seen) {
		return m, refuse("it holds %d files and lists %d", len(u.seen), len(m.Entries))
	}
	for _, e := range m.Entries {
		if got, ok := u.seen[e.Path]; !ok || got != e {
			return m, refuse("file %q is not what its list of contents says", e.Path)
		}
	}
	for _, needed := range []string{storePrefix + storeName, filesPrefix + safepath.ConfigName} {
		if _, ok := u.seen[needed]; !ok {
			return m, refuse("it has no %s", needed)
		}
	}
	if _, err := u.tar.Next(); !errors.Is(err, io.EOF) {
		return m, refuse("something follows its list of contents")
	}
	return m, nil
}
