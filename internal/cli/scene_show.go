package cli

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"sluice/internal/fault"
	"sluice/internal/line/scene"
)

// workflow shows where a workflow stands and how it goes on.
func (v look) workflow(d scene.StatusDoc) string {
	var b strings.Builder
	fmt.Fprintf(&b, "workflow %s is %s, %d %%%s\n", clean(d.WorkflowID), d.Status, d.ProgressPercentage, ofSession(d.SessionName))
	if d.Rehearsal {
		b.WriteString("  " + rehearsalNote + "\n")
	}
	unit := "step"
	if d.CurrentPhase > 0 {
		unit = "phase"
	}
	if len(d.RehearsalSteps) > 0 {
		fmt.Fprintf(&b, "  rehearsal: what %s made comes from the offline placeholder model\n", stages(unit, d.RehearsalSteps))
	}
	waits := ""
	if d.WaitingForApproval {
		waits = ", which waits for approval"
	}
	fmt.Fprintf(&b, "  at %s %d, %s%s\n", unit, d.CurrentStep, clean(d.CurrentStepName), waits)
	for _, key := range slices.Sorted(maps.Keys(d.Artifacts)) {
		fmt.Fprintf(&b, "  %s: %s\n", clean(key), clean(d.Artifacts[key]))
	}
	return b.String() + v.next(workflowWays(d))
}

// stages names steps or phases by their numbers.
func stages(unit string, numbers []int) string {
	if len(numbers) > 1 {
		unit += "s"
	}
	for i, n := range numbers {
		sep := " "
		if i > 0 {
			sep = ", "
		}
		unit += sep + strconv.Itoa(n)
	}
	return unit
}

func ofSession(name string) string {
	if name == "" {
		return ""
	}
	return ", in session " + clean(name)
}

func workflowWays(d scene.StatusDoc) []fault.Action {
	id := d.WorkflowID
	switch {
	case d.WaitingForApproval && d.CurrentPhase > 0:
		return []fault.Action{{Command: "sluice scene choose " + id + " VARIANT", Why: "chooses one of the variants"},
			{Command: "sluice scene reject " + id + " --set NAME=VALUE", Why: "has it made again"}}
	case d.WaitingForApproval:
		return []fault.Action{{Command: "sluice scene approve " + id, Why: "with --set NAME=VALUE for modifications"},
			{Command: "sluice scene reject " + id + " --set NAME=VALUE", Why: "has it made again"}}
	case d.Status == scene.InProgress:
		return []fault.Action{{Command: "sluice scene run " + id, Why: "performs the steps here"},
			{Command: "sluice scene next " + id, Why: "says what an agent has to do"}}
	case d.Status == scene.Failed || d.Status == scene.Cancelled:
		return []fault.Action{{Command: "sluice scene resume " + id, Why: "lets it go on"}}
	}
	return nil
}

func (v look) nextStep(id string, d scene.NextDoc) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d %s is %s\n", d.CurrentStep, clean(d.CurrentStepName), d.CurrentStatus)
	if d.BlockingReason != nil {
		fmt.Fprintf(&b, "  blocked: %s\n", clean(*d.BlockingReason))
	}
	if d.RequiredAction != nil {
		fmt.Fprintf(&b, "  needed: %s\n", clean(*d.RequiredAction))
	}
	if d.NextStep != nil {
		fmt.Fprintf(&b, "  next is %d %s\n", *d.NextStep, clean(*d.NextStepName))
	}
	if d.CanProceed {
		b.WriteString(v.next([]fault.Action{{Command: "sluice scene run " + id}}))
	}
	return b.String()
}

func (v look) prerequisites(step int, d scene.PrerequisitesDoc) string {
	if d.CanStartStep {
		return fmt.Sprintf("step %d can start\n", step)
	}
	return fmt.Sprintf("step %d cannot start\n  ", step) + clean(strings.Join(d.BlockingIssues, "\n  ")) + "\n"
}

// stageWord is what the parts of a workflow are called.
func stageWord(workflow string) string {
	if strings.HasPrefix(workflow, scene.Planning+"-") {
		return "phase"
	}
	return "step"
}

func (v look) approval(d scene.ApprovalDoc) string {
	text := fmt.Sprintf("%s %d of workflow %s is %s\n", stageWord(d.WorkflowID), d.Step, clean(d.WorkflowID), d.Status)
	if d.NextStep == nil {
		return text
	}
	command := "sluice scene run "
	if d.Status == scene.Failed || d.Status == scene.Pending {
		command = "sluice scene resume "
	}
	return text + v.next([]fault.Action{{Command: command + d.WorkflowID, Why: fmt.Sprintf("goes on with %s %d, %s", stageWord(d.WorkflowID), *d.NextStep, clean(*d.NextStepName))}})
}

func (v look) update(d scene.UpdateDoc) string {
	text := "recorded for workflow " + clean(d.WorkflowID) + "\n"
	for _, w := range d.Warnings {
		text += "  warning: " + clean(w) + "\n"
	}
	return text + v.next([]fault.Action{{Command: "sluice scene next " + d.WorkflowID}})
}

func (v look) resumed(d scene.ResumeDoc) string {
	return fmt.Sprintf("workflow %s is %s again from %s %d\n", clean(d.WorkflowID), d.CurrentStatus, stageWord(d.WorkflowID), d.ResumedFromStep) +
		v.next([]fault.Action{{Command: "sluice scene run " + d.WorkflowID, Why: "performs the steps here"}})
}

func (v look) cancelled(d scene.CancelDoc) string {
	return fmt.Sprintf("workflow %s is %s; nothing was deleted\n", clean(d.WorkflowID), d.Status) +
		v.next([]fault.Action{{Command: "sluice scene resume " + d.WorkflowID, Why: "lets it go on"}})
}

func (v look) workflows(d scene.ListDoc) string {
	if d.Total == 0 {
		return "there are no such workflows\n" + v.next([]fault.Action{{Command: "sluice scene generate SCENE_ID", Why: "makes one"}})
	}
	rows := [][]string{{"WORKFLOW", "TYPE", "STATUS", "AT", "PROGRESS", "SESSION"}}
	for _, w := range d.Workflows {
		rows = append(rows, []string{clean(w.WorkflowID), w.WorkflowType, w.Status, strconv.Itoa(w.CurrentStep), strconv.Itoa(w.ProgressPercentage) + " %", clean(w.SessionName)})
	}
	return table(v.width, rows...)
}

func (v look) metrics(_ string, d scene.MetricsDoc) string {
	m := d.WorkflowMetrics
	var b strings.Builder
	fmt.Fprintf(&b, "workflow %s took %d s, of which people %d s\n", clean(m.WorkflowID), m.TotalTimeSeconds, m.HumanApprovalTimeSeconds)
	fmt.Fprintf(&b, "  %s, %s, %s side by side\n", count(m.AgentCalls, "agent call"), retries(m.RetryCount), count(m.ParallelExecutions, "execution"))
	for _, s := range m.StepTimes {
		fmt.Fprintf(&b, "  %d: %d s\n", s.Step, s.DurationSeconds)
	}
	return b.String()
}

func retries(n int) string {
	if n == 1 {
		return "1 retry"
	}
	return strconv.Itoa(n) + " retries"
}
