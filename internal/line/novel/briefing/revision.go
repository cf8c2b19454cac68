package briefing

import (
	"fmt"

	"sluice/internal/line/novel/story"
)

// TemplateRevisionPart is the prompt of a part of a chapter's revision; its agent is that of the whole.
const TemplateRevisionPart = "revision-part"

// Revised is how far the revision of a chapter has come, where it is too long for one reply.
type Revised struct {
	Chapter  story.GeneratedChapter // with the scenes that are revised in their places
	From, To int                    // places of the scenes that are revised now, the last excluded
	Changes  []string               // what was changed in those before that the rest must agree with
}

// ForRevisionPart briefs the agent that revises some scenes of a chapter. They go in whole with the notes, and the rest of the
// chapter in short, so that no part costs more than another.
func ForRevisionPart(b Book, plan story.ChapterPlan, so Revised, notes string, o Options) (Brief, error) {
	brief, g := begin(AgentRevision, b, o)
	c, now := so.Chapter, so.Chapter
	now.Scenes = c.Scenes[so.From:so.To]
	number := c.ChapterNumber
	entry, _ := b.Outline.Chapter(number)
	brief.Template, brief.Chapter, brief.Scenes = TemplateRevisionPart, number, len(c.Scenes)
	brief.From, brief.To = now.Scenes[0].SceneNumber, now.Scenes[len(now.Scenes)-1].SceneNumber
	who := b.presence(entry, plan, number)
	in := revisionInputs{chapterInputs{g, number, c.ChapterTitle, onStage(plan, who)}, notes, now.Scenes}
	scenes := subject(now)
	scenes.items = append(scenes.items, whole("revision notes", notes))
	before := textBefore(Before{Earlier: c.Scenes[:so.From]}, 12)
	before.label = "the end of the text before, as it stands now"
	weighty := []part{scenes, so.changes(10), before, so.after(6), chapterPlan(plan, 16), b.memory(number, 30), b.cast(who, 22), b.entry(entry, 10),
		b.world(12, entryTerms(entry, plan.Scenes...)), b.buildsOn(entry, 8), b.theme(6), b.threads(number, 6)}
	err := brief.end(in, weighty, "world", "theme", "cast", "memory", "threads", "builds_on", "entry", "plan", "changes", "before", "after", "subject")
	return brief, err
}

// maxChangesTold is how many there may be before the oldest are left to the text.
const maxChangesTold = 40

func (so Revised) changes(share int) part {
	p := part{key: "changes", label: "what was changed in the scenes before, which these must agree with", share: share}
	for i := len(so.Changes) - 1; i >= 0 && len(so.Changes)-i <= maxChangesTold; i-- { // the newest is the last to be left out
		if t := oneLine(so.Changes[i]); t != "" {
			it := clipped(fmt.Sprintf("change %d", i+1), "- "+t, 60)
			it.place = i + 1
			p.items = append(p.items, it)
		}
	}
	return p
}

// after is where the scenes must lead.
func (so Revised) after(share int) part {
	p := part{key: "after", label: "how the text after them begins", share: share}
	if so.To < len(so.Chapter.Scenes) {
		p.items = []item{clipped("text after", so.Chapter.Scenes[so.To].Content, 200)}
	}
	return p
}
