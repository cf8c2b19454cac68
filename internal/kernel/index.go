package kernel

import (
	"cmp"
	"iter"
	"math/bits"
	"slices"
)

// readySet keeps the nodes that the engine may begin, best first: rework before new work, then priority, then fewest
// attempts, then the order of recording. Nodes of equal rank share a class, which is a set of bits over their places in
// that order, so adding and removing touch a word or two whatever the size of the run, and reading the first few costs
// those few.
type readySet struct {
	classes []*readyClass // best first; an empty one stays for the next node of its rank
	size    int
}

type readyClass struct {
	rank    readyRank
	members bitSet
}

// readyRank is what orders ready nodes before their place does.
type readyRank struct {
	rework   bool
	priority int
	used     int
}

// maxEmptyClasses bounds the ranks that are kept without a member.
const maxEmptyClasses = 64

func (n *node) rank() readyRank {
	return readyRank{rework: n.status == StatusRework, priority: n.Priority, used: n.used}
}

// compare orders ranks, the better one first.
func (k readyRank) compare(o readyRank) int {
	switch {
	case k.rework != o.rework:
		if k.rework {
			return -1
		}
		return +1
	case k.priority != o.priority:
		return cmp.Compare(o.priority, k.priority)
	}
	return cmp.Compare(k.used, o.used)
}

// place puts the node into the set, moves it, or takes it out, as its status says.
func (s *readySet) place(n *node, wanted bool) {
	rank := n.rank()
	if n.queued && (!wanted || n.queuedAs != rank) {
		at, _ := s.find(n.queuedAs)
		s.classes[at].members.remove(n.index)
		n.queued = false
		s.size--
	}
	if wanted && !n.queued {
		s.class(rank).members.add(n.index)
		n.queued, n.queuedAs = true, rank
		s.size++
	}
}

func (s *readySet) find(rank readyRank) (int, bool) {
	return slices.BinarySearchFunc(s.classes, rank, func(c *readyClass, k readyRank) int { return c.rank.compare(k) })
}

func (s *readySet) class(rank readyRank) *readyClass {
	at, ok := s.find(rank)
	if ok {
		return s.classes[at]
	}
	if len(s.classes) >= maxEmptyClasses {
		s.classes = slices.DeleteFunc(s.classes, func(c *readyClass) bool { return c.members.size == 0 })
		at, _ = s.find(rank)
	}
	c := &readyClass{rank: rank}
	s.classes = slices.Insert(s.classes, at, c)
	return c
}

func (s *readySet) len() int { return s.size }

func (s *readySet) has(n *node) bool {
	at, ok := s.find(n.queuedAs)
	return n.queued && ok && s.classes[at].members.has(n.index)
}

// inOrder gives the nodes best first; order is all nodes by their place.
func (s *readySet) inOrder(order []*node) iter.Seq[*node] {
	return func(yield func(*node) bool) {
		for _, c := range s.classes {
			for i := range c.members.all() {
				if !yield(order[i]) {
					return
				}
			}
		}
	}
}

// bitSet is a set of small numbers, read in their order. A second level of bits says which words have any.
type bitSet struct {
	words []uint64
	used  []uint64
	size  int
}

func (b *bitSet) add(i int) {
	w := i / 64
	if w >= len(b.words) {
		b.words = append(b.words, make([]uint64, w+1-len(b.words))...)
		b.used = append(b.used, make([]uint64, w/64+1-len(b.used))...)
	}
	b.words[w] |= 1 << (i % 64)
	b.used[w/64] |= 1 << (w % 64)
	b.size++
}

func (b *bitSet) remove(i int) {
	w := i / 64
	b.words[w] &^= 1 << (i % 64)
	if b.words[w] == 0 {
		b.used[w/64] &^= 1 << (w % 64)
	}
	b.size--
}

func (b *bitSet) has(i int) bool {
	return i/64 < len(b.words) && b.words[i/64]&(1<<(i%64)) != 0
}

func (b *bitSet) all() iter.Seq[int] {
	return func(yield func(int) bool) {
		for u, some := range b.used {
			for ; some != 0; some &= some - 1 {
				w := u*64 + bits.TrailingZeros64(some)
				for word := b.words[w]; word != 0; word &= word - 1 {
					if !yield(w*64 + bits.TrailingZeros64(word)) {
						return
					}
				}
			}
		}
	}
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
