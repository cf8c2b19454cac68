package ingest

import "strings"

// table reads a table that begins at a line and gives the row after it; the line itself where there is none.
func (w *walker) table(at place) int {
	if w.section.field.isBlock() || !strings.Contains(w.words(at), "|") || !w.isDelimiter(at.row+1) || w.heads != nil {
		return at.row
	}
	w.isStructured = true
	w.flush()
	columns := cells(w.text, at.start, at.end)
	last := at.row + 1
	for last+1 < len(w.rows) && strings.Contains(w.text[w.rows[last+1].start:w.rows[last+1].end], "|") {
		last++
	}
	f, main := w.subject(columns)
	for i := at.row + 2; i <= last; i++ {
		start, end := trim(w.text, int(w.rows[i].start), int(w.rows[i].end))
		line := place{row: i, start: start, end: end}
		switch row := cells(w.text, start, end); {
		case f != "" && main < len(row):
			w.tableRow(f, main, columns, row, i)
		case f == "" && len(columns) == 2 && len(row) == 2 && w.property(row, i):
		default:
			w.toOther(line)
		}
	}
	w.section.isTaken = true
	return last + 1
}

// subject says what the rows of a table are, by its section or by a column, and which column says it.
func (w *walker) subject(columns []extent) (Field, int) {
	f := w.section.field
	if !f.isList() {
		f = ""
		for _, c := range columns {
			if named, ok := sectionOf(w.text[c.start:c.end]); ok && (named == Criterion || named == Task || named == Story) {
				f = named
				break
			}
		}
		if f == "" {
			return "", 0
		}
	}
	best, rank := 0, 0
	for i, c := range columns {
		name := w.text[c.start:c.end]
		named, isSection := sectionOf(name)
		_, isText := lookUp(textWords, name)
		_, isNumber := lookUp(numberWords, name)
		_, isPart := lookUp(partWords, name)
		r := 1
		switch {
		case isSection && named == f:
			r = 4
		case isText && !(f == Task && isPart):
			r = 3
		case isNumber || isPart:
			r = 0
		default:
			r = 2
		}
		if r > rank {
			best, rank = i, r
		}
	}
	return f, best
}

func (w *walker) tableRow(f Field, main int, columns, row []extent, i int) {
	if row[main].isEmpty() {
		return
	}
	w.flushOther()
	p := Piece{Field: f, Speaker: w.speaker}
	for n, c := range row {
		if n == main || n >= len(columns) || c.isEmpty() {
			continue
		}
		c.first, c.last = i, i
		name := w.text[columns[n].start:columns[n].end]
		if _, isNumber := lookUp(numberWords, name); isNumber {
			p.Label = w.text[c.start:c.end]
		} else if part, ok := lookUp(partWords, name); ok {
			p.Parts = append(p.Parts, w.part(part, c))
		}
	}
	e := row[main]
	e.first, e.last = i, i
	if _, label, rest, ok := numbered(w.text[e.start:e.end]); ok && e.start+rest < e.end {
		p.Label = label
		e.start += rest
	}
	w.keep(p, e)
}

// property reads a row such as "| Goal | … |".
func (w *walker) property(row []extent, i int) bool {
	f, ok := sectionOf(w.text[row[0].start:row[0].end])
	if !ok || row[1].isEmpty() || f == Title && w.isTitled {
		return false
	}
	w.isTitled = w.isTitled || f == Title
	w.flushOther()
	w.keep(Piece{Field: f, Speaker: w.speaker}, extent{row[1].start, row[1].end, i, i})
	return true
}

// isDelimiter reports the line below the head of a table: | --- | :-: |.
func (w *walker) isDelimiter(i int) bool {
	if i >= len(w.rows) {
		return false
	}
	s := strings.TrimSpace(w.text[w.rows[i].start:w.rows[i].end])
	return strings.Contains(s, "-") && strings.Contains(s, "|") && strings.Trim(s, "|-: \t") == ""
}

// cells divides a line at its bars; one after a backslash is a sign like any other.
func cells(text string, start, end int) []extent {
	if start < end && text[start] == '|' {
		start++
	}
	if end > start && text[end-1] == '|' && (end < 2 || text[end-2] != '\\') {
		end--
	}
	var all []extent
	from := start
	for i := start; i <= end; i++ {
		if i < end && (text[i] != '|' || i > start && text[i-1] == '\\') {
			continue
		}
		a, b := trim(text, from, i)
		all = append(all, extent{start: a, end: b})
		from = i + 1
	}
	return all
}
