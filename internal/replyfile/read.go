package replyfile

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
	"unicode/utf8"

	"sluice/internal/digest"
	"sluice/internal/fault"
	"sluice/internal/journal"
)

// What one file may hold. A reply of a real model is far below.
const (
	maxLine    = 64 << 20
	maxReplies = 5_000_000
)

// File is an open file of replies. Replies stay on the disk; only their places are held.
type File struct {
	name string
	file *os.File
	at   map[string]place
}

type place struct {
	offset int64
	size   int
	sum    [sha256.Size]byte
}

// Open checks the whole file. The caller closes it.
func Open(name string) (*File, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fault.Wrap(fault.BadArchive, name, err, "the replies in %s cannot be read", name).
			With(fault.Action{Action: "leave it out", Why: "name a file that sluice export-replies wrote, or leave --replies and SLUICE_REPLIES out"})
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(refuse(name, "it is no regular file"), f.Close())
	}
	r := &File{name: name, file: f, at: map[string]place{}}
	if err := r.index(); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return r, nil
}

// Close gives the file back.
func (r *File) Close() error { return r.file.Close() }

// Len counts the replies.
func (r *File) Len() int { return len(r.at) }

// Reply finds the reply to a key.
func (r *File) Reply(key string) (journal.Reply, bool, error) {
	p, ok := r.at[key]
	if !ok {
		return journal.Reply{}, false, nil
	}
	line := make([]byte, p.size)
	if _, err := r.file.ReadAt(line, p.offset); err != nil || sha256.Sum256(line) != p.sum {
		return journal.Reply{}, false, refuse(r.name, "it changed while it was used")
	}
	rec, err := read(line)
	if err != nil {
		return journal.Reply{}, false, refuse(r.name, "%v", err)
	}
	return journal.Reply{Key: rec.Key, Content: rec.Content, Provider: rec.Provider, Model: rec.Model, Finish: rec.Finish, At: rec.At,
		Usage: journal.Usage{InputTokens: rec.InputTokens, OutputTokens: rec.OutputTokens, Duration: time.Duration(rec.DurationNS)}}, true, nil
}

func refuse(name, format string, args ...any) *fault.Error {
	return fault.New(fault.BadArchive, name, "the replies in %s cannot be used: %s", name, fmt.Sprintf(format, args...)).
		With(fault.Action{Action: "write it anew", Why: "write the file anew with sluice export-replies where the runs are, or leave --replies out"})
}

// index walks the file once.
func (r *File) index() error {
	in := bufio.NewReaderSize(r.file, 1<<16)
	hash := sha256.New()
	offset := int64(0)
	for n := 0; ; n++ {
		line, err := readLine(in)
		switch {
		case errors.Is(err, io.EOF):
			return refuse(r.name, "it ends before its checksum")
		case err != nil:
			return refuse(r.name, "line %d: %v", n+1, err)
		case n > maxReplies:
			return refuse(r.name, "it holds more than %d replies", maxReplies)
		}
		switch {
		case n == 0:
			var h head
			if json.Unmarshal(line, &h) != nil || h.Format != Format {
				return refuse(r.name, "its first line is not that of the format %s", Format)
			}
		case isFoot(line):
			return r.end(line, hash.Sum(nil), in)
		default:
			if err := r.note(line, offset); err != nil {
				return refuse(r.name, "line %d: %v", n+1, err)
			}
		}
		hash.Write(line)
		offset += int64(len(line))
	}
}

// readLine reads a line with its end, and no more than a line may have.
func readLine(in *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		if line = append(line, part...); len(line) > maxLine {
			return nil, fmt.Errorf("it is longer than %d bytes", maxLine)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if errors.Is(err, io.EOF) && len(line) > 0 {
			return nil, errors.New("it is cut off")
		}
		return line, err
	}
}

func isFoot(line []byte) bool {
	var f foot
	return bytes.HasPrefix(line, []byte(`{"replies":`)) && json.Unmarshal(line, &f) == nil && f.Replies != nil
}

func (r *File) end(line, sum []byte, in *bufio.Reader) error {
	var f foot
	if err := json.Unmarshal(line, &f); err != nil || *f.Replies != len(r.at) || f.SHA256 != hex.EncodeToString(sum) {
		return refuse(r.name, "its lines do not have its checksum: it was changed or damaged")
	}
	if _, err := in.ReadByte(); !errors.Is(err, io.EOF) {
		return refuse(r.name, "something follows its checksum")
	}
	return nil
}

// note checks a reply and remembers its place.
func (r *File) note(line []byte, offset int64) error {
	rec, err := read(line)
	if err != nil {
		return err
	}
	if _, twice := r.at[rec.Key]; twice {
		return fmt.Errorf("key %.80s is there twice", rec.Key)
	}
	r.at[rec.Key] = place{offset, len(line), sha256.Sum256(line)}
	return nil
}

func read(line []byte) (record, error) {
	var rec record
	if !utf8.Valid(line) {
		return rec, errors.New("it is not UTF-8")
	}
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&rec); err != nil {
		return rec, fmt.Errorf("it is no reply: %v", err)
	}
	switch d, err := digest.Parse(rec.Key); {
	case err != nil || string(d) != rec.Key:
		return rec, fmt.Errorf("its key %.80q is not that of a call", rec.Key)
	case rec.Provider == "" || rec.InputTokens < 0 || rec.OutputTokens < 0 || rec.DurationNS < 0:
		return rec, errors.New("it names no provider, or its cost is less than nothing")
	}
	return rec, nil
}
