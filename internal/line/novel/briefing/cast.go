package briefing

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"sluice/internal/line/novel/story"
)

// presence is who of the cast a chapter or scene is about.
type presence struct {
	on  []story.Character // in the order of the cast; the protagonist always is
	off []story.Character
}

// presence reads plan and outline: whom the plan names, whom the outline's entry mentions, and before there is a plan
// whom the newest memory knows something of.
func (b Book) presence(entry story.OutlineChapter, plan story.ChapterPlan, number int) *presence {
	named := make(map[string]bool)
	for _, s := range plan.Scenes {
		for _, c := range s.Characters {
			named[oneLine(c)] = true
		}
	}
	told := strings.Join(append([]string{entry.ChapterTitle, entry.Summary}, entry.KeyEvents...), "\n")
	for _, d := range entry.Dependencies {
		told += "\n" + d.Description
	}
	if len(plan.Scenes) > 0 {
		told = "" // the plan has decided who comes
	} else if list := b.upTo(number); len(list) > 0 {
		for name := range list[len(list)-1].CharacterStates {
			named[oneLine(name)] = true
		}
	}
	who := &presence{}
	for i, c := range b.Characters.All() {
		if i == 0 || isNamed(named, c.Name) || isMentioned(told, c.Name) {
			who.on = append(who.on, c)
		} else {
			who.off = append(who.off, c)
		}
	}
	return who
}

// isNamed tells whether a list of names means a person: "Anna" and "Anna Berg (clerk)" mean Anna Berg.
func isNamed(named map[string]bool, name string) bool {
	name = oneLine(name)
	if name == "" || named[name] {
		return named[name]
	}
	for n := range named {
		if n != "" && (strings.Contains(n, name) || utf8.RuneCountInString(n) > 1 && strings.Contains(name, n)) {
			return true
		}
	}
	return false
}

// isMentioned looks for a name in a text, whole or by its first word, and without the last letter where that is Cyrillic
// and changes with the case.
func isMentioned(text, name string) bool {
	name = oneLine(name)
	for _, part := range append([]string{name}, strings.Fields(name)...) {
		if last, size := utf8.DecodeLastRuneInString(part); unicode.Is(unicode.Cyrillic, last) && utf8.RuneCountInString(part) > 3 {
			part = part[:len(part)-size]
		}
		if utf8.RuneCountInString(part) > 1 && strings.Contains(text, part) {
			return true
		}
	}
	return false
}

func (w *presence) names() []string {
	out := []string{}
	for _, c := range w.on {
		out = appendNew(out, c.Name)
	}
	return out
}

// onStage lists whom the plan names, else whom the chapter is about.
func onStage(plan story.ChapterPlan, who *presence) []string {
	var out []string
	for _, s := range plan.Scenes {
		for _, c := range s.Characters {
			out = appendNew(out, c)
		}
	}
	if len(out) == 0 {
		return who.names()
	}
	return out
}

// cast is the people: those who come in full, the others by name and role, so that nobody is renamed or made up again.
func (b Book) cast(who *presence, share int) part {
	p := part{key: "cast", label: "cast; names are spelled exactly so", share: share}
	if who == nil {
		who = &presence{on: b.Characters.All()}
	}
	for _, c := range who.on {
		if !story.IsBlank(c.Name) {
			p.items = append(p.items, item{name: oneLine(c.Name), size: Tokens(card(c, 1<<20)), forms: []wording{
				{form: Whole, text: card(c, 80)}, {form: Short, text: card(c, 20)}, {form: Line, text: roleLine(c)}}})
		}
	}
	for _, c := range who.off {
		if !story.IsBlank(c.Name) {
			p.items = append(p.items, item{name: oneLine(c.Name), size: Tokens(card(c, 1<<20)),
				forms: []wording{{Line, roleLine(c), "not in this chapter: name and role are enough"}}})
		}
	}
	return p
}

// names is the cast by name and role.
func (b Book) names(who *presence, share int) part {
	p := part{key: "names", label: "cast; names are spelled exactly so", share: share}
	for _, c := range slices.Concat(who.on, who.off) {
		if !story.IsBlank(c.Name) {
			p.items = append(p.items, whole(oneLine(c.Name), roleLine(c)))
		}
	}
	return p
}

func roleLine(c story.Character) string { return clip(oneLine(c.Name)+": "+oneLine(c.Role), 30) }

// card is what is known of a person, each field within a limit.
func card(c story.Character, limit int) string {
	var out strings.Builder
	fmt.Fprintf(&out, "%s: %s", clip(oneLine(c.Name), limit), clip(oneLine(c.Role), limit))
	add := func(name, text string) {
		if text = clip(oneLine(text), limit); text != "" {
			out.WriteString("\n  " + name + ": " + text)
		}
	}
	add("gender", c.Gender)
	add("age", string(c.Age))
	add("appearance", c.Appearance)
	add("personality", c.Personality)
	add("background", c.Background)
	add("motivation", c.Motivation)
	add("abilities", strings.Join(flat(c.Abilities), ", "))
	for i, name := range slices.Sorted(maps.Keys(c.Relationships)) {
		if i < 8 {
			add("to "+clip(oneLine(name), 20), c.Relationships[name])
		}
	}
	return out.String()
}
