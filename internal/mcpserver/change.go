package mcpserver

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"sluice/internal/app"
	"sluice/internal/line/scene"
	"sluice/internal/schema"
)

func changeTools() ([]tool, error) {
	update, err := define(tool{name: "update_workflow_state", title: "Report a step", hints: adds,
		about: "Reports a step or phase that an agent works on: its new status, and the files it made by the keys of the step's outputs."},
		append([]schema.Option{schema.Enum("status", "in_progress", "waiting_approval", "completed", "failed"),
			schema.Describe("step", "number of the step, in generation"), schema.Describe("phase", "number of the phase, in planning"),
			schema.Describe("artifacts", "key of the output → path of its file, relative to the workspace"),
			schema.Describe("violations", "what a check found"), schema.Describe("variants", "what a person is to choose from"),
			schema.Items("violations", 0, 200), schema.Items("variants", 0, 50)}, ofWorkflow...), nil,
		func(ctx context.Context, c *call, in scene.Update) (scene.UpdateDoc, error) {
			if err := c.plain(ctx, in.WorkflowID, in.SessionName); err != nil {
				return scene.UpdateDoc{}, err
			}
			return c.asClient().UpdateWorkflow(ctx, in)
		})
	if err != nil {
		return nil, err
	}
	resume, err := define(tool{name: "resume_workflow", title: "Resume a workflow", hints: works,
		about: "Lets a failed or cancelled workflow go on, from an earlier step if one is named. Files and history stay."},
		append([]schema.Option{schema.Describe("from_step", "step or phase to begin again with; without it the first that is not completed"), aboutDrive}, ofWorkflow...), nil,
		func(ctx context.Context, c *call, in resumeIn) (scene.ResumeDoc, error) {
			if err := c.plain(ctx, in.WorkflowID, in.SessionName); err != nil {
				return scene.ResumeDoc{}, err
			}
			doc, err := c.asPerson(false).ResumeWorkflow(ctx, in.WorkflowID, in.FromStep, "")
			if err == nil && (in.Drive || c.drives.has(in.WorkflowID)) {
				c.work(in.WorkflowID)
			}
			return doc, err
		})
	if err != nil {
		return nil, err
	}
	cancel, err := define(tool{name: "cancel_workflow", title: "Cancel a workflow", hints: hints{destructive: true},
		about: "Ends a workflow. Its files and history stay, and it can be resumed."},
		append([]schema.Option{schema.Describe("reason", "why, for the record")}, ofWorkflow...), nil,
		func(ctx context.Context, c *call, in cancelIn) (scene.CancelDoc, error) {
			if err := c.plain(ctx, in.WorkflowID, in.SessionName); err != nil {
				return scene.CancelDoc{}, err
			}
			return c.asPerson(false).CancelWorkflow(ctx, in.WorkflowID, in.Reason)
		})
	return []tool{update, resume, cancel}, err
}

func approveTools() ([]tool, error) {
	approve, err := define(tool{name: "approve_step", title: "Approve a step", hints: adds, isApproving: true,
		about: "Records a person's verdict on a step or phase that waits for one. Where the client can ask its user, the user confirms it first."},
		append([]schema.Option{schema.Object("modifications"), schema.Describe("modifications", "changes that go with the verdict, as an object"),
			schema.Describe("step", "number of the step, in generation"), schema.Describe("phase", "number of the phase, in planning"),
			schema.Describe("approved", "false sends it back with modifications, or fails it without"),
			schema.Describe("selected_variant", "one of the variants that planning phase 2 offers"),
			schema.Describe("version", "digest of the version meant; without it the one that the inbox shows"),
			schema.Describe("reason", "why, for the record")}, ofWorkflow...),
		[]schema.Option{schema.Nullable("next_step"), schema.Nullable("next_step_name")},
		func(ctx context.Context, c *call, in scene.Approval) (scene.ApprovalDoc, error) {
			if err := c.plain(ctx, in.WorkflowID, in.SessionName); err != nil {
				return scene.ApprovalDoc{}, err
			}
			return c.approve(ctx, in)
		})
	return []tool{approve}, err
}

// approve asks the person at the client, if there is something to approve and the client can, and records the verdict.
func (c *call) approve(ctx context.Context, in scene.Approval) (scene.ApprovalDoc, error) {
	ask, err := c.openAsk(ctx, in)
	if err != nil {
		return scene.ApprovalDoc{}, err
	}
	var said confirmation
	if ask != nil || c.opts.RequirePerson && !c.canAsk() {
		if said, err = c.confirm(c.matter(in, ask)); err != nil {
			return scene.ApprovalDoc{}, err
		}
	}
	verbs := c.asPerson(said.isPersons)
	if said.isPersons {
		in.Version, in.SelectedVariant = said.version, said.variant
		if said.comment != "" {
			in.Reason = said.comment
		}
	} else if c.opts.RequirePerson {
		verbs = c.asClient() // there was nothing to ask about: the verb says so, and the law lets no client approve
	}
	doc, err := verbs.ApproveStep(ctx, in)
	if err == nil && in.Approved && c.drives.has(in.WorkflowID) {
		c.work(in.WorkflowID)
	}
	return doc, err
}

// openAsk finds what the verdict would be about. Nothing means that the verb will refuse it, so nobody is asked.
func (c *call) openAsk(ctx context.Context, in scene.Approval) (*app.AskDoc, error) {
	if !c.canAsk() {
		return nil, nil
	}
	next, err := c.asClient().NextStep(ctx, in.WorkflowID)
	if err != nil {
		return nil, err
	}
	if next.CurrentStatus != "waiting_approval" || next.CurrentStep != max(in.Step, in.Phase) {
		return nil, nil
	}
	box, err := c.asClient().Inbox(ctx, in.WorkflowID)
	if err != nil || len(box.Asks) == 0 {
		return nil, err
	}
	ask := box.Asks[0]
	if in.Version != "" && in.Version != ask.Digest {
		return nil, nil
	}
	return &ask, nil
}

// matter words what the person is asked.
func (c *call) matter(in scene.Approval, ask *app.AskDoc) matter {
	m := matter{subject: in.WorkflowID, variant: in.SelectedVariant, command: "sluice scene approve " + in.WorkflowID}
	if ask == nil {
		return m
	}
	m.version = ask.Digest
	var b strings.Builder
	verb := "Approve"
	if !in.Approved {
		verb, m.command = "Reject", "sluice scene reject "+in.WorkflowID
	}
	fmt.Fprintf(&b, "%s %q (step %d of %s)?", verb, clip(ask.Title), max(in.Step, in.Phase), in.WorkflowID)
	if ask.Digest != "" {
		fmt.Fprintf(&b, "\nVersion: %s", ask.Digest.Short())
	}
	if len(in.Modifications) > 0 {
		fmt.Fprintf(&b, "\nModifications: %s", shorten(string(in.Modifications), 1000))
	}
	if in.Reason != "" {
		fmt.Fprintf(&b, "\nReason: %s", shorten(in.Reason, 500))
	}
	fmt.Fprintf(&b, "\nAsked by %s.", c.client())
	m.text = b.String()
	if in.Approved && ask.Kind == "choose" {
		m.variants = slices.DeleteFunc(slices.Clone(ask.Options), func(o string) bool { return o == "approve" || o == "reject" })
		m.command = "sluice scene choose " + in.WorkflowID + " VARIANT"
	}
	return m
}

func shorten(text string, most int) string {
	if r := []rune(text); len(r) > most {
		return string(r[:most]) + "…"
	}
	return text
}
