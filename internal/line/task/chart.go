package task

import "slices"

// Chart is a document with the ways through it. Nodes that are abandoned stand outside every rule and are not on it.
type Chart struct {
	doc    *Document
	nodes  map[string]*Node // the first of each id
	parts  map[string][]string
	wholes map[string][]string
	checks map[string][]string // of an ACTION
	needs  map[string][]string // prerequisites, of nodes that are no CHECK
	rivals map[string]string   // the group of alternatives a node belongs to
	depth  map[string]int      // along DECOMPOSE; only what the root reaches has one
	anyOf  map[string]bool     // goals of which one part is enough
}

// NewChart reads a document's edges. Edges that lead nowhere are left to the doctor.
func NewChart(d *Document) *Chart {
	c := &Chart{doc: d, nodes: make(map[string]*Node, len(d.Nodes)), parts: map[string][]string{}, wholes: map[string][]string{}, checks: map[string][]string{},
		needs: map[string][]string{}, rivals: map[string]string{}, depth: map[string]int{}, anyOf: map[string]bool{}}
	for i := range d.Nodes {
		n := &d.Nodes[i]
		if _, twice := c.nodes[n.TaskID]; !twice && n.Status != Abandoned {
			c.nodes[n.TaskID] = n
		}
	}
	for i := range d.Nodes {
		if n := &d.Nodes[i]; n.NodeType == Check && c.nodes[n.TaskID] == n && c.typeOf(n.ReviewTargetTaskID) == Action {
			c.checks[n.ReviewTargetTaskID] = append(c.checks[n.ReviewTargetTaskID], n.TaskID)
		}
	}
	c.join()
	c.measure()
	return c
}

func (c *Chart) join() {
	seen := map[[3]string]bool{}
	either, all := map[string][]Edge{}, map[string]bool{} // DECOMPOSE edges that say OR, by their whole; wholes with others
	var order []string
	var opposed []Edge
	for _, e := range c.doc.Edges {
		key := [3]string{e.FromTaskID, e.ToTaskID, string(e.EdgeType)}
		from, to := c.typeOf(e.FromTaskID), c.typeOf(e.ToTaskID)
		if seen[key] || from == "" || to == "" || from == Check || to == Check || e.FromTaskID == e.ToTaskID {
			continue // an edge of a CHECK is for drawing only
		}
		seen[key] = true
		switch e.EdgeType {
		case Decompose:
			c.parts[e.FromTaskID] = append(c.parts[e.FromTaskID], e.ToTaskID)
			c.wholes[e.ToTaskID] = append(c.wholes[e.ToTaskID], e.FromTaskID)
			if e.Metadata.AndOr != "OR" {
				all[e.FromTaskID] = true
				continue
			}
			if either[e.FromTaskID] == nil {
				order = append(order, e.FromTaskID)
			}
			either[e.FromTaskID] = append(either[e.FromTaskID], e)
		case DependsOn:
			c.needs[e.ToTaskID] = append(c.needs[e.ToTaskID], e.FromTaskID)
		case Alternative:
			opposed = append(opposed, e)
		}
	}
	for _, whole := range order {
		if !all[whole] {
			c.anyOf[whole] = true
			continue
		}
		opposed = append(opposed, alternatives(either[whole])...)
	}
	c.oppose(opposed)
}

// alternatives ties the parts of a whole of which one is enough, where the whole needs others beside them: those of one
// group id together.
func alternatives(edges []Edge) []Edge {
	first := map[string]string{}
	var out []Edge
	for _, e := range edges {
		if with := first[e.Metadata.GroupID]; with != "" {
			out = append(out, Edge{FromTaskID: with, ToTaskID: e.ToTaskID, EdgeType: Alternative})
			continue
		}
		first[e.Metadata.GroupID] = e.ToTaskID
	}
	return out
}

// oppose joins nodes into groups of alternatives: whatever an edge or a group id ties together, however far around.
func (c *Chart) oppose(edges []Edge) {
	up := map[string]string{}
	top := func(id string) string {
		for up[id] != "" {
			if above := up[up[id]]; above != "" {
				up[id] = above // halves the way for those who come after
			}
			id = up[id]
		}
		return id
	}
	tie := func(a, b string) {
		if a, b = top(a), top(b); a != b {
			up[b] = a
		}
	}
	for _, e := range edges {
		tie(e.FromTaskID, e.ToTaskID)
		if e.Metadata.GroupID != "" {
			tie(e.FromTaskID, "group "+e.Metadata.GroupID)
		}
	}
	names := map[string]string{}
	for _, e := range edges {
		group := top(e.FromTaskID)
		if names[group] == "" {
			names[group] = orText(e.Metadata.GroupID, e.FromTaskID)
		}
		c.rivals[e.FromTaskID], c.rivals[e.ToTaskID] = names[group], names[group]
	}
}

// measure counts depths from the root, the shortest way.
func (c *Chart) measure() {
	root := c.doc.Plan.RootTaskID
	if c.typeOf(root) == "" {
		return
	}
	c.depth[root] = 0
	for queue := []string{root}; len(queue) > 0; queue = queue[1:] {
		for _, part := range c.parts[queue[0]] {
			if _, seen := c.depth[part]; !seen {
				c.depth[part] = c.depth[queue[0]] + 1
				queue = append(queue, part)
			}
		}
	}
}

// typeOf gives the type of a node on the chart, or nothing.
func (c *Chart) typeOf(id string) NodeType {
	if n := c.nodes[id]; n != nil {
		return n.NodeType
	}
	return ""
}

// main gives the whole that a node stands or falls with. A node may be part of several: a GOAL that needs all its parts
// comes first, then one that needs any of them.
func (c *Chart) main(id string) string {
	best, rank := "", 0
	for _, whole := range c.wholes[id] {
		r := 1
		if c.typeOf(whole) == Goal {
			r = 3
			if c.anyOf[whole] {
				r = 2
			}
		}
		if r > rank {
			best, rank = whole, r
		}
	}
	return best
}

// Node finds a node that is not abandoned.
func (c *Chart) Node(id string) (Node, bool) {
	n, ok := c.nodes[id]
	if !ok {
		return Node{}, false
	}
	return *n, true
}

// Depth of a node along DECOMPOSE, the root being 0; false for what the root does not reach.
func (c *Chart) Depth(id string) (int, bool) {
	n, ok := c.depth[id]
	return n, ok
}

// Leaves gives the ACTIONs that nothing is part of, in the order of the document.
func (c *Chart) Leaves() []string {
	var out []string
	for i := range c.doc.Nodes {
		if n := &c.doc.Nodes[i]; n.NodeType == Action && c.nodes[n.TaskID] == n && len(c.parts[n.TaskID]) == 0 {
			out = append(out, n.TaskID)
		}
	}
	return out
}

// LeavesUnder gives the leaves that a node consists of, itself if it is one.
func (c *Chart) LeavesUnder(id string) []string {
	var out []string
	seen := map[string]bool{id: true}
	for stack := []string{id}; len(stack) > 0; {
		at := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if len(c.parts[at]) == 0 && c.typeOf(at) == Action {
			out = append(out, at)
		}
		for _, part := range slices.Backward(c.parts[at]) {
			if !seen[part] {
				seen[part] = true
				stack = append(stack, part)
			}
		}
	}
	return out
}

// Covered gives the ACTIONs by which a criterion of the root is met, and whether every node it names is there.
func (c *Chart) Covered(k Criterion) (actions []string, whole bool) {
	whole = len(k.CoveredBy) > 0
	for _, id := range k.CoveredBy {
		if c.typeOf(id) == Check {
			id = c.nodes[id].ReviewTargetTaskID
		}
		under := c.LeavesUnder(id)
		if c.typeOf(id) == Action && len(c.parts[id]) > 0 {
			under = append(under, id)
		}
		whole = whole && len(under) > 0
		actions = append(actions, under...)
	}
	slices.Sort(actions)
	return slices.Compact(actions), whole
}
