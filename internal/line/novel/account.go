package novel

import (
	"sluice/internal/fault"
	"sluice/internal/kernel"
	"sluice/internal/line"
	"sluice/internal/line/novel/briefing"
	"sluice/internal/line/novel/story"
)

// Accounts says what a model is told about a chapter as the book stands: for its plan, for each of its scenes as far as
// they are planned, and for what is made from its text once that is there.
func Accounts(r *kernel.Run, body line.Body, chapter int) ([]briefing.Account, error) {
	b, err := bookOf(r, body, chapter)
	if err != nil {
		return nil, err
	}
	if _, ok := b.Outline.Chapter(chapter); !ok {
		return nil, unknownChapter(r, chapter)
	}
	var all []briefing.Account
	add := func(brief briefing.Brief, err error) error {
		all = append(all, brief.Account)
		return err
	}
	if err := add(briefing.ForPlan(b, chapter, briefing.Options{})); err != nil {
		return nil, err
	}
	v := r.Approved(ChapterNode(chapter, StepPlan))
	if v == nil {
		return all, nil
	}
	plan, err := decodeVersion[story.ChapterPlan](body, v)
	if err != nil {
		return nil, err
	}
	text, err := TextOf(r, body, chapter)
	if err != nil {
		return nil, err
	}
	before, err := lastOf(r, body, chapter-1)
	if err != nil {
		return nil, err
	}
	for k := range plan.Scenes {
		if err := add(briefing.ForScene(b, plan, k+1, before, briefing.Options{})); err != nil {
			return nil, err
		}
		if err := goneOn(r, body, chapter, k+1, text, &before); err != nil {
			return nil, err
		}
	}
	if text == nil {
		return all, nil
	}
	for _, make := range []func() (briefing.Brief, error){
		func() (briefing.Brief, error) { return briefing.ForMemory(b, plan, *text, briefing.Options{}) },
		func() (briefing.Brief, error) {
			return briefing.ForConsistency(b, plan, *text, nil, briefing.Options{})
		},
		func() (briefing.Brief, error) { return briefing.ForLogic(b, plan, *text, briefing.Options{}) },
	} {
		if err := add(make()); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// bookOf reads what is known of a book for the prompts of a chapter.
func bookOf(r *kernel.Run, body line.Body, chapter int) (briefing.Book, error) {
	var b briefing.Book
	var err error
	if b.Settings, err = SettingsOf(r, body); err != nil {
		return b, err
	}
	if err := firstOf(read(r, body, WorldNode, &b.World), read(r, body, ThemeNode, &b.Theme), read(r, body, CharactersNode, &b.Characters),
		read(r, body, OutlineNode, &b.Outline)); err != nil {
		return b, err
	}
	for _, n := range briefing.Reach(b.Settings, b.Outline, chapter) {
		var entry story.ChapterMemoryEntry
		if r.Approved(ChapterNode(n, StepMemory)) == nil {
			continue
		}
		if err := read(r, body, ChapterNode(n, StepMemory), &entry); err != nil {
			return b, err
		}
		b.Memory = append(b.Memory, entry)
	}
	return b, nil
}

// read gives the document of a node that stands; one that has none leaves it as it is.
func read[T any](r *kernel.Run, body line.Body, id kernel.NodeID, into *T) error {
	v := r.Approved(id)
	if v == nil {
		return nil
	}
	doc, err := decodeVersion[T](body, v)
	*into = doc
	return err
}

// lastOf is how the chapter before ends, for the first scene of the next.
func lastOf(r *kernel.Run, body line.Body, chapter int) (briefing.Before, error) {
	text, err := TextOf(r, body, chapter)
	if err != nil || text == nil || len(text.Scenes) == 0 {
		return briefing.Before{}, err
	}
	return briefing.Before{Last: text.Scenes[len(text.Scenes)-1].Content}, nil
}

// goneOn adds a scene to what the next one comes after, as far as it is written.
func goneOn(r *kernel.Run, body line.Body, chapter, scene int, text *story.GeneratedChapter, before *briefing.Before) error {
	var s story.GeneratedScene
	if text != nil && scene <= len(text.Scenes) {
		s = text.Scenes[scene-1]
	}
	if err := read(r, body, SceneNode(chapter, scene), &s); err != nil {
		return err
	}
	if s.Content != "" {
		before.Earlier = append(before.Earlier, s)
	}
	return nil
}

// MemoryOf lists what is remembered of the chapters, ascending.
func MemoryOf(r *kernel.Run, body line.Body) ([]story.ChapterMemoryEntry, error) {
	var all []story.ChapterMemoryEntry
	for _, n := range Chapters(r) {
		if r.Approved(ChapterNode(n, StepMemory)) == nil {
			continue
		}
		var entry story.ChapterMemoryEntry
		if err := read(r, body, ChapterNode(n, StepMemory), &entry); err != nil {
			return nil, err
		}
		all = append(all, entry)
	}
	return all, nil
}

// ConsistencyOf is the newest consistency report on a chapter; nil where there is none.
func ConsistencyOf(r *kernel.Run, body line.Body, chapter int) (*story.ConsistencyReport, error) {
	v := r.Approved(ChapterNode(chapter, StepConsistency))
	if v == nil {
		return nil, nil
	}
	doc, err := decodeVersion[story.ConsistencyReport](body, v)
	return &doc, err
}

// LogicOf is the newest logic review of a chapter; nil where there is none.
func LogicOf(r *kernel.Run, body line.Body, chapter int) (*story.LogicReviewReport, error) {
	v := r.Approved(ChapterNode(chapter, StepLogic))
	if v == nil {
		return nil, nil
	}
	doc, err := decodeVersion[story.LogicReviewReport](body, v)
	return &doc, err
}

// BlockOf is what holds a book at its lowest pending chapter, with the ways out; nil where nothing is pending.
func BlockOf(r *kernel.Run, body line.Body) (*Block, []fault.Action, error) {
	pending := Pending(r)
	if len(pending) == 0 {
		return nil, nil, nil
	}
	doc, rev, err := blockOf(r, body, pending)
	return &doc, WaysOut(r, pending[0], CanApply(r, rev)), err
}

// Affected lists the chapters that a change reaches only through others: what they were made from was itself made from
// something that is another now.
func Affected(r *kernel.Run) []int {
	touched, direct := map[kernel.NodeID]bool{}, map[int]bool{}
	for _, o := range Stale(r) {
		touched[o.Node], direct[o.ChapterNumber] = true, true
	}
	if len(touched) == 0 {
		return nil
	}
	var all []int
	for _, chapter := range Chapters(r) {
		isReached := false
		for _, id := range chapterNodes(r, chapter) {
			if v := r.Approved(id); v != nil && !touched[id] && madeFrom(r, v, touched) {
				touched[id] = true
			}
			isReached = isReached || touched[id]
		}
		if isReached && !direct[chapter] {
			all = append(all, chapter)
		}
	}
	return all
}

func madeFrom(r *kernel.Run, v *kernel.Version, touched map[kernel.NodeID]bool) bool {
	for _, p := range v.Parents {
		if from, ok := r.Version(p); ok && touched[from.Node] {
			return true
		}
	}
	return false
}
