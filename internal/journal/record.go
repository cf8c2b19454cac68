package journal

import (
	"time"

	"sluice/internal/digest"
)

// Checkout ties a path of the workspace to the bytes that belong there. The row is committed with the events that
// stored the bytes (Written false) and set to written once the file is in place and synced.
type Checkout struct {
	Path    string // relative to the workspace, with slashes
	Run     string
	Node    string // empty for a state file, which belongs to the run as a whole
	Version string // empty for a state file
	Seq     int64  // a sequence number of the batch that holds the bytes; 0 becomes the last one of the batch appended
	Digest  digest.Digest
	Before  digest.Digest // what the path last showed for certain, set by the store; empty if nothing of ours
	Role    Role
	Written bool
	Removed bool // the file must not be there: its content was moved away by a rollback or a session's end
}

// Role says what a difference between file and row means.
type Role string

const (
	Working Role = "working" // a person may edit it: differing bytes are adopted as a human version
	State   Role = "state"   // shows what the store holds: what differs is reported to the line, then rewritten
	Kept    Role = "kept"    // an immutable version or record: what differs is damage and is put back
	Given   Role = "given"   // handed over once it is in place: what becomes of it then is not ours to judge
)

// Call is one request to a model, written before it is made and completed after.
type Call struct {
	ID       int64
	Run      string
	Node     string
	Attempt  string
	Slot     string // which of several calls of one attempt, repairs included
	Take     int
	Step     string // the line and its name for the work
	Agent    string
	Key      string
	Provider string
	Model    string
	Started  time.Time
	Ended    time.Time // zero while it is open, or when the process died
	Usage    Usage
	Outcome  Outcome
	Error    string
	Expected Usage // what is known of it before it is made; not kept
	Hold     *Hold // what it reserves; nil is nothing. Not given back
}

// Outcome says how a call ended.
type Outcome string

const (
	Open     Outcome = "open"     // made, and not ended as far as the store knows
	Answered Outcome = "answered" // the reply is stored under the key
	Reused   Outcome = "reused"   // nothing was sent: the stored reply was used
	Failed   Outcome = "failed"
	Refused  Outcome = "refused" // nothing was sent: a limit would have been crossed
)

// Usage is what a reply cost. Its cost in money stands with the call that paid for it, not with the reply.
type Usage struct {
	InputTokens  int           `json:"input_tokens"`
	OutputTokens int           `json:"output_tokens"`
	CachedTokens int           `json:"cached_tokens,omitempty"` // of the input, those that the provider had read before
	Duration     time.Duration `json:"duration_ns"`
	Cost         Money         `json:"-"`
	Priced       bool          `json:"-"` // the price of the model is known
}

// Tokens is what was read and written.
func (u Usage) Tokens() int64 { return int64(u.InputTokens) + int64(u.OutputTokens) }

// Reply is what a model answered, stored under its key before it is used.
type Reply struct {
	Key      string
	Content  string
	Provider string
	Model    string
	Finish   string // why the model stopped, in the port's words
	Usage    Usage
	At       time.Time
}

// Lease is the right to perform the steps of one run. It lives as long as the driver's process.
type Lease struct {
	Run    string
	Driver string
	Epoch  int64
}

// Fold is a cached state of a run at a sequence number, valid only for one fold revision.
type Fold struct {
	Run      string
	Seq      int64
	Revision string
	State    []byte
}

// Edit is a file that does not show what its checkout says.
type Edit struct {
	Kind     EditKind
	Row      Checkout      // what it was compared with
	Body     []byte        // what the file shows; nil if it is missing
	Digest   digest.Digest // of Body; empty if the file is missing
	Returned string        // the earlier version that a person put back, if Body is one
	Kept     string        // where Body was saved before it was overwritten; empty while the file still shows it
}

// EditKind says what a difference between a file and its checkout means.
type EditKind string

const (
	Edited   EditKind = "edited"  // a person changed the bytes
	Vanished EditKind = "removed" // a person removed the file
	Damaged  EditKind = "damaged" // the file shows an immutable record and does not show it
)
