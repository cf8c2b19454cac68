package briefing

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"sluice/internal/line/novel/story"
)

const (
	maxRecent = 40 // chapters told in full at most, whatever the settings say: more never fit a budget
	justOlder = 4  // chapters right before those, each of which is told in a line
)

// Reach says which chapters' memory a brief for a chapter can use: the last ones, those right before, then ever fewer
// with distance, and those that the outline has it build on. Its length grows with the logarithm of the book.
func Reach(s story.Settings, o story.Outline, number int) []int {
	want := make(map[int]bool)
	add := func(n int) {
		if n >= 1 && n < number {
			want[n] = true
		}
	}
	near := recentOf(s) + justOlder
	for d := 1; d <= near; d++ {
		add(number - d)
	}
	for step := 2; near+step < number; step *= 2 {
		add(number - near - step)
	}
	if c, ok := o.Chapter(number); ok {
		for _, d := range head(c.Dependencies, maxDependencies) {
			add(d.ChapterNumber)
		}
	}
	return slices.Sorted(maps.Keys(want))
}

func recentOf(s story.Settings) int { return max(0, min(s.MemoryContextChapters, maxRecent)) }

// upTo lists the memory of the chapters before one, ascending, one entry per chapter.
func (b Book) upTo(number int) []story.ChapterMemoryEntry {
	var list []story.ChapterMemoryEntry
	for _, m := range b.Memory {
		if m.ChapterNumber >= 1 && m.ChapterNumber < number {
			list = append(list, m)
		}
	}
	slices.SortStableFunc(list, func(a, b story.ChapterMemoryEntry) int { return a.ChapterNumber - b.ChapterNumber })
	return slices.CompactFunc(list, func(a, b story.ChapterMemoryEntry) bool { return a.ChapterNumber == b.ChapterNumber })
}

// memory tells what was written: the last chapters in full, those before in a line, the nearest first where there is
// little room.
func (b Book) memory(number, share int) part {
	p := part{key: "memory", label: "memory of what was written so far, oldest chapter first", share: share, near: true}
	list := b.upTo(number)
	recent := recentOf(b.Settings)
	for i := len(list) - 1; i >= 0; i-- {
		m, distance := list[i], len(list)-i
		it := item{name: fmt.Sprintf("memory of chapter %d", m.ChapterNumber), place: m.ChapterNumber, size: Tokens(memoryText(m, 1<<20))}
		switch {
		case distance <= recent:
			it.forms = memoryForms(m, it.size)
		case distance <= recent+justOlder:
			it.forms = []wording{{Line, memoryLine(m, 45), fmt.Sprintf("before the last %d chapters", recent)}}
		default:
			it.forms = []wording{{Line, memoryLine(m, 22), "long ago"}}
		}
		p.items = append(p.items, it)
	}
	return p
}

// maxMemory is what one entry may take; a model that writes more has not written a memory.
const maxMemory = 800

func memoryForms(m story.ChapterMemoryEntry, size int) []wording {
	full := wording{form: Whole, text: memoryText(m, 150)}
	if Tokens(full.text) > maxMemory {
		full = wording{Short, clip(full.text, maxMemory), fmt.Sprintf("longer than %d tokens", maxMemory)}
	} else if Tokens(full.text) < size {
		full = wording{Short, full.text, "a field is longer than 150 tokens"}
	}
	return []wording{full, {form: Short, text: memoryText(m, 60)}, {form: Line, text: memoryLine(m, 45)}}
}

// memoryText is an entry but for its open threads, which have a piece of their own; each field within a limit.
func memoryText(m story.ChapterMemoryEntry, limit int) string {
	var out strings.Builder
	fmt.Fprintf(&out, "chapter %d: %s", m.ChapterNumber, clip(oneLine(m.ChapterTitle), limit))
	add := func(name, text string) {
		if text = clip(oneLine(text), limit); text != "" {
			out.WriteString("\n  " + name + ": " + text)
		}
	}
	add("when", m.TimelineAnchor)
	add("where", m.LocationSummary)
	add("summary", m.Summary)
	for _, e := range m.KeyEvents {
		add("event", e)
	}
	for _, name := range slices.Sorted(maps.Keys(m.CharacterStates)) {
		add(oneLine(name), m.CharacterStates[name])
	}
	return out.String()
}

func memoryLine(m story.ChapterMemoryEntry, limit int) string {
	line := fmt.Sprintf("chapter %d", m.ChapterNumber)
	if m.TimelineAnchor != "" {
		line += " (" + clip(oneLine(m.TimelineAnchor), 8) + ")"
	}
	told := oneLine(m.Summary)
	if told == "" {
		told = strings.Join(flat(m.KeyEvents), "; ")
	}
	return clip(line+": "+told, limit)
}

// threads are the open questions: all of the newest entry, which carries over what is still open, then those of the other
// recent ones in case it did not.
func (b Book) threads(number, share int) part {
	p := part{key: "threads", label: "open threads", share: share, near: true}
	list := b.upTo(number)
	seen := make(map[string]bool)
	for i := len(list) - 1; i >= 0 && len(list)-i <= max(1, recentOf(b.Settings)); i-- {
		m := list[i]
		for _, t := range m.UnresolvedThreads {
			if t = oneLine(t); t == "" || seen[t] {
				continue
			}
			seen[t] = true
			text := "- " + clip(t, 60)
			if i < len(list)-1 {
				text += fmt.Sprintf(" (as of chapter %d; it may be closed since)", m.ChapterNumber)
			}
			p.items = append(p.items, item{name: fmt.Sprintf("thread of chapter %d", m.ChapterNumber), size: Tokens(t), forms: []wording{{form: Whole, text: text}}})
		}
	}
	return p
}

// last is the newest entry with everything it says, for whoever writes the next.
func (b Book) last(number, share int) part {
	p := part{key: "last", label: "memory entry of the chapter before", share: share}
	list := b.upTo(number)
	if len(list) == 0 {
		return p
	}
	m := list[len(list)-1]
	p.items = append(p.items, clipped(fmt.Sprintf("memory of chapter %d", m.ChapterNumber), memoryText(m, 150), 1000))
	for i, t := range flat(m.UnresolvedThreads) {
		p.items = append(p.items, clipped(fmt.Sprintf("thread %d", i+1), "  open: "+t, 60))
	}
	return p
}
