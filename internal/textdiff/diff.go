package textdiff

import "strings"

// Op is what becomes of a piece of text.
type Op string

const (
	Equal  Op = "equal"
	Delete Op = "delete"
	Insert Op = "insert"
)

// Edit is a piece of text that both have, or one of them. Where both a deletion and an insertion stand, the deletion
// comes first.
type Edit struct {
	Op   Op     `json:"op"`
	Text string `json:"text"`
}

// Words says how to come from one text to the other. The pieces that are equal or deleted make up the first, those that
// are equal or inserted the second.
func Words(from, to string) []Edit {
	if from == to {
		if from == "" {
			return nil
		}
		return []Edit{{Equal, from}}
	}
	d := newDiffer(Tokens(from), Tokens(to))
	d.byLines()
	return tidy(d.edits())
}

// differ marks what of two sequences of tokens is not in the other.
type differ struct {
	a, b       []string
	x, y       []int32 // the tokens by number: equal ones have the same
	gone, come []bool
	budget     int // steps that may still be taken
}

// maxSteps bounds the work on one pair of texts, maxEdits the differences looked for in one stretch.
const (
	maxSteps = 60_000_000
	maxEdits = 1500
)

func newDiffer(a, b []string) *differ {
	d := &differ{a: a, b: b, gone: make([]bool, len(a)), come: make([]bool, len(b)), budget: maxSteps}
	known := make(map[string]int32, len(a))
	number := func(tokens []string) []int32 {
		out := make([]int32, len(tokens))
		for i, t := range tokens {
			n, ok := known[t]
			if !ok {
				n = int32(len(known))
				known[t] = n
			}
			out[i] = n
		}
		return out
	}
	d.x, d.y = number(a), number(b)
	return d
}

// span is a stretch of both sequences.
type span struct{ alo, ahi, blo, bhi int }

// byLines holds on to lines that occur once in both and compares what is between them.
func (d *differ) byLines() {
	la, lb := lineStarts(d.a), lineStarts(d.b)
	known := map[string]int32{}
	ids := func(tokens []string, starts []int) []int32 {
		out := make([]int32, len(starts)-1)
		for i := range out {
			line := strings.Join(tokens[starts[i]:starts[i+1]], "")
			n, ok := known[line]
			if !ok {
				n = int32(len(known))
				known[line] = n
			}
			out[i] = n
		}
		return out
	}
	at := span{}
	for _, m := range anchors(ids(d.a, la), ids(d.b, lb)) {
		at.ahi, at.bhi = la[m.a], lb[m.b]
		d.words(at, 0)
		at.alo, at.blo = la[m.a+1], lb[m.b+1]
	}
	at.ahi, at.bhi = len(d.a), len(d.b)
	d.words(at, 0)
}

// lineStarts gives where lines begin, and the end.
func lineStarts(tokens []string) []int {
	starts := []int{0}
	for i, t := range tokens {
		if t == "\n" && i+1 < len(tokens) {
			starts = append(starts, i+1)
		}
	}
	return append(starts, len(tokens))
}

// words compares a stretch token by token. One that has too little in common for that is cut at words that occur once in
// both, and what has none of them is exchanged as a whole.
func (d *differ) words(s span, depth int) {
	for s.alo < s.ahi && s.blo < s.bhi && d.x[s.alo] == d.y[s.blo] {
		s.alo, s.blo = s.alo+1, s.blo+1
	}
	for s.alo < s.ahi && s.blo < s.bhi && d.x[s.ahi-1] == d.y[s.bhi-1] {
		s.ahi, s.bhi = s.ahi-1, s.bhi-1
	}
	if s.alo == s.ahi || s.blo == s.bhi {
		d.exchange(s)
		return
	}
	if d.shortest(s) {
		return
	}
	const deepest = 8
	found := anchors(d.x[s.alo:s.ahi], d.y[s.blo:s.bhi])
	if len(found) == 0 || depth == deepest {
		d.exchange(s)
		return
	}
	at := span{alo: s.alo, blo: s.blo}
	for _, m := range found {
		at.ahi, at.bhi = s.alo+m.a, s.blo+m.b
		d.words(at, depth+1)
		at.alo, at.blo = at.ahi+1, at.bhi+1
	}
	at.ahi, at.bhi = s.ahi, s.bhi
	d.words(at, depth+1)
}

// exchange marks all of a stretch.
func (d *differ) exchange(s span) {
	for i := s.alo; i < s.ahi; i++ {
		d.gone[i] = true
	}
	for i := s.blo; i < s.bhi; i++ {
		d.come[i] = true
	}
}

// edits joins the marks into pieces.
func (d *differ) edits() []Edit {
	var all []Edit
	i, j := 0, 0
	for i < len(d.a) || j < len(d.b) {
		var gone, come, same strings.Builder
		for i < len(d.a) && d.gone[i] {
			gone.WriteString(d.a[i])
			i++
		}
		for j < len(d.b) && d.come[j] {
			come.WriteString(d.b[j])
			j++
		}
		for i < len(d.a) && j < len(d.b) && !d.gone[i] && !d.come[j] {
			same.WriteString(d.a[i])
			i, j = i+1, j+1
		}
		all = add(all, Delete, gone.String())
		all = add(all, Insert, come.String())
		all = add(all, Equal, same.String())
	}
	return all
}

func add(all []Edit, op Op, text string) []Edit {
	if text == "" {
		return all
	}
	return append(all, Edit{op, text})
}

// tidy joins changes that only spaces keep apart: two words that were exchanged read better as one exchange.
func tidy(edits []Edit) []Edit {
	var all []Edit
	for i := 0; i < len(edits); {
		if edits[i].Op == Equal {
			all = append(all, edits[i])
			i++
			continue
		}
		var gone, come strings.Builder
		for i < len(edits) {
			isBridge := edits[i].Op == Equal && i+1 < len(edits) && gone.Len() > 0 && come.Len() > 0 &&
				strings.TrimLeft(edits[i].Text, " \t\u3000") == "" && exchanges(edits[i+1:])
			if edits[i].Op == Equal && !isBridge {
				break
			}
			if edits[i].Op != Insert {
				gone.WriteString(edits[i].Text)
			}
			if edits[i].Op != Delete {
				come.WriteString(edits[i].Text)
			}
			i++
		}
		all = add(all, Delete, gone.String())
		all = add(all, Insert, come.String())
	}
	return all
}

// exchanges says that both a deletion and an insertion come first.
func exchanges(edits []Edit) bool {
	return len(edits) > 1 && edits[0].Op == Delete && edits[1].Op == Insert
}
