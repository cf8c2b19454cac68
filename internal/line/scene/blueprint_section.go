package scene

import (
	"regexp"
	"strings"
)

// lineKind is what a line of Markdown is.
type lineKind string

const (
	kindHeading lineKind = "heading"
	kindItem    lineKind = "item"
	kindRow     lineKind = "row"
	kindText    lineKind = "text"
	kindBlank   lineKind = "blank"
)

// mdLine is one line as far as a blueprint cares.
type mdLine struct {
	kind  lineKind
	level int // of a heading; indent of an item
	text  string
	cells []string
	head  bool // the row names the columns
}

// section is one part with everything that was said under it.
type section struct {
	part   part
	label  string
	inline string // behind the label
	lines  []mdLine
}

var (
	itemLine  = regexp.MustCompile(`^(\s*)(?:[-*+•·‣–—]\s+|\d{1,3}[.)]\s+|\d{1,3}[、．]\s*|[（(]\d{1,3}[）)]\s*|[一二三四五六七八九十]{1,3}[、．]\s*)(.*)$`)
	checkMark = regexp.MustCompile(`^\[[ xX✓✔]?\]\s*`)
	ruleCells = regexp.MustCompile(`^[\s|:\-]+$`)
)

// scanMarkdown divides a document into lines. Front matter counts as labelled lines.
func scanMarkdown(source string) []mdLine {
	source = strings.TrimPrefix(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(source), "\ufeff")
	source = htmlComment.ReplaceAllString(source, "\n")
	front, body := cutFrontMatter(source)
	var out []mdLine
	for l := range strings.SplitSeq(front, "\n") {
		out = append(out, scanLine(l))
	}
	if front != "" {
		out = append(out, mdLine{kind: kindHeading, level: 1})
	}
	for l := range strings.SplitSeq(body, "\n") {
		trimmed := strings.TrimSpace(l)
		last := len(out) - 1
		switch {
		case fenceLine.MatchString(l):
		case len(trimmed) >= 3 && (strings.Trim(trimmed, "=") == "" || strings.Trim(trimmed, "-") == "") && last >= 0 && out[last].kind == kindText:
			level := 1
			if trimmed[0] == '-' {
				level = 2
			}
			out[last] = mdLine{kind: kindHeading, level: level, text: out[last].text}
		case strings.Contains(trimmed, "|") && strings.Contains(trimmed, "-") && ruleCells.MatchString(trimmed):
			if last >= 0 && out[last].kind == kindRow {
				out[last].head = true
			}
		case isRule(trimmed):
			out = append(out, mdLine{kind: kindBlank})
		default:
			out = append(out, scanLine(l))
		}
	}
	return out
}

func scanLine(l string) mdLine {
	trimmed := strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(l), "> "))
	if trimmed == "" {
		return mdLine{kind: kindBlank}
	}
	if level, title := headingOf(trimmed); level > 0 {
		return mdLine{kind: kindHeading, level: level, text: title}
	}
	if strings.HasPrefix(trimmed, "|") {
		var cells []string
		for cell := range strings.SplitSeq(strings.Trim(trimmed, "|"), "|") {
			cells = append(cells, strings.TrimSpace(cell))
		}
		return mdLine{kind: kindRow, cells: cells, text: strings.Join(cells, " ")}
	}
	if m := itemLine.FindStringSubmatch(strings.ReplaceAll(l, "\t", "    ")); m != nil && m[2] != "" {
		return mdLine{kind: kindItem, level: len(m[1]), text: checkMark.ReplaceAllString(strings.TrimSpace(m[2]), "")}
	}
	return mdLine{kind: kindText, text: trimmed}
}

// sectioner collects lines under the part that was named last.
type sectioner struct {
	out    []section
	open   bool // lines belong to the last section
	level  int  // of its heading; labelLevel for a label
	indent int  // of the item that was a label, -1 for none
}

const labelLevel = 100

// sectionsOf reads a document as the parts it names. What stands under other headings is kept as sections without part.
func sectionsOf(source string) []section {
	s := &sectioner{indent: -1}
	for _, l := range scanMarkdown(source) {
		s.add(l)
	}
	return s.out
}

func (s *sectioner) add(l mdLine) {
	switch l.kind {
	case kindHeading:
		s.heading(l)
	case kindRow:
		if p := partOf(l.cells[0]); p != "" && len(l.cells) > 1 && !l.head && !s.takesItems() {
			s.begin(p, l.cells[0], strings.Join(l.cells[1:], " "), labelLevel)
			return
		}
		s.content(l)
	case kindItem, kindText:
		s.line(l)
	case kindBlank:
		s.content(l)
	}
}

func (s *sectioner) heading(l mdLine) {
	title, inline := l.text, ""
	p := partOf(title)
	if label, rest, _, ok := splitLabel(title); p == "" && ok {
		if p = partOf(label); p != "" {
			title, inline = label, rest
		}
	}
	switch {
	case p != "":
		s.begin(p, title, inline, l.level)
	case s.open && s.level < l.level && s.out[len(s.out)-1].part != "":
		s.content(l)
	default:
		s.begin("", title, "", l.level)
	}
}

// takesItems tells that items of the open section are its own whatever they begin with: a beat may speak of a location.
func (s *sectioner) takesItems() bool {
	if !s.open || len(s.out) == 0 {
		return false
	}
	switch s.out[len(s.out)-1].part {
	case partBeats, partScope, partMechanics, partNoMechanic, partContinuity:
		return s.indent < 0
	}
	return false
}

func (s *sectioner) line(l mdLine) {
	label, rest, bold, ok := splitLabel(l.text)
	if ok && !(l.kind == kindItem && s.takesItems()) {
		if p := partOf(label); p != "" {
			s.begin(p, label, rest, labelLevel)
			if l.kind == kindItem {
				s.indent = l.level
			}
			return
		}
		if bold && s.level == labelLevel && l.kind == kindText {
			s.open = false // another label, which means nothing here
		}
	}
	if s.open && s.level == labelLevel {
		last := s.out[len(s.out)-1]
		full := last.inline != ""
		switch {
		case l.kind == kindText && full, l.kind == kindItem && s.indent >= 0 && l.level <= s.indent, l.kind == kindItem && full && s.indent < 0:
			s.open = false
		}
	}
	s.content(l)
}

func (s *sectioner) begin(p part, label, inline string, level int) {
	s.out = append(s.out, section{part: p, label: label, inline: inline})
	s.open, s.level, s.indent = true, level, -1
}

func (s *sectioner) content(l mdLine) {
	if !s.open || len(s.out) == 0 {
		return
	}
	last := &s.out[len(s.out)-1]
	last.lines = append(last.lines, l)
}

// items gives what a section lists: its items with what is nested in them, its rows, its sub-headings, or its
// paragraphs where it lists nothing.
func (s section) items() []string {
	var out []string
	if s.inline != "" {
		out = append(out, s.inline)
	}
	listed := false
	for _, l := range s.lines {
		listed = listed || l.kind == kindItem || l.kind == kindHeading || l.kind == kindRow && !l.head
	}
	base, under, blank, glue := -1, false, true, " "
	for _, l := range s.lines {
		switch {
		case l.kind == kindBlank:
			blank = true
			continue
		case l.kind == kindHeading:
			out, under, base, glue, blank = append(out, l.text), true, -1, " — ", false
			continue
		case l.kind == kindRow && !l.head:
			out = append(out, rowText(l.cells))
		case l.kind == kindItem && (base < 0 || l.level <= base) && !under:
			out, base = append(out, l.text), l.level
		case l.kind == kindItem && len(out) > 0, l.kind == kindText && listed && len(out) > 0 && (under || !blank):
			out[len(out)-1] += glue + l.text
		case l.kind == kindText && !listed:
			if blank || len(out) == 0 {
				out = append(out, l.text)
			} else {
				out[len(out)-1] += " " + l.text
			}
		}
		blank, glue = false, " "
	}
	for i := range out {
		out[i] = strings.TrimSpace(out[i])
	}
	return out
}

// rowText joins the cells of a row without the number that counts it.
func rowText(cells []string) string {
	if len(cells) > 1 && strings.Trim(cells[0], "0123456789. #") == "" {
		cells = cells[1:]
	}
	return strings.TrimSpace(strings.Join(cells, " "))
}
