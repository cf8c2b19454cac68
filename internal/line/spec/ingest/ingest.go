package ingest

import "sluice/internal/digest"

// Source is one thing a person gave: a typed text or a file, as bytes.
type Source struct {
	Name string // how a person knows it: a file's name, "text" for what was typed
	Body []byte
}

// Result is what was found, in the order it was written.
type Result struct {
	Sources  []Document `json:"sources"`
	Language Language   `json:"language"`
	Pieces   []Piece    `json:"pieces"`         // what was recognised; each becomes evidence
	Rest     []Piece    `json:"rest,omitempty"` // everything else that was written, in blocks, with field "text"
}

// Document is a source after it was read.
type Document struct {
	Name     string        `json:"name"` // unique among the sources of a result
	Shape    Shape         `json:"shape"`
	Encoding string        `json:"encoding"` // utf-8, utf-16le, utf-16be
	Ref      string        `json:"ref"`      // doc://name or chat://name
	Lines    int           `json:"lines"`
	Bytes    int           `json:"bytes"` // of the text, which spans count in
	Digest   digest.Digest `json:"digest"`
}

// Type is the source's type among the artifacts of a spec: doc or chat.
func (d Document) Type() string {
	if d.Shape == Chat {
		return "chat"
	}
	return "doc"
}

// Shape says how a source is written.
type Shape string

const (
	Sentence Shape = "sentence" // one short paragraph without any structure
	Chat     Shape = "chat"
	Text     Shape = "document"
)

// Language is the language most of the text is written in.
type Language string

const (
	English Language = "en"
	Chinese Language = "zh"
	Russian Language = "ru"
)

// Field says what a piece is.
type Field string

const (
	Title      Field = "title"
	Background Field = "background"
	Goal       Field = "goal"
	NonGoal    Field = "non_goal"
	Criterion  Field = "criterion"
	Story      Field = "story"
	Task       Field = "task"
	Constraint Field = "constraint"
	Assumption Field = "assumption"
	Other      Field = "text"
)

// Piece is a part of a source, word for word.
type Piece struct {
	Field   Field  `json:"field"`
	Text    string `json:"text"`
	Label   string `json:"label,omitempty"`   // the number its writer gave it: AC-3, T-1
	Speaker string `json:"speaker,omitempty"` // who wrote it, in a chat
	Implied bool   `json:"implied,omitempty"` // nothing names it so: a lone sentence is taken for the goal
	Parts   []Part `json:"parts,omitempty"`   // what was written beside it, such as how to test a criterion
	Span    Span   `json:"span"`
}

// Part is what its writer gave beside a piece: a column of the same table row, or a line that says how to test it.
type Part struct {
	Name PartName `json:"name"`
	Text string   `json:"text"`
	Span Span     `json:"span"`
}

// PartName says what a part is, in the words of a spec.
type PartName string

const (
	PartHint         PartName = "test_hint"
	PartType         PartName = "type"
	PartScope        PartName = "scope"
	PartOwner        PartName = "owner_role"
	PartEstimate     PartName = "estimate"
	PartDeliverables PartName = "deliverables"
	PartDependencies PartName = "dependencies"
)

// Part gives the part of that name, or nothing.
func (p Piece) Part(name PartName) string {
	for _, part := range p.Parts {
		if part.Name == name {
			return part.Text
		}
	}
	return ""
}

// Span is where a piece stands. Offsets count bytes of the source's text as UTF-8 without a byte order mark, which for
// every source but UTF-16 are the bytes of the file after its mark.
type Span struct {
	Source    int           `json:"source"` // index into Result.Sources
	Ref       string        `json:"ref"`    // doc://name#L20-L35
	Start     int           `json:"start"`
	End       int           `json:"end"`
	FirstLine int           `json:"first_line"`
	LastLine  int           `json:"last_line"`
	Digest    digest.Digest `json:"digest"`
	Excerpt   string        `json:"excerpt"` // the beginning of the piece, at most 500 characters
}

// All gives the pieces of a field, in order.
func (r Result) All(f Field) []Piece {
	var all []Piece
	for _, p := range r.Pieces {
		if p.Field == f {
			all = append(all, p)
		}
	}
	return all
}

// First gives the first piece of a field.
func (r Result) First(f Field) (Piece, bool) {
	for _, p := range r.Pieces {
		if p.Field == f {
			return p, true
		}
	}
	return Piece{}, false
}
