package termtext

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"
)

// IsUnsafe tells of characters that a terminal obeys instead of showing them: controls, and marks that turn the
// direction of text so that it reads as something else.
func IsUnsafe(r rune) bool {
	switch {
	case unicode.IsControl(r), r == '\u061c', r == '\u2028', r == '\u2029':
		return true
	case r >= '\u200e' && r <= '\u200f', r >= '\u202a' && r <= '\u202e', r >= '\u2066' && r <= '\u2069', r == '\ufeff':
		return true
	}
	return false
}

// Line makes foreign text one harmless line.
func Line(s string) string { return harmless(s, false) }

// Block makes foreign text harmless and keeps its lines.
func Block(s string) string { return harmless(s, true) }

func harmless(s string, keepLines bool) string {
	if !strings.ContainsFunc(s, IsUnsafe) && utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for _, r := range strings.ReplaceAll(s, "\r\n", "\n") {
		switch {
		case (r == '\n' || r == '\t') && keepLines:
			b.WriteRune(r)
		case r == '\n' || r == '\t':
			b.WriteByte(' ')
		case r < 0x100 && IsUnsafe(r):
			fmt.Fprintf(&b, `\x%02x`, r)
		case IsUnsafe(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func runeWidth(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// Columns counts how many columns a line takes. A picture that is put together from several characters counts as all of
// them, which is what most terminals show; where one shows less, a line is shorter than it may be, never longer.
func Columns(s string) int {
	n := 0
	for _, r := range s {
		n += runeWidth(r)
	}
	return n
}

// Cut shortens a line to a number of columns, of which the last shows that something is missing. 0 leaves it whole.
func Cut(s string, width int) string {
	if width <= 0 || Columns(s) <= width {
		return s
	}
	used := 0
	for i, r := range s {
		if used+runeWidth(r) > width-1 {
			return s[:i] + "…"
		}
		used += runeWidth(r)
	}
	return s
}

// Pad fills a line up with spaces.
func Pad(s string, width int) string { return s + strings.Repeat(" ", max(0, width-Columns(s))) }

// tab is how many columns a tab takes at most.
const tab = 4

// Wrap breaks text into lines of at most so many columns: at a space where there is one in the second half of the line,
// and anywhere in scripts and words that leave no choice. Lines of the text stay lines.
func Wrap(text string, columns int) []string {
	columns = max(2, columns)
	var lines []string
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		lines = wrapLine(lines, strings.ReplaceAll(line, "\t", strings.Repeat(" ", tab)), columns)
	}
	return lines
}

func wrapLine(lines []string, line string, columns int) []string {
	start, used, space := 0, 0, -1
	for i, r := range line {
		w := runeWidth(r)
		if used+w > columns {
			end := i
			switch {
			case r == ' ':
			case space > start+(i-start)/2:
				end = space
			}
			lines = append(lines, strings.TrimRight(line[start:end], " "))
			for start = end; start < i && line[start] == ' '; start++ {
			}
			used, space = Columns(line[start:i]), -1
		}
		if r == ' ' {
			if i == start && start > 0 { // the break takes the place of the space
				start = i + 1
				continue
			}
			space = i
		}
		used += w
	}
	return append(lines, strings.TrimRight(line[start:], " "))
}
