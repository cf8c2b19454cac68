package mcpserver

import (
	"context"
	"fmt"
	"sync"
	"time"

	"sluice/internal/app"
	"sluice/internal/digest"
	"sluice/internal/fault"
	"sluice/internal/kernel"
	"sluice/internal/line/scene"
)

const (
	waiting = "generation-scene-0204-20251110-143000" // waits for the approval of step 3
	choice  = "planning-scene-0204-20251110-150000"   // waits for a choice in phase 2, in a session
)

var planDigest = digest.Of([]byte("the plan"))

// desk is a workspace with two workflows that wait for a person and remembers who asked it what.
type desk struct {
	mu       sync.Mutex
	digest   digest.Digest // of the version that waits
	approved []scene.Approval
	by       []kernel.Actor // of approvals, commits and cancellations
	acts     []string
	sessions map[string]string
	drive    func(ctx context.Context, id string) error
	state    string
}

func newDesk() *desk {
	return &desk{digest: planDigest, sessions: map[string]string{"s1": "active"}, state: `{"workflow_id":"` + waiting + `"}`,
		drive: func(context.Context, string) error { return nil }}
}

// as gives the verbs in someone's name.
func (d *desk) as(by kernel.Actor) Verbs { return deskFor{d, by} }

type deskFor struct {
	*desk
	actor kernel.Actor
}

func (d deskFor) note(format string, args ...any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.acts = append(d.acts, fmt.Sprintf(format, args...)+" by "+d.actor.String())
}

func (d deskFor) known(id string) error {
	if id == waiting || id == choice {
		return nil
	}
	return fault.New(fault.UnknownRun, id, "there is no run %s", id).With(fault.Action{Action: "list", Command: "sluice scene list"})
}

func (d deskFor) status(id string) scene.StatusDoc {
	doc := scene.StatusDoc{WorkflowID: id, WorkflowType: scene.Generation, Status: "in_progress", CurrentStep: 3,
		CurrentStepName: "Verification Plan", WaitingForApproval: true, ProgressPercentage: 42,
		Artifacts: map[string]string{"verification_plan": "workspace/verification-plan.md"}}
	if id == choice {
		doc.WorkflowType, doc.SessionName, doc.CurrentStep, doc.CurrentPhase = scene.Planning, "s1", 2, 2
		doc.CurrentStepName, doc.CurrentPhaseName = "Scenarios", "Scenarios"
	}
	return doc
}

func (d deskFor) StartGeneration(_ context.Context, in scene.StartGeneration) (scene.StatusDoc, error) {
	d.note("start %s in %q drive %v", in.SceneID, in.SessionName, in.Drive)
	return d.status(waiting), nil
}

func (d deskFor) StartPlanning(_ context.Context, in scene.StartPlanning) (scene.StatusDoc, error) {
	d.note("plan %s in %q", in.Level, in.SessionName)
	return d.status(choice), nil
}

func (d deskFor) DriveWorkflow(ctx context.Context, id string, _ bool) (scene.StatusDoc, error) {
	d.note("drive %s", id)
	return d.status(id), d.drive(ctx, id)
}

func (d deskFor) WorkflowStatus(_ context.Context, id string) (scene.StatusDoc, error) {
	return d.status(id), d.known(id)
}

func (d deskFor) NextStep(_ context.Context, id string) (scene.NextDoc, error) {
	s := d.status(id)
	why, next, name := "Human approval required", s.CurrentStep+1, "Generation"
	return scene.NextDoc{CurrentStep: s.CurrentStep, CurrentStepName: s.CurrentStepName, CurrentStatus: "waiting_approval",
		BlockingReason: &why, NextStep: &next, NextStepName: &name, CurrentPhase: s.CurrentPhase}, d.known(id)
}

func (d deskFor) Prerequisites(_ context.Context, id string, step int) (scene.PrerequisitesDoc, error) {
	return scene.PrerequisitesDoc{RequiredSteps: []int{1}, CompletedSteps: []int{1}, MissingSteps: []int{}, PrerequisitesMet: step == 2,
		CanStartStep: step == 2, BlockingIssues: []string{}}, d.known(id)
}

func (d deskFor) Workflows(_ context.Context, q scene.Query) (scene.ListDoc, error) {
	doc := scene.ListDoc{Workflows: []scene.ListRow{}}
	for _, id := range []string{waiting, choice} {
		s := d.status(id)
		if q.SessionName != "" && s.SessionName != q.SessionName || q.WorkflowType != "" && s.WorkflowType != q.WorkflowType {
			continue
		}
		doc.Workflows = append(doc.Workflows, scene.ListRow{WorkflowID: id, WorkflowType: s.WorkflowType, Status: s.Status, CurrentStep: s.CurrentStep,
			ProgressPercentage: s.ProgressPercentage, SessionName: s.SessionName})
	}
	doc.Total = len(doc.Workflows)
	return doc, nil
}

func (d deskFor) WorkflowMetrics(_ context.Context, id string) (scene.MetricsDoc, error) {
	return scene.MetricsDoc{WorkflowMetrics: scene.Metrics{WorkflowID: id, StepTimes: []scene.StepTime{{Step: 1, DurationSeconds: 5}}}}, d.known(id)
}

func (d deskFor) ApproveStep(_ context.Context, in scene.Approval) (scene.ApprovalDoc, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case !d.actor.IsHuman():
		return scene.ApprovalDoc{}, fault.New(fault.PersonRequired, in.WorkflowID, "an approval is a person's, and this comes from %s", d.actor)
	case in.Version != "" && in.Version != d.digest:
		return scene.ApprovalDoc{}, fault.New(fault.StaleVerdict, in.WorkflowID, "the verdict names another version")
	case max(in.Step, in.Phase) != d.status(in.WorkflowID).CurrentStep:
		return scene.ApprovalDoc{}, fault.New(fault.IllegalStep, in.WorkflowID, "step %d does not wait for approval", in.Step)
	case len(d.approved) > 0:
		return scene.ApprovalDoc{}, fault.New(fault.AlreadyAnswered, in.WorkflowID, "it was answered")
	}
	d.approved, d.by = append(d.approved, in), append(d.by, d.actor)
	next, name := 4, "Generation"
	return scene.ApprovalDoc{Success: true, WorkflowID: in.WorkflowID, Step: max(in.Step, in.Phase), Status: "completed", NextStep: &next, NextStepName: &name}, nil
}

func (d deskFor) UpdateWorkflow(_ context.Context, in scene.Update) (scene.UpdateDoc, error) {
	d.note("update %s %d %s", in.WorkflowID, in.Step, in.Status)
	return scene.UpdateDoc{Success: true, WorkflowID: in.WorkflowID, UpdatedAt: time.Unix(0, 0).UTC(), Warnings: []string{"draft.md is not there"}}, d.known(in.WorkflowID)
}

func (d deskFor) ResumeWorkflow(_ context.Context, id string, from int, _ string) (scene.ResumeDoc, error) {
	d.note("resume %s %d", id, from)
	return scene.ResumeDoc{Success: true, WorkflowID: id, ResumedFromStep: from, CurrentStatus: "in_progress"}, d.known(id)
}

func (d deskFor) CancelWorkflow(_ context.Context, id, reason string) (scene.CancelDoc, error) {
	d.note("cancel %s %s", id, reason)
	return scene.CancelDoc{Success: true, WorkflowID: id, Status: "cancelled", CleanupPerformed: true}, d.known(id)
}

func (d deskFor) CreateSession(_ context.Context, name, by string) (app.SessionDoc, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.sessions[name] = "active"
	return app.SessionDoc{SessionName: name, SessionID: "session-1", Status: "active", CreatedBy: by, Directory: "workspace/sessions/" + name}, nil
}

func (d deskFor) Sessions(context.Context) (app.SessionsDoc, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	doc := app.SessionsDoc{Sessions: []app.SessionDoc{}, Current: "of the command line"}
	for name, status := range d.sessions {
		doc.Sessions = append(doc.Sessions, app.SessionDoc{SessionName: name, Status: status, Current: true})
	}
	doc.Total = len(doc.Sessions)
	return doc, nil
}

func (d deskFor) ResolvePath(_ context.Context, session, path string, write bool) (app.PathDoc, error) {
	return app.PathDoc{Path: path, ResolvedPath: "workspace/sessions/" + session + "/" + path, SessionName: session, Source: "session", Copied: write}, nil
}

func (d deskFor) CommitSession(_ context.Context, name string, confirm bool) (app.CommitDoc, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	doc := app.CommitDoc{SessionName: name, Status: "active", Preview: !confirm, Changes: []app.ChangeDoc{{Path: d.state, Change: "added"}}, Workflows: []string{}, Conflicts: []string{}}
	if confirm {
		doc.Status, d.sessions[name], d.by = "committed", "committed", append(d.by, d.actor)
	}
	return doc, nil
}

func (d deskFor) CancelSession(_ context.Context, name string) (app.CommitDoc, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.sessions, name)
	d.by = append(d.by, d.actor)
	return app.CommitDoc{SessionName: name, Status: "cancelled", Changes: []app.ChangeDoc{}, Workflows: []string{}, Conflicts: []string{}}, nil
}

func (d deskFor) Inbox(_ context.Context, run string) (app.InboxDoc, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	all := []app.AskDoc{
		{Ask: "a1", Run: waiting, Node: "step-3", Kind: "approve", Title: "Verification Plan", Digest: d.digest, Options: []string{"approve", "reject"}, Commands: []string{}},
		{Ask: "a2", Run: choice, Node: "phase-2", Kind: "choose", Title: "Scenarios", Digest: d.digest, Options: []string{"A", "B", "reject"}, Commands: []string{}},
	}
	doc := app.InboxDoc{Asks: []app.AskDoc{}}
	for _, a := range all {
		if run == "" || a.Run == run {
			doc.Asks = append(doc.Asks, a)
		}
	}
	return doc, nil
}

func (d deskFor) WorkflowState(_ context.Context, id string) ([]byte, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return []byte(d.state), d.known(id)
}

func (d deskFor) WorkflowMark(_ context.Context, id string) (int64, error) { return 1, d.known(id) }
