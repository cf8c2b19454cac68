package session

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"strings"

	"sluice/internal/fault"
	"sluice/internal/line"
)

// Walk lists the files in the directory of a session, its own record left out. Links are refused: what they lead to is
// not the session's.
func Walk(ctx context.Context, tree Reader, name string) ([]string, error) {
	top := line.SessionDir(name)
	var paths []string
	err := walk(ctx, tree, top, func(p string) {
		if p != top+"/"+stateName {
			paths = append(paths, p)
		}
	})
	if errors.Is(err, fault.NotFound) { // the whole directory was removed by hand
		return nil, nil
	}
	return paths, err
}

func walk(ctx context.Context, tree Reader, dir string, visit func(path string)) error {
	if err := ctx.Err(); err != nil {
		return fault.Wrap(fault.Interrupted, dir, err, "reading the session was interrupted")
	}
	entries, err := tree.List(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		p := path.Join(dir, e.Name())
		switch {
		case e.IsDir():
			if err := walk(ctx, tree, p, visit); err != nil {
				return err
			}
		case !e.Type().IsRegular():
			return fault.New(fault.BadPath, p, "%s is not a regular file; a session holds files only", p).
				With(fault.Action{Action: "remove it", Why: "links and special files cannot be committed"})
		default:
			visit(p)
		}
	}
	return nil
}

// IsCommitted tells whether a commit brings a file of the session's directory over as a file: the states of workflows
// are written by their runs.
func IsCommitted(name, sessionPath string) bool {
	return !strings.HasPrefix(sessionPath, line.SessionDir(name)+"/workflow-state/")
}

// InWorkingDir tells whether a path of the workspace lies among the working directories of workflows.
func InWorkingDir(p string) bool {
	return strings.HasPrefix(p, "workspace/generation-runs/") || strings.HasPrefix(p, "workspace/planning-runs/")
}

// CheckPath says which path of the workspace is meant by one that came from outside, and whether a session may touch it.
// A path inside the session's own directory means the file it stands for.
func CheckPath(tree Reader, name, p string, write bool) (string, error) {
	clean, err := tree.Check(p)
	if err != nil {
		return "", err
	}
	bad := func(format string, args ...any) error {
		return fault.New(fault.BadPath, clean, format, args...)
	}
	if clean == "workspace/sessions" || clean == line.SessionDir(name) {
		return "", bad("path %s is the directory of sessions, not a file in one", clean)
	}
	if owner, _, ok := line.SessionOf(clean); ok {
		if owner != name {
			return "", bad("path %s belongs to session %s", clean, owner)
		}
		clean = line.GlobalPath(name, clean)
	}
	first, _, _ := strings.Cut(clean, "/")
	switch {
	case line.GlobalPath(name, line.SessionPath(name, clean)) != clean, clean == stateName:
		return "", bad("path %s would stand where a session keeps its own records (%s)", clean, first)
	case write && sluices(clean) != "":
		return "", bad("path %s: %s", clean, sluices(clean))
	}
	return clean, nil
}

// Look reads a file of the tree, if it is there.
func Look(tree Reader, p string) ([]byte, bool, error) {
	body, err := tree.Read(p)
	switch {
	case err == nil:
		return body, true, nil
	case errors.Is(err, fault.NotFound), errors.Is(err, fs.ErrNotExist):
		return nil, false, nil
	}
	return nil, false, err
}
