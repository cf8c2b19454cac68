package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"
)

const sumsName = "SHA256SUMS"

// entry is a file of an archive.
type entry struct {
	name string
	body []byte
	isX  bool // may be executed
}

func (e entry) mode() int64 {
	if e.isX {
		return 0o755
	}
	return 0o644
}

// pack writes an archive whose files lie in one directory of its name, all with the date of the commit and of nobody's.
func (r *release) pack(name string, files []entry, isZip bool) error {
	var b bytes.Buffer
	file, write := name+".tar.gz", writeTar
	if isZip {
		file, write = name+".zip", writeZip
	}
	if err := write(&b, name, files, time.Unix(r.epoch, 0).UTC()); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(r.out, file), b.Bytes(), 0o644)
}

func writeTar(w io.Writer, dir string, files []entry, at time.Time) error {
	z := gzip.NewWriter(w)
	t := tar.NewWriter(z)
	for _, f := range files {
		h := &tar.Header{Typeflag: tar.TypeReg, Name: dir + "/" + f.name, Mode: f.mode(), Size: int64(len(f.body)), ModTime: at, Format: tar.FormatPAX}
		if err := t.WriteHeader(h); err != nil {
			return err
		}
		if _, err := t.Write(f.body); err != nil {
			return err
		}
	}
	if err := t.Close(); err != nil {
		return err
	}
	return z.Close()
}

func writeZip(w io.Writer, dir string, files []entry, at time.Time) error {
	z := zip.NewWriter(w)
	for _, f := range files {
		h := &zip.FileHeader{Name: dir + "/" + f.name, Method: zip.Deflate, Modified: at}
		h.SetMode(os.FileMode(f.mode()))
		part, err := z.CreateHeader(h)
		if err != nil {
			return err
		}
		if _, err := part.Write(f.body); err != nil {
			return err
		}
	}
	return z.Close()
}

// sums writes the checksums of all files of the release, as sha256sum -c reads them.
func (r *release) sums() error {
	files, err := filepath.Glob(filepath.Join(r.out, "sluice_*"))
	if err != nil {
		return err
	}
	slices.Sort(files)
	var b bytes.Buffer
	for _, f := range files {
		body, err := os.ReadFile(f)
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%x  %s\n", sha256.Sum256(body), filepath.Base(f))
	}
	return os.WriteFile(filepath.Join(r.out, sumsName), b.Bytes(), 0o644)
}
