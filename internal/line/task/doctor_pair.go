package task

import (
	"fmt"
	"slices"
)

// pairs holds that every ACTION has exactly one CHECK, and every CHECK exactly one ACTION.
func (x *examination) pairs() {
	c := x.chart
	for n := range x.each {
		switch n.NodeType {
		case Action:
			switch checks := c.checks[n.TaskID]; {
			case len(checks) == 0:
				x.find(ActionWithoutCheck, n.TaskID, "", "add a CHECK with review_target_task_id "+n.TaskID, "ACTION %q has no CHECK", n.Title)
			case len(checks) > 1:
				x.find(ActionSeveralChecks, n.TaskID, "", "keep one of its CHECKs and abandon the others", "ACTION %q has %d CHECKs", n.Title, len(checks))
			}
		case Check:
			x.target(n)
		}
	}
}

func (x *examination) target(n *Node) {
	const hint = "set review_target_task_id to the ACTION it judges"
	target := n.ReviewTargetTaskID
	t := x.chart.typeOf(target)
	switch {
	case target == "":
		x.find(CheckWithoutTarget, n.TaskID, "review_target_task_id", hint, "CHECK %q has no target", n.Title)
	case target == n.TaskID:
		x.find(CheckWrongTarget, n.TaskID, "review_target_task_id", hint, "CHECK %q reviews itself", n.Title)
	case t == "":
		x.find(CheckWrongTarget, n.TaskID, "review_target_task_id", hint, "CHECK %q reviews %s, which is no live node of the plan", n.Title, target)
	case t != Action:
		x.find(CheckWrongTarget, n.TaskID, "review_target_task_id", hint, "CHECK %q reviews a %s, not an ACTION", n.Title, t)
	case x.chart.checks[target][0] != n.TaskID:
		x.find(CheckSharedTarget, n.TaskID, "review_target_task_id", "abandon this CHECK or give it an ACTION of its own", "CHECK %q shares its target with %s", n.Title, x.chart.checks[target][0])
	}
}

func (x *examination) rootCriteria() {
	root, ok := x.chart.Node(x.doc.Plan.RootTaskID)
	if !ok || root.NodeType != Goal {
		return
	}
	if len(root.RootAcceptanceCriteria) == 0 {
		x.found.add(Finding{Code: RootCriteriaMissing, Severity: SeverityWarning, Message: "the root has no acceptance criteria of its own",
			Hint: "list what the top task must fulfil, and which nodes meet each", Node: root.TaskID, Path: "root_acceptance_criteria"})
	}
	for i, k := range root.RootAcceptanceCriteria {
		path := fmt.Sprintf("root_acceptance_criteria[%d]", i)
		if k.ID == "" || k.Statement == "" {
			x.find(MissingField, root.TaskID, path, "give it an id and a statement", "criterion %d of the root has no id or no statement", i+1)
		}
		if _, whole := x.chart.Covered(k); !whole {
			x.find(CriterionNotCovered, root.TaskID, path+".covered_by", "name the nodes that meet it in covered_by", "criterion %s of the root is not met by any node, or names one that makes nothing", name(k.ID, i))
		}
	}
}

func name(id string, i int) string {
	if id == "" {
		return fmt.Sprint(i + 1)
	}
	return id
}

// assembly holds that what an ASSEMBLE root is put together from is there before it is.
func (x *examination) assembly() {
	root, ok := x.chart.Node(x.doc.Plan.RootTaskID)
	if !ok || root.FinalDeliverableSpec == nil {
		return
	}
	f := root.FinalDeliverableSpec
	switch f.Mode {
	case PassThrough, Assemble:
	case "":
		x.find(MissingField, root.TaskID, "final_deliverable_spec.mode", "say PASS_THROUGH or ASSEMBLE", "the final deliverable has no mode")
	default:
		x.find(BadField, root.TaskID, "final_deliverable_spec.mode", "say PASS_THROUGH or ASSEMBLE", "the final deliverable has mode %q", f.Mode)
	}
	for i, id := range f.IncludeChildren {
		if len(x.chart.LeavesUnder(id)) == 0 {
			x.find(BadField, root.TaskID, fmt.Sprintf("final_deliverable_spec.include_children[%d]", i), "name ACTIONs, or GOALs that hold some", "the final deliverable includes %s, which makes nothing", id)
		}
	}
	if f.Mode != Assemble {
		return
	}
	const path = "final_deliverable_spec.assemble_task_id"
	switch t := x.chart.typeOf(f.AssembleTaskID); {
	case t == "":
		x.find(AssembleMissing, root.TaskID, path, "name the ACTION that puts the final deliverable together", "mode ASSEMBLE names no ACTION of the plan")
		return
	case t != Action:
		x.find(AssembleNotAction, root.TaskID, path, "name an ACTION", "%s, which assembles, is a %s", f.AssembleTaskID, t)
		return
	}
	for _, id := range x.chart.unbound(*f) {
		x.find(AssembleUnbound, id, "", "add a DEPENDS_ON edge from it to "+f.AssembleTaskID, "the assembling ACTION does not depend on its input %q", x.chart.nodes[id].Title)
	}
}

// assembled gives the leaves that go into the final deliverable of an ASSEMBLE root.
func (c *Chart) assembled(f FinalSpec) []string {
	if len(f.IncludeChildren) == 0 {
		return slices.DeleteFunc(c.Leaves(), func(id string) bool { return id == f.AssembleTaskID })
	}
	var out []string
	seen := map[string]bool{f.AssembleTaskID: true}
	for _, id := range f.IncludeChildren {
		for _, leaf := range c.LeavesUnder(id) {
			if !seen[leaf] {
				seen[leaf] = true
				out = append(out, leaf)
			}
		}
	}
	return out
}

// unbound gives the inputs of the assembling ACTION on which it does not depend, by themselves or as part of a GOAL.
func (c *Chart) unbound(f FinalSpec) []string {
	bound := map[string]bool{}
	for _, need := range append(slices.Clone(c.needs[f.AssembleTaskID]), c.parts[f.AssembleTaskID]...) {
		for _, leaf := range c.LeavesUnder(need) {
			bound[leaf] = true
		}
	}
	return slices.DeleteFunc(c.assembled(f), func(id string) bool { return bound[id] })
}

// effort holds that every leaf fits one call of a model.
func (x *examination) effort() {
	for _, id := range x.chart.Leaves() {
		n := x.chart.nodes[id]
		if n.EstimatedPersonDays > x.settings.OneShotThresholdPersonDays {
			x.find(LeafOverThreshold, id, "estimated_person_days", "split it: sluice task rewrite proposes how",
				"ACTION %q takes %s person-days, over the threshold of %s", n.Title, days(n.EstimatedPersonDays), days(x.settings.OneShotThresholdPersonDays))
		}
	}
}
