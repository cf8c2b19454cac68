package journal

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"time"

	"sluice/internal/digest"
)

// Batch is what commands decided together add to one run. A store appends all of it or nothing; several batches of
// different runs given to one Append also succeed or fail together.
type Batch struct {
	Run     string
	After   int64  // the sequence number the run must be at; 0 makes the run
	Epoch   int64  // of the driver's lease; 0 for a command of a person, which needs no lease
	Driver  string // with After 0: the run is made already leased to this driver, at epoch 1
	Release bool   // the driver gives its lease back with this batch
	At      time.Time
	Count   int             // how many events
	Events  json.RawMessage // a JSON array of Count events, numbered After+1 …

	Blobs     []Blob     // the bytes of versions that these events store
	Head      Head       // the run's projection after the batch
	Asks      []Ask      // asks opened or closed by the batch, as they are after it
	Checkouts []Checkout // files that must show what the batch stored
	Rows      []Row      // what SQL clients read of the run, as far as the batch changes it
}

// Row is one row of a table that SQL clients read. Tables are a projection of the journal: they commit with it and can
// always be written anew from it.
type Row struct {
	Table string
	Key   string          // empty: every row of the run in the table goes, before the rows that follow are put
	Body  json.RawMessage // a JSON object; nil removes the row
}

// Blob is immutable content, found again by the sequence number of the batch's last event and its digest.
type Blob struct {
	Digest digest.Digest
	Body   []byte
}

// Head is one run as lists show it. It is derived from the fold and rewritten with each batch.
type Head struct {
	Line       string
	Definition digest.Digest // of the line's definition the run began with
	Title      string
	Status     string
	Labels     map[string]string // what lists filter by, fixed when the run is opened or rarely changed
	Summary    json.RawMessage   // a small document of the line's own for its list view; may be empty
}

// Ask is one question to a person as the inbox shows it.
type Ask struct {
	ID       string
	Run      string
	Node     string
	Kind     string
	Title    string
	Version  string
	Digest   digest.Digest
	OpenedAt time.Time
	Open     bool
	Body     json.RawMessage // the whole ask as the kernel has it
}

// Stored is a batch as a store gives it back.
type Stored struct {
	First, Last int64
	At          time.Time
	Events      json.RawMessage
	Prev, Hash  Hash
	Blobs       []digest.Digest // inside the batch or beside it
}

// RunInfo is a row of a list.
type RunInfo struct {
	ID      string
	Seq     int64
	Created time.Time
	Updated time.Time
	Head
}

// Filter selects runs for a page, newest first. Zero fields select everything.
type Filter struct {
	Line   string
	Status []string
	Labels map[string]string
	// Summary selects by texts of the summary's own fields. Rows are looked through for it: no index holds them.
	Summary map[string]string
	Limit   int    // at most this many; 0 means 50
	Cursor  string // RunPage.Next of the page before
}

// RunPage is one page of a list. Next is empty on the last page.
type RunPage struct {
	Runs []RunInfo
	Next string
}

// Hash links a batch to the one before it in the same run.
type Hash [sha256.Size]byte

// Chain is the hash of a batch: over its predecessor's hash, its run and numbers, its time, its events and the digests
// of its blobs in order. It is the definition that stores write by and that verify recomputes.
func Chain(prev Hash, run string, first, last int64, at time.Time, events []byte, blobs []digest.Digest) Hash {
	h := sha256.New()
	var n [8]byte
	number := func(v int64) {
		binary.BigEndian.PutUint64(n[:], uint64(v))
		h.Write(n[:])
	}
	text := func(s string) {
		number(int64(len(s)))
		h.Write([]byte(s))
	}
	h.Write(prev[:])
	text(run)
	number(first)
	number(last)
	number(at.UnixMicro())
	number(int64(len(events)))
	h.Write(events)
	for _, d := range blobs {
		text(string(d))
	}
	var out Hash
	h.Sum(out[:0])
	return out
}
