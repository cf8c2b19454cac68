package task

import (
	"encoding/json"
	"maps"
	"slices"

	"sluice/internal/kernel"
	"sluice/internal/line"
)

// Names of the steps.
const (
	StepAction = "action"
	StepCheck  = "check"
)

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
	all, err := newUnfolding(&d, s).nodes(d)
	// A task that follows already stays what it is. One that was given up is not named, which would take it up again.
	all.Nodes = slices.DeleteFunc(all.Nodes, func(n kernel.Node) bool {
		_, known := in.Run.Node(n.ID)
		return known
	})
	return all, err
}

func newUnfolding(d *Document, s Settings) *unfolding {
	u := &unfolding{chart: NewChart(d), settings: s, inherited: map[string][]string{}, rivals: map[string][]string{}, chosen: map[string]bool{}}
	for i := range d.Nodes {
		if n := &d.Nodes[i]; u.chart.nodes[n.TaskID] == n && u.chart.rivals[n.TaskID] != "" {
			group := u.chart.rivals[n.TaskID]
			u.rivals[group] = append(u.rivals[group], n.TaskID)
		}
	}
	if len(u.rivals) > 0 {
		_, err := u.chart.waits(u.rivals).Order()
		u.plain = err != nil
	}
	return u
}

type unfolding struct {
	chart     *Chart
	settings  Settings
	inherited map[string][]string // of a GOAL: what it and all that it is part of depend on
	rivals    map[string][]string // by group of alternatives
	chosen    map[string]bool     // groups of alternatives that something waits for
	plain     bool                // to wait for one of several alternatives would be to wait for oneself
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
		out.Nodes = append(out.Nodes, u.shares(*n)...)
	}
	for _, group := range slices.Sorted(maps.Keys(u.chosen)) {
		out.Nodes = append(out.Nodes, u.choice(group))
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
