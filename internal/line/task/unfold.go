package task

import (
	"encoding/json"
	"slices"

	"sluice/internal/kernel"
	"sluice/internal/line"
)

// Names of the steps.
const (
	StepAction = "action"
	StepCheck  = "check"
)

// maxGoalInputs bounds how many leaves of a GOAL are inputs of what depends on it; beyond that the GOAL alone is waited for.
const maxGoalInputs = 200

// unfold gives the nodes of a document that the doctor has nothing against, and none of any other.
func unfold(in line.Unfolding) (line.Followers, error) {
	if in.Node.Step == stepFeasibility {
		return follow(in)
	}
	d, err := ParseDocument(in.Body)
	if err != nil {
		return line.Followers{}, err
	}
	s, err := SettingsOf(in.Run)
	if err != nil || HasErrors(Doctor(d, s)) {
		return line.Followers{}, err
	}
	u := unfolding{chart: NewChart(&d), settings: s, inherited: map[string][]string{}, rivals: map[string][]string{}}
	for _, n := range d.Nodes {
		if group := u.chart.rivals[n.TaskID]; group != "" {
			u.rivals[group] = append(u.rivals[group], n.TaskID)
		}
	}
	return u.nodes(d)
}

type unfolding struct {
	chart     *Chart
	settings  Settings
	inherited map[string][]string // of a GOAL: what it and all that it is part of depend on
	rivals    map[string][]string // by group of alternatives
}

func (u *unfolding) nodes(d Document) (line.Followers, error) {
	var out line.Followers
	inputs := map[string][]kernel.Need{}
	for _, q := range d.Requirements {
		if q.Required {
			out.Nodes = append(out.Nodes, requirementNode(q))
			inputs[q.TaskID] = append(inputs[q.TaskID], kernel.Need{Node: kernel.NodeID(q.RequirementID)})
		}
	}
	for i := range d.Nodes {
		n := &d.Nodes[i]
		if u.chart.nodes[n.TaskID] != n {
			continue
		}
		made, err := u.node(*n)
		if err != nil {
			return line.Followers{}, err
		}
		made.Needs = append(made.Needs, inputs[n.TaskID]...)
		out.Nodes = append(out.Nodes, made)
	}
	return out, nil
}

// requirementNode is what a person must give before a task begins.
func requirementNode(q Requirement) kernel.Node {
	return kernel.Node{ID: kernel.NodeID(q.RequirementID), Kind: kernel.Make, Title: oneLine(q.Name), Performer: kernel.Person,
		Ask: &kernel.AskSpec{Kind: kernel.AskSupply, Title: "Supply " + oneLine(q.Name)}}
}

func (u *unfolding) node(n Node) (kernel.Node, error) {
	params, err := json.Marshal(n)
	if err != nil {
		return kernel.Node{}, err
	}
	out := kernel.Node{ID: kernel.NodeID(n.TaskID), Title: oneLine(n.Title), Parent: u.group(n.TaskID), Priority: n.Priority,
		Alternative: u.chart.rivals[n.TaskID], Params: params}
	switch n.NodeType {
	case Goal:
		out.Kind, out.Any = kernel.Group, u.chart.anyOf[n.TaskID]
	case Check:
		out.Kind, out.Step, out.Target, out.Performer = kernel.Check, StepCheck, kernel.NodeID(n.ReviewTargetTaskID), kernel.Engine
		out.Attempts, out.Parent = u.settings.MaxAttempts, u.group(n.ReviewTargetTaskID)
	default:
		out.Kind, out.Step, out.Performer, out.Attempts = kernel.Make, StepAction, kernel.Engine, u.settings.MaxAttempts
		out.OnReject, out.Gate = kernel.Rework, kernel.Gate{Checks: true, Late: true}
		out.Needs = u.needs(n.TaskID)
	}
	return out, nil
}

// group is the nearest GOAL that a node is part of.
func (u *unfolding) group(id string) kernel.NodeID {
	for range len(u.chart.nodes) {
		wholes := u.chart.wholes[id]
		if len(wholes) == 0 {
			return ""
		}
		if id = wholes[0]; u.chart.typeOf(id) == Goal {
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
		settled := false // one of several ways: it may be given up, and something of its kind must be done all the same
		if either := u.anyAbove(from, within); either != "" {
			settled = true
			add(kernel.Need{Node: kernel.NodeID(either)})
		} else if rivals := u.rivals[u.chart.rivals[from]]; len(rivals) > 1 {
			settled = true
			for _, r := range rivals {
				if r != id {
					add(kernel.Need{Node: kernel.NodeID(r), Settled: true})
				}
			}
		}
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

// wholesOf gives everything that a node is part of.
func (u *unfolding) wholesOf(id string) map[string]bool {
	all := map[string]bool{}
	for wholes := u.chart.wholes[id]; len(wholes) > 0 && !all[wholes[0]]; wholes = u.chart.wholes[wholes[0]] {
		all[wholes[0]] = true
	}
	return all
}

// anyAbove gives the outermost GOAL around a node of which one part is enough, short of those that hold what needs it.
func (u *unfolding) anyAbove(id string, within map[string]bool) string {
	found := ""
	for wholes := u.chart.wholes[id]; len(wholes) > 0 && !within[wholes[0]]; wholes = u.chart.wholes[wholes[0]] {
		if u.chart.anyOf[wholes[0]] {
			found = wholes[0]
		}
	}
	return found
}

func (u *unfolding) prerequisites(id string) []string {
	if known, ok := u.inherited[id]; ok {
		return known
	}
	var chain []string // upwards, so that a deep plan needs no deep stack
	for at := id; ; at = u.chart.wholes[at][0] {
		if _, known := u.inherited[at]; known {
			break
		}
		chain = append(chain, at)
		if len(u.chart.wholes[at]) == 0 {
			break
		}
	}
	for _, at := range slices.Backward(chain) {
		all := slices.Clone(u.chart.needs[at])
		if u.chart.typeOf(at) == Action {
			all = append(all, u.chart.parts[at]...)
		}
		if wholes := u.chart.wholes[at]; len(wholes) > 0 {
			for _, from := range u.inherited[wholes[0]] {
				if u.chart.typeOf(wholes[0]) == Goal || !slices.Contains(u.chart.parts[wholes[0]], from) {
					all = append(all, from)
				}
			}
		}
		u.inherited[at] = all
	}
	return u.inherited[id]
}
