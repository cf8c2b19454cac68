package novel

import (
	"fmt"
	"slices"

	"sluice/internal/fault"
	"sluice/internal/kernel"
	"sluice/internal/line"
	"sluice/internal/line/novel/story"
)

// chapterStage finds what one chapter needs next.
type chapterStage struct {
	guide  *Guide
	run    *kernel.Run
	body   line.Body
	number int
}

func (c *chapterStage) id(step string) kernel.NodeID { return ChapterNode(c.number, step) }

// next walks the order of work: plan, scenes, text, then what is made from the text. It gives a stage, or how it ended.
func (c *chapterStage) next() (Stage, *End, error) {
	n, ok := c.run.Node(c.id(StepRevision))
	isHeld, goal := ok && isPending(n), c.guide.Goal
	waits := &End{Chapter: c.number, State: Waiting, Revision: RevisionWaits}
	if !goal.Alone || goal.until() == StepPlan { // the chapter that waits may be repaired, and a plan touches no text
		st, end := c.node(planNode(c.number))
		if end != nil && isHeld {
			end = waits
		}
		if end != nil || !st.isEmpty() {
			return st, end, nil
		}
	}
	if isHeld && (goal.until() != StepPlan || c.leadsOn()) {
		return Stage{}, waits, nil
	}
	if goal.until() == StepPlan {
		return Stage{}, &End{Chapter: c.number, State: Reached}, nil
	}
	if n, ok := c.run.Node(c.id(StepText)); !ok || n.Status() != kernel.StatusDone {
		return c.write()
	}
	return c.after()
}

// leadsOn tells whether the goal would make something of a later chapter.
func (c *chapterStage) leadsOn() bool {
	goal := c.guide.Goal
	return goal.Chapters == nil || slices.ContainsFunc(goal.Chapters, func(n int) bool { return n > c.number && wouldGenerate(c.run, n, goal.until()) })
}

// node wants one node done: it is recorded, performed, or failed.
func (c *chapterStage) node(spec kernel.Node) (Stage, *End) {
	n, ok := c.run.Node(spec.ID)
	if !ok || n.Status() == kernel.StatusAbandoned {
		return Stage{Deeds: []Deed{c.unfold(nil, spec)}, Drive: []kernel.NodeID{spec.ID}}, nil
	}
	switch n.Status() {
	case kernel.StatusDone:
		return Stage{}, nil
	case kernel.StatusReady, kernel.StatusRework, kernel.StatusRunning:
		return Stage{Drive: []kernel.NodeID{spec.ID}}, nil
	case kernel.StatusFailed:
		return Stage{}, failedEnd(c.number, n)
	}
	return Stage{}, c.stuck(n)
}

// stuck is the end of a chapter where something cannot begin.
func (c *chapterStage) stuck(n kernel.View) *End {
	return &End{Chapter: c.number, State: Broken, Node: n.ID(), Error: kernel.StepError{Code: string(fault.MissingPrerequisite),
		Message: fmt.Sprintf("node %s is %s", n.ID(), n.Status()), Class: kernel.Permanent, Final: true}}
}

func (c *chapterStage) unfold(abandon []kernel.NodeID, nodes ...kernel.Node) Deed {
	return Deed{Command: kernel.Unfold{Stamp: c.guide.stamp, Nodes: nodes, Abandon: abandon}}
}

// write is the stage of a chapter whose text is not there or is made again: scenes in order, then the text.
func (c *chapterStage) write() (Stage, *End, error) {
	v := c.run.Approved(c.id(StepPlan))
	if v == nil {
		return Stage{}, &End{Chapter: c.number, State: Broken, Node: c.id(StepPlan), Error: c.missing(story.PlanFile(c.number))}, nil
	}
	if end, err := c.dependencies(); end != nil || err != nil {
		return Stage{}, end, err
	}
	plan, err := decodeVersion[story.ChapterPlan](c.body, v)
	if err != nil {
		return Stage{}, nil, err
	}
	if st, end := c.scenes(plan); end != nil || !st.isEmpty() {
		return st, end, nil
	}
	st, end := c.node(textNode(c.number))
	return st, end, nil
}

// scenes wants every scene of the plan, and none besides.
func (c *chapterStage) scenes(plan story.ChapterPlan) (Stage, *End) {
	var st Stage
	var added []kernel.Node
	var surplus, stale []kernel.NodeID
	for k, id := range sceneNodes(c.run, c.number) {
		if n, _ := c.run.Node(id); k >= len(plan.Scenes) && n.Status() != kernel.StatusAbandoned {
			surplus = append(surplus, id)
		}
	}
	for k := range plan.Scenes {
		spec := sceneNode(c.number, k+1)
		n, ok := c.run.Node(spec.ID)
		switch {
		case !ok || n.Status() == kernel.StatusAbandoned:
			added = append(added, spec)
		case n.Status() == kernel.StatusFailed:
			return Stage{}, failedEnd(c.number, n)
		case n.Status() == kernel.StatusDone:
			if n.IsStale() && !c.guide.Goal.Merge { // its plan or the scene before it is another now
				stale = append(stale, spec.ID)
			}
			continue
		}
		st.Drive = append(st.Drive, spec.ID)
	}
	if len(added) > 0 || len(surplus) > 0 {
		st.Deeds = append(st.Deeds, c.unfold(surplus, added...))
	}
	if len(stale) > 0 {
		st.Deeds = append(st.Deeds, Deed{Command: kernel.Revise{Stamp: c.guide.stamp, Nodes: stale, Note: ""}})
		st.Drive = append(st.Drive, stale...)
	}
	return st, nil
}

// dependencies ends the chapter where one that it builds on has no text.
func (c *chapterStage) dependencies() (*End, error) {
	o, err := c.guide.outline(c.run, c.body)
	if err != nil || o == nil {
		return nil, err
	}
	entry, _ := o.Chapter(c.number)
	for _, d := range entry.Dependencies {
		if d.ChapterNumber > 0 && d.ChapterNumber < c.number && c.run.Approved(ChapterNode(d.ChapterNumber, StepText)) == nil {
			return &End{Chapter: c.number, State: Broken, Node: c.id(StepText), Error: c.missing(story.ChapterFile(d.ChapterNumber))}, nil
		}
	}
	return nil, nil
}

func (c *chapterStage) missing(file string) kernel.StepError {
	return kernel.StepError{Code: string(fault.MissingPrerequisite), Class: kernel.Permanent, Final: true,
		Message: fmt.Sprintf("chapter %d needs %s", c.number, pathOf(c.run, file))}
}

// made is the newest text that the engine put together: what is checked and reviewed. Texts of people are theirs, and a
// revision that was applied is not revised again.
func made(text kernel.View) *kernel.Version {
	for _, v := range slices.Backward(text.Versions()) {
		if v.By.Kind == kernel.Engine && !v.IsAway() && !v.IsOffer() {
			return v
		}
	}
	return nil
}

// settingsAt are the settings under which a text was made: a change of policy is not retroactive.
func (c *chapterStage) settingsAt(text *kernel.Version) (story.Settings, error) {
	for _, p := range text.Parents {
		if v, ok := c.run.Version(p); ok && v.Node == SettingsNode {
			return settingsIn(c.body, v)
		}
	}
	return SettingsOf(c.run, c.body)
}
