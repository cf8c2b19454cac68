package novel

import (
	"encoding/json"
	"sync/atomic"

	"sluice/internal/digest"
	"sluice/internal/fault"
	"sluice/internal/kernel"
	"sluice/internal/line"
	"sluice/internal/line/novel/briefing"
	"sluice/internal/line/novel/story"
)

// material is what a step works from: the documents among its inputs.
type material struct {
	in   line.In
	book briefing.Book
}

// gather reads the documents of the book that a step was given, or says what it lacks.
func (s steps) gather(in line.In, nodes ...kernel.NodeID) (material, []kernel.NodeID, error) {
	m := material{in: in}
	if lacking := in.Lacking(append([]kernel.NodeID{SettingsNode}, nodes...)...); len(lacking) > 0 {
		return m, lacking, nil
	}
	b := &m.book
	b.Settings = story.DefaultSettings()
	for _, one := range []struct {
		id   kernel.NodeID
		into any
	}{
		{SettingsNode, &b.Settings}, {WorldNode, &b.World}, {ThemeNode, &b.Theme}, {CharactersNode, &b.Characters},
	} {
		if d, ok := in.Input(one.id); ok {
			if err := stored(d, one.into); err != nil {
				return m, nil, err
			}
		}
	}
	if d, ok := in.Input(OutlineNode); ok {
		var err error
		if b.Outline, err = s.outlines.read(d); err != nil {
			return m, nil, err
		}
	}
	if b.Settings.ProjectName == "" {
		b.Settings.ProjectName = ProjectOf(in.Run)
	}
	return m, nil, nil
}

// outlineMemo keeps the outline that was read last: every step of a long book needs it, and it is as long as the book. It
// is known by its digest, so that it cannot be out of date. Nobody changes what it gives.
type outlineMemo struct {
	last atomic.Pointer[knownOutline]
}

type knownOutline struct {
	digest   digest.Digest
	document story.Outline
}

func (m *outlineMemo) read(d line.Doc) (story.Outline, error) {
	if k := m.last.Load(); k != nil && k.digest == d.Version.Digest {
		return k.document, nil
	}
	var o story.Outline
	if err := stored(d, &o); err != nil {
		return o, err
	}
	m.last.Store(&knownOutline{d.Version.Digest, o})
	return o, nil
}

// remember reads the memory that a brief for a chapter can use, or says what it lacks. An entry that is not there is
// simply not there.
func (m *material) remember(chapter int) ([]kernel.NodeID, error) {
	reach := briefing.Reach(m.book.Settings, m.book.Outline, chapter)
	ids := make([]kernel.NodeID, len(reach))
	for i, n := range reach {
		ids[i] = ChapterNode(n, StepMemory)
	}
	if lacking := m.in.Lacking(ids...); len(lacking) > 0 {
		return lacking, nil
	}
	for _, id := range ids {
		d, ok := m.in.Input(id)
		if !ok {
			continue
		}
		var entry story.ChapterMemoryEntry
		if err := stored(d, &entry); err != nil {
			return nil, err
		}
		m.book.Memory = append(m.book.Memory, entry)
	}
	return nil, nil
}

// plan reads the plan of a chapter among the inputs; a chapter that came from elsewhere may have none.
func (m *material) plan(chapter int) (story.ChapterPlan, error) {
	plan := story.ChapterPlan{ChapterNumber: chapter}
	if d, ok := m.in.Input(ChapterNode(chapter, StepPlan)); ok {
		return plan, stored(d, &plan)
	}
	return plan, nil
}

// text reads the chapter's text among the inputs.
func (m *material) text(chapter int) (story.GeneratedChapter, line.Doc, error) {
	var c story.GeneratedChapter
	d, ok := m.in.Input(ChapterNode(chapter, StepText))
	if !ok {
		return c, d, fault.New(fault.MissingPrerequisite, string(m.in.Node.ID), "chapter %d has no text", chapter)
	}
	return c, d, stored(d, &c)
}

// stored reads a document that the journal holds: it was checked when it came in.
func stored(d line.Doc, into any) error {
	if err := json.Unmarshal(d.Body, into); err != nil {
		return fault.Wrap(fault.StoreCorrupt, string(d.Version.ID), err, "version %s is not what it was stored as", d.Version.ID).
			With(fault.Action{Action: "doctor", Command: "sluice doctor"})
	}
	return nil
}

// sources are the digests of everything a prompt was built from.
func sources(in line.In) []digest.Digest {
	all := make([]digest.Digest, len(in.Inputs))
	for i, d := range in.Inputs {
		all[i] = d.Version.Digest
	}
	return all
}

func ours[T any](v T, schemaName string) (line.Move, error) {
	body, err := story.Encode(v)
	if err != nil {
		return line.Move{}, err
	}
	return line.Move{Done: &line.Out{Body: body, Schema: schemaName}}, nil
}
