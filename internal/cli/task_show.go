package cli

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"sluice/internal/app"
	"sluice/internal/fault"
	"sluice/internal/line/task"
)

// maxFindings bounds how many findings a person is shown; JSON has all.
const maxFindings = 50

func (v look) planImport(d app.PlanImportDoc) string {
	var b strings.Builder
	fmt.Fprintf(&b, "imported plan %s: %s, %s, %s\n", d.PlanID, count(d.Nodes, "node"), count(d.Leaves, "leaf action"), d.Status)
	for i, n := range d.Changed {
		if i == 20 {
			fmt.Fprintf(&b, "  and %d more changes\n", len(d.Changed)-i)
			break
		}
		b.WriteString("  " + clean(n.Path+" "+n.Message) + "\n")
	}
	if len(d.Findings) > 0 {
		b.WriteString(v.findings(d.Findings))
	}
	next := fault.Action{Command: "sluice task run " + d.PlanID, Why: "it performs the tasks"}
	if task.HasErrors(d.Findings) {
		next = fault.Action{Command: "sluice task rewrite " + d.PlanID, Why: "it proposes what can be mended by itself"}
	}
	return b.String() + v.next([]fault.Action{next})
}

func (v look) findings(found []task.Finding) string {
	var b strings.Builder
	for i, f := range found {
		if i == maxFindings {
			fmt.Fprintf(&b, "and %d more; --json has all\n", len(found)-i)
			break
		}
		place := f.Node
		if len(place) > 8 {
			place = place[:8]
		}
		fmt.Fprintf(&b, "%s %s %s\n", f.Severity, f.Code, clean(strings.TrimSpace(place+" "+f.Path)))
		fmt.Fprintf(&b, "  %s\n  hint: %s\n", clean(f.Message), clean(f.Hint))
	}
	return b.String()
}

func (v look) planFindings(d app.PlanFindingsDoc) string {
	id, found := d.PlanID, d.Findings
	if len(found) == 0 {
		return "nothing found in plan " + id + "\n"
	}
	text := v.findings(found) + count(len(found), "finding") + "\n"
	if !task.HasErrors(found) {
		return text
	}
	if d.Planning != nil {
		return text + v.next([]fault.Action{*d.Planning})
	}
	var next []fault.Action
	if slices.ContainsFunc(found, task.Finding.IsOfFile) {
		next = append(next, fault.Action{Command: "sluice doctor --repair", Why: "it writes files again from what is recorded"})
	}
	if slices.ContainsFunc(found, func(f task.Finding) bool { return f.Severity == task.SeverityError && !f.IsOfFile() }) {
		next = append(next, fault.Action{Command: "sluice task rewrite " + id, Why: "it proposes what can be mended by itself"})
	}
	return text + v.next(next)
}

func (v look) planRewrite(d app.PlanRewriteDoc) string {
	var b strings.Builder
	for i, c := range d.Changes {
		if i == maxFindings {
			fmt.Fprintf(&b, "and %d more; --json has all\n", len(d.Changes)-i)
			break
		}
		fmt.Fprintf(&b, "%s: %s\n", c.Code, clean(c.Message))
	}
	switch {
	case len(d.Changes) == 0:
		b.WriteString("there is nothing to rewrite\n")
	case d.Applied:
		b.WriteString(count(len(d.Changes), "change") + " applied\n")
	default:
		b.WriteString(count(len(d.Changes), "change") + " proposed; nothing is stored\n")
	}
	if len(d.Findings) > 0 {
		b.WriteString("what is left:\n" + v.findings(d.Findings))
	}
	switch {
	case d.Planning != nil:
		b.WriteString(v.next([]fault.Action{*d.Planning}))
	case len(d.Changes) > 0 && !d.Applied:
		b.WriteString(v.next([]fault.Action{{Command: "sluice task rewrite " + d.PlanID + " --apply", Why: "it stores the proposal"}}))
	case !task.HasErrors(d.Findings):
		b.WriteString(v.next([]fault.Action{d.Onward}))
	default:
		b.WriteString(v.next([]fault.Action{{Command: "sluice task import FILE", Why: "mend what is left in a file, with another plan_id or none, and import it"}}))
	}
	return b.String()
}

func (v look) plans(d app.PlanListDoc) string {
	if len(d.Plans) == 0 {
		return "there are no plans\n" + v.next([]fault.Action{{Command: "sluice task import FILE", Why: "it makes one"}})
	}
	rows := [][]string{{"PLAN", "STATUS", "DONE", "TITLE"}}
	for _, p := range d.Plans {
		status := string(p.Status)
		if p.Rehearsal {
			status += " (rehearsal)"
		}
		rows = append(rows, []string{p.PlanID, status, strconv.Itoa(p.Done) + "/" + strconv.Itoa(p.Tasks), clean(p.Title)})
	}
	return table(v.width, rows...)
}

// rehearsed labels what the rehearsal model wrote.
func rehearsed(yes bool) string {
	if !yes {
		return ""
	}
	return "  " + rehearsalNote + "\n"
}

// planRehearsed labels the document of a plan that is real otherwise.
func planRehearsed(d task.StatusDoc) string {
	if !d.Rehearsed {
		return ""
	}
	return "  rehearsal: the plan itself comes from the offline placeholder model\n"
}

// planHead says what a plan is and where it stands, with its counts.
func (v look) planHead(d task.StatusDoc) string {
	var counts []string
	for _, s := range task.Statuses() {
		if n := d.Counts[s]; n > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", n, s))
		}
	}
	return fmt.Sprintf("plan %s %s  %s\n", d.PlanID, d.Status, clean(d.Title)) + rehearsed(d.Rehearsal) + planRehearsed(d) + strings.Join(counts, ", ") + "\n"
}

func (v look) planRecorded(d task.StatusDoc) string {
	return v.planHead(d) + v.next([]fault.Action{d.Onward})
}

func (v look) plan(d task.StatusDoc) string {
	rows := [][]string{{"TASK", "TYPE", "STATUS", "TRIES", "TITLE"}}
	for _, n := range d.Nodes {
		title := clean(n.Title)
		if n.BlockedReason != "" {
			title += "  (" + clean(n.BlockedReason) + ")"
		}
		if n.Rehearsal {
			title += "  [rehearsal]"
		}
		rows = append(rows, []string{n.TaskID[:min(8, len(n.TaskID))], string(n.NodeType), string(n.Status), strconv.Itoa(n.AttemptCount), title})
	}
	text := v.planHead(d) + table(v.width, rows...)
	switch d.Status {
	case task.PlanWaiting:
		return text + v.next([]fault.Action{{Command: "sluice inbox " + d.PlanID, Why: "it shows what is asked, and how to answer"}})
	case task.PlanReady, task.PlanInProgress, task.PlanFailed, task.PlanRequest, task.PlanPlanning:
		return text + v.next([]fault.Action{d.Onward})
	case task.PlanAbandoned:
		return text + v.next([]fault.Action{{Command: "sluice log " + d.PlanID, Why: "it shows who abandoned it, and why"}})
	}
	return text + v.next([]fault.Action{{Command: "sluice task export " + d.PlanID, Why: "it writes what was approved"}})
}

func (v look) task(d task.TaskDoc) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s %s  %s\n%s", d.NodeType, d.TaskID, d.Status, clean(d.Title), rehearsed(d.Rehearsal))
	if d.BlockedReason != "" {
		b.WriteString("reason: " + clean(d.BlockedReason) + "\n")
	}
	if d.Task.GoalStatement != "" {
		b.WriteString("goal: " + clean(d.Task.GoalStatement) + "\n")
	}
	if s := d.Task.DeliverableSpec; s != nil {
		single := "one file"
		if !s.IsSingle() {
			single = "files " + clean(strings.Join(s.Files, ", "))
		}
		fmt.Fprintf(&b, "deliverable: %s (%s, %s) %s\n", clean(s.Filename), clean(s.Format), single, clean(s.Description))
	}
	for _, k := range d.Task.AcceptanceCriteria {
		fmt.Fprintf(&b, "criterion %s (%s, %s): %s\n", clean(k.ID), k.Severity, k.CheckMethod, clean(k.Statement))
	}
	for _, a := range d.Artifacts {
		mark := ""
		if a.ArtifactID == d.ApprovedArtifactID {
			mark += "  approved"
		}
		if a.ArtifactID == d.ActiveArtifactID {
			mark += "  active"
		}
		if a.Rehearsal {
			mark += "  rehearsal"
		}
		fmt.Fprintf(&b, "artifact v%d %s %s%s\n  %s  %s\n  sha256 %s  %s\n", a.Version, a.ArtifactID, a.Standing, mark, clean(a.Path), clean(a.Format), a.SHA256, timeText(a.CreatedAt))
	}
	for _, r := range d.Reviews {
		score := "-"
		if r.TotalScore != nil {
			score = strconv.FormatFloat(*r.TotalScore, 'f', -1, 64)
		}
		if r.Rehearsal {
			score += ", rehearsal"
		}
		fmt.Fprintf(&b, "review %s of %s by %s: %s, score %s\n  %s\n  %s\n", r.ReviewID, r.ReviewedArtifactID, clean(r.Reviewer), r.Verdict, score, clean(r.Path), clean(r.Summary))
		for _, k := range r.AcceptanceResults {
			word := "fail"
			if k.Pass {
				word = "pass"
			}
			fmt.Fprintf(&b, "  %s %s: %s\n", clean(k.ID), word, clean(k.Evidence))
		}
	}
	return b.String()
}

func (v look) planning(d task.PlanningDoc) string {
	text := fmt.Sprintf("plan %s %s: %s, %s\n", d.PlanID, d.Status, count(d.Rounds, "round"), count(d.LeafCount, "leaf action")) + rehearsed(d.Rehearsal)
	if d.WaitingFor != "" {
		return text + v.next([]fault.Action{{Command: "sluice task supply " + d.PlanID + " -f FILE", Why: d.WaitingFor + " says what"}})
	}
	return text + v.next([]fault.Action{{Command: "sluice task graph " + d.PlanID, Why: "it draws the plan"},
		{Command: "sluice task run " + d.PlanID, Why: "it performs the tasks"}})
}
