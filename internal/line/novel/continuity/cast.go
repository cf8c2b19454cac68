package continuity

import (
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"sluice/internal/line/novel/story"
)

// person is somebody whom the book knows by name.
type person struct {
	name  string
	parts []string // words of the name
	han   []string // the name in Chinese
	isIn  bool     // of the cast, not only named by a memory
}

// cast finds people by what a text calls them.
type cast struct {
	people []person
	byPart map[string]int // a word of a name, or shared where several have it
	byHan  map[string]int
}

const shared = -1

// notNames are words in names that belong to nobody.
var notNames = words(`the of von van de la le du da di al el mr mrs ms miss dr sir lady lord captain king queen prince princess old young father mother brother sister
	uncle aunt professor doctor master mistress saint general colonel major sergeant lieutenant count countess duke
	господин госпожа капитан доктор профессор князь княгиня царь король королева отец мать брат сестра дядя тетя старый старая мастер граф графиня`)

// castOf gathers the characters of a book, then those whom only memories name.
func castOf(c story.CharactersConfig, memory []story.ChapterMemoryEntry) *cast {
	out := &cast{byPart: make(map[string]int), byHan: make(map[string]int)}
	for _, p := range c.All() {
		out.add(p.Name, true)
	}
	for _, m := range memory {
		for _, name := range slices.Sorted(maps.Keys(m.CharacterStates)) {
			if out.find(name) < 0 {
				out.add(name, false)
			}
		}
	}
	return out
}

func (c *cast) add(name string, isIn bool) {
	p := person{name: strings.Join(strings.Fields(name), " "), isIn: isIn}
	for _, w := range keysOf(name) {
		if !notNames[w] && utf8.RuneCountInString(w) > 1 {
			p.parts = append(p.parts, w)
		}
	}
	for _, h := range hanParts(name) {
		if utf8.RuneCountInString(h) > 1 {
			p.han = append(p.han, h)
		}
	}
	if len(p.parts)+len(p.han) == 0 {
		return
	}
	at := len(c.people)
	c.people = append(c.people, p)
	for _, w := range p.parts {
		note(c.byPart, w, at)
	}
	for _, h := range p.han {
		note(c.byHan, h, at)
	}
}

func note(table map[string]int, key string, at int) {
	if old, ok := table[key]; ok && old != at {
		at = shared
	}
	table[key] = at
}

// find gives whom a name means, or -1. Every word of it that is known must mean the same person.
func (c *cast) find(name string) int {
	found := -1
	for _, table := range []struct {
		at    map[string]int
		words []string
	}{{c.byHan, hanParts(name)}, {c.byPart, keysOf(name)}} {
		for _, w := range table.words {
			at, ok := table.at[w]
			if !ok || at == shared {
				continue
			}
			if found >= 0 && found != at {
				return -1
			}
			found = at
		}
	}
	return found
}

// isNamedBy tells whether a text, such as an entry of a plan's cast, may mean a person. It is generous: it serves to keep
// silent.
func (p person) isNamedBy(text string) bool {
	low := strings.ToLower(text)
	for _, h := range p.han {
		if strings.Contains(low, h) {
			return true
		}
		for _, part := range hanParts(low) {
			if strings.Contains(h, part) {
				return true
			}
		}
	}
	for _, w := range keysOf(low) {
		for _, part := range p.parts {
			if w == part || isInflected(part, w) || isInflected(w, part) {
				return true
			}
		}
	}
	return false
}
