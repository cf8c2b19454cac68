package textdiff

import "strings"

// Hunk is a change with the lines around it.
type Hunk struct {
	FromLine int    `json:"from_line"` // where it begins in the first text, counted from 1
	ToLine   int    `json:"to_line"`   // likewise in the second
	Edits    []Edit `json:"edits"`
}

// Hunks cuts edits into changes with some lines of context. Equal text that is further away is left out.
func Hunks(edits []Edit, context int) []Hunk {
	var all []Hunk
	var open *Hunk
	from, to := 1, 1
	shut := func() {
		if open != nil {
			all = append(all, *open)
			open = nil
		}
	}
	for i, e := range edits {
		lines := strings.Count(e.Text, "\n")
		if e.Op != Equal {
			if open == nil {
				open = &Hunk{FromLine: from, ToLine: to}
			}
			open.Edits = append(open.Edits, e)
			if e.Op == Delete {
				from += lines
			} else {
				to += lines
			}
			continue
		}
		head, tail := 0, len(e.Text)
		if open != nil {
			head = firstLines(e.Text, context)
		}
		if i+1 < len(edits) {
			tail = lastLines(e.Text, context)
		}
		switch {
		case open != nil && head >= tail:
			open.Edits = append(open.Edits, e)
		default:
			if open != nil {
				open.Edits = add(open.Edits, Equal, e.Text[:head])
				shut()
			}
			if tail < len(e.Text) || i+1 < len(edits) {
				skipped := strings.Count(e.Text[:tail], "\n")
				open = &Hunk{FromLine: from + skipped, ToLine: to + skipped, Edits: add(nil, Equal, e.Text[tail:])}
			}
		}
		from, to = from+lines, to+lines
	}
	shut()
	return all
}

// firstLines is how much of a text the rest of its first line and n more lines take.
func firstLines(text string, n int) int {
	at := 0
	for range n + 1 {
		next := strings.IndexByte(text[at:], '\n')
		if next < 0 {
			return len(text)
		}
		at += next + 1
	}
	return at
}

// lastLines is where the beginning of the last line and the n lines before it begin.
func lastLines(text string, n int) int {
	at := len(text)
	for range n + 1 {
		next := strings.LastIndexByte(text[:at], '\n')
		if next < 0 {
			return 0
		}
		at = next
	}
	return at + 1
}

// Changed counts the words and characters that go and come, spaces aside.
func Changed(edits []Edit) (deleted, inserted int) {
	for _, e := range edits {
		if e.Op == Equal {
			continue
		}
		n := 0
		for _, t := range Tokens(e.Text) {
			if strings.TrimSpace(t) != "" {
				n++
			}
		}
		if e.Op == Delete {
			deleted += n
		} else {
			inserted += n
		}
	}
	return deleted, inserted
}
