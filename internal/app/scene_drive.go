package app

import (
	"context"

	"sluice/internal/engine"
	"sluice/internal/kernel"
	"sluice/internal/line/scene"
)

// driveWorkflow performs the steps that are ready, and asks before each next one whether what it stands on is still what people
// approved: they may change a plan or a draft while a later step is under way.
func (a *App) driveWorkflow(ctx context.Context, id kernel.RunID) (*kernel.Run, error) {
	scope := map[kernel.NodeID]bool{}
	isEdited, looks := false, a.Engine.Files != nil
	plan := a.Plan
	plan.Only = func(n kernel.Node) bool { return scope[n.ID] }
	plan.Next = func(l engine.Look) ([]engine.Act, error) {
		if old, since, ok := scene.Outdated(l.Run()); ok {
			stamp := a.stamp()
			stamp.By = kernel.Actor{Kind: kernel.Engine}
			return []engine.Act{{Command: kernel.Revise{Stamp: stamp, Nodes: []kernel.NodeID{old}, Note: string(since) + " was changed since"}}}, nil
		}
		clear(scope)
		if looks { // what people changed is taken over when nobody drives
			edits, err := a.Engine.Files.Scan(ctx, string(id))
			if isEdited = len(edits) > 0; err != nil || isEdited {
				return nil, err
			}
		}
		for n := range l.Run().Nodes() {
			scope[n.ID()] = n.Status() == kernel.StatusReady || n.Status() == kernel.StatusRework
		}
		return nil, nil
	}
	for before := int64(-1); ; {
		run, err := a.Engine.Drive(ctx, id, plan)
		if err != nil || !isEdited {
			return run, err
		}
		isEdited, looks = false, run.Seq() != before // one that cannot be taken over is found every time
		before = run.Seq()
		if _, err := a.Engine.Adopt(ctx, id); err != nil {
			return run, err
		}
	}
}

// labelled names the steps of a workflow with replies of a real model that rehearsal made.
func (a *App) labelled(ctx context.Context, run *kernel.Run, d scene.StatusDoc) (scene.StatusDoc, error) {
	was, err := a.rehearsedAttempts(ctx, run)
	if err != nil || len(was) == 0 {
		return d, err
	}
	d.RehearsalSteps = scene.Rehearsed(run, func(id kernel.AttemptID) bool { return was[id] })
	return d, nil
}
