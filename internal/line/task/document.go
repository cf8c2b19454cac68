package task

import (
	"bytes"
	"encoding/json"
	"fmt"

	"sluice/internal/fault"
)

// Document is a plan as it is stored and exchanged.
type Document struct {
	Plan         Plan          `json:"plan"`
	Nodes        []Node        `json:"nodes"`
	Edges        []Edge        `json:"edges"`
	Requirements []Requirement `json:"requirements,omitempty"`
}

// Plan is what is said of the plan as a whole.
type Plan struct {
	PlanID      string      `json:"plan_id"`
	RootTaskID  string      `json:"root_task_id"`
	Title       string      `json:"title"`
	TopTask     string      `json:"top_task"`
	CreatedAt   string      `json:"created_at,omitempty"`
	Constraints Constraints `json:"constraints,omitzero"`
}

// Constraints of the whole plan.
type Constraints struct {
	Deadline string `json:"deadline,omitempty"`
	Priority string `json:"priority,omitempty"` // LOW, MED or HIGH
}

// NodeType is what a node of a plan does.
type NodeType string

const (
	Goal   NodeType = "GOAL"   // holds others
	Action NodeType = "ACTION" // makes a deliverable
	Check  NodeType = "CHECK"  // judges the deliverable of one ACTION
)

// Node is one task. The fields beyond the common ones belong to one type each.
type Node struct {
	TaskID        string   `json:"task_id"`
	NodeType      NodeType `json:"node_type"`
	Title         string   `json:"title"`
	GoalStatement string   `json:"goal_statement,omitempty"`
	Rationale     string   `json:"rationale,omitempty"`
	OwnerAgentID  string   `json:"owner_agent_id,omitempty"`
	Priority      int      `json:"priority"`
	Tags          []string `json:"tags,omitempty"`
	Status        Status   `json:"status,omitempty"` // ABANDONED or nothing: everything else is derived from what happened

	EstimatedPersonDays float64          `json:"estimated_person_days,omitempty"`
	DeliverableSpec     *DeliverableSpec `json:"deliverable_spec,omitempty"`
	AcceptanceCriteria  []Criterion      `json:"acceptance_criteria,omitempty"`

	ReviewTargetTaskID string            `json:"review_target_task_id,omitempty"`
	ReviewOutputSpec   *ReviewOutputSpec `json:"review_output_spec,omitempty"`

	RootAcceptanceCriteria []Criterion `json:"root_acceptance_criteria,omitempty"`
	FinalDeliverableSpec   *FinalSpec  `json:"final_deliverable_spec,omitempty"`
}

// DeliverableSpec says what files an ACTION hands over.
type DeliverableSpec struct {
	Format      string   `json:"format"`
	Filename    string   `json:"filename"` // may be a pattern
	OutputDir   string   `json:"output_dir,omitempty"`
	SingleFile  *bool    `json:"single_file,omitempty"` // absent is a finding, so it differs from false
	BundleMode  string   `json:"bundle_mode,omitempty"`
	Files       []string `json:"files,omitempty"` // of a bundle: names or patterns
	Description string   `json:"description,omitempty"`
}

// IsSingle tells whether the deliverable is one file. That is so unless the plan says otherwise.
func (s DeliverableSpec) IsSingle() bool { return s.SingleFile == nil || *s.SingleFile }

// BundleManifest is the one way in which several files make one deliverable.
const BundleManifest = "MANIFEST"

// Criterion is one thing that a deliverable, or the whole plan, must fulfil.
type Criterion struct {
	ID          string   `json:"id"`
	Type        string   `json:"type,omitempty"`
	Statement   string   `json:"statement"`
	CheckMethod string   `json:"check_method,omitempty"`
	Severity    string   `json:"severity,omitempty"`
	CoveredBy   []string `json:"covered_by,omitempty"` // root criteria: the nodes that meet it
}

// Words of criteria.
const (
	ManualReview = "manual_review"
	StaticCheck  = "static_check"
	RunSmokeTest = "run_smoke_test"

	Blocker = "blocker"
	Major   = "major"
	Minor   = "minor"
)

// ReviewOutputSpec names the files of a CHECK.
type ReviewOutputSpec struct {
	ApprovedFilename string `json:"approved_filename"`
	RejectedFilename string `json:"rejected_filename"`
}

// The files of every CHECK.
const (
	ApprovedFilename = "APPROVED.md"
	RejectedFilename = "REJECTED.md"
)

// FinalSpec says what the root hands over, and where it comes from.
type FinalSpec struct {
	Mode            string           `json:"mode"`
	IncludeChildren []string         `json:"include_children,omitempty"`
	AssembleTaskID  string           `json:"assemble_task_id,omitempty"`
	Output          *DeliverableSpec `json:"output,omitempty"`
}

// Modes of a root.
const (
	PassThrough = "PASS_THROUGH"
	Assemble    = "ASSEMBLE"
)

// EdgeType is what an edge means.
type EdgeType string

const (
	Decompose   EdgeType = "DECOMPOSE"   // from the whole to its part
	DependsOn   EdgeType = "DEPENDS_ON"  // from the prerequisite to the dependent
	Alternative EdgeType = "ALTERNATIVE" // between those of which one is enough
)

// Edge joins two nodes.
type Edge struct {
	EdgeID     string       `json:"edge_id"`
	FromTaskID string       `json:"from_task_id"`
	ToTaskID   string       `json:"to_task_id"`
	EdgeType   EdgeType     `json:"edge_type"`
	Metadata   EdgeMetadata `json:"metadata,omitzero"`
}

// EdgeMetadata refines an edge.
type EdgeMetadata struct {
	AndOr   string `json:"and_or,omitempty"` // of a DECOMPOSE: AND (default) or OR
	GroupID string `json:"group_id,omitempty"`
}

// Requirement is something that a person must give before a task can begin.
type Requirement struct {
	RequirementID string   `json:"requirement_id"`
	TaskID        string   `json:"task_id"`
	Name          string   `json:"name"`
	Kind          string   `json:"kind"` // FILE or CONFIRMATION
	Required      bool     `json:"required"`
	MinCount      int      `json:"min_count,omitempty"`
	AllowedTypes  []string `json:"allowed_types,omitempty"`
}

// Encode gives the one spelling of a document.
func (d Document) Encode() ([]byte, error) {
	if d.Nodes == nil {
		d.Nodes = []Node{}
	}
	if d.Edges == nil {
		d.Edges = []Edge{}
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(d)
	return out.Bytes(), err
}

// ParseDocument reads a document as Encode writes it, strictly: an error names the place.
func ParseDocument(raw []byte) (Document, error) {
	var d Document
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&d); err != nil {
		return Document{}, fault.Wrap(fault.BadValue, "plan", err, "the plan does not parse at %s", placeOf(raw, dec.InputOffset()))
	}
	if rest := bytes.TrimLeft(raw[dec.InputOffset():], " \t\r\n"); len(rest) > 0 {
		return Document{}, fault.New(fault.BadValue, "plan", "something stands behind the plan, at %s", placeOf(raw, int64(len(raw)-len(rest))))
	}
	return d, nil
}

// placeOf names a place in a text as editors do.
func placeOf(raw []byte, offset int64) string {
	before := raw[:min(max(offset, 0), int64(len(raw)))]
	line := bytes.Count(before, []byte("\n")) + 1
	column := len(before) - (bytes.LastIndexByte(before, '\n') + 1) + 1
	return fmt.Sprintf("line %d, column %d", line, column)
}
