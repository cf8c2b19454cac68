package app

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"sluice/internal/engine"
	"sluice/internal/fault"
	"sluice/internal/kernel"
	"sluice/internal/line"
	"sluice/internal/line/scene"
)

// Writer replaces files of the workspace that show what the store holds, whole or not at all.
type Writer interface {
	Write(path string, body []byte, perm fs.FileMode) error
}

// StartGeneration makes a generation workflow, and drives it if that is wanted.
func (a *App) StartGeneration(ctx context.Context, r scene.StartGeneration) (scene.StatusDoc, error) {
	s, err := r.Subject()
	if err != nil {
		return scene.StatusDoc{}, err
	}
	return a.startWorkflow(ctx, s, r.Drive)
}

// StartPlanning makes a planning workflow, and drives it if that is wanted.
func (a *App) StartPlanning(ctx context.Context, r scene.StartPlanning) (scene.StatusDoc, error) {
	s, err := r.Subject()
	if err != nil {
		return scene.StatusDoc{}, err
	}
	return a.startWorkflow(ctx, s, r.Drive)
}

func (a *App) startWorkflow(ctx context.Context, s scene.Subject, drive bool) (scene.StatusDoc, error) {
	if err := a.RequireSession(ctx, s.Session); err != nil {
		return scene.StatusDoc{}, err
	}
	def, err := a.definition(s.Workflow)
	if err != nil {
		return scene.StatusDoc{}, err
	}
	now := a.Now()
	for n := 1; ; n++ {
		open, err := scene.Open(def, s.ID(now, n), s)
		if err != nil {
			return scene.StatusDoc{}, err
		}
		if open.Definition, err = a.Engine.Journal.PutDefinition(ctx, def.Raw); err != nil {
			return scene.StatusDoc{}, err
		}
		open.Stamp = a.stamp()
		run, err := a.openIn(ctx, s.Session, open)
		if errors.Is(err, fault.RunExists) || errors.Is(err, fault.Conflict) {
			continue // the second in the same second
		}
		if err != nil {
			return scene.StatusDoc{}, err
		}
		if drive {
			return a.DriveWorkflow(ctx, string(run.ID()), false)
		}
		return a.workflowChanged(ctx, run)
	}
}

// definition gives the workspace's own definition of a type of workflow, or the one that comes with the program.
func (a *App) definition(workflow string) (scene.Definition, error) {
	raw, err := a.Space.Read(scene.DefinitionPath(workflow))
	if errors.Is(err, fault.NotFound) {
		return scene.Builtin(workflow)
	}
	if err != nil {
		return scene.Definition{}, err
	}
	return scene.ParseDefinition(workflow, raw)
}

// workflow finds a run of this line, with what people changed in its files taken over first. A session narrows it.
func (a *App) workflow(ctx context.Context, id, session string) (*kernel.Run, error) {
	run, err := a.findWorkflow(ctx, id, session)
	if err != nil {
		return nil, err
	}
	if _, err := a.Engine.Adopt(ctx, run); err != nil {
		return nil, err
	}
	return a.Engine.Load(ctx, run)
}

func (a *App) findWorkflow(ctx context.Context, id, session string) (kernel.RunID, error) {
	if err := scene.CheckID(id); err != nil {
		return "", err
	}
	if err := scene.CheckSession(session); err != nil {
		return "", err
	}
	info, err := a.Store.Run(ctx, id)
	if err != nil || info.Line != scene.Name || isGone(info) || session != "" && info.Labels[line.LabelSession] != session {
		if err != nil && fault.CodeOf(err) != fault.UnknownRun {
			return "", err
		}
		return "", fault.New(fault.UnknownRun, id, "there is no workflow %s%s", id, inSession(session)).
			With(fault.Action{Action: "list", Command: "sluice scene list", Why: "it shows the workflows there are"})
	}
	return kernel.RunID(info.ID), nil
}

func inSession(name string) string {
	if name == "" {
		return ""
	}
	return " in session " + name
}

// bodies gives the bytes of versions of a run.
func (a *App) bodies(ctx context.Context, run *kernel.Run) line.Body {
	return func(v *kernel.Version) ([]byte, error) {
		return a.Engine.Journal.Blob(ctx, string(run.ID()), v.Seq, v.Digest)
	}
}

// workflowChanged ends a verb that changed a workflow: the index and the log follow.
func (a *App) workflowChanged(ctx context.Context, run *kernel.Run) (scene.StatusDoc, error) {
	w, err := scene.LookAtCurrent(run, a.bodies(ctx, run))
	if err != nil {
		return scene.StatusDoc{}, err
	}
	d, err := a.labelled(ctx, run, w.StatusDoc())
	if err != nil {
		return scene.StatusDoc{}, err
	}
	return d, a.showWorkflow(ctx, run)
}

// DriveWorkflow performs the steps of a workflow until it waits or ends. A step in a client's hands is taken over only
// if that is said.
func (a *App) DriveWorkflow(ctx context.Context, id string, takeOver bool) (scene.StatusDoc, error) {
	run, err := a.workflow(ctx, id, "")
	if err != nil {
		return scene.StatusDoc{}, err
	}
	if run, err = a.readyToDrive(ctx, run, takeOver); err != nil {
		return scene.StatusDoc{}, err
	}
	if run.Status() == kernel.RunActive {
		driven, err := a.driveWorkflow(ctx, run.ID())
		if err != nil {
			if driven != nil {
				_ = a.showWorkflow(context.WithoutCancel(ctx), driven) // what was reached is shown; the error says more
			}
			return scene.StatusDoc{}, err
		}
		run = driven
	}
	d, err := a.workflowChanged(ctx, run)
	if err != nil {
		return d, err
	}
	return d, a.outOfMoney(run)
}

// readyToDrive refuses a workflow that only resume lets go on, and frees steps that are in other hands.
func (a *App) readyToDrive(ctx context.Context, run *kernel.Run, takeOver bool) (*kernel.Run, error) {
	w, err := scene.Look(run, nil)
	if err != nil {
		return nil, err
	}
	if w.Status == scene.Failed || w.Status == scene.Cancelled {
		return nil, onlyResume(w)
	}
	if run, err = a.afford(ctx, run); err != nil {
		return nil, err
	}
	var acts []engine.Act
	for n := range run.Nodes() {
		at := n.Open()
		if at == nil || at.Performer.Kind == kernel.Engine {
			continue
		}
		if !takeOver {
			return nil, fault.New(fault.AttemptOpen, string(run.ID()), "%s of workflow %s is in the hands of %s", n.ID(), run.ID(), at.Performer).
				With(fault.Action{Action: "take over", Command: "sluice scene run " + string(run.ID()) + " --take-over", Why: "their attempt is closed and the step begins again"})
		}
		acts = append(acts, engine.Act{Command: kernel.Release{Stamp: a.stamp(), Attempt: at.ID, Reason: "taken over by " + a.By.String()}})
	}
	if len(acts) == 0 {
		return run, nil
	}
	return a.Engine.Do(ctx, run.ID(), acts...)
}

// onlyResume refuses what a workflow that ended does not accept.
func onlyResume(w *scene.Workflow) error {
	if w.Status == scene.Completed {
		return fault.New(fault.RunClosed, w.ID, "workflow %s is completed, and that is final", w.ID).
			With(fault.Action{Action: "status", Command: "sluice scene status " + w.ID})
	}
	return fault.New(fault.RunClosed, w.ID, "workflow %s is %s and accepts only resume", w.ID, w.Status).
		With(fault.Action{Action: "resume", Command: "sluice scene resume " + w.ID, Why: "it goes on from where it stopped, or from an earlier step with --from"})
}

// WorkflowStatus shows where a workflow stands.
func (a *App) WorkflowStatus(ctx context.Context, id string) (scene.StatusDoc, error) {
	run, err := a.workflow(ctx, id, "")
	if err != nil {
		return scene.StatusDoc{}, err
	}
	w, err := scene.LookAtCurrent(run, a.bodies(ctx, run))
	if err != nil {
		return scene.StatusDoc{}, err
	}
	return a.labelled(ctx, run, w.StatusDoc())
}

func (a *App) lookAt(ctx context.Context, id string) (*scene.Workflow, error) {
	run, err := a.workflow(ctx, id, "")
	if err != nil {
		return nil, err
	}
	return scene.Look(run, nil)
}

// NextStep says what comes next, or what stands in the way.
func (a *App) NextStep(ctx context.Context, id string) (scene.NextDoc, error) {
	w, err := a.lookAt(ctx, id)
	if err != nil {
		return scene.NextDoc{}, err
	}
	return w.NextDoc(), nil
}

// Prerequisites says whether a step may begin.
func (a *App) Prerequisites(ctx context.Context, id string, step int) (scene.PrerequisitesDoc, error) {
	w, err := a.lookAt(ctx, id)
	if err != nil {
		return scene.PrerequisitesDoc{}, err
	}
	return w.PrerequisitesDoc(step)
}

// WorkflowMetrics counts what a workflow took.
func (a *App) WorkflowMetrics(ctx context.Context, id string) (scene.MetricsDoc, error) {
	run, err := a.workflow(ctx, id, "")
	if err != nil {
		return scene.MetricsDoc{}, err
	}
	w, err := scene.Look(run, nil)
	if err != nil {
		return scene.MetricsDoc{}, err
	}
	return scene.MetricsDoc{WorkflowMetrics: w.Metrics(run)}, nil
}

// WorkflowState renders the state document of a workflow.
func (a *App) WorkflowState(ctx context.Context, id string) ([]byte, error) {
	run, err := a.workflow(ctx, id, "")
	if err != nil {
		return nil, err
	}
	return scene.StateDocument(run, a.bodies(ctx, run))
}

// ImportWorkflow makes a workflow from a state document. A session, if one is named, must be the document's.
func (a *App) ImportWorkflow(ctx context.Context, raw []byte, session string) (scene.StatusDoc, error) {
	doc, err := scene.ParseState(raw)
	if err != nil {
		return scene.StatusDoc{}, err
	}
	if session != "" && session != doc.SessionName {
		return scene.StatusDoc{}, fault.New(fault.BadValue, "session_name", "the document is of session %q, not of %q", doc.SessionName, session).
			With(fault.Action{Action: "import", Command: "sluice scene import FILE", Why: "it goes where the document says"})
	}
	def, err := a.definition(doc.WorkflowType)
	if err != nil {
		return scene.StatusDoc{}, err
	}
	im, err := scene.Import(def, doc, a.reading(doc.SessionName))
	if err != nil {
		return scene.StatusDoc{}, err
	}
	if im.Open.Definition, err = a.Engine.Journal.PutDefinition(ctx, def.Raw); err != nil {
		return scene.StatusDoc{}, err
	}
	acts := make([]engine.Act, len(im.Acts))
	for i, act := range im.Acts {
		acts[i] = engine.Act{Command: act.Command, Blobs: act.Blobs}
	}
	run, err := a.Engine.OpenWith(ctx, im.Open, acts...)
	if errors.Is(err, fault.Conflict) || errors.Is(err, fault.RunExists) {
		return scene.StatusDoc{}, fault.New(fault.RunExists, doc.WorkflowID, "workflow %s exists already", doc.WorkflowID).
			With(fault.Action{Action: "status", Command: "sluice scene status " + doc.WorkflowID})
	}
	if err != nil {
		return scene.StatusDoc{}, err
	}
	return a.workflowChanged(ctx, run)
}

// reading finds files as a session sees them: its copy, else the workspace's file.
func (a *App) reading(session string) scene.Read {
	return func(path string) ([]byte, bool) {
		for _, p := range []string{scene.DiskPath(session, path), path} {
			if body, err := a.Space.Read(p); err == nil {
				return body, true
			}
		}
		return nil, false
	}
}

// second is a time as documents of this line show it.
func second(t time.Time) time.Time { return t.UTC().Truncate(time.Second) }
