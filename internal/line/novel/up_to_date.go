package novel

import (
	"fmt"
	"slices"

	"sluice/internal/fault"
	"sluice/internal/kernel"
)

// Way is a command that brings something up to date, with the nodes for which it asks a model.
type Way struct {
	fault.Action
	Nodes []kernel.NodeID
}

// UpToDate are the commands that make what is stale again, in order, the cheapest that does it for each chapter. Which of them
// are worth it is a person's to say. What a lock or a pending chapter would refuse is left out.
func UpToDate(r *kernel.Run, stale []Outdated) []Way {
	u := upToDate{run: r, project: ProjectOf(r), locked: Locked(r), blocked: Blocked(r)}
	for _, o := range stale {
		u.sort(o)
	}
	var all []Way
	for _, step := range u.book {
		all = append(all, Way{fault.Action{Action: "step", Command: "sluice novel step " + u.project + " " + string(step) + " --force", Why: "it makes " + string(step) + " again"}, []kernel.NodeID{step}})
	}
	add := func(action, command, why string, list []int, nodes func(int) []kernel.NodeID) {
		if list = slices.Compact(sorted(list)); len(list) == 0 {
			return
		}
		w := Way{Action: fault.Action{Action: action, Command: command + " --chapters " + FormatChapters(list), Why: why}}
		for _, n := range list {
			w.Nodes = append(w.Nodes, nodes(n)...)
		}
		all = append(all, w)
	}
	add("plan", "sluice novel step "+u.project+" plan --force", "it plans these chapters again", u.planned,
		func(n int) []kernel.NodeID { return []kernel.NodeID{ChapterNode(n, StepPlan)} })
	for _, n := range slices.Compact(sorted(u.merged)) {
		if !slices.Contains(u.written, n) {
			all = append(all, Way{fault.Action{Action: "merge", Command: fmt.Sprintf("sluice novel scene merge %s %d", u.project, n), Why: "it puts the chapter together from its scenes as they are"}, u.after(n)})
		}
	}
	add("text", "sluice novel step "+u.project+" text --force", "it writes these chapters again", u.written,
		func(n int) []kernel.NodeID { return append(sceneNodes(r, n), u.after(n)...) })
	isMadeAgain := func(n int) bool { return slices.Contains(u.written, n) || slices.Contains(u.merged, n) }
	u.remembered = slices.DeleteFunc(u.remembered, isMadeAgain) // writing and merging record and check the text themselves
	add("memory", "sluice novel memory "+u.project+" --rebuild", "it records the memory of these chapters again", u.remembered,
		func(n int) []kernel.NodeID { return []kernel.NodeID{ChapterNode(n, StepMemory)} })
	for _, n := range u.checked {
		if !isMadeAgain(n) {
			all = append(all, Way{fault.Action{Action: "check", Command: fmt.Sprintf("sluice novel check %s %d", u.project, n), Why: "it checks the text that stands"}, []kernel.NodeID{ChapterNode(n, StepConsistency)}})
		}
	}
	return all
}

// upToDate sorts what is stale by what brings it up to date.
type upToDate struct {
	run                                           *kernel.Run
	project                                       string
	locked                                        []int
	blocked                                       *int
	book                                          []kernel.NodeID
	planned, merged, written, remembered, checked []int
}

func (u *upToDate) sort(o Outdated) {
	n := o.ChapterNumber
	isWritten := u.run.Approved(ChapterNode(n, StepText)) != nil
	mayChange := !slices.Contains(u.locked, n) && (u.blocked == nil || n <= *u.blocked)
	switch {
	case n == 0:
		u.book = append(u.book, o.Node)
	case o.Step == StepMemory && isWritten:
		u.remembered = append(u.remembered, n)
	case o.Step == StepConsistency && isWritten:
		u.checked = append(u.checked, n)
	case !mayChange:
	case o.Step == StepPlan:
		u.planned = append(u.planned, n)
	case o.Step == StepText && onlyScenes(n, o.Because):
		u.merged = append(u.merged, n)
	case o.Step == StepScene && onlyScenes(n, o.Because) && u.hasNewScenes(n):
		// the scene goes on from one that was written again: merged first, it is read as it is
	case o.Step == StepScene || o.Step == StepText:
		u.written = append(u.written, n)
	}
}

// hasNewScenes tells whether scenes were written again that the chapter has not taken in.
func (u *upToDate) hasNewScenes(chapter int) bool {
	o, isOld := outdated(u.run, ChapterNode(chapter, StepText))
	return isOld && onlyScenes(chapter, o.Because)
}

func onlyScenes(chapter int, because []kernel.NodeID) bool {
	return !slices.ContainsFunc(because, func(id kernel.NodeID) bool { return ChapterOf(id) != chapter || SceneNumber(id) == 0 })
}

// after lists what is asked for once a text is there, as far as it was before.
func (u *upToDate) after(chapter int) []kernel.NodeID {
	var all []kernel.NodeID
	for _, step := range []string{StepMemory, StepConsistency, StepLogic} {
		if u.run.Approved(ChapterNode(chapter, step)) != nil {
			all = append(all, ChapterNode(chapter, step))
		}
	}
	return all
}
