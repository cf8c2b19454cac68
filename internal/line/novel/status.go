package novel

import (
	"slices"

	"sluice/internal/kernel"
	"sluice/internal/line"
	"sluice/internal/line/novel/story"
)

// StatusDoc shows where a book stands.
type StatusDoc struct {
	Project        string            `json:"project"`
	Steps          map[string]string `json:"steps"`
	Chapters       []ChapterStatus   `json:"chapters"`
	BlockedChapter *int              `json:"blocked_chapter"` // null: none
	Words          int               `json:"words"`
	Tokens         int               `json:"tokens"`
	Cost           *float64          `json:"cost"`      // null where prices are not known
	Rehearsal      bool              `json:"rehearsal"` // its text came from the rehearsal model
}

// ChapterStatus is one row of it.
type ChapterStatus struct {
	ChapterNumber int                 `json:"chapter_number"`
	ChapterTitle  string              `json:"chapter_title"`
	Planned       bool                `json:"planned"`
	Written       bool                `json:"written"`
	Words         int                 `json:"words"`
	Revision      story.RevisionState `json:"revision"` // empty: there is none
	Locked        bool                `json:"locked"`
	Stale         bool                `json:"stale"`
}

// Where a step stands.
const (
	StepDone    = "done"
	StepMissing = "missing"
	StepStale   = "stale"
)

// Status of a book. It reads each chapter's text once, for its words.
func Status(r *kernel.Run, body line.Body) (StatusDoc, error) {
	doc := StatusDoc{Project: ProjectOf(r), Steps: map[string]string{}, Chapters: []ChapterStatus{},
		Tokens: r.Usage().InputTokens + r.Usage().OutputTokens}
	for _, step := range []string{StepWorld, StepTheme, StepCharacters, StepOutline} {
		doc.Steps[step] = stepState(r, kernel.NodeID(step))
	}
	doc.BlockedChapter, doc.Rehearsal = Blocked(r), r.Provider() == kernel.ProviderRehearsal
	chapters, err := listed(r, body)
	if err != nil {
		return doc, err
	}
	plan, text := StepDone, StepDone
	if len(chapters) == 0 {
		plan, text = StepMissing, StepMissing
	}
	locked := Locked(r)
	for _, c := range chapters {
		c.Locked = slices.Contains(locked, c.ChapterNumber)
		if err := c.fill(r, body); err != nil {
			return doc, err
		}
		plan = worse(plan, stepState(r, ChapterNode(c.ChapterNumber, StepPlan)))
		text = worse(text, textState(r, c.ChapterNumber))
		doc.Words += c.Words
		doc.Chapters = append(doc.Chapters, c)
	}
	doc.Steps[StepPlan], doc.Steps[StepText] = plan, text
	return doc, nil
}

// listed are the chapters of the outline, and those that stand besides.
func listed(r *kernel.Run, body line.Body) ([]ChapterStatus, error) {
	o, err := OutlineOf(r, body)
	if err != nil {
		return nil, err
	}
	var all []ChapterStatus
	known := map[int]bool{}
	if o != nil {
		for _, c := range o.Chapters {
			known[c.ChapterNumber] = true
			all = append(all, ChapterStatus{ChapterNumber: c.ChapterNumber, ChapterTitle: c.ChapterTitle})
		}
	}
	for _, n := range Chapters(r) {
		if !known[n] && (r.Approved(ChapterNode(n, StepText)) != nil || r.Approved(ChapterNode(n, StepPlan)) != nil) {
			all = append(all, ChapterStatus{ChapterNumber: n})
		}
	}
	slices.SortStableFunc(all, func(a, b ChapterStatus) int { return a.ChapterNumber - b.ChapterNumber })
	return all, nil
}

func (c *ChapterStatus) fill(r *kernel.Run, body line.Body) error {
	n := c.ChapterNumber
	c.Planned = stepState(r, ChapterNode(n, StepPlan)) != StepMissing
	c.Written = stepState(r, ChapterNode(n, StepText)) != StepMissing
	c.Stale = IsStale(r, n)
	if rev, ok := r.Node(ChapterNode(n, StepRevision)); ok && rev.Newest() != nil && rev.Status() != kernel.StatusAbandoned {
		if c.Revision = story.RevisionPending; !isPending(rev) {
			doc, err := decodeVersion[story.RevisionStatus](body, rev.Newest())
			if err != nil {
				return err
			}
			c.Revision = doc.Status
		}
	}
	if !c.Written {
		return nil
	}
	text, err := TextOf(r, body, n)
	if err != nil || text == nil {
		return err
	}
	c.Words = text.TotalWords
	if c.ChapterTitle == "" {
		c.ChapterTitle = text.ChapterTitle
	}
	return nil
}

// IsStale tells whether something that a chapter was made from is another now. Reports do not count: each belongs to the
// text it is on.
func IsStale(r *kernel.Run, chapter int) bool {
	return slices.ContainsFunc(staleIn(r, chapter), func(o Outdated) bool { return o.Step != StepConsistency && o.Step != StepLogic })
}

func stepState(r *kernel.Run, id kernel.NodeID) string {
	n, ok := r.Node(id)
	switch {
	case !ok || n.Approved() == nil || n.Status() == kernel.StatusAbandoned:
		return StepMissing
	}
	if _, isOld := outdated(r, id); isOld {
		return StepStale
	}
	return StepDone
}

// textState is how the text of a chapter stands: it is as old as the oldest of its scenes.
func textState(r *kernel.Run, chapter int) string {
	state := stepState(r, ChapterNode(chapter, StepText))
	if state == StepDone && slices.ContainsFunc(staleIn(r, chapter), func(o Outdated) bool { return o.Step == StepScene }) {
		return StepStale
	}
	return state
}

// worse is how a step stands that is done once per chapter.
func worse(a, b string) string {
	for _, s := range []string{StepMissing, StepStale} {
		if a == s || b == s {
			return s
		}
	}
	return StepDone
}
