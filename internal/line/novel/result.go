package novel

import (
	"sluice/internal/kernel"
	"sluice/internal/line"
	"sluice/internal/line/novel/story"
)

// Result is what became of one step of a request.
type Result struct {
	Step          string `json:"step"`
	ChapterNumber int    `json:"chapter_number,omitempty"`
	Action        Action `json:"action"`
	Path          string `json:"path"`
	Error         string `json:"error,omitempty"`
}

// Action is how a step was fulfilled.
type Action string

const (
	Generated   Action = "generated"
	Reused      Action = "reused"
	Regenerated Action = "regenerated"
	Failed      Action = "failed"
)

// Marks remember what stood when a request began, by node.
type Marks map[kernel.NodeID]kernel.VersionID

// Mark notes what stands now of the steps of a goal. A goal of chapters names them.
func Mark(r *kernel.Run, g Goal) Marks {
	m := Marks{}
	for _, id := range goalNodes(g) {
		if v := r.Approved(id); v != nil {
			m[id] = v.ID
		}
	}
	return m
}

// Results says what became of each step of a goal, in order: those that were made or failed, and those that were reused.
// Steps that were not come to, since something before them failed or waits, are left out.
func Results(r *kernel.Run, g Goal, before Marks, ends []End) []Result {
	failures := map[int]End{}
	for _, e := range ends {
		if e.State == Broken {
			failures[e.Chapter] = e
		}
	}
	var out []Result
	for _, id := range goalNodes(g) {
		res := Result{Step: string(id), ChapterNumber: ChapterOf(id)}
		n, ok := r.Node(id)
		if res.ChapterNumber > 0 {
			res.Step = stepOf(id)
		}
		place, _ := placeOf(kernel.Node{Step: res.Step, Params: mustParams(res.ChapterNumber)})
		res.Path = pathOf(r, place.File())
		was := before[id]
		end, isBroken := failures[res.ChapterNumber]
		switch {
		case isBroken && stepOf(end.Node) == res.Step:
			res.Action, res.Error = Failed, end.Error.Message
		case !ok || n.Approved() == nil:
			continue
		case n.Approved().ID == was:
			res.Action = Reused
		case was == "":
			res.Action = Generated
		default:
			res.Action = Regenerated
		}
		out = append(out, res)
	}
	return out
}

// stepOf is the step that a user knows a node by: what is made on the way to a text is part of it.
func stepOf(id kernel.NodeID) string {
	n := ChapterOf(id)
	switch {
	case n == 0:
		return string(id)
	case id == ChapterNode(n, StepPlan):
		return StepPlan
	}
	return StepText
}

// goalNodes are the nodes by which the steps of a goal are known, in order.
func goalNodes(g Goal) []kernel.NodeID {
	var all []kernel.NodeID
	for _, step := range []string{StepWorld, StepTheme, StepCharacters, StepOutline} {
		if !g.Alone || step == g.until() {
			all = append(all, kernel.NodeID(step))
		}
		if step == g.until() {
			return all
		}
	}
	for _, n := range g.Chapters {
		if !g.Alone || g.until() == StepPlan {
			all = append(all, ChapterNode(n, StepPlan))
		}
		if g.until() == StepText {
			all = append(all, ChapterNode(n, StepText))
		}
	}
	return all
}

func mustParams(chapter int) []byte {
	if chapter == 0 {
		return nil
	}
	return makeNode("x", StepText, "", params{Chapter: chapter}).Params
}

// Missing refuses a request whose step needs what is not there, and names the file and the commands in order. It is for a
// step that is asked for alone: a run makes what it needs.
func Missing(r *kernel.Run, body line.Body, g Goal) error {
	if !g.Alone {
		return nil
	}
	for _, step := range prerequisites[g.until()] {
		if !IsChapterStep(step) {
			if r.Approved(kernel.NodeID(step)) == nil {
				return missingStep(r, body, g, story.Place{Kind: story.Kind(step)})
			}
			continue
		}
		for _, n := range g.Chapters {
			if r.Approved(ChapterNode(n, step)) == nil {
				return missingStep(r, body, g, story.Place{Kind: story.KindPlan, Chapter: n})
			}
		}
	}
	return nil
}

var prerequisites = map[string][]string{
	StepTheme:      {StepWorld},
	StepCharacters: {StepWorld, StepTheme},
	StepOutline:    {StepWorld, StepTheme, StepCharacters},
	StepPlan:       {StepWorld, StepCharacters, StepOutline},
	StepText:       {StepWorld, StepCharacters, StepOutline, StepPlan}, // the outline says which chapters it builds on
}
