package cli

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"sluice/internal/termtext"
)

func isUnsafe(r rune) bool { return termtext.IsUnsafe(r) }

// clean makes foreign text one harmless line.
func clean(s string) string { return termtext.Line(s) }

// cleanBlock makes foreign text harmless and keeps its lines.
func cleanBlock(s string) string { return termtext.Block(s) }

func columns(s string) int { return termtext.Columns(s) }

func cut(s string, width int) string { return termtext.Cut(s, width) }

func pad(s string, width int) string { return termtext.Pad(s, width) }

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

func count(n int, noun string) string { return termtext.Count(n, noun) }

func thousands(n int) string { return termtext.Thousands(n) }

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
