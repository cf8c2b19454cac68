package textdiff

import "sort"

// shortest marks the fewest tokens that have to go and to come in a stretch (Myers' greedy search). It gives up, and marks
// nothing, where there are too many of them.
func (d *differ) shortest(s span) bool {
	n, m := s.ahi-s.alo, s.bhi-s.blo
	limit := min(n+m, maxEdits)
	front := make([]int32, 2*limit+3) // furthest place in a on each diagonal
	zero := limit + 1
	var trail [][]int32
	for edits := 0; edits <= limit; edits++ {
		for k := -edits; k <= edits; k += 2 {
			var i int
			if k == -edits || k != edits && front[zero+k-1] < front[zero+k+1] {
				i = int(front[zero+k+1])
			} else {
				i = int(front[zero+k-1]) + 1
			}
			from := i
			for i < n && i-k < m && d.x[s.alo+i] == d.y[s.blo+i-k] {
				i++
			}
			front[zero+k] = int32(i)
			d.budget -= i - from + 1
			if k == n-m && i >= n {
				d.walkBack(s, trail, n-m, edits)
				return true
			}
		}
		if d.budget < 0 {
			return false
		}
		trail = append(trail, append([]int32(nil), front[zero-edits:zero+edits+1]...))
	}
	return false
}

// walkBack follows the fronts from the end to the beginning and marks each step off the diagonal.
func (d *differ) walkBack(s span, trail [][]int32, k, edits int) {
	at := func(e, k int) int { // the place reached on diagonal k with e edits
		if e < 0 || k < -e || k > e {
			return -1
		}
		return int(trail[e][k+e])
	}
	for e := edits; e > 0; e-- {
		below, above := at(e-1, k+1), at(e-1, k-1)
		if k == -e || k != e && above < below {
			k++
			d.come[s.blo+below-k] = true
		} else {
			k--
			d.gone[s.alo+above] = true
		}
	}
}

// match is a token that both sequences have.
type match struct{ a, b int }

// anchors gives the longest row of matches among tokens that occur once in both.
func anchors(a, b []int32) []match {
	type seen struct{ inA, inB, atA, atB int }
	counts := make(map[int32]seen, len(a))
	for i, t := range a {
		c := counts[t]
		c.inA, c.atA = c.inA+1, i
		counts[t] = c
	}
	for j, t := range b {
		if c, ok := counts[t]; ok {
			c.inB, c.atB = c.inB+1, j
			counts[t] = c
		}
	}
	var once []match
	for i, t := range a {
		if c := counts[t]; c.inA == 1 && c.inB == 1 {
			once = append(once, match{i, c.atB})
		}
	}
	return rising(once)
}

// rising gives a longest part of the matches in which b grows, as a does.
func rising(all []match) []match {
	tails := make([]int, 0, len(all)) // by length less one: the match with the smallest b that ends such a row
	before := make([]int, len(all))
	for i, m := range all {
		n := sort.Search(len(tails), func(t int) bool { return all[tails[t]].b >= m.b })
		before[i] = -1
		if n > 0 {
			before[i] = tails[n-1]
		}
		if n == len(tails) {
			tails = append(tails, i)
		} else {
			tails[n] = i
		}
	}
	if len(tails) == 0 {
		return nil
	}
	out := make([]match, len(tails))
	for i, at := len(tails)-1, tails[len(tails)-1]; i >= 0; i, at = i-1, before[at] {
		out[i] = all[at]
	}
	return out
}
