package mcpserver

import (
	"context"

	"sluice/internal/app"
	"sluice/internal/line/scene"
)

// Verbs are what the tools call, in the name of one actor.
type Verbs interface {
	Starter
	Reader
	Mover
	Sessioner
	Shower
	Specs
	BookShower
	BookKeeper
	BookWriter
	BookReviser
	BookGate
}

// Starter makes workflows and performs their steps.
type Starter interface {
	StartGeneration(ctx context.Context, in scene.StartGeneration) (scene.StatusDoc, error)
	StartPlanning(ctx context.Context, in scene.StartPlanning) (scene.StatusDoc, error)
	DriveWorkflow(ctx context.Context, id string, takeOver bool) (scene.StatusDoc, error)
}

// Reader answers what a workflow is at.
type Reader interface {
	WorkflowStatus(ctx context.Context, id string) (scene.StatusDoc, error)
	NextStep(ctx context.Context, id string) (scene.NextDoc, error)
	Prerequisites(ctx context.Context, id string, step int) (scene.PrerequisitesDoc, error)
	Workflows(ctx context.Context, q scene.Query) (scene.ListDoc, error)
	WorkflowMetrics(ctx context.Context, id string) (scene.MetricsDoc, error)
}

// Mover changes a workflow.
type Mover interface {
	ApproveStep(ctx context.Context, in scene.Approval) (scene.ApprovalDoc, error)
	UpdateWorkflow(ctx context.Context, in scene.Update) (scene.UpdateDoc, error)
	ResumeWorkflow(ctx context.Context, id string, from int, reason string) (scene.ResumeDoc, error)
	CancelWorkflow(ctx context.Context, id, reason string) (scene.CancelDoc, error)
}

// Sessioner keeps copy-on-write sessions. What its SwitchSession would do to the command line, a connection does for
// itself.
type Sessioner interface {
	CreateSession(ctx context.Context, name, createdBy string) (app.SessionDoc, error)
	Sessions(ctx context.Context) (app.SessionsDoc, error)
	ResolvePath(ctx context.Context, session, path string, write bool) (app.PathDoc, error)
	CommitSession(ctx context.Context, name string, confirm bool) (app.CommitDoc, error)
	CancelSession(ctx context.Context, name string) (app.CommitDoc, error)
}

// Shower shows what is not a workflow, or a workflow as its file has it.
type Shower interface {
	Inbox(ctx context.Context, run string) (app.InboxDoc, error)
	WorkflowState(ctx context.Context, id string) ([]byte, error)
	WorkflowMark(ctx context.Context, id string) (int64, error) // moves with every change
}
