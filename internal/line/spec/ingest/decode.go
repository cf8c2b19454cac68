package ingest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"unicode/utf16"
	"unicode/utf8"

	"sluice/internal/fault"
)

// Decode gives the text that spans of a source count in, and how it was encoded. What cannot be read without guessing is
// refused: a wrong guess would put words into the spec that nobody wrote.
func Decode(s Source) (text, encoding string, err error) {
	b := s.Body
	switch {
	case bytes.HasPrefix(b, []byte{0xff, 0xfe, 0, 0}), bytes.HasPrefix(b, []byte{0, 0, 0xfe, 0xff}):
		return "", "", refuseEncoding(s, "UTF-32", "is UTF-32 text")
	case bytes.HasPrefix(b, []byte{0xff, 0xfe}):
		text, err = decode16(s, binary.LittleEndian, "UTF-16LE")
		return text, "utf-16le", err
	case bytes.HasPrefix(b, []byte{0xfe, 0xff}):
		text, err = decode16(s, binary.BigEndian, "UTF-16BE")
		return text, "utf-16be", err
	}
	if kind := binaryKind(b); kind != "" {
		return "", "", fault.New(fault.BadValue, s.Name, "%s is %s; text is needed", s.Name, kind).With(
			fault.Action{Action: "save it as plain text or Markdown", Why: "only text can be quoted word for word"})
	}
	b = bytes.TrimPrefix(b, []byte("\xef\xbb\xbf"))
	if at := bytes.IndexByte(b, 0); at >= 0 {
		return "", "", refuseZero(s, b, at)
	}
	if at := invalidAt(b); at >= 0 {
		name := guess(b)
		return "", "", refuseEncoding(s, name, fmt.Sprintf("is not UTF-8 text: byte %d (line %d) is 0x%02x", at,
			1+bytes.Count(b[:at], []byte("\n")), b[at]))
	}
	return string(b), "utf-8", nil
}

func decode16(s Source, order binary.ByteOrder, name string) (string, error) {
	b := s.Body[2:]
	if len(b)%2 != 0 {
		return "", fault.New(fault.BadValue, s.Name, "%s is %s text cut in the middle of a character", s.Name, name).With(
			fault.Action{Action: "save it as UTF-8 again"})
	}
	out := make([]byte, 0, len(b))
	for i := 0; i < len(b); i += 2 {
		r := rune(order.Uint16(b[i:]))
		if utf16.IsSurrogate(r) {
			next := rune(utf8.RuneError)
			if i+3 < len(b) {
				next = rune(order.Uint16(b[i+2:]))
			}
			if r = utf16.DecodeRune(r, next); r == utf8.RuneError {
				return "", fault.New(fault.BadValue, s.Name, "%s is broken %s text: byte %d is half of a character", s.Name,
					name, i+2).With(fault.Action{Action: "save it as UTF-8 again"})
			}
			i += 2
		}
		if r == 0 {
			return "", refuseZero(s, s.Body, i+2)
		}
		out = utf8.AppendRune(out, r)
	}
	return string(out), nil
}

// refuseZero tells a NUL byte from UTF-16 that lost its mark.
func refuseZero(s Source, b []byte, at int) error {
	even, odd := 0, 0
	for i, c := range b[:min(len(b), 4096)] {
		switch {
		case c == 0 && i%2 == 0:
			even++
		case c == 0:
			odd++
		}
	}
	seen := min(len(b), 4096)
	switch {
	case odd*4 > seen && even*20 < seen:
		return refuseEncoding(s, "UTF-16LE", "looks like UTF-16 text without its byte order mark")
	case even*4 > seen && odd*20 < seen:
		return refuseEncoding(s, "UTF-16BE", "looks like UTF-16 text without its byte order mark")
	}
	return fault.New(fault.BadValue, s.Name, "%s holds a NUL byte at %d (line %d); text has none", s.Name, at,
		1+bytes.Count(b[:at], []byte("\n"))).With(
		fault.Action{Action: "remove the NUL bytes", Command: "tr -d '\\000' < FILE > FILE.txt", Why: "FILE is the file you gave"})
}

func refuseEncoding(s Source, name, fact string) error {
	e := fault.New(fault.BadValue, s.Name, "%s %s; UTF-8, or UTF-16 with its byte order mark, is needed", s.Name, fact)
	if name == "" {
		return e.With(fault.Action{Action: "save it as UTF-8", Why: "the encoding it has cannot be told from its bytes"})
	}
	return e.With(fault.Action{Action: "convert", Command: "iconv -f " + name + " -t UTF-8 FILE > FILE.utf8",
		Why: "FILE is the file you gave; " + name + " is what its bytes look like"})
}

// invalidAt finds the first byte that is no part of a UTF-8 character.
func invalidAt(b []byte) int {
	for i := 0; i < len(b); {
		if b[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}

// guess names the encoding that bytes look like, of those people meet in the three languages.
func guess(b []byte) string {
	high, letters, pairs, broken := 0, 0, 0, 0
	for i := 0; i < len(b) && high < 4096; i++ {
		if b[i] < 0x80 {
			continue
		}
		high++
		if b[i] >= 0xc0 || b[i] == 0xa8 || b[i] == 0xb8 { // letters of Windows-1251
			letters++
		}
		if i+1 < len(b) && b[i] >= 0xb0 && b[i] <= 0xf7 && b[i+1] >= 0xa1 { // first level of GB2312
			pairs++
			high++
			if b[i+1] >= 0xc0 {
				letters++
			}
			i++
		} else {
			broken++
		}
	}
	switch {
	case high < 6: // too little to tell; often one broken character
		return ""
	case letters*20 >= high*19:
		return "WINDOWS-1251"
	case pairs >= broken*4:
		return "GB18030"
	case letters*10 >= high*7:
		return "WINDOWS-1251"
	case high*10 < len(b):
		return "WINDOWS-1252"
	}
	return ""
}

// binaryKind names files that are often taken for text.
func binaryKind(b []byte) string {
	for _, k := range []struct{ magic, name string }{
		{"%PDF-", "a PDF file"}, {"PK\x03\x04", "a zip archive (docx, xlsx and pptx are such)"},
		{"\x89PNG", "a PNG picture"}, {"\xff\xd8\xff", "a JPEG picture"}, {"GIF8", "a GIF picture"},
		{"\xd0\xcf\x11\xe0", "an old Office document"}, {"\x1f\x8b", "a gzip archive"}, {"{\\rtf", "an RTF document"},
		{"\x7fELF", "a program"}, {"SQLite format 3\x00", "a database"},
	} {
		if bytes.HasPrefix(b, []byte(k.magic)) {
			return k.name
		}
	}
	return ""
}
