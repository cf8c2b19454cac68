package spec

import "slices"

// shape is how tasks and verifications hang together, computed once per evaluation.
type shape struct {
	task            map[string]int // by task_id, the first that has it
	covered         []bool         // beside tasks: a vv names it
	linked          []bool         // beside tasks: it is a dependency or has one
	badDependencies []string       // beside tasks: what is wrong with its dependencies, or nothing
}

func readShape(p Planning) shape {
	s := shape{task: map[string]int{}, covered: make([]bool, len(p.Tasks)), linked: make([]bool, len(p.Tasks)),
		badDependencies: make([]string, len(p.Tasks))}
	for i, t := range p.Tasks {
		if _, twice := s.task[t.TaskID]; !twice && !isBlank(t.TaskID) {
			s.task[t.TaskID] = i
		}
	}
	for _, v := range p.VV {
		if i, ok := s.task[v.TaskID]; ok {
			s.covered[i] = true
		}
	}
	s.readDependencies(p.Tasks)
	return s
}

// readDependencies finds what is wrong with dependencies, and which tasks they link. Those of a task with anything wrong
// do not count at all: else mending one could take a link away and lower the score.
func (s shape) readDependencies(tasks []Task) {
	next := make([][]int, len(tasks))
	for i, t := range tasks {
		for _, d := range t.Dependencies {
			j, ok := s.task[d]
			switch {
			case !ok:
				s.badDependencies[i] = "there is no task " + d
			case j == i:
				s.badDependencies[i] = d + " depends on itself"
			default:
				next[i] = append(next[i], j)
				continue
			}
			break
		}
	}
	for _, circle := range circles(next) {
		for _, i := range circle {
			if s.badDependencies[i] == "" {
				s.badDependencies[i] = "it waits for itself, by way of " + tasks[other(circle, i)].TaskID
			}
		}
	}
	for i := range tasks {
		if s.badDependencies[i] != "" {
			continue
		}
		for _, j := range next[i] {
			s.linked[i], s.linked[j] = true, true
		}
	}
}

// other is a member of a circle that is not i.
func other(circle []int, i int) int {
	if circle[0] != i {
		return circle[0]
	}
	return circle[len(circle)-1]
}

// uncovered names the tasks without a verification, by id or by place.
func (s shape) uncovered(tasks []Task) []string {
	var open []string
	for i, t := range tasks {
		switch {
		case s.covered[i]:
		case isBlank(t.TaskID):
			open = append(open, "a task without a task_id")
		default:
			open = append(open, t.TaskID)
		}
	}
	return open
}

// circles finds the groups of nodes that reach each other, in the order of their first member. It is Tarjan's way with a
// stack of its own: a chain of a hundred thousand tasks must not exhaust the machine's.
func circles(next [][]int) [][]int {
	c := &circleFinder{next: next, index: make([]int, len(next)), low: make([]int, len(next)), onStack: make([]bool, len(next)), edge: make([]int, len(next))}
	for i := range next {
		if c.index[i] == 0 {
			c.from(i)
		}
	}
	slices.SortFunc(c.found, func(a, b []int) int { return a[0] - b[0] })
	return c.found
}

type circleFinder struct {
	next       [][]int
	index, low []int // index 0 is not visited
	edge       []int // the next edge to follow
	onStack    []bool
	stack      []int
	count      int
	found      [][]int
}

func (c *circleFinder) from(root int) {
	path := []int{root}
	c.enter(root)
	for len(path) > 0 {
		i := path[len(path)-1]
		if c.edge[i] < len(c.next[i]) {
			j := c.next[i][c.edge[i]]
			c.edge[i]++
			if c.index[j] == 0 {
				c.enter(j)
				path = append(path, j)
			} else if c.onStack[j] {
				c.low[i] = min(c.low[i], c.index[j])
			}
			continue
		}
		path = path[:len(path)-1]
		if len(path) > 0 {
			up := path[len(path)-1]
			c.low[up] = min(c.low[up], c.low[i])
		}
		if c.low[i] == c.index[i] {
			c.leave(i)
		}
	}
}

func (c *circleFinder) enter(i int) {
	c.count++
	c.index[i], c.low[i], c.onStack[i] = c.count, c.count, true
	c.stack = append(c.stack, i)
}

// leave takes the group that i closes off the stack, and keeps it if it is more than one.
func (c *circleFinder) leave(i int) {
	at := len(c.stack) - 1
	for c.stack[at] != i {
		at--
	}
	group := slices.Clone(c.stack[at:])
	c.stack = c.stack[:at]
	for _, j := range group {
		c.onStack[j] = false
	}
	if len(group) > 1 {
		slices.Sort(group)
		c.found = append(c.found, group)
	}
}
