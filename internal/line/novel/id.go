package novel

import (
	"fmt"
	"strconv"
	"strings"

	"sluice/internal/kernel"
	"sluice/internal/line/novel/story"
)

// Name is what the line is called.
const Name = "novel"

// Labels of a run.
const (
	LabelProject = "project"
	LabelForce   = "force"  // the scope that is being made again, until it is done
	LabelLocked  = "locked" // chapters that must not change
)

// Steps of the line. The first six are those a user names.
const (
	StepWorld       = "world"
	StepTheme       = "theme"
	StepCharacters  = "characters"
	StepOutline     = "outline"
	StepPlan        = "plan"
	StepText        = "text"
	StepSettings    = "settings"
	StepScene       = "scene"
	StepMemory      = "memory"
	StepConsistency = "consistency"
	StepLogic       = "logic"
	StepCandidate   = "candidate"
	StepRevision    = "revision"
)

// Steps lists what a user may name, in the order of work.
func Steps() []string {
	return []string{StepWorld, StepTheme, StepCharacters, StepOutline, StepPlan, StepText}
}

// IsChapterStep tells whether a step is done once per chapter.
func IsChapterStep(step string) bool { return step == StepPlan || step == StepText }

// Nodes of the whole book.
const (
	SettingsNode   kernel.NodeID = StepSettings
	WorldNode      kernel.NodeID = StepWorld
	ThemeNode      kernel.NodeID = StepTheme
	CharactersNode kernel.NodeID = StepCharacters
	OutlineNode    kernel.NodeID = StepOutline
)

// ChapterNode names the node of a chapter that does a step: plan, text, memory, consistency, logic or revision.
func ChapterNode(chapter int, step string) kernel.NodeID {
	number := strconv.Itoa(chapter)
	for len(number) < 3 {
		number = "0" + number
	}
	return kernel.NodeID("chapter/" + number + "/" + step)
}

// SceneNode names the node of a scene.
func SceneNode(chapter, scene int) kernel.NodeID {
	return kernel.NodeID(fmt.Sprintf("chapter/%03d/scene/%02d", chapter, scene))
}

// CandidateNode names the nth wish for a revised chapter.
func CandidateNode(chapter, n int) kernel.NodeID {
	return kernel.NodeID(fmt.Sprintf("chapter/%03d/candidate/%02d", chapter, n))
}

// ChapterOf gives the chapter that a node belongs to, or 0.
func ChapterOf(id kernel.NodeID) int {
	rest, ok := strings.CutPrefix(string(id), "chapter/")
	if !ok {
		return 0
	}
	number, _, _ := strings.Cut(rest, "/")
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 {
		return 0
	}
	return n
}

// RunID is the run of a project: one per name, whatever its case.
func RunID(project string) kernel.RunID { return kernel.RunID("novel-" + story.FoldName(project)) }

// ProjectOf gives the project's name of a run.
func ProjectOf(r *kernel.Run) string { return r.Labels()[LabelProject] }

// pathOf is where a file of the project stands in the workspace.
func pathOf(r *kernel.Run, file string) string { return story.Dir(ProjectOf(r)) + "/" + file }

// NodeOf gives the node whose content a file shows, if it is one node's.
func NodeOf(p story.Place) (kernel.NodeID, bool) {
	switch p.Kind {
	case story.KindSettings, story.KindWorld, story.KindTheme, story.KindCharacters, story.KindOutline:
		return kernel.NodeID(p.Kind), true
	case story.KindPlan, story.KindChapter, story.KindRevision, story.KindReview:
		return ChapterNode(p.Chapter, string(p.Kind)), true
	case story.KindScene:
		return SceneNode(p.Chapter, p.Scene), true
	}
	return "", false
}

// placeOf is the file that shows a node, if one does.
func placeOf(n kernel.Node) (story.Place, bool) {
	p, err := paramsOf(n)
	if err != nil {
		return story.Place{}, false
	}
	switch n.Step {
	case StepSettings, StepWorld, StepTheme, StepCharacters, StepOutline:
		return story.Place{Kind: story.Kind(n.Step)}, true
	case StepPlan, StepText, StepRevision, StepLogic:
		return story.Place{Kind: story.Kind(n.Step), Chapter: p.Chapter}, true
	case StepScene:
		return story.Place{Kind: story.KindScene, Chapter: p.Chapter, Scene: p.Scene}, true
	}
	return story.Place{}, false
}
