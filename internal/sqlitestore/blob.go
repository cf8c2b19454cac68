package sqlitestore

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"sluice/internal/digest"
	"sluice/internal/fault"
	"sluice/internal/journal"
)

const (
	compressFrom = 4 << 10
	inlineUpTo   = 1 << 20
	digestSize   = 32
	maxUnpacked  = 256 << 20 // so that a few bytes of a stranger's store do not fill the memory
)

// A frame is one body inside a column: a form, the size of the body, the size of what is stored of it, and that. The
// frames of a batch follow each other in the order of its digests.
type frame struct {
	form   byte
	size   uint64
	stored []byte
}

// The forms of a frame are part of the file format.
const (
	formRaw   byte = 'r'
	formFlate byte = 'z'
	formFile  byte = 'f' // nothing is stored here: the body is a file of the blob folder
)

// packer makes frames. It keeps compressors, which are costly to make.
type packer struct{ flate sync.Pool }

// add appends the body as a frame, compressed if that helps.
func (p *packer) add(out, body []byte) []byte {
	if len(body) < compressFrom || len(body) > maxUnpacked {
		return addFrame(out, formRaw, len(body), body)
	}
	var z bytes.Buffer
	z.Grow(len(body) / 2)
	w, ok := p.flate.Get().(*flate.Writer)
	if ok {
		w.Reset(&z)
	} else {
		w, _ = flate.NewWriter(&z, flate.BestSpeed) // fails for an unknown level only
	}
	defer p.flate.Put(w)
	_, err := w.Write(body)
	if err = errors.Join(err, w.Close()); err != nil || z.Len() >= len(body) {
		return addFrame(out, formRaw, len(body), body)
	}
	return addFrame(out, formFlate, len(body), z.Bytes())
}

func addFrame(out []byte, form byte, size int, stored []byte) []byte {
	out = append(out, form)
	out = binary.AppendUvarint(out, uint64(size))
	out = binary.AppendUvarint(out, uint64(len(stored)))
	return append(out, stored...)
}

// nextFrame takes the first frame off b.
func nextFrame(b []byte) (frame, []byte, error) {
	if len(b) == 0 {
		return frame{}, nil, errors.New("frame is missing")
	}
	f := frame{form: b[0]}
	b = b[1:]
	size, n := binary.Uvarint(b)
	if n <= 0 {
		return frame{}, nil, errors.New("frame has no size")
	}
	b = b[n:]
	stored, n := binary.Uvarint(b)
	if n <= 0 || stored > uint64(len(b)-n) {
		return frame{}, nil, errors.New("frame is cut off")
	}
	f.size, f.stored = size, b[n:n+int(stored)]
	return f, b[n+int(stored):], nil
}

// body gives back what was packed. The form file has its body elsewhere.
func (f frame) body() ([]byte, error) {
	switch f.form {
	case formRaw:
		if uint64(len(f.stored)) != f.size {
			return nil, fmt.Errorf("frame holds %d bytes and says %d", len(f.stored), f.size)
		}
		return bytes.Clone(f.stored), nil
	case formFlate:
		if f.size > maxUnpacked {
			return nil, fmt.Errorf("frame says %d bytes", f.size)
		}
		var out bytes.Buffer
		n, err := io.Copy(&out, io.LimitReader(flate.NewReader(bytes.NewReader(f.stored)), int64(f.size)+1))
		if err != nil {
			return nil, err
		}
		if uint64(n) != f.size {
			return nil, fmt.Errorf("frame unpacks to %d bytes or more and says %d", n, f.size)
		}
		return out.Bytes(), nil
	}
	return nil, fmt.Errorf("frame has unknown form %q", f.form)
}

// unpack reads a column that holds exactly one frame.
func unpack(column []byte) ([]byte, error) {
	f, rest, err := nextFrame(column)
	if err != nil {
		return nil, err
	}
	if len(rest) > 0 {
		return nil, errors.New("frame is followed by other bytes")
	}
	return f.body()
}

// packBlobs makes the two columns of a batch's blobs. Large bodies are on the disk, synced, when it returns; a batch
// that is then refused leaves them behind unreferenced, which costs space and nothing else.
func (s *Store) packBlobs(blobs []journal.Blob) (digests, frames []byte, err error) {
	for _, b := range blobs {
		if got := digest.Of(b.Body); got != b.Digest {
			return nil, nil, fault.New(fault.BadValue, string(b.Digest), "bytes named %s hash to %s", b.Digest, got)
		}
		if digests, err = hex.AppendDecode(digests, []byte(b.Digest.Hex())); err != nil {
			return nil, nil, fault.Wrap(fault.BadValue, string(b.Digest), err, "digest is not hexadecimal")
		}
		if len(b.Body) <= inlineUpTo {
			frames = s.packer.add(frames, b.Body)
			continue
		}
		if err := s.writeBlob(b); err != nil {
			return nil, nil, failure(s.blobPath(b.Digest), err)
		}
		frames = addFrame(frames, formFile, len(b.Body), nil)
	}
	return digests, frames, nil
}

func (s *Store) blobPath(d digest.Digest) string {
	return filepath.Join(s.dir, "blobs", d.Hex()[:2], d.Hex())
}

// writeBlob puts the body in place under its digest. A file of the right size is there already complete: it got its
// name after its bytes were synced.
func (s *Store) writeBlob(b journal.Blob) error {
	path := s.blobPath(b.Digest)
	dir := filepath.Dir(path)
	if err := makeDirs(s.dir, "blobs", filepath.Base(dir)); err != nil {
		return err
	}
	if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() && info.Size() == int64(len(b.Body)) {
		return syncDir(dir)
	}
	f, err := os.CreateTemp(dir, ".new-*") // made with mode 0600
	if err != nil {
		return err
	}
	_, err = f.Write(b.Body)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return syncDir(dir)
}

// makeDirs makes one directory inside the other, each durable in its parent.
func makeDirs(dir string, names ...string) error {
	for _, name := range names {
		parent := dir
		dir = filepath.Join(dir, name)
		err := os.Mkdir(dir, 0o700)
		if info, there := os.Lstat(dir); errors.Is(err, fs.ErrExist) && there == nil && info.IsDir() {
			continue
		}
		if err != nil {
			return err
		}
		if err := syncDir(parent); err != nil {
			return err
		}
	}
	return nil
}

// syncDir makes the names in a directory durable. Windows does it with the file.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// readBlob reads a file that is what its frame says. A link or a pipe in its place would lead elsewhere, or never end.
func readBlob(path string, size uint64) ([]byte, error) {
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is no plain file", path)
	case uint64(info.Size()) != size:
		return nil, fmt.Errorf("%s has %d bytes, its frame says %d", path, info.Size(), size)
	}
	return os.ReadFile(path)
}

// pick gives the body of the digest from the columns of its batch.
func (s *Store) pick(d digest.Digest, digests, frames []byte) ([]byte, error) {
	want, err := hex.DecodeString(d.Hex())
	if err != nil || len(want) != digestSize {
		return nil, fault.New(fault.BadValue, string(d), "digest %q has not the form of one", d)
	}
	for ; len(digests) >= digestSize; digests = digests[digestSize:] {
		f, rest, err := nextFrame(frames)
		if err != nil {
			return nil, corrupt(s.file, err, "bytes %s are damaged", d.Short())
		}
		if !bytes.Equal(digests[:digestSize], want) {
			frames = rest
			continue
		}
		var body []byte
		if f.form == formFile {
			body, err = readBlob(s.blobPath(d), f.size)
		} else {
			body, err = f.body()
		}
		if errors.Is(err, fs.ErrPermission) {
			return nil, noPermission(s.blobPath(d), err)
		}
		if err != nil {
			return nil, corrupt(s.file, err, "bytes %s are damaged", d.Short())
		}
		if got := digest.Of(body); got != d {
			return nil, corrupt(s.file, nil, "bytes %s hash to %s", d.Short(), got.Short())
		}
		return body, nil
	}
	return nil, fault.New(fault.NotFound, string(d), "bytes %s are not stored there", d.Short())
}
