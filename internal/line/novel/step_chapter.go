package novel

import (
	"fmt"

	"sluice/internal/fault"
	"sluice/internal/kernel"
	"sluice/internal/line"
	"sluice/internal/line/novel/briefing"
	"sluice/internal/line/novel/story"
)

// plan makes the plan of a chapter from the outline and the memory of those before it.
func (s steps) plan(in line.In) (line.Move, error) {
	p, err := paramsOf(in.Node)
	if err != nil {
		return line.Move{}, err
	}
	m, lacking, err := s.gather(in, WorldNode, ThemeNode, CharactersNode, OutlineNode)
	if err == nil && len(lacking) == 0 {
		lacking, err = m.remember(p.Chapter)
	}
	if err != nil || len(lacking) > 0 {
		return line.Move{Wants: lacking}, err
	}
	entry, ok := m.book.Outline.Chapter(p.Chapter)
	if !ok {
		return line.Move{}, unknownChapter(in.Run, p.Chapter)
	}
	if len(in.Replies) > 0 {
		reply, err := decodeReply[planReply](in.Replies[0])
		if err != nil {
			return line.Move{}, err
		}
		plan := story.ChapterPlan{ChapterNumber: entry.ChapterNumber, ChapterTitle: entry.ChapterTitle, Scenes: reply.Scenes}
		return ours(numbered(plan), SchemaPlan)
	}
	b, err := briefing.ForPlan(m.book, p.Chapter, options(in))
	if err != nil {
		return line.Move{}, err
	}
	return asking(s.call(in, b, s.schemas.plan))
}

// numbered counts the scenes of a plan from 1 in their order.
func numbered(p story.ChapterPlan) story.ChapterPlan {
	for i := range p.Scenes {
		p.Scenes[i].SceneNumber = i + 1
	}
	return p
}

func unknownChapter(r *kernel.Run, chapter int) error {
	return fault.New(fault.MissingPrerequisite, pathOf(r, story.OutlineFile), "%s has no chapter %d", pathOf(r, story.OutlineFile), chapter).
		With(fault.Action{Action: "status", Command: "sluice novel status " + ProjectOf(r), Why: "it lists the chapters"})
}

// scene writes one scene, going on from the one before it.
func (s steps) scene(in line.In) (line.Move, error) {
	p, err := paramsOf(in.Node)
	if err != nil {
		return line.Move{}, err
	}
	if len(in.Replies) > 0 {
		text := sceneText(in.Replies[0].Content)
		if flaws := sceneFlaws(text); len(flaws) > 0 {
			return line.Move{}, line.Unusable{Reason: flaws[0]}
		}
		return ours(story.GeneratedScene{SceneNumber: p.Scene, Content: text}, SchemaScene)
	}
	wanted := []kernel.NodeID{WorldNode, ThemeNode, CharactersNode, OutlineNode, ChapterNode(p.Chapter, StepPlan)}
	for k := 1; k < p.Scene; k++ {
		wanted = append(wanted, SceneNode(p.Chapter, k))
	}
	if p.Scene == 1 && p.Chapter > 1 {
		wanted = append(wanted, ChapterNode(p.Chapter-1, StepText))
	}
	m, lacking, err := s.gather(in, wanted...)
	if err == nil && len(lacking) == 0 {
		lacking, err = m.remember(p.Chapter)
	}
	if err != nil || len(lacking) > 0 {
		return line.Move{Wants: lacking}, err
	}
	plan, err := m.plan(p.Chapter)
	if err != nil {
		return line.Move{}, err
	}
	before, err := m.before(p.Chapter, p.Scene)
	if err != nil {
		return line.Move{}, err
	}
	b, err := briefing.ForScene(m.book, plan, p.Scene, before, options(in))
	if err != nil {
		return line.Move{}, err
	}
	c, err := s.call(in, b, nil)
	c.Check = sceneFlaws
	return asking(c, err)
}

// before is the text that a scene comes after: the scenes of its chapter, or the end of the chapter before.
func (m *material) before(chapter, scene int) (briefing.Before, error) {
	var b briefing.Before
	for k := 1; k < scene; k++ {
		d, ok := m.in.Input(SceneNode(chapter, k))
		if !ok {
			continue
		}
		s, err := open(m.shelf, d, story.GeneratedScene{})
		if err != nil {
			return b, err
		}
		b.Earlier = append(b.Earlier, s)
	}
	if d, ok := m.in.Input(ChapterNode(chapter-1, StepText)); ok {
		c, err := open(m.shelf, d, story.GeneratedChapter{})
		if err != nil {
			return b, err
		}
		if n := len(c.Scenes); n > 0 {
			b.Last = c.Scenes[n-1].Content
		}
	}
	return b, nil
}

// text merges the scenes of the plan into the chapter. It wants the settings too: what is done with the text afterwards is
// as they were when it was made.
func (s steps) text(in line.In) (line.Move, error) {
	p, err := paramsOf(in.Node)
	if err != nil {
		return line.Move{}, err
	}
	m := material{in: in, shelf: s.shelf}
	plan, err := m.plan(p.Chapter)
	if err != nil {
		return line.Move{}, err
	}
	wanted := []kernel.NodeID{SettingsNode}
	for _, sp := range plan.Scenes {
		wanted = append(wanted, SceneNode(p.Chapter, sp.SceneNumber))
	}
	if lacking := in.Lacking(wanted...); len(lacking) > 0 {
		return line.Move{Wants: lacking}, nil
	}
	c := story.GeneratedChapter{ChapterNumber: p.Chapter, ChapterTitle: plan.ChapterTitle}
	for _, sp := range plan.Scenes {
		d, ok := in.Input(SceneNode(p.Chapter, sp.SceneNumber))
		if !ok {
			return line.Move{}, missingScene(in.Run, p.Chapter, sp.SceneNumber)
		}
		scene, err := open(s.shelf, d, story.GeneratedScene{})
		if err != nil {
			return line.Move{}, err
		}
		scene.SceneNumber = sp.SceneNumber
		c.Scenes = append(c.Scenes, scene)
	}
	return ours(c, SchemaText)
}

func missingScene(r *kernel.Run, chapter, scene int) error {
	return fault.New(fault.MissingPrerequisite, pathOf(r, story.SceneFile(chapter, scene)), "scene %d of chapter %d is not written", scene, chapter).
		With(OnTo(r, chapter, fault.Action{Action: "scene_generate", Command: fmt.Sprintf("sluice novel scene generate %s %d %d", ProjectOf(r), chapter, scene), Why: "it writes the scene"}))
}
