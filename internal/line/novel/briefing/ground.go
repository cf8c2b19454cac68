package briefing

import (
	"fmt"

	"sluice/internal/line/novel/story"
)

// premise is what the author asked for. It is a person's word, so it gets the most room.
func (b Book) premise(share int) part {
	p := part{key: "premise", label: "premise, in the author's words", share: share}
	if !story.IsBlank(b.Settings.Premise) {
		p.items = append(p.items, clipped("premise", b.Settings.Premise, 1<<20))
	}
	if !story.IsBlank(b.Settings.Theme) {
		p.items = append(p.items, clipped("theme", "theme: "+oneLine(b.Settings.Theme), 400))
	}
	return p
}

// maxField is what one field of the world may take.
const maxField = 250

// world is the ground of the story: of a long field the sentences that the chapter has to do with. Rules come first where
// there is little room: breaking one is worse than missing a custom.
func (b Book) world(share int, about terms) part {
	p := part{key: "world", label: "world", share: share}
	w := b.World
	for _, f := range []struct {
		place      int
		name, text string
	}{
		{1, "world_name", w.WorldName}, {2, "time_period", w.TimePeriod}, {8, "special_rules", w.SpecialRules}, {7, "power_system", w.PowerSystem},
		{3, "geography", w.Geography}, {5, "technology_level", w.TechnologyLevel}, {4, "social_system", w.SocialSystem}, {6, "culture_customs", w.CultureCustoms},
	} {
		if !story.IsBlank(f.text) {
			it := clipped(f.name, f.name+": "+oneLine(f.text), maxField)
			if it.size > maxField {
				it.forms = []wording{{Short, f.name + ": " + about.pick(f.text, maxField-20), "the sentences that have to do with this chapter"}}
			}
			it.place = f.place
			p.items = append(p.items, it)
		}
	}
	return p
}

// theme is what the book is about and how it sounds.
func (b Book) theme(share int) part {
	p := part{key: "theme", label: "theme and tone", share: share}
	add := func(place int, name, text string) {
		if !story.IsBlank(text) {
			it := clipped(name, name+": "+oneLine(text), 160)
			it.place = place
			p.items = append(p.items, it)
		}
	}
	t := b.Theme
	add(50, "tone", t.Tone)
	add(1, "core_theme", t.CoreTheme)
	add(2, "main_conflict", t.MainConflict)
	for i, s := range head(t.SubThemes, 8) {
		add(10+i, fmt.Sprintf("sub_theme %d", i+1), s)
	}
	for i, s := range head(t.SubConflicts, 8) {
		add(30+i, fmt.Sprintf("sub_conflict %d", i+1), s)
	}
	return p
}
