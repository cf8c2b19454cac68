package watch

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"sluice/internal/kernel"
	"sluice/internal/termtext"
)

// row is one line of a screen. Its text is harmless already; a style never changes how many columns it takes.
type row struct {
	text  string
	style lipgloss.Style
}

// The looks of rows. They use the terminal's own sixteen colours, so that they can be read on every background.
var (
	plain    = lipgloss.NewStyle()
	bold     = lipgloss.NewStyle().Bold(true)
	faint    = lipgloss.NewStyle().Faint(true)
	chosen   = lipgloss.NewStyle().Reverse(true)
	alarming = lipgloss.NewStyle().Foreground(lipgloss.Red)
	pleasing = lipgloss.NewStyle().Foreground(lipgloss.Green)
	waiting  = lipgloss.NewStyle().Foreground(lipgloss.Yellow)
	lively   = lipgloss.NewStyle().Foreground(lipgloss.Cyan)
)

// statusLook gives the mark and the style of a node's status.
func statusLook(status string) (mark string, style lipgloss.Style) {
	switch kernel.Status(status) {
	case kernel.StatusRunning, kernel.StatusChecking:
		return "▸", lively
	case kernel.StatusAsking:
		return "?", waiting
	case kernel.StatusDone:
		return "✓", pleasing
	case kernel.StatusFailed, kernel.StatusBlocked:
		return "!", alarming
	case kernel.StatusAbandoned, kernel.StatusHeld:
		return "-", faint
	}
	return " ", plain
}

// render cuts each row to the width and the screen to the height.
func render(rows []row, width, height int) string {
	if len(rows) > height {
		rows = rows[:max(0, height)]
	}
	var b strings.Builder
	for i, r := range rows {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(r.style.Render(termtext.Cut(r.text, width)))
	}
	return b.String()
}

// beside joins two columns of rows; the left one takes so many columns.
func beside(left, right []row, columns, width, height int) string {
	var b strings.Builder
	for i := range height {
		if i > 0 {
			b.WriteByte('\n')
		}
		var l, r row
		if i < len(left) {
			l = left[i]
		}
		if i < len(right) {
			r = right[i]
		}
		b.WriteString(l.style.Render(termtext.Pad(termtext.Cut(l.text, columns), columns)))
		b.WriteString(faint.Render(" │ "))
		b.WriteString(r.style.Render(termtext.Cut(r.text, width-columns-3)))
	}
	return b.String()
}

// fill adds empty rows, so that what follows stands at the bottom.
func fill(rows []row, height int) []row {
	for len(rows) < height {
		rows = append(rows, row{})
	}
	return rows[:max(0, height)]
}

// window gives the first of the rows that are shown, so that the cursor is among them and no room is wasted.
func window(first, cursor, total, room int) int {
	if cursor < first {
		first = cursor
	}
	if cursor >= first+room {
		first = cursor - room + 1
	}
	return max(0, min(first, total-room))
}

// screen is a whole screen, on a page of its own, so that the terminal is as it was afterwards.
func screen(content string) tea.View {
	v := tea.NewView(content)
	v.AltScreen = true
	return v
}

// move is where a key takes a cursor, if it does.
func move(key string, at, total, page int) (int, bool) {
	switch key {
	case "up", "k":
		at--
	case "down", "j":
		at++
	case "pgup", "b", "ctrl+u":
		at -= page
	case "pgdown", "space", "ctrl+d":
		at += page
	case "home", "g":
		at = 0
	case "end", "G":
		at = total - 1
	default:
		return at, false
	}
	return max(0, min(at, total-1)), true
}

// matches tells whether a text has every word of a filter in it, in any case.
func matches(filter string, texts ...string) bool {
	all := strings.ToLower(strings.Join(texts, " "))
	for word := range strings.FieldsSeq(strings.ToLower(filter)) {
		if !strings.Contains(all, word) {
			return false
		}
	}
	return true
}
