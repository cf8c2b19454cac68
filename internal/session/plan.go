package session

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"sluice/internal/digest"
	"sluice/internal/fault"
	"sluice/internal/line"
)

// Seen is a file in the session's directory as it was read.
type Seen struct {
	Path  string // of the workspace
	Body  []byte
	Owner string // the workflow that shows it, if one does
}

// Kind is what a commit does to a file of the workspace.
type Kind string

const (
	Added    Kind = "added"
	Modified Kind = "modified"
	Deleted  Kind = "deleted"
)

// Change is one file that a commit writes or removes.
type Change struct {
	Path     string
	Kind     Kind
	Owner    string
	Before   []byte // what the workspace shows; nil if nothing
	After    []byte // what it will show; nil if it is removed
	Conflict string // why the commit must not happen, in words
}

// Plan says what a commit does.
type Plan struct {
	Changes []Change // by path
}

// Conflicts gives the paths that stop the commit.
func (p Plan) Conflicts() []string {
	paths := []string{}
	for _, c := range p.Changes {
		if c.Conflict != "" {
			paths = append(paths, c.Path)
		}
	}
	return paths
}

// PlanCommit compares what the session holds with what the workspace shows now. global gives the bytes at a path of the
// workspace, or false.
func PlanCommit(rec Record, seen []Seen, global func(path string) ([]byte, bool, error)) (Plan, error) {
	var p Plan
	held, twins := map[string]bool{}, map[string]string{}
	for _, s := range seen {
		held[s.Path] = true
		before, there, err := global(s.Path)
		if errors.Is(err, fault.BadPath) { // it cannot be written; that is known before anything is
			p.Changes = append(p.Changes, Change{Path: s.Path, Kind: Added, After: s.Body, Conflict: fault.From(err).Message})
			continue
		}
		if err != nil {
			return Plan{}, err
		}
		c := Change{Path: s.Path, Kind: Modified, Owner: s.Owner, Before: before, After: s.Body}
		if !there {
			c.Kind = Added
		}
		f, known := rec.File(s.Path)
		switch d := digest.Of(s.Body); {
		case there && digest.Of(before) == d, known && f.Base == d: // nothing to bring over
			continue
		}
		c.Conflict = clash(f, known, before, there)
		if why := sluices(s.Path); why != "" {
			c.Conflict = why
		}
		if other, twice := twins[strings.ToLower(s.Path)]; twice {
			c.Conflict = "it differs from " + other + " by case only"
		}
		twins[strings.ToLower(s.Path)] = s.Path
		p.Changes = append(p.Changes, c)
	}
	for _, f := range rec.Files {
		if !f.Deleted || held[f.Path] {
			continue
		}
		before, there, err := global(f.Path)
		if err != nil {
			return Plan{}, err
		}
		if !there {
			continue
		}
		p.Changes = append(p.Changes, Change{Path: f.Path, Kind: Deleted, Before: before, Conflict: clash(f, true, before, there)})
	}
	slices.SortFunc(p.Changes, func(a, b Change) int { return cmp.Compare(a.Path, b.Path) })
	return p, nil
}

// clash says why a file of the workspace must not be replaced, or nothing.
func clash(f File, known bool, before []byte, there bool) string {
	switch {
	case !known && there:
		return "it is in the workspace and was not copied from there"
	case !known:
		return ""
	case f.Base == "" && there:
		return "it was created in the workspace meanwhile"
	case f.Base != "" && !there:
		return "it was removed from the workspace since it was copied"
	case there && digest.Of(before) != f.Base:
		return "it was changed in the workspace since it was copied"
	}
	return ""
}

// sluices says why a path is not for sessions to write, or nothing.
func sluices(path string) string {
	if strings.HasPrefix(path, "workspace/") && !InWorkingDir(path) {
		return "it is where Sluice keeps records; a session writes content and working directories"
	}
	return ""
}

// stateName is the session's own record in its directory.
const stateName = "session.json"

// IndexPath is where a session lists its workflows.
func IndexPath(name string) string { return line.SessionDir(name) + "/workflow-state/index.json" }

// EmptyIndex is that list before there is one.
const EmptyIndex = "{\n  \"workflows\": []\n}\n"
