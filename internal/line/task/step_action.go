package task

import (
	"encoding/json"
	"path"
	"slices"
	"strings"

	"sluice/internal/digest"
	"sluice/internal/kernel"
	"sluice/internal/line"
	"sluice/internal/prompt"
)

// Agents that are asked.
const (
	AgentAction = "action"
	AgentCheck  = "check"
)

// steps are those that ask a model.
type steps struct{ prompts *prompt.Set }

// quoted is text from outside with its label.
type quoted struct{ Label, Text string }

// action writes the files of a deliverable, each by a call of its own, from approved versions alone. Where the plan names
// them by patterns, it is asked first which they are.
func (s steps) action(in line.In) (line.Move, error) {
	t, err := TaskOf(in.Node)
	if err != nil {
		return line.Move{}, err
	}
	names, replies := fileNames(t), in.Replies
	if patterns, fixed := patternsOf(*t.DeliverableSpec); len(patterns) > 0 {
		if len(replies) == 0 {
			c, err := s.filesCall(in, t, patterns, fixed)
			return line.Move{Calls: []line.Call{c}}, err
		}
		names, replies = bundleNames(t, replies[0].Content), replies[1:]
	}
	if len(replies) < len(names) {
		var m line.Move
		for _, name := range names {
			c, err := s.actionCall(in, t, name, names)
			if err != nil {
				return line.Move{}, err
			}
			m.Calls = append(m.Calls, c)
		}
		return m, nil
	}
	var parts []line.Part
	for i, name := range names {
		parts = append(parts, line.Part{Path: name, Body: []byte(fileOf(replies[i].Content))})
	}
	if flaws, _ := examine(t, parts); len(flaws) > 0 {
		return line.Move{}, line.Unusable{Reason: strings.Join(flaws, "; ")}
	}
	out, err := ProductOf(ArtifactID(in.Run.ID(), in.Attempt.ID), parts)
	return line.Move{Done: &out}, err
}

func (s steps) actionCall(in line.In, t Node, name string, names []string) (line.Call, error) {
	k, err := keptOf(in.Run)
	if err != nil {
		return line.Call{}, err
	}
	c := line.Call{Slot: name, Agent: AgentAction, Check: func(content string) []string { return StaticFlaws(name, []byte(fileOf(content))) }}
	data := struct {
		Task    Node
		TopTask string
		File    string
		Others  []string
		Sources []quoted
		Reviews []string
		Notes   []string
		Last    string
	}{Task: t, TopTask: k.TopTask, File: name, Notes: in.Attempt.Notes,
		Others: slices.DeleteFunc(slices.Clone(names), func(o string) bool { return o == name })}
	data.Sources, c.Sources = sources(in)
	if in.Subject != nil {
		last, _ := in.Subject.Part(name)
		data.Last = string(last)
		c.Sources = append(c.Sources, in.Subject.Version.Digest)
	}
	for _, r := range in.Reviews {
		data.Reviews = append(data.Reviews, ReviewText(r, t.AcceptanceCriteria))
	}
	if c.System, c.Prompt, err = s.prompts.Render("action", data); err != nil {
		return c, err
	}
	c.Inputs, err = json.Marshal(given{TaskID: t.TaskID, Title: t.Title, Description: t.GoalStatement, AcceptanceCriteria: t.AcceptanceCriteria,
		DeliverableSpec: &DeliverableSpec{Format: formatOf(name, t.DeliverableSpec.Format), Filename: name}, Attempt: in.Attempt.N, Take: in.Attempt.Take})
	return c, err
}

// given is what an agent is given, as data: for rehearsal, and for the record.
type given struct {
	TaskID             string           `json:"task_id"`
	CheckTaskID        string           `json:"check_task_id,omitempty"`
	Title              string           `json:"title"`
	Description        string           `json:"description,omitempty"`
	DeliverableSpec    *DeliverableSpec `json:"deliverable_spec,omitempty"`
	AcceptanceCriteria []Criterion      `json:"acceptance_criteria"`
	Patterns           []string         `json:"patterns,omitempty"` // of the files that are to be named
	Attempt            int              `json:"attempt"`
	Take               int              `json:"take"`
	Version            int              `json:"version,omitempty"` // the number of what is judged
}

func formatOf(name, otherwise string) string {
	return orText(strings.TrimPrefix(path.Ext(name), "."), otherwise)
}

// sources quotes every file of every approved input.
func sources(in line.In) (texts []quoted, digests []digest.Digest) {
	for _, d := range in.Inputs {
		if d.Version.Schema == joinSchema { // says that something is done, and is nothing to work from
			continue
		}
		digests = append(digests, d.Version.Digest)
		title := string(d.Version.Node)
		if n, ok := in.Run.Node(d.Version.Node); ok {
			title = n.Node().Title
		}
		for _, p := range d.Parts {
			texts = append(texts, quoted{"approved: " + title + ", " + p.Path, string(p.Body)})
		}
		if len(d.Parts) == 0 {
			texts = append(texts, quoted{"supplied: " + title, string(d.Body)})
		}
	}
	return texts, digests
}

// fileOf takes the content of a file out of a reply: a fence around all of it is not part of it.
func fileOf(reply string) string {
	text := strings.TrimSpace(strings.ReplaceAll(reply, "\r\n", "\n"))
	if rest, ok := strings.CutPrefix(text, "```"); ok {
		if _, body, ok := strings.Cut(rest, "\n"); ok {
			if inner, ok := strings.CutSuffix(strings.TrimSpace(body), "```"); ok && !strings.Contains(inner, "\n```") {
				text = strings.TrimSpace(inner)
			}
		}
	}
	return text + "\n"
}

// checkIn names the CHECK of a task in a run.
func checkIn(r *kernel.Run, task kernel.NodeID) string {
	if n, ok := r.Node(task); ok {
		for _, id := range n.Checks() {
			if c, ok := r.Node(id); ok && c.Status() != kernel.StatusAbandoned {
				return string(id)
			}
		}
	}
	return ""
}
