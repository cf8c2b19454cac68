package novel

import (
	"sluice/internal/kernel"
	"sluice/internal/line"
	"sluice/internal/line/novel/story"
)

// Goal is what a request wants of a book.
type Goal struct {
	Until    string // the last step wanted; empty means text
	Alone    bool   // that step and nothing before it
	Chapters []int  // ascending; nil means every chapter of the outline
	Merge    bool   // scenes are taken as they are, even where one was written again since
}

func (g Goal) until() string {
	if g.Until == "" {
		return StepText
	}
	return g.Until
}

// Stage is what a goal needs next, derived from the journal alone: commands to apply, then nodes to perform side by side.
// Neither means that the goal is reached as far as it can be.
type Stage struct {
	Deeds []Deed
	Drive []kernel.NodeID
}

func (s Stage) isEmpty() bool { return len(s.Deeds) == 0 && len(s.Drive) == 0 }

// Guide leads a run to its goal. It holds no state of the work: a new guide on the same journal says the same. What it
// remembers are chapters that are behind it and documents it has read.
type Guide struct {
	Goal  Goal
	Ends  []End // of the chapters so far, in order
	stamp kernel.Stamp
	known struct {
		outline  kernel.VersionID
		document *story.Outline
		chapters []int // of the goal, by that outline
	}
}

// End is how a chapter ended, or how a step of the book failed.
type End struct {
	Chapter int // 0: the book itself
	State   EndState
	Node    kernel.NodeID    // that failed
	Error   kernel.StepError // of a failure
	Fixable int              // issues that say how they are fixed and were not
	// Revision is what became of them; empty where the chapter did not come that far.
	Revision RevisionOutcome
}

// RevisionOutcome is what the revision stage made of a chapter's issues.
type RevisionOutcome string

const (
	RevisionNeedless RevisionOutcome = "none"
	RevisionReported RevisionOutcome = "reported" // the policy leaves the text alone
	RevisionApplied  RevisionOutcome = "applied"
	RevisionFailed   RevisionOutcome = "failed"  // the text stays as it was made
	RevisionDecided  RevisionOutcome = "decided" // by a person
	RevisionWaits    RevisionOutcome = "pending"
)

// EndState is the sort of an End.
type EndState string

const (
	Reached EndState = "done"
	Broken  EndState = "failed"
	Waiting EndState = "pending"
)

// NewGuide makes a guide. What it commands by rule is stamped with the time that Next is given.
func NewGuide(g Goal) *Guide { return &Guide{Goal: g} }

// Next says what the goal needs now.
func (g *Guide) Next(r *kernel.Run, body line.Body, s kernel.Stamp) (Stage, error) {
	s.By = kernel.Actor{Kind: kernel.Rule, Name: "novel"}
	g.stamp, g.Ends = s, g.standing(r)
	if len(g.Ends) > 0 && g.Ends[len(g.Ends)-1].stops() {
		return Stage{}, nil
	}
	if st, end := g.book(r); end != nil || !st.isEmpty() {
		return g.ended(st, end), nil
	}
	if !IsChapterStep(g.Goal.until()) {
		return Stage{}, nil
	}
	chapters, err := g.chapters(r, body)
	if err != nil {
		return Stage{}, err
	}
	for len(g.Ends) < len(chapters) {
		c := chapterStage{guide: g, run: r, body: body, number: chapters[len(g.Ends)]}
		st, end, err := c.next()
		if err != nil {
			return Stage{}, err
		}
		if end == nil {
			return st, st.refuseShut(r, body)
		}
		if g.ended(st, end); end.stops() {
			break
		}
	}
	return Stage{}, nil
}

func (g *Guide) ended(st Stage, end *End) Stage {
	if end == nil {
		return st
	}
	g.Ends = append(g.Ends, *end)
	return Stage{}
}

// stops tells whether nothing may come after this end: a pending chapter, or a book without its foundations.
func (e End) stops() bool { return e.State == Waiting || e.Chapter == 0 }

// book is the stage of the steps before the chapters.
func (g *Guide) book(r *kernel.Run) (Stage, *End) {
	var st Stage
	steps := []string{StepSettings, StepWorld, StepTheme, StepCharacters, StepOutline}
	for _, step := range steps {
		n, ok := r.Node(kernel.NodeID(step))
		if !ok {
			continue
		}
		if wanted := !g.Goal.Alone || step == g.Goal.until() || step == StepSettings; wanted {
			switch n.Status() {
			case kernel.StatusFailed:
				return Stage{}, failedEnd(0, n)
			case kernel.StatusReady, kernel.StatusRework, kernel.StatusRunning, kernel.StatusWaiting:
				st.Drive = append(st.Drive, n.ID())
			}
		}
		if step == g.Goal.until() {
			break
		}
	}
	return st, nil
}

func failedEnd(chapter int, n kernel.View) *End {
	end := &End{Chapter: chapter, State: Broken, Node: n.ID()}
	if f := n.Failure(); f != nil {
		end.Error = *f
	}
	return end
}

// chapters are those of the goal, as far as the outline has them. They are found once per outline: a guide is asked for every
// chapter.
func (g *Guide) chapters(r *kernel.Run, body line.Body) ([]int, error) {
	o, err := g.outline(r, body)
	if err != nil || o == nil {
		return nil, err
	}
	if g.known.chapters != nil {
		return g.known.chapters, nil
	}
	wanted := make(map[int]bool, len(g.Goal.Chapters))
	for _, n := range g.Goal.Chapters {
		wanted[n] = true
	}
	all := make([]int, 0, len(o.Chapters))
	for _, c := range o.Chapters {
		if g.Goal.Chapters == nil || wanted[c.ChapterNumber] {
			all = append(all, c.ChapterNumber)
		}
	}
	g.known.chapters = sorted(all)
	return g.known.chapters, nil
}

// outline reads the outline once per version.
func (g *Guide) outline(r *kernel.Run, body line.Body) (*story.Outline, error) {
	v := r.Approved(OutlineNode)
	if v == nil {
		return nil, nil
	}
	if g.known.document == nil || g.known.outline != v.ID {
		o, err := decodeVersion[story.Outline](body, v)
		if err != nil {
			return nil, err
		}
		g.known.document, g.known.outline, g.known.chapters = &o, v.ID, nil
	}
	return g.known.document, nil
}
