package session

import (
	"encoding/json"
	"time"

	"sluice/internal/digest"
	"sluice/internal/fault"
	"sluice/internal/journal"
	"sluice/internal/kernel"
	"sluice/internal/line"
)

// New gives the line of sessions. It has no steps: people and clients do all its work.
func New() (*line.Line, error) {
	return &line.Line{Name: Name, Definition: []byte(`{"line":"session","revision":1}`),
		Files: files, State: state, Summary: summary, Adopt: adopt, Command: command}, nil
}

// files shows nothing while the session is open: its copies are the user's to write. A commit hands files over to the
// workspace, a cancellation removes the copies.
func files(r *kernel.Run, n kernel.View) []line.File {
	f, ok := readFile(n)
	if !ok {
		return nil
	}
	name := r.Labels()[line.LabelSession]
	switch Status(r.Labels()[labelStatus]) {
	case Committed:
		switch f.schema {
		case schemaFile:
			return []line.File{{Path: f.Path, Version: n.Newest(), Role: journal.Given, Base: f.Base}}
		case schemaDeleted:
			if f.Base != "" {
				return []line.File{{Path: f.Path, Role: journal.Given, Base: f.Base}}
			}
		}
	case Cancelled:
		if f.schema == schemaFile || f.schema == schemaBase {
			return []line.File{{Path: line.SessionPath(name, f.Path), Role: journal.State, Base: f.Newest}}
		}
	}
	return nil
}

// adopt takes what a person put where a commit was about to write.
func adopt(e line.Edited) (line.Out, error) {
	return line.Out{Body: e.File, Schema: schemaFile}, nil
}

// Document is session.json.
type Document struct {
	SessionName string         `json:"session_name"`
	SessionID   string         `json:"session_id"`
	Status      Status         `json:"status"`
	CreatedBy   string         `json:"created_by"`
	CreatedAt   time.Time      `json:"created_at"`
	ClosedAt    *time.Time     `json:"closed_at,omitempty"`
	Files       []DocumentFile `json:"files"`
	Deleted     []DocumentFile `json:"deleted"`
	Workflows   []string       `json:"workflows"`
	Retries     []Retry        `json:"retries"` // archived at the end
}

// DocumentFile is a path that the session holds or removed.
type DocumentFile struct {
	Path       string         `json:"path"`
	State      string         `json:"state"`       // copied, created or deleted
	BaseSHA256 *digest.Digest `json:"base_sha256"` // of the workspace's file when it was copied
}

func state(r *kernel.Run, _ line.Body) ([]line.StateFile, error) {
	rec := Read(r)
	if rec.Name == "" {
		return nil, nil
	}
	d := Document{SessionName: rec.Name, SessionID: string(rec.ID), Status: rec.Status, CreatedBy: rec.CreatedBy,
		CreatedAt: rec.CreatedAt, Files: []DocumentFile{}, Deleted: []DocumentFile{}, Workflows: []string{}, Retries: []Retry{}}
	if !rec.ClosedAt.IsZero() {
		d.ClosedAt = &rec.ClosedAt
	}
	for _, f := range rec.Files {
		entry := DocumentFile{Path: f.Path, State: "created"}
		if f.Base != "" {
			entry.State, entry.BaseSHA256 = "copied", &f.Base
		}
		if f.Deleted {
			entry.State = "deleted"
			d.Deleted = append(d.Deleted, entry)
		} else {
			d.Files = append(d.Files, entry)
		}
	}
	d.Workflows = append(d.Workflows, rec.Workflows...)
	d.Retries = append(d.Retries, rec.Retries...)
	body, err := json.MarshalIndent(d, "", "  ")
	if err != nil {
		return nil, fault.Wrap(fault.Unexpected, rec.Name, err, "the state of session %s cannot be written", rec.Name)
	}
	return []line.StateFile{{Path: line.SessionDir(rec.Name) + "/" + stateName, Body: append(body, '\n')}}, nil
}

// Summary is what a list shows of a session without folding it.
type Summary struct {
	Files    int        `json:"files"`
	Deleted  int        `json:"deleted"`
	ClosedAt *time.Time `json:"closed_at,omitempty"`
	Moved    int        `json:"workflows,omitempty"`
}

func summary(r *kernel.Run) json.RawMessage {
	rec := Read(r)
	s := Summary{Moved: len(rec.Workflows)}
	s.Files, s.Deleted = rec.Counts()
	if !rec.ClosedAt.IsZero() {
		s.ClosedAt = &rec.ClosedAt
	}
	raw, err := json.Marshal(s)
	if err != nil {
		return nil
	}
	return raw
}

// ReadInfo gives the record of a session from its row in a list, without its files.
func ReadInfo(i journal.RunInfo) (Record, Summary) {
	var s Summary
	_ = json.Unmarshal(i.Summary, &s) // a row without one shows zeros
	rec := Record{ID: kernel.RunID(i.ID), Name: i.Labels[line.LabelSession], Status: Status(i.Labels[labelStatus]),
		CreatedBy: i.Labels[labelBy], CreatedAt: i.Created}
	if s.ClosedAt != nil {
		rec.ClosedAt = *s.ClosedAt
	}
	return rec, s
}

// command words the ways out of a session's run.
func command(r *kernel.Run, _ kernel.NodeID, _ string) string {
	if r.Labels()[labelStatus] == string(Active) {
		return "sluice session diff " + r.Labels()[line.LabelSession]
	}
	return "sluice session list"
}
