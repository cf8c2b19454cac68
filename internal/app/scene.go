package app

import (
	"context"

	"sluice/internal/fault"
	"sluice/internal/line/scene"
)

func notYet(what string) error {
	return fault.New(fault.Unexpected, what, "%s is not there yet", what)
}

// StartGeneration makes a generation workflow, and drives it if that is wanted.
func (a *App) StartGeneration(ctx context.Context, r scene.StartGeneration) (scene.StatusDoc, error) {
	return scene.StatusDoc{}, notYet("start_generation")
}

// StartPlanning makes a planning workflow, and drives it if that is wanted.
func (a *App) StartPlanning(ctx context.Context, r scene.StartPlanning) (scene.StatusDoc, error) {
	return scene.StatusDoc{}, notYet("start_planning")
}

// DriveWorkflow performs the steps of a workflow until it waits or ends.
func (a *App) DriveWorkflow(ctx context.Context, id string, takeOver bool) (scene.StatusDoc, error) {
	return scene.StatusDoc{}, notYet("drive")
}

// WorkflowStatus shows where a workflow stands.
func (a *App) WorkflowStatus(ctx context.Context, id string) (scene.StatusDoc, error) {
	return scene.StatusDoc{}, notYet("get_workflow_status")
}

// NextStep says what comes next, or what stands in the way.
func (a *App) NextStep(ctx context.Context, id string) (scene.NextDoc, error) {
	return scene.NextDoc{}, notYet("get_next_step")
}

// Prerequisites says whether a step may begin.
func (a *App) Prerequisites(ctx context.Context, id string, step int) (scene.PrerequisitesDoc, error) {
	return scene.PrerequisitesDoc{}, notYet("validate_prerequisites")
}

// ApproveStep records a person's verdict on a step that waits for one.
func (a *App) ApproveStep(ctx context.Context, r scene.Approval) (scene.ApprovalDoc, error) {
	return scene.ApprovalDoc{}, notYet("approve_step")
}

// UpdateWorkflow takes what an outside agent reports of a step.
func (a *App) UpdateWorkflow(ctx context.Context, r scene.Update) (scene.UpdateDoc, error) {
	return scene.UpdateDoc{}, notYet("update_workflow_state")
}

// Workflows lists workflows.
func (a *App) Workflows(ctx context.Context, q scene.Query) (scene.ListDoc, error) {
	return scene.ListDoc{}, notYet("list_workflows")
}

// ResumeWorkflow lets a failed or cancelled workflow go on, from an earlier step if one is named.
func (a *App) ResumeWorkflow(ctx context.Context, id string, from int, reason string) (scene.ResumeDoc, error) {
	return scene.ResumeDoc{}, notYet("resume_workflow")
}

// CancelWorkflow ends a workflow.
func (a *App) CancelWorkflow(ctx context.Context, id, reason string) (scene.CancelDoc, error) {
	return scene.CancelDoc{}, notYet("cancel_workflow")
}

// WorkflowMetrics counts what a workflow took.
func (a *App) WorkflowMetrics(ctx context.Context, id string) (scene.MetricsDoc, error) {
	return scene.MetricsDoc{}, notYet("get_metrics")
}

// ImportWorkflow makes a workflow from a state document.
func (a *App) ImportWorkflow(ctx context.Context, raw []byte, session string) (scene.StatusDoc, error) {
	return scene.StatusDoc{}, notYet("import")
}

// WorkflowState renders the state document of a workflow.
func (a *App) WorkflowState(ctx context.Context, id string) ([]byte, error) {
	return nil, notYet("state")
}
