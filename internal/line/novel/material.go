package novel

import (
	"encoding/json"
	"errors"

	"sluice/internal/digest"
	"sluice/internal/fault"
	"sluice/internal/kernel"
	"sluice/internal/line"
	"sluice/internal/line/novel/briefing"
	"sluice/internal/line/novel/story"
)

// material is what a step works from: the documents among its inputs.
type material struct {
	in    line.In
	shelf *shelf
	book  briefing.Book
}

// gather reads the documents of the book that a step was given, or says what it lacks.
func (s steps) gather(in line.In, nodes ...kernel.NodeID) (material, []kernel.NodeID, error) {
	m := material{in: in, shelf: s.shelf}
	if lacking := in.Lacking(append([]kernel.NodeID{SettingsNode}, nodes...)...); len(lacking) > 0 {
		return m, lacking, nil
	}
	b := &m.book
	b.Settings = story.DefaultSettings()
	if err := errors.Join(
		given(&m, SettingsNode, &b.Settings), given(&m, WorldNode, &b.World), given(&m, ThemeNode, &b.Theme),
		given(&m, CharactersNode, &b.Characters), given(&m, OutlineNode, &b.Outline)); err != nil {
		return m, nil, err
	}
	if b.Settings.ProjectName == "" {
		b.Settings.ProjectName = ProjectOf(in.Run)
	}
	return m, nil, nil
}

// given reads what stands at a node among the inputs; where there is nothing, into stays as it is.
func given[T any](m *material, id kernel.NodeID, into *T) (err error) {
	if d, ok := m.in.Input(id); ok {
		*into, err = open(m.shelf, d, *into)
	}
	return err
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
		entry, err := open(m.shelf, d, story.ChapterMemoryEntry{})
		if err != nil {
			return nil, err
		}
		m.book.Memory = append(m.book.Memory, entry)
	}
	return nil, nil
}

// plan reads the plan of a chapter among the inputs; a chapter that came from elsewhere may have none.
func (m *material) plan(chapter int) (story.ChapterPlan, error) {
	if d, ok := m.in.Input(ChapterNode(chapter, StepPlan)); ok {
		return open(m.shelf, d, story.ChapterPlan{})
	}
	return story.ChapterPlan{ChapterNumber: chapter}, nil
}

// text reads the chapter's text among the inputs.
func (m *material) text(chapter int) (story.GeneratedChapter, line.Doc, error) {
	d, ok := m.in.Input(ChapterNode(chapter, StepText))
	if !ok {
		return story.GeneratedChapter{}, d, fault.New(fault.MissingPrerequisite, string(m.in.Node.ID), "chapter %d has no text", chapter)
	}
	c, err := open(m.shelf, d, story.GeneratedChapter{})
	return c, d, err
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
