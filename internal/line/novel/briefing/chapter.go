package briefing

import (
	"fmt"
	"strings"

	"sluice/internal/line/novel/story"
)

// chapterLine is one chapter of the outline in a line.
func chapterLine(c story.OutlineChapter, limit int) string {
	line := fmt.Sprintf("%d %s", c.ChapterNumber, oneLine(c.ChapterTitle))
	if c.TimelineAnchor != "" {
		line += " (" + oneLine(c.TimelineAnchor) + ")"
	}
	return clip(line+": "+oneLine(c.Summary), limit)
}

// entry is what the outline says of the chapter at hand.
func (b Book) entry(c story.OutlineChapter, share int) part {
	p := part{key: "entry", label: fmt.Sprintf("outline of chapter %d", c.ChapterNumber), share: share}
	if c.ChapterNumber == 0 {
		return p
	}
	add := func(name, text string, limit int) {
		if !story.IsBlank(text) {
			p.items = append(p.items, clipped(name, name+": "+text, limit))
		}
	}
	add("chapter_title", oneLine(c.ChapterTitle), 60)
	add("summary", c.Summary, 400)
	for i, e := range head(c.KeyEvents, 12) {
		add(fmt.Sprintf("key event %d", i+1), oneLine(e), 80)
	}
	add("timeline_anchor", oneLine(c.TimelineAnchor), 60)
	return p
}

// entryTerms are what a chapter and its scenes speak of.
func entryTerms(c story.OutlineChapter, scenes ...story.ScenePlan) terms {
	texts := append([]string{c.ChapterTitle, c.Summary}, head(c.KeyEvents, 12)...)
	for _, s := range head(scenes, 40) {
		texts = append(texts, s.Location, s.Purpose, strings.Join(head(s.KeyActions, 12), "\n"))
	}
	return termsOf(texts...)
}

// when is the time that the outline gives the chapter.
func (b Book) when(c story.OutlineChapter, share int) part {
	p := part{key: "when", label: "when the outline has this chapter happen", share: share}
	if !story.IsBlank(c.TimelineAnchor) {
		p.items = []item{clipped("timeline_anchor", oneLine(c.TimelineAnchor), 60)}
	}
	return p
}

// around is the outline of the chapters next to this one.
func (b Book) around(number, share int) part {
	p := part{key: "around", label: "outline of the chapters around it", share: share}
	for _, n := range []int{number - 1, number + 1, number + 2} {
		if c, ok := b.Outline.Chapter(n); ok {
			it := clipped(fmt.Sprintf("outline of chapter %d", n), chapterLine(c, 10_000), 90)
			it.place = n
			p.items = append(p.items, it)
		}
	}
	return p
}

// arc is the book as a whole.
func (b Book) arc(share int) part {
	p := part{key: "arc", label: "the book as a whole", share: share}
	for _, f := range []struct{ name, text string }{
		{"story_premise", b.Outline.StoryPremise}, {"beginning", b.Outline.Beginning}, {"development", b.Outline.Development},
		{"climax", b.Outline.Climax}, {"resolution", b.Outline.Resolution},
	} {
		if !story.IsBlank(f.text) {
			p.items = append(p.items, clipped(f.name, f.name+": "+oneLine(f.text), 110))
		}
	}
	return p
}

// maxDependencies is how many a chapter may name before the rest is left to the memory.
const maxDependencies = 8

// buildsOn is what the chapter cannot do without, with what was really written where there is memory of it.
func (b Book) buildsOn(c story.OutlineChapter, share int) part {
	p := part{key: "builds_on", label: "what this chapter builds on", share: share}
	for i, d := range head(c.Dependencies, maxDependencies) {
		line := "- " + oneLine(strings.TrimSpace(d.DependencyType+": "+d.Description))
		name := fmt.Sprintf("dependency %d", i+1)
		if d.ChapterNumber > 0 {
			name = fmt.Sprintf("dependency on chapter %d", d.ChapterNumber)
			line += fmt.Sprintf(" (chapter %d)", d.ChapterNumber)
		}
		line = clip(line, 90)
		it := item{name: name, forms: []wording{{form: Line, text: line, why: "no memory of that chapter is at hand"}}, clips: true}
		m, ok := b.memoryOf(d.ChapterNumber)
		switch {
		case !ok || d.ChapterNumber >= c.ChapterNumber:
		case d.ChapterNumber >= c.ChapterNumber-recentOf(b.Settings):
			it.forms[0].why = "its chapter is in the memory"
		default:
			told := clip("  in chapter "+fmt.Sprint(d.ChapterNumber)+": "+strings.Join(flat(m.KeyEvents), "; ")+" "+oneLine(m.Summary), 150)
			it.forms = []wording{{form: Whole, text: line + "\n" + told}, {form: Line, text: line}}
		}
		p.items = append(p.items, it)
	}
	return p
}

func (b Book) memoryOf(number int) (story.ChapterMemoryEntry, bool) {
	for _, m := range b.Memory {
		if m.ChapterNumber == number && number > 0 {
			return m, true
		}
	}
	return story.ChapterMemoryEntry{}, false
}

// scenePlan is the order to write one scene.
func scenePlan(s story.ScenePlan, share int) part {
	p := part{key: "scene", label: fmt.Sprintf("plan of scene %d, which is the one to write", s.SceneNumber), share: share}
	add := func(name, text string, limit int) {
		if !story.IsBlank(text) {
			p.items = append(p.items, clipped(name, name+": "+text, limit))
		}
	}
	add("purpose", oneLine(s.Purpose), 150)
	add("location", oneLine(s.Location), 60)
	add("characters", strings.Join(flat(s.Characters), ", "), 120)
	for i, a := range head(s.KeyActions, 12) {
		add(fmt.Sprintf("key action %d", i+1), oneLine(a), 80)
	}
	add("scene_type", oneLine(s.SceneType), 20)
	add("intensity", oneLine(s.Intensity), 20)
	return p
}

// sceneLine is one scene of a plan in a line.
func sceneLine(s story.ScenePlan) string {
	return fmt.Sprintf("scene %d, %s, %s: %s", s.SceneNumber, oneLine(s.Location), strings.Join(flat(s.Characters), ", "), oneLine(s.Purpose))
}

// otherScenes is what the rest of the chapter is for, so that nothing is told twice or too early.
func otherScenes(plan story.ChapterPlan, scene, share int) part {
	p := part{key: "other_scenes", label: "the other scenes of this chapter, which are not the one to write", share: share}
	for _, s := range head(plan.Scenes, 40) {
		if s.SceneNumber != scene {
			it := clipped(fmt.Sprintf("scene %d", s.SceneNumber), sceneLine(s), 70)
			it.place = s.SceneNumber
			p.items = append(p.items, it)
		}
	}
	return p
}

// chapterPlan is the plan of a chapter as a reviewer needs it.
func chapterPlan(plan story.ChapterPlan, share int) part {
	p := part{key: "plan", label: "plan of the chapter", share: share}
	for _, s := range head(plan.Scenes, 40) {
		text := sceneLine(s)
		if len(s.KeyActions) > 0 {
			text += "; " + strings.Join(flat(s.KeyActions), "; ")
		}
		it := clipped(fmt.Sprintf("scene %d", s.SceneNumber), text, 200)
		p.items = append(p.items, it)
	}
	return p
}

// textBefore is where the scene goes on from.
func textBefore(b Before, share int) part {
	p := part{key: "before", label: "the end of the text before, from which the scene goes on", share: share}
	text := strings.TrimSpace(b.text())
	if text == "" {
		return p
	}
	it := item{name: "text before", size: Tokens(text)}
	for _, limit := range []int{600, 300, 100, 40} {
		w := wording{form: Short, text: tail(text, limit), why: "its end is enough to go on from"}
		if Tokens(text) <= limit {
			w = wording{form: Whole, text: text}
		}
		it.forms = append(it.forms, w)
	}
	p.items = []item{it}
	return p
}

// soFar is how the earlier scenes of the chapter begin and end, so that the next does otherwise.
func soFar(b Before, share int) part {
	p := part{key: "so_far", label: "first and last sentences of the earlier scenes; begin and end otherwise", share: share, near: true}
	for i := len(b.Earlier) - 1; i >= 0 && i >= len(b.Earlier)-12; i-- {
		s := b.Earlier[i]
		text := fmt.Sprintf("scene %d: %s [...] %s", s.SceneNumber, first(s.Content, 40), last(s.Content, 40))
		p.items = append(p.items, item{name: fmt.Sprintf("scene %d", s.SceneNumber), place: i + 1, size: Tokens(s.Content),
			forms: []wording{{Short, text, "its first and last sentence are enough"}}})
	}
	return p
}

// foundIssues is what a program has found in the chapter.
func foundIssues(found []story.ConsistencyIssue, share int) part {
	p := part{key: "found", label: "what a program found already", share: share}
	for i, x := range head(found, 20) {
		p.items = append(p.items, clipped(fmt.Sprintf("issue %d", i+1), "- "+oneLine(x.IssueType+": "+x.Description), 90))
	}
	return p
}

func head[E any](list []E, n int) []E { return list[:min(n, len(list))] }

func flat(list []string) []string {
	out := make([]string, 0, len(list))
	for _, s := range head(list, 40) {
		if s = oneLine(s); s != "" {
			out = append(out, s)
		}
	}
	return out
}

func appendNew(list []string, s string) []string {
	s = oneLine(s)
	for _, have := range list {
		if have == s {
			return list
		}
	}
	if s == "" {
		return list
	}
	return append(list, s)
}
