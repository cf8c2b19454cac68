package doctor

import (
	"cmp"
	"fmt"
	"slices"

	"sluice/internal/fault"
)

// Finding is one thing that is not as the invariants say.
type Finding struct {
	Code       string `json:"code"`
	Severity   string `json:"severity"`
	Run        string `json:"run,omitempty"`
	Seq        int64  `json:"seq,omitempty"` // the event it is about, or the first of its batch
	Node       string `json:"node,omitempty"`
	Path       string `json:"path,omitempty"`
	Message    string `json:"message"`
	Hint       string `json:"hint,omitempty"`
	Command    string `json:"command,omitempty"` // what to do next
	Repairable bool   `json:"repairable"`
}

// Severities of findings.
const (
	Error   = "error"   // something that was recorded is lost or cannot be trusted
	Warning = "warning" // what is recorded is whole; something beside it is not as it should be
	Note    = "note"    // nothing is wrong: work that someone left to be gone on with
)

// Codes of findings. Those of the law are the kernel's.
const (
	StoreUnreadable   = "store_unreadable"   // the store itself says that a row is damaged
	JournalGap        = "journal_gap"        // event numbers are not 1 to n
	ChainBroken       = "chain_broken"       // a batch does not name the hash of the one before it
	BatchAltered      = "batch_altered"      // a batch does not hash to its hash
	EventsUnreadable  = "events_unreadable"  // a batch does not decode
	EventsNewer       = "events_newer"       // a newer program wrote it
	BytesMissing      = "bytes_missing"      // stored content is not there
	BytesDamaged      = "bytes_damaged"      // stored content does not hash to its digest
	SizeDiffers       = "size_differs"       // a version is not as long as its event says
	DefinitionMissing = "definition_missing" // of the run's line
	DefinitionDamaged = "definition_damaged"
	HeadDiffers       = "head_differs"    // the row by which runs are listed is not what the journal gives
	AskMissing        = "ask_missing"     // an open ask is not in the inbox
	AskStray          = "ask_stray"       // the inbox shows an ask that is not open
	AskDiffers        = "ask_differs"     // the inbox shows another ask than the journal has
	RunMoving         = "run_moving"      // the run went on all the while: rows were not compared
	FileMissing       = "file_missing"    // a checked-out file is gone
	FileDamaged       = "file_damaged"    // an immutable file shows other bytes
	FileEdited        = "file_edited"     // a working file shows a person's bytes
	StateChanged      = "state_changed"   // a state file shows other bytes
	FileUnreadable    = "file_unreadable" // something else lies where a file should be, or it cannot be read
	FileUnwritten     = "file_unwritten"  // a checkout was committed and not brought in place
	RowsDiffer        = "rows_differ"     // SQL clients read other rows than the journal gives
	DriverGone        = "driver_gone"     // a run was left by a process that ended
)

// Report is what was looked at and what was found. Findings are in a fixed order.
type Report struct {
	Runs     int       `json:"runs"`
	Batches  int       `json:"batches"`
	Events   int       `json:"events"`
	Versions int       `json:"versions"`
	Bytes    int64     `json:"bytes"` // of stored content, hashed
	Reviews  int       `json:"reviews"`
	Findings []Finding `json:"findings"`
	Repaired []Finding `json:"repaired,omitempty"` // what was found and put right
}

// Count says how many findings have the severity.
func (r Report) Count(severity string) int {
	n := 0
	for _, f := range r.Findings {
		if f.Severity == severity {
			n++
		}
	}
	return n
}

// Err is the fault of a report that holds more than notes.
func (r Report) Err() error {
	errors, warnings := r.Count(Error), r.Count(Warning)
	if errors+warnings == 0 {
		return nil
	}
	err := fault.New(fault.Findings, "workspace", "%s and %s were found", counted(errors, "error"), counted(warnings, "warning"))
	for _, f := range r.Findings {
		if f.Repairable {
			return err.With(fault.Action{Action: "repair", Command: repairCommand, Why: "some of it can be put right"})
		}
	}
	return err.With(fault.Action{Action: "put back", Why: "what is wrong here is not put right by itself: bring back a copy that is whole, or have it made again"})
}

func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

const repairCommand = "sluice doctor --repair"

func (r *Report) add(f Finding) { r.Findings = append(r.Findings, f) }

// merge takes in what was counted and found elsewhere.
func (r *Report) merge(o Report) {
	r.Runs += o.Runs
	r.Batches += o.Batches
	r.Events += o.Events
	r.Versions += o.Versions
	r.Bytes += o.Bytes
	r.Reviews += o.Reviews
	r.Findings = append(r.Findings, o.Findings...)
	r.Repaired = append(r.Repaired, o.Repaired...)
}

// sorted brings the findings into their order. An empty report shows an empty list.
func (r Report) sorted() Report {
	if r.Findings == nil {
		r.Findings = []Finding{}
	}
	slices.SortFunc(r.Findings, compare)
	slices.SortFunc(r.Repaired, compare)
	return r
}

func compare(a, b Finding) int {
	return cmp.Or(cmp.Compare(a.Run, b.Run), cmp.Compare(a.Seq, b.Seq), cmp.Compare(a.Code, b.Code),
		cmp.Compare(a.Node, b.Node), cmp.Compare(a.Path, b.Path), cmp.Compare(a.Message, b.Message))
}
