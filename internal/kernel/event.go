package kernel

import (
	"encoding/json"
	"time"

	"sluice/internal/digest"
)

// Event is a fact with its time and its author. Events are what the journal holds; everything else is derived.
type Event struct {
	At   time.Time
	By   Actor
	Fact Fact
}

// Fact is one of the words below. The set is closed: a line may not add to it.
type Fact interface{ word() string }

// RunOpened is the first event of every run.
type RunOpened struct {
	Run        RunID             `json:"run"`
	Line       string            `json:"line"`
	Definition digest.Digest     `json:"definition"` // of the line's definition, kept in the store for the life of the run
	Title      string            `json:"title,omitempty"`
	Labels     map[string]string `json:"labels,omitempty"`
	Settings   json.RawMessage   `json:"settings,omitempty"`
}

// NodesAdded records what the line derived: whole nodes, so that no fold ever asks the line again.
type NodesAdded struct {
	After VersionID `json:"after,omitempty"` // the approved version they follow from
	Nodes []Node    `json:"nodes"`
}

// NodeAbandoned takes a node out of every rule.
type NodeAbandoned struct {
	Node   NodeID `json:"node"`
	Reason string `json:"reason,omitempty"`
}

// NodeReopened gives a failed, held, exhausted or abandoned node its attempts again.
type NodeReopened struct {
	Node   NodeID `json:"node"`
	Reason string `json:"reason,omitempty"`
}

// NodeHeld puts a node aside by a person's decision.
type NodeHeld struct {
	Node   NodeID `json:"node"`
	Reason string `json:"reason,omitempty"`
}

// RedoRequested throws the content of nodes away on purpose, before the work begins: what stands stays until the new
// content is there.
type RedoRequested struct {
	Nodes []NodeID `json:"nodes"`
	Note  string   `json:"note,omitempty"`
}

// AttemptBegan fixes what an attempt works from.
type AttemptBegan struct {
	Attempt   AttemptID  `json:"attempt"`
	Node      NodeID     `json:"node"`
	N         int        `json:"n"`
	Take      int        `json:"take"`
	Performer Actor      `json:"performer"`
	Inputs    []Input    `json:"inputs,omitempty"`
	Subject   VersionID  `json:"subject,omitempty"`
	Reviews   []ReviewID `json:"reviews,omitempty"`
	Notes     []string   `json:"notes,omitempty"`
}

// AttemptClosed ends an attempt with its one snapshot.
type AttemptClosed struct {
	Attempt  AttemptID `json:"attempt"`
	Node     NodeID    `json:"node"`
	Snapshot Snapshot  `json:"snapshot"`
	Then     Effect    `json:"then,omitempty"` // after a failure: fail or ask
}

// VersionStored adds content to a node. Offered content competes with the newest version and does not replace it.
type VersionStored struct {
	Version  Version  `json:"version"`
	Variants []string `json:"variants,omitempty"`
	Offered  bool     `json:"offered,omitempty"`
}

// OfferTaken makes an offered version the newest.
type OfferTaken struct {
	Node    NodeID    `json:"node"`
	Version VersionID `json:"version"`
}

// ReviewRecorded is a verdict, late ones included.
type ReviewRecorded struct {
	Review Review `json:"review"`
}

// VersionApproved says that the node's gate is satisfied for this version, and by what.
type VersionApproved struct {
	Node    NodeID     `json:"node"`
	Version VersionID  `json:"version"`
	Rule    string     `json:"rule,omitempty"` // the rule that approved a node without reviews
	Reviews []ReviewID `json:"reviews,omitempty"`
}

// VersionRejected says that the gate is closed for this version, and what comes of it.
type VersionRejected struct {
	Node    NodeID     `json:"node"`
	Version VersionID  `json:"version"`
	Reviews []ReviewID `json:"reviews,omitempty"`
	Then    Effect     `json:"then"`            // rework, ask or fail
	Fresh   bool       `json:"fresh,omitempty"` // attempts start again, since a person sent it back
}

// AskOpened puts a question into the inbox.
type AskOpened struct {
	Ask Ask `json:"ask"`
}

// AskClosed ends an ask: answered once, or withdrawn because what it was about is settled otherwise.
type AskClosed struct {
	Ask       AskID           `json:"ask"`
	Node      NodeID          `json:"node"`
	Choice    string          `json:"choice,omitempty"`
	Text      string          `json:"text,omitempty"`
	Answers   json.RawMessage `json:"answers,omitempty"`
	Withdrawn string          `json:"withdrawn,omitempty"` // why, if it was not answered
}

// RolledBack takes nodes back to the time before they had content. Nothing is deleted.
type RolledBack struct {
	N      int      `json:"n"`
	Nodes  []NodeID `json:"nodes"`
	Reason string   `json:"reason,omitempty"`
}

// RollbackUndone brings back what a rollback put away.
type RollbackUndone struct {
	N int `json:"n"`
}

// RunClosed ends a run before its nodes are done.
type RunClosed struct {
	Outcome Closing `json:"outcome"`
	Reason  string  `json:"reason,omitempty"`
}

// Closing is how a run was ended.
type Closing string

const (
	Cancelled Closing = "cancelled"
	Dropped   Closing = "dropped"
)

// RunReopened lets a closed run go on.
type RunReopened struct {
	Reason string `json:"reason,omitempty"`
}

// RunRelabelled changes labels of a run, and with them where a line shows it: a run that was made in a session stands in
// the workspace once the session is committed.
type RunRelabelled struct {
	Set  map[string]string `json:"set,omitempty"`
	Drop []string          `json:"drop,omitempty"`
}

// EvidenceRecorded adds a source.
type EvidenceRecorded struct {
	Evidence Evidence  `json:"evidence"`
	Attempt  AttemptID `json:"attempt,omitempty"`
}

// Word names a fact as the journal does.
func Word(f Fact) string { return f.word() }

func (RunOpened) word() string        { return "run_opened" }
func (NodesAdded) word() string       { return "nodes_added" }
func (NodeAbandoned) word() string    { return "node_abandoned" }
func (NodeReopened) word() string     { return "node_reopened" }
func (NodeHeld) word() string         { return "node_held" }
func (RedoRequested) word() string    { return "redo_requested" }
func (AttemptBegan) word() string     { return "attempt_began" }
func (AttemptClosed) word() string    { return "attempt_closed" }
func (VersionStored) word() string    { return "version_stored" }
func (OfferTaken) word() string       { return "offer_taken" }
func (ReviewRecorded) word() string   { return "review_recorded" }
func (VersionApproved) word() string  { return "version_approved" }
func (VersionRejected) word() string  { return "version_rejected" }
func (AskOpened) word() string        { return "ask_opened" }
func (AskClosed) word() string        { return "ask_closed" }
func (RolledBack) word() string       { return "rolled_back" }
func (RollbackUndone) word() string   { return "rollback_undone" }
func (RunClosed) word() string        { return "run_closed" }
func (RunReopened) word() string      { return "run_reopened" }
func (RunRelabelled) word() string    { return "run_relabelled" }
func (EvidenceRecorded) word() string { return "evidence_recorded" }
