package kernel

import (
	"encoding/json"
	"time"

	"sluice/internal/digest"
)

// Command is a wish. Decide turns it into events or refuses it. The set is closed.
type Command interface{ stamp() Stamp }

// Stamp is the author and time of a command; every command carries one.
type Stamp struct {
	By Actor
	At time.Time
}

func (s Stamp) stamp() Stamp { return s }

// Open makes a run with its first nodes.
type Open struct {
	Stamp
	Run        RunID
	Line       string
	Definition digest.Digest
	Title      string
	Labels     map[string]string
	Settings   json.RawMessage
	Nodes      []Node
}

// Unfold records the nodes that follow from an approved version, or that a person adds. Nodes that exist already under
// the same id are left as they are; those in Abandon are no longer wanted.
type Unfold struct {
	Stamp
	After   VersionID
	Nodes   []Node
	Abandon []NodeID
}

// Begin starts an attempt. TakeOver first withdraws one that is in other hands.
type Begin struct {
	Stamp
	Node     NodeID
	TakeOver bool
	Provider string // class of the provider that will answer, if a model is asked
	Switch   bool   // the class may differ from what the run has used so far
}

// Content is what a version is made of, before it is one.
type Content struct {
	ID       VersionID // default: the node's id and number
	Digest   digest.Digest
	Size     int64
	Schema   string
	Parts    []Part
	Variants []string // labels of the variants among which a person will choose
}

// Account is what the performer of an attempt tells about it.
type Account struct {
	Errors    []StepError
	Decisions []Decision
	Usage     Usage
	Provider  string
	Body      json.RawMessage
	Evidence  []Evidence
}

// Deliver closes an attempt at a make with content. Rule is the result of the node's gate rule, if it names one. Sources
// are further versions that it was made from, beside what the node needs: approved ones of other nodes.
type Deliver struct {
	Stamp
	Attempt AttemptID
	Content Content
	Sources []VersionID
	Rule    *RuleResult
	Account Account
}

// RuleResult is what a pure gate rule found.
type RuleResult struct {
	Rule     string
	Revision int
	Pass     bool
	Score    *float64
	Findings []Finding
	Detail   json.RawMessage
}

// Submit stores a person's content outside any attempt: a hand edit, or work done elsewhere. It meets the same gate.
type Submit struct {
	Stamp
	Node    NodeID
	Content Content
	Sources []VersionID // what it was made from, as of a Deliver
	Rule    *RuleResult
	Note    string
}

// Fail closes an attempt without content.
type Fail struct {
	Stamp
	Attempt AttemptID
	Error   StepError
	Account Account
}

// Release withdraws an attempt without fault, so that it can begin again.
type Release struct {
	Stamp
	Attempt AttemptID
	Reason  string
}

// Judge records a verdict: of a check's open attempt, or of a person on a version named by its digest.
type Judge struct {
	Stamp
	Attempt AttemptID     // of a check; empty for a person
	Node    NodeID        // a person's: whose version
	Version VersionID     // a person's: which; or by Digest; neither means the newest
	Digest  digest.Digest // a person's
	Verdict Verdict
	Review  Review      // id, score, criteria, findings, summary, edits; the rest is filled in
	Report  *Content    // a check's own document
	Sources []VersionID // of the report, as of a Deliver
	Account Account
}

// Answer closes an ask. What it needs depends on the ask: a choice among its options, content, text.
type Answer struct {
	Stamp
	Ask      AskID
	Digest   digest.Digest // of the version meant; empty means the one the ask carries
	Choice   string
	Text     string
	Edits    json.RawMessage
	Content  *Content
	Rule     *RuleResult
	Criteria []Criterion
	Score    *float64
}

// Revise throws content away on purpose: force, regen, redo. What stands stays until the new content is there.
type Revise struct {
	Stamp
	Nodes []NodeID
	Note  string
}

// Rollback takes nodes and all that depends on them back to the time before they had content.
type Rollback struct {
	Stamp
	Nodes  []NodeID
	Reason string
}

// Undo brings the last rollback back.
type Undo struct{ Stamp }

// Reopen gives one node its attempts again: failed, held, exhausted or abandoned.
type Reopen struct {
	Stamp
	Node   NodeID
	Reason string
}

// Resume lets a closed or failed run go on, from an earlier node if one is named.
type Resume struct {
	Stamp
	From   NodeID
	Reason string
}

// Abandon takes a node and all under it out of the run.
type Abandon struct {
	Stamp
	Node   NodeID
	Reason string
}

// Cancel ends a run.
type Cancel struct {
	Stamp
	Reason string
}

// Relabel changes what the run is found by. It is legal on a closed run too: a session takes its runs along, however they
// ended. What is so already changes nothing.
type Relabel struct {
	Stamp
	Set  map[string]string
	Drop []string
}

// Record adds evidence.
type Record struct {
	Stamp
	Evidence []Evidence
}
