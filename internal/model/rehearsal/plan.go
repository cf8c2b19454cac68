package rehearsal

import (
	"fmt"
	"maps"
	"slices"
)

// plan writes an object that has nodes and edges as a graph that holds together: a goal, the actions it is made of,
// and a check for each. Chance alone would never point an edge at a node that exists.
func (m *maker) plan(s schema, f field) (any, bool) {
	properties := s.properties()
	nodes, edges := s.sub(properties["nodes"]), s.sub(properties["edges"])
	if nodes.kind() != "array" || edges.kind() != "array" {
		return nil, false
	}
	node, edge := nodes.sub(nodes.doc["items"]), edges.sub(edges.doc["items"])
	if node.kind() != "object" || edge.kind() != "object" {
		return nil, false
	}
	actions := max(1, m.howMany(f.child("actions"), 3, 1, 50))
	g := graph{m: m, node: node, edge: edge, at: f}
	root := g.id("root", 0)
	var list, links []any
	list = append(list, g.goal(root, actions))
	for i := 1; i <= actions; i++ {
		action, check := g.id("action", i), g.id("check", i)
		list = append(list, g.make("ACTION", action, i, actions, nil),
			g.make("CHECK", check, i, actions, map[string]any{"review_target_task_id": action}))
		links = append(links, g.link(len(links), root, action, "DECOMPOSE"))
		if i > 1 {
			links = append(links, g.link(len(links), g.id("action", i-1), action, "DEPENDS_ON"))
		}
	}
	out := map[string]any{"nodes": list, "edges": links}
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		switch name {
		case "nodes", "edges":
		case "root_task_id":
			out[name] = root
		case "requirements":
			out[name] = []any{}
		default:
			out[name] = m.value(s.sub(properties[name]), f.child(name))
			if inner, ok := out[name].(map[string]any); ok && has(inner, "root_task_id") {
				inner["root_task_id"] = root
			}
		}
	}
	return out, true
}

type graph struct {
	m          *maker
	node, edge schema
	at         field
}

func (g graph) id(kind string, i int) string {
	id := g.node.sub(g.node.properties()["task_id"])
	if id.doc["format"] == "uuid" || id.doc["pattern"] != nil {
		return g.m.uuid(fmt.Sprintf("%s/%s/%d", g.at.path, kind, i))
	}
	return fmt.Sprintf("%s-%d", kind, i)
}

func (g graph) goal(id string, actions int) any {
	node := g.make("GOAL", id, 0, actions, nil)
	if list, ok := node["root_acceptance_criteria"].([]any); ok {
		for i, item := range list {
			if c, ok := item.(map[string]any); ok && has(c, "covered_by") {
				c["covered_by"] = []any{g.id("action", i%actions+1)}
			}
		}
	}
	if final, ok := node["final_deliverable_spec"].(map[string]any); ok && has(final, "mode") {
		final["mode"] = "PASS_THROUGH"
		delete(final, "assemble_task_id")
		delete(final, "include_children")
	}
	return node
}

// make writes one node and leaves out what belongs to the other kinds.
func (g graph) make(kind, id string, i, total int, set map[string]any) map[string]any {
	f := g.at.child(fmt.Sprintf("nodes/%s/%d", kind, i))
	f.list, f.index, f.total, f.fresh, f.name = "nodes", max(0, i-1), total, true, ""
	if kind == "GOAL" {
		f.list, f.fresh = "", false
	}
	node, _ := g.m.object(g.node, f).(map[string]any)
	if node == nil {
		node = map[string]any{}
	}
	for _, key := range []string{"task_id", "id"} {
		if has(g.node.properties(), key) {
			node[key] = id
		}
	}
	for _, key := range []string{"node_type", "type"} {
		if has(g.node.properties(), key) {
			node[key] = kind
			break
		}
	}
	required := g.node.required()
	for owner, keys := range map[string][]string{
		"ACTION": {"estimated_person_days", "deliverable_spec", "acceptance_criteria"},
		"CHECK":  {"review_target_task_id", "review_output_spec"},
		"GOAL":   {"root_acceptance_criteria", "final_deliverable_spec"},
	} {
		for _, key := range keys {
			if owner != kind && !slices.Contains(required, key) {
				delete(node, key)
			}
		}
	}
	for key, v := range set {
		if has(g.node.properties(), key) {
			node[key] = v
		}
	}
	return node
}

func (g graph) link(i int, from, to, kind string) any {
	f := g.at.child(fmt.Sprintf("edges/%d", i))
	f.list, f.index, f.fresh, f.name = "edges", i, true, ""
	edge, _ := g.m.object(g.edge, f).(map[string]any)
	if edge == nil {
		edge = map[string]any{}
	}
	for keys, v := range map[[2]string]string{{"from_task_id", "from"}: from, {"to_task_id", "to"}: to, {"edge_type", "type"}: kind} {
		for _, key := range keys {
			if has(g.edge.properties(), key) {
				edge[key] = v
			}
		}
	}
	return edge
}
