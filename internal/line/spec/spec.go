package spec

import "encoding/json"

// Name of the line.
const Name = "spec"

// SchemaVersion of the CanonicalSpec.
const SchemaVersion = "1.0"

// CanonicalSpec is one version of a feature's spec. A version never changes; where the feature stands lives beside it.
type CanonicalSpec struct {
	SchemaVersion     string             `json:"schema_version"`
	Feature           Feature            `json:"feature"`
	ProjectContextRef *ProjectContextRef `json:"project_context_ref,omitempty"`
	Spec              Requirement        `json:"spec"`
	Planning          Planning           `json:"planning"`
	Quality           Quality            `json:"quality"`
	Decision          Advice             `json:"decision"`
	Meta              Meta               `json:"meta"`
}

// Feature names what is specified.
type Feature struct {
	FeatureID string `json:"feature_id"`
	Title     string `json:"title"`
	CreatedAt string `json:"created_at"`
	UpdatedAt string `json:"updated_at"`
}

// ProjectContextRef says for which project, and is carried through every version.
type ProjectContextRef struct {
	ProjectID       string `json:"project_id"`
	ContextVersion  string `json:"context_version"`
	ProjectRecordID string `json:"project_record_id,omitempty"`
	MentorUserID    string `json:"mentor_user_id,omitempty"`
	InternUserID    string `json:"intern_user_id,omitempty"`
}

// Requirement is what is wanted, and when it is reached.
type Requirement struct {
	Goal               string      `json:"goal"`
	NonGoals           []string    `json:"non_goals"`
	Background         string      `json:"background,omitempty"`
	AcceptanceCriteria []Criterion `json:"acceptance_criteria"`
}

// Criterion is one acceptance criterion.
type Criterion struct {
	ID       string `json:"id"`
	Criteria string `json:"criteria"`
	TestHint string `json:"test_hint,omitempty"`
}

// Planning is how it is reached and verified.
type Planning struct {
	MVPDefinition    *MVP           `json:"mvp_definition,omitempty"`
	Tasks            []Task         `json:"tasks"`
	VV               []Verification `json:"vv"`
	KnownAssumptions []string       `json:"known_assumptions"`
	Constraints      []string       `json:"constraints"`
}

// MVP is the smallest thing worth having.
type MVP struct {
	Goal     string   `json:"mvp_goal"`
	CutLines []string `json:"mvp_cut_lines"`
	Risks    []string `json:"mvp_risks"`
}

// Task is one piece of work.
type Task struct {
	TaskID             string    `json:"task_id"`
	Title              string    `json:"title"`
	Type               TaskType  `json:"type"`
	Scope              string    `json:"scope"`
	Deliverables       []string  `json:"deliverables,omitempty"`
	OwnerRole          string    `json:"owner_role,omitempty"`
	Estimate           *Estimate `json:"estimate,omitempty"`
	Dependencies       []string  `json:"dependencies,omitempty"`
	AffectedComponents []string  `json:"affected_components,omitempty"`
}

// TaskType is the kind of work.
type TaskType string

// TaskTypes lists them.
func TaskTypes() []TaskType {
	return []TaskType{"dev", "test", "doc", "ops", "design", "research"}
}

// Estimate is how long a task takes.
type Estimate struct {
	Unit  Unit    `json:"unit"`
	Value float64 `json:"value"`
}

// Unit of an estimate.
type Unit string

// Units lists them.
func Units() []Unit { return []Unit{"hour", "day"} }

// Verification says how a task is verified and validated.
type Verification struct {
	VVID             string   `json:"vv_id"`
	TaskID           string   `json:"task_id"`
	Type             VVType   `json:"type"`
	Procedure        string   `json:"procedure"`
	ExpectedResult   string   `json:"expected_result"`
	EvidenceRequired []string `json:"evidence_required"`
}

// VVType is the kind of verification.
type VVType string

// Manual is the type of a verification whose writer names none: somebody carries it out.
const Manual VVType = "manual"

// VVTypes lists them.
func VVTypes() []VVType {
	return []VVType{"unit", "integration", "e2e", Manual, "benchmark"}
}

// Quality is how complete the version was when it was made, as all three gates saw it.
type Quality struct {
	CompletenessScore float64        `json:"completeness_score"`
	MissingFields     []MissingField `json:"missing_fields"`
}

// MissingField is a path that keeps a gate closed, and why.
type MissingField struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

// Advice is what the spec itself recommends. The decision is a person's, and lives beside the versions.
type Advice struct {
	Recommendation Recommendation `json:"recommendation"`
	Rationale      []string       `json:"rationale"`
}

// Recommendation is go, hold or drop.
type Recommendation string

const (
	Go   Recommendation = "go"
	Hold Recommendation = "hold"
	Drop Recommendation = "drop"
)

// Recommendations lists them.
func Recommendations() []Recommendation { return []Recommendation{Go, Hold, Drop} }

// Meta names the version and what it was made from.
type Meta struct {
	SpecVersion     string                     `json:"spec_version"`
	SourceArtifacts []SourceArtifact           `json:"source_artifacts"`
	Extensions      map[string]json.RawMessage `json:"extensions"`
}

// SourceArtifact is something the spec was made from.
type SourceArtifact struct {
	Type ArtifactType `json:"type"`
	Ref  string       `json:"ref"`
}

// ArtifactType is where a source comes from.
type ArtifactType string

// ArtifactTypes lists them.
func ArtifactTypes() []ArtifactType { return []ArtifactType{"doc", "chat", "repo", "file"} }
