package task

import (
	"slices"

	"sluice/internal/kernel"
)

// maxGoalInputs bounds how many leaves of a GOAL are inputs of what depends on it; beyond that the GOAL alone is waited for.
const maxGoalInputs = 200

// group is the nearest GOAL that a node stands or falls with.
func (u *unfolding) group(id string) kernel.NodeID {
	for range len(u.chart.nodes) {
		if id = u.chart.main(id); id == "" || u.chart.typeOf(id) == Goal {
			return kernel.NodeID(id)
		}
	}
	return ""
}

// needs are the prerequisites of an ACTION: its own, those of the GOALs it is part of, and the parts it consists of.
func (u *unfolding) needs(id string) []kernel.Need {
	var out []kernel.Need
	seen := map[string]bool{id: true}
	add := func(need kernel.Need) {
		if !seen[string(need.Node)] {
			seen[string(need.Node)] = true
			out = append(out, need)
		}
	}
	prerequisites := u.prerequisites(id)
	if len(prerequisites) == 0 {
		return nil
	}
	within := u.wholesOf(id)
	for _, from := range prerequisites {
		settled := u.oneOfSeveral(id, from, within, add)
		add(kernel.Need{Node: kernel.NodeID(from), Settled: settled})
		if u.chart.typeOf(from) != Goal {
			continue
		}
		if leaves := u.chart.LeavesUnder(from); len(leaves) <= maxGoalInputs { // an abandoned one of several ways gives nothing
			for _, leaf := range leaves {
				add(kernel.Need{Node: kernel.NodeID(leaf), Settled: true})
			}
		}
	}
	return out
}

// oneOfSeveral tells whether a prerequisite is one of several ways: then it may be given up, and something of its kind must
// be done all the same, which is waited for instead.
func (u *unfolding) oneOfSeveral(id, from string, within map[string]bool, add func(kernel.Need)) bool {
	if either := u.anyAbove(from, within); either != "" {
		add(kernel.Need{Node: kernel.NodeID(either)})
		return true
	}
	for at := from; at != "" && !within[at] && len(u.rivals) > 0; at = u.chart.main(at) {
		group := u.chart.rivals[at]
		if len(u.rivals[group]) < 2 {
			continue
		}
		if u.chart.rivals[id] == group { // itself one of them: it is made when the other is not
			return true
		}
		if u.plain {
			return false
		}
		u.chosen[group] = true
		add(kernel.Need{Node: choiceID(group)})
		for _, rival := range u.rivals[group] {
			leaves := u.chart.LeavesUnder(rival)
			if len(leaves) > maxGoalInputs {
				continue
			}
			for _, leaf := range leaves {
				add(kernel.Need{Node: kernel.NodeID(leaf), Settled: true})
			}
		}
		return true
	}
	return false
}

// wholesOf gives everything that a node is part of.
func (u *unfolding) wholesOf(id string) map[string]bool {
	all := map[string]bool{}
	for stack := slices.Clone(u.chart.wholes[id]); len(stack) > 0; {
		at := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if !all[at] {
			all[at] = true
			stack = append(stack, u.chart.wholes[at]...)
		}
	}
	return all
}

// anyAbove gives the outermost GOAL around a node of which one part is enough, short of those that hold what needs it.
func (u *unfolding) anyAbove(id string, within map[string]bool) string {
	found := ""
	for at := u.chart.main(id); at != "" && !within[at]; at = u.chart.main(at) {
		if u.chart.anyOf[at] {
			found = at
		}
	}
	return found
}

// prerequisites gives what a node depends on by itself and by what it stands or falls with. Parts of an ACTION are
// prerequisites of it and not of each other.
func (u *unfolding) prerequisites(id string) []string {
	var chain []string // upwards, so that a deep plan needs no deep stack
	for at := id; at != ""; at = u.chart.main(at) {
		if _, known := u.inherited[at]; known {
			break
		}
		chain = append(chain, at)
	}
	for _, at := range slices.Backward(chain) {
		all := slices.Clone(u.chart.needs[at])
		if u.chart.typeOf(at) == Action {
			all = append(all, u.chart.parts[at]...)
		}
		whole := u.chart.main(at)
		for _, from := range u.inherited[whole] {
			if u.chart.typeOf(whole) == Goal || !slices.Contains(u.chart.parts[whole], from) {
				all = append(all, from)
			}
		}
		u.inherited[at] = all
	}
	return u.inherited[id]
}
