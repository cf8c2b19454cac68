package bookfile

import (
	"archive/zip"
	"bytes"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"io"
	"time"

	"sluice/internal/fault"
	"sluice/internal/line/novel/story"
)

const (
	mimetype  = "application/epub+zip"
	container = `<?xml version="1.0" encoding="UTF-8"?>
<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">
  <rootfiles>
    <rootfile full-path="OEBPS/content.opf" media-type="application/oebps-package+xml"/>
  </rootfiles>
</container>
`
)

// volume is an EPUB while it is put together.
type volume struct {
	Book
	tongue
	id    string // urn:uuid:…
	cover *cover
	pages []page // chapters, in reading order
}

func epub(b Book, t tongue) ([]byte, error) {
	v := volume{Book: b, tongue: t, id: identifier(b.Project)}
	if len(b.Cover) > 0 {
		c, err := coverOf(b.Cover)
		if err != nil {
			return nil, err
		}
		v.cover = &c
	}
	for i, c := range b.Chapters {
		v.pages = append(v.pages, pagesOf(i+1, c, t, b.isRehearsed(c.ChapterNumber))...)
	}
	body, err := v.pack()
	if err != nil {
		return nil, fault.Wrap(fault.Unexpected, b.Project, err, "book %s cannot be packed", b.Project)
	}
	return body, nil
}

// namespace is the name space of UUIDs of books.
var namespace = [16]byte{0x5f, 0x1c, 0x9d, 0x1e, 0x6a, 0x0b, 0x5c, 0x4e, 0x9d, 0x7f, 0x2b, 0x1a, 0x84, 0x33, 0xc6, 0x70}

// identifier is a UUID of version 5 from the project's name: a new edition of the same book keeps it, as the standard asks.
// SHA-1 is what that version is made with; nothing is secured by it.
func identifier(project string) string {
	sum := sha1.Sum(append(namespace[:], story.FoldName(project)...))
	u := sum[:16]
	u[6], u[8] = u[6]&0x0f|0x50, u[8]&0x3f|0x80
	h := hex.EncodeToString(u)
	return fmt.Sprintf("urn:uuid:%s-%s-%s-%s-%s", h[:8], h[8:12], h[12:16], h[16:20], h[20:])
}

// pack writes the archive. The type of the file comes first, neither compressed nor with extra fields, as the standard
// asks; every time in it is the book's.
func (v volume) pack() ([]byte, error) {
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	first, err := z.CreateRaw(&zip.FileHeader{
		Name: "mimetype", Method: zip.Store, CRC32: crc32.ChecksumIEEE([]byte(mimetype)),
		CompressedSize64: uint64(len(mimetype)), UncompressedSize64: uint64(len(mimetype)),
	})
	if err != nil {
		return nil, err
	}
	if _, err := io.WriteString(first, mimetype); err != nil {
		return nil, err
	}
	for _, f := range v.files() {
		w, err := z.CreateHeader(&zip.FileHeader{Name: f.name, Method: f.method, Modified: zipTime(v.Modified)})
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(f.body); err != nil {
			return nil, err
		}
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// zipTime keeps a time within what an archive can hold.
func zipTime(t time.Time) time.Time {
	t = t.UTC().Truncate(time.Second)
	if t.Year() < 1980 || t.Year() > 2107 {
		return time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	return t
}

type entry struct {
	name   string
	method uint16
	body   []byte
}

func (v volume) files() []entry {
	text := func(name, body string) entry { return entry{name, zip.Deflate, []byte(body)} }
	all := []entry{
		text("META-INF/container.xml", container),
		text("OEBPS/content.opf", v.packageDocument()),
		text("OEBPS/nav.xhtml", v.navigation()),
		text("OEBPS/toc.ncx", v.ncx()),
		text("OEBPS/style.css", v.style()),
	}
	if v.cover != nil {
		all = append(all, entry{"OEBPS/" + v.cover.file, zip.Store, v.Cover}, text("OEBPS/cover.xhtml", v.coverPage()))
	}
	all = append(all, text("OEBPS/title.xhtml", v.titlePage()))
	for _, p := range v.pages {
		all = append(all, text("OEBPS/"+p.file, v.xhtml(p.title, "", p.body)))
	}
	return all
}
