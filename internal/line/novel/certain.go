package novel

import (
	"sluice/internal/line/novel/continuity"
	"sluice/internal/line/novel/story"
)

// flawsOf says what is wrong with the order of an outline, for the model that wrote it.
func flawsOf(found []continuity.Problem) []string {
	var flaws []string
	for _, p := range found {
		flaws = append(flaws, p.Place+": "+p.Message)
	}
	return flaws
}

// certain are the contradictions that need no model to be seen. They stand before what a model finds.
func certain(j judged) []story.ConsistencyIssue {
	entry, _ := j.book.Outline.Chapter(j.params.Chapter)
	return continuity.Check(continuity.Input{Language: j.book.Settings.Language, Chapter: j.text, Plan: j.plan, Outline: entry,
		Cast: j.book.Characters, Memory: j.book.Memory, Known: known(j)})
}

// known are texts whose words are no misspelt names: of the world, and of the outline around the chapter. How much there is
// of them does not grow with the book.
func known(j judged) []string {
	w, o := j.book.World, j.book.Outline
	all := []string{j.book.Settings.Premise, w.WorldName, w.TimePeriod, w.Geography, w.SocialSystem, w.TechnologyLevel, w.CultureCustoms,
		w.PowerSystem, w.SpecialRules, o.StoryPremise, o.Beginning, o.Development, o.Climax, o.Resolution}
	for n := j.params.Chapter - 2; n <= j.params.Chapter+2; n++ {
		if c, ok := o.Chapter(n); ok {
			all = append(append(all, c.ChapterTitle, c.Summary), c.KeyEvents...)
		}
	}
	for _, s := range j.plan.Scenes {
		all = append(append(all, s.Location, s.Purpose), s.KeyActions...)
	}
	return all
}
