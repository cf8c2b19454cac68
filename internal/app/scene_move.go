package app

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"sluice/internal/engine"
	"sluice/internal/fault"
	"sluice/internal/kernel"
	"sluice/internal/line/scene"
)

// asPerson is who stands behind a verdict that came through this door.
func (a *App) asPerson() kernel.Stamp {
	s := a.stamp()
	s.By.Kind = kernel.Person
	return s
}

// asClient is who reports work done outside.
func (a *App) asClient() kernel.Stamp {
	s := a.stamp()
	s.By.Kind = kernel.Client
	return s
}

// stepNumber takes the step or phase of a request, whichever it names; 0 is none.
func stepNumber(step, phase int) (int, error) {
	switch {
	case step != 0 && phase != 0 && step != phase:
		return 0, fault.New(fault.BadValue, "step", "step %d and phase %d are both named", step, phase)
	case step < 0 || phase < 0:
		return 0, fault.New(fault.BadValue, "step", "steps are counted from 1")
	}
	return max(step, phase), nil
}

// ApproveStep records a person's verdict on a step that waits for one. Without a version it is about the one that was
// shown: content that changed since is refused.
func (a *App) ApproveStep(ctx context.Context, r scene.Approval) (scene.ApprovalDoc, error) {
	number, err := stepNumber(r.Step, r.Phase)
	if err != nil {
		return scene.ApprovalDoc{}, err
	}
	id, err := a.findWorkflow(ctx, r.WorkflowID, r.SessionName)
	if err != nil {
		return scene.ApprovalDoc{}, err
	}
	shown, err := a.Engine.Load(ctx, id)
	if err != nil {
		return scene.ApprovalDoc{}, err
	}
	if _, err := a.Engine.Adopt(ctx, id); err != nil {
		return scene.ApprovalDoc{}, err
	}
	run, err := a.Engine.DoWish(ctx, id, func(l engine.Look) ([]engine.Act, error) {
		w, err := scene.Look(l.Run(), nil)
		if err != nil {
			return nil, err
		}
		if number == 0 {
			number = w.Current().Number
		}
		ask, err := openAsk(w, l.Run(), number)
		if err != nil {
			return nil, err
		}
		if before := gateAsk(shown, ask.Node); r.Version == "" && before != nil && before.Digest != ask.Digest {
			return nil, fault.New(fault.StaleVerdict, string(ask.Node), "what %s waits for changed meanwhile: %s stands now, not %s", ask.Node, ask.Digest.Short(), before.Digest.Short()).
				With(fault.Action{Action: "look", Command: "sluice inbox " + w.ID, Why: "it shows what stands now"})
		}
		answer, err := verdict(ask, r)
		answer.Stamp = a.asPerson()
		return []engine.Act{{Command: answer}}, err
	})
	if err != nil {
		return scene.ApprovalDoc{}, err
	}
	w, err := scene.Look(run, nil)
	if err != nil {
		return scene.ApprovalDoc{}, err
	}
	next := w.NextDoc()
	step, err := w.Step(number)
	if err != nil {
		return scene.ApprovalDoc{}, err
	}
	return scene.ApprovalDoc{Success: true, WorkflowID: w.ID, Step: number, Status: step.Word, NextStep: next.NextStep,
		NextStepName: next.NextStepName}, a.showWorkflow(ctx, run)
}

func gateAsk(r *kernel.Run, id kernel.NodeID) *kernel.Ask {
	n, ok := r.Node(id)
	if !ok {
		return nil
	}
	for _, ask := range n.Asks() {
		if ask.Reason == kernel.GateAsks {
			return ask
		}
	}
	return nil
}

// openAsk finds what a step asks of a person, or says why it asks nothing.
func openAsk(w *scene.Workflow, r *kernel.Run, number int) (*kernel.Ask, error) {
	s, err := w.Step(number)
	if err != nil {
		return nil, err
	}
	if ask := gateAsk(r, s.Node); ask != nil {
		return ask, nil
	}
	look := fault.Action{Action: "next", Command: "sluice scene next " + w.ID, Why: "it shows what comes next"}
	switch {
	case w.Status != scene.InProgress:
		return nil, onlyResume(w)
	case s.Approval == nil:
		return nil, fault.New(fault.IllegalStep, string(s.Node), "%s (%s) waits for no approval", s.Node, s.Name).With(look)
	case s.Word == scene.Completed:
		return nil, fault.New(fault.AlreadyReviewed, string(s.Node), "%s (%s) is approved already%s", s.Node, s.Name, approvedBy(r, s.Node)).With(look)
	case s.Word == scene.Pending && !s.IsReady:
		return nil, fault.New(fault.MissingPrerequisite, string(s.Node), "%s (%s) has not begun; nothing of it can be approved", s.Node, s.Name).With(look)
	}
	return nil, fault.New(fault.IllegalStep, string(s.Node), "%s (%s) is %s; nothing of it waits for approval yet", s.Node, s.Name, s.Word).With(look)
}

func approvedBy(r *kernel.Run, id kernel.NodeID) string {
	v := r.Approved(id)
	if v == nil {
		return ""
	}
	text := ""
	for _, review := range v.Reviews() {
		if review.By.IsHuman() {
			text = fmt.Sprintf(" by %s at %s", review.By, second(review.At).Format("2006-01-02T15:04:05Z"))
		}
	}
	return text
}

// verdict words an approval as an answer to the ask.
func verdict(ask *kernel.Ask, r scene.Approval) (kernel.Answer, error) {
	c := kernel.Answer{Ask: ask.ID, Digest: r.Version, Text: r.Reason}
	edits, err := modifications(r.Modifications)
	if err != nil {
		return c, err
	}
	c.Edits = edits
	var offered []string
	for _, o := range ask.Options {
		if o.Effect == kernel.TakeChoice {
			offered = append(offered, o.Value)
		}
	}
	switch {
	case !r.Approved && edits != nil:
		c.Choice = scene.AnswerRevise
	case !r.Approved:
		c.Choice = scene.AnswerReject
	case len(offered) == 0 && r.SelectedVariant == "":
		c.Choice = scene.AnswerApprove
	case len(offered) == 0:
		return c, fault.New(fault.BadValue, "selected_variant", "%s offers no variants to select from", ask.Node).
			With(fault.Action{Action: "approve", Why: "approve without a variant"})
	default:
		c.Choice = r.SelectedVariant
		if !slices.Contains(offered, r.SelectedVariant) {
			return c, fault.New(fault.BadValue, "selected_variant", "selected variant %.80q is none of those offered: %s", r.SelectedVariant, strings.Join(offered, ", ")).
				With(fault.Action{Action: "choose", Why: "select one of " + strings.Join(offered, ", ")})
		}
	}
	return c, nil
}

// maxModifications bounds what goes with a verdict.
const maxModifications = 256 << 10

// modifications gives the object that goes with a verdict, or nil if it is empty.
func modifications(raw json.RawMessage) (json.RawMessage, error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	var o map[string]json.RawMessage
	if err := json.Unmarshal(raw, &o); err != nil || len(raw) > maxModifications {
		return nil, fault.New(fault.BadValue, "modifications", "modifications are no JSON object of at most %d bytes", maxModifications).
			With(fault.Action{Action: "approve", Why: `write them as {"name": "value"}`})
	}
	if len(o) == 0 {
		return nil, nil
	}
	return raw, nil
}

// ResumeWorkflow lets a failed or cancelled workflow go on, from an earlier step if one is named. What was done from
// there on is to be done again; nothing is deleted.
func (a *App) ResumeWorkflow(ctx context.Context, id string, from int, reason string) (scene.ResumeDoc, error) {
	if err := checkReason(reason); err != nil {
		return scene.ResumeDoc{}, err
	}
	run, err := a.workflow(ctx, id, "")
	if err != nil {
		return scene.ResumeDoc{}, err
	}
	resumed := from
	run, err = a.Engine.DoWish(ctx, run.ID(), func(l engine.Look) ([]engine.Act, error) {
		w, err := scene.Look(l.Run(), nil)
		if err != nil {
			return nil, err
		}
		if w.Status == scene.Completed {
			return nil, onlyResume(w)
		}
		at := w.Current()
		c := kernel.Resume{Stamp: a.stamp(), Reason: reason}
		if resumed = from; from == 0 {
			resumed = at.Number
		}
		step, err := w.Step(resumed)
		if err != nil {
			return nil, err
		}
		if resumed > at.Number && !step.IsReady && step.Word != scene.Completed {
			return nil, fault.New(fault.MissingPrerequisite, string(step.Node), "workflow %s stands at %s; resuming from %s would skip what comes before it", w.ID, at.Node, step.Node).
				With(fault.Action{Action: "resume", Command: fmt.Sprintf("sluice scene resume %s --from %d", w.ID, at.Number)})
		}
		if from != 0 || w.Status == scene.Failed {
			c.From = step.Node
		}
		return []engine.Act{{Command: c}}, nil
	})
	if err != nil {
		return scene.ResumeDoc{}, err
	}
	d, err := a.workflowChanged(ctx, run)
	return scene.ResumeDoc{Success: true, WorkflowID: d.WorkflowID, ResumedFromStep: resumed, CurrentStatus: d.Status}, err
}

// maxReason bounds what is said for the record.
const maxReason = 4096

func checkReason(reason string) error {
	if len(reason) > maxReason {
		return fault.New(fault.BadValue, "reason", "a reason of %d bytes is longer than %d", len(reason), maxReason).
			With(fault.Action{Action: "say it", Why: "shorter"})
	}
	return nil
}

// CancelWorkflow ends a workflow. Nothing is deleted: resume lets it go on.
func (a *App) CancelWorkflow(ctx context.Context, id, reason string) (scene.CancelDoc, error) {
	if err := checkReason(reason); err != nil {
		return scene.CancelDoc{}, err
	}
	run, err := a.workflow(ctx, id, "")
	if err != nil {
		return scene.CancelDoc{}, err
	}
	run, err = a.Engine.DoWish(ctx, run.ID(), func(l engine.Look) ([]engine.Act, error) {
		w, err := scene.Look(l.Run(), nil)
		if err != nil {
			return nil, err
		}
		if w.Status != scene.InProgress {
			return nil, onlyResume(w)
		}
		return []engine.Act{{Command: kernel.Cancel{Stamp: a.stamp(), Reason: reason}}}, nil
	})
	if err != nil {
		return scene.CancelDoc{}, err
	}
	d, err := a.workflowChanged(ctx, run)
	return scene.CancelDoc{Success: true, WorkflowID: d.WorkflowID, Status: d.Status, CleanupPerformed: true}, err
}
