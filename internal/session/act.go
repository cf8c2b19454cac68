package session

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"sluice/internal/digest"
	"sluice/internal/journal"
	"sluice/internal/kernel"
	"sluice/internal/line"
)

// Act is a command on a session's run with the bytes it names.
type Act struct {
	Command kernel.Command
	Blobs   []journal.Blob
}

const (
	evidenceWorkflow = "workflow"
	evidenceRetry    = "retry"
)

// acts gathers what is to be recorded in one turn. It knows what each node's newest version will be.
type acts struct {
	by    kernel.Stamp
	rec   Record
	nodes []kernel.Node
	after map[string]digest.Digest // newest digest per path, as of the acts so far
	all   []Act
	err   error
}

func newActs(by kernel.Stamp, rec Record) *acts {
	return &acts{by: by, rec: rec, after: map[string]digest.Digest{}}
}

// submit records content for a path, unless it is what the node shows already.
func (a *acts) submit(path, schema string, body []byte) {
	d := digest.Of(body)
	now, ok := a.after[path]
	if !ok {
		f, known := a.rec.File(path)
		if !known {
			node, err := fileNode(path)
			if err != nil {
				a.err = err
				return
			}
			a.nodes = append(a.nodes, node)
		}
		now = f.Newest
	}
	if now == d {
		return
	}
	a.after[path] = d
	a.all = append(a.all, Act{
		Command: kernel.Submit{Stamp: a.by, Node: nodeID(path), Content: kernel.Content{Digest: d, Size: int64(len(body)), Schema: schema}},
		Blobs:   []journal.Blob{{Digest: d, Body: body}}})
}

// mark records a fact that has no bytes of its own.
func (a *acts) mark(path, schema string) {
	body, err := json.Marshal(map[string]string{schema: path})
	if err != nil {
		a.err = err
		return
	}
	a.submit(path, schema, body)
}

// base records what the workspace shows at a path.
func (a *acts) base(path string, body []byte, there bool) {
	if there {
		a.submit(path, schemaBase, body)
	} else {
		a.mark(path, schemaAbsent)
	}
}

func (a *acts) done() ([]Act, error) {
	if a.err != nil || len(a.nodes) == 0 {
		return a.all, a.err
	}
	return append([]Act{{Command: kernel.Unfold{Stamp: a.by, Nodes: a.nodes}}}, a.all...), nil
}

// Touch is a path that is about to be written in the session, with what the workspace shows there.
type Touch struct {
	Path  string
	Body  []byte
	There bool
	Again bool // it was removed in the session and is written again: nothing is copied
}

// RecordBases records what the workspace shows at paths that are copied, created or, after a merge, compared anew.
// Tombstones stay, unless their path is written again.
func RecordBases(by kernel.Stamp, rec Record, touches ...Touch) ([]Act, error) {
	a := newActs(by, rec)
	for _, t := range touches {
		f, known := rec.File(t.Path)
		if t.Again {
			a.mark(t.Path, schemaWritten)
			continue
		}
		if known && f.Base == baseOf(t) {
			continue
		}
		a.base(t.Path, t.Body, t.There)
		if f.Deleted {
			a.mark(t.Path, schemaDeleted)
		}
	}
	return a.done()
}

func baseOf(t Touch) digest.Digest {
	if !t.There {
		return ""
	}
	return digest.Of(t.Body)
}

// Removal is a file that is removed in the session.
type Removal struct {
	Touch
	Held   []byte // the session's copy
	IsHeld bool
}

// RecordDeleted records tombstones. What the session's copies held is kept.
func RecordDeleted(by kernel.Stamp, rec Record, gone ...Removal) ([]Act, error) {
	a := newActs(by, rec)
	for _, r := range gone {
		if _, known := rec.File(r.Path); !known {
			a.base(r.Path, r.Body, r.There)
		}
		if r.IsHeld {
			a.submit(r.Path, schemaFile, r.Held)
		}
		a.mark(r.Path, schemaDeleted)
	}
	return a.done()
}

// End is how a session ends.
type End struct {
	Outcome   Status
	Workflows []string
	Retries   []Retry
}

// RecordCommit records the changes of a plan and the end of the session.
func RecordCommit(by kernel.Stamp, rec Record, p Plan, e End) ([]Act, error) {
	a := newActs(by, rec)
	for _, c := range p.Changes {
		switch {
		case c.Kind == Deleted:
			// The tombstone is recorded; its file goes when the session is committed.
		case c.Owner != "" && (c.Kind == Added || InWorkingDir(c.Path)):
			// Its workflow brings it over.
		default:
			a.submit(c.Path, schemaFile, c.After)
		}
	}
	return a.end(e)
}

// RecordCancel records the end of the session with the bytes of its files, which are removed.
func RecordCancel(by kernel.Stamp, rec Record, seen []Seen, e End) ([]Act, error) {
	a := newActs(by, rec)
	for _, s := range seen {
		if s.Owner == "" {
			a.submit(s.Path, schemaFile, s.Body)
		}
	}
	return a.end(e)
}

func (a *acts) end(e End) ([]Act, error) {
	all, err := a.done()
	if err != nil {
		return nil, err
	}
	doc, err := json.Marshal(struct {
		Outcome   Status   `json:"outcome"`
		Workflows []string `json:"workflows"`
		Retries   []Retry  `json:"retries"`
	}{e.Outcome, e.Workflows, e.Retries})
	if err != nil {
		return nil, err
	}
	d := digest.Of(doc)
	return append(all,
		Act{Command: kernel.Record{Stamp: a.by, Evidence: e.evidence(a.rec)}},
		Act{Command: kernel.Relabel{Stamp: a.by, Set: map[string]string{labelStatus: string(e.Outcome)}}},
		Act{Command: kernel.Submit{Stamp: a.by, Node: endNode, Content: kernel.Content{Digest: d, Size: int64(len(doc)), Schema: "session-end"}},
			Blobs: []journal.Blob{{Digest: d, Body: doc}}}), nil
}

// Join records that a workflow is made in the session. It is part of the transaction that makes the workflow, so that
// none can come while the session ends.
func Join(by kernel.Stamp, workflow kernel.RunID) []Act {
	return []Act{{Command: kernel.Record{Stamp: by, Evidence: []kernel.Evidence{joined(string(workflow))}}}}
}

func joined(workflow string) kernel.Evidence {
	return kernel.Evidence{ID: "workflow/" + workflow, Type: evidenceWorkflow, Ref: workflow}
}

func (e End) evidence(rec Record) []kernel.Evidence {
	var all []kernel.Evidence
	for _, w := range e.Workflows {
		if !slices.Contains(rec.Workflows, w) {
			all = append(all, joined(w))
		}
	}
	for _, r := range e.Retries {
		all = append(all, kernel.Evidence{ID: fmt.Sprintf("retry/%s/%s#%d", r.WorkflowID, r.Step, r.Attempt), Type: evidenceRetry,
			Ref: r.WorkflowID, Note: r.Reason, LinkedTo: []string{r.Step, strconv.Itoa(r.Attempt)}})
	}
	return all
}

func readRetry(e kernel.Evidence) Retry {
	r := Retry{WorkflowID: e.Ref, Reason: e.Note}
	if len(e.LinkedTo) == 2 {
		r.Step = e.LinkedTo[0]
		r.Attempt, _ = strconv.Atoi(e.LinkedTo[1]) // written by evidence above
	}
	return r
}

// MoveWorkflow is what a commit does to a workflow: its paths are the workspace's from now on.
func MoveWorkflow(by kernel.Stamp, session string) []Act {
	return []Act{{Command: kernel.Relabel{Stamp: by, Set: map[string]string{line.LabelCommitted: session}, Drop: []string{line.LabelSession}}}}
}

// EndWorkflow is what a cancellation does to a workflow: it ends, its files go, and no door finds it.
func EndWorkflow(by kernel.Stamp, session string, r *kernel.Run) []Act {
	all := []Act{{Command: kernel.Relabel{Stamp: by, Set: map[string]string{line.LabelEnded: session}, Drop: []string{line.LabelSession}}}}
	switch r.Status() {
	case kernel.RunDone, kernel.RunCancelled, kernel.RunDropped:
		return all
	}
	return append(all, Act{Command: kernel.Cancel{Stamp: by, Reason: "session " + session + " was cancelled"}})
}

// Retries lists the attempts after the first at the steps of a workflow, with what led to them.
func Retries(r *kernel.Run) []Retry {
	var all []Retry
	for n := range r.Nodes() {
		for k := 2; k <= n.Attempts(); k++ {
			at, ok := r.Attempt(kernel.AttemptID(string(n.ID()) + "#" + strconv.Itoa(k)))
			if !ok || at.Outcome == kernel.Withdrawn {
				continue
			}
			var why []string
			for _, id := range at.Reviews {
				if review, ok := r.Review(id); ok {
					for _, f := range review.Findings {
						why = append(why, f.Message)
					}
				}
			}
			all = append(all, Retry{WorkflowID: string(r.ID()), Step: string(n.ID()), Attempt: k,
				Reason: strings.Join(append(why, at.Notes...), "; ")})
		}
	}
	return all
}
