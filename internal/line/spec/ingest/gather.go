package ingest

import "strings"

// item takes a line of a list.
func (w *walker) item(at place, n int) {
	w.isStructured = true
	if w.open != nil && w.open.isItem && at.indent > w.open.indent {
		w.extend(at)
		return
	}
	words := w.text[at.start+n : at.end]
	switch f := w.section.field; {
	case f.isBlock():
		w.continueBlock(at)
	case f.isList():
		w.flush()
		w.begin(at, gathered{field: f, indent: at.indent, isItem: true})
		w.open.start = at.start + n
	case isStory(words):
		w.flush()
		w.begin(at, gathered{field: Story, indent: at.indent, isItem: true})
		w.open.start = at.start + n
	default:
		w.flush()
		w.toOther(at)
	}
}

// prose takes a line of running text.
func (w *walker) prose(at place) {
	if w.open != nil && w.open.isItem && (!w.gap && !w.isProperty(at) || at.indent > w.open.indent) {
		w.extend(at)
		return
	}
	switch isListOver := w.open != nil && w.open.isItem; {
	case w.section.isLabel && w.section.isTaken && (w.gap || isListOver):
		w.flush()
		w.section = w.base
	case w.section.isBare && w.gap && isListOver:
		w.flush()
		w.base, w.section = section{}, section{}
	}
	switch f := w.section.field; {
	case f.isBlock():
		w.continueBlock(at)
	case w.open != nil && !w.gap:
		w.extend(at)
	case f.isList():
		w.flush()
		w.begin(at, gathered{field: f})
	case isStory(w.words(at)):
		w.flush()
		w.begin(at, gathered{field: Story})
	default:
		w.flush()
		w.toOther(at)
	}
}

// isProperty reports a line such as "Format: CSV" right below the list of a label: it is said beside the list.
func (w *walker) isProperty(at place) bool {
	if !w.section.isLabel || at.indent > w.open.indent {
		return false
	}
	name, rest, ok := label(w.words(at))
	return ok && rest < at.end-at.start && len(strings.Fields(name)) <= 3
}

func (w *walker) continueBlock(at place) {
	if w.open != nil && w.open.field == w.section.field {
		w.extend(at)
		return
	}
	w.flush()
	w.begin(at, gathered{field: w.section.field})
}

func (w *walker) begin(at place, g gathered) {
	w.flushOther()
	g.extent = extent{at.start, at.end, at.row, at.row}
	w.open = &g
	w.section.isTaken = true
}

func (w *walker) extend(at place) { w.open.end, w.open.last = at.end, at.row }

// flush keeps what was gathered.
func (w *walker) flush() {
	g := w.open
	if w.open = nil; g == nil {
		return
	}
	if g.start > g.end { // a number without words
		g.start = g.end
	}
	switch {
	case isPlaceholder(w.text[g.start:g.end]):
		w.leave(remainder{g.extent, w.speaker})
	case g.field == Title:
		w.flushTitle(g)
	case g.isItem:
		w.flushItem(g)
	case g.field.isList() && announces(w.text[g.start:g.end]):
		w.leave(remainder{g.extent, w.speaker})
	default:
		w.keep(Piece{Field: g.field, Speaker: w.speaker}, g.extent)
	}
}

// announces reports words such as "The following must hold:", which are no item themselves.
func announces(s string) bool { return strings.HasSuffix(s, ":") || strings.HasSuffix(s, "：") }

// isPlaceholder reports what templates and people write where nothing is written yet.
func isPlaceholder(s string) bool {
	if len(s) > longestName {
		return false
	}
	_, ok := placeholders[plain(s)]
	return ok
}

// flushTitle keeps the first line only: a title is one.
func (w *walker) flushTitle(g *gathered) {
	if w.isTitled {
		w.leave(remainder{g.extent, w.speaker})
		return
	}
	w.isTitled = true
	end := min(g.end, int(w.rows[g.first].end))
	start, end := trim(w.text, g.start, end)
	start, end = unwrap(w.text, start, end)
	w.keep(Piece{Field: Title, Speaker: w.speaker}, extent{start, end, g.first, g.first})
	if g.last > g.first {
		r := w.rows[g.first+1]
		from, _ := trim(w.text, int(r.start), g.end)
		w.leave(remainder{extent{from, g.end, g.first + 1, g.last}, w.speaker})
	}
}

// flushItem keeps an item; a line or remark at its end that says how to test it becomes a part.
func (w *walker) flushItem(g *gathered) {
	p := Piece{Field: g.field, Label: g.label, Speaker: w.speaker}
	e := g.extent
	hint, ok := w.hintLine(g)
	if !ok {
		hint, ok = w.hintRemark(g)
	}
	if ok && hint.cut > e.start {
		p.Parts = []Part{w.part(PartHint, hint.extent)}
		e.end, e.last = hint.cut, hint.row
	}
	w.keep(p, e)
}

// hint is where an item says how to test it, and where the item itself ends then.
type hint struct {
	extent
	cut, row int
}

// hintLine finds a line of its own, below the item, that holds to the item's end.
func (w *walker) hintLine(g *gathered) (hint, bool) {
	if g.field != Criterion {
		return hint{}, false
	}
	for i := g.first + 1; i <= g.last; i++ {
		r := w.rows[i]
		start, end := trim(w.text, int(r.start), int(r.end))
		n, _ := marker(w.text[start:end])
		name, rest, ok := label(w.text[start+n : end])
		if !ok || start+n+rest >= end {
			continue
		}
		if part, known := lookUp(partWords, name); !known || part != PartHint {
			continue
		}
		if w.hasItemAfter(i, g.last, indent(w.text[r.start:start])) {
			return hint{}, false
		}
		cut, row := w.lastBefore(g, i)
		return hint{extent{start + n + rest, g.end, i, g.last}, cut, row}, cut > g.start
	}
	return hint{}, false
}

func (w *walker) hasItemAfter(i, last, depth int) bool {
	for i++; i <= last; i++ {
		r := w.rows[i]
		start, end := trim(w.text, int(r.start), int(r.end))
		if n, _ := marker(w.text[start:end]); n > 0 && indent(w.text[r.start:start]) <= depth {
			return true
		}
	}
	return false
}

// lastBefore is the end of the item's last words above row i.
func (w *walker) lastBefore(g *gathered, i int) (end, row int) {
	for i--; i >= g.first; i-- {
		from := max(g.start, int(w.rows[i].start))
		if start, end := trim(w.text, from, max(from, int(w.rows[i].end))); start < end {
			return end, i
		}
	}
	return g.start, g.first
}

// hintRemark finds "(test: …)" at the end of the item.
func (w *walker) hintRemark(g *gathered) (hint, bool) {
	s := w.text[g.start:g.end]
	if g.field != Criterion || !strings.HasSuffix(s, ")") && !strings.HasSuffix(s, "）") {
		return hint{}, false
	}
	at, size := strings.LastIndex(s, "("), len("(")
	if wide := strings.LastIndex(s, "（"); wide > at {
		at, size = wide, len("（")
	}
	if at <= 0 || g.start+at < int(w.rows[g.last].start) {
		return hint{}, false
	}
	name, rest, ok := label(s[at+size:])
	if !ok {
		return hint{}, false
	}
	if part, known := lookUp(partWords, name); !known || part != PartHint {
		return hint{}, false
	}
	closing := len(")")
	if strings.HasSuffix(s, "）") {
		closing = len("）")
	}
	from, to := trim(w.text, g.start+at+size+rest, max(g.start+at+size+rest, g.end-closing))
	_, cut := trim(w.text, g.start, g.start+at)
	return hint{extent{from, to, g.last, g.last}, cut, g.last}, from < to
}

// toOther adds a line to the text that nothing names.
func (w *walker) toOther(at place) {
	if w.other.isEmpty() {
		w.other = remainder{extent{at.start, at.end, at.row, at.row}, w.speaker}
		return
	}
	w.other.end, w.other.last = at.end, at.row
}

func (w *walker) flushOther() {
	w.leave(w.other)
	w.other = remainder{}
}
