package app

import "time"

// SessionDoc shows one session.
type SessionDoc struct {
	SessionName string     `json:"session_name"`
	SessionID   string     `json:"session_id"` // of its run; a name is free again after the end, an id never
	Status      string     `json:"status"`     // active, committed or cancelled
	CreatedAt   time.Time  `json:"created_at"`
	CreatedBy   string     `json:"created_by"`
	ClosedAt    *time.Time `json:"closed_at,omitempty"`
	Directory   string     `json:"directory"`
	Files       int        `json:"files"`   // copied or created through Sluice
	Deleted     int        `json:"deleted"` // tombstones
	Workflows   int        `json:"workflows"`
	Current     bool       `json:"current,omitempty"` // the command line works in it
}

// SessionsDoc lists the sessions that can be found, newest first. Cancelled ones cannot.
type SessionsDoc struct {
	Sessions []SessionDoc `json:"sessions"`
	Total    int          `json:"total"`
	Current  string       `json:"current,omitempty"`
}

// PathDoc says which file stands for a path in a session.
type PathDoc struct {
	Path         string `json:"path"`          // as the workspace knows it without a session
	ResolvedPath string `json:"resolved_path"` // the file to read or write
	SessionName  string `json:"session_name,omitempty"`
	Source       string `json:"source"`           // session, global, deleted or absent
	Exists       bool   `json:"exists"`           // there is a file at the resolved path
	Copied       bool   `json:"copied,omitempty"` // by this call, from the workspace into the session
}

// ChangeDoc is what a commit does to one file of the workspace.
type ChangeDoc struct {
	Path         string `json:"path"`
	Change       string `json:"change"`             // added, modified or deleted
	Workflow     string `json:"workflow,omitempty"` // whose file it is, if a workflow's
	Bytes        int64  `json:"bytes"`              // of the new content
	LinesAdded   int    `json:"lines_added"`
	LinesRemoved int    `json:"lines_removed"`
	Conflict     string `json:"conflict,omitempty"` // why it stops the commit
}

// DiffDoc previews a commit.
type DiffDoc struct {
	SessionName string      `json:"session_name"`
	SessionID   string      `json:"session_id"`
	Status      string      `json:"status"`
	Changes     []ChangeDoc `json:"changes"`
	Workflows   []string    `json:"workflows"` // that move into the workspace
	Conflicts   []string    `json:"conflicts"` // paths that stop the commit
}

// CommitDoc is how a commit or a cancellation ended. A preview changes nothing.
type CommitDoc struct {
	SessionName string      `json:"session_name"`
	SessionID   string      `json:"session_id"`
	Status      string      `json:"status"` // active in a preview, else committed or cancelled
	Preview     bool        `json:"preview,omitempty"`
	Already     bool        `json:"already,omitempty"` // it had been done before
	Changes     []ChangeDoc `json:"changes"`
	Workflows   []string    `json:"workflows"`
	Conflicts   []string    `json:"conflicts"`
}
