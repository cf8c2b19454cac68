package task

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"sluice/internal/fault"
	"sluice/internal/kernel"
	"sluice/internal/line"
)

// Wanted gives the inputs that people have yet to give, of one task or of all. Of several inputs of one task the first is
// asked for first.
func (v View) Wanted(task string) []Requirement {
	var out []Requirement
	asked := map[string]bool{}
	for _, q := range v.Doc.Requirements {
		n, ok := v.Run.Node(kernel.NodeID(q.RequirementID))
		if ok && n.Newest() == nil && !asked[q.TaskID] && (task == "" || q.TaskID == task) {
			asked[q.TaskID] = true
			out = append(out, q)
		}
	}
	return out
}

// Flag is how what it asks for is given at the command line.
func (q Requirement) Flag() string {
	if q.Kind == "CONFIRMATION" {
		return "--note TEXT"
	}
	return "-f FILE"
}

// Supplied makes a version of what a person gives for a requirement: files, or a text that confirms.
func (q Requirement) Supplied(r *kernel.Run, files []line.Part, note string) (line.Out, error) {
	bad := func(format string, args ...any) (line.Out, error) {
		return line.Out{}, fault.New(fault.BadValue, q.RequirementID, format, args...)
	}
	if q.Kind == "CONFIRMATION" && note == "" {
		return bad("%q is confirmed with --note TEXT", q.Name)
	}
	if q.Kind == "FILE" && len(files) < max(1, q.MinCount) {
		return bad("%q needs %d files, and %d were given", q.Name, max(1, q.MinCount), len(files))
	}
	for _, f := range files {
		ext := strings.TrimPrefix(strings.ToLower(path.Ext(f.Path)), ".")
		if why := pathFlaw(f.Path, false); why != "" {
			return bad("the file name %q %s", f.Path, why)
		}
		if len(q.AllowedTypes) > 0 && !slices.ContainsFunc(q.AllowedTypes, func(t string) bool { return strings.TrimPrefix(strings.ToLower(t), ".") == ext }) {
			return bad("%s is of type %q, and %q takes %s", f.Path, ext, q.Name, strings.Join(q.AllowedTypes, ", "))
		}
	}
	if note != "" {
		files = append(slices.Clone(files), line.Part{Path: "NOTE.md", Body: []byte(note + "\n")})
	}
	n, _ := r.Node(kernel.NodeID(q.RequirementID))
	return ProductOf(ArtifactID(r.ID(), kernel.AttemptID(q.RequirementID+"#"+strconv.Itoa(n.Attempts()+1))), files)
}
