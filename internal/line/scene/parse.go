package scene

import (
	"encoding/json"
	"slices"
	"time"
)

// ParseState reads a state document strictly: what is not of its shape is refused with its place.
func ParseState(raw []byte) (State, error) {
	r := &reader{file: "state document"}
	o := r.object("", raw, "$schema", "workflow_id", "workflow_type", "session_name", "committed_from_session", "status",
		"created_at", "updated_at", Generation, Planning)
	d := State{WorkflowID: value[string](r, "", o, "workflow_id", true), WorkflowType: value[string](r, "", o, "workflow_type", true),
		SessionName: value[string](r, "", o, "session_name", false), Committed: value[string](r, "", o, "committed_from_session", false),
		Status:    value[string](r, "", o, "status", true),
		CreatedAt: r.moment("", o, "created_at"), UpdatedAt: r.moment("", o, "updated_at")}
	r.oneOf("/workflow_type", d.WorkflowType, Generation, Planning)
	r.oneOf("/status", d.Status, InProgress, WaitingApproval, Failed, Completed, Cancelled)
	if err := CheckID(d.WorkflowID); err != nil {
		r.bad("/workflow_id", "%v", err)
	}
	if err := CheckSession(d.SessionName); err != nil {
		r.bad("/session_name", "%v", err)
	}
	if d.Status == WaitingApproval { // an older word for a workflow in progress of which a step waits
		d.Status = InProgress
	}
	if _, ok := o[d.WorkflowType]; !ok {
		r.bad("/"+d.WorkflowType, "the field is missing")
	}
	for _, other := range []string{Generation, Planning} {
		if _, there := o[other]; there && other != d.WorkflowType {
			r.bad("/"+other, "it does not go with workflow_type %s", d.WorkflowType)
		}
	}
	if d.WorkflowType == Generation {
		d.Generation = r.generation("/"+Generation, o[Generation])
	} else {
		d.Planning = r.planning("/"+Planning, o[Planning])
	}
	return d, r.fault()
}

func (r *reader) generation(at string, raw json.RawMessage) *GenerationState {
	o := r.object(at, raw, "scene_id", "current_step", "total_steps", "steps", "artifacts")
	g := &GenerationState{SceneID: value[string](r, at, o, "scene_id", true), CurrentStep: value[int](r, at, o, "current_step", true),
		TotalSteps: value[int](r, at, o, "total_steps", true), Artifacts: r.places(at, o)}
	steps := r.array(at+"/steps", o["steps"])
	for i, item := range steps {
		at := pointer(at+"/steps", i)
		o := r.object(at, item, "step", "name", "status", "started_at", "completed_at", "artifacts", "human_approval", "attempts")
		s := StepState{Step: value[int](r, at, o, "step", true), Name: value[string](r, at, o, "name", true),
			Status: value[string](r, at, o, "status", true), StartedAt: r.momentOrNull(at, o, "started_at"),
			CompletedAt: r.momentOrNull(at, o, "completed_at"), Artifacts: r.places(at, o), HumanApproval: r.approval(at, o),
			Attempts: r.attempts(at, o)}
		r.oneOf(at+"/status", s.Status, Pending, InProgress, WaitingApproval, Completed, Failed)
		g.Steps = append(g.Steps, s)
	}
	return g
}

func (r *reader) planning(at string, raw json.RawMessage) *PlanningState {
	o := r.object(at, raw, "level", "context", "current_phase", "total_phases", "phases", "artifacts")
	p := &PlanningState{Level: value[string](r, at, o, "level", true), CurrentPhase: value[int](r, at, o, "current_phase", true),
		TotalPhases: value[int](r, at, o, "total_phases", true), Artifacts: r.places(at, o)}
	c := r.object(at+"/context", o["context"], "act", "chapter", "scene")
	p.Context = Context{Act: value[int](r, at+"/context", c, "act", true), Chapter: value[int](r, at+"/context", c, "chapter", false),
		Scene: value[int](r, at+"/context", c, "scene", false)}
	for i, item := range r.array(at+"/phases", o["phases"]) {
		at := pointer(at+"/phases", i)
		o := r.object(at, item, "phase", "name", "status", "started_at", "completed_at", "agents", "artifacts", "human_approval")
		s := PhaseState{Phase: value[int](r, at, o, "phase", true), Name: value[string](r, at, o, "name", true),
			Status: value[string](r, at, o, "status", true), StartedAt: r.momentOrNull(at, o, "started_at"),
			CompletedAt: r.momentOrNull(at, o, "completed_at"), Agents: value[[]string](r, at, o, "agents", true),
			Artifacts: r.places(at, o), HumanApproval: r.approval(at, o)}
		r.oneOf(at+"/status", s.Status, Pending, InProgress, WaitingApproval, Completed)
		p.Phases = append(p.Phases, s)
	}
	return p
}

func (r *reader) approval(at string, o map[string]json.RawMessage) *ApprovalState {
	raw, there := o["human_approval"]
	if !there || r.err != nil {
		return nil
	}
	at += "/human_approval"
	h := r.object(at, raw, "required", "approved", "approved_at", "selected_variant", "modifications")
	a := &ApprovalState{Required: value[bool](r, at, h, "required", true), Approved: value[bool](r, at, h, "approved", true),
		ApprovedAt: r.momentOrNull(at, h, "approved_at"), SelectedVariant: value[string](r, at, h, "selected_variant", false)}
	if edits, there := h["modifications"]; there {
		r.object(at+"/modifications", edits)
		a.Modifications = compact(edits)
	}
	return a
}

func (r *reader) attempts(at string, o map[string]json.RawMessage) *AttemptsState {
	raw, there := o["attempts"]
	if !there || r.err != nil {
		return nil
	}
	at += "/attempts"
	h := r.object(at, raw, "current", "max", "history")
	a := &AttemptsState{Current: value[int](r, at, h, "current", true), Max: value[int](r, at, h, "max", true), History: []AttemptState{}}
	for i, item := range r.array(at+"/history", h["history"]) {
		at := pointer(at+"/history", i)
		e := r.object(at, item, "attempt", "status", "started_at", "completed_at", "violations")
		entry := AttemptState{Attempt: value[int](r, at, e, "attempt", true), Status: value[string](r, at, e, "status", true),
			StartedAt: r.moment(at, e, "started_at"), CompletedAt: r.moment(at, e, "completed_at"),
			Violations: value[[]string](r, at, e, "violations", false)}
		r.oneOf(at+"/status", entry.Status, Completed, Failed)
		a.History = append(a.History, entry)
	}
	return a
}

func (r *reader) oneOf(at, got string, legal ...string) {
	if !slices.Contains(legal, got) {
		r.bad(at, "%.80q is none of %v", got, legal)
	}
}

func (r *reader) moment(at string, o map[string]json.RawMessage, field string) Moment {
	text := value[string](r, at, o, field, true)
	if r.err != nil {
		return Moment{}
	}
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil || t.Nanosecond()%1000 != 0 {
		r.bad(at+"/"+field, "%.80q is no RFC 3339 time to the microsecond at most", text)
	}
	return Moment{t.UTC()}
}

func (r *reader) momentOrNull(at string, o map[string]json.RawMessage, field string) *Moment {
	if raw, there := o[field]; !there || string(raw) == "null" {
		return nil
	}
	m := r.moment(at, o, field)
	return &m
}

func (r *reader) places(at string, o map[string]json.RawMessage) places {
	var p places
	raw, there := o["artifacts"]
	if r.err != nil || !there {
		return places{}
	}
	r.object(at+"/artifacts", raw)
	if err := p.UnmarshalJSON(raw); err != nil {
		r.bad(at+"/artifacts", "%v", err)
	}
	for _, a := range p {
		if !artifactKey.MatchString(a.Key) {
			r.bad(at+"/artifacts/"+escapePointer(a.Key), "it is no key of 1 to 64 of a-z, 0-9 and _")
		}
	}
	return p
}
