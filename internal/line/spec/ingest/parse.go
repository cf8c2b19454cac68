package ingest

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"sluice/internal/digest"
	"sluice/internal/fault"
)

// longestSentence is how many characters a lone sentence may have to be taken for the goal: as many as a goal may.
const longestSentence = 500

// Parse reads the sources together. It refuses what is no text, with the way to make it one.
func Parse(sources []Source) (Result, error) {
	if err := admit(sources); err != nil {
		return Result{}, err
	}
	r := Result{Sources: []Document{}, Pieces: []Piece{}}
	names := map[string]bool{}
	var letters tally
	for i, s := range sources {
		s.Name = unique(s.Name, names)
		text, encoding, err := Decode(s)
		if err != nil {
			return Result{}, err
		}
		doc, c := read(s.Name, text, i)
		doc.Encoding = encoding
		if c.found+len(r.Pieces) > MaxPieces {
			return Result{}, fault.New(fault.BadValue, s.Name,
				"%s states %d separate requirements with those before it; at most %d are read", s.Name, c.found+len(r.Pieces), MaxPieces).With(
				fault.Action{Action: "give the part that states one feature", Command: "sluice spec new -f PART"})
		}
		r.Sources = append(r.Sources, doc)
		r.Pieces = append(r.Pieces, c.pieces...)
		r.Rest = append(r.Rest, c.others()...)
		letters.add(text)
	}
	if len(r.Pieces) == 0 && len(r.Rest) == 0 {
		return Result{}, nothingGiven()
	}
	r.Language = letters.language()
	r.settleGoal()
	return r, nil
}

// unique gives a source a name that no other has, so that references tell them apart.
func unique(name string, taken map[string]bool) string {
	if name = strings.ToValidUTF8(name, "_"); name == "" {
		name = "text"
	}
	free := name
	for n := 2; taken[free]; n++ {
		free = fmt.Sprintf("%s~%d", name, n)
	}
	taken[free] = true
	return free
}

// read takes one source apart.
func read(name, text string, index int) (Document, *collector) {
	rows := split(text)
	heads, isChat := conversation(text, rows)
	doc := Document{Name: name, Shape: Text, Lines: len(rows), Bytes: len(text), Digest: digest.Of([]byte(text))}
	if isChat {
		doc.Shape = Chat
	} else {
		heads = nil
	}
	doc.Ref = reference(doc.Type(), name)
	w := &walker{collector: &collector{text: text, source: index, ref: doc.Ref}, rows: rows, heads: heads}
	w.walk()
	if !isChat && w.sentence() {
		doc.Shape = Sentence
	}
	return doc, w.collector
}

// sentence takes a lone paragraph, or a lone story, for the goal.
func (w *walker) sentence() bool {
	if len(w.pieces) == 1 && w.pieces[0].Field == Story && len(w.rest) == 0 && !w.isStructured {
		w.pieces[0].Field, w.pieces[0].Implied = Goal, true
		return true
	}
	if len(w.pieces) > 0 || len(w.rest) != 1 || w.isStructured {
		return false
	}
	e := w.rest[0].extent
	if utf8.RuneCountInString(cut(w.text[e.start:e.end], longestSentence*utf8.UTFMax+1)) > longestSentence {
		return false
	}
	for i := e.first; i <= e.last; i++ { // two paragraphs are no sentence
		if strings.TrimSpace(w.text[w.rows[i].start:w.rows[i].end]) == "" {
			return false
		}
	}
	w.rest = nil
	w.keep(Piece{Field: Goal, Implied: true}, e)
	return true
}

// settleGoal lets a goal that is named as such win over a sentence that is only taken for one, and the first such
// sentence over others.
func (r *Result) settleGoal() {
	hasGoal := false
	for _, p := range r.Pieces {
		hasGoal = hasGoal || p.Field == Goal && !p.Implied
	}
	kept := r.Pieces[:0]
	var moved []Piece
	for _, p := range r.Pieces {
		if p.Field == Goal && p.Implied {
			if hasGoal {
				p.Field, p.Implied = Other, false
				moved = append(moved, p)
				continue
			}
			hasGoal = true
		}
		kept = append(kept, p)
	}
	r.Pieces = kept
	r.Rest = append(moved, r.Rest...)
}

// tally counts letters of scripts.
type tally struct{ han, cyrillic, latin int }

func (t *tally) add(text string) {
	for _, r := range text {
		switch {
		case r < utf8.RuneSelf:
			if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
				t.latin++
			}
		case unicode.Is(unicode.Han, r):
			t.han++
		case unicode.Is(unicode.Cyrillic, r):
			t.cyrillic++
		}
	}
}

// language weighs the counts as words: names of products and formats are Latin in every language.
func (t *tally) language() Language {
	han, cyrillic, latin := t.han*10/17, t.cyrillic/6, t.latin/5
	switch {
	case t.han > 0 && han*2 >= latin && han >= cyrillic:
		return Chinese
	case t.cyrillic > 0 && cyrillic*2 >= latin:
		return Russian
	}
	return English
}

// frontMatter reads the properties before a document and gives the row after them. Only a title among them is a part
// of the requirement.
func (w *walker) frontMatter() int {
	const most = 200
	if len(w.rows) < 3 || w.heads != nil || strings.TrimRight(w.text[w.rows[0].start:w.rows[0].end], " ") != "---" {
		return 0
	}
	last := 0
	for i := 1; i < min(len(w.rows), most) && last == 0; i++ {
		if s := strings.TrimRight(w.text[w.rows[i].start:w.rows[i].end], " "); s == "---" || s == "..." {
			last = i
		}
	}
	for i := 1; i < last; i++ {
		start, end := trim(w.text, int(w.rows[i].start), int(w.rows[i].end))
		name, rest, ok := label(w.text[start:end])
		if f, known := sectionOf(name); ok && known && f == Title && !w.isTitled && start+rest < end {
			w.isTitled = true
			from, to := unwrap(w.text, start+rest, end)
			w.keep(Piece{Field: Title}, extent{from, to, i, i})
			continue
		}
		if start < end {
			w.toOther(place{row: i, start: start, end: end})
		}
	}
	if last == 0 {
		return 0
	}
	w.flushOther()
	w.isStructured, w.isBegun = true, w.isTitled
	return last + 1
}
