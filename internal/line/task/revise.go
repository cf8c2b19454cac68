package task

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"sluice/internal/fault"
	"sluice/internal/kernel"
)

// Obstacle is a task that a rewrite would change although it follows from the plan already: what is recorded of a task
// never changes.
type Obstacle struct {
	TaskID string `json:"task_id"`
	Title  string `json:"title"`
	Status Status `json:"status"`
	Why    string `json:"why"`
}

// Rewrite proposes a better plan, as Rewrite does of a document. Of a plan whose tasks follow from it already, those that
// were given up are left alone, and tasks that would become other ones stand in the way.
func (v View) Rewrite(s Settings) (Document, []Change, []Obstacle, error) {
	if !v.IsUnfolded() {
		better, changes := Rewrite(v.Doc, s)
		return better, changes, nil, nil
	}
	doc := v.Doc
	doc.Nodes = slices.Clone(v.Doc.Nodes)
	given := map[string]Status{}
	for i := range doc.Nodes {
		n := &doc.Nodes[i]
		if v.Standing(n.TaskID) == Abandoned && n.Status != Abandoned {
			given[n.TaskID], n.Status = n.Status, Abandoned
		}
	}
	better, changes := Rewrite(doc, s)
	inTheWay, err := v.obstacles(doc, better, s)
	for i := range better.Nodes { // that it was given up is for the run to say: it may be taken up again
		if before, ok := given[better.Nodes[i].TaskID]; ok {
			better.Nodes[i].Status = before
		}
	}
	return better, changes, inTheWay, err
}

// obstacles compares what follows from two documents, for the tasks that follow already.
func (v View) obstacles(now, better Document, s Settings) ([]Obstacle, error) {
	before, err := newUnfolding(&now, s).nodes(now)
	if err != nil {
		return nil, err
	}
	after, err := newUnfolding(&better, s).nodes(better)
	if err != nil {
		return nil, err
	}
	next := make(map[kernel.NodeID]kernel.Node, len(after.Nodes))
	for _, n := range after.Nodes {
		next[n.ID] = n
	}
	var out []Obstacle
	for _, n := range before.Nodes {
		if _, ok := v.Run.Node(n.ID); !ok {
			continue
		}
		if why := differs(n, next); why != "" {
			out = append(out, Obstacle{TaskID: string(n.ID), Title: n.Title, Status: v.Standing(string(n.ID)), Why: why})
		}
	}
	return out, nil
}

// differs says how a node would be another one, or nothing. What a GOAL says of itself is not performed by anyone.
func differs(n kernel.Node, next map[kernel.NodeID]kernel.Node) string {
	m, ok := next[n.ID]
	switch {
	case !ok:
		return "it would be gone"
	case n.Kind != m.Kind && m.Kind == kernel.Group:
		return "it would be split"
	case n.Kind != m.Kind || n.Step != m.Step || n.Target != m.Target:
		return "it would become a task of another type"
	case !slices.Equal(n.Needs, m.Needs):
		return "it would depend on other tasks"
	case n.Parent != m.Parent || n.Any != m.Any || n.Alternative != m.Alternative:
		return "it would have another place in the plan"
	case n.Kind != kernel.Group && !bytes.Equal(n.Params, m.Params):
		return "what it must hand over would change"
	}
	return ""
}

// RefuseRewrite is the refusal of a rewrite that something stands in the way of, with every task and what can be done.
func RefuseRewrite(plan string, inTheWay []Obstacle) error {
	if len(inTheWay) == 0 {
		return nil
	}
	var names []string
	for _, o := range inTheWay[:min(5, len(inTheWay))] {
		names = append(names, oneLine(cutText(o.Title, 60))+" ("+short(o.TaskID)+", "+string(o.Status)+"): "+o.Why)
	}
	if more := len(inTheWay) - len(names); more > 0 {
		names = append(names, days(float64(more))+" more")
	}
	first := inTheWay[0].TaskID
	e := fault.New(fault.IllegalStep, plan, "%d tasks of plan %s follow from it already and stay what they are: %s", len(inTheWay), plan, strings.Join(names, "; ")).
		With(fault.Action{Action: "run", Command: "sluice task run " + plan, Why: "it performs them as they are"},
			fault.Action{Action: "submit", Command: "sluice task submit " + plan + " " + first + " -f FILE", Why: "you hand over what such a task should make"},
			fault.Action{Action: "abandon", Command: "sluice task abandon " + plan + " " + first + " --reason TEXT", Why: "a rewrite leaves alone what was given up"})
	fields, err := json.Marshal(struct {
		InTheWay []Obstacle `json:"in_the_way"`
	}{inTheWay})
	if err == nil {
		e.Fields = fields
	}
	return e
}
