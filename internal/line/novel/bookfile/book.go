package bookfile

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"sluice/internal/fault"
	"sluice/internal/line/novel/story"
)

// Format is a kind of file that a book can be exported to.
type Format string

const (
	Text     Format = "txt"
	Markdown Format = "md"
	EPUB     Format = "epub"
	JSON     Format = "json"
)

// Formats lists them all.
func Formats() []Format { return []Format{Text, Markdown, EPUB, JSON} }

// ParseFormat reads the word for a format, which is also the ending of its files.
func ParseFormat(word string) (Format, error) {
	if f := Format(word); slices.Contains(Formats(), f) {
		return f, nil
	}
	return "", fault.New(fault.BadValue, "format", "format %.40q is not txt, md, epub or json", word)
}

// Book is all that an export is made of. Text comes from chapters alone.
type Book struct {
	Project   string // its name; the identifier of an EPUB comes from it and stays when the text changes
	Title     string // empty means the project's name
	Author    string
	Language  string // BCP 47
	Chapters  []story.GeneratedChapter
	Cover     []byte    // PNG or JPEG, for EPUB; empty means none
	Rehearsal bool      // the text came from the rehearsal model, and says so
	Rehearsed []int     // of a book that is not rehearsed as a whole: the chapters whose text is, ascending
	Modified  time.Time // when the newest of the text was made
}

// New is the book of a project with these settings.
func New(s story.Settings, chapters []story.GeneratedChapter) Book {
	return Book{Project: s.ProjectName, Title: s.Title, Author: s.Author, Language: s.Language, Chapters: chapters}
}

// Render gives the bytes of an export, chapters by their number. A book without any chapter is refused.
func Render(b Book, f Format) ([]byte, error) {
	if len(b.Chapters) == 0 {
		return nil, fault.New(fault.MissingPrerequisite, b.Project, "book %s has no written chapter to export", b.Project).
			With(fault.Action{Action: "run", Command: "sluice novel run " + b.Project, Why: "chapters are written first"})
	}
	b.Chapters = slices.SortedStableFunc(slices.Values(b.Chapters), func(x, y story.GeneratedChapter) int {
		return x.ChapterNumber - y.ChapterNumber
	})
	if b.Title = line(b.Title); b.Title == "" {
		b.Title = line(b.Project)
	}
	b.Author = line(b.Author)
	switch t := tongueOf(b.Language); f {
	case Text:
		return []byte(plainText(b, t)), nil
	case Markdown:
		return []byte(markdown(b, t)), nil
	case EPUB:
		return epub(b, t)
	case JSON:
		return document(b, t)
	}
	return nil, fault.New(fault.BadValue, "format", "format %.40q is not txt, md, epub or json", string(f))
}

// label says what of the book was only rehearsed: all of it, or the chapters it lists. Empty means none.
func (b Book) label(t tongue) string {
	switch {
	case b.Rehearsal:
		return t.rehearsal
	case len(b.Rehearsed) == 0:
		return ""
	}
	return t.rehearsal + " (" + b.rehearsedList() + ")"
}

func (b Book) rehearsedList() string {
	all := make([]string, len(b.Rehearsed))
	for i, n := range b.Rehearsed {
		all[i] = strconv.Itoa(n)
	}
	return strings.Join(all, ", ")
}

// isRehearsed tells whether a chapter carries the label by itself.
func (b Book) isRehearsed(chapter int) bool { return slices.Contains(b.Rehearsed, chapter) }

// jsonBook is the JSON export: chapters as they stand in their own files.
type jsonBook struct {
	Project   string                   `json:"project_name"`
	Title     string                   `json:"title"`
	Author    string                   `json:"author,omitempty"`
	Language  string                   `json:"language"`
	Rehearsal bool                     `json:"rehearsal,omitempty"`
	Rehearsed []int                    `json:"rehearsal_chapters,omitempty"`
	Label     string                   `json:"label,omitempty"`
	Words     int                      `json:"total_words"`
	Chapters  []story.GeneratedChapter `json:"chapters"`
}

// document is data for programs: the text is kept as it is.
func document(b Book, t tongue) ([]byte, error) {
	doc := jsonBook{Project: b.Project, Title: b.Title, Author: b.Author, Language: t.tag, Rehearsal: b.Rehearsal, Rehearsed: b.Rehearsed, Chapters: b.Chapters}
	doc.Label = b.label(t)
	for i := range doc.Chapters { // the slice is a copy; scenes are only read
		c := &doc.Chapters[i]
		if c.Scenes == nil {
			c.Scenes = []story.GeneratedScene{}
		}
		doc.Words += c.TotalWords
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(doc); err != nil {
		return nil, fault.Wrap(fault.Unexpected, b.Project, err, "book %s does not encode", b.Project)
	}
	return out.Bytes(), nil
}
