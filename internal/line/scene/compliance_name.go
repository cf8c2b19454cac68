package scene

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// textIndex is prose prepared for looking things up.
type textIndex struct {
	raw   string // normal form
	words []token
	at    map[string][]int // where each word stands
}

func textOf(raw string) textIndex {
	raw = normal(raw)
	t := textIndex{raw: raw, words: wordsOf(raw), at: map[string][]int{}}
	for i, w := range t.words {
		t.at[w.plain] = append(t.at[w.plain], i)
	}
	return t
}

// mention is where something was found.
type mention struct {
	found bool
	quote string // the words around it
}

// quote gives the words around a place.
func (t textIndex) quote(at int) mention {
	const around = 60
	from, to := max(0, at-around), min(len(t.raw), at+around)
	for from > 0 && !utf8.RuneStart(t.raw[from]) {
		from--
	}
	for to < len(t.raw) && !utf8.RuneStart(t.raw[to]) {
		to++
	}
	return mention{found: true, quote: strings.Join(strings.Fields(t.raw[from:to]), " ")}
}

// titles stand before a name and are none.
var titles = map[string]bool{
	"mr": true, "mrs": true, "ms": true, "miss": true, "dr": true, "sir": true, "lady": true, "lord": true, "captain": true, "the": true,
	"of": true, "old": true, "young": true, "a": true, "an": true, "professor": true, "doctor": true, "aunt": true, "uncle": true,
	"van": true, "von": true, "de": true, "la": true, "king": true, "queen": true, "prince": true, "princess": true, "father": true, "mother": true,
	"господин": true, "госпожа": true, "капитан": true, "доктор": true, "профессор": true, "тетя": true, "дядя": true, "старый": true,
	"старая": true, "князь": true, "княгиня": true, "царь": true, "король": true, "королева": true, "отец": true, "мать": true, "брат": true, "сестра": true,
}

// commonWords are names that are also words: only a capital tells them apart.
var commonWords = map[string]bool{
	"will": true, "mark": true, "rose": true, "grace": true, "hope": true, "faith": true, "joy": true, "may": true, "june": true, "april": true,
	"bill": true, "jack": true, "frank": true, "art": true, "ray": true, "rich": true, "pat": true, "sue": true, "dawn": true, "ivy": true,
	"lily": true, "iris": true, "daisy": true, "violet": true, "amber": true, "ruby": true, "pearl": true, "hunter": true, "mason": true,
	"miles": true, "grant": true, "guy": true, "rob": true, "drew": true, "chase": true, "dean": true, "earl": true, "max": true, "bob": true,
	"dale": true, "glen": true, "heath": true, "holly": true, "hazel": true, "olive": true, "sage": true, "reed": true, "clay": true, "cliff": true,
	"stone": true, "wolf": true, "raven": true, "robin": true, "page": true, "penny": true, "carol": true, "summer": true, "autumn": true, "river": true,
	"вера": true, "надежда": true, "любовь": true, "роман": true, "лев": true, "слава": true, "роза": true, "лилия": true, "марк": true,
	"мила": true, "майя": true, "мир": true, "гром": true, "волк": true, "ворон": true, "искра": true, "заря": true, "весна": true, "тим": true,
}

// nameForms is someone who may be mentioned by any of several sequences of words.
type nameForms struct {
	full  string
	ways  [][]string // each a sequence of words; one is enough
	chars []string   // the same in Chinese
}

// nameOf prepares a name. A part that another known name shares tells nothing and is left out, so that Petrova, who is
// there, is not taken for Petrov, who is not.
func nameOf(c Character, others []Character) nameForms {
	n := nameForms{full: c.Name}
	for _, alias := range append([]string{c.Name}, c.Aliases...) {
		n.add(normal(alias), others)
	}
	return n
}

func (n *nameForms) add(alias string, others []Character) {
	if hasHan(alias) {
		n.chars = append(n.chars, hanOf(alias))
	}
	words := wordsOf(alias)
	if len(words) == 0 {
		return
	}
	whole := make([]string, 0, len(words))
	for _, w := range words {
		whole = append(whole, w.plain)
	}
	n.ways = append(n.ways, whole)
	for i := 0; i < len(words); {
		j := i + 1
		for j < len(words) && words[j].joined {
			j++
		}
		if part := whole[i:j]; len(words) > j-i && tells(part, words[i].capital, others) {
			n.ways = append(n.ways, part)
		}
		i = j
	}
}

// tells reports whether one part of a name is enough to know whose it is.
func tells(part []string, capital bool, others []Character) bool {
	if len(part) == 1 && (titles[part[0]] || utf8.RuneCountInString(part[0]) < 3) || !capital {
		return false
	}
	for _, o := range others {
		for _, alias := range append([]string{o.Name}, o.Aliases...) {
			for _, w := range wordsOf(normal(alias)) {
				if sameWord(part[0], w.plain, true) || sameWord(w.plain, part[0], true) {
					return false
				}
			}
		}
	}
	return true
}

// in looks for a name. Longer names of others are passed over: 李明 is no mention of 李.
func (n nameForms) in(t textIndex, others []Character) mention {
	for _, way := range n.ways {
		if at, ok := t.sequence(way, true, 0, hides(way, others)); ok {
			return t.quote(at)
		}
	}
	for _, c := range n.chars {
		if at, ok := t.characters(c, others); ok {
			return t.quote(at)
		}
	}
	return mention{}
}

// hides gives the sequences of words by which others are named and in which this one occurs.
func hides(way []string, others []Character) [][]string {
	var out [][]string
	for _, o := range others {
		var whole []string
		for _, w := range wordsOf(normal(o.Name)) {
			whole = append(whole, w.plain)
		}
		if len(whole) > len(way) {
			out = append(out, whole)
		}
	}
	return out
}

// sequence finds words one after the other, with at most so many others between two of them.
func (t textIndex) sequence(wanted []string, isName bool, gap int, hidden [][]string) (int, bool) {
	if len(wanted) == 0 {
		return 0, false
	}
	var starts []int
	for plain, at := range t.at {
		if sameWord(wanted[0], plain, isName) {
			starts = append(starts, at...)
		}
	}
	slices.Sort(starts)
	for _, i := range starts {
		if t.matches(i, wanted, isName, gap) && !t.covered(i, wanted, hidden) {
			return t.words[i].at, true
		}
	}
	return 0, false
}

func (t textIndex) matches(i int, wanted []string, isName bool, gap int) bool {
	for k, w := range wanted {
		limit := 0
		if k > 0 {
			limit = gap
		}
		for skipped := 0; ; skipped++ {
			if i >= len(t.words) || skipped > limit {
				return false
			}
			found := t.words[i]
			i++
			if sameWord(w, found.plain, isName) && (!isName || found.capital || !commonWords[w]) {
				break
			}
		}
	}
	return true
}

// covered tells that a place belongs to the longer name of someone else.
func (t textIndex) covered(i int, wanted []string, hidden [][]string) bool {
	for _, long := range hidden {
		for back := 0; back+len(wanted) <= len(long); back++ {
			if i >= back && t.matches(i-back, long, true, 0) && slices.EqualFunc(wanted, long[back:back+len(wanted)],
				func(a, b string) bool { return sameWord(a, b, true) || sameWord(b, a, true) }) {
				return true
			}
		}
	}
	return false
}

// hanOf keeps what a Chinese name is written with.
func hanOf(s string) string {
	return strings.Map(func(c rune) rune {
		if strings.ContainsRune(" \t*_`\"“”「」『』《》", c) {
			return -1
		}
		return c
	}, s)
}

// neighbours may stand beside a name of a single character; any other may make another word of it, as 行李 of 李.
const neighbours = "说道问答看见走来去笑想是的了和与跟同也就都又还便才正刚把被将让给对向从往在到不没有要会能可必须很太再却但而或及等站坐起拿听喊叫点摇转抬低回着吗呢吧啊是我你他她它们这那叫见为比"

// characters finds Chinese text that no longer name of someone else contains.
func (t textIndex) characters(wanted string, others []Character) (int, bool) {
	if wanted == "" {
		return 0, false
	}
	for from := 0; ; {
		i := strings.Index(t.raw[from:], wanted)
		if i < 0 {
			return 0, false
		}
		at := from + i
		from = at + len(wanted)
		if t.inside(at, wanted, others) || utf8.RuneCountInString(wanted) == 1 && !t.alone(at, len(wanted)) {
			continue
		}
		return at, true
	}
}

func (t textIndex) inside(at int, wanted string, others []Character) bool {
	for _, o := range others {
		for _, alias := range append([]string{o.Name}, o.Aliases...) {
			long := hanOf(normal(alias))
			for back := 0; back < len(long); {
				j := strings.Index(long[back:], wanted)
				if j < 0 || len(long) <= len(wanted) {
					break
				}
				if start := at - back - j; start >= 0 && strings.HasPrefix(t.raw[start:], long) {
					return true
				}
				back += j + len(wanted)
			}
		}
	}
	return false
}

func (t textIndex) alone(at, size int) bool {
	before, _ := utf8.DecodeLastRuneInString(t.raw[:at])
	after, _ := utf8.DecodeRuneInString(t.raw[at+size:])
	stands := func(c rune) bool { return !isHan(c) || strings.ContainsRune(neighbours, c) }
	return stands(before) && stands(after)
}

// little are words that say nothing about a place or a term.
var little = map[string]bool{
	"the": true, "a": true, "an": true, "of": true, "in": true, "at": true, "on": true, "to": true, "and": true, "or": true, "by": true, "near": true,
	"int": true, "ext": true, "with": true, "for": true, "from": true, "its": true, "his": true, "her": true,
	"в": true, "во": true, "на": true, "у": true, "и": true, "с": true, "со": true, "к": true, "за": true, "под": true, "над": true, "из": true, "от": true, "по": true, "около": true, "возле": true,
}

// term finds a term: all its words in order. What is wanted may have two words in between, what is forbidden none.
func (t textIndex) term(wanted string, gap int) mention {
	wanted = normal(wanted)
	if hasHan(wanted) {
		if i := strings.Index(strings.ToLower(t.raw), strings.ToLower(hanOf(wanted))); i >= 0 {
			return t.quote(min(i, len(t.raw)))
		}
		return mention{}
	}
	if at, ok := t.sequence(telling(wanted), false, gap, nil); ok {
		return t.quote(at)
	}
	return mention{}
}

// telling gives the words of a term that say something, or all if none does.
func telling(term string) []string {
	var out, all []string
	for _, w := range wordsOf(normal(term)) {
		all = append(all, w.plain)
		if !little[w.plain] {
			out = append(out, w.plain)
		}
	}
	if len(out) == 0 {
		return all
	}
	return out
}

// place tells whether a text is at a place: at least half of the words that name it occur, or half of its characters.
func (t textIndex) place(location string) bool {
	location = normal(location)
	if hasHan(location) {
		return t.sharesHan([]rune(hanOf(location)))
	}
	wanted := telling(location)
	hits := 0
	for _, w := range wanted {
		if _, ok := t.sequence([]string{w}, false, 0, nil); ok {
			hits++
		}
	}
	return len(wanted) == 0 || 2*hits >= len(wanted)
}

func (t textIndex) sharesHan(location []rune) bool {
	n := max(min(2, len(location)), (len(location)+1)/2)
	for i := 0; i+n <= len(location); i++ {
		if strings.Contains(t.raw, string(location[i:i+n])) {
			return true
		}
	}
	return false
}
