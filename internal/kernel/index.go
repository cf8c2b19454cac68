package kernel

import (
	"container/heap"
	"iter"
)

// readyHeap keeps the nodes that the engine may begin, best first: rework before new work, then priority, then fewest
// attempts, then the order of recording. Adding and removing cost the logarithm of its size, reading the first few
// costs those few.
type readyHeap struct{ nodes []*node }

func (h *readyHeap) Len() int { return len(h.nodes) }

func (h *readyHeap) Less(i, j int) bool { return h.nodes[i].before(h.nodes[j]) }

func (h *readyHeap) Swap(i, j int) {
	h.nodes[i], h.nodes[j] = h.nodes[j], h.nodes[i]
	h.nodes[i].heap, h.nodes[j].heap = i, j
}

// Push and Pop are for container/heap alone.
func (h *readyHeap) Push(x any) {
	n := x.(*node)
	n.heap = len(h.nodes)
	h.nodes = append(h.nodes, n)
}

func (h *readyHeap) Pop() any {
	last := len(h.nodes) - 1
	n := h.nodes[last]
	h.nodes[last] = nil
	h.nodes = h.nodes[:last]
	n.heap = -1
	return n
}

func (n *node) before(o *node) bool {
	if a, b := n.status == StatusRework, o.status == StatusRework; a != b {
		return a
	}
	if n.Priority != o.Priority {
		return n.Priority > o.Priority
	}
	if n.used != o.used {
		return n.used < o.used
	}
	return n.index < o.index
}

// place puts the node into the heap, moves it, or takes it out, as its status says.
func (h *readyHeap) place(n *node, wanted bool) {
	switch {
	case wanted && n.heap < 0:
		heap.Push(h, n)
	case wanted:
		heap.Fix(h, n.heap)
	case n.heap >= 0:
		heap.Remove(h, n.heap)
	}
}

// inOrder walks the heap best first without changing it, at a cost that grows with what is read.
func (h *readyHeap) inOrder() iter.Seq[*node] {
	return func(yield func(*node) bool) {
		if len(h.nodes) == 0 {
			return
		}
		front := frontier{nodes: h.nodes, places: []int{0}}
		for len(front.places) > 0 {
			at := heap.Pop(&front).(int)
			if !yield(h.nodes[at]) {
				return
			}
			for child := 2*at + 1; child <= 2*at+2 && child < len(h.nodes); child++ {
				heap.Push(&front, child)
			}
		}
	}
}

// frontier is the edge of a walk through the ready heap.
type frontier struct {
	nodes  []*node
	places []int
}

func (f *frontier) Len() int           { return len(f.places) }
func (f *frontier) Less(i, j int) bool { return f.nodes[f.places[i]].before(f.nodes[f.places[j]]) }
func (f *frontier) Swap(i, j int)      { f.places[i], f.places[j] = f.places[j], f.places[i] }
func (f *frontier) Push(x any)         { f.places = append(f.places, x.(int)) }
func (f *frontier) Pop() any {
	last := len(f.places) - 1
	x := f.places[last]
	f.places = f.places[:last]
	return x
}

// orderedSet is a set that is read in the order of adding. Removed places are left empty and swept when they are the
// majority, so that adding and removing cost constant time on average.
type orderedSet[T comparable] struct {
	items []T
	first int // everything before it is empty
	at    map[T]int
}

func (s *orderedSet[T]) set(item T, wanted bool) {
	i, there := s.at[item]
	switch {
	case wanted && !there:
		if s.at == nil {
			s.at = map[T]int{}
		}
		s.at[item] = len(s.items)
		s.items = append(s.items, item)
	case !wanted && there:
		var none T
		s.items[i] = none
		delete(s.at, item)
		for s.first < len(s.items) && s.items[s.first] == none {
			s.first++
		}
		s.sweep()
	}
}

func (s *orderedSet[T]) sweep() {
	if len(s.items) < 16 || len(s.at)*2 > len(s.items) {
		return
	}
	var none T
	kept := make([]T, 0, len(s.at))
	for _, item := range s.items {
		if item != none {
			s.at[item] = len(kept)
			kept = append(kept, item)
		}
	}
	s.items, s.first = kept, 0
}

func (s *orderedSet[T]) len() int { return len(s.at) }

func (s *orderedSet[T]) has(item T) bool { _, ok := s.at[item]; return ok }

func (s *orderedSet[T]) all() iter.Seq[T] {
	return func(yield func(T) bool) {
		var none T
		for _, item := range s.items[s.first:] {
			if item != none && !yield(item) {
				return
			}
		}
	}
}
