package novel

import (
	"slices"

	"sluice/internal/kernel"
	"sluice/internal/line/novel/story"
)

// Outdated is a step of a book that was made from something that is another now.
type Outdated struct {
	Step          string          `json:"step"`
	ChapterNumber int             `json:"chapter_number,omitempty"`
	Node          kernel.NodeID   `json:"node"`
	Because       []kernel.NodeID `json:"because"` // what is another now, in the order of use
}

// Stale lists what a change touches: every step that was made from a version that no longer stands, by need or by want.
// Settings do not count: a policy makes no text old. Nothing of it is made again by itself, except memory.
func Stale(r *kernel.Run) []Outdated {
	var all []Outdated
	for _, n := range bookNodes() {
		if o, ok := outdated(r, n.ID); ok {
			all = append(all, o)
		}
	}
	for _, n := range Chapters(r) {
		all = append(all, staleIn(r, n)...)
	}
	return all
}

// staleIn lists what is old in one chapter.
func staleIn(r *kernel.Run, chapter int) []Outdated {
	var all []Outdated
	for _, id := range chapterNodes(r, chapter) {
		n, _ := r.Node(id)
		switch n.Node().Step {
		case StepCandidate, StepRevision:
			continue // they belong to the text they were made for
		}
		if o, ok := outdated(r, id); ok {
			all = append(all, o)
		}
	}
	return all
}

// CallsFor is how many calls to a model making a node takes: a long outline is made in parts, a text is put together by code.
func CallsFor(id kernel.NodeID, s story.Settings) int {
	switch {
	case id == OutlineNode:
		return outlineParts(s.TargetChapters)
	case AgentOf(id) == "":
		return 0
	}
	return 1
}

func outdated(r *kernel.Run, id kernel.NodeID) (Outdated, bool) {
	n, ok := r.Node(id)
	if !ok || n.Approved() == nil || n.Status() == kernel.StatusAbandoned {
		return Outdated{}, false
	}
	o := Outdated{Step: n.Node().Step, ChapterNumber: ChapterOf(id), Node: id}
	for _, p := range n.Approved().Parents {
		v, ok := r.Version(p)
		if !ok || v.Node == SettingsNode || v.Schema == SchemaCandidate {
			continue
		}
		now := r.Approved(v.Node)
		if isSame := now == v || now != nil && now.Digest == v.Digest; !isSame && !slices.Contains(o.Because, v.Node) {
			o.Because = append(o.Because, v.Node)
		}
	}
	return o, len(o.Because) > 0
}
