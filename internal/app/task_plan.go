package app

import (
	"context"
	"strconv"
	"strings"

	"sluice/internal/engine"
	"sluice/internal/fault"
	"sluice/internal/journal"
	"sluice/internal/kernel"
	"sluice/internal/line"
	"sluice/internal/line/task"
)

// NewPlan is a wish for a plan of a task in a person's words.
type NewPlan struct {
	TopTask   string
	Threshold *float64 // nil: as configured
	MaxDepth  *int
}

// StartPlan plans a task until its plan is reviewed and feasible, or waits for a person.
func (a *App) StartPlan(ctx context.Context, w NewPlan) (task.PlanningDoc, error) {
	if strings.TrimSpace(w.TopTask) == "" {
		return task.PlanningDoc{}, fault.New(fault.BadValue, "top_task", "the task to plan is empty")
	}
	s := a.Plans
	if w.Threshold != nil {
		s.OneShotThresholdPersonDays = *w.Threshold
	}
	if w.MaxDepth != nil {
		s.MaxDecompositionDepth = *w.MaxDepth
	}
	n, err := a.Counter.Reserve(ctx, "run/"+task.Name, 1)
	if err != nil {
		return task.PlanningDoc{}, err
	}
	open, err := task.OpenNew(task.NewPlanID(a.Now().UTC().String(), strconv.FormatInt(n, 10), w.TopTask), strings.TrimSpace(w.TopTask), s)
	if err != nil {
		return task.PlanningDoc{}, err
	}
	open.Stamp = a.stamp()
	run, err := a.Engine.Open(ctx, open)
	if err != nil {
		return task.PlanningDoc{}, err
	}
	return a.drivePlanning(ctx, string(run.ID()))
}

// drivePlanning performs what belongs to planning, and none of the plan's tasks.
func (a *App) drivePlanning(ctx context.Context, id string) (task.PlanningDoc, error) {
	driver := *a
	driver.Plan.Only = task.IsPlanning
	if _, err := driver.Drive(ctx, id); err != nil {
		return task.PlanningDoc{}, err
	}
	v, err := a.plan(ctx, id)
	if err != nil {
		return task.PlanningDoc{}, err
	}
	return v.Planning(), a.outOfMoney(v.Run)
}

// supplyPlanning gives planning what it waits for.
func (a *App) supplyPlanning(at kernel.NodeID, files []line.Part, note string) engine.Act {
	text := task.SuppliedText(files, note)
	if !task.IsInput(at) {
		return engine.Act{Command: kernel.Revise{Stamp: a.stamp(), Nodes: []kernel.NodeID{at}, Note: text}}
	}
	b := blob([]byte(text))
	return engine.Act{Command: kernel.Submit{Stamp: a.stamp(), Node: at, Content: kernel.Content{Digest: b.Digest, Size: int64(len(text)), Schema: "text/markdown"}},
		Blobs: []journal.Blob{b}}
}

// EstimatePlan has the leaves of a plan estimated. Estimates that differ are written into a plan whose tasks do not follow
// from it yet; otherwise they are only told. What a process that is gone left of it is finished first: nothing is asked for
// twice.
func (a *App) EstimatePlan(ctx context.Context, id string) (task.FeasibilityDoc, error) {
	v, err := a.plan(ctx, id)
	if err != nil {
		return task.FeasibilityDoc{}, err
	}
	if !v.IsPlanned() {
		return task.FeasibilityDoc{}, fault.New(fault.MissingPrerequisite, id, "plan %s is being planned; its leaves are estimated in every round", id).
			With(v.Onward())
	}
	node, err := a.driveEstimate(ctx, v)
	if err != nil {
		return task.FeasibilityDoc{}, unlessMeant(err, "sluice task feasibility "+id)
	}
	return a.writeEstimate(ctx, v, node)
}

// driveEstimate has the leaves of a plan estimated and names the node that did. It is added in the drive: where that is
// refused, nothing is recorded that another process would then pay for.
func (a *App) driveEstimate(ctx context.Context, v task.View) (kernel.NodeID, error) {
	n, isKnown := v.EstimateNode()
	if isKnown && v.Run.Approved(n.ID) != nil {
		return n.ID, nil // it is only to be written
	}
	run, err := a.afford(ctx, v.Run)
	if err != nil {
		return "", err
	}
	plan := a.Plan
	plan.Only = task.IsPlanning
	plan.Next = func(l engine.Look) ([]engine.Act, error) {
		if isKnown {
			return nil, nil
		}
		isKnown = true
		if a.Engine.Model != nil {
			if err := l.Run().RefuseProvider(a.Engine.Model.Class(), a.Plan.Switch); err != nil {
				return nil, err
			}
		}
		n, _ = task.View{Run: l.Run(), Doc: v.Doc}.EstimateNode()
		return []engine.Act{{Command: kernel.Unfold{Stamp: a.stamp(), Nodes: []kernel.Node{n}}}}, nil
	}
	run, err = a.Engine.Drive(ctx, run.ID(), plan)
	if err != nil {
		return n.ID, err
	}
	return n.ID, a.outOfMoney(run)
}

// writeEstimate tells what was estimated, and writes it into the plan that it was estimated of.
func (a *App) writeEstimate(ctx context.Context, v task.View, node kernel.NodeID) (task.FeasibilityDoc, error) {
	var d task.FeasibilityDoc
	id := string(v.Run.ID())
	_, err := a.Engine.DoWish(ctx, v.Run.ID(), func(l engine.Look) ([]engine.Act, error) {
		estimated := l.Run().Approved(node)
		if estimated == nil {
			return nil, fault.New(fault.StepFailed, string(node), "the leaves of plan %s were not estimated", id).
				With(fault.Action{Action: "status", Command: "sluice status " + id, Why: "it says why"})
		}
		now, err := task.Look(l.Run(), l.Body(ctx))
		if err != nil {
			return nil, err
		}
		s, err := task.SettingsOf(l.Run())
		if err != nil {
			return nil, err
		}
		body, err := l.Body(ctx)(estimated)
		if err != nil {
			return nil, err
		}
		better, err := task.ParseDocument(body)
		if err != nil {
			return nil, err
		}
		d = task.Feasibility(now.Doc, better, s)
		d.Begun = now.IsUnfolded()
		if d.Begun || estimated.Digest == l.Run().Approved(task.PlanNode).Digest {
			return nil, nil
		}
		if !now.IsEstimated(estimated) {
			return nil, fault.New(fault.Conflict, id, "plan %s was changed while its leaves were estimated; what was estimated is not written", id).
				With(fault.Action{Action: "feasibility", Command: "sluice task feasibility " + id, Why: "it estimates the plan as it is now"})
		}
		d.Written = true
		act, err := a.planAct(better, "estimated")
		return []engine.Act{act}, err
	})
	d.Written = d.Written && err == nil
	return d, err
}
