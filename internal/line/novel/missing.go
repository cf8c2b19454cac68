package novel

import (
	"fmt"
	"slices"

	"sluice/internal/fault"
	"sluice/internal/kernel"
	"sluice/internal/line"
	"sluice/internal/line/novel/story"
)

// missingStep names what a step needs, and every command up to it that is still to be run, in order. Chapters that were named
// passed the gate; where none could be, since there is no outline yet, the gate would refuse to go past a pending one. What they
// build on is named with them.
func missingStep(r *kernel.Run, body line.Body, g Goal, lacking story.Place) error {
	o, err := OutlineOf(r, body)
	if err != nil {
		return err
	}
	project, file := ProjectOf(r), pathOf(r, lacking.File())
	needs := g.until()
	if lacking.Kind == story.KindPlan { // also where no more than the plan is wanted
		needs = StepText
	}
	f := fault.New(fault.MissingPrerequisite, file, "step %s needs %s, which is missing", needs, file)
	if g.until() == StepText {
		g.Chapters = toWrite(r, o, g.Chapters)
	}
	isHeld := IsChapterStep(g.until()) && len(g.Chapters) == 0 && Blocked(r) != nil
	scope := ""
	if IsChapterStep(g.until()) && len(g.Chapters) > 0 {
		scope = " --chapters " + FormatChapters(g.Chapters)
	}
	before := ""
	add := func(a fault.Action) { a.After = before; before, f = a.Action, f.With(a) }
	run := fault.Action{Action: "run", Command: fmt.Sprintf("sluice novel run %s --until %s%s", project, g.until(), scope), Why: "it does all of them in order"}
	if a, isLocked := unlock(r, g.Chapters); isLocked && IsChapterStep(g.until()) {
		run.After = a.Action
		add(a)
	}
	lacks := map[string]bool{g.until(): true}
	lackingFor(r, g, g.until(), lacks)
	for _, step := range Steps() {
		if !lacks[step] {
			continue
		}
		if isHeld && IsChapterStep(step) {
			return f.With(OnTo(r, story.MaxChapters+1, fault.Action{}))
		}
		if waits := Pending(r); step == StepText && len(waits) > 0 && slices.Contains(g.Chapters, waits[0]) { // it is written by what ends its revision
			if rest := slices.DeleteFunc(slices.Clone(g.Chapters), func(n int) bool { return n == waits[0] }); len(rest) > 0 {
				add(fault.Action{Action: step, Command: fmt.Sprintf("sluice novel step %s text --chapters %s", project, FormatChapters(rest))})
			}
			add(fault.Action{Action: "regen", Command: fmt.Sprintf("sluice novel regen %s %d", project, waits[0]), Why: "the chapter that waits is written anew"})
			return f
		}
		a := fault.Action{Action: step, Command: fmt.Sprintf("sluice novel step %s %s", project, step)}
		if IsChapterStep(step) {
			a.Command += scope
		}
		if add(a); step == g.until() {
			break
		}
	}
	return f.With(run)
}

// unwritten refuses what needs the text of a chapter that has none, and names the run that writes it with what it builds on.
func unwritten(r *kernel.Run, body line.Body, chapter int) error {
	o, err := OutlineOf(r, body)
	if err != nil {
		return err
	}
	file := pathOf(r, story.ChapterFile(chapter))
	return fault.New(fault.MissingPrerequisite, file, "chapter %d has no text: %s is missing", chapter, file).With(Again(r, o, []int{chapter})...)
}

// lackingFor collects the steps that must be done before one can be, with what they need themselves.
func lackingFor(r *kernel.Run, g Goal, step string, into map[string]bool) {
	for _, before := range prerequisites[step] {
		if !into[before] && !stands(r, g, before) {
			into[before] = true
			lackingFor(r, g, before, into)
		}
	}
}

// stands tells whether a step is done for a goal; one of chapters is not while there are none to be named.
func stands(r *kernel.Run, g Goal, step string) bool {
	if !IsChapterStep(step) {
		return r.Approved(kernel.NodeID(step)) != nil
	}
	return len(g.Chapters) > 0 && !slices.ContainsFunc(g.Chapters, func(n int) bool { return r.Approved(ChapterNode(n, step)) == nil })
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
