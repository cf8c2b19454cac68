package novel

import (
	"embed"
	"encoding/json"
	"fmt"

	"sluice/internal/fault"
	"sluice/internal/kernel"
	"sluice/internal/line"
	"sluice/internal/line/novel/story"
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
	all, err := newSchemas()
	if err != nil {
		return nil, err
	}
	s := steps{prompts: set, schemas: all, shelf: &shelf{}}
	return &line.Line{
		Name:       Name,
		Definition: []byte(`{"line":"novel","revision":1,"steps":["world","theme","characters","outline","plan","text"]}`),
		Steps: map[string]line.Step{
			StepSettings: s.settings, StepWorld: s.world, StepTheme: s.theme, StepCharacters: s.characters, StepOutline: s.outline,
			StepPlan: s.plan, StepScene: s.scene, StepText: s.text, StepMemory: s.memory, StepConsistency: s.consistency,
			StepLogic: s.logic, StepCandidate: s.candidate, StepRevision: s.revision,
		},
		Rule:    rule,
		Files:   files,
		State:   state,
		Shows:   shows,
		Adopt:   adopt,
		Export:  exported,
		Summary: summary,
		Command: command,
	}, nil
}

// Open is the command that begins a book. Its settings are submitted with it; defaults hold where they say nothing.
func Open(project string, defaults story.Settings) (kernel.Open, error) {
	raw, err := json.Marshal(defaults)
	if err != nil {
		return kernel.Open{}, err
	}
	return kernel.Open{Run: RunID(project), Line: Name, Title: project, Labels: map[string]string{LabelProject: project},
		Settings: raw, Nodes: bookNodes()}, nil
}

// exported is what a bundle of a book holds: its chapters.
func exported(r *kernel.Run) []line.Exported {
	var out []line.Exported
	for _, n := range Chapters(r) {
		if id := ChapterNode(n, StepText); r.Approved(id) != nil {
			out = append(out, line.Exported{Node: id, Path: story.ChapterFile(n)})
		}
	}
	return out
}

func summary(r *kernel.Run) json.RawMessage {
	raw, err := json.Marshal(struct {
		Project string `json:"project"`
	}{ProjectOf(r)})
	if err != nil {
		return nil
	}
	return raw
}

// command words next actions in this line's own commands.
func command(r *kernel.Run, n kernel.NodeID, action string) string {
	project, chapter := ProjectOf(r), ChapterOf(n)
	switch action {
	case "run", "resume":
		if Blocked(r) != nil { // nothing runs before that is handled
			return OnTo(r, story.MaxChapters+1, fault.Action{}).Command
		}
		if s := r.Status(); s != kernel.RunCancelled && s != kernel.RunDropped {
			return "sluice novel run " + project
		}
	case "reopen":
		return "sluice novel run " + project
	case "answer":
		if chapter > 0 {
			return fmt.Sprintf("sluice novel review %s %d", project, chapter)
		}
	case "revise":
		if chapter > 0 {
			return fmt.Sprintf("sluice novel regen %s %d", project, chapter)
		}
		return fmt.Sprintf("sluice novel step %s %s --force", project, n)
	}
	return ""
}

// Chapters lists the chapters that were begun, ascending as they were.
func Chapters(r *kernel.Run) []int {
	outline, ok := r.Node(OutlineNode)
	if !ok {
		return nil
	}
	var all []int
	for _, id := range outline.Dependants() {
		if n := ChapterOf(id); n > 0 && id == ChapterNode(n, StepPlan) {
			all = append(all, n)
		}
	}
	return sorted(all)
}
