package task

import (
	"encoding/json"

	"sluice/internal/fault"
	"sluice/internal/kernel"
)

// Name of the line.
const Name = "task"

// PlanNode holds the document of a plan.
const PlanNode kernel.NodeID = "plan"

// PlanSchema names the form of what the plan node holds.
const PlanSchema = "task/plan"

// kept is what a run keeps for its life: what it is held to, and what it is for.
type kept struct {
	Settings
	TopTask string `json:"top_task"`
}

// SettingsOf gives what a run is held to.
func SettingsOf(r *kernel.Run) (Settings, error) {
	k, err := keptOf(r)
	return k.Settings, err
}

func keptOf(r *kernel.Run) (kept, error) {
	k := kept{Settings: DefaultSettings()}
	if err := json.Unmarshal(r.Settings(), &k); err != nil {
		return k, fault.Wrap(fault.StoreCorrupt, string(r.ID()), err, "the settings of plan %s do not parse", r.ID())
	}
	return k, nil
}

// Open is the command that begins the run of a plan. The document follows as the first version of its plan node.
func Open(d Document, s Settings) (kernel.Open, error) {
	settings, err := json.Marshal(kept{s, d.Plan.TopTask})
	if err != nil {
		return kernel.Open{}, err
	}
	return kernel.Open{Run: kernel.RunID(d.Plan.PlanID), Line: Name, Title: oneLine(cutText(d.Plan.Title, 200)), Settings: settings,
		Nodes: []kernel.Node{{ID: PlanNode, Kind: kernel.Make, Title: "Plan", Performer: kernel.Person, Unfolds: true,
			Ask: &kernel.AskSpec{Kind: kernel.AskSupply, Title: "Plan"}}}}, nil
}

// TaskOf gives the node of the plan that a node of the run performs.
func TaskOf(n kernel.Node) (Node, error) {
	var t Node
	if err := json.Unmarshal(n.Params, &t); err != nil {
		return t, fault.Wrap(fault.BadNode, string(n.ID), err, "the task of node %s does not parse", n.ID)
	}
	return t, nil
}
