package task

import (
	"fmt"

	"sluice/internal/graph"
)

// Finding is one thing that a plan has against it.
type Finding struct {
	Code     string `json:"code"`
	Severity string `json:"severity"` // error, or warning: then it stops nothing
	Message  string `json:"message"`
	Hint     string `json:"hint"`
	Node     string `json:"node,omitempty"`
	Path     string `json:"path,omitempty"` // inside the node
}

// Severities of findings.
const (
	SeverityError   = "error"
	SeverityWarning = "warning"
)

// Codes of findings on a document.
const (
	NoRoot               = "no_root"
	RootNotGoal          = "root_not_goal"
	NoAction             = "no_action"
	DuplicateTask        = "duplicate_task_id"
	UnknownEnd           = "unknown_edge_end"
	MissingDecomposition = "missing_decomposition"
	Unreachable          = "unreachable"
	CycleFound           = "cycle"
	ActionWithoutCheck   = "action_without_check"
	ActionSeveralChecks  = "action_with_several_checks"
	CheckWithoutTarget   = "check_without_target"
	CheckWrongTarget     = "check_with_wrong_target"
	CheckSharedTarget    = "check_with_shared_target"
	MissingField         = "missing_field"
	BadField             = "bad_field"
	BadPath              = "bad_path"
	RootCriteriaMissing  = "root_criteria_missing"
	CriterionNotCovered  = "root_criterion_not_covered"
	AssembleMissing      = "assemble_task_missing"
	AssembleNotAction    = "assemble_task_not_action"
	AssembleUnbound      = "assemble_input_without_dependency"
	LeafOverThreshold    = "leaf_over_threshold"
	MoreFindings         = "more_findings"
)

// HasErrors tells whether anything was found that keeps a plan from running.
func HasErrors(found []Finding) bool {
	for _, f := range found {
		if f.Severity == SeverityError {
			return true
		}
	}
	return false
}

// Doctor holds a document against every hard rule. It asks nobody: the same document and settings give the same findings,
// in the order of the rules and then of the document.
func Doctor(d Document, s Settings) []Finding {
	x := &examination{doc: &d, chart: NewChart(&d), settings: s}
	x.root()
	x.names()
	x.decomposition()
	x.cycles()
	x.pairs()
	x.fields()
	x.rootCriteria()
	x.assembly()
	x.effort()
	return x.all()
}

type examination struct {
	doc      *Document
	chart    *Chart
	settings Settings
	found    listed[Finding]
}

// all gives the findings, and says so if there are more than are listed.
func (x *examination) all() []Finding {
	return x.found.all(func(n int) Finding {
		return Finding{Code: MoreFindings, Severity: SeverityError, Message: fmt.Sprintf("%d more findings are not listed", n), Hint: "mend these first, and ask again"}
	})
}

func (x *examination) find(code, node, path, hint, format string, args ...any) {
	x.found.add(Finding{Code: code, Severity: SeverityError, Message: fmt.Sprintf(format, args...), Hint: hint, Node: node, Path: path})
}

// each gives every node on the chart in the order of the document.
func (x *examination) each(yield func(n *Node) bool) {
	for i := range x.doc.Nodes {
		if n := &x.doc.Nodes[i]; x.chart.nodes[n.TaskID] == n && !yield(n) {
			return
		}
	}
}

func (x *examination) root() {
	id := x.doc.Plan.RootTaskID
	switch t := x.chart.typeOf(id); {
	case id == "":
		x.find(NoRoot, "", "plan.root_task_id", "name the GOAL that everything is part of in plan.root_task_id", "the plan names no root")
	case t == "":
		x.find(NoRoot, id, "plan.root_task_id", "name the GOAL that everything is part of in plan.root_task_id", "the root %s is no node of the plan", id)
	case t != Goal:
		x.find(RootNotGoal, id, "node_type", "make the root a GOAL and put the work under it", "the root has type %s, not GOAL", t)
	}
	for n := range x.each {
		if n.NodeType == Action {
			return
		}
	}
	x.find(NoAction, "", "nodes", "add at least one ACTION with its CHECK", "the plan has no ACTION, so nothing would be made")
}

func (x *examination) names() {
	seen := make(map[string]bool, len(x.doc.Nodes))
	for i := range x.doc.Nodes {
		id := x.doc.Nodes[i].TaskID
		if seen[id] {
			x.find(DuplicateTask, id, fmt.Sprintf("nodes[%d].task_id", i), "give each task an id of its own", "two nodes have the task_id %s", id)
		}
		seen[id] = true
	}
	for i, e := range x.doc.Edges {
		for _, end := range []string{e.FromTaskID, e.ToTaskID} {
			if !seen[end] {
				x.find(UnknownEnd, "", fmt.Sprintf("edges[%d]", i), "remove the edge or add the node", "edge %s leads to %s, which is no node of the plan", e.EdgeID, end)
			}
		}
		if e.FromTaskID == e.ToTaskID {
			x.find(CycleFound, e.FromTaskID, fmt.Sprintf("edges[%d]", i), "remove the edge", "edge %s leads from a node to itself", e.EdgeID)
		}
	}
}

func (x *examination) decomposition() {
	c := x.chart
	for n := range x.each {
		switch {
		case n.NodeType == Check:
			continue
		case n.NodeType == Goal && len(c.parts[n.TaskID]) == 0:
			x.find(MissingDecomposition, n.TaskID, "", "add DECOMPOSE edges to what it consists of, or abandon it", "GOAL %q consists of nothing", n.Title)
		}
		if _, reached := c.Depth(n.TaskID); !reached && c.typeOf(x.doc.Plan.RootTaskID) != "" {
			x.find(Unreachable, n.TaskID, "", "add a DECOMPOSE edge to it from the root or from what it is part of", "%s %q cannot be reached from the root", n.NodeType, n.Title)
		}
	}
}

// cycles looks at all edges together, then at what would wait for itself although no edge leads back: a part that needs
// its whole, or two goals whose parts need the other goal.
func (x *examination) cycles() {
	all := &graph.Graph{}
	for _, e := range x.doc.Edges {
		if x.chart.nodes[e.FromTaskID] == nil || x.chart.nodes[e.ToTaskID] == nil || e.FromTaskID == e.ToTaskID {
			continue
		}
		all.AddEdge(e.FromTaskID, e.ToTaskID)
	}
	if _, err := all.Order(); err != nil {
		x.find(CycleFound, "", "edges", "remove one of these edges", "%s", cutText(err.Error(), 600))
		return
	}
	if _, err := x.chart.waits(nil).Order(); err != nil {
		x.find(CycleFound, "", "edges", "remove one of these dependencies", "tasks wait for each other: %s", cutText(err.Error(), 600))
	}
}

// waits says what ends before what begins: parts within their whole, prerequisites before what needs them, and before what
// needs one of several alternatives all of those.
func (c *Chart) waits(rivals map[string][]string) *graph.Graph {
	g := &graph.Graph{}
	for i := range c.doc.Nodes {
		n := &c.doc.Nodes[i]
		if c.nodes[n.TaskID] != n || n.NodeType == Check {
			continue
		}
		id := n.TaskID
		g.AddEdge("begin "+id, "end "+id)
		for _, part := range c.parts[id] {
			switch {
			case n.NodeType != Goal:
				g.AddEdge("end "+part, "begin "+id)
			case c.main(part) == id:
				g.AddEdge("begin "+id, "begin "+part)
				fallthrough
			default: // a part of another whole too, with which it begins
				g.AddEdge("end "+part, "end "+id)
			}
		}
		for _, need := range c.needs[id] {
			g.AddEdge("end "+need, "begin "+id)
			for at := need; at != "" && len(rivals) > 0; at = c.main(at) {
				if group := c.rivals[at]; len(rivals[group]) > 1 && c.rivals[id] != group {
					g.AddEdge("one of "+group, "begin "+id)
				}
			}
		}
	}
	for group, all := range rivals {
		for _, id := range all {
			g.AddEdge("end "+id, "one of "+group)
		}
	}
	return g
}
