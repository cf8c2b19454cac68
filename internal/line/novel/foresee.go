package novel

import (
	"slices"
	"strconv"
	"strings"

	"sluice/internal/fault"
	"sluice/internal/kernel"
	"sluice/internal/line"
	"sluice/internal/line/novel/briefing"
	"sluice/internal/line/novel/story"
)

// CheckStep refuses a step that no user can name; empty means the last.
func CheckStep(step string) error {
	if step == "" || slices.Contains(Steps(), step) {
		return nil
	}
	return fault.New(fault.BadValue, "step", "there is no step %.40q; the steps are %s", step, strings.Join(Steps(), ", "))
}

// WouldGenerate tells whether running a chapter would make its plan or text, or make one of them again.
func WouldGenerate(r *kernel.Run, chapter int, until string) bool {
	return wouldGenerate(r, chapter, until)
}

// Foreseen says of each step of a goal what will become of it as far as that is certain: used as it is, or made again
// because it is forced. Steps that are to be made are left out.
func Foreseen(r *kernel.Run, g Goal, force bool) []Result {
	var all []Result
	again := forcedSteps(g, force)
	for _, id := range goalNodes(g) {
		n, ok := r.Node(id)
		res := resultOf(r, id)
		switch {
		case again(id):
			res.Action = Regenerated
		case ok && n.Status() == kernel.StatusDone:
			res.Action = Reused
		default:
			continue
		}
		all = append(all, res)
	}
	return all
}

// forcedSteps tells of a node by which a step is known whether the goal makes it again.
func forcedSteps(g Goal, force bool) func(kernel.NodeID) bool {
	return func(id kernel.NodeID) bool {
		if ChapterOf(id) == 0 {
			return force && !IsChapterStep(g.until()) && string(id) == g.until()
		}
		return force
	}
}

// resultOf names the step of a node with its file.
func resultOf(r *kernel.Run, id kernel.NodeID) Result {
	res := Result{Step: string(id), ChapterNumber: ChapterOf(id)}
	if res.ChapterNumber > 0 {
		res.Step = stepOf(id)
	}
	place, _ := placeOf(kernel.Node{Step: res.Step, Params: mustParams(res.ChapterNumber)})
	res.Path = pathOf(r, place.File())
	return res
}

// SceneOf is a scene of a chapter that stands; nil where there is none.
func SceneOf(r *kernel.Run, body line.Body, chapter, scene int) (*story.GeneratedScene, error) {
	v := r.Approved(SceneNode(chapter, scene))
	if v == nil {
		return nil, nil
	}
	s, err := decodeVersion[story.GeneratedScene](body, v)
	return &s, err
}

// Shown is a file of a book with the version that it shows.
type Shown struct {
	File    string // in the project
	Version kernel.VersionID
}

// Standing lists the files of a book that show a document now, in the order of work.
func Standing(r *kernel.Run) []Shown {
	var all []Shown
	add := func(id kernel.NodeID) {
		n, ok := r.Node(id)
		if !ok || n.Newest() == nil || n.Status() == kernel.StatusAbandoned {
			return
		}
		if p, ok := placeOf(n.Node()); ok && !(p.Kind == story.KindScene && isMerged(r, p.Chapter, n.Newest())) {
			all = append(all, Shown{p.File(), n.Newest().ID})
		}
	}
	for _, n := range bookNodes() {
		add(n.ID)
	}
	for _, chapter := range Chapters(r) {
		for _, id := range chapterNodes(r, chapter) {
			add(id)
		}
	}
	return all
}

// PathOf is the file in the workspace that shows a node; empty where none does by itself.
func PathOf(r *kernel.Run, id kernel.NodeID) string {
	n, ok := r.Node(id)
	if !ok {
		return ""
	}
	switch n.Node().Step {
	case StepMemory:
		return pathOf(r, story.MemoryFile)
	case StepConsistency:
		return pathOf(r, story.ReportsFile)
	}
	p, ok := placeOf(n.Node())
	if !ok {
		return ""
	}
	if p.Kind == story.KindScene && isMerged(r, p.Chapter, n.Newest()) {
		return pathOf(r, story.ChapterFile(p.Chapter))
	}
	return pathOf(r, p.File())
}

// AgentOf names the agent that is asked for a node; empty where none is.
func AgentOf(id kernel.NodeID) string {
	step := string(id)
	if n := ChapterOf(id); n > 0 {
		_, step, _ = strings.Cut(strings.TrimPrefix(step, "chapter/"), "/")
		step, _, _ = strings.Cut(step, "/")
	}
	switch step {
	case StepPlan:
		return briefing.AgentPlan
	case StepScene:
		return briefing.AgentScene
	case StepMemory:
		return briefing.AgentMemory
	case StepLogic:
		return briefing.AgentLogic
	case StepCandidate:
		return briefing.AgentRevision
	case StepText, StepSettings, StepRevision:
		return ""
	}
	return step
}

// Downstream lists every node that depends on some, by need.
func Downstream(r *kernel.Run, from []kernel.NodeID) []kernel.NodeID {
	seen := map[kernel.NodeID]bool{}
	var all []kernel.NodeID
	for queue := slices.Clone(from); len(queue) > 0; queue = queue[1:] {
		n, ok := r.Node(queue[0])
		if !ok {
			continue
		}
		for _, id := range n.Dependants() {
			if !seen[id] {
				seen[id] = true
				all, queue = append(all, id), append(queue, id)
			}
		}
	}
	return all
}

// SceneNumber gives the scene that a node writes, or 0.
func SceneNumber(id kernel.NodeID) int {
	_, number, ok := strings.Cut(string(id), "/"+StepScene+"/")
	if !ok {
		return 0
	}
	n, err := strconv.Atoi(number)
	if err != nil {
		return 0
	}
	return n
}

// WordsOf counts the words of a version that holds text, with the title of a chapter; -1 of any other.
func WordsOf(body line.Body, v *kernel.Version) (words int, title string, err error) {
	switch v.Schema {
	case SchemaScene:
		s, err := decodeVersion[story.GeneratedScene](body, v)
		return s.WordCount, "", err
	case SchemaText, SchemaCandidate:
		c, err := decodeVersion[story.GeneratedChapter](body, v)
		return c.TotalWords, c.ChapterTitle, err
	}
	return -1, "", nil
}
