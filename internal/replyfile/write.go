package replyfile

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"hash"
	"io"
	"time"

	"sluice/internal/journal"
)

// Format names what this package writes and reads.
const Format = "sluice-replies/1"

type head struct {
	Format string `json:"format"`
}

type record struct {
	Key          string    `json:"key"`
	Provider     string    `json:"provider"`
	Model        string    `json:"model"`
	Finish       string    `json:"finish"`
	InputTokens  int       `json:"input_tokens"`
	OutputTokens int       `json:"output_tokens"`
	DurationNS   int64     `json:"duration_ns"`
	At           time.Time `json:"at"`
	Content      string    `json:"content"`
}

type foot struct {
	Replies *int   `json:"replies"`
	SHA256  string `json:"sha256"` // of every line before
}

// Writer writes one file.
type Writer struct {
	out  *bufio.Writer
	hash hash.Hash
	n    int
}

// NewWriter begins a file.
func NewWriter(out io.Writer) (*Writer, error) {
	w := &Writer{out: bufio.NewWriter(out), hash: sha256.New()}
	return w, w.line(head{Format})
}

// Add writes one reply. A key is added once.
func (w *Writer) Add(r journal.Reply) error {
	w.n++
	return w.line(record{r.Key, r.Provider, r.Model, r.Finish, r.Usage.InputTokens, r.Usage.OutputTokens, int64(r.Usage.Duration), r.At.UTC(), r.Content})
}

// Close ends the file.
func (w *Writer) Close() error {
	if err := w.line(foot{&w.n, hex.EncodeToString(w.hash.Sum(nil))}); err != nil {
		return err
	}
	return w.out.Flush()
}

func (w *Writer) line(v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	body = append(body, '\n')
	w.hash.Write(body)
	_, err = w.out.Write(body)
	return err
}
