package graph

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"sluice/internal/fault"
)

// Graph is a directed graph in the making. The zero value is empty and ready; a Graph belongs to one goroutine.
//
// Every answer is a function of the order in which nodes and edges were added, never of map order, so that the same
// definition gives the same plan on every machine.
type Graph struct {
	keys  []string
	at    map[string]int
	after [][]int // the nodes that directly depend on node i
	needs [][]int // the nodes that node i directly depends on
}

// FromNeeds builds a graph from what each key depends on. Keys are added in sorted order, needs in the order given.
func FromNeeds(needs map[string][]string) *Graph {
	g := new(Graph)
	keys := slices.Sorted(maps.Keys(needs))
	for _, key := range keys {
		g.AddNode(key)
	}
	for _, key := range keys {
		for _, need := range needs[key] {
			g.AddEdge(need, key)
		}
	}
	return g
}

// AddNode adds a key without edges; a key that is there already stays where it is.
func (g *Graph) AddNode(key string) { g.node(key) }

// AddEdge records that after depends on before, adding either key where it is missing.
func (g *Graph) AddEdge(before, after string) {
	b, a := g.node(before), g.node(after)
	g.after[b] = append(g.after[b], a)
	g.needs[a] = append(g.needs[a], b)
}

func (g *Graph) node(key string) int {
	if i, ok := g.at[key]; ok {
		return i
	}
	if g.at == nil {
		g.at = make(map[string]int)
	}
	i := len(g.keys)
	g.at[key] = i
	g.keys = append(g.keys, key)
	g.after = append(g.after, nil)
	g.needs = append(g.needs, nil)
	return i
}

// Order lists every key after all that it depends on: layer by layer, and inside a layer in the order of adding.
// A circle is a fault with code cycle whose message shows the way around.
func (g *Graph) Order() ([]string, error) {
	layers, err := g.Layers()
	if err != nil {
		return nil, err
	}
	return slices.Concat(layers...), nil
}

// Layers groups the keys by the longest way to them: the first layer depends on nothing, each other key stands right
// after the last layer that it needs something from. Keys of one layer are independent of each other.
func (g *Graph) Layers() ([][]string, error) {
	depth, open := g.depths()
	if open != nil {
		return nil, g.circle(open)
	}
	var layers [][]string
	for i, key := range g.keys {
		for len(layers) <= depth[i] {
			layers = append(layers, nil)
		}
		layers[depth[i]] = append(layers[depth[i]], key)
	}
	return layers, nil
}

// depths gives each node its layer. Where that is impossible it gives the nodes that stand in a circle or behind one,
// as a count of unmet needs per node.
func (g *Graph) depths() (depth, open []int) {
	depth, open = make([]int, len(g.keys)), make([]int, len(g.keys))
	ready := make([]int, 0, len(g.keys))
	for i := range g.keys {
		open[i] = len(g.needs[i])
		if open[i] == 0 {
			ready = append(ready, i)
		}
	}
	for next := 0; next < len(ready); next++ {
		i := ready[next]
		for _, a := range g.after[i] {
			depth[a] = max(depth[a], depth[i]+1)
			if open[a]--; open[a] == 0 {
				ready = append(ready, a)
			}
		}
	}
	if len(ready) < len(g.keys) {
		return nil, open
	}
	return depth, nil
}

// circle finds one circle among nodes with unmet needs. Each of them needs another of them, so walking from need to
// need must come back to a node it has seen.
func (g *Graph) circle(open []int) error {
	i := slices.IndexFunc(open, func(n int) bool { return n > 0 })
	var walk []int
	seen := make(map[int]int)
	for {
		if start, ok := seen[i]; ok {
			walk = walk[start:]
			break
		}
		seen[i] = len(walk)
		walk = append(walk, i)
		i = g.needs[i][slices.IndexFunc(g.needs[i], func(n int) bool { return open[n] > 0 })]
	}
	slices.Reverse(walk) // from what is needed to what needs it, as the edges point
	first := slices.Index(walk, slices.Min(walk))
	walk = append(walk[first:], walk[:first]...)
	return fault.New(fault.Cycle, g.keys[walk[0]], "keys depend on each other in a circle: %s", g.path(walk))
}

// path renders a circle; a very long one is cut in the middle, where nobody reads it.
func (g *Graph) path(walk []int) string {
	const shown = 16
	names := make([]string, 0, shown+2)
	for n, i := range walk {
		if n == shown && len(walk) > shown+1 {
			names = append(names, fmt.Sprintf("(%d more)", len(walk)-shown-1))
		}
		if n < shown || n == len(walk)-1 {
			names = append(names, g.keys[i])
		}
	}
	return strings.Join(append(names, g.keys[walk[0]]), " → ")
}

// Reach lists every key that depends on one of the given keys, directly or through others, nearest first. A given key
// is listed only if it depends on a given key itself; keys that are not in the graph reach nothing. It costs what it
// reaches, not what exists.
func (g *Graph) Reach(from ...string) []string {
	var found []string
	var frontier []int
	for _, key := range from {
		if i, ok := g.at[key]; ok {
			frontier = append(frontier, i)
		}
	}
	seen := make(map[int]bool)
	for next := 0; next < len(frontier); next++ {
		for _, a := range g.after[frontier[next]] {
			if seen[a] {
				continue
			}
			seen[a] = true
			found = append(found, g.keys[a])
			frontier = append(frontier, a)
		}
	}
	return found
}
