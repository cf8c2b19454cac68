package briefing

import (
	"fmt"
	"slices"
	"strings"

	"sluice/internal/line/novel/story"
	"sluice/internal/prompt"
)

// DefaultBudget holds where neither a person nor the settings say one.
const DefaultBudget = story.DefaultContextTokens

// Piece is one fenced part of a prompt.
type Piece struct {
	Label string
	Text  string
}

// part is a piece in the making: what could go in, the weightiest first, and how much of the budget it may take.
type part struct {
	key   string
	label string
	share int  // in hundredths of the budget; 0: it is the subject, whole and beside the budget
	near  bool // items lie farther and farther away: none is told more fully than one before it
	items []item
}

// item is one thing to tell, in its forms from the fullest to the shortest.
type item struct {
	name  string
	place int // in the piece, where that is not the order of weight
	size  int // of the whole, in tokens, where no form is whole
	forms []wording
	clips bool // cut to what is left rather than left out
}

type wording struct {
	form Form
	text string
	why  string // this form and not a fuller one, even where there is room
}

// whole is an item with one form.
func whole(name, text string) item {
	return item{name: name, forms: []wording{{form: Whole, text: text}}}
}

// clipped is an item that may take so many tokens.
func clipped(name, text string, limit int) item {
	text = strings.TrimSpace(text)
	it := item{name: name, size: Tokens(text), forms: []wording{{form: Whole, text: text}}, clips: true}
	if it.size > limit {
		it.forms[0] = wording{Short, clip(text, limit), fmt.Sprintf("longer than %d tokens", limit)}
	}
	return it
}

// fill gives each part its room, in the order of their weight, and puts them into the order of reading.
func fill(budget int, weighty []part, reading []string) ([]Piece, Account) {
	if budget <= 0 {
		budget = DefaultBudget
	}
	a := Account{Budget: budget}
	pieces := make(map[string][]Piece)
	entries := make(map[string][]Entry)
	for _, p := range weighty {
		if p.share == 0 {
			for _, it := range p.items {
				text := it.forms[0].text
				n := Tokens(prompt.Fence(it.name, text))
				a.Subject += n
				pieces[p.key] = append(pieces[p.key], Piece{it.name, text})
				entries[p.key] = append(entries[p.key], Entry{Piece: p.key, Item: it.name, Form: Whole, Tokens: n, Whole: n})
			}
			continue
		}
		room := min(budget*p.share/100, budget-a.Used)
		text, used, told := p.fit(room)
		entries[p.key] = told
		if text != "" {
			a.Used += used
			pieces[p.key] = []Piece{{p.label, text}}
		}
	}
	var out []Piece
	for _, key := range reading {
		out = append(out, pieces[key]...)
		a.Entries = append(a.Entries, entries[key]...)
	}
	return out, a
}

// fit writes a part into its room. Tokens are rounded up item by item, so the sum is never less than the whole takes.
func (p part) fit(room int) (text string, used int, told []Entry) {
	frame := Tokens(prompt.Fence(p.label, maxTicks)) + 1
	left, lowest := room-frame, 0
	type chosen struct {
		place int
		text  string
	}
	var kept []chosen
	for i, it := range p.items {
		if len(it.forms) == 0 || it.forms[0].text == "" {
			continue
		}
		w := it.choose(left, lowest, room)
		n := Tokens(w.text + "\n")
		e := Entry{Piece: p.key, Item: it.name, Form: w.form, Whole: max(it.size, Tokens(it.forms[0].text)), Why: w.why}
		if w.form != LeftOut {
			e.Tokens = n
			left -= n
			kept = append(kept, chosen{it.order(i), w.text})
		}
		if p.near {
			lowest = max(lowest, formRank[w.form])
		}
		told = append(told, e)
	}
	if len(kept) == 0 {
		return "", 0, told
	}
	slices.SortStableFunc(kept, func(a, b chosen) int { return a.place - b.place })
	lines := make([]string, 0, len(kept))
	for _, c := range kept {
		lines = append(lines, c.text)
	}
	return strings.Join(lines, "\n"), room - left, told
}

func (it item) order(i int) int {
	if it.place != 0 {
		return it.place
	}
	return i
}

// choose takes the fullest form that there is room for and that is not fuller than what lies nearer.
func (it item) choose(left, lowest, room int) wording {
	for i, w := range it.forms {
		w.text = fenceable(w.text)
		if formRank[w.form] < lowest || Tokens(w.text+"\n") > left {
			continue
		}
		if i > 0 && w.why == "" {
			w.why = noRoom(room)
		}
		return w
	}
	if it.clips && lowest < formRank[LeftOut] && left >= 20 {
		if text := clip(fenceable(it.forms[len(it.forms)-1].text), left-1); text != "" {
			return wording{Short, text, noRoom(room)}
		}
	}
	why := noRoom(room)
	if lowest == formRank[LeftOut] {
		why = "what lies nearer was left out"
	}
	return wording{form: LeftOut, why: why}
}

func noRoom(room int) string {
	return fmt.Sprintf("no room: this piece is held to %d tokens", max(0, room))
}
