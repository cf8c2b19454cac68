package scene

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"sluice/internal/kernel"
)

// StatusDoc shows where the workflow stands.
func (w *Workflow) StatusDoc() StatusDoc {
	at := w.Current()
	d := StatusDoc{WorkflowID: w.ID, WorkflowType: w.Type, SessionName: w.Session, Status: w.Status,
		CurrentStep: at.Number, CurrentStepName: at.Name, WaitingForApproval: w.isWaiting(),
		ProgressPercentage: progress(w.Status, at.Number, len(w.Steps)), Artifacts: map[string]string{}, Rehearsal: w.Rehearsal}
	if w.Phased {
		d.CurrentPhase, d.CurrentPhaseName = at.Number, at.Name
	}
	for _, a := range at.Artifacts {
		d.Artifacts[a.Key] = a.Path
	}
	return d
}

// isWaiting tells whether a person's approval is asked for now.
func (w *Workflow) isWaiting() bool {
	return w.Status == InProgress && slices.ContainsFunc(w.Steps, func(s Step) bool { return s.Word == WaitingApproval })
}

// NextDoc says what comes next, or what stands in the way.
func (w *Workflow) NextDoc() NextDoc {
	at := w.Current()
	d := NextDoc{CurrentStep: at.Number, CurrentStepName: at.Name, CurrentStatus: at.Word}
	if w.Phased {
		d.CurrentPhase, d.CurrentPhaseName = at.Number, at.Name
	}
	next := at.Number + 1
	if at.Word == Pending || at.Word == Failed { // it is the one to be done
		next = at.Number
	}
	if w.Status == Completed {
		next = 0
	}
	reason, action := w.blocked(at)
	if s, err := w.Step(next); err == nil {
		d.NextStep, d.NextStepName = &s.Number, &s.Name
		d.PrerequisitesMet = len(w.missing(s)) == 0
		d.CanProceed = reason == "" && s.IsReady
	} else {
		d.PrerequisitesMet = w.Status == Completed
	}
	if reason != "" {
		d.BlockingReason = &reason
	}
	if action != "" {
		d.RequiredAction = &action
	}
	return d
}

// blocked says why the workflow cannot go on from the step it is at, and who must do what.
func (w *Workflow) blocked(at Step) (reason, action string) {
	what := strings.ToLower(at.Name)
	switch w.Status {
	case Completed:
		return "Workflow is completed", ""
	case Cancelled:
		return "Workflow is cancelled", "Resume the workflow with resume_workflow"
	case Failed:
		reason = fmt.Sprintf("%s %d (%s) failed", capital(w.unit()), at.Number, at.Name)
		if at.Failure != "" {
			reason += ": " + at.Failure
		}
		return reason, fmt.Sprintf("Fix the cause and resume the workflow from %s %d with resume_workflow", w.unit(), at.Number)
	}
	switch at.Word {
	case WaitingApproval:
		if at.choosesVariant() {
			return "Human approval required for " + what, "User must select a variant of " + what
		}
		return "Human approval required for " + what, "User must approve or modify " + what
	case InProgress:
		return fmt.Sprintf("%s %d (%s) is in progress", capital(w.unit()), at.Number, at.Name),
			fmt.Sprintf("Finish %s %d and report it with update_workflow_state", w.unit(), at.Number)
	}
	if !at.IsReady {
		return fmt.Sprintf("%s %d (%s) cannot begin", capital(w.unit()), at.Number, at.Name), "See the inbox"
	}
	return "", ""
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// choosesVariant tells whether a person approves the step by choosing.
func (s Step) choosesVariant() bool { return s.AsksFor == kernel.AskChoose }

func (w *Workflow) missing(s Step) []int {
	out := []int{}
	for _, n := range s.Required {
		if w.Steps[n-1].Word != Completed {
			out = append(out, n)
		}
	}
	return out
}

// PrerequisitesDoc says whether a step may begin, and what stands in the way.
func (w *Workflow) PrerequisitesDoc(number int) (PrerequisitesDoc, error) {
	s, err := w.Step(number)
	if err != nil {
		return PrerequisitesDoc{}, err
	}
	d := PrerequisitesDoc{RequiredSteps: append([]int{}, s.Required...), CompletedSteps: []int{}, MissingSteps: w.missing(s), BlockingIssues: []string{}}
	for _, n := range s.Required {
		if !slices.Contains(d.MissingSteps, n) {
			d.CompletedSteps = append(d.CompletedSteps, n)
			continue
		}
		needed := w.Steps[n-1]
		d.BlockingIssues = append(d.BlockingIssues, fmt.Sprintf("%s %d (%s) is %s", capital(w.unit()), n, needed.Name, needed.Word))
	}
	d.PrerequisitesMet = len(d.MissingSteps) == 0
	switch {
	case w.Status != InProgress:
		d.BlockingIssues = append(d.BlockingIssues, "Workflow is "+w.Status)
	case d.PrerequisitesMet && !s.IsReady:
		d.BlockingIssues = append(d.BlockingIssues, fmt.Sprintf("%s %d (%s) is %s already", capital(w.unit()), number, s.Name, s.Word))
	}
	d.CanStartStep = len(d.BlockingIssues) == 0
	return d, nil
}

// Brief is the line's part of a list row.
type Brief struct {
	Status      string `json:"status"`
	CurrentStep int    `json:"current_step"`
	Progress    int    `json:"progress_percentage"`
	Waiting     bool   `json:"waiting,omitempty"`
	CreatedAt   Moment `json:"created_at"` // also of imported work, whose record is younger
	UpdatedAt   Moment `json:"updated_at"`
}

func summary(r *kernel.Run) json.RawMessage {
	w, err := Look(r, nil)
	if err != nil {
		return nil
	}
	at := w.Current().Number
	raw, err := json.Marshal(Brief{Status: w.Status, CurrentStep: at, Progress: progress(w.Status, at, len(w.Steps)), Waiting: w.isWaiting(),
		CreatedAt: w.moment(w.Created), UpdatedAt: w.moment(w.Updated)})
	if err != nil {
		return nil
	}
	return raw
}

// Metrics counts what a workflow took, from recorded times.
func (w *Workflow) Metrics(r *kernel.Run) Metrics {
	m := Metrics{WorkflowID: w.ID, TotalTimeSeconds: seconds(w.Updated.Sub(w.Created)), StepTimes: []StepTime{}, AgentCalls: r.Usage().Calls}
	var people time.Duration
	for _, s := range w.Steps {
		var took time.Duration
		ended := 0
		for _, a := range r.AttemptsAt(s.Node) {
			if a.Ended.IsZero() || a.Outcome == kernel.Withdrawn {
				continue
			}
			ended++
			took += a.Ended.Sub(a.Began)
			if a.Performer.Kind == kernel.Client {
				m.AgentCalls += len(s.Agents)
			}
			if s.MaxAttempts > 0 && ended > 1 {
				m.RetryCount++
			}
		}
		if ended == 0 {
			continue
		}
		m.StepTimes = append(m.StepTimes, StepTime{Step: s.Number, DurationSeconds: seconds(took)})
		switch {
		case s.ParallelAgents > 1:
			m.ParallelExecutions += s.ParallelAgents
		case s.Parallel && len(s.Agents) > 1:
			m.ParallelExecutions += len(s.Agents)
		}
		people += thinking(r, s)
	}
	m.HumanApprovalTimeSeconds = seconds(people)
	return m
}

// thinking is how long people took over the versions of a step.
func thinking(r *kernel.Run, s Step) time.Duration {
	n, ok := r.Node(s.Node)
	if !ok || s.Approval == nil {
		return 0
	}
	var took time.Duration
	for _, v := range n.Versions() {
		if review := lastWord(v); review != nil {
			took += review.At.Sub(v.At)
		}
	}
	return took
}

func seconds(d time.Duration) int { return int(max(0, d).Round(time.Second) / time.Second) }
