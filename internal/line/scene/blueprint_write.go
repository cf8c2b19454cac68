package scene

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var leadingMarks = regexp.MustCompile(`^(?:[#>*+\-•|\s]+|\d{1,3}[.)、]\s*)+`)

// item brings a model's text into one line that Markdown reads as text.
func item(s string) string {
	return strings.TrimSpace(leadingMarks.ReplaceAllString(strings.ReplaceAll(oneLine(s), "|", "/"), ""))
}

func itemsOf(list []string) []string {
	var out []string
	for _, s := range list {
		if s = item(s); s != "" && !isNone(s) {
			out = append(out, s)
		}
	}
	return out
}

// writeBlueprint writes a blueprint that reading one accepts. What contradicts itself in the plan is corrected and told.
func writeBlueprint(sceneID string, p scenePlan, lang string) (body []byte, corrected []string) {
	d := &document{lang: lang}
	tell := func(format string, args ...any) { corrected = append(corrected, fmt.Sprintf(format, args...)) }
	places := locationSplit.Split(strings.NewReplacer(":", " —", "：", "，").Replace(item(p.Location)), -1)
	if len(places) > 1 {
		tell("one location instead of %d: %s", len(places), places[0])
	}
	present := charactersOf(p.Present)
	beats := itemsOf(p.Beats)
	absent := allowedAbsent(charactersOf(p.Absent), present, beats, tell)
	terms, facts := []string{}, itemsOf(p.Continuity)
	for _, t := range itemsOf(p.MustMention) {
		if t = strings.Trim(unmark(t), `"“”«»`); isTerm(t) {
			terms = append(terms, "**"+t+"**")
		} else {
			facts = append(facts, t)
			tell("no term but a sentence, kept under continuity: %s", t)
		}
	}
	d.heading(1, d.say("blueprint")+" "+sceneID+" — "+item(p.Title))
	d.heading(2, d.say("location"))
	d.text(places[0])
	if a := item(p.Atmosphere); a != "" {
		d.gap()
		d.list([]string{a})
	}
	d.section(2, d.say("present"), namesOf(present))
	d.section(2, d.say("absent"), orNone(d, namesOf(absent)))
	d.heading(2, d.say("beats"))
	for i, b := range beats {
		d.text(strconv.Itoa(i+1) + ". " + b)
	}
	d.section(2, d.say("mechanics"), terms)
	d.section(2, d.say("no_mechanics"), shortTerms(p.NotMention))
	d.section(2, d.say("scope"), itemsOf(p.Limits))
	d.heading(2, d.say("word_count"))
	d.text(strconv.Itoa(p.WordCount))
	d.section(2, d.say("continuity"), orNone(d, facts))
	if t := item(p.Tone); t != "" {
		d.heading(2, d.say("tone"))
		d.text(t)
	}
	return d.bytes(), corrected
}

func shortTerms(list []string) []string {
	return slices.DeleteFunc(itemsOf(list), func(s string) bool { return !isTerm(s) })
}

// allowedAbsent leaves out of the absent who is present, and who acts in a beat.
func allowedAbsent(absent, present []Character, beats []string, tell func(string, ...any)) []Character {
	out := []Character{}
	for _, c := range absent {
		if slices.ContainsFunc(present, func(o Character) bool { return strings.EqualFold(o.Name, c.Name) }) {
			tell("%s is present and was listed as absent too", c.Name)
			continue
		}
		forms, others := nameOf(c, present), append(slices.Clone(present), without(absent, c)...)
		acts := slices.IndexFunc(beats, func(b string) bool { return forms.in(textOf(b), others).found })
		if acts >= 0 {
			tell("%s was listed as absent and is named in beat %d", c.Name, acts+1)
			continue
		}
		out = append(out, c)
	}
	return out
}
