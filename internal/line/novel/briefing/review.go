package briefing

import (
	"fmt"

	"sluice/internal/line/novel/story"
)

type memoryInputs struct {
	chapterInputs
	TimelineAnchor string                 `json:"timeline_anchor,omitempty"`
	KeyEvents      []string               `json:"key_events"`
	Locations      []string               `json:"locations"`
	Scenes         []story.GeneratedScene `json:"scenes"`
}

// ForMemory briefs the agent that records a chapter for those that come after. It sees the entry before, from which it
// carries over what is still open; so the newest entry alone holds every open thread.
func ForMemory(b Book, plan story.ChapterPlan, c story.GeneratedChapter, o Options) (Brief, error) {
	brief, g := begin(AgentMemory, b, o)
	number := c.ChapterNumber
	entry, _ := b.Outline.Chapter(number)
	brief.Chapter, brief.Scenes = number, len(c.Scenes)
	who := b.presence(entry, plan, number)
	in := memoryInputs{chapterInputs: chapterInputs{g, number, c.ChapterTitle, onStage(plan, who)}, TimelineAnchor: entry.TimelineAnchor,
		KeyEvents: entry.KeyEvents, Locations: locations(plan), Scenes: c.Scenes}
	weighty := []part{subject(c), b.last(number, 25), b.names(who, 25), b.when(entry, 5)}
	err := brief.end(in, weighty, "names", "last", "when", "subject")
	return brief, err
}

// ForConsistency briefs the agent that looks for contradictions. What was found without a model is told, so that it is
// not found again.
func ForConsistency(b Book, plan story.ChapterPlan, c story.GeneratedChapter, found []story.ConsistencyIssue, o Options) (Brief, error) {
	brief, g := begin(AgentConsistency, b, o)
	number := c.ChapterNumber
	entry, _ := b.Outline.Chapter(number)
	brief.Chapter, brief.Scenes = number, len(c.Scenes)
	who := b.presence(entry, plan, number)
	in := chapterInputs{g, number, c.ChapterTitle, onStage(plan, who)}
	weighty := []part{subject(c), b.memory(number, 36), b.entry(entry, 10), b.cast(who, 24), b.buildsOn(entry, 10), b.world(16, entryTerms(entry, plan.Scenes...)),
		b.threads(number, 8), foundIssues(found, 8), b.around(number, 6)}
	err := brief.end(in, weighty, "world", "cast", "memory", "threads", "builds_on", "around", "entry", "found", "subject")
	return brief, err
}

type logicInputs struct {
	chapterInputs
	MinScore int `json:"min_score"`
}

// ForLogic briefs the agent that reviews a chapter's logic. The score that is needed is not told: it would only be met.
func ForLogic(b Book, plan story.ChapterPlan, c story.GeneratedChapter, o Options) (Brief, error) {
	brief, g := begin(AgentLogic, b, o)
	number := c.ChapterNumber
	entry, _ := b.Outline.Chapter(number)
	brief.Chapter, brief.Scenes = number, len(c.Scenes)
	who := b.presence(entry, plan, number)
	in := logicInputs{chapterInputs{g, number, c.ChapterTitle, onStage(plan, who)}, b.Settings.LogicReviewMinScore}
	weighty := []part{subject(c), b.entry(entry, 10), chapterPlan(plan, 16), b.memory(number, 36), b.cast(who, 20), b.world(14, entryTerms(entry, plan.Scenes...)),
		b.buildsOn(entry, 8), b.threads(number, 7), b.theme(5)}
	err := brief.end(in, weighty, "world", "theme", "cast", "memory", "threads", "builds_on", "entry", "plan", "subject")
	return brief, err
}

type revisionInputs struct {
	chapterInputs
	RevisionNotes string                 `json:"revision_notes"`
	Scenes        []story.GeneratedScene `json:"scenes"`
}

// ForRevision briefs the agent that revises a chapter by notes. Chapter and notes go in whole.
func ForRevision(b Book, plan story.ChapterPlan, c story.GeneratedChapter, notes string, o Options) (Brief, error) {
	brief, g := begin(AgentRevision, b, o)
	number := c.ChapterNumber
	entry, _ := b.Outline.Chapter(number)
	brief.Chapter, brief.Scenes = number, len(c.Scenes)
	who := b.presence(entry, plan, number)
	in := revisionInputs{chapterInputs{g, number, c.ChapterTitle, onStage(plan, who)}, notes, c.Scenes}
	chapter := subject(c)
	chapter.items = append(chapter.items, whole("revision notes", notes))
	weighty := []part{chapter, b.memory(number, 36), b.cast(who, 24), b.entry(entry, 10), b.world(14, entryTerms(entry, plan.Scenes...)), b.buildsOn(entry, 8),
		b.theme(6), b.threads(number, 6)}
	err := brief.end(in, weighty, "world", "theme", "cast", "memory", "threads", "builds_on", "entry", "subject")
	return brief, err
}

// subject is the text of a chapter, scene by scene. It is never cut: a judge who has not read everything cannot judge.
func subject(c story.GeneratedChapter) part {
	p := part{key: "subject"}
	for _, s := range c.Scenes {
		p.items = append(p.items, whole(fmt.Sprintf("chapter %d, scene %d", c.ChapterNumber, s.SceneNumber), s.Content))
	}
	return p
}

func locations(plan story.ChapterPlan) []string {
	var out []string
	for _, s := range plan.Scenes {
		out = appendNew(out, s.Location)
	}
	return out
}
