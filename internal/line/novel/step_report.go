package novel

import (
	"time"

	"sluice/internal/fault"
	"sluice/internal/kernel"
	"sluice/internal/line"
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

// revision is never performed: a RevisionStatus is submitted by the rule that found it necessary, or by a person.
func (s steps) revision(in line.In) (line.Move, error) {
	return line.Move{}, fault.New(fault.IllegalStep, string(in.Node.ID), "a revision is decided by people; there is nothing to perform")
}
