package graph

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"sluice/internal/fault"
)

// of builds a graph from words like "a>b" (b depends on a) and "c" (a lone node), in order.
func of(words string) *Graph {
	g := new(Graph)
	for w := range strings.FieldsSeq(words) {
		if before, after, ok := strings.Cut(w, ">"); ok {
			g.AddEdge(before, after)
		} else {
			g.AddNode(w)
		}
	}
	return g
}

func TestLayersAndOrder(t *testing.T) {
	tests := []struct{ name, graph, want string }{
		{"nothing", "", ""},
		{"one", "a", "a"},
		{"ties in order of adding", "c a b", "c a b"},
		{"chain added backwards", "b>c a>b", "a | b | c"},
		{"diamond", "a>b a>c b>d c>d", "a | b c | d"},
		{"longest way counts", "a>d a>b b>c c>d", "a | b | c | d"},
		{"edge twice", "a>b a>b b", "a | b"},
		{"two islands", "x>y a>b", "x a | y b"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			layers, err := of(tt.graph).Layers()
			if err != nil {
				t.Fatal(err)
			}
			var rows []string
			for _, layer := range layers {
				rows = append(rows, strings.Join(layer, " "))
			}
			if got := strings.Join(rows, " | "); got != tt.want {
				t.Errorf("layers: got %q, want %q", got, tt.want)
			}
			order, err := of(tt.graph).Order()
			if err != nil {
				t.Fatal(err)
			}
			if got, want := strings.Join(order, " "), strings.ReplaceAll(tt.want, " |", ""); got != want {
				t.Errorf("order: got %q, want %q", got, want)
			}
		})
	}
}

func TestCycleShowsTheWayAround(t *testing.T) {
	tests := []struct{ name, graph, want string }{
		{"itself", "a>a", "keys depend on each other in a circle: a → a"},
		{"two", "b>a a>b", "keys depend on each other in a circle: b → a → b"},
		{"what leads in and out is no part of it", "in>a a>b b>c c>a c>out", "keys depend on each other in a circle: a → b → c → a"},
		{"behind two circles the first one met", "p>q q>p x>y y>x y>z q>z", "keys depend on each other in a circle: p → q → p"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := of(tt.graph).Order()
			if !errors.Is(err, fault.Cycle) {
				t.Fatalf("got %v, want a cycle", err)
			}
			if got := err.Error(); got != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

func TestLongCycleIsCut(t *testing.T) {
	g := new(Graph)
	for i := range 1000 {
		g.AddEdge(fmt.Sprint(i), fmt.Sprint((i+1)%1000))
	}
	_, err := g.Order()
	if !errors.Is(err, fault.Cycle) {
		t.Fatalf("got %v, want a cycle", err)
	}
	if got, want := err.Error(), "14 → 15 → (983 more) → 999 → 0"; !strings.HasSuffix(got, want) {
		t.Errorf("got %q, want it to end in %q", got, want)
	}
}

func TestReach(t *testing.T) {
	tests := []struct{ name, graph, from, want string }{
		{"nothing after it", "a>b", "b", ""},
		{"unknown key", "a>b", "z", ""},
		{"nearest first", "a>b b>c a>d", "a", "b d c"},
		{"each once", "a>b a>c b>d c>d", "a", "b c d"},
		{"several starts", "a>b c>d b>e", "a c", "b d e"},
		{"a start behind another", "a>b b>c", "a b", "b c"},
		{"in a circle", "a>b b>a", "a", "b a"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := strings.Join(of(tt.graph).Reach(strings.Fields(tt.from)...), " ")
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestFromNeedsDoesNotDependOnMapOrder(t *testing.T) {
	needs := map[string][]string{"c": {"a", "outside"}, "b": {"a"}, "a": nil, "d": {"c", "b"}}
	want := []string{"a", "outside", "b", "c", "d"}
	for range 20 {
		got, err := FromNeeds(needs).Order()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("order (-want +got):\n%s", diff)
		}
	}
}

type edge struct{ before, after string }

// drawEdges draws edges over a few keys; acyclic ones always point from a smaller key to a larger.
func drawEdges(t *rapid.T, acyclic bool) []edge {
	n := rapid.IntRange(1, 12).Draw(t, "keys")
	var edges []edge
	for range rapid.IntRange(0, 30).Draw(t, "edges") {
		b, a := rapid.IntRange(0, n).Draw(t, "before"), rapid.IntRange(0, n).Draw(t, "after")
		if acyclic && b == a {
			continue
		}
		if acyclic && b > a {
			b, a = a, b
		}
		edges = append(edges, edge{fmt.Sprintf("k%02d", b), fmt.Sprintf("k%02d", a)})
	}
	return edges
}

func build(edges []edge) *Graph {
	g := new(Graph)
	for _, e := range edges {
		g.AddEdge(e.before, e.after)
	}
	return g
}

func TestOrderRespectsEveryEdge(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		edges := drawEdges(t, true)
		order, err := build(edges).Order()
		if err != nil {
			t.Fatalf("acyclic graph refused: %v", err)
		}
		place := make(map[string]int)
		for i, key := range order {
			if _, twice := place[key]; twice {
				t.Fatalf("%s is listed twice in %v", key, order)
			}
			place[key] = i
		}
		for _, e := range edges {
			if place[e.before] >= place[e.after] {
				t.Fatalf("%s is not before %s in %v", e.before, e.after, order)
			}
		}
	})
}

func TestOrderOrCycleButNeverBoth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		edges := drawEdges(t, false)
		g := build(edges)
		onCircle := slices.ContainsFunc(g.keys, func(key string) bool { return slices.Contains(g.Reach(key), key) })
		_, err := g.Order()
		if errors.Is(err, fault.Cycle) != onCircle {
			t.Fatalf("a key reaches itself: %v, Order: %v", onCircle, err)
		}
		if err == nil {
			return
		}
		_, path, _ := strings.Cut(err.Error(), ": ")
		steps := strings.Split(path, " → ")
		for i := range len(steps) - 1 {
			if !slices.Contains(edges, edge{steps[i], steps[i+1]}) {
				t.Fatalf("%s: there is no edge %s → %s", err, steps[i], steps[i+1])
			}
		}
	})
}

// TestReachIsTheClosure compares with the plain definition: repeat until nothing is added.
func TestReachIsTheClosure(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		edges := drawEdges(t, false)
		g := build(edges)
		if len(g.keys) == 0 {
			return
		}
		start := rapid.SampledFrom(g.keys).Draw(t, "start")
		want := make(map[string]bool)
		for grew := true; grew; {
			grew = false
			for _, e := range edges {
				if (e.before == start || want[e.before]) && !want[e.after] {
					want[e.after], grew = true, true
				}
			}
		}
		got := g.Reach(start)
		if len(got) != len(want) {
			t.Fatalf("Reach(%s): got %v, want %v", start, got, want)
		}
		for _, key := range got {
			if !want[key] {
				t.Fatalf("Reach(%s) has %s, which does not depend on it", start, key)
			}
		}
	})
}

// ladder is n keys in which each depends on the two before it.
func ladder(n int) *Graph {
	g := new(Graph)
	for i := range n {
		g.AddNode(fmt.Sprintf("n%05d", i))
		for back := 1; back <= 2 && i >= back; back++ {
			g.AddEdge(fmt.Sprintf("n%05d", i-back), fmt.Sprintf("n%05d", i))
		}
	}
	return g
}

func TestTwentyThousandNodes(t *testing.T) {
	const n = 20_000
	g := ladder(n)
	order, err := g.Order()
	if err != nil {
		t.Fatal(err)
	}
	if len(order) != n || !slices.IsSorted(order) {
		t.Errorf("order of a ladder of %d keys has %d and sorted = %v", n, len(order), slices.IsSorted(order))
	}
	if got := len(g.Reach(order[0])); got != n-1 {
		t.Errorf("the first key reaches %d, want %d", got, n-1)
	}
	g.AddEdge(order[n-1], order[0])
	if _, err := g.Order(); !errors.Is(err, fault.Cycle) {
		t.Errorf("closed ladder: got %v, want a cycle", err)
	}
}

func BenchmarkOrder(b *testing.B) {
	for _, n := range []int{200, 20_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			g := ladder(n)
			for b.Loop() {
				if _, err := g.Order(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/node")
		})
	}
}
