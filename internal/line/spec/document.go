package spec

import "encoding/json"

// Snapshot is the record of one step of a pass, successful or not.
type Snapshot struct {
	RunID          string          `json:"run_id"`
	FeatureID      string          `json:"feature_id"`
	SpecVersionIn  *string         `json:"spec_version_in"`
	SpecVersionOut *string         `json:"spec_version_out"`
	Step           SnapshotStep    `json:"step"`
	Inputs         SnapshotInputs  `json:"inputs"`
	Outputs        SnapshotOutputs `json:"outputs"`
	Decisions      []StepDecision  `json:"decisions"`
	EvidenceLinks  []EvidenceLink  `json:"evidence_links"`
	Errors         []StepFailure   `json:"errors"`
	Meta           SnapshotMeta    `json:"meta"`
}

// SnapshotStep says which step, and when.
type SnapshotStep struct {
	Name      StepName `json:"name"`
	Seq       int      `json:"seq"` // counts the steps of a pass from 1
	StartedAt string   `json:"started_at"`
	EndedAt   string   `json:"ended_at"`
}

// SnapshotInputs name what the step worked from.
type SnapshotInputs struct {
	CanonicalSpecRef *string `json:"canonical_spec_ref"`
	ContextRef       *string `json:"context_ref"`
	UserAnswerRef    *string `json:"user_answer_ref"`
}

// SnapshotOutputs are what came of it; which are there depends on the step.
type SnapshotOutputs struct {
	IngestResult   json.RawMessage `json:"ingest_result,omitempty"`
	GateResult     json.RawMessage `json:"gate_result,omitempty"`
	Questions      json.RawMessage `json:"questions,omitempty"`
	Tasks          json.RawMessage `json:"tasks,omitempty"`
	VV             json.RawMessage `json:"vv,omitempty"`
	ReviewDecision json.RawMessage `json:"review_decision,omitempty"`
	PublishResult  json.RawMessage `json:"publish_result,omitempty"`
	SpecVersionOut *string         `json:"spec_version_out"`
}

// StepDecision is why the work went one way and not another.
type StepDecision struct {
	Decision string `json:"decision"`
	Reason   string `json:"reason"`
	NextStep string `json:"next_step"`
}

// EvidenceLink leads from a step to its evidence.
type EvidenceLink struct {
	Type       EvidenceType `json:"type"`
	EvidenceID string       `json:"evidence_id"`
}

// StepFailure is one error of a step, recovered from or not.
type StepFailure struct {
	ErrorCode  string       `json:"error_code"`
	Message    string       `json:"message"`
	Retryable  bool         `json:"retryable"`
	RetryCount int          `json:"retry_count"`
	Final      FailureFinal `json:"final"`
}

// FailureFinal is how an error ended.
type FailureFinal string

const (
	Recovered FailureFinal = "recovered"
	GaveUp    FailureFinal = "failed"
)

// SnapshotMeta says what made the snapshot.
type SnapshotMeta struct {
	EngineVersion string                     `json:"engine_version"`
	LLMModel      *string                    `json:"llm_model"` // null where no model was asked
	Extensions    map[string]json.RawMessage `json:"extensions"`
}

// EngineVersion of this line's steps.
const EngineVersion = "orchestrator-1"

// Evidence is a source that supports a field or a step.
type Evidence struct {
	EvidenceID string          `json:"evidence_id"`
	Type       EvidenceType    `json:"type"`
	Source     EvidenceSource  `json:"source"`
	Content    EvidenceContent `json:"content"`
	LinkedTo   []Link          `json:"linked_to"` // at least one
	CreatedAt  string          `json:"created_at"`
}

// EvidenceType is what kind of source it is.
type EvidenceType string

const (
	Quote     EvidenceType = "quote"
	FromDoc   EvidenceType = "doc"
	FromRepo  EvidenceType = "repo"
	FromFile  EvidenceType = "file"
	APIResult EvidenceType = "api_result"
	FromLog   EvidenceType = "log"
)

// EvidenceTypes lists them.
func EvidenceTypes() []EvidenceType {
	return []EvidenceType{Quote, FromDoc, FromRepo, FromFile, APIResult, FromLog}
}

// EvidenceSource says where it stands, and by which bytes it is known.
type EvidenceSource struct {
	Ref  string `json:"ref"`
	Hash string `json:"hash,omitempty"`
}

// MaxExcerpt is how much of a source is quoted, in characters.
const MaxExcerpt = 500

// EvidenceContent is what the source says.
type EvidenceContent struct {
	Excerpt string `json:"excerpt"`
	Note    string `json:"note,omitempty"`
}

// Link leads from evidence to what it supports: a field of the spec, or a step.
type Link struct {
	SpecPath string   `json:"spec_path,omitempty"`
	Step     StepName `json:"step,omitempty"`
}

// Question is one thing to be answered.
type Question struct {
	ID       string   `json:"id"`
	Path     string   `json:"path"`
	Question string   `json:"question"`
	Choices  []string `json:"choices,omitempty"`
}

// ReviewDecision is a person's word on one version.
type ReviewDecision struct {
	Decision    Recommendation `json:"decision"`
	SpecVersion string         `json:"spec_version"`
	Reason      string         `json:"reason"`
	By          string         `json:"by"`
}
