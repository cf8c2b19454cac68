package kernel

import (
	"encoding/json"
	"time"

	"sluice/internal/digest"
)

// Version is immutable content of one node, named for ever by its digest.
type Version struct {
	ID      VersionID     `json:"id"`
	Node    NodeID        `json:"node"`
	N       int           `json:"n"` // counts the node's versions from 1
	Digest  digest.Digest `json:"digest"`
	Size    int64         `json:"size"`
	Schema  string        `json:"schema,omitempty"` // the line's name for its shape, or a media type
	Parts   []Part        `json:"parts,omitempty"`  // of a bundle: the content lists them
	Parents []VersionID   `json:"parents,omitempty"`
	Attempt AttemptID     `json:"attempt"`
	By      Actor         `json:"by"`
	At      time.Time     `json:"at"`
	Seq     int64         `json:"-"` // number of the event that stored it, by which its bytes are found

	state    standing
	reviews  []*Review
	variants []string
	offered  bool
	sentBack bool  // a person rejected it
	away     bool  // put away by a rollback: words on it are kept and change nothing
	rank     int64 // number of the event that made it the newest; the approved pointer moves along it
}

// Part is one file of a bundle, with bytes of its own.
type Part struct {
	Path   string        `json:"path"`
	Digest digest.Digest `json:"digest"`
	Size   int64         `json:"size"`
}

// standing is what the gate made of a version so far.
type standing string

const (
	undecided standing = ""
	approved  standing = "approved"
	rejected  standing = "rejected"
)

// Attempt is one try at a node.
type Attempt struct {
	ID        AttemptID
	Node      NodeID
	N         int
	Take      int
	Performer Actor
	Inputs    []Input
	Subject   VersionID  // what a check judges, or what a rework improves
	Reviews   []ReviewID // findings carried into this attempt
	Notes     []string   // what people said it should heed
	Began     time.Time
	Ended     time.Time
	Outcome   Outcome // empty while open

	seq int64 // number of the event that began it
}

// Input is an approved version of another node, as it was when the attempt began.
type Input struct {
	Node    NodeID    `json:"node"`
	Version VersionID `json:"version"`
}

// Outcome says how an attempt was closed.
type Outcome string

const (
	Delivered Outcome = "delivered" // stored a version
	Judged    Outcome = "judged"    // recorded a review
	Unusable  Outcome = "unusable"  // produced nothing usable; counts as an attempt and as a take
	Failed    Outcome = "failed"    // the outside world gave up; does not count
	Withdrawn Outcome = "withdrawn" // taken over, cancelled, rolled back or interrupted; does not count
)

// Snapshot is the record of a closed attempt. There is exactly one: it is part of the event that closes it.
type Snapshot struct {
	Outcome   Outcome         `json:"outcome"`
	Began     time.Time       `json:"began"`
	Versions  []VersionID     `json:"versions,omitempty"`
	Review    ReviewID        `json:"review,omitempty"`
	Errors    []StepError     `json:"errors,omitempty"`
	Decisions []Decision      `json:"decisions,omitempty"`
	Usage     Usage           `json:"usage,omitzero"`
	Provider  string          `json:"provider,omitempty"` // class of the provider that answered, if one did
	Body      json.RawMessage `json:"body,omitempty"`     // the line's own
}

// StepError is one failure inside an attempt, recovered or final.
type StepError struct {
	Code    string     `json:"code"`
	Message string     `json:"message"`
	Class   ErrorClass `json:"class"`
	Retries int        `json:"retries"`
	Final   bool       `json:"final"`
}

// ErrorClass decides what happens after a failure.
type ErrorClass string

const (
	Retryable ErrorClass = "retryable" // the outside world may answer later
	Permanent ErrorClass = "permanent" // it will not, unless something is changed
	Partial   ErrorClass = "partial"   // something usable came, and something was missing
	BadReply  ErrorClass = "bad_reply" // an answer came and cannot be used
	NoBudget  ErrorClass = "budget"    // nobody was asked: what may be spent is spent, and a person says how it goes on
)

// Decision is why the work went one way and not another.
type Decision struct {
	Decision string `json:"decision"`
	Reason   string `json:"reason"`
	NextStep string `json:"next_step"`
}

// Usage is what an attempt cost.
type Usage struct {
	Calls        int `json:"calls,omitempty"`
	Reused       int `json:"reused,omitempty"`
	InputTokens  int `json:"input_tokens,omitempty"`
	OutputTokens int `json:"output_tokens,omitempty"`
}

// Review is a verdict on exactly one version.
type Review struct {
	ID       ReviewID        `json:"id"`
	Node     NodeID          `json:"node"` // whose version it is
	Version  VersionID       `json:"version"`
	Digest   digest.Digest   `json:"digest"`
	Check    NodeID          `json:"check,omitempty"` // the check that spoke, or in whose place a person did
	Verdict  Verdict         `json:"verdict"`
	Score    *float64        `json:"score,omitempty"`
	Criteria []Criterion     `json:"criteria,omitempty"`
	Findings []Finding       `json:"findings,omitempty"`
	Summary  string          `json:"summary,omitempty"`
	Choice   string          `json:"choice,omitempty"` // the variant or option chosen
	Edits    json.RawMessage `json:"edits,omitempty"`  // modifications that go with the verdict
	Detail   json.RawMessage `json:"detail,omitempty"` // what a rule or a line adds
	Report   VersionID       `json:"report,omitempty"` // the check's own document
	Late     bool            `json:"late,omitempty"`   // a newer version stood already
	Then     Effect          `json:"then,omitempty"`   // what a rejection leads to, where a person said so
	By       Actor           `json:"by"`
	At       time.Time       `json:"at"`
}

// Verdict is for or against.
type Verdict string

const (
	ForIt     Verdict = "approved"
	AgainstIt Verdict = "rejected"
)

// Criterion is the verdict on one acceptance criterion, with evidence.
type Criterion struct {
	ID       string `json:"id"`
	Pass     bool   `json:"pass"`
	Evidence string `json:"evidence,omitempty"`
}

// Finding is one thing a gate or a review holds against a version.
type Finding struct {
	Code     string `json:"code"`
	Severity string `json:"severity,omitempty"`
	Path     string `json:"path,omitempty"`
	Message  string `json:"message"`
	Fix      string `json:"fix,omitempty"`
}

// Ask is something that only a person can give, open until it is answered once or withdrawn.
type Ask struct {
	ID        AskID         `json:"id"`
	Node      NodeID        `json:"node"`
	Kind      AskKind       `json:"kind"`
	Reason    Reason        `json:"reason"`
	Title     string        `json:"title,omitempty"`
	Version   VersionID     `json:"version,omitempty"` // what it is about
	Digest    digest.Digest `json:"digest,omitempty"`  // of that version: an answer counts for these bytes only
	Offer     VersionID     `json:"offer,omitempty"`
	Options   []Option      `json:"options,omitempty"`
	Questions []Question    `json:"questions,omitempty"`
	OpenedAt  time.Time     `json:"opened_at"`

	closed  bool
	closing AskClosed
	closer  Actor
	at      time.Time
}

// AskKind is what a person does with an ask.
type AskKind string

const (
	AskApprove AskKind = "approve"
	AskChoose  AskKind = "choose"
	AskAnswer  AskKind = "answer"
	AskSupply  AskKind = "supply"
	AskDecide  AskKind = "decide"
)

// Reason is why an ask is open. A node has at most one open ask per reason.
type Reason string

const (
	GateAsks      Reason = "gate"      // the newest version waits for a person
	PerformerAsks Reason = "performer" // the step is a person's
	OfferAsks     Reason = "offer"     // two versions compete for one place
	UsedUp        Reason = "used_up"   // attempts or the outside world are at an end
	Blocked       Reason = "blocked"   // something it needs was abandoned
)

// Evidence is a source that supports a field, a version or a verdict.
type Evidence struct {
	ID       string        `json:"id"`
	Type     string        `json:"type"`
	Ref      string        `json:"ref"`
	Hash     digest.Digest `json:"hash,omitempty"`
	Excerpt  string        `json:"excerpt,omitempty"`
	Note     string        `json:"note,omitempty"`
	LinkedTo []string      `json:"linked_to,omitempty"`
}
