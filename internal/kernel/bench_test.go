package kernel

import (
	"fmt"
	"testing"
)

// shape is a graph whose cost must not grow with its size.
type shape struct {
	name  string
	nodes func(size int) []Node
}

var shapes = []shape{
	{"wide", func(size int) []Node {
		nodes := make([]Node, size)
		for i := range nodes {
			nodes[i] = Node{ID: nodeName(i), Kind: Make, Performer: Engine, Attempts: 3}
		}
		return nodes
	}},
	{"chain", func(size int) []Node {
		nodes := make([]Node, size)
		for i := range nodes {
			nodes[i] = Node{ID: nodeName(i), Kind: Make, Performer: Engine, Attempts: 3}
			if i > 0 {
				nodes[i].Needs = []Need{{Node: nodeName(i - 1)}}
			}
		}
		return nodes
	}},
	{"fan_in", func(size int) []Node {
		nodes := []Node{{ID: "all", Kind: Group}}
		last := Node{ID: "last", Kind: Make, Performer: Engine, Attempts: 3, Needs: []Need{{Node: "all"}}}
		for i := range size {
			nodes = append(nodes, Node{ID: nodeName(i), Kind: Make, Performer: Engine, Attempts: 3, Parent: "all"})
			last.Needs = append(last.Needs, Need{Node: nodeName(i)})
		}
		return append(nodes, last)
	}},
}

func nodeName(i int) NodeID { return NodeID(fmt.Sprintf("node/%05d", i)) }

// BenchmarkLaw measures one step (begin and deliver, through Decide, Evolve and what follows) and the reading of 16
// duties, in the middle of graphs of 200 and 20,000 nodes.
func BenchmarkLaw(b *testing.B) {
	for _, s := range shapes {
		for _, size := range []int{200, 20000} {
			b.Run(fmt.Sprintf("step/%s/%d", s.name, size), func(b *testing.B) { benchSteps(b, s, size) })
			b.Run(fmt.Sprintf("pending/%s/%d", s.name, size), func(b *testing.B) {
				r := openRun(b, s.nodes(size))
				walkSome(b, r, size/10)
				for b.Loop() {
					readDuties(r)
				}
			})
		}
	}
}

// benchSteps does the middle half of the steps of the runs it opens, in turn. There are always 20,000 nodes in memory,
// in one run or in a hundred, so that what is compared is the law and not the caches of the machine.
func benchSteps(b *testing.B, s shape, size int) {
	b.ReportAllocs()
	nodes := s.nodes(size)
	made := content("text")
	runs := make([]*Run, 20000/size)
	b.ResetTimer()
	for i := range b.N {
		if i%(20000/2) == 0 {
			b.StopTimer()
			for j := range runs {
				runs[j] = openRun(b, nodes)
				walkSome(b, runs[j], size/4)
			}
			b.StartTimer()
		}
		takeStep(b, runs[i%len(runs)], made)
	}
}

func openRun(tb testing.TB, nodes []Node) *Run {
	tb.Helper()
	r := NewRun()
	if _, err := Apply(r, Open{Stamp: Stamp{By: ada, At: epoch}, Run: "r", Line: "bench", Nodes: nodes}); err != nil {
		tb.Fatal(err)
	}
	return r
}

func walkSome(tb testing.TB, r *Run, steps int) {
	tb.Helper()
	for range steps {
		takeStep(tb, r, content("text"))
	}
}

func takeStep(tb testing.TB, r *Run, made Content) {
	var next NodeID
	for d := range Pending(r) {
		next = d.(PerformStep).Node
		break
	}
	s := Stamp{By: robot, At: epoch}
	events, err := Apply(r, Begin{Stamp: s, Node: next})
	if err != nil {
		tb.Fatal(err)
	}
	if _, err := Apply(r, Deliver{Stamp: s, Attempt: events[0].Fact.(AttemptBegan).Attempt, Content: made}); err != nil {
		tb.Fatal(err)
	}
}

func readDuties(r *Run) int {
	n := 0
	for range Pending(r) {
		if n++; n == 16 {
			break
		}
	}
	return n
}

// BenchmarkLoad compares folding a journal of 20,000 events with loading the image of the folded run.
func BenchmarkLoad(b *testing.B) {
	nodes := shapes[0].nodes(4000)
	for i := range nodes {
		nodes[i].Gate.Rule, nodes[i].Gate.Revision = "lint", 1
	}
	r := NewRun()
	var batches [][]byte
	keep := func(c Command) []Event {
		events, err := Apply(r, c)
		if err != nil {
			b.Fatal(err)
		}
		raw, err := Encode(events)
		if err != nil {
			b.Fatal(err)
		}
		batches = append(batches, raw)
		return events
	}
	keep(Open{Stamp: Stamp{By: ada, At: epoch}, Run: "r", Line: "bench", Nodes: nodes})
	for i := range nodes {
		s := Stamp{By: robot, At: epoch}
		began := keep(Begin{Stamp: s, Node: nodes[i].ID})
		keep(Deliver{Stamp: s, Attempt: began[0].Fact.(AttemptBegan).Attempt, Content: content(fmt.Sprint(i)), Rule: ruleOf[true]})
	}
	image := mustImage(b, r)
	b.Run("events", func(b *testing.B) {
		for b.Loop() {
			run := NewRun()
			for _, raw := range batches {
				events, err := Decode(raw)
				if err != nil {
					b.Fatal(err)
				}
				Fold(run, events)
			}
			if run.Seq() != r.Seq() {
				b.Fatal("another run")
			}
		}
		b.ReportMetric(float64(r.Seq()), "events")
	})
	b.Run("image", func(b *testing.B) {
		for b.Loop() {
			run, err := FromImage(image)
			if err != nil || run.Seq() != r.Seq() {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(len(image)), "bytes")
	})
	b.Run("write_image", func(b *testing.B) {
		for b.Loop() {
			mustImage(b, r)
		}
	})
}
