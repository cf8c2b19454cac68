package ingest

import (
	"strings"
	"unicode/utf8"
)

// walker goes through the lines of one source once and knows which part of a requirement it is in.
type walker struct {
	*collector
	rows  []row
	heads map[int]head // where messages begin; none outside a chat

	base, section section // of the last heading, and of the last heading or label
	open          *gathered
	other         remainder
	speaker       string
	fence         string // the marks that close the block of code it is in
	isComment     bool
	gap           bool // a blank line came just before
	isTitled      bool
	isStructured  bool // something was seen that a sentence has not
	isBegun       bool // something was written before
}

// section is the part of a requirement that a heading or a label opened.
type section struct {
	field   Field
	level   int  // of the heading
	isLabel bool // "Goal:" in running text: it ends with the paragraph or list after it
	isBare  bool // a heading by its words alone: text after its list is no part of it
	isTaken bool // something was found in it
	bullet  int  // how far in its own label stands as an item of a list, counted from 1; 0 is none
}

// isBlock reports fields whose section is one piece, whatever it holds.
func (f Field) isBlock() bool { return f == Goal || f == Background || f == Title }

// isList reports fields of which every item is a piece.
func (f Field) isList() bool { return f != "" && !f.isBlock() && f != Other }

// gathered is a piece whose end is not known yet.
type gathered struct {
	extent
	field  Field
	label  string
	indent int  // lines that stand further in belong to it, after a gap too
	isItem bool // of a list; otherwise a block or a paragraph
}

// boldLevel is the level of a line in bold letters: deeper than any heading.
const boldLevel = 7

func (w *walker) walk() {
	for i := w.frontMatter(); i < len(w.rows); {
		i = w.line(i)
	}
	w.flush()
	w.flushOther()
}

// line reads one row and gives the next to read.
func (w *walker) line(i int) int {
	r := w.rows[i]
	from := int(r.start)
	if h, ok := w.heads[i]; ok && w.fence == "" {
		w.message(h)
		from += h.body
	}
	start, end := trim(w.text, from, int(r.end))
	if start == end {
		w.blank()
		return i + 1
	}
	at := place{row: i, start: start, end: end, indent: indent(w.text[from:start])}
	next := w.written(at)
	w.gap, w.isBegun = false, true
	return next
}

// place is a line that holds something.
type place struct{ row, start, end, indent int }

func (w *walker) words(at place) string { return w.text[at.start:at.end] }

func (w *walker) blank() {
	w.gap = true
	if w.open != nil && !w.open.isItem && !w.open.field.isBlock() {
		w.flush()
	}
}

// message begins what somebody says. A label that waits for its words waits on while the same person speaks.
func (w *walker) message(h head) {
	w.flush()
	w.flushOther()
	waits := w.section.isLabel && !w.section.isTaken && h.speaker == w.speaker
	if !waits {
		w.base, w.section = section{}, section{}
	}
	w.speaker, w.gap = h.speaker, false
}

func (w *walker) written(at place) int {
	s := w.words(at)
	if w.isCode(at) || w.isRemark(at) {
		return at.row + 1
	}
	if level, from, to := heading(w.text, at.start, at.end); level > 0 {
		w.heading(at, level, from, to)
		return at.row + 1
	}
	if level := w.underlined(at); level > 0 {
		w.heading(at, level, at.start, at.end)
		return at.row + 2
	}
	if isRule(s) {
		w.flush()
		return at.row + 1
	}
	if next := w.table(at); next > at.row {
		return next
	}
	if strings.HasPrefix(s, ">") && !w.section.field.isBlock() {
		w.isStructured = true
		w.flush()
		w.toOther(at)
		return at.row + 1
	}
	n, isNumber := marker(s)
	switch {
	case w.numberedLine(at, n), w.bareHeading(at, n, isNumber), w.labelLine(at, n):
	case n > 0:
		w.item(at, n)
	default:
		w.prose(at)
	}
	return at.row + 1
}

// isCode reads blocks of code as they are: nothing in them names a part.
func (w *walker) isCode(at place) bool {
	s := w.words(at)
	if w.fence == "" {
		if w.fence = fence(s); w.fence == "" {
			return false
		}
		w.isStructured = true
	} else if strings.HasPrefix(s, w.fence) && strings.Trim(s, w.fence[:1]) == "" {
		w.fence = ""
	}
	switch {
	case w.open != nil && (!w.gap || w.open.field.isBlock() || at.indent > w.open.indent):
		w.extend(at)
	case w.section.field.isBlock():
		w.begin(at, gathered{field: w.section.field})
	default:
		w.flush()
		w.toOther(at)
	}
	return true
}

// isRemark leaves out comments, which templates are full of.
func (w *walker) isRemark(at place) bool {
	s := w.words(at)
	if !w.isComment && !strings.HasPrefix(s, "<!--") {
		return false
	}
	w.isComment = !strings.Contains(s, "-->")
	if w.open == nil {
		w.toOther(at)
	}
	return true
}

// underlined gives the level of a heading that the next line underlines.
func (w *walker) underlined(at place) int {
	if at.row+1 >= len(w.rows) || w.open != nil && !w.gap || at.indent > 3 || at.end-at.start > 400 {
		return 0
	}
	if _, begins := w.heads[at.row+1]; begins {
		return 0
	}
	if n, _ := marker(w.words(at)); n > 0 {
		return 0
	}
	below := w.rows[at.row+1]
	line := strings.TrimRight(w.text[below.start:below.end], " \t")
	switch {
	case len(line) < 3:
		return 0
	case strings.Trim(line, "=") == "":
		return 1
	case strings.Trim(line, "-") == "":
		return 2
	}
	return 0
}

// heading opens the section it names. The first one that names none is the title; one further in than a section with
// several pieces only divides it.
func (w *walker) heading(at place, level, from, to int) {
	w.isStructured = true
	words := w.text[from:to]
	if f, name, rest, ok := numbered(words); ok {
		w.flush()
		w.begin(at, gathered{field: f, label: name, indent: -1, isItem: true})
		w.open.start = from + rest
		return
	}
	if name, rest, ok := label(words); ok && rest < len(words) {
		if f, known := sectionOf(name); known {
			w.enter(section{field: f, level: level})
			w.begin(at, gathered{field: f, isItem: f.isList(), indent: at.indent})
			w.open.start, w.open.end = from+rest, to
			return
		}
	}
	if f, known := sectionOf(words); known {
		w.enter(section{field: f, level: level})
		return
	}
	if !w.isTitled && (level == 1 || !w.isBegun) && w.heads == nil {
		w.enter(section{})
		w.isTitled = true
		w.keep(Piece{Field: Title}, extent{from, to, at.row, at.row})
		return
	}
	w.divide(at, level)
}

// divide takes a heading that names nothing.
func (w *walker) divide(at place, level int) {
	isInside := w.base.level > 0 && level > w.base.level && w.base.field != Goal && w.base.field != Title
	switch {
	case isInside && w.base.field == Background && w.open != nil:
		w.extend(at)
	case isInside:
		w.flush()
		w.section = w.base
		w.toOther(at)
	default:
		w.flush()
		w.base, w.section = section{}, section{}
		w.toOther(at)
	}
}

// enter ends what was open and begins a section.
func (w *walker) enter(s section) {
	w.flush()
	w.flushOther()
	w.base, w.section = s, s
}

// bareHeading reads a line that is nothing but the name of a part: "Acceptance criteria", "三、目标", "**Цель**".
func (w *walker) bareHeading(at place, n int, isNumber bool) bool {
	if n > 0 && !isNumber || at.indent > 3 || w.open != nil && w.open.isItem && at.indent > w.open.indent {
		return false
	}
	s := w.words(at)
	isBold := strings.HasPrefix(s, "**") && strings.HasSuffix(s, "**") && utf8.RuneCountInString(cut(s, 400)) <= longestName
	if f, known := sectionOf(s); known && isName(s) {
		level := 2
		if isBold {
			level = boldLevel
		}
		w.isStructured = true
		w.enter(section{field: f, level: level, isBare: !isBold})
		return true
	}
	if isBold && n == 0 && strings.Count(s, "**") == 2 && len(s) > 4 {
		w.isStructured = true
		w.divide(at, boldLevel)
		return true
	}
	return false
}

// isName tells the name of a part from a sentence of one word ("Why?") and from a label.
func isName(s string) bool {
	last, _ := utf8.DecodeLastRuneInString(s)
	return !strings.ContainsRune(":：?!.？！。;；,，", last) && !strings.ContainsAny(s, "\"“”«»")
}

// labelLine reads "Goal: …". Words after it are its piece; without any, what follows is.
func (w *walker) labelLine(at place, n int) bool {
	isOutline := w.section.bullet > 0 && at.indent < w.section.bullet // a list whose items are labels
	if n > 0 && w.section.field.isList() && !isOutline || w.open != nil && w.open.isItem && at.indent > w.open.indent {
		return false
	}
	name, rest, ok := label(w.text[at.start+n : at.end])
	if !ok {
		return false
	}
	f, known := sectionOf(name)
	if !known {
		return false
	}
	w.isStructured = true
	w.flush()
	w.flushOther()
	if n == 0 && f != w.base.field { // the writer has gone on to another part
		w.base = section{}
	}
	w.section = section{field: f, isLabel: true, level: w.base.level}
	if n > 0 {
		w.section.bullet = at.indent + 1
	}
	if from := at.start + n + rest; from < at.end {
		w.begin(at, gathered{field: f, isItem: f.isList(), indent: at.indent})
		w.open.start = from
	}
	return true
}

// numberedLine reads "AC-1: …" wherever it stands.
func (w *walker) numberedLine(at place, n int) bool {
	f, name, rest, ok := numbered(w.text[at.start+n : at.end])
	if !ok {
		return false
	}
	w.isStructured = true
	w.flush()
	w.begin(at, gathered{field: f, label: name, indent: at.indent, isItem: true})
	w.open.start = at.start + n + rest
	return true
}
