package briefing

import (
	"fmt"

	"sluice/internal/line/novel/story"
)

// TemplateOutlinePart is the prompt of a part of an outline; its agent is that of the whole.
const TemplateOutlinePart = "outline-part"

// Outlined is how far an outline has come: its chapters in order, and what they leave open.
type Outlined struct {
	story.Outline
	Open []string
}

// outlinePartInputs names the chapters that are wanted, so that a reply can be held against them.
type outlinePartInputs struct {
	foundation
	Chapters []wantedChapter `json:"chapters"`
}

type wantedChapter struct {
	ChapterNumber int `json:"chapter_number"`
}

// ForOutlinePart briefs the agent that makes chapters from…to of an outline that is too long for one reply. What was outlined
// so far is told in short, the nearest most fully, so that no part costs more than another.
func ForOutlinePart(b Book, so Outlined, from, to int, o Options) (Brief, error) {
	brief, g := begin(AgentOutline, b, o)
	brief.Template, brief.Chapters, brief.From, brief.To = TemplateOutlinePart, b.Settings.TargetChapters, from, to
	in := outlinePartInputs{foundation: b.foundation(g)}
	in.World, in.ThemeConflict, in.Characters = &b.World, &b.Theme, &b.Characters
	for n := from; n <= to; n++ {
		in.Chapters = append(in.Chapters, wantedChapter{n})
	}
	b.Outline = so.Outline
	weighty := []part{b.premise(20), so.told(24), so.open(8), b.cast(nil, 30), b.arc(12), b.theme(10), b.world(18, nil)}
	err := brief.end(in, weighty, "premise", "world", "theme", "cast", "arc", "told", "open")
	return brief, err
}

// How much is told of chapters that were outlined before: of the last ones all, of those before a line, then the title.
// Farther ones are left to the open threads, which carry over what still matters of them.
const (
	toldWhole  = 3
	toldLine   = 20
	toldAtMost = 60
)

func (so Outlined) told(share int) part {
	p := part{key: "told", label: "chapters that are outlined already, in order", share: share, near: true}
	for i := len(so.Chapters) - 1; i >= 0 && len(so.Chapters)-i <= toldAtMost; i-- {
		c, distance := so.Chapters[i], len(so.Chapters)-i
		whole := chapterLine(c, 1<<20)
		it := item{name: fmt.Sprintf("outline of chapter %d", c.ChapterNumber), place: c.ChapterNumber, size: Tokens(whole)}
		title := wording{Line, clip(fmt.Sprintf("%d %s", c.ChapterNumber, oneLine(c.ChapterTitle)), 15), "longer ago: the title is enough"}
		line := wording{Line, chapterLine(c, 45), fmt.Sprintf("before the last %d chapters", toldWhole)}
		switch {
		case distance <= toldWhole:
			it.forms = []wording{{form: Short, text: chapterLine(c, 150), why: "its events are not told"}, line}
		case distance <= toldLine:
			it.forms = []wording{line, title}
		default:
			it.forms = []wording{title}
		}
		p.items = append(p.items, it)
	}
	return p
}

func (so Outlined) open(share int) part {
	p := part{key: "open", label: "what is set up and not paid off yet", share: share}
	for i, t := range flat(so.Open) {
		p.items = append(p.items, clipped(fmt.Sprintf("open thread %d", i+1), "- "+t, 50))
	}
	return p
}
