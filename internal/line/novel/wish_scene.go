package novel

import (
	"fmt"
	"slices"

	"sluice/internal/fault"
	"sluice/internal/kernel"
	"sluice/internal/line"
	"sluice/internal/line/novel/story"
)

// PlanOf is the plan of a chapter that stands, or a refusal that names its file and the commands that make it.
func PlanOf(r *kernel.Run, body line.Body, chapter int) (story.ChapterPlan, error) {
	goal := Goal{Until: StepPlan, Alone: true, Chapters: []int{chapter}}
	if err := Missing(r, body, goal); err != nil {
		return story.ChapterPlan{}, err
	}
	v := r.Approved(ChapterNode(chapter, StepPlan))
	if v == nil {
		return story.ChapterPlan{}, missingStep(r, body, goal, story.Place{Kind: story.KindPlan, Chapter: chapter})
	}
	return decodeVersion[story.ChapterPlan](body, v)
}

// WishScene wants one scene of a chapter written, or written again: commands first, then the node is performed. One that is
// being made again already goes on.
func WishScene(r *kernel.Run, body line.Body, s kernel.Stamp, chapter, scene int) ([]Deed, kernel.NodeID, error) {
	plan, err := PlanOf(r, body, chapter)
	if err != nil {
		return nil, "", err
	}
	if scene < 1 || scene > len(plan.Scenes) {
		return nil, "", fault.New(fault.BadValue, ProjectOf(r), "the plan of chapter %d has %d scenes; there is no scene %d", chapter, len(plan.Scenes), scene).
			With(fault.Action{Action: "plan", Command: fmt.Sprintf("sluice novel step %s plan --chapters %d --force", ProjectOf(r), chapter), Why: "it plans the chapter anew"})
	}
	if scene > 1 && r.Approved(SceneNode(chapter, scene-1)) == nil {
		return nil, "", missingScene(r, chapter, scene-1)
	}
	id := SceneNode(chapter, scene)
	n, ok := r.Node(id)
	switch {
	case !ok || n.Status() == kernel.StatusAbandoned:
		var nodes []kernel.Node
		for k := 1; k <= scene; k++ {
			nodes = append(nodes, sceneNode(chapter, k))
		}
		return []Deed{{Command: kernel.Unfold{Stamp: s, Nodes: nodes}}}, id, nil
	case n.Status() == kernel.StatusDone:
		return []Deed{{Command: kernel.Revise{Stamp: s, Nodes: []kernel.NodeID{id}}}}, id, nil
	case n.Status() == kernel.StatusFailed:
		return []Deed{{Command: kernel.Reopen{Stamp: s, Node: id, Reason: "asked for again"}}}, id, nil
	}
	return nil, id, nil
}

// WishMerge wants the chapter put together from its scenes as they stand. A text that is that already stays; a revision
// that waits for another text is over.
func WishMerge(r *kernel.Run, body line.Body, s kernel.Stamp, chapter int) ([]Deed, error) {
	plan, err := PlanOf(r, body, chapter)
	if err != nil {
		return nil, err
	}
	text, isThere := r.Node(ChapterNode(chapter, StepText))
	isMerged := isThere && text.Status() == kernel.StatusDone
	for k := range plan.Scenes {
		v := r.Approved(SceneNode(chapter, k+1))
		if v == nil {
			return nil, missingScene(r, chapter, k+1)
		}
		isMerged = isMerged && slices.Contains(text.Approved().Parents, v.ID)
	}
	if isMerged || !isThere || text.Status() != kernel.StatusDone {
		return nil, nil
	}
	deeds := supersede(r, s, chapter, "the chapter was put together anew from its scenes")
	return append(deeds, Deed{Command: kernel.Revise{Stamp: s, Nodes: []kernel.NodeID{text.ID()}}}), nil
}

// WishMemory wants the memory of a chapter recorded again from its text.
func WishMemory(r *kernel.Run, body line.Body, s kernel.Stamp, chapter int) ([]Deed, kernel.NodeID, error) {
	return WishReport(r, body, s, chapter, StepMemory, true)
}
