package task

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"sluice/internal/digest"
	"sluice/internal/fault"
)

// Note is a place in what was read, what it was and what was made of it or should be.
type Note struct {
	Path    string `json:"path"`
	Message string `json:"message"`
	Fix     string `json:"fix,omitempty"`
}

// Reading is a document with what was changed to make it one.
type Reading struct {
	Document Document
	Changed  []Note // put into the words of a plan
	Problems []Note // what could not be: the document is not to be used while there are any
}

// Read takes a plan from outside: from a model, from another program, of an older form. Field names, ids, types and
// edges in other words are put into ours; what cannot be is listed with its place and how to mend it.
func Read(raw []byte) (Reading, error) { return readAs(raw, "") }

// readAs reads a plan whose id is known, or is the document's to say.
func readAs(raw []byte, planID string) (Reading, error) {
	raw = bytes.TrimPrefix(raw, []byte("\ufeff")) // some editors begin a file so
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var top any
	if err := dec.Decode(&top); err != nil {
		offset := dec.InputOffset()
		if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
			offset = syntax.Offset
		}
		return Reading{}, fault.Wrap(fault.BadValue, "plan", err, "the plan is no JSON at %s", placeOf(raw, offset))
	}
	if _, err := dec.Token(); err != io.EOF {
		return Reading{}, fault.New(fault.BadValue, "plan", "something stands behind the plan, at %s", placeOf(raw, dec.InputOffset()))
	}
	fields, ok := top.(map[string]any)
	if !ok {
		return Reading{}, fault.New(fault.BadValue, "plan", "the plan is no JSON object")
	}
	r := &reader{planID: planID, ids: map[string]string{}, pseudo: map[string]bool{}}
	r.document(object{r: r, fields: fields}, raw)
	return Reading{Document: r.doc, Changed: r.changed.all(moreNotes), Problems: r.problems.all(moreNotes)}, nil
}

// Err is the refusal of a document that could not be put into our words, with every place.
func (r Reading) Err() error {
	if len(r.Problems) == 0 {
		return nil
	}
	first := r.Problems[0]
	e := fault.New(fault.BadValue, first.Path, "the plan cannot be read: %s %s", first.Path, first.Message)
	if more := len(r.Problems) - 1; more > 0 {
		e.Message += fmt.Sprintf(" (and %d more)", more)
	}
	for _, p := range r.Problems[:min(len(r.Problems), 20)] {
		e = e.With(fault.Action{Action: "edit the plan", Why: p.Path + " " + p.Message + "; " + p.Fix})
	}
	fields, err := json.Marshal(struct {
		Problems []Note `json:"problems"`
	}{r.Problems})
	if err == nil {
		e.Fields = fields
	}
	return e
}

type reader struct {
	doc      Document
	planID   string
	ids      map[string]string // of tasks, as they came → as they are
	pseudo   map[string]bool   // START and END, as they came
	changed  listed[Note]
	problems listed[Note]
}

func (r *reader) change(path, format string, args ...any) {
	r.changed.add(Note{Path: path, Message: fmt.Sprintf(format, args...)})
}

func (r *reader) problem(path, fix, format string, args ...any) {
	r.problems.add(Note{Path: path, Message: fmt.Sprintf(format, args...), Fix: fix})
}

func moreNotes(n int) Note { return Note{Message: fmt.Sprintf("%d more are not listed", n)} }

func (r *reader) document(top object, raw []byte) {
	plan, nested := top.object("plan")
	if !nested {
		plan = top // the plan's own fields beside its nodes
	}
	from := &top
	if _, beside := top.fields["nodes"]; !beside && nested {
		from = &plan
	}
	nodes, edges, reqs := from.objects("nodes", "tasks"), from.objects("edges"), from.objects("requirements")
	p := &r.doc.Plan
	given := plan.text("plan_id", "id")
	if r.planID == "" {
		r.planID = r.uuid(plan.at("plan_id"), given, func(name string) string {
			if name == "" {
				name = digest.Of(raw).Hex()
			}
			return deriveID("plan", name)
		})
	}
	p.PlanID = r.planID
	root := plan.text("root_task_id", "root")
	p.Title, p.TopTask, p.CreatedAt = plan.text("title", "name"), plan.text("top_task", "description", "goal"), plan.text("created_at")
	if c, ok := plan.object("constraints"); ok {
		p.Constraints = Constraints{Deadline: c.text("deadline"), Priority: c.word(priorities, "priority")}
		c.rest()
	}
	plan.rest()
	if nested {
		top.rest()
	}
	if len(nodes) == 0 {
		r.problem(from.at("nodes"), "list the tasks, beginning with the GOAL that the others are part of", "holds no task")
	}
	for _, n := range nodes {
		r.node(n)
	}
	for _, e := range edges {
		r.edge(e)
	}
	for _, q := range reqs {
		r.requirement(q)
	}
	p.RootTaskID = r.root(plan, root)
	if p.Title == "" {
		p.Title = r.titleOf(p.RootTaskID)
	}
	if p.TopTask == "" {
		p.TopTask = p.Title
	}
}

// root is the task that the plan names, or the only GOAL that is part of nothing.
func (r *reader) root(plan object, given string) string {
	if given != "" && !r.pseudo[given] {
		return r.taskID(plan.at("root_task_id"), given)
	}
	isPart := map[string]bool{}
	for _, e := range r.doc.Edges {
		if e.EdgeType == Decompose {
			isPart[e.ToTaskID] = true
		}
	}
	found := ""
	for _, n := range r.doc.Nodes {
		if n.NodeType != Goal || isPart[n.TaskID] {
			continue
		}
		if found != "" {
			return ""
		}
		found = n.TaskID
	}
	if found != "" {
		r.change(plan.at("root_task_id"), "was not named; %s is the only GOAL that is part of nothing", found)
	}
	return found
}

func (r *reader) titleOf(id string) string {
	for _, n := range r.doc.Nodes {
		if n.TaskID == id {
			return n.Title
		}
	}
	return "plan " + short(r.planID)
}

// uuid gives an id in canonical form; names that are none are mapped, always alike.
func (r *reader) uuid(path, given string, derive func(string) string) string {
	id := strings.ToLower(strings.TrimSpace(given))
	if isUUID(id) {
		return id
	}
	mapped := derive(given)
	if given == "" {
		r.change(path, "was not given; it is %s", mapped)
	} else {
		r.change(path, "was %q, which is no UUID; it is %s", cutText(given, 80), mapped)
	}
	return mapped
}

// taskID gives the id of a task from the name by which the plan calls it.
func (r *reader) taskID(path, given string) string {
	if id, ok := r.ids[given]; ok {
		return id
	}
	id := r.uuid(path, given, func(name string) string { return deriveID("task", r.planID, name) })
	r.ids[given] = id
	return id
}

func cutText(s string, runes int) string {
	n := 0
	for i := range s {
		if n == runes {
			return s[:i] + "…"
		}
		n++
	}
	return s
}
