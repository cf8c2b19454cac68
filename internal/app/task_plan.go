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

// supplyPlanning gives planning what it waits for, and lets it go on.
func (a *App) supplyPlanning(ctx context.Context, v task.View, at kernel.NodeID, files []line.Part, note string) (task.StatusDoc, error) {
	text := task.SuppliedText(files, note)
	act := engine.Act{Command: kernel.Revise{Stamp: a.stamp(), Nodes: []kernel.NodeID{at}, Note: text}}
	if task.IsInput(at) {
		b := blob([]byte(text))
		act = engine.Act{Command: kernel.Submit{Stamp: a.stamp(), Node: at, Content: kernel.Content{Digest: b.Digest, Size: int64(len(text)), Schema: "text/markdown"}},
			Blobs: []journal.Blob{b}}
	}
	if _, err := a.Engine.Do(ctx, v.Run.ID(), act); err != nil {
		return task.StatusDoc{}, err
	}
	if _, err := a.drivePlanning(ctx, string(v.Run.ID())); err != nil {
		return task.StatusDoc{}, err
	}
	return a.PlanStatus(ctx, string(v.Run.ID()))
}

// EstimatePlan has the leaves of a plan estimated. Estimates that differ are written into a plan whose tasks do not follow
// from it yet; otherwise they are only told.
func (a *App) EstimatePlan(ctx context.Context, id string) (task.FeasibilityDoc, error) {
	v, err := a.plan(ctx, id)
	if err != nil {
		return task.FeasibilityDoc{}, err
	}
	if !v.IsPlanned() {
		return task.FeasibilityDoc{}, fault.New(fault.MissingPrerequisite, id, "plan %s is being planned; its leaves are estimated in every round", id).
			With(fault.Action{Action: "run", Command: "sluice task run " + id, Why: "it goes on planning"})
	}
	s, err := task.SettingsOf(v.Run)
	if err != nil {
		return task.FeasibilityDoc{}, err
	}
	n := task.EstimateNode(v.Run)
	if _, err := a.Engine.Do(ctx, v.Run.ID(), engine.Act{Command: kernel.Unfold{Stamp: a.stamp(), Nodes: []kernel.Node{n}}}); err != nil {
		return task.FeasibilityDoc{}, err
	}
	if _, err := a.drivePlanning(ctx, string(v.Run.ID())); err != nil {
		return task.FeasibilityDoc{}, err
	}
	run, err := a.load(ctx, string(v.Run.ID()))
	if err != nil {
		return task.FeasibilityDoc{}, err
	}
	estimated := run.Approved(n.ID)
	if estimated == nil {
		return task.FeasibilityDoc{}, fault.New(fault.StepFailed, string(n.ID), "the leaves of plan %s were not estimated", id).
			With(fault.Action{Action: "status", Command: "sluice status " + id, Why: "it says why"})
	}
	body, err := a.bodies(ctx, run)(estimated)
	if err != nil {
		return task.FeasibilityDoc{}, err
	}
	better, err := task.ParseDocument(body)
	if err != nil {
		return task.FeasibilityDoc{}, err
	}
	d := task.Feasibility(v.Doc, better, s)
	d.Begun = v.IsUnfolded()
	if d.Begun || estimated.Digest == v.Run.Approved(task.PlanNode).Digest {
		return d, nil
	}
	act, err := a.planAct(better, "estimated")
	if err != nil {
		return d, err
	}
	_, err = a.Engine.Do(ctx, v.Run.ID(), act)
	d.Written = err == nil
	return d, err
}
