package novel

import (
	"strings"
	"time"

	"sluice/internal/fault"
	"sluice/internal/kernel"
	"sluice/internal/line"
	"sluice/internal/line/novel/bookfile"
	"sluice/internal/line/novel/briefing"
	"sluice/internal/line/novel/story"
)

// judged is what every step that reads a finished chapter works from.
type judged struct {
	material
	params params
	plan   story.ChapterPlan
	text   story.GeneratedChapter
}

func (s steps) judging(in line.In) (judged, []kernel.NodeID, error) {
	p, err := paramsOf(in.Node)
	if err != nil {
		return judged{}, nil, err
	}
	m, lacking, err := s.gather(in, WorldNode, ThemeNode, CharactersNode, OutlineNode, ChapterNode(p.Chapter, StepPlan))
	if err == nil && len(lacking) == 0 {
		lacking, err = m.remember(p.Chapter)
	}
	j := judged{material: m, params: p}
	if err != nil || len(lacking) > 0 {
		return j, lacking, err
	}
	if j.plan, err = m.plan(p.Chapter); err != nil {
		return j, nil, err
	}
	j.text, _, err = m.text(p.Chapter)
	return j, nil, err
}

// memory records a chapter for those that come after it.
func (s steps) memory(in line.In) (line.Move, error) {
	if len(in.Replies) > 0 {
		return s.remembered(in)
	}
	j, lacking, err := s.judging(in)
	if err != nil || len(lacking) > 0 {
		return line.Move{Wants: lacking}, err
	}
	b, err := briefing.ForMemory(j.book, j.plan, j.text, options(in))
	if err != nil {
		return line.Move{}, err
	}
	return asking(s.call(in, b, s.schemas.memory))
}

func (s steps) remembered(in line.In) (line.Move, error) {
	entry, err := decodeReply[story.ChapterMemoryEntry](in.Replies[0])
	if err != nil {
		return line.Move{}, err
	}
	m := material{in: in, shelf: s.shelf}
	text, _, err := m.text(ChapterOf(in.Node.ID))
	if err != nil {
		return line.Move{}, err
	}
	entry.ChapterNumber, entry.ChapterTitle = text.ChapterNumber, text.ChapterTitle
	return ours(entry, SchemaMemory)
}

// consistency looks for contradictions, without a model first.
func (s steps) consistency(in line.In) (line.Move, error) {
	j, lacking, err := s.judging(in)
	if err != nil || len(lacking) > 0 {
		return line.Move{Wants: lacking}, err
	}
	found := certain(j)
	report := func(in line.In) (line.Move, error) { return consistent(in, found) }
	if len(in.Replies) > 0 {
		return report(in)
	}
	b, err := briefing.ForConsistency(j.book, j.plan, j.text, found, options(in))
	if err != nil {
		return line.Move{}, err
	}
	m, err := asking(s.call(in, b, s.schemas.consistency))
	m.Then = report
	return m, err
}

// consistent reports what was found for certain, then what the model found.
func consistent(in line.In, found []story.ConsistencyIssue) (line.Move, error) {
	reply, err := decodeReply[consistencyReply](in.Replies[0])
	if err != nil {
		return line.Move{}, err
	}
	report := story.ConsistencyReport{ChapterNumber: ChapterOf(in.Node.ID), Summary: reply.Summary, CreatedAt: in.Attempt.Began.UTC().Format(time.RFC3339)}
	report.Issues = append(append(report.Issues, found...), reply.Issues...)
	return ours(report, SchemaConsistency)
}

// logic reviews a chapter. What the score means is not said here.
func (s steps) logic(in line.In) (line.Move, error) {
	if len(in.Replies) > 0 {
		reply, err := decodeReply[logicReply](in.Replies[0])
		if err != nil {
			return line.Move{}, err
		}
		return ours(story.LogicReviewReport{ChapterNumber: ChapterOf(in.Node.ID), OverallScore: reply.OverallScore, Summary: reply.Summary,
			Issues: reply.Issues}, SchemaLogic)
	}
	j, lacking, err := s.judging(in)
	if err != nil || len(lacking) > 0 {
		return line.Move{Wants: lacking}, err
	}
	b, err := briefing.ForLogic(j.book, j.plan, j.text, options(in))
	if err != nil {
		return line.Move{}, err
	}
	return asking(s.call(in, b, s.schemas.logic))
}

// Parts of a candidate.
const (
	PartChapter = "chapter.json"
	PartReading = "revised.txt"
)

// candidate revises a chapter by notes. What comes back keeps its number, its title and its scenes.
func (s steps) candidate(in line.In) (line.Move, error) {
	j, lacking, err := s.judging(in)
	if err != nil || len(lacking) > 0 {
		return line.Move{Wants: lacking}, err
	}
	if len(in.Replies) > 0 {
		return revised(j, in.Replies[0])
	}
	b, err := briefing.ForRevision(j.book, j.plan, j.text, j.params.Notes, options(in))
	if err != nil {
		return line.Move{}, err
	}
	schema, err := revisionSchema(len(j.text.Scenes))
	if err != nil {
		return line.Move{}, err
	}
	c, err := s.call(in, b, schema)
	c.Check = revisedFlaws(j.text)
	return asking(c, err)
}

func revised(j judged, r line.Reply) (line.Move, error) {
	if flaws := revisedFlaws(j.text)(r.Content); len(flaws) > 0 {
		return line.Move{}, line.Unusable{Reason: strings.Join(flaws, "; ")}
	}
	reply, err := decodeReply[revisionReply](r)
	if err != nil {
		return line.Move{}, err
	}
	c := j.text
	c.Scenes = make([]story.GeneratedScene, len(reply.Scenes))
	for i, s := range reply.Scenes {
		c.Scenes[i] = story.GeneratedScene{SceneNumber: s.SceneNumber, Content: strings.TrimSpace(s.Content)}
	}
	m, err := ours(c, SchemaCandidate)
	if err != nil {
		return m, err
	}
	view := bookfile.ReadingView(j.book.Settings.Language, c, j.params.Notes)
	m.Done.Parts = []line.Part{{Path: PartChapter, Body: m.Done.Body}, {Path: PartReading, Body: []byte(view)}}
	return m, nil
}

// revision is never performed: a RevisionStatus is submitted by the rule that found it necessary, or by a person.
func (s steps) revision(in line.In) (line.Move, error) {
	return line.Move{}, fault.New(fault.IllegalStep, string(in.Node.ID), "a revision is decided by people; there is nothing to perform")
}
