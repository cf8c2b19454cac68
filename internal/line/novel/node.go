package novel

import (
	"encoding/json"
	"fmt"

	"sluice/internal/fault"
	"sluice/internal/kernel"
	"sluice/internal/line/novel/story"
)

// params is what a node carries: where it belongs, and what a candidate is to mend.
type params struct {
	Chapter     int           `json:"chapter_number,omitempty"`
	Scene       int           `json:"scene_number,omitempty"`
	Notes       string        `json:"revision_notes,omitempty"`
	TriggeredBy story.Trigger `json:"triggered_by,omitempty"`
}

func paramsOf(n kernel.Node) (params, error) {
	var p params
	if len(n.Params) == 0 {
		return p, nil
	}
	if err := json.Unmarshal(n.Params, &p); err != nil {
		return p, fault.Wrap(fault.BadNode, string(n.ID), err, "node %s has no proper parameters", n.ID)
	}
	return p, nil
}

// attempts is how many unusable replies a node may get before it fails.
const attempts = 3

// makeNode is a node that the engine makes. A failure is the end of it until someone asks again: a chapter that fails does
// not hold up the others, and nobody is asked.
func makeNode(id kernel.NodeID, step, title string, p params, needs ...kernel.NodeID) kernel.Node {
	n := kernel.Node{ID: id, Kind: kernel.Make, Title: title, Step: step, Performer: kernel.Engine, Attempts: attempts,
		OnExhausted: kernel.FailNode, OnFail: kernel.FailNode}
	for _, from := range needs {
		n.Needs = append(n.Needs, kernel.Need{Node: from})
	}
	if p != (params{}) {
		n.Params, _ = json.Marshal(p) // numbers and text: it cannot fail
	}
	return n
}

// bookNodes are the nodes of every book from its beginning.
func bookNodes() []kernel.Node {
	return []kernel.Node{
		makeNode(SettingsNode, StepSettings, "settings", params{}),
		makeNode(WorldNode, StepWorld, "world", params{}),
		makeNode(ThemeNode, StepTheme, "theme and conflict", params{}, WorldNode),
		makeNode(CharactersNode, StepCharacters, "characters", params{}, WorldNode, ThemeNode),
		makeNode(OutlineNode, StepOutline, "outline", params{}, WorldNode, ThemeNode, CharactersNode),
	}
}

func planNode(chapter int) kernel.Node {
	return makeNode(ChapterNode(chapter, StepPlan), StepPlan, fmt.Sprintf("chapter %d: plan", chapter), params{Chapter: chapter},
		WorldNode, CharactersNode, OutlineNode)
}

// sceneNode needs the scene before it: each goes on from there.
func sceneNode(chapter, scene int) kernel.Node {
	needs := []kernel.NodeID{ChapterNode(chapter, StepPlan)}
	if scene > 1 {
		needs = append(needs, SceneNode(chapter, scene-1))
	}
	return makeNode(SceneNode(chapter, scene), StepScene, fmt.Sprintf("chapter %d: scene %d", chapter, scene),
		params{Chapter: chapter, Scene: scene}, needs...)
}

// textNode does not need its scenes: a plan made anew may have others. Its step wants them.
func textNode(chapter int) kernel.Node {
	return makeNode(ChapterNode(chapter, StepText), StepText, fmt.Sprintf("chapter %d: text", chapter), params{Chapter: chapter},
		ChapterNode(chapter, StepPlan))
}

func memoryNode(chapter int) kernel.Node {
	n := makeNode(ChapterNode(chapter, StepMemory), StepMemory, fmt.Sprintf("chapter %d: memory", chapter), params{Chapter: chapter},
		ChapterNode(chapter, StepText))
	n.Refresh = true
	return n
}

func reportNode(chapter int, step string) kernel.Node {
	return makeNode(ChapterNode(chapter, step), step, fmt.Sprintf("chapter %d: %s", chapter, step), params{Chapter: chapter},
		ChapterNode(chapter, StepText))
}

func candidateNode(chapter, number int, by story.Trigger, notes string) kernel.Node {
	return makeNode(CandidateNode(chapter, number), StepCandidate, fmt.Sprintf("chapter %d: candidate %d", chapter, number),
		params{Chapter: chapter, Notes: notes, TriggeredBy: by}, ChapterNode(chapter, StepText))
}

// Gate rules of the line.
const (
	RuleRevision         = "revision_decided"
	RuleRevisionRevision = 1
)

// revisionNode holds the RevisionStatus. Its rule is not satisfied while it is pending, and then a person is asked.
func revisionNode(chapter int) kernel.Node {
	n := makeNode(ChapterNode(chapter, StepRevision), StepRevision, fmt.Sprintf("chapter %d: revision", chapter), params{Chapter: chapter})
	n.Gate = kernel.Gate{Rule: RuleRevision, Revision: RuleRevisionRevision}
	n.OnReject = kernel.AskPerson
	n.Ask = &kernel.AskSpec{Kind: kernel.AskDecide, Title: fmt.Sprintf("chapter %d waits for revision", chapter), Options: []kernel.Option{
		{Value: "apply", Label: "the candidate becomes the chapter", Effect: kernel.Approve},
		{Value: "reject", Label: "the chapter stays as it is", Effect: kernel.AbandonIt},
	}}
	return n
}

// nodesFor gives the node with an id and what it stands on, for content that comes from a file.
func nodesFor(p story.Place) []kernel.Node {
	if p.Chapter == 0 {
		return nil
	}
	nodes := []kernel.Node{planNode(p.Chapter)}
	switch p.Kind {
	case story.KindChapter:
		nodes = append(nodes, textNode(p.Chapter))
	case story.KindScene:
		for k := 1; k <= p.Scene; k++ {
			nodes = append(nodes, sceneNode(p.Chapter, k))
		}
	case story.KindReview:
		nodes = append(nodes, textNode(p.Chapter), reportNode(p.Chapter, StepLogic))
	case story.KindRevision:
		nodes = append(nodes, revisionNode(p.Chapter))
	}
	return nodes
}
