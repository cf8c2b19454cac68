package briefing

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// terms are what a chapter speaks of, for telling which sentences of a longer text it needs: the beginnings of longer
// words, so that an ending does not matter, and pairs of characters where words have no spaces between them.
type terms map[string]bool

func termsOf(texts ...string) terms {
	out := make(terms)
	for _, text := range texts {
		out.each(clip(text, 2000), func(t string) { out[t] = true })
	}
	return out
}

const termLength = 5 // characters of a word that count

func (t terms) each(text string, found func(string)) {
	var word []rune
	var before rune
	flush := func() {
		if len(word) > 3 {
			found(strings.ToLower(string(word[:min(len(word), termLength)])))
		}
		word = word[:0]
	}
	for _, r := range text {
		switch {
		case isCJK(r) && unicode.IsLetter(r):
			flush()
			if before != 0 {
				found(string([]rune{before, r}))
			}
			before = r
			continue
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			if len(word) < termLength {
				word = append(word, r)
			}
		default:
			flush()
		}
		before = 0
	}
	flush()
}

func (t terms) shared(text string) int {
	seen := make(terms)
	t.each(text, func(s string) {
		if t[s] {
			seen[s] = true
		}
	})
	return len(seen)
}

// pick keeps the sentences of a text that share most with the terms, in their order, within a number of tokens. Its first
// sentence says what the text is about and comes along.
func (t terms) pick(text string, limit int) string {
	if text = oneLine(text); Tokens(text) <= limit || len(t) == 0 {
		return clip(text, limit)
	}
	list := sentences(text)
	kept := make([]bool, len(list))
	left := limit
	take := func(i int) {
		if n := Tokens(list[i]) + 1; !kept[i] && n <= left { // one for the mark of what is left out before it
			kept[i], left = true, left-n
		}
	}
	take(0)
	best := make(map[int][]int)
	most := 0
	for i, s := range list {
		n := t.shared(s)
		best[n], most = append(best[n], i), max(most, n)
	}
	for n := most; n >= 0; n-- {
		for _, i := range best[n] {
			take(i)
		}
	}
	var out strings.Builder
	for i, s := range list {
		switch {
		case kept[i]:
			out.WriteString(s)
		case i > 0 && kept[i-1]:
			out.WriteString(ellipsis)
		}
	}
	if out.Len() == 0 {
		return clip(text, limit)
	}
	return strings.TrimSpace(out.String())
}

// sentences cuts a text after each end of a sentence, with the space that follows.
func sentences(text string) []string {
	var out []string
	start := 0
	for i, r := range text {
		next := i + utf8.RuneLen(r)
		if !endsSentence(r) && r != ';' && r != '；' {
			continue
		}
		for next < len(text) && text[next] == ' ' {
			next++
		}
		if next > start {
			out = append(out, text[start:next])
			start = next
		}
	}
	if start < len(text) {
		out = append(out, text[start:])
	}
	return out
}
