package task

import (
	"fmt"
	"strings"

	"sluice/internal/kernel"
	"sluice/internal/line"
)

// slotSmoke names the one command of a review: all criteria that want a program run share its result.
const slotSmoke = "smoke"

// smokeTest asks for the user's programs on a version, if a criterion wants that. Which those are is not the plan's to say.
func smokeTest(t Node, parts []line.Part) []line.Command {
	for _, k := range t.AcceptanceCriteria {
		if k.CheckMethod == RunSmokeTest {
			return []line.Command{{Slot: slotSmoke, Format: t.DeliverableSpec.Format, Files: parts}}
		}
	}
	return nil
}

// ranFor gives what became of the programs, if any were asked for.
func ranFor(in line.In) line.Ran {
	for _, r := range in.Ran {
		if r.Slot == slotSmoke {
			return r
		}
	}
	return line.Ran{}
}

// isFatal tells whether a program that ended badly is enough to reject the version: then nobody need read it.
func isFatal(t Node, ran line.Ran) bool {
	if ran.NotRun != "" || ran.IsPassed() {
		return false
	}
	for _, k := range t.AcceptanceCriteria {
		if k.CheckMethod == RunSmokeTest && k.Severity != Minor {
			return true
		}
	}
	return false
}

// judgeBroken is the verdict on a deliverable that does not do what it is for: nobody read it.
func judgeBroken(t Node, ran line.Ran, seen []string) judgement {
	j := judgement{summary: "the deliverable failed a program that was run on it, before anyone read it", suggestions: []string{"mend what the program found; its output is among the evidence"}}
	for _, k := range t.AcceptanceCriteria {
		got := kernel.Criterion{ID: k.ID, Evidence: "not judged: a program that was run on the deliverable ended badly"}
		switch k.CheckMethod {
		case RunSmokeTest:
			got.Evidence = ranText(ran, true)
		case StaticCheck:
			got.Pass, got.Evidence = true, "checked by a program: "+strings.Join(seen, "; ")
		}
		j.criteria = append(j.criteria, got)
	}
	return j
}

// judgeRun is the verdict on a criterion for which a program was to be run. A reviewer's word counts only against what
// passed, and decides where nothing was run.
func judgeRun(got kernel.Criterion, said bool, ran line.Ran) kernel.Criterion {
	if ran.NotRun != "" || len(ran.Programs) == 0 {
		why := orText(ran.NotRun, "no program was asked for")
		got.Evidence = "not run (" + why + "), judged by reading: " + orText(got.Evidence, "no evidence was given")
		return got
	}
	opinion := got.Evidence
	isAgainst := said && !got.Pass
	got.Pass, got.Evidence = ran.IsPassed() && !isAgainst, ranText(ran, true)
	if isAgainst && opinion != "" {
		got.Evidence = opinion + "; " + got.Evidence
	}
	return got
}

// ranText says what was run and how it ended: in a line each, and if wanted with what it printed.
func ranText(ran line.Ran, output bool) string {
	if ran.NotRun != "" {
		return "not run: " + ran.NotRun
	}
	var rows []string
	for _, p := range ran.Programs {
		end := fmt.Sprintf("exit code %d", p.Exit)
		switch {
		case p.TimedOut > 0:
			end = fmt.Sprintf("killed at the time limit of %s", p.TimedOut)
		case p.Exit < 0:
			end = "ended by a signal"
		}
		row := "ran " + oneLine(strings.Join(p.Command, " ")) + ": " + end
		if output && p.Output != "" {
			row += "\n" + p.Output
		}
		rows = append(rows, row)
	}
	return strings.Join(rows, "\n")
}
