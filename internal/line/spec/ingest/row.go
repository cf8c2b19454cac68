package ingest

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// row is one line of a text, without its end: text[start:end].
type row struct{ start, end int32 }

// split finds the lines of a text, whatever ends them: LF, CR LF or CR.
func split(text string) []row {
	rows := make([]row, 0, 1+strings.Count(text, "\n"))
	start := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\r':
			rows = append(rows, row{int32(start), int32(i)})
			if i+1 < len(text) && text[i+1] == '\n' {
				i++
			}
			start = i + 1
		case '\n':
			rows = append(rows, row{int32(start), int32(i)})
			start = i + 1
		}
	}
	if start < len(text) {
		rows = append(rows, row{int32(start), int32(len(text))})
	}
	return rows
}

// extent is a stretch of text on known lines.
type extent struct {
	start, end  int // bytes
	first, last int // rows
}

func (e extent) isEmpty() bool { return e.start >= e.end }

// trim narrows a stretch to what is not space. Lines stay: it is used within one.
func trim(text string, start, end int) (int, int) {
	part := text[start:end]
	left := len(part) - len(strings.TrimLeftFunc(part, unicode.IsSpace))
	if left == len(part) {
		return start, start
	}
	return start + left, start + len(strings.TrimRightFunc(part, unicode.IsSpace))
}

// unwrap narrows a stretch that stands whole in emphasis or quotation marks.
func unwrap(text string, start, end int) (int, int) {
	for _, mark := range []string{"**", "__", "*", "_", "`", "\"", "'"} {
		if end-start > 2*len(mark) && text[start:start+len(mark)] == mark && text[end-len(mark):end] == mark &&
			!strings.Contains(text[start+len(mark):end-len(mark)], mark) {
			return trim(text, start+len(mark), end-len(mark))
		}
	}
	return start, end
}

// heading gives the level of a Markdown heading and the stretch of its words; level 0 is none.
func heading(text string, start, end int) (level, from, to int) {
	for level = 0; start+level < end && text[start+level] == '#'; level++ {
	}
	if level == 0 || level > 6 || start+level < end && text[start+level] != ' ' && text[start+level] != '\t' &&
		text[start+level] < utf8.RuneSelf { // Chinese writers often leave out the space
		return 0, 0, 0
	}
	from, to = trim(text, start+level, end)
	if cut := strings.TrimRight(text[from:to], "#"); strings.HasSuffix(cut, " ") {
		from, to = trim(text, from, from+len(cut))
	}
	from, to = unwrap(text, from, to)
	return level, from, to
}

// marker gives the length of a list marker with the spaces after it, and whether it is a number; 0 is none.
func marker(s string) (n int, isNumber bool) {
	r, size := utf8.DecodeRuneInString(s)
	switch {
	case size == 0:
		return 0, false
	case strings.ContainsRune("-*+•·–—◦▪●○■‣∙", r):
		n = size
	case r >= '①' && r <= '⑳', r >= '⑴' && r <= '⒇':
		n, isNumber = size, true
	default:
		if n = numberMarker(s); n == 0 {
			return 0, false
		}
		isNumber = true
	}
	spaces := blanks(s[n:])
	if spaces == 0 && (r < utf8.RuneSelf && !isNumber || isNumber && s[n-1] == '.') {
		return 0, false // -5 degrees, *emphasis*, 1.5 seconds
	}
	n += spaces
	return n + checkbox(s[n:]), isNumber
}

// numberMarker reads "1." "12)" "3、" "(4)" "（5）" "a)".
func numberMarker(s string) int {
	i := 0
	for _, open := range []string{"(", "（"} {
		if strings.HasPrefix(s, open) {
			i = len(open)
		}
	}
	digits := i
	for digits < len(s) && digits-i < 4 && s[digits] >= '0' && s[digits] <= '9' {
		digits++
	}
	if digits == i && i < len(s) && (s[i] >= 'a' && s[i] <= 'z') {
		digits++
	} else if digits == i {
		return 0
	}
	ends := []string{")", "）"}
	if i == 0 && s[0] <= '9' {
		ends = []string{".", ")", "、", "．", "）"}
	}
	for _, end := range ends {
		if strings.HasPrefix(s[digits:], end) {
			return digits + len(end)
		}
	}
	return 0
}

func checkbox(s string) int {
	for _, box := range []string{"[ ]", "[x]", "[X]", "[]", "☐", "☑", "✅", "✔"} {
		if strings.HasPrefix(s, box) {
			n := len(box)
			return n + blanks(s[n:])
		}
	}
	return 0
}

func blanks(s string) int {
	n := 0
	for n < len(s) && (s[n] == ' ' || s[n] == '\t') {
		n++
	}
	for strings.HasPrefix(s[n:], "\u3000") {
		n += len("\u3000")
	}
	return n
}

// indent is how far a line stands in, a tab to the next stop of four.
func indent(s string) int {
	n := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case ' ':
			n++
		case '\t':
			n += 4 - n%4
		default:
			return n
		}
	}
	return n
}

// isRule reports a line of three or more equal signs that divides, or underlines a heading.
func isRule(s string) bool {
	s = strings.TrimSpace(s)
	if len(s) < 3 || !strings.ContainsRune("-*_=", rune(s[0])) {
		return false
	}
	return strings.Trim(strings.ReplaceAll(s, " ", ""), s[:1]) == ""
}

// fence gives the marks that open a block of code, or nothing.
func fence(s string) string {
	for _, sign := range []string{"`", "~"} {
		if n := len(s) - len(strings.TrimLeft(s, sign)); n >= 3 {
			if sign == "`" && strings.Contains(s[n:], "`") {
				return ""
			}
			return s[:n]
		}
	}
	return ""
}
