package spec

import (
	"embed"

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
	shapes, err := replySchemas()
	if err != nil {
		return nil, err
	}
	s := steps{set, shapes}
	return &line.Line{
		Name:       Name,
		Definition: []byte(`{"line":"spec","revision":1,"gate_revision":1,"schema_version":"1.0","steps":["ingest","compile","validate_gates","clarify_questions","apply_answers","plan_tasks","generate_vv","manual_review","publish"]}`),
		Steps: map[string]line.Step{string(StepIngest): stepIngest, string(StepCompile): s.stepCompile, string(StepValidate): stepValidate,
			string(StepClarify): s.stepClarify, string(StepApply): s.stepApply, string(StepPlan): s.stepPlan, string(StepVV): s.stepVV, string(StepPublish): stepPublish},
		Rule:     rule,
		Unfold:   unfold,
		Files:    files,
		Records:  records,
		Failure:  failure,
		Reserved: reserved,
		Supply:   supply,
		Export:   exported,
		Summary:  summary,
		Command:  command,
	}, nil
}

// files shows every spec version in a file of its own, which never changes.
func files(r *kernel.Run, n kernel.View) []line.File {
	var out []line.File
	for _, v := range n.Versions() {
		if v.Schema == SpecSchema {
			out = append(out, line.File{Path: SpecPath(string(r.ID()), string(v.ID)), Version: v, Role: journal.Kept})
		}
	}
	return out
}

// exported is the newest spec.
func exported(r *kernel.Run) []line.Exported {
	v, id := Newest(r)
	if v == nil {
		return nil
	}
	return []line.Exported{{Node: id, Path: string(v.ID) + ".json"}}
}

// command words next actions in this line's own commands.
func command(r *kernel.Run, n kernel.NodeID, action string) string {
	id := string(r.ID())
	switch action {
	case "run":
		return "sluice spec run " + id
	case "resume":
		if s := r.Status(); s != kernel.RunCancelled && s != kernel.RunDropped {
			return "sluice spec run " + id
		}
	case "revise": // what is decided may be decided again, and everything else changes by the feature's own commands
		if s := StatusOf(r); n == Current(r).Review() && (s == ExecutableReady || s == OnHold) {
			return "sluice spec review " + id + " hold --reason TEXT"
		}
		return NextActions(r)[0].Command
	case "answer":
		if node, ok := r.Node(n); ok && node.Node().Step == string(StepReview) {
			return "sluice spec review " + id + " go --reason TEXT"
		}
		return "sluice spec answer " + id + " -a PATH=VALUE"
	}
	return ""
}
