package novel

import (
	"sluice/internal/kernel"
	"sluice/internal/line"
)

// What people do to a book while a process writes it holds from the next stage on, as if it had been done before.

// standing are the ends of chapters that still hold: where a person took chapters back meanwhile, the book goes on from there.
func (g *Guide) standing(r *kernel.Run) []End {
	step := StepText
	if g.Goal.until() == StepPlan {
		step = StepPlan
	}
	kept := len(g.Ends)
	for i := len(g.Ends) - 1; i >= 0; i-- {
		e := g.Ends[i]
		if e.stops() || e.State == Reached && r.Approved(ChapterNode(e.Chapter, step)) != nil {
			break
		}
		if e.State == Reached {
			kept = i
		}
	}
	return g.Ends[:kept]
}

// refuseShut refuses a stage that would write chapters which a person locked, or before which the gate was shut, meanwhile.
func (s Stage) refuseShut(r *kernel.Run, body line.Body) error {
	nodes := Written(s.Drive)
	for _, d := range s.Deeds {
		if c, ok := d.Command.(kernel.Submit); ok {
			nodes = append(nodes, Written([]kernel.NodeID{c.Node})...)
		}
	}
	chapters := make([]int, 0, len(nodes))
	for _, id := range nodes {
		chapters = append(chapters, ChapterOf(id))
	}
	if chapters = sorted(chapters); len(chapters) == 0 {
		return nil
	}
	if err := RefuseLocked(r, chapters); err != nil {
		return err
	}
	return Gate(r, body, Request{Chapters: chapters, Listed: true})
}
