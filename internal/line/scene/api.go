package scene

import (
	"encoding/json"
	"time"

	"sluice/internal/digest"
)

// The documents below are the line's surface: what each verb takes and gives, whichever door it came through. Fields
// stand in the order in which they are written.

// StartGeneration asks for a generation workflow.
type StartGeneration struct {
	SceneID     string `json:"scene_id"`
	SessionName string `json:"session_name,omitempty"`
	Drive       bool   `json:"drive,omitempty"` // we perform the steps; otherwise outside agents report them
}

// StartPlanning asks for a planning workflow.
type StartPlanning struct {
	Level       string `json:"level"` // scene, chapter or act
	Act         int    `json:"act"`
	Chapter     int    `json:"chapter,omitempty"`
	Scene       int    `json:"scene,omitempty"`
	SessionName string `json:"session_name,omitempty"`
	Drive       bool   `json:"drive,omitempty"`
}

// StatusDoc is the answer of get_workflow_status.
type StatusDoc struct {
	WorkflowID         string            `json:"workflow_id"`
	WorkflowType       string            `json:"workflow_type"`
	SessionName        string            `json:"session_name,omitempty"`
	Status             string            `json:"status"`
	CurrentStep        int               `json:"current_step"`
	CurrentStepName    string            `json:"current_step_name"`
	CurrentPhase       int               `json:"current_phase,omitempty"` // planning only
	CurrentPhaseName   string            `json:"current_phase_name,omitempty"`
	WaitingForApproval bool              `json:"waiting_for_approval"`
	ProgressPercentage int               `json:"progress_percentage"`
	Artifacts          map[string]string `json:"artifacts"`
	Rehearsal          bool              `json:"rehearsal,omitempty"`       // its text came from the rehearsal model
	RehearsalSteps     []int             `json:"rehearsal_steps,omitempty"` // where a real model answered too: what of it came from rehearsal
}

// NextDoc is the answer of get_next_step. All its keys are always there.
type NextDoc struct {
	CanProceed       bool    `json:"can_proceed"`
	CurrentStep      int     `json:"current_step"`
	CurrentStepName  string  `json:"current_step_name"`
	CurrentStatus    string  `json:"current_status"`
	BlockingReason   *string `json:"blocking_reason"`
	RequiredAction   *string `json:"required_action"`
	NextStep         *int    `json:"next_step"`
	NextStepName     *string `json:"next_step_name"`
	PrerequisitesMet bool    `json:"prerequisites_met"`
	CurrentPhase     int     `json:"current_phase,omitempty"` // planning only
	CurrentPhaseName string  `json:"current_phase_name,omitempty"`
}

// PrerequisitesDoc is the answer of validate_prerequisites. Required steps are the transitive closure.
type PrerequisitesDoc struct {
	PrerequisitesMet bool     `json:"prerequisites_met"`
	RequiredSteps    []int    `json:"required_steps"`
	CompletedSteps   []int    `json:"completed_steps"`
	MissingSteps     []int    `json:"missing_steps"`
	CanStartStep     bool     `json:"can_start_step"`
	BlockingIssues   []string `json:"blocking_issues"`
}

// Approval is what approve_step takes. Phase stands for Step in planning.
type Approval struct {
	WorkflowID      string          `json:"workflow_id"`
	Step            int             `json:"step,omitempty"`
	Phase           int             `json:"phase,omitempty"`
	Approved        bool            `json:"approved"`
	Modifications   json.RawMessage `json:"modifications,omitempty"` // an object
	SelectedVariant string          `json:"selected_variant,omitempty"`
	Version         digest.Digest   `json:"version,omitempty"` // absent: the version the ask carries
	Reason          string          `json:"reason,omitempty"`
	SessionName     string          `json:"session_name,omitempty"`
}

// ApprovalDoc is the answer of approve_step.
type ApprovalDoc struct {
	Success      bool    `json:"success"`
	WorkflowID   string  `json:"workflow_id"`
	Step         int     `json:"step"`
	Status       string  `json:"status"`
	NextStep     *int    `json:"next_step"`
	NextStepName *string `json:"next_step_name"`
}

// Update is what update_workflow_state takes.
type Update struct {
	WorkflowID  string            `json:"workflow_id"`
	Step        int               `json:"step,omitempty"`
	Phase       int               `json:"phase,omitempty"`
	Status      string            `json:"status"`
	Artifacts   map[string]string `json:"artifacts,omitempty"` // key of the output → path of the file
	Violations  []string          `json:"violations,omitempty"`
	Variants    []string          `json:"variants,omitempty"`
	SessionName string            `json:"session_name,omitempty"`
}

// UpdateDoc is the answer of update_workflow_state.
type UpdateDoc struct {
	Success    bool      `json:"success"`
	WorkflowID string    `json:"workflow_id"`
	UpdatedAt  time.Time `json:"updated_at"`
	Warnings   []string  `json:"warnings,omitempty"`
}

// Query is what list_workflows filters by. Empty fields select everything.
type Query struct {
	Status       string `json:"status,omitempty"`
	WorkflowType string `json:"workflow_type,omitempty"`
	SessionName  string `json:"session_name,omitempty"`
}

// ListDoc is the answer of list_workflows.
type ListDoc struct {
	Workflows []ListRow `json:"workflows"`
	Total     int       `json:"total"`
}

// ListRow is one workflow of a list.
type ListRow struct {
	WorkflowID         string `json:"workflow_id"`
	WorkflowType       string `json:"workflow_type"`
	Status             string `json:"status"`
	CurrentStep        int    `json:"current_step"`
	ProgressPercentage int    `json:"progress_percentage"`
	SessionName        string `json:"session_name,omitempty"`
}

// ResumeDoc is the answer of resume_workflow.
type ResumeDoc struct {
	Success         bool   `json:"success"`
	WorkflowID      string `json:"workflow_id"`
	ResumedFromStep int    `json:"resumed_from_step"`
	CurrentStatus   string `json:"current_status"`
}

// CancelDoc is the answer of cancel_workflow.
type CancelDoc struct {
	Success          bool   `json:"success"`
	WorkflowID       string `json:"workflow_id"`
	Status           string `json:"status"`
	CleanupPerformed bool   `json:"cleanup_performed"`
}

// MetricsDoc is the answer of get_metrics.
type MetricsDoc struct {
	WorkflowMetrics Metrics `json:"workflow_metrics"`
}

// Metrics are counted from recorded times; the time that people took is counted apart.
type Metrics struct {
	WorkflowID               string     `json:"workflow_id"`
	TotalTimeSeconds         int        `json:"total_time_seconds"`
	StepTimes                []StepTime `json:"step_times"`
	RetryCount               int        `json:"retry_count"`
	HumanApprovalTimeSeconds int        `json:"human_approval_time_seconds"`
	AgentCalls               int        `json:"agent_calls"`
	ParallelExecutions       int        `json:"parallel_executions"`
}

// StepTime is how long one step took.
type StepTime struct {
	Step            int `json:"step"`
	DurationSeconds int `json:"duration_seconds"`
}
