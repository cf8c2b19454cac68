package app

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"sluice/internal/fault"
	"sluice/internal/journal"
	"sluice/internal/kernel"
	"sluice/internal/line"
	"sluice/internal/line/scene"
)

// workflowRow is a workflow as lists have it.
type workflowRow struct {
	journal.RunInfo
	brief scene.Brief
}

// Workflows lists workflows, newest first.
func (a *App) Workflows(ctx context.Context, q scene.Query) (scene.ListDoc, error) {
	if err := checkQuery(q); err != nil {
		return scene.ListDoc{}, err
	}
	rows, err := a.workflowRows(ctx, q)
	if err != nil {
		return scene.ListDoc{}, err
	}
	d := scene.ListDoc{Workflows: []scene.ListRow{}}
	for _, r := range rows {
		if q.Status != "" && q.Status != r.brief.Status && !(q.Status == scene.WaitingApproval && r.brief.Waiting) {
			continue
		}
		d.Workflows = append(d.Workflows, scene.ListRow{WorkflowID: r.ID, WorkflowType: r.Labels[scene.LabelType], Status: r.brief.Status,
			CurrentStep: r.brief.CurrentStep, ProgressPercentage: r.brief.Progress, SessionName: r.Labels[line.LabelSession]})
	}
	d.Total = len(d.Workflows)
	return d, nil
}

func checkQuery(q scene.Query) error {
	statuses := []string{"", scene.InProgress, scene.WaitingApproval, scene.Failed, scene.Completed, scene.Cancelled}
	if !slices.Contains(statuses, q.Status) {
		return fault.New(fault.BadValue, "status", "status %.80q is none of %v", q.Status, statuses[1:]).
			With(fault.Action{Action: "list", Command: "sluice scene list"})
	}
	if !slices.Contains([]string{"", scene.Generation, scene.Planning}, q.WorkflowType) {
		return fault.New(fault.BadValue, "workflow_type", "workflow type %.80q is not generation or planning", q.WorkflowType).
			With(fault.Action{Action: "list", Command: "sluice scene list"})
	}
	return scene.CheckSession(q.SessionName)
}

// workflowRows gives the workflows of a type and a session, of which empty ones select all.
func (a *App) workflowRows(ctx context.Context, q scene.Query) ([]workflowRow, error) {
	f := journal.Filter{Line: scene.Name, Labels: map[string]string{}, Limit: 1000}
	if q.WorkflowType != "" {
		f.Labels[scene.LabelType] = q.WorkflowType
	}
	if q.SessionName != "" {
		f.Labels[line.LabelSession] = q.SessionName
	}
	runs, err := a.sessionRuns(ctx, f)
	if err != nil {
		return nil, err
	}
	rows := make([]workflowRow, 0, len(runs))
	for _, r := range runs {
		if isGone(r) {
			continue
		}
		row := workflowRow{RunInfo: r}
		if err := json.Unmarshal(r.Summary, &row.brief); err != nil {
			return nil, fault.Wrap(fault.StoreCorrupt, r.ID, err, "the summary of workflow %s does not parse", r.ID)
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// showWorkflow brings the files that show more than the run's own state up to date: the index and the log. Both are
// made from the store, so that one which a killed process did not write is right after the next command.
func (a *App) showWorkflow(ctx context.Context, run *kernel.Run) error {
	if err := a.claimOutputs(ctx, run); err != nil {
		return err
	}
	if err := a.writeLog(ctx, run.ID()); err != nil {
		return err
	}
	return a.Index.Touch(ctx, run.Labels()[line.LabelSession])
}

// WriteIndex writes the index of the workflows of a session, or of none.
func (a *App) WriteIndex(ctx context.Context, session string) error {
	rows, err := a.workflowRows(ctx, scene.Query{SessionName: session})
	if err != nil {
		return err
	}
	var x scene.Index
	for _, r := range rows {
		own := r.Labels[line.LabelSession]
		if own != session {
			continue
		}
		x.Workflows = append(x.Workflows, scene.IndexRow{WorkflowID: r.ID, WorkflowType: r.Labels[scene.LabelType], Status: r.brief.Status,
			SessionName: own, Committed: r.Labels[line.LabelCommitted], CreatedAt: r.brief.CreatedAt, UpdatedAt: r.brief.UpdatedAt,
			StateFile: scene.StatePath(own, r.ID)})
	}
	slices.SortFunc(x.Workflows, func(p, q scene.IndexRow) int {
		return cmp.Or(p.CreatedAt.Compare(q.CreatedAt.Time), cmp.Compare(p.WorkflowID, q.WorkflowID))
	})
	body, err := x.Encode()
	if err != nil {
		return err
	}
	return a.replace(scene.IndexPath(session), body)
}

// writeLog writes the log of a workflow.
func (a *App) writeLog(ctx context.Context, id kernel.RunID) error {
	stored, err := a.Engine.Journal.Load(ctx, string(id), 0)
	if err != nil {
		return err
	}
	batches := make([][]kernel.Event, 0, len(stored))
	for _, b := range stored {
		events, err := kernel.Decode(b.Events)
		if err != nil {
			return err
		}
		batches = append(batches, events)
	}
	body, err := scene.LogText(batches)
	if err != nil {
		return err
	}
	return a.replace(scene.LogPath(string(id)), body)
}

// replace writes a file that shows something else now.
func (a *App) replace(path string, body []byte) error {
	if now, err := a.Space.Read(path); err == nil && bytes.Equal(now, body) {
		return nil
	}
	return a.Writer.Write(path, body, 0)
}
