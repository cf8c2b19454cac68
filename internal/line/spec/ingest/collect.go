package ingest

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"sluice/internal/digest"
	"sluice/internal/fault"
)

// Limits of what is read. They stand far above what people write; beyond them lies a wrong file.
const (
	MaxSources = 200
	MaxBytes   = 16 << 20 // of all sources together
	MaxPieces  = 2000     // each becomes evidence with a file of its own
	maxExcerpt = 500      // characters, as the schema of evidence says
)

// mostRest is how many blocks of other text are kept apart; what follows goes into the last.
const mostRest = 5000

// collector turns stretches of one source into pieces.
type collector struct {
	text   string
	source int
	ref    string
	pieces []Piece
	found  int // pieces, those beyond the limit too
	rest   []remainder
}

// remainder is a stretch that nothing names.
type remainder struct {
	extent
	speaker string
}

func (c *collector) span(e extent) Span {
	text := c.text[e.start:e.end]
	return Span{Source: c.source, Ref: fmt.Sprintf("%s#L%d-L%d", c.ref, e.first+1, e.last+1), Start: e.start, End: e.end,
		FirstLine: e.first + 1, LastLine: e.last + 1, Digest: digest.Of([]byte(text)), Excerpt: excerpt(text)}
}

func (c *collector) keep(p Piece, e extent) {
	if e.isEmpty() {
		return
	}
	if c.found++; c.found > MaxPieces {
		return
	}
	p.Text, p.Span = c.text[e.start:e.end], c.span(e)
	c.pieces = append(c.pieces, p)
}

func (c *collector) leave(r remainder) {
	switch last := len(c.rest) - 1; {
	case r.isEmpty():
	case last+1 >= mostRest:
		c.rest[last].end, c.rest[last].last = r.end, r.last
	default:
		c.rest = append(c.rest, r)
	}
}

func (c *collector) others() []Piece {
	var all []Piece
	for _, r := range c.rest {
		all = append(all, Piece{Field: Other, Text: c.text[r.start:r.end], Speaker: r.speaker, Span: c.span(r.extent)})
	}
	return all
}

func (c *collector) part(name PartName, e extent) Part {
	return Part{Name: name, Text: c.text[e.start:e.end], Span: c.span(e)}
}

// excerpt is the beginning of a text, at most 500 characters, an ellipsis included where something is left out.
func excerpt(text string) string {
	n := 0
	for at := range text {
		if n == maxExcerpt-1 && utf8.RuneCountInString(cut(text[at:], 8)) > 1 {
			return text[:at] + "…"
		}
		n++
	}
	return text
}

// reference is the address of a source. What would end or break an address is written in hexadecimal.
func reference(scheme, name string) string {
	var b strings.Builder
	b.WriteString(scheme + "://")
	for _, r := range name {
		switch {
		case r <= ' ', r == 0x7f, strings.ContainsRune(`#%?\"<>`, r), r >= 0x80 && r < 0xa0, r == '\u2028', r == '\u2029':
			for _, c := range []byte(string(r)) {
				fmt.Fprintf(&b, "%%%02X", c)
			}
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// admit refuses sources that cannot be meant.
func admit(sources []Source) error {
	if len(sources) > MaxSources {
		return fault.New(fault.BadValue, "sources", "%d sources were given; at most %d are read together", len(sources), MaxSources)
	}
	total, written := 0, false
	for _, s := range sources {
		total += len(s.Body)
		written = written || len(strings.TrimSpace(string(s.Body[:min(len(s.Body), 1<<10)]))) > 0 || len(s.Body) > 1<<10
	}
	if total > MaxBytes {
		return fault.New(fault.BadValue, "sources", "the sources hold %d bytes together; at most %d are read", total, MaxBytes).With(
			fault.Action{Action: "give the part that states the requirement", Command: "sluice spec new -f PART"})
	}
	if !written {
		return nothingGiven()
	}
	return nil
}

func nothingGiven() error {
	return fault.New(fault.BadValue, "input", "nothing is written in what was given; a sentence is enough").With(
		fault.Action{Action: "say it in a sentence", Command: `sluice spec new "TEXT"`},
		fault.Action{Action: "give a document or a chat", Command: "sluice spec new -f FILE"})
}
