package app

import (
	"context"
	"encoding/json"
	"path"
	"slices"
	"strings"

	"sluice/internal/engine"
	"sluice/internal/export"
	"sluice/internal/fault"
	"sluice/internal/kernel"
	"sluice/internal/line"
	"sluice/internal/line/task"
)

// PlanExport is a wish to export a plan.
type PlanExport struct {
	Dir        string // relative to the workspace; empty is the plan's own
	Candidates bool
	FinalOnly  bool
}

// ExportPlan writes the approved deliverables of a plan with a manifest, whole or not at all.
func (a *App) ExportPlan(ctx context.Context, id string, w PlanExport) (ExportDoc, error) {
	v, err := a.plan(ctx, id)
	if err != nil {
		return ExportDoc{}, err
	}
	if w.Dir == "" {
		w.Dir = task.BundleDir(string(v.Run.ID()))
	}
	s, err := task.SettingsOf(v.Run)
	if err != nil {
		return ExportDoc{}, err
	}
	tasks := map[string]task.Node{}
	sel := export.Selection{At: a.Now(), IncludeCandidates: w.Candidates || s.ExportIncludeCandidates}
	for _, d := range v.Deliverables(w.FinalOnly) {
		tasks[d.Task.TaskID] = d.Task
		sel.Wanted = append(sel.Wanted, export.Wanted{Node: kernel.NodeID(d.Task.TaskID), Path: d.Dir})
	}
	if len(sel.Wanted) == 0 { // an empty selection would mean everything
		return ExportDoc{}, fault.New(fault.NothingApproved, id, "plan %s has no task with an approved version", id).
			With(fault.Action{Action: "status", Command: "sluice task status " + id, Why: "it shows where the tasks stand"})
	}
	manifest, items, err := export.Plan(v.Run, sel)
	if err != nil {
		return ExportDoc{}, a.exportRefused(v, err)
	}
	if err := describe(v, &manifest, tasks); err != nil {
		return ExportDoc{}, err
	}
	if err := export.Write(ctx, a.Tree, w.Dir, manifest, items, a.Engine.Journal); err != nil {
		return ExportDoc{}, err
	}
	d := ExportDoc{Run: string(v.Run.ID()), Dir: w.Dir, Files: []string{}, Manifest: manifest}
	for _, item := range items {
		d.Files = append(d.Files, path.Join(w.Dir, item.Path))
	}
	return d, nil
}

// exportRefused fills in the exact commands of a refusal to export a plan.
func (a *App) exportRefused(v task.View, err error) error {
	f := fault.From(err)
	if f.Code != fault.NothingApproved {
		return err
	}
	c := *f
	c.Next = slices.Clone(f.Next)
	for i, next := range c.Next {
		switch {
		case next.Command != "":
		case next.Action == "include candidates":
			c.Next[i].Command = "sluice task export " + string(v.Run.ID()) + " --include-candidates"
		default:
			c.Next[i].Command = engine.Command(a.lineOf(v.Run), v.Run, "", next.Action)
		}
	}
	return &c
}

// describe puts the line's own words into a manifest.
func describe(v task.View, m *export.Manifest, tasks map[string]task.Node) (err error) {
	if m.Fields, err = json.Marshal(struct {
		PlanID string `json:"plan_id"`
	}{string(v.Run.ID())}); err != nil {
		return err
	}
	for i := range m.Entries {
		e := &m.Entries[i]
		version, ok := v.Run.Version(kernel.VersionID(e.Version))
		if !ok {
			return fault.New(fault.UnknownVersion, e.Version, "plan %s has no version %s", v.Run.ID(), e.Version)
		}
		item := v.ManifestItem(tasks[e.Node], version, e.Candidate)
		if item.IsRehearsed() {
			m.Label = task.PartlyRehearsed
		}
		if e.Fields, err = json.Marshal(item); err != nil {
			return err
		}
		for k := range e.By.Reviews {
			e.By.Reviews[k].ID = task.ReviewName(e.By.Reviews[k].ID)
		}
		for k := range e.Files {
			f := &e.Files[k]
			source := path.Join(task.ArtifactDir(e.Node, version.ID), f.Part)
			if f.Fields, err = json.Marshal(task.ManifestFile{DestPath: f.Path, SourcePath: source}); err != nil {
				return err
			}
		}
	}
	return nil
}

// SupplyTask gives what a task declared as its input, or what the only waiting task did, and lets the plan go on. Where
// another process drives the plan, that one goes on with it.
func (a *App) SupplyTask(ctx context.Context, id, given string, files []line.Part, note string) (task.StatusDoc, error) {
	v, err := a.plan(ctx, id)
	if err != nil {
		return task.StatusDoc{}, err
	}
	note = strings.TrimSpace(note)
	isPlanning := false
	_, err = a.Engine.DoWish(ctx, v.Run.ID(), func(l engine.Look) ([]engine.Act, error) {
		now, err := task.Look(l.Run(), l.Body(ctx))
		if err != nil {
			return nil, err
		}
		at := now.Waiting()
		isPlanning = given == "" && at != ""
		if isPlanning {
			return []engine.Act{a.supplyPlanning(at, files, note)}, nil
		}
		act, err := a.supplyTask(now, id, given, files, note)
		return []engine.Act{act}, err
	})
	if err != nil {
		return task.StatusDoc{}, err
	}
	if isPlanning {
		_, err = a.drivePlanning(ctx, string(v.Run.ID()))
	} else {
		_, err = a.RunPlan(ctx, id, 0)
	}
	if err != nil && fault.CodeOf(err) != fault.LeaseHeld {
		return task.StatusDoc{}, err
	}
	return a.PlanStatus(ctx, id)
}

func (a *App) supplyTask(v task.View, id, given string, files []line.Part, note string) (engine.Act, error) {
	if given != "" {
		t, err := v.FindTask(given)
		if err != nil {
			return engine.Act{}, err
		}
		given = t.TaskID
	}
	wanted := v.Wanted(given)
	if len(wanted) != 1 {
		return engine.Act{}, notOneWanted(id, wanted)
	}
	out, err := wanted[0].Supplied(v.Run, files, note)
	if err != nil {
		return engine.Act{}, err
	}
	p := engine.PerformedAs(out)
	return engine.Act{Command: kernel.Submit{Stamp: a.stamp(), Node: kernel.NodeID(wanted[0].RequirementID), Content: p.Content, Note: note}, Blobs: p.Blobs}, nil
}

func notOneWanted(id string, wanted []task.Requirement) error {
	if len(wanted) == 0 {
		return fault.New(fault.IllegalStep, id, "plan %s waits for nothing that can be supplied", id).
			With(fault.Action{Action: "status", Command: "sluice task status " + id, Why: "it shows what it waits for"})
	}
	e := fault.New(fault.BadValue, id, "plan %s waits for %d inputs; name the task", id, len(wanted))
	for _, q := range wanted {
		e = e.With(fault.Action{Action: "supply", Command: "sluice task supply " + id + " " + q.TaskID + " " + q.Flag(), Why: q.Name})
	}
	return e
}
