package novel

import (
	"fmt"
	"slices"

	"sluice/internal/fault"
	"sluice/internal/kernel"
	"sluice/internal/line/novel/story"
)

// Again are the commands that try chapters that failed or are unwritten. One that builds on a chapter without text fails again until that
// is written, so the scope takes in what is unwritten before it.
func Again(r *kernel.Run, o *story.Outline, failed []int) []fault.Action {
	if len(failed) == 0 {
		return nil
	}
	project, scope := ProjectOf(r), toWrite(r, o, failed)
	run := fault.Action{Action: "run", Command: fmt.Sprintf("sluice novel run %s --chapters %s", project, FormatChapters(scope)), Why: "it writes them"}
	if len(scope) > len(failed) {
		run.Why = "it writes first what they build on"
	}
	a, isLocked := unlock(r, scope)
	if !isLocked {
		return []fault.Action{OnTo(r, scope[len(scope)-1]+1, run)}
	}
	run.After = a.Action
	return []fault.Action{a, run}
}

// unlock is what comes before chapters are written of which some are locked.
func unlock(r *kernel.Run, scope []int) (fault.Action, bool) {
	locked := slices.DeleteFunc(Locked(r), func(n int) bool { return !slices.Contains(scope, n) })
	return fault.Action{Action: "unlock", Command: fmt.Sprintf("sluice novel unlock %s %s", ProjectOf(r), FormatChapters(locked)), Why: "then they may be written"}, len(locked) > 0
}

// toWrite are chapters with all that must be written before them. While there is no outline nobody knows what that is, so that
// every unwritten chapter before the last of them is meant.
func toWrite(r *kernel.Run, o *story.Outline, chapters []int) []int {
	if o != nil || len(chapters) == 0 {
		return withUnwritten(r, o, chapters)
	}
	all, last := slices.Clone(chapters), slices.Max(chapters)
	for n := 1; n < last; n++ {
		if r.Approved(ChapterNode(n, StepText)) == nil {
			all = append(all, n)
		}
	}
	return slices.Compact(sorted(all))
}

// withUnwritten are chapters with all those before them that they build on, directly or through others, and that have no text.
func withUnwritten(r *kernel.Run, o *story.Outline, chapters []int) []int {
	scope, seen := slices.Clone(chapters), map[int]bool{}
	for _, n := range chapters {
		seen[n] = true
	}
	for i := 0; o != nil && i < len(scope); i++ {
		entry, _ := o.Chapter(scope[i])
		for _, d := range entry.Dependencies {
			_, isKnown := o.Chapter(d.ChapterNumber)
			if isKnown && d.ChapterNumber < scope[i] && !seen[d.ChapterNumber] && r.Approved(ChapterNode(d.ChapterNumber, StepText)) == nil {
				seen[d.ChapterNumber] = true
				scope = append(scope, d.ChapterNumber)
			}
		}
	}
	return sorted(scope)
}
