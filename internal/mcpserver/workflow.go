package mcpserver

import (
	"context"

	"sluice/internal/fault"
	"sluice/internal/line/scene"
	"sluice/internal/schema"
)

// workflowIn names a workflow. A session that is named must be the workflow's own.
type workflowIn struct {
	WorkflowID  string `json:"workflow_id"`
	SessionName string `json:"session_name,omitempty"`
}

type stepIn struct {
	WorkflowID  string `json:"workflow_id"`
	Step        int    `json:"step"`
	SessionName string `json:"session_name,omitempty"`
}

type resumeIn struct {
	WorkflowID  string `json:"workflow_id"`
	FromStep    int    `json:"from_step,omitempty"`
	Drive       bool   `json:"drive,omitempty"`
	SessionName string `json:"session_name,omitempty"`
}

type cancelIn struct {
	WorkflowID  string `json:"workflow_id"`
	Reason      string `json:"reason,omitempty"`
	SessionName string `json:"session_name,omitempty"`
}

// statusDoc is the status of a workflow with what this server does about it.
type statusDoc struct {
	scene.StatusDoc
	Drive *DriveDoc `json:"drive,omitempty"`
}

// Fields that several tools share.
var (
	aboutWorkflow = schema.Describe("workflow_id", "id of the workflow, as list_workflows shows it")
	aboutSession  = schema.Describe("session_name", "session of the work; without it the connection's current session, if there is one")
	fitWorkflow   = schema.Pattern("workflow_id", `^[a-z0-9][a-z0-9-]{0,199}$`)
	fitSession    = schema.Pattern("session_name", `^[A-Za-z0-9_-]{1,100}$`)
	ofWorkflow    = []schema.Option{aboutWorkflow, fitWorkflow, aboutSession, fitSession}
	aboutDrive    = schema.Describe("drive", "true: this server performs the steps in the background with its model; the call returns at once")
)

// plain makes sure that a workflow's id is one, and that the workflow is of the session that the call names.
func (c *call) plain(ctx context.Context, id, session string) error {
	if err := scene.CheckID(id); err != nil {
		return err
	}
	if err := scene.CheckSession(session); err != nil || session == "" {
		return err
	}
	doc, err := c.statuses.of(ctx, c.asClient(), id)
	if err != nil {
		return err
	}
	return inSession(doc, session)
}

func inSession(doc scene.StatusDoc, session string) error {
	if session == "" || doc.SessionName == session {
		return nil
	}
	return fault.New(fault.UnknownRun, doc.WorkflowID, "session %s has no workflow %s", session, doc.WorkflowID).
		With(fault.Action{Action: "list_workflows", Command: "sluice scene list --session " + session, Why: "it lists the workflows of the session"})
}

func startTools() ([]tool, error) {
	generation, err := define(tool{name: "start_generation", title: "Start generation", hints: works,
		about: "Starts the seven-step workflow that writes a scene from its blueprint. Agents report the steps with update_workflow_state unless drive is true."},
		[]schema.Option{schema.Describe("scene_id", "chapter and scene in four digits, such as 0204"), aboutSession, fitSession, aboutDrive}, nil,
		func(ctx context.Context, c *call, in scene.StartGeneration) (statusDoc, error) {
			session, err := c.session(in.SessionName)
			if err != nil {
				return statusDoc{}, err
			}
			drive := in.Drive
			in.SessionName, in.Drive = session, false
			doc, err := c.asPerson(false).StartGeneration(ctx, in)
			return c.started(doc, err, drive)
		})
	if err != nil {
		return nil, err
	}
	planning, err := define(tool{name: "start_planning", title: "Start planning", hints: works,
		about: "Starts the five-phase workflow that plans an act, a chapter or a scene. Phase 2 offers variants and waits for a choice."},
		[]schema.Option{schema.Enum("level", "scene", "chapter", "act"), schema.Describe("level", "what is planned"),
			schema.Describe("act", "number of the act"), schema.Describe("chapter", "number of the chapter, for a chapter or a scene"),
			schema.Describe("scene", "number of the scene in its chapter, for a scene"), aboutSession, fitSession, aboutDrive}, nil,
		func(ctx context.Context, c *call, in scene.StartPlanning) (statusDoc, error) {
			session, err := c.session(in.SessionName)
			if err != nil {
				return statusDoc{}, err
			}
			drive := in.Drive
			in.SessionName, in.Drive = session, false
			doc, err := c.asPerson(false).StartPlanning(ctx, in)
			return c.started(doc, err, drive)
		})
	return []tool{generation, planning}, err
}

// started answers with the new workflow, and lets it be worked on in the background if that is wanted.
func (c *call) started(doc scene.StatusDoc, err error, drive bool) (statusDoc, error) {
	if err != nil {
		return statusDoc{}, err
	}
	if drive {
		c.work(doc.WorkflowID)
	}
	return statusDoc{doc, c.drives.doc(doc.WorkflowID)}, nil
}

// work performs the steps of a workflow after the call has returned.
func (c *call) work(id string) {
	verbs := c.asPerson(false)
	c.drives.start(id, func(ctx context.Context, id string) error {
		_, err := verbs.DriveWorkflow(ctx, id, false)
		return err
	})
}

func readTools() ([]tool, error) {
	status, err := define(tool{name: "get_workflow_status", title: "Workflow status", hints: reads,
		about: "Shows where a workflow stands: its current step, whether it waits for approval, its progress and its artifacts."},
		ofWorkflow, nil,
		func(ctx context.Context, c *call, in workflowIn) (statusDoc, error) {
			if err := scene.CheckID(in.WorkflowID); err != nil {
				return statusDoc{}, err
			}
			if err := scene.CheckSession(in.SessionName); err != nil {
				return statusDoc{}, err
			}
			before := c.drives.doc(in.WorkflowID)
			doc, err := c.statuses.of(ctx, c.asClient(), in.WorkflowID)
			if err != nil {
				return statusDoc{}, err
			}
			return statusDoc{doc, c.drives.since(before, doc.WorkflowID)}, inSession(doc, in.SessionName)
		})
	if err != nil {
		return nil, err
	}
	next, err := define(tool{name: "get_next_step", title: "Next step", hints: reads,
		about: "Says whether work can go on and with which step; while something stands in the way, what it is and who must act."},
		ofWorkflow, []schema.Option{schema.Nullable("blocking_reason"), schema.Nullable("required_action"), schema.Nullable("next_step"), schema.Nullable("next_step_name")},
		func(ctx context.Context, c *call, in workflowIn) (scene.NextDoc, error) {
			if err := c.plain(ctx, in.WorkflowID, in.SessionName); err != nil {
				return scene.NextDoc{}, err
			}
			return c.asClient().NextStep(ctx, in.WorkflowID)
		})
	if err != nil {
		return nil, err
	}
	prerequisites, err := define(tool{name: "validate_prerequisites", title: "Validate prerequisites", hints: reads,
		about: "Says whether a step (or phase) may begin, and which steps before it are missing."},
		append([]schema.Option{schema.Describe("step", "number of the step or phase")}, ofWorkflow...), nil,
		func(ctx context.Context, c *call, in stepIn) (scene.PrerequisitesDoc, error) {
			if err := c.plain(ctx, in.WorkflowID, in.SessionName); err != nil {
				return scene.PrerequisitesDoc{}, err
			}
			return c.asClient().Prerequisites(ctx, in.WorkflowID, in.Step)
		})
	return []tool{status, next, prerequisites}, err
}

func listTools() ([]tool, error) {
	list, err := define(tool{name: "list_workflows", title: "List workflows", hints: reads,
		about: "Lists workflows; each filter that is given narrows the list."},
		[]schema.Option{schema.Enum("status", "in_progress", "waiting_approval", "failed", "completed", "cancelled"),
			schema.Enum("workflow_type", scene.Generation, scene.Planning), aboutSession, fitSession}, nil,
		func(ctx context.Context, c *call, in scene.Query) (scene.ListDoc, error) {
			var err error
			if in.SessionName, err = c.session(in.SessionName); err != nil {
				return scene.ListDoc{}, err
			}
			return c.asClient().Workflows(ctx, in)
		})
	if err != nil {
		return nil, err
	}
	metrics, err := define(tool{name: "get_metrics", title: "Workflow metrics", hints: reads,
		about: "Counts what a workflow took: time per step, the time people took apart, retries and calls of agents."},
		ofWorkflow, nil,
		func(ctx context.Context, c *call, in workflowIn) (scene.MetricsDoc, error) {
			if err := c.plain(ctx, in.WorkflowID, in.SessionName); err != nil {
				return scene.MetricsDoc{}, err
			}
			return c.asClient().WorkflowMetrics(ctx, in.WorkflowID)
		})
	return []tool{list, metrics}, err
}
