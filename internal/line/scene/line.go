package scene

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"sluice/internal/digest"
	"sluice/internal/journal"
	"sluice/internal/kernel"
	"sluice/internal/line"
)

// New makes the line.
func New() (*line.Line, error) {
	steps, err := Steps()
	if err != nil {
		return nil, err
	}
	return &line.Line{
		Name:    Name,
		Steps:   steps,
		Rule:    rulePassed,
		Files:   files,
		State:   stateFiles,
		Adopt:   adopt,
		Export:  exported,
		Summary: summary,
		Command: command,
	}, nil
}

// files shows every file that a step ever delivered: the newest one of each path, those of its newest version as working
// files, the others as records.
func files(r *kernel.Run, n kernel.View) []line.File {
	p, err := ParamsOf(n.Node())
	if err != nil {
		return nil
	}
	var out []line.File
	for _, v := range n.Versions() {
		if v.IsOffer() {
			continue
		}
		role := journal.Kept
		if v == n.Newest() && n.Node().Kind == kernel.Make {
			role = journal.Working
		}
		for _, part := range v.Parts {
			if isGiven(p, part.Path) {
				continue
			}
			f := line.File{Path: DiskPath(p.Session, part.Path), Version: v, Part: part.Path, Role: role}
			if i := slices.IndexFunc(out, func(o line.File) bool { return o.Path == f.Path }); i >= 0 {
				out[i] = f
			} else {
				out = append(out, f)
			}
		}
	}
	return line.FilesNow(r, out)
}

// adopt takes over a file of a step that a person changed: the product is the same but for that file.
func adopt(e line.Edited) (line.Out, error) {
	p, err := ParseProduct(e.Newest.Body)
	if err != nil {
		return line.Out{}, err
	}
	out := line.Out{Schema: e.Newest.Version.Schema, Variants: e.Newest.Version.Variants()}
	for _, part := range e.Newest.Parts {
		if part.Path == e.Part {
			part.Body = e.File
		}
		out.Parts = append(out.Parts, part)
	}
	for i := range p.Artifacts {
		if p.Artifacts[i].Path == e.Part {
			if strings.HasSuffix(e.Part, ".json") && !json.Valid(e.File) {
				return line.Out{}, fmt.Errorf("%s is no JSON", e.Part)
			}
			p.Artifacts[i].SHA256 = digest.Of(e.File).Hex()
		}
	}
	out.Body, err = p.Encode()
	return out, err
}

// exported is what a bundle of a workflow holds: the content of every step.
func exported(r *kernel.Run) []line.Exported {
	var out []line.Exported
	for n := range r.Nodes() {
		if n.Node().Kind == kernel.Make && n.Status() != kernel.StatusAbandoned {
			out = append(out, line.Exported{Node: n.ID(), Path: strings.ReplaceAll(string(n.ID()), "/", "-")})
		}
	}
	return out
}

// command words next actions in this line's own commands.
func command(r *kernel.Run, n kernel.NodeID, action string) string {
	id := string(r.ID())
	switch action {
	case "run":
		return "sluice scene run " + id
	case "resume", "reopen", "revise":
		if action == "revise" && r.Status() == kernel.RunDone { // it accepts no resume
			return ""
		}
		if from := numberOf(n); from > 0 {
			return fmt.Sprintf("sluice scene resume %s --from %d", id, from)
		}
		return "sluice scene resume " + id
	case "answer":
		return "sluice scene next " + id
	}
	return ""
}
