package cli

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// isUnsafe tells of characters that a terminal obeys instead of showing them: controls, and marks that turn the
// direction of text so that it reads as something else.
func isUnsafe(r rune) bool {
	switch {
	case unicode.IsControl(r), r == '\u061c', r == '\u2028', r == '\u2029':
		return true
	case r >= '\u200e' && r <= '\u200f', r >= '\u202a' && r <= '\u202e', r >= '\u2066' && r <= '\u2069', r == '\ufeff':
		return true
	}
	return false
}

// clean makes foreign text one harmless line.
func clean(s string) string { return harmless(s, false) }

// cleanBlock makes foreign text harmless and keeps its lines.
func cleanBlock(s string) string { return harmless(s, true) }

func harmless(s string, keepLines bool) string {
	if !strings.ContainsFunc(s, isUnsafe) && utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for _, r := range strings.ReplaceAll(s, "\r\n", "\n") {
		switch {
		case (r == '\n' || r == '\t') && keepLines:
			b.WriteRune(r)
		case r == '\n' || r == '\t':
			b.WriteByte(' ')
		case r < 0x100 && isUnsafe(r):
			fmt.Fprintf(&b, `\x%02x`, r)
		case isUnsafe(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// wide are the ranges of characters that take two columns.
var wide = [][2]rune{
	{0x1100, 0x115f}, {0x2329, 0x232a}, {0x2e80, 0x303e}, {0x3041, 0x33ff}, {0x3400, 0x4dbf}, {0x4e00, 0x9fff},
	{0xa000, 0xa4cf}, {0xa960, 0xa97f}, {0xac00, 0xd7a3}, {0xf900, 0xfaff}, {0xfe10, 0xfe19}, {0xfe30, 0xfe6f},
	{0xff00, 0xff60}, {0xffe0, 0xffe6}, {0x1f300, 0x1f64f}, {0x1f680, 0x1f6ff}, {0x1f900, 0x1f9ff}, {0x20000, 0x3fffd},
}

func runeWidth(r rune) int {
	if r < 0x300 {
		return 1
	}
	if unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) {
		return 0
	}
	for _, w := range wide {
		if r >= w[0] && r <= w[1] {
			return 2
		}
	}
	return 1
}

// columns counts how many columns a line takes.
func columns(s string) int {
	n := 0
	for _, r := range s {
		n += runeWidth(r)
	}
	return n
}

// cut shortens a line to a number of columns, of which the last shows that something is missing. 0 leaves it whole.
func cut(s string, width int) string {
	if width <= 0 || columns(s) <= width {
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

func pad(s string, width int) string { return s + strings.Repeat(" ", max(0, width-columns(s))) }

// table lays rows out in columns, the first row being the head. The last column takes what is left of the width.
func table(width int, rows ...[]string) string {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row[:len(row)-1] {
			widths[i] = max(widths[i], columns(cell))
		}
	}
	var b strings.Builder
	for _, row := range rows {
		line := ""
		for i, cell := range row[:len(row)-1] {
			line += pad(cell, widths[i]) + "  "
		}
		b.WriteString(strings.TrimRight(cut(line+row[len(row)-1], width), " ") + "\n")
	}
	return b.String()
}

// count renders a number with its noun: 1 run, 2 runs.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return thousands(n) + " " + noun + "s"
}

func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func bytesText(n int64) string {
	switch {
	case n < 1000:
		return strconv.FormatInt(n, 10) + " B"
	case n < 1000*1000:
		return fmt.Sprintf("%.1f KB", float64(n)/1000)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}

// ago says how long something has been so, in the largest unit that fits.
func ago(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return count(int(d/time.Minute), "minute") + " ago"
	case d < 48*time.Hour:
		return count(int(d/time.Hour), "hour") + " ago"
	}
	return count(int(d/(24*time.Hour)), "day") + " ago"
}

func timeText(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05Z") }

func elapsed(d time.Duration) string {
	if d < time.Minute {
		return strconv.Itoa(int(d/time.Second)) + "s"
	}
	return fmt.Sprintf("%dm%02ds", int(d/time.Minute), int(d/time.Second)%60)
}
