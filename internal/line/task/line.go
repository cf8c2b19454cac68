package task

import (
	"embed"
	"path"

	"sluice/internal/journal"
	"sluice/internal/kernel"
	"sluice/internal/line"
	"sluice/internal/prompt"
)

//go:embed prompts
var prompts embed.FS

// New makes the line.
func New() (*line.Line, error) {
	set, err := prompt.Load(prompts, "prompts")
	if err != nil {
		return nil, err
	}
	s := steps{set}
	return &line.Line{
		Name:       Name,
		Definition: []byte(`{"line":"task","revision":2,"steps":["action","check","choice","share","plan-gen","split","plan-review","feasibility","final"]}`),
		Steps: map[string]line.Step{StepAction: s.action, StepCheck: s.check, stepPlanGen: s.planGen, stepSplit: s.split,
			stepPlanReview: s.planReview, stepFeasibility: s.feasibility, stepFinal: final,
			stepChoice: join, stepShare: join},
		Rule:    rule,
		Unfold:  unfold,
		Files:   files,
		State:   state,
		Export:  exported,
		Rows:    rows,
		Command: command,
	}, nil
}

// files shows every version of an ACTION with what people said of it, and every review of a CHECK, each in a directory of
// its own: none is ever replaced.
func files(r *kernel.Run, n kernel.View) []line.File {
	var out []line.File
	if n.Node().Step == StepAction {
		out = personReviews(r, n)
	}
	for _, v := range n.Versions() {
		switch n.Node().Step {
		case StepAction:
			for _, p := range v.Parts {
				out = append(out, line.File{Path: path.Join(ArtifactDir(string(n.ID()), v.ID), p.Path), Version: v, Part: p.Path, Role: journal.Kept})
			}
		case StepCheck:
			verdict := kernel.AgainstIt
			if v.Schema == approvedSchema {
				verdict = kernel.ForIt
			}
			out = append(out, line.File{Path: ReviewPath(string(n.ID()), reviewID(r.ID(), v.Attempt), verdict), Version: v, Role: journal.Kept})
		}
	}
	return out
}

// exported is what a bundle of a plan holds: the deliverables of its ACTIONs, each in a directory of its own.
func exported(r *kernel.Run) []line.Exported {
	var out []line.Exported
	for n := range r.Nodes() {
		if n.Node().Step == StepAction && n.Status() != kernel.StatusAbandoned {
			out = append(out, line.Exported{Node: n.ID(), Path: Slug(n.Node().Title) + "_" + short(string(n.ID()))})
		}
	}
	return out
}

// command words next actions in this line's own commands.
func command(r *kernel.Run, n kernel.NodeID, action string) string {
	id := string(r.ID())
	node, ok := r.Node(n)
	switch {
	case action == "run" || action == "resume" && r.Status() != kernel.RunCancelled && r.Status() != kernel.RunDropped:
		return "sluice task run " + id
	case action == "revise" && ok && node.Node().Kind != kernel.Group:
		return "sluice task redo " + id + " " + string(n)
	}
	return ""
}
