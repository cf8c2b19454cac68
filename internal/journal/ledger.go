package journal

import (
	"encoding/json"
	"time"
)

// Claim is the right to change what stands at one place outside the workspace, such as the record of a feature at a
// target. It is written before anything is sent and given back with what came of it. Like a lease it lives as long as its
// process, so that one which died is followed by another.
type Claim struct {
	Place  string
	Key    string // what is about to be sent
	Driver string
	Number int64  // grows with every claim of the place
	After  string // the key of a claim whose process died: whether it was sent is not known
}

// Entry is one row of the ledger of what was published. Its body is opaque here.
type Entry struct {
	ID      string
	Feature string
	Target  string
	Key     string
	Status  string
	At      time.Time
	Body    json.RawMessage
}

// EntryFilter selects entries, oldest first. Zero fields select everything.
type EntryFilter struct {
	Feature string
	Target  string
	Status  string
	Newest  int // at most this many, the newest of them; 0 is all
}
