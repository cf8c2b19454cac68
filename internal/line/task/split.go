package task

import (
	"fmt"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Parts says into how many a leaf must be split at least, so that each part fits one call of a model. 0 means that no
// number of parts is enough, or that it fits already.
func Parts(estimate, threshold float64) int {
	if threshold <= 0 || estimate <= threshold || math.IsInf(estimate, 0) || math.IsNaN(estimate) {
		return 0
	}
	n := math.Ceil(estimate / threshold)
	if n > maxParts {
		return 0
	}
	return max(2, int(n))
}

// maxParts bounds how finely one leaf is split at once; more is a plan of its own.
const maxParts = 100

// split splits the leaves that are too large, as long as depth and number of leaves allow it.
func (w *rewrite) split() {
	c := NewChart(&w.doc)
	assembling := ""
	if root, ok := c.Node(w.doc.Plan.RootTaskID); ok && root.FinalDeliverableSpec != nil {
		assembling = root.FinalDeliverableSpec.AssembleTaskID
	}
	leaves := c.Leaves()
	total := len(leaves)
	for _, id := range leaves {
		parts := Parts(c.nodes[id].EstimatedPersonDays, w.settings.OneShotThresholdPersonDays)
		depth, reached := c.Depth(id)
		if parts == 0 || id == assembling || !reached || depth+1 > w.settings.MaxDecompositionDepth || total+parts-1 > w.settings.MaxLeaves {
			continue
		}
		total += parts - 1
		if better := w.better[id]; len(better) > parts && total+len(better)-parts <= w.settings.MaxLeaves {
			total += len(better) - parts
			parts = len(better)
		}
		w.splitLeaf(slices.IndexFunc(w.doc.Nodes, func(n Node) bool { return n.TaskID == id && n.Status != Abandoned }), parts, c.checks[id])
	}
}

// splitLeaf replaces a leaf by a subtree: the leaf keeps its id and becomes a GOAL, its CHECKs are abandoned, each part
// brings its own deliverable, criteria, estimate and CHECK.
func (w *rewrite) splitLeaf(at, parts int, checks []string) {
	whole := w.doc.Nodes[at]
	g := &w.doc.Nodes[at]
	g.NodeType, g.EstimatedPersonDays, g.DeliverableSpec, g.AcceptanceCriteria = Goal, 0, nil, nil
	for i := range w.doc.Nodes {
		if n := &w.doc.Nodes[i]; n.NodeType == Check && slices.Contains(checks, n.TaskID) {
			n.Status, n.ReviewTargetTaskID = Abandoned, ""
		}
	}
	w.change(LeafOverThreshold, whole.TaskID, "ACTION %q of %s person-days becomes a GOAL with %d parts; its CHECK is abandoned", whole.Title, days(whole.EstimatedPersonDays), parts)
	each := math.Ceil(whole.EstimatedPersonDays/float64(parts)*100) / 100
	var ids []string
	for i := 1; i <= parts; i++ {
		made := partOf(whole, w.doc.Plan.PlanID, i, parts, min(each, w.settings.OneShotThresholdPersonDays))
		if better := w.better[whole.TaskID]; len(better) == parts {
			made = better[i-1].improve(made)
		}
		ids = append(ids, made.TaskID)
		w.doc.Nodes = append(w.doc.Nodes, made, checkOf(made, deriveID("check", w.doc.Plan.PlanID, made.TaskID), w.settings.Reviewer))
		w.link(Decompose, whole.TaskID, made.TaskID)
	}
	for i := range w.doc.Nodes {
		f := w.doc.Nodes[i].FinalDeliverableSpec
		if f == nil {
			continue
		}
		if k := slices.Index(f.IncludeChildren, whole.TaskID); k >= 0 {
			f.IncludeChildren = slices.Concat(f.IncludeChildren[:k], ids, f.IncludeChildren[k+1:])
		}
	}
	for i := range w.doc.Requirements {
		if q := &w.doc.Requirements[i]; q.TaskID == whole.TaskID {
			w.doc.Requirements = slices.Clone(w.doc.Requirements)
			w.doc.Requirements[i].TaskID = ids[0] // what it needs comes before its first part
		}
	}
}

func partOf(whole Node, plan string, i, parts int, estimate float64) Node {
	n := whole
	n.TaskID = deriveID("part", plan, whole.TaskID, strconv.Itoa(i))
	n.NodeType = Action
	n.Title = fmt.Sprintf("%s (part %d of %d)", whole.Title, i, parts)
	n.Rationale = fmt.Sprintf("part %d of %d of a task of %s person-days", i, parts, days(whole.EstimatedPersonDays))
	n.EstimatedPersonDays = estimate
	n.AcceptanceCriteria = nil
	for _, k := range whole.AcceptanceCriteria {
		k.Statement = fmt.Sprintf("%s (as far as part %d of %d goes)", k.Statement, i, parts)
		n.AcceptanceCriteria = append(n.AcceptanceCriteria, k)
	}
	if whole.DeliverableSpec != nil {
		spec := *whole.DeliverableSpec
		ext := path.Ext(spec.Filename)
		spec.Filename = fmt.Sprintf("%s_part%d%s", strings.TrimSuffix(spec.Filename, ext), i, ext)
		n.DeliverableSpec = &spec
	}
	return n
}
