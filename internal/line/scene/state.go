package scene

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"sluice/internal/kernel"
	"sluice/internal/line"
)

// State is the state document of a workflow, with its fields in the order in which they are written.
type State struct {
	WorkflowID   string           `json:"workflow_id"`
	WorkflowType string           `json:"workflow_type"`
	SessionName  string           `json:"session_name,omitempty"`
	Committed    string           `json:"committed_from_session,omitempty"`
	Status       string           `json:"status"`
	CreatedAt    Moment           `json:"created_at"`
	UpdatedAt    Moment           `json:"updated_at"`
	Generation   *GenerationState `json:"generation,omitempty"`
	Planning     *PlanningState   `json:"planning,omitempty"`
}

// GenerationState is the part of a workflow with steps.
type GenerationState struct {
	SceneID     string      `json:"scene_id"`
	CurrentStep int         `json:"current_step"`
	TotalSteps  int         `json:"total_steps"`
	Steps       []StepState `json:"steps"`
	Artifacts   places      `json:"artifacts"`
}

// StepState is one step.
type StepState struct {
	Step          int            `json:"step"`
	Name          string         `json:"name"`
	Status        string         `json:"status"`
	StartedAt     *Moment        `json:"started_at"`
	CompletedAt   *Moment        `json:"completed_at"`
	Artifacts     places         `json:"artifacts"`
	HumanApproval *ApprovalState `json:"human_approval,omitempty"`
	Attempts      *AttemptsState `json:"attempts,omitempty"`
}

// PlanningState is the part of a workflow with phases.
type PlanningState struct {
	Level        string       `json:"level"`
	Context      Context      `json:"context"`
	CurrentPhase int          `json:"current_phase"`
	TotalPhases  int          `json:"total_phases"`
	Phases       []PhaseState `json:"phases"`
	Artifacts    places       `json:"artifacts"`
}

// Context is where in the book planning happens.
type Context struct {
	Act     int `json:"act"`
	Chapter int `json:"chapter,omitempty"`
	Scene   int `json:"scene,omitempty"`
}

// PhaseState is one phase.
type PhaseState struct {
	Phase         int            `json:"phase"`
	Name          string         `json:"name"`
	Status        string         `json:"status"`
	StartedAt     *Moment        `json:"started_at"`
	CompletedAt   *Moment        `json:"completed_at"`
	Agents        []string       `json:"agents"`
	Artifacts     places         `json:"artifacts"`
	HumanApproval *ApprovalState `json:"human_approval,omitempty"`
}

// ApprovalState says whether a person approved a step.
type ApprovalState struct {
	Required        bool            `json:"required"`
	Approved        bool            `json:"approved"`
	ApprovedAt      *Moment         `json:"approved_at"`
	SelectedVariant string          `json:"selected_variant,omitempty"`
	Modifications   json.RawMessage `json:"modifications,omitempty"`

	approvedAt time.Time
}

// AttemptsState counts the attempts at a step with retry. The history holds all of them, also those before a resume.
type AttemptsState struct {
	Current int            `json:"current"`
	Max     int            `json:"max"`
	History []AttemptState `json:"history"`
}

// AttemptState is how one attempt went.
type AttemptState struct {
	Attempt     int      `json:"attempt"`
	Status      string   `json:"status"` // completed or failed
	StartedAt   Moment   `json:"started_at"`
	CompletedAt Moment   `json:"completed_at"`
	Violations  []string `json:"violations,omitempty"`
}

// Moment is a time in a document.
type Moment struct{ time.Time }

// MarshalJSON renders the time as RFC 3339 in UTC.
func (m Moment) MarshalJSON() ([]byte, error) {
	return []byte(`"` + m.UTC().Format(time.RFC3339Nano) + `"`), nil
}

// UnmarshalJSON reads an RFC 3339 time.
func (m *Moment) UnmarshalJSON(raw []byte) error { return m.Time.UnmarshalJSON(raw) }

// places are artifacts by their keys, in their order.
type places []Artifact

// MarshalJSON renders an object of paths.
func (p places) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, a := range p {
		if i > 0 {
			b.WriteByte(',')
		}
		for j, s := range []string{a.Key, a.Path} {
			raw, err := plainJSON(s)
			if err != nil {
				return nil, err
			}
			if j > 0 {
				b.WriteByte(':')
			}
			b.Write(raw)
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// UnmarshalJSON keeps the order of the keys.
func (p *places) UnmarshalJSON(raw []byte) error {
	*p = nil
	pairs, err := members(raw)
	if err != nil {
		return err
	}
	for _, m := range pairs {
		a := Artifact{Key: m.key}
		if err := json.Unmarshal(m.raw, &a.Path); err != nil {
			return fmt.Errorf("artifact %s: %w", m.key, err)
		}
		*p = append(*p, a)
	}
	return nil
}

// plainJSON renders without escaping what JSON lets stand.
func plainJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// render writes a document as files show it: two spaces deep, with a final newline.
func render(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(v)
	return b.Bytes(), err
}

// State gives the state document of a workflow.
func (w *Workflow) State() State {
	d := State{WorkflowID: w.ID, WorkflowType: w.Type, SessionName: w.Session, Committed: w.Committed, Status: w.Status,
		CreatedAt: w.moment(w.Created), UpdatedAt: w.moment(w.Updated)}
	current := w.Current().Number
	if w.Phased {
		p := &PlanningState{Level: w.About.Level, Context: Context{w.About.Act, w.About.Chapter, w.About.Scene},
			CurrentPhase: current, TotalPhases: len(w.Steps), Artifacts: w.Artifacts}
		for _, s := range w.Steps {
			p.Phases = append(p.Phases, PhaseState{Phase: s.Number, Name: s.Name, Status: s.Word, StartedAt: w.momentOrNil(s.Started),
				CompletedAt: w.momentOrNil(s.Finished), Agents: s.Agents, Artifacts: s.Artifacts, HumanApproval: w.approval(s)})
		}
		d.Planning = p
		return d
	}
	g := &GenerationState{SceneID: w.About.SceneID, CurrentStep: current, TotalSteps: len(w.Steps), Artifacts: w.Artifacts}
	for _, s := range w.Steps {
		g.Steps = append(g.Steps, StepState{Step: s.Number, Name: s.Name, Status: s.Word, StartedAt: w.momentOrNil(s.Started),
			CompletedAt: w.momentOrNil(s.Finished), Artifacts: s.Artifacts, HumanApproval: w.approval(s), Attempts: s.Attempts})
	}
	d.Generation = g
	return d
}

func (w *Workflow) approval(s Step) *ApprovalState {
	if s.Approval == nil {
		return nil
	}
	a := *s.Approval
	a.ApprovedAt = w.momentOrNil(a.approvedAt)
	return &a
}

// StateDocument renders the state document of a run.
func StateDocument(r *kernel.Run, body line.Body) ([]byte, error) {
	w, err := Look(r, body)
	if err != nil {
		return nil, err
	}
	return render(w.State())
}

// stateFiles are the files that show a run as a whole.
func stateFiles(r *kernel.Run, body line.Body) ([]line.StateFile, error) {
	w, err := Look(r, body)
	if err != nil {
		return nil, err
	}
	doc, err := render(w.State())
	if err != nil {
		return nil, err
	}
	return line.StatesNow(r, []line.StateFile{{Path: StatePath(w.made, w.ID), Body: doc}}), nil
}

// Index lists the workflows of a session, or of none.
type Index struct {
	Workflows []IndexRow `json:"workflows"`
}

// IndexRow is one workflow of an index.
type IndexRow struct {
	WorkflowID   string `json:"workflow_id"`
	WorkflowType string `json:"workflow_type"`
	Status       string `json:"status"`
	SessionName  string `json:"session_name,omitempty"`
	Committed    string `json:"committed_from_session,omitempty"`
	CreatedAt    Moment `json:"created_at"`
	UpdatedAt    Moment `json:"updated_at"`
	StateFile    string `json:"state_file"`
}

// Encode renders the index as its file shows it.
func (x Index) Encode() ([]byte, error) {
	if x.Workflows == nil {
		x.Workflows = []IndexRow{}
	}
	return render(x)
}
