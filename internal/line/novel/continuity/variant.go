package continuity

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"sluice/internal/line/novel/story"
)

const (
	minName   = 6 // letters from which a name is long enough to be told from another one by one letter
	fewTimes  = 2 // a slip is rare,
	manyTimes = 3 // and the right name is not
)

// use is how a word is used in a chapter.
type use struct {
	word       string // as first written
	scene      int
	count      int
	isName     bool // it is capital where a capital says something, and never small
	isSmall    bool
	acts       bool
	afterGiven int // who is meant if it stands right after a known part of somebody's name, or -1
}

// variants finds words that are nearly somebody's name: they act like people, are rare where the right name is not, and
// differ by one letter inside. Names that only inflect, shorten or lengthen a known one are left alone.
func (r *reading) variants() []story.ConsistencyIssue {
	uses, order := r.uses()
	texts := r.knownTexts()
	known := sync.OnceValue(func() map[string]bool { return keySet(texts) }) // far more words than a chapter with a slip needs
	var found []story.ConsistencyIssue
	for _, key := range order {
		u := uses[key]
		if u.isSmall || !u.isName || utf8.RuneCountInString(key) < minName-1 {
			continue
		}
		if name, ok := r.meant(key, *u, uses); ok && !known()[key] {
			found = append(found, issue(NameVariant, story.Medium, name, r.say.variant(u.word, name, u.scene), r.say.variantFix(u.word, name)))
		}
	}
	return append(found, r.hanVariants(strings.Join(texts, "\n"))...)
}

// uses gathers the words of the telling and of speech.
func (r *reading) uses() (map[string]*use, []string) {
	uses := make(map[string]*use)
	var order []string
	for _, s := range r.scenes {
		for _, p := range s.paragraphs {
			for i, t := range p.tokens {
				u := uses[t.key]
				if u == nil {
					u = &use{word: strings.TrimSuffix(strings.TrimSuffix(p.text[t.from:t.to], "'s"), "’s"), scene: s.number, afterGiven: -1}
					uses[t.key] = u
					order = append(order, t.key)
				}
				u.count++
				u.isSmall = u.isSmall || !t.isCapital
				u.isName = u.isName || t.isCapital && !t.isSentenceStart()
				if t.isCapital {
					isAct, _ := verbAt(p, i, i+1)
					u.acts = u.acts || isAct && !t.isSpoken
					u.isName = u.isName || u.acts
				}
				if i > 0 && t.isBeside && t.isCapital && p.tokens[i-1].isCapital {
					if who, ok := r.cast.byPart[p.tokens[i-1].key]; ok && who != shared {
						u.afterGiven = who
						u.isName = true
					}
				}
			}
		}
	}
	return uses, order
}

// knownTexts are the texts in which no word is a slip.
func (r *reading) knownTexts() []string {
	all := append([]string{r.Outline.ChapterTitle, r.Outline.Summary, r.Outline.TimelineAnchor}, r.Known...)
	all = append(all, r.Outline.KeyEvents...)
	for _, s := range r.Plan.Scenes {
		all = append(append(all, r.planText(s.SceneNumber)), s.Characters...)
	}
	for _, m := range r.Memory {
		all = append(append(append(all, m.Summary, m.LocationSummary), m.KeyEvents...), m.UnresolvedThreads...)
		for name, text := range m.CharacterStates {
			all = append(all, name, text)
		}
	}
	for _, c := range r.Cast.All() {
		all = append(all, c.Name, c.Background, c.Role, c.Motivation)
		for name, text := range c.Relationships {
			all = append(all, name, text)
		}
	}
	return all
}

// keySet gives the words of texts.
func keySet(texts []string) map[string]bool {
	out := make(map[string]bool)
	for _, text := range texts {
		for _, k := range keysOf(text) {
			out[k] = true
		}
	}
	return out
}

// meant gives whose name a word was meant to be.
func (r *reading) meant(key string, u use, uses map[string]*use) (string, bool) {
	for _, p := range r.cast.people {
		if slices.ContainsFunc(p.parts, func(part string) bool { return isInflected(part, key) || isShort(part, key) }) {
			return "", false
		}
	}
	for who, p := range r.cast.people {
		for _, part := range p.parts {
			switch {
			case !isSlip(part, key):
			case u.afterGiven == who && len(p.parts) > 1:
				return p.name, true
			case u.acts && u.count <= fewTimes && counted(uses, part) >= manyTimes:
				return p.name, true
			}
		}
	}
	return "", false
}

// counted is how often a name is used in any of its cases.
func counted(uses map[string]*use, part string) int {
	n := 0
	if !isRussian(part) {
		if u := uses[part]; u != nil {
			n = u.count
		}
		return n
	}
	stem, endings := stemOf(part)
	for _, e := range slices.Compact(slices.Sorted(slices.Values(endings))) {
		if u := uses[stem+e]; u != nil {
			n += u.count
		}
	}
	return n
}

// isShort tells that one word is the beginning of the other: Alex, Alexander; Daniel, Daniela.
func isShort(a, b string) bool { return strings.HasPrefix(a, b) || strings.HasPrefix(b, a) }

// isSlip tells whether two words of enough letters differ by one inside: changed, left out, added, or two swapped. What
// differs at the beginning or end is another name or another form.
func isSlip(name, word string) bool {
	a, b := []rune(name), []rune(word)
	if isRussian(name) {
		stem, endings := stemOf(name)
		if len([]rune(stem)) < minName-1 {
			return false
		}
		return slices.ContainsFunc(endings, func(e string) bool {
			rest, ok := strings.CutSuffix(word, e)
			return ok && isOneApart([]rune(stem), []rune(rest))
		})
	}
	return len(a) >= minName && isOneApart(a, b)
}

func isOneApart(a, b []rune) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(b)-len(a) > 1 || len(a) < 3 || slices.Equal(a, b) {
		return false
	}
	from := 0
	for from < len(a) && a[from] == b[from] {
		from++
	}
	endA, endB := len(a), len(b)
	for endA > from && endB > from && a[endA-1] == b[endB-1] {
		endA, endB = endA-1, endB-1
	}
	if from == 0 || endB == len(b) {
		return false
	}
	switch endB - from {
	case 1:
		return true
	case 2: // two letters swapped
		return endA-from == 2 && a[from] == b[from+1] && a[from+1] == b[from]
	}
	return false
}

// hanVariants finds a Chinese name of three or more characters written with another one in its middle, at the beginning of
// a clause and with what its bearer does.
func (r *reading) hanVariants(known string) []story.ConsistencyIssue {
	var found []story.ConsistencyIssue
	for _, p := range r.cast.people {
		for _, name := range p.han {
			full := []rune(name)
			if len(full) < 3 || len(full) > 4 {
				continue
			}
			if slip, scene, ok := r.hanSlip(full, known); ok {
				found = append(found, issue(NameVariant, story.Medium, p.name, r.say.variant(slip, p.name, scene), r.say.variantFix(slip, p.name)))
			}
		}
	}
	return found
}

func (r *reading) hanSlip(name []rune, known string) (slip string, scene int, ok bool) {
	right, wrong := 0, 0
	for _, s := range r.scenes {
		for _, p := range s.paragraphs {
			right += strings.Count(p.text, string(name))
			text := []rune(p.text)
			for i := 0; i+len(name) <= len(text); i++ {
				part := text[i : i+len(name)]
				if part[0] != name[0] || !isHanSlip(name, part) || i > 0 && unicode.IsLetter(text[i-1]) || strings.Contains(known, string(part)) || r.isOther(string(part)) ||
					!actHan.MatchString(string(text[i+len(name):min(len(text), i+len(name)+12)])) {
					continue
				}
				if wrong++; slip == "" {
					slip, scene = string(part), s.number
				}
			}
		}
	}
	return slip, scene, wrong > 0 && wrong <= fewTimes && right >= manyTimes
}

// isHanSlip tells of one other character between the first and the last.
func isHanSlip(name, part []rune) bool {
	differ := 0
	for i := range name {
		if name[i] == part[i] {
			continue
		}
		if differ++; i == 0 || i == len(name)-1 || !unicode.Is(unicode.Han, part[i]) {
			return false
		}
	}
	return differ == 1
}

// isOther tells that a word begins with somebody's name.
func (r *reading) isOther(word string) bool {
	return slices.ContainsFunc(r.cast.people, func(p person) bool {
		return slices.ContainsFunc(p.han, func(h string) bool { return strings.HasPrefix(word, h) })
	})
}
