package session

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"sluice/internal/digest"
	"sluice/internal/fault"
	"sluice/internal/journal"
	"sluice/internal/kernel"
	"sluice/internal/line"
)

// Name of the line whose runs are sessions.
const Name = "session"

// Status is where a session stands. It is a label of its run.
type Status string

const (
	Active    Status = "active"
	Committed Status = "committed"
	Cancelled Status = "cancelled"
)

const (
	labelStatus = "status"
	labelBy     = "created_by"

	openNode = "open" // a group without children: what needs it waits until the session ends
	endNode  = "end"
)

// What a version of a file's node stands for. The base is kept whole: what a commit replaces can be had again.
const (
	schemaBase    = "base"    // the bytes that the workspace showed when they were copied
	schemaAbsent  = "absent"  // the workspace had no such file then
	schemaDeleted = "deleted" // removed in the session: a tombstone
	schemaWritten = "written" // written again after it was removed
	schemaFile    = "file"    // the session's content, when it was committed, cancelled or removed
)

var validName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,100}$`)

// CheckName is the rule for names of sessions, asked at every door.
func CheckName(name string) error {
	if !validName.MatchString(name) {
		return fault.New(fault.BadValue, name, "session name %.120q is not 1 to 100 of the characters A-Z a-z 0-9 _ -", name).
			With(fault.Action{Action: "list the sessions", Command: "sluice session list"})
	}
	return nil
}

// CheckAuthor is the rule for who is named as the one who opened a session: it is a label, and shown in lists.
func CheckAuthor(name string) error {
	const most = 200
	if len(name) > most || !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl) {
		return fault.New(fault.BadValue, "created_by", "created_by is not one line of at most %d bytes", most)
	}
	return nil
}

// Open is the command that opens a session. n counts the sessions of that name from 1: two who open the n-th at once
// cannot both succeed.
func Open(name string, n int, createdBy string) kernel.Open {
	need := []kernel.Need{{Node: openNode}}
	return kernel.Open{Run: kernel.RunID(Name + "-" + name + "-" + strconv.Itoa(n)), Line: Name, Title: name,
		Labels: map[string]string{line.LabelSession: name, labelStatus: string(Active), labelBy: createdBy},
		Nodes: []kernel.Node{
			{ID: openNode, Kind: kernel.Group, Title: "the session is open"},
			{ID: endNode, Kind: kernel.Make, Title: "committed or cancelled", Performer: kernel.Person, Needs: need},
		}}
}

// Selects finds the sessions of a name with a status; empty values select all.
func Selects(name string, s Status) journal.Filter {
	f := journal.Filter{Line: Name, Labels: map[string]string{}, Limit: 1000}
	if name != "" {
		f.Labels[line.LabelSession] = name
	}
	if s != "" {
		f.Labels[labelStatus] = string(s)
	}
	return f
}

// Record is what the journal knows of a session.
type Record struct {
	ID        kernel.RunID
	Name      string
	Status    Status
	CreatedBy string
	CreatedAt time.Time
	ClosedAt  time.Time // zero while it is open
	Files     []File    // in the order in which they were first touched
	Workflows []string  // that were made in it
	Retries   []Retry

	byPath map[string]int
}

// File is what the journal knows of one path in a session.
type File struct {
	Path    string // of the workspace
	Node    kernel.NodeID
	Base    digest.Digest // what the workspace showed when it was copied; empty if it had no such file
	Deleted bool
	Newest  digest.Digest // of the node's newest version
	schema  string
}

// Retry is one attempt after the first at a step of a workflow.
type Retry struct {
	WorkflowID string `json:"workflow_id"`
	Step       string `json:"step"`
	Attempt    int    `json:"attempt"`
	Reason     string `json:"reason,omitempty"`
}

type fileParams struct {
	Path string `json:"path"`
}

// Read derives the record of a session from its run.
func Read(r *kernel.Run) Record {
	labels := r.Labels()
	rec := Record{ID: r.ID(), Name: labels[line.LabelSession], Status: Status(labels[labelStatus]),
		CreatedBy: labels[labelBy], CreatedAt: r.Opened(), byPath: map[string]int{}}
	for n := range r.Nodes() {
		if n.ID() == endNode {
			if v := n.Newest(); v != nil {
				rec.ClosedAt = v.At
			}
			continue
		}
		if f, ok := readFile(n); ok {
			rec.byPath[f.Path] = len(rec.Files)
			rec.Files = append(rec.Files, f)
		}
	}
	for _, e := range r.Evidence() {
		switch e.Type {
		case evidenceWorkflow:
			rec.Workflows = append(rec.Workflows, e.Ref)
		case evidenceRetry:
			rec.Retries = append(rec.Retries, readRetry(e))
		}
	}
	return rec
}

func readFile(n kernel.View) (File, bool) {
	newest := n.Newest()
	if n.Node().Kind != kernel.Make || newest == nil {
		return File{}, false
	}
	var p fileParams
	if json.Unmarshal(n.Node().Params, &p) != nil || p.Path == "" {
		return File{}, false
	}
	f := File{Path: p.Path, Node: n.ID(), Newest: newest.Digest, schema: newest.Schema, Deleted: newest.Schema == schemaDeleted}
	for _, v := range n.Versions() {
		switch v.Schema {
		case schemaBase:
			f.Base = v.Digest
		case schemaAbsent:
			f.Base = ""
		}
	}
	return f, true
}

// File finds what is known of a path.
func (rec Record) File(path string) (File, bool) {
	i, ok := rec.byPath[path]
	if !ok {
		return File{}, false
	}
	return rec.Files[i], true
}

// Counts gives how many files the session holds and how many it removed.
func (rec Record) Counts() (files, deleted int) {
	for _, f := range rec.Files {
		if f.Deleted {
			deleted++
		} else {
			files++
		}
	}
	return files, deleted
}

// nodeID names the node of a path: by the path where that is a name, else by its digest.
func nodeID(path string) kernel.NodeID {
	const room = 200
	odd := func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("._-/", r)
	}
	if len(path) <= room && !strings.ContainsFunc(path, odd) {
		return kernel.NodeID("file/" + path)
	}
	return kernel.NodeID("file#" + digest.Of([]byte(path)).Hex())
}

func fileNode(path string) (kernel.Node, error) {
	params, err := json.Marshal(fileParams{path})
	return kernel.Node{ID: nodeID(path), Kind: kernel.Make, Title: path, Performer: kernel.Person,
		Needs: []kernel.Need{{Node: openNode}}, Params: params}, err
}
