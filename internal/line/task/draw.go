package task

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// Standing says where a task stands, for drawing; nothing where nothing is known.
type Standing func(id string) Status

// Formats in which a plan is drawn.
const (
	FormatTree    = "tree"
	FormatMermaid = "mermaid"
	FormatDOT     = "dot"
	FormatJSON    = "json"
)

// Formats lists them.
func Formats() []string { return []string{FormatTree, FormatMermaid, FormatDOT, FormatJSON} }

// maxIndent keeps a tree that is very deep from growing with the square of its depth.
const maxIndent = 24

// Tree draws what consists of what, each ACTION with its CHECK and what it depends on.
func Tree(d Document, at Standing) string {
	c := NewChart(&d)
	var b strings.Builder
	drawn := map[string]bool{}
	type item struct {
		id    string
		depth int
	}
	draw := func(root string) {
		for stack := []item{{root, 0}}; len(stack) > 0; {
			top := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			again := drawn[top.id]
			drawn[top.id] = true
			c.row(&b, top.id, top.depth, again, at)
			if again {
				continue
			}
			for _, part := range slices.Backward(c.parts[top.id]) {
				stack = append(stack, item{part, top.depth + 1})
			}
		}
	}
	if c.typeOf(d.Plan.RootTaskID) != "" {
		draw(d.Plan.RootTaskID)
	}
	for _, n := range d.Nodes {
		if !drawn[n.TaskID] && c.nodes[n.TaskID] != nil && n.NodeType != Check && len(c.wholes[n.TaskID]) == 0 {
			draw(n.TaskID)
		}
	}
	for _, n := range d.Nodes { // circles have no beginning
		if !drawn[n.TaskID] && c.nodes[n.TaskID] != nil && n.NodeType != Check {
			draw(n.TaskID)
		}
	}
	return b.String()
}

func (c *Chart) row(b *strings.Builder, id string, depth int, again bool, at Standing) {
	n := c.nodes[id]
	b.WriteString(strings.Repeat("  ", min(depth, maxIndent)))
	if depth > maxIndent {
		fmt.Fprintf(b, "… depth %d: ", depth)
	}
	fmt.Fprintf(b, "%s %s  %s", n.NodeType, short(id), oneLine(n.Title))
	if n.EstimatedPersonDays > 0 {
		fmt.Fprintf(b, "  %sd", days(n.EstimatedPersonDays))
	}
	if c.anyOf[id] {
		b.WriteString("  one of:")
	}
	if s := at(id); s != "" {
		fmt.Fprintf(b, "  [%s]", s)
	}
	if again {
		b.WriteString("  (shown above)\n")
		return
	}
	if group := c.rivals[id]; group != "" {
		fmt.Fprintf(b, "  alternative %s", oneLine(cutText(group, 40)))
	}
	for i, need := range c.needs[id] {
		sep := ", "
		if i == 0 {
			sep = "  after "
		}
		b.WriteString(sep + short(need))
	}
	for _, check := range c.checks[id] {
		fmt.Fprintf(b, "  CHECK %s", short(check))
		if s := at(check); s != "" {
			fmt.Fprintf(b, " [%s]", s)
		}
	}
	b.WriteByte('\n')
}

// oneLine makes a title harmless inside a drawing.
func oneLine(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool {
		return unicode.IsControl(r) || unicode.IsSpace(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\ufeff'
	}), " ")
}

// Mermaid draws a flowchart.
func Mermaid(d Document, at Standing) string {
	var b strings.Builder
	b.WriteString("flowchart TD\n")
	name := numbering(d)
	shapes := map[NodeType][2]string{Goal: {"([", "])"}, Action: {"[", "]"}, Check: {"{{", "}}"}}
	for _, n := range d.Nodes {
		shape, ok := shapes[n.NodeType]
		if !ok {
			shape = shapes[Action]
		}
		fmt.Fprintf(&b, "  %s%s\"%s\"%s\n", name[n.TaskID], shape[0], mermaidText(label(n, at, "<br/>")), shape[1])
	}
	arrows := map[EdgeType]string{Decompose: "-->", DependsOn: "-.->", Alternative: "---"}
	for _, e := range d.Edges {
		if name[e.FromTaskID] == "" || name[e.ToTaskID] == "" {
			continue
		}
		fmt.Fprintf(&b, "  %s %s|%s| %s\n", name[e.FromTaskID], arrows[e.EdgeType], edgeLabel(e), name[e.ToTaskID])
	}
	for _, n := range d.Nodes {
		if target := name[n.ReviewTargetTaskID]; n.NodeType == Check && target != "" {
			fmt.Fprintf(&b, "  %s == reviews ==> %s\n", name[n.TaskID], target)
		}
	}
	return b.String()
}

// numbering names nodes so that no drawing program reads a meaning into it.
func numbering(d Document) map[string]string {
	names := make(map[string]string, len(d.Nodes))
	for i, n := range d.Nodes {
		if names[n.TaskID] == "" {
			names[n.TaskID] = fmt.Sprintf("n%d", i+1)
		}
	}
	return names
}

func label(n Node, at Standing, newline string) string {
	text := string(n.NodeType) + " " + short(n.TaskID) + newline + oneLine(n.Title)
	if n.EstimatedPersonDays > 0 {
		text += " (" + days(n.EstimatedPersonDays) + "d)"
	}
	if s := at(n.TaskID); s != "" {
		text += newline + string(s)
	}
	return text
}

func edgeLabel(e Edge) string {
	if e.EdgeType == Decompose && e.Metadata.AndOr == "OR" {
		return "DECOMPOSE OR"
	}
	return string(e.EdgeType)
}

var (
	mermaidEscapes = strings.NewReplacer(`"`, "#quot;", "<", "#lt;", ">", "#gt;", "#", "#35;", "`", "'")
	dotEscapes     = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)
)

func mermaidText(s string) string {
	const keep = "<br/>"
	parts := strings.Split(s, keep)
	for i, p := range parts {
		parts[i] = mermaidEscapes.Replace(p)
	}
	return strings.Join(parts, keep)
}

// DOT draws for Graphviz.
func DOT(d Document, at Standing) string {
	var b strings.Builder
	b.WriteString("digraph plan {\n  rankdir=TB;\n")
	name := numbering(d)
	shapes := map[NodeType]string{Goal: "ellipse", Action: "box", Check: "hexagon"}
	for _, n := range d.Nodes {
		fmt.Fprintf(&b, "  %s [shape=%s, label=\"%s\"];\n", name[n.TaskID], orText(shapes[n.NodeType], "box"), dotText(label(n, at, "\n")))
	}
	styles := map[EdgeType]string{Decompose: "solid", DependsOn: "dashed", Alternative: "dotted"}
	for _, e := range d.Edges {
		if name[e.FromTaskID] != "" && name[e.ToTaskID] != "" {
			fmt.Fprintf(&b, "  %s -> %s [style=%s, label=\"%s\"];\n", name[e.FromTaskID], name[e.ToTaskID], orText(styles[e.EdgeType], "solid"), dotText(edgeLabel(e)))
		}
	}
	for _, n := range d.Nodes {
		if target := name[n.ReviewTargetTaskID]; n.NodeType == Check && target != "" {
			fmt.Fprintf(&b, "  %s -> %s [style=bold, label=\"reviews\"];\n", name[n.TaskID], target)
		}
	}
	b.WriteString("}\n")
	return b.String()
}

func dotText(s string) string { return dotEscapes.Replace(s) }

// GraphDoc is a plan drawn as data.
type GraphDoc struct {
	PlanID     string      `json:"plan_id"`
	RootTaskID string      `json:"root_task_id"`
	Leaves     []string    `json:"leaves"`
	Nodes      []GraphNode `json:"nodes"`
	Edges      []Edge      `json:"edges"`
}

// GraphNode is one node of a drawing.
type GraphNode struct {
	TaskID              string   `json:"task_id"`
	NodeType            NodeType `json:"node_type"`
	Title               string   `json:"title"`
	Status              Status   `json:"status,omitempty"`
	Depth               *int     `json:"depth"` // null for what the root does not reach
	EstimatedPersonDays float64  `json:"estimated_person_days,omitempty"`
	ReviewTargetTaskID  string   `json:"review_target_task_id,omitempty"`
}

// Graph draws a plan as data.
func Graph(d Document, at Standing) GraphDoc {
	c := NewChart(&d)
	doc := GraphDoc{PlanID: d.Plan.PlanID, RootTaskID: d.Plan.RootTaskID, Leaves: c.Leaves(), Nodes: []GraphNode{}, Edges: d.Edges}
	if doc.Leaves == nil {
		doc.Leaves = []string{}
	}
	if doc.Edges == nil {
		doc.Edges = []Edge{}
	}
	for _, n := range d.Nodes {
		g := GraphNode{TaskID: n.TaskID, NodeType: n.NodeType, Title: n.Title, Status: at(n.TaskID), EstimatedPersonDays: n.EstimatedPersonDays, ReviewTargetTaskID: n.ReviewTargetTaskID}
		if depth, ok := c.Depth(n.TaskID); ok {
			g.Depth = &depth
		}
		doc.Nodes = append(doc.Nodes, g)
	}
	return doc
}

// Draw renders a plan in one of the formats.
func Draw(d Document, at Standing, format string) (string, error) {
	switch format {
	case FormatMermaid:
		return Mermaid(d, at), nil
	case FormatDOT:
		return DOT(d, at), nil
	case FormatJSON:
		raw, err := json.MarshalIndent(Graph(d, at), "", "  ")
		return string(raw) + "\n", err
	}
	return Tree(d, at), nil
}
