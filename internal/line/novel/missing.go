package novel

import (
	"fmt"
	"slices"

	"sluice/internal/fault"
	"sluice/internal/kernel"
	"sluice/internal/line/novel/story"
)

// missingStep names what a step needs, and every command up to it that is still to be run, in order. Chapters that were named
// passed the gate; where none could be, since there is no outline yet, the gate would refuse to go past a pending one.
func missingStep(r *kernel.Run, g Goal, lacking story.Place, from string) error {
	project, file := ProjectOf(r), pathOf(r, lacking.File())
	f := fault.New(fault.MissingPrerequisite, file, "step %s needs %s, which is missing", g.until(), file)
	isHeld := IsChapterStep(g.until()) && len(g.Chapters) == 0 && Blocked(r) != nil
	scope := ""
	if IsChapterStep(g.until()) && len(g.Chapters) > 0 {
		scope = " --chapters " + FormatChapters(g.Chapters)
	}
	before := ""
	for _, step := range Steps()[slices.Index(Steps(), from):] {
		a := fault.Action{Action: step, Command: fmt.Sprintf("sluice novel step %s %s", project, step), After: before}
		if IsChapterStep(step) {
			if isHeld {
				break
			}
			a.Command += scope
		}
		f = f.With(a)
		if before = step; step == g.until() {
			break
		}
	}
	if isHeld {
		return f.With(OnTo(r, story.MaxChapters+1, fault.Action{}))
	}
	return f.With(fault.Action{Action: "run", Command: fmt.Sprintf("sluice novel run %s --until %s%s", project, g.until(), scope), Why: "it does all of them in order"})
}

// CheckChapters refuses numbers that the outline does not have, before anything runs.
func CheckChapters(r *kernel.Run, o *story.Outline, settings story.Settings, chapters []int) error {
	last := settings.TargetChapters
	for _, n := range chapters {
		switch {
		case o == nil && n >= 1 && n <= last:
			continue
		case o != nil:
			if _, ok := o.Chapter(n); ok {
				continue
			}
			last = len(o.Chapters)
		}
		return fault.New(fault.UnknownChapter, ProjectOf(r), "the book has no chapter %d; it has %d", n, last).
			With(fault.Action{Action: "status", Command: "sluice novel status " + ProjectOf(r), Why: "it lists the chapters"})
	}
	return nil
}
