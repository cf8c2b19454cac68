package app

import (
	"sluice/internal/fault"
	"sluice/internal/kernel"
	"sluice/internal/line"
	"sluice/internal/line/novel"
)

// What people do to a book while a process writes it holds from the next stage on, as if it had been done before.

// behind are the ends of chapters that still hold: where a person took chapters back meanwhile, the book goes on from there.
func behind(run *kernel.Run, ends []novel.End, until string) []novel.End {
	step := novel.StepText
	if until == novel.StepPlan {
		step = until
	}
	kept := len(ends)
	for i := len(ends) - 1; i >= 0; i-- {
		e := ends[i]
		if e.Chapter == 0 || e.State == novel.Waiting || e.State == novel.Reached && run.Approved(novel.ChapterNode(e.Chapter, step)) != nil {
			break
		}
		if e.State == novel.Reached {
			kept = i
		}
	}
	return ends[:kept]
}

// refuseShut refuses a stage that would write chapters which a person locked, or which the gate was shut before, meanwhile.
func refuseShut(run *kernel.Run, body line.Body, st novel.Stage) error {
	var nodes []kernel.NodeID
	for _, id := range st.Drive {
		if isWriting(id) {
			nodes = append(nodes, id)
		}
	}
	for _, d := range st.Deeds {
		if c, ok := d.Command.(kernel.Submit); ok && isWriting(c.Node) {
			nodes = append(nodes, c.Node)
		}
	}
	chapters := chaptersOf(nodes)
	if err := novel.RefuseLocked(run, chapters); err != nil {
		return err
	}
	return novel.Gate(run, body, novel.Request{Chapters: chapters, Listed: true})
}

// isWriting tells whether a node makes a plan, a scene or the text of a chapter. Reports and memory change none of it.
func isWriting(id kernel.NodeID) bool {
	n := novel.ChapterOf(id)
	return n > 0 && (novel.SceneNumber(id) > 0 || id == novel.ChapterNode(n, novel.StepPlan) || id == novel.ChapterNode(n, novel.StepText))
}

// isShut tells of a refusal by what a person did.
func isShut(err error) bool {
	code := fault.CodeOf(err)
	return code == fault.ChapterLocked || code == fault.RevisionPending || code == fault.RevisionUnreadable
}
