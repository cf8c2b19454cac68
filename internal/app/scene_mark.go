package app

import "context"

// WorkflowMark says how far the record of a workflow goes, with what people changed in its files taken over first. Under
// the same mark its documents are the same, so a door that is asked often may keep them.
func (a *App) WorkflowMark(ctx context.Context, id string) (int64, error) {
	run, err := a.findWorkflow(ctx, id, "")
	if err != nil {
		return 0, err
	}
	if _, err := a.Engine.Adopt(ctx, run); err != nil {
		return 0, err
	}
	info, err := a.Store.Run(ctx, string(run))
	return info.Seq, err
}
