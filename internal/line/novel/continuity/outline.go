package continuity

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sluice/internal/fault"
	"sluice/internal/line/novel/story"
)

// IsFlashback tells whether any of these texts says that it tells of an earlier time.
func IsFlashback(texts ...string) bool { return flashback.in(texts...) }

// Problem is one thing wrong with an outline, at a place as its JSON has it.
type Problem struct {
	Chapter int
	Place   string // chapters[2].dependencies[0]
	Message string
}

// CheckOutline finds chapters that build on themselves or on later ones, and times that run backwards without being marked
// as a flashback. Chapters are taken by their number, whatever order they stand in.
func CheckOutline(o story.Outline) []Problem {
	var found []Problem
	at := make([]int, len(o.Chapters))
	for i := range at {
		at[i] = i
	}
	slices.SortStableFunc(at, func(a, b int) int { return cmp.Compare(o.Chapters[a].ChapterNumber, o.Chapters[b].ChapterNumber) })
	var order Order
	for _, i := range at {
		found = append(found, order.take(i, o.Chapters[i])...)
	}
	return found
}

// Order is how far the time of an outline has come, for chapters that come a few at a time.
type Order struct{ clock timeline }

// After is the order behind chapters that come next, with what is wrong with them; places count from the first of these. The
// order before stays as it is.
func (o Order) After(next []story.OutlineChapter) (Order, []Problem) {
	o.clock.latest = maps.Clone(o.clock.latest)
	for key, list := range o.clock.latest { // a few ways of telling time each
		o.clock.latest[key] = slices.Clone(list)
	}
	var found []Problem
	for i, c := range next {
		found = append(found, o.take(i, c)...)
	}
	return o, found
}

func (o *Order) take(i int, c story.OutlineChapter) []Problem {
	found := dependencyProblems(i, c)
	if IsFlashback(c.TimelineAnchor, c.ChapterTitle, c.Summary) {
		return found
	}
	now := moment{chapter: c.ChapterNumber, text: c.TimelineAnchor, anchor: ParseAnchor(c.TimelineAnchor)}
	if before, isBackwards := o.clock.pass(now); isBackwards {
		found = append(found, Problem{c.ChapterNumber, fmt.Sprintf("chapters[%d].timeline_anchor", i), fmt.Sprintf(
			"chapter %d is at %q, before chapter %d at %q; time runs backwards only in a chapter that is marked as a flashback",
			c.ChapterNumber, short(c.TimelineAnchor), before.chapter, short(before.text))})
	}
	return found
}

func dependencyProblems(i int, c story.OutlineChapter) []Problem {
	var found []Problem
	for k, d := range c.Dependencies {
		if d.ChapterNumber != 0 && d.ChapterNumber >= c.ChapterNumber {
			found = append(found, Problem{c.ChapterNumber, fmt.Sprintf("chapters[%d].dependencies[%d]", i, k),
				fmt.Sprintf("chapter %d depends on chapter %d; only earlier chapters can be built on", c.ChapterNumber, d.ChapterNumber)})
		}
	}
	return found
}

// RefuseOutline is CheckOutline as one error, or nil. The subject is the outline's file.
func RefuseOutline(file string, o story.Outline) error {
	found := CheckOutline(o)
	if len(found) == 0 {
		return nil
	}
	const shown = 5
	var lines []string
	for _, p := range found[:min(shown, len(found))] {
		lines = append(lines, p.Place+": "+p.Message)
	}
	if more := len(found) - shown; more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	return fault.New(fault.BadValue, file, "%s", strings.Join(lines, "; "))
}

// moment is a time that something said.
type moment struct {
	chapter int
	text    string
	anchor  Anchor
}

// timeline remembers the latest moment of each way of telling time, by what it is told from.
type timeline struct{ latest map[string][]moment }

// pass goes on to a moment, and tells whether it lies certainly before one that was passed. What runs backwards does not
// move the clock.
func (t *timeline) pass(m moment) (before moment, isBackwards bool) {
	if !m.anchor.isSure {
		return moment{}, false
	}
	key := fmt.Sprint(m.anchor.lo.isCount, m.anchor.lo.frame)
	same := -1
	for i, other := range t.latest[key] { // one per set of units
		if other.anchor.lo.has == m.anchor.lo.has {
			same = i
		}
		if m.anchor.IsBefore(other.anchor) && (!isBackwards || before.anchor.IsBefore(other.anchor)) {
			before, isBackwards = other, true
		}
	}
	switch {
	case isBackwards:
	case same < 0:
		if t.latest == nil {
			t.latest = make(map[string][]moment)
		}
		t.latest[key] = append(t.latest[key], m)
	case compare(t.latest[key][same].anchor.lo, m.anchor.lo) < 0:
		t.latest[key][same] = m
	}
	return before, isBackwards
}

// short keeps a quotation within a line.
func short(s string) string {
	const limit = 60
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > limit {
		return string(r[:limit]) + "…"
	}
	return s
}
