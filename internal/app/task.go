package app

import (
	"context"
	"errors"
	"strings"

	"sluice/internal/digest"
	"sluice/internal/engine"
	"sluice/internal/fault"
	"sluice/internal/journal"
	"sluice/internal/kernel"
	"sluice/internal/line"
	"sluice/internal/line/task"
)

// PlanImportDoc says what an import made of a file.
type PlanImportDoc struct {
	PlanID   string          `json:"plan_id"`
	Status   task.PlanStatus `json:"status"`
	Nodes    int             `json:"node_count"`
	Leaves   int             `json:"leaf_count"`
	Changed  []task.Note     `json:"changed"`
	Findings []task.Finding  `json:"findings"`
}

// ImportPlan makes a plan from a file. One that the doctor has something against is kept, shown and drawn, and does not
// run.
func (a *App) ImportPlan(ctx context.Context, raw []byte) (PlanImportDoc, error) {
	read, err := task.Read(raw)
	if err != nil {
		return PlanImportDoc{}, err
	}
	if err := read.Err(); err != nil {
		return PlanImportDoc{}, err
	}
	open, err := task.Open(read.Document, a.Plans)
	if err != nil {
		return PlanImportDoc{}, err
	}
	submit, err := a.planAct(read.Document, "imported")
	if err != nil {
		return PlanImportDoc{}, err
	}
	open.Stamp = a.stamp()
	run, err := a.Engine.OpenWith(ctx, open, submit)
	if errors.Is(err, fault.RunExists) || errors.Is(err, fault.Conflict) {
		id := read.Document.Plan.PlanID
		return PlanImportDoc{}, fault.New(fault.RunExists, id, "plan %s exists", id).
			With(fault.Action{Action: "status", Command: "sluice task status " + id, Why: "it shows where that plan stands"},
				fault.Action{Action: "import", Why: "a file with another plan_id, or with none, becomes a plan of its own"})
	}
	if err != nil {
		return PlanImportDoc{}, err
	}
	v := task.View{Run: run, Doc: read.Document}
	return PlanImportDoc{PlanID: string(run.ID()), Status: v.Status().Status, Nodes: len(read.Document.Nodes),
		Leaves: len(task.NewChart(&read.Document).Leaves()), Changed: orEmpty(read.Changed), Findings: orEmpty(task.Doctor(read.Document, a.Plans))}, nil
}

func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// planAct stores a document as the next version of its plan.
func (a *App) planAct(d task.Document, note string) (engine.Act, error) {
	body, err := d.Encode()
	if err != nil {
		return engine.Act{}, err
	}
	b := blob(body)
	return engine.Act{Command: kernel.Submit{Stamp: a.stamp(), Node: task.PlanNode, Note: note,
		Content: kernel.Content{Digest: b.Digest, Size: int64(len(body)), Schema: task.PlanSchema}}, Blobs: []journal.Blob{b}}, nil
}

// plan finds a plan and reads it in the words of its line, with damaged files put back first.
func (a *App) plan(ctx context.Context, id string) (task.View, error) {
	return a.planAs(ctx, id, a.load)
}

func (a *App) planAs(ctx context.Context, id string, load func(ctx context.Context, id string) (*kernel.Run, error)) (task.View, error) {
	if _, err := kernel.ParseRunID(id); err != nil {
		return task.View{}, err
	}
	id = strings.ToLower(id)
	info, err := a.Store.Run(ctx, id)
	if fault.CodeOf(err) == fault.UnknownRun {
		info, err = a.begunWith(ctx, id, task.Name, err)
	}
	if err != nil && fault.CodeOf(err) != fault.UnknownRun {
		return task.View{}, err
	}
	if err != nil || info.Line != task.Name || isGone(info) {
		return task.View{}, fault.New(fault.UnknownRun, id, "there is no plan %s", id).
			With(fault.Action{Action: "list", Command: "sluice task list", Why: "it shows the plans there are"})
	}
	run, err := load(ctx, info.ID)
	if err != nil {
		return task.View{}, err
	}
	v, err := task.Look(run, a.bodies(ctx, run))
	if err == nil {
		v.Rehearsed, err = a.rehearsedAttempts(ctx, run)
	}
	return v, err
}

// PlanStatus says where a plan stands.
func (a *App) PlanStatus(ctx context.Context, id string) (task.StatusDoc, error) {
	v, err := a.plan(ctx, id)
	if err != nil {
		return task.StatusDoc{}, err
	}
	return v.Status(), nil
}

// ShowTask shows one task of a plan with its history.
func (a *App) ShowTask(ctx context.Context, id, given string) (task.TaskDoc, error) {
	v, t, err := a.planTask(ctx, id, given)
	if err != nil {
		return task.TaskDoc{}, err
	}
	return v.Task(t)
}

func (a *App) planTask(ctx context.Context, id, given string) (task.View, task.Node, error) {
	v, err := a.plan(ctx, id)
	if err != nil {
		return v, task.Node{}, err
	}
	t, err := v.FindTask(given)
	return v, t, err
}

// DrawPlan draws a plan.
func (a *App) DrawPlan(ctx context.Context, id, format string) (string, error) {
	v, err := a.plan(ctx, id)
	if err != nil {
		return "", err
	}
	return task.Draw(v.Doc, v.Standing, format)
}

// PlanGraph gives a plan's drawing as data.
func (a *App) PlanGraph(ctx context.Context, id string) (task.GraphDoc, error) {
	v, err := a.plan(ctx, id)
	if err != nil {
		return task.GraphDoc{}, err
	}
	return task.Graph(v.Doc, v.Standing), nil
}

// PlanFindingsDoc says what the doctor found.
type PlanFindingsDoc struct {
	PlanID   string         `json:"plan_id"`
	Findings []task.Finding `json:"findings"`
	Planning *fault.Action  `json:"-"` // how it goes on with being planned; nil: it is planned
}

// Err is the refusal of a plan with findings that stop it.
func (d PlanFindingsDoc) Err() error { return task.Refuse(d.PlanID, d.Findings) }

// PlanDoctor holds a plan and what became of it against every hard rule.
func (a *App) PlanDoctor(ctx context.Context, id string) (PlanFindingsDoc, error) {
	v, err := a.planAs(ctx, id, func(ctx context.Context, id string) (*kernel.Run, error) {
		return a.Engine.Load(ctx, kernel.RunID(id)) // files as they are
	})
	if err != nil {
		return PlanFindingsDoc{}, err
	}
	s, err := task.SettingsOf(v.Run)
	if err != nil {
		return PlanFindingsDoc{}, err
	}
	d := PlanFindingsDoc{PlanID: string(v.Run.ID()), Findings: orEmpty(task.Doctor(v.Doc, s))}
	var tasks []task.TaskDoc
	for _, n := range v.Doc.Nodes {
		t, err := v.Task(n)
		if err != nil {
			return d, err
		}
		tasks = append(tasks, t)
	}
	d.Findings = append(d.Findings, task.DoctorState(tasks, a.sumOf)...)
	d.Findings = append(d.Findings, task.DoctorReviews(tasks, a.sumOf)...)
	d.Planning = stillPlanned(v)
	return d, nil
}

func (a *App) sumOf(path string) (string, bool) {
	body, err := a.Space.Read(path)
	if err != nil {
		return "", false
	}
	return digest.Of(body).Hex(), true
}

// PlanRewriteDoc says what a rewrite changes, and what it leaves.
type PlanRewriteDoc struct {
	PlanID   string         `json:"plan_id"`
	Applied  bool           `json:"applied"`
	Changes  []task.Change  `json:"changes"`
	Findings []task.Finding `json:"findings"` // that are left
	Plan     task.Document  `json:"plan"`
	Onward   fault.Action   `json:"-"` // how the plan goes on
	Planning *fault.Action  `json:"-"` // how it goes on with being planned; nil: it is planned
}

// stillPlanned says how a plan goes on that is being planned: nothing of it can be mended by hand yet.
func stillPlanned(v task.View) *fault.Action {
	if v.IsPlanned() {
		return nil
	}
	next := v.Onward()
	return &next
}

// RewritePlan proposes a plan without the findings that have a mechanical answer, and stores it if that is wanted. Tasks
// that follow from the plan already stay what they are: a rewrite that would change one is refused and says which. What is
// stored is the answer to the plan as it then stands, whatever became of it since it was read.
func (a *App) RewritePlan(ctx context.Context, id string, apply bool) (PlanRewriteDoc, error) {
	v, err := a.plan(ctx, id)
	if err != nil {
		return PlanRewriteDoc{}, err
	}
	d, _, err := a.rewritten(v)
	if err != nil || !apply || len(d.Changes) == 0 {
		return d, err
	}
	run, err := a.Engine.DoWish(ctx, v.Run.ID(), func(l engine.Look) ([]engine.Act, error) {
		now, err := task.Look(l.Run(), l.Body(ctx))
		if err != nil {
			return nil, err
		}
		var inTheWay []task.Obstacle
		if d, inTheWay, err = a.rewritten(now); err != nil || len(d.Changes) == 0 {
			return nil, err
		}
		if !now.IsPlanned() {
			return nil, fault.New(fault.IllegalStep, id, "plan %s is being planned; there is nothing to rewrite yet", id).
				With(now.Onward())
		}
		if err := task.RefuseRewrite(id, inTheWay); err != nil {
			return nil, err
		}
		act, err := a.planAct(d.Plan, "rewritten")
		return []engine.Act{act}, err
	})
	if err != nil {
		return d, err
	}
	d.Applied, d.Onward = len(d.Changes) > 0, task.View{Run: run, Doc: d.Plan}.Onward()
	return d, nil
}

func (a *App) rewritten(v task.View) (PlanRewriteDoc, []task.Obstacle, error) {
	s, err := task.SettingsOf(v.Run)
	if err != nil {
		return PlanRewriteDoc{}, nil, err
	}
	better, changes, inTheWay, err := v.Rewrite(s)
	if err != nil {
		return PlanRewriteDoc{}, nil, err
	}
	return PlanRewriteDoc{PlanID: string(v.Run.ID()), Changes: orEmpty(changes), Findings: orEmpty(task.Doctor(better, s)), Plan: better,
		Onward: v.Onward(), Planning: stillPlanned(v)}, inTheWay, nil
}

// PlanRow is a plan in a list.
type PlanRow struct {
	PlanID    string          `json:"plan_id"`
	Title     string          `json:"title"`
	Status    task.PlanStatus `json:"status"`
	Tasks     int             `json:"task_count"`
	Done      int             `json:"done_count"`
	Rehearsal bool            `json:"rehearsal"`
}

// PlanListDoc lists plans.
type PlanListDoc struct {
	Plans []PlanRow `json:"plans"`
	Next  string    `json:"next_page,omitempty"`
}

// ListPlans lists the plans of the workspace, newest first.
func (a *App) ListPlans(ctx context.Context, limit int, page string) (PlanListDoc, error) {
	found, err := a.Store.List(ctx, journal.Filter{Line: task.Name, Limit: limit, Cursor: page})
	if err != nil {
		return PlanListDoc{}, err
	}
	d := PlanListDoc{Plans: []PlanRow{}, Next: found.Next}
	for _, info := range found.Runs {
		if isGone(info) {
			continue
		}
		v, err := a.plan(ctx, info.ID)
		if err != nil {
			return d, err
		}
		s := v.Status()
		d.Plans = append(d.Plans, PlanRow{PlanID: s.PlanID, Title: s.Title, Status: s.Status, Tasks: len(s.Nodes), Done: s.Counts[task.Done], Rehearsal: s.Rehearsal})
	}
	return d, nil
}

// RunPlan lets a plan go on until it waits or ends. One that the doctor has something against is refused.
func (a *App) RunPlan(ctx context.Context, id string, workers int) (task.StatusDoc, error) {
	v, err := a.plan(ctx, id)
	if err != nil {
		return task.StatusDoc{}, err
	}
	if !v.IsUnfolded() && v.IsPlanned() {
		s, err := task.SettingsOf(v.Run)
		if err != nil {
			return task.StatusDoc{}, err
		}
		if err := task.Refuse(id, task.Doctor(v.Doc, s)); err != nil {
			return task.StatusDoc{}, err
		}
	}
	driver := *a
	if workers > 0 {
		driver.Plan.Workers = workers
	}
	if _, err := driver.Drive(ctx, string(v.Run.ID())); err != nil {
		return task.StatusDoc{}, err
	}
	d, err := a.PlanStatus(ctx, id)
	if err != nil {
		return d, err
	}
	run, err := a.Engine.Load(ctx, v.Run.ID())
	if err != nil {
		return d, err
	}
	return d, a.outOfMoney(run)
}

// taskWish decides about one task of a plan as it stands, again if it moved on meanwhile, and says where the plan stands
// then. What is named after the attempts and reviews that there are must not be so from an older look.
func (a *App) taskWish(ctx context.Context, id, given string, decide func(v task.View, t task.Node) (engine.Act, error)) (task.StatusDoc, error) {
	v, err := a.plan(ctx, id)
	if err != nil {
		return task.StatusDoc{}, err
	}
	v.Run, err = a.Engine.DoWish(ctx, v.Run.ID(), func(l engine.Look) ([]engine.Act, error) {
		now, err := task.Look(l.Run(), l.Body(ctx))
		if err != nil {
			return nil, err
		}
		t, err := now.FindTask(given)
		if err != nil {
			return nil, err
		}
		v.Doc = now.Doc
		act, err := decide(now, t)
		if err != nil || act.Command == nil {
			return nil, err
		}
		return []engine.Act{act}, nil
	})
	if err != nil {
		return task.StatusDoc{}, err
	}
	return v.Status(), nil
}

// RedoTask has a task made or judged again, with what a person says about it. Its attempts start again. A version that a
// CHECK has judged is not judged by it again: what it said stands.
func (a *App) RedoTask(ctx context.Context, id, given, note string) (task.StatusDoc, error) {
	return a.taskWish(ctx, id, given, func(v task.View, t task.Node) (engine.Act, error) {
		if v.IsJudged(t) {
			if strings.TrimSpace(note) != "" {
				return engine.Act{}, v.RefuseAgain(t)
			}
			return engine.Act{}, nil
		}
		return engine.Act{Command: kernel.Revise{Stamp: a.stamp(), Nodes: []kernel.NodeID{kernel.NodeID(t.TaskID)}, Note: note}}, nil
	})
}

// AbandonTask takes a task out of its plan.
func (a *App) AbandonTask(ctx context.Context, id, given, reason string) (task.StatusDoc, error) {
	return a.taskWish(ctx, id, given, func(_ task.View, t task.Node) (engine.Act, error) {
		return engine.Act{Command: kernel.Abandon{Stamp: a.stamp(), Node: kernel.NodeID(t.TaskID), Reason: reason}}, nil
	})
}

// SubmitTask takes files of a person as the next version of a task. It meets the same CHECK.
func (a *App) SubmitTask(ctx context.Context, id, given string, files []line.Part) (task.StatusDoc, error) {
	return a.taskWish(ctx, id, given, func(v task.View, t task.Node) (engine.Act, error) {
		n, ok := v.Run.Node(kernel.NodeID(t.TaskID))
		if !ok || t.NodeType != task.Action {
			return engine.Act{}, fault.New(fault.IllegalStep, t.TaskID, "%s is a %s of a plan that is %s; it takes no files", t.TaskID, t.NodeType, v.Status().Status).
				With(fault.Action{Action: "status", Command: "sluice task status " + id})
		}
		out, err := task.Submission(v.Run.ID(), n, t, files)
		if err != nil {
			return engine.Act{}, err
		}
		p := engine.PerformedAs(out)
		return engine.Act{Command: kernel.Submit{Stamp: a.stamp(), Node: n.ID(), Content: p.Content}, Blobs: p.Blobs}, nil
	})
}

// ReviewTask records a person's verdict on one version of a task, in place of its CHECK. Which one the newest is, is what
// the person saw: it is looked up once.
func (a *App) ReviewTask(ctx context.Context, id, given string, w task.Written) (task.StatusDoc, error) {
	return a.taskWish(ctx, id, given, func(v task.View, t task.Node) (engine.Act, error) {
		judge, err := task.Judge(v.Run, t, w)
		if err != nil {
			return engine.Act{}, err
		}
		w.Version = string(judge.Version)
		judge.Stamp = a.stamp()
		return engine.Act{Command: judge}, nil
	})
}
