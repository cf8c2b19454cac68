package app

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"sluice/internal/digest"
	"sluice/internal/engine"
	"sluice/internal/fault"
	"sluice/internal/kernel"
	"sluice/internal/line"
	"sluice/internal/line/scene"
)

// UpdateWorkflow takes what an outside agent reports of a step. What it names is read once; what the state machine does
// not allow is refused and changes nothing.
func (a *App) UpdateWorkflow(ctx context.Context, r scene.Update) (scene.UpdateDoc, error) {
	number, err := stepNumber(r.Step, r.Phase)
	if err != nil {
		return scene.UpdateDoc{}, err
	}
	if !slices.Contains([]string{scene.InProgress, scene.WaitingApproval, scene.Completed, scene.Failed}, r.Status) {
		return scene.UpdateDoc{}, fault.New(fault.BadValue, "status", "status %.80q cannot be reported; in_progress, waiting_approval, completed and failed can", r.Status).
			With(fault.Action{Action: "update", Why: "report one of these"})
	}
	run, err := a.workflow(ctx, r.WorkflowID, r.SessionName)
	if err != nil {
		return scene.UpdateDoc{}, err
	}
	var warnings []string
	run, err = a.Engine.DoWish(ctx, run.ID(), func(l engine.Look) ([]engine.Act, error) {
		u := updating{app: a, ctx: ctx, look: l, request: r, stamp: a.asClient()}
		acts, err := u.acts(number)
		warnings = u.warnings
		return acts, err
	})
	if err != nil {
		return scene.UpdateDoc{}, err
	}
	return scene.UpdateDoc{Success: true, WorkflowID: string(run.ID()), UpdatedAt: second(run.Updated()), Warnings: warnings},
		a.showWorkflow(ctx, run)
}

// updating is one report on one run as it stands.
type updating struct {
	app      *App
	ctx      context.Context // of the one call that this value serves
	look     engine.Look
	request  scene.Update
	stamp    kernel.Stamp
	workflow *scene.Workflow
	step     scene.Step
	node     kernel.View
	warnings []string
}

func (u *updating) acts(number int) ([]engine.Act, error) {
	var err error
	if u.workflow, err = scene.Look(u.look.Run(), nil); err != nil {
		return nil, err
	}
	if u.step, err = u.workflow.Step(number); err != nil {
		return nil, err
	}
	u.node, _ = u.look.Run().Node(u.step.Node)
	if u.workflow.Status != scene.InProgress {
		return nil, onlyResume(u.workflow)
	}
	if err := u.possible(); err != nil {
		return nil, err
	}
	report := u.report(true)
	if err := report.Check(); err != nil {
		return nil, err
	}
	switch u.request.Status {
	case scene.InProgress:
		return u.begin(report)
	case scene.Failed:
		return u.fail()
	}
	return u.finish(report)
}

func (u *updating) refuse(code fault.Code, format string, args ...any) error {
	return fault.New(code, string(u.step.Node), "%s (%s) of workflow %s %s", u.step.Node, u.step.Name, u.workflow.ID, fmt.Sprintf(format, args...)).
		With(fault.Action{Action: "next", Command: "sluice scene next " + u.workflow.ID, Why: "it shows what comes next"})
}

// possible refuses a status that the step cannot take from where it stands, whoever asks.
func (u *updating) possible() error {
	s, to := u.step, u.request.Status
	switch {
	case to == scene.Failed && u.workflow.Phased:
		return u.refuse(fault.BadValue, "is a phase, and phases have no failed")
	case to == scene.WaitingApproval && s.Approval == nil:
		return u.refuse(fault.IllegalStep, "waits for no approval")
	case to == scene.Completed && s.Approval != nil && s.Word != scene.Completed:
		return u.refuse(fault.AskOpen, "is completed by a person's approval only; report waiting_approval when its output is ready")
	case s.Word == scene.Completed, s.Word == scene.WaitingApproval:
		return u.refuse(fault.IllegalStep, "is %s; it cannot become %s", s.Word, to)
	}
	if at := u.node.Open(); at != nil {
		if at.Performer.Kind == u.stamp.By.Kind && at.Performer.Name == u.stamp.By.Name && at.Performer.Via == u.stamp.By.Via || scene.IsImported(at.Performer) {
			return nil
		}
		return fault.From(u.refuse(fault.AttemptOpen, "is in the hands of %s", at.Performer)).
			With(fault.Action{Action: "resume", Command: fmt.Sprintf("sluice scene resume %s --from %d", u.workflow.ID, s.Number), Why: "if they will not come back: their attempt is closed and the step is pending again"})
	}
	if !s.IsReady {
		return u.refuse(fault.MissingPrerequisite, "cannot begin; it needs %s first", u.needed())
	}
	return nil
}

// needed names the steps that are to be completed first.
func (u *updating) needed() string {
	var names []string
	for _, n := range u.step.Required {
		if s, err := u.workflow.Step(n); err == nil && s.Word != scene.Completed {
			names = append(names, fmt.Sprintf("%s (%s, %s)", s.Node, s.Name, s.Word))
		}
	}
	if len(names) == 0 {
		return "what it judges"
	}
	return strings.Join(names, ", ")
}

// report gathers what was named of the step, before and now.
func (u *updating) report(pass bool) scene.Report {
	r := scene.Report{Params: u.step.Params, Pass: pass, Violations: u.request.Violations, Variants: u.request.Variants,
		Choosing: u.step.AsksFor == kernel.AskChoose}
	if at := u.node.Open(); at != nil {
		r.Artifacts = scene.NamedOf(u.look.Run(), at.ID)
	}
	for _, key := range slices.Sorted(maps.Keys(u.request.Artifacts)) {
		named := scene.Artifact{Key: key, Path: u.request.Artifacts[key]}
		if i := slices.IndexFunc(r.Artifacts, func(a scene.Artifact) bool { return a.Key == key }); i >= 0 {
			r.Artifacts[i] = named
		} else {
			r.Artifacts = append(r.Artifacts, named)
		}
	}
	return r
}

// attempt gives the attempt that the report is about, and the act that begins it if none is open in these hands.
func (u *updating) attempt() (kernel.AttemptID, []engine.Act) {
	at := u.node.Open()
	if at != nil && !scene.IsImported(at.Performer) {
		return at.ID, nil
	}
	id := kernel.AttemptID(fmt.Sprintf("%s#%d", u.step.Node, u.node.Attempts()+1))
	return id, []engine.Act{{Command: kernel.Begin{Stamp: u.stamp, Node: u.step.Node, TakeOver: at != nil}}}
}

// begin puts the step into the client's hands, and remembers the files it names until it is done with them.
func (u *updating) begin(r scene.Report) ([]engine.Act, error) {
	attempt, acts := u.attempt()
	var named []kernel.Evidence
	for _, a := range r.Artifacts {
		if u.request.Artifacts[a.Key] != "" || len(acts) > 0 { // what was named before it changed hands is still meant
			named = append(named, scene.Named(attempt, a.Key, a.Path))
		}
	}
	if len(named) > 0 {
		acts = append(acts, engine.Act{Command: kernel.Record{Stamp: u.stamp, Evidence: named}})
	}
	return acts, nil
}

// finish reads what the step made and delivers it.
func (u *updating) finish(r scene.Report) ([]engine.Act, error) {
	if u.step.Kind == kernel.Check {
		return u.judge(r, false)
	}
	made, err := r.Make(u.app.reading(u.workflow.Session))
	if err != nil {
		return nil, err
	}
	if r.Choosing && len(made.Content.Variants) == 0 {
		return nil, fault.New(fault.BadValue, "variants", "%s waits for a choice, and the report offers no variants", u.step.Node).
			With(fault.Action{Action: "update", Why: `name them, as in "variants": ["A", "B"]`})
	}
	u.warnings = made.Warnings
	return u.deliver(made)
}

func (u *updating) deliver(made scene.Made) ([]engine.Act, error) {
	attempt, acts := u.attempt()
	c := kernel.Deliver{Stamp: u.stamp, Attempt: attempt, Content: made.Content}
	if u.node.Node().Gate.Rule != "" {
		res, err := u.app.Engine.Lines[scene.Name].Rule(u.node.Node(), made.Blobs[0].Body)
		if err != nil {
			return nil, err
		}
		c.Rule = &res
	}
	return append(acts, engine.Act{Command: c, Blobs: made.Blobs}), nil
}

// fail records that the step failed. What it found is kept where it has a place; a step with retry has lost an attempt.
func (u *updating) fail() ([]engine.Act, error) {
	r := u.report(false)
	if u.step.Kind == kernel.Check {
		return u.judge(r, true)
	}
	if u.node.Node().Gate.Rule != "" && len(r.Artifacts)+len(r.Violations) > 0 {
		made, err := r.Make(u.app.reading(u.workflow.Session))
		if err != nil {
			return nil, err
		}
		u.warnings = made.Warnings
		return u.deliver(made)
	}
	attempt, acts := u.attempt()
	e := kernel.StepError{Code: string(fault.StepFailed), Message: "reported as failed", Class: kernel.Permanent, Final: true}
	if len(r.Violations) > 0 {
		e.Message += ": " + strings.Join(r.Violations, "; ")
	}
	if u.step.Attempts != nil {
		e.Class = kernel.BadReply
	}
	return append(acts, engine.Act{Command: kernel.Fail{Stamp: u.stamp, Attempt: attempt, Error: e}}), nil
}

// judge computes the verdict of a check ourselves, whatever the agent says of it. The agent's own result is kept beside
// ours, and its word counts only against.
func (u *updating) judge(r scene.Report, against bool) ([]engine.Act, error) {
	p, err := u.look.Perform(u.ctx, u.step.Node)
	if err != nil {
		return nil, err
	}
	attempt, acts := u.attempt()
	review := p.Out.Review
	verdict := p.Out.Verdict
	if against {
		verdict = kernel.AgainstIt
		review.Findings = append(slices.Clone(review.Findings), scene.Findings(r.Violations)...)
		if len(review.Findings) == 0 {
			review.Findings = scene.Findings([]string{"reported as failed"})
		}
	}
	for _, f := range review.Findings {
		word := "warning: "
		if scene.IsViolation(f) {
			word = "violation: "
		}
		u.warnings = append(u.warnings, word+f.Message)
	}
	c := kernel.Judge{Stamp: u.stamp, Attempt: attempt, Verdict: verdict, Review: review, Account: p.Out.Account}
	if p.Out.Body != nil {
		if err := u.keepBeside(&p, r); err != nil {
			return nil, err
		}
		c.Report = &p.Content
	}
	return append(acts, engine.Act{Command: c, Blobs: p.Blobs}), nil
}

// keepBeside adds the files that the agent named to our own report, under names that say whose they are.
func (u *updating) keepBeside(p *engine.Performed, r scene.Report) error {
	product, err := scene.ParseProduct(p.Out.Body)
	if err != nil {
		return err
	}
	read := u.app.reading(u.workflow.Session)
	out := p.Out
	for _, a := range r.Artifacts {
		body, there := read(a.Path)
		if !there {
			u.warnings = append(u.warnings, fmt.Sprintf("%s: there is no file %s", a.Key, a.Path))
			continue
		}
		part := line.Part{Path: path.Join(u.step.WorkingDir, "agent-"+path.Base(a.Path)), Body: body}
		product.Artifacts = append(product.Artifacts, scene.Artifact{Key: "agent_" + a.Key, Path: part.Path, SHA256: digest.Of(body).Hex()})
		out.Parts = append(slices.Clone(out.Parts), part)
	}
	if out.Body, err = product.Encode(); err != nil {
		return err
	}
	*p = engine.PerformedAs(out)
	return nil
}
