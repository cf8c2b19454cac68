package task

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// Change is one thing that a rewrite does to a plan, and the finding it answers.
type Change struct {
	Code    string `json:"code"`
	Node    string `json:"node,omitempty"`
	Message string `json:"message"`
}

// Rewrite proposes a document without the findings that have a mechanical answer: missing CHECKs and fields are filled
// in, spare CHECKs abandoned, loose nodes put under the root, leaves that are too large split. What needs thought is
// left: a doctor finds it in the proposal too.
func Rewrite(d Document, s Settings) (Document, []Change) {
	w := &rewrite{doc: clone(d), settings: s}
	w.structure()
	w.fields()
	w.split()
	w.checks()
	w.assembly()
	return w.doc, w.told()
}

// clone copies what a rewrite changes.
func clone(d Document) Document {
	d.Nodes, d.Edges = slices.Clone(d.Nodes), slices.Clone(d.Edges)
	for i := range d.Nodes {
		d.Nodes[i].AcceptanceCriteria = slices.Clone(d.Nodes[i].AcceptanceCriteria)
		if s := d.Nodes[i].DeliverableSpec; s != nil {
			spec := *s
			d.Nodes[i].DeliverableSpec = &spec
		}
		if f := d.Nodes[i].FinalDeliverableSpec; f != nil {
			final := *f
			final.IncludeChildren = slices.Clone(f.IncludeChildren)
			d.Nodes[i].FinalDeliverableSpec = &final
		}
	}
	return d
}

type rewrite struct {
	doc      Document
	settings Settings
	better   map[string][]part // how a model would split a leaf
	changes  listed[Change]
}

// told gives the changes, and says so if there are more than are listed.
func (w *rewrite) told() []Change {
	return w.changes.all(func(n int) Change {
		return Change{Code: MoreFindings, Message: fmt.Sprintf("%d more changes are not listed", n)}
	})
}

func (w *rewrite) change(code, node, format string, args ...any) {
	w.changes.add(Change{Code: code, Node: node, Message: fmt.Sprintf(format, args...)})
}

func (w *rewrite) link(t EdgeType, from, to string) {
	w.doc.Edges = append(w.doc.Edges, Edge{EdgeID: deriveID("edge", w.doc.Plan.PlanID, string(t), from, to), FromTaskID: from, ToTaskID: to, EdgeType: t})
}

// structure drops edges that lead nowhere and puts what hangs in the air under the root.
func (w *rewrite) structure() {
	seen := map[string]bool{}
	for _, n := range w.doc.Nodes {
		seen[n.TaskID] = true
	}
	w.doc.Edges = slices.DeleteFunc(w.doc.Edges, func(e Edge) bool {
		lost := !seen[e.FromTaskID] || !seen[e.ToTaskID]
		if lost {
			w.change(UnknownEnd, "", "edge %s leads nowhere and is removed", e.EdgeID)
		}
		return lost || e.FromTaskID == e.ToTaskID && w.loop(e)
	})
	root := w.doc.Plan.RootTaskID
	c := NewChart(&w.doc)
	if c.typeOf(root) != Goal {
		return
	}
	var loose []string
	for i := range w.doc.Nodes {
		n := &w.doc.Nodes[i]
		_, reached := c.Depth(n.TaskID)
		if c.nodes[n.TaskID] == n && n.NodeType != Check && !reached && len(c.wholes[n.TaskID]) == 0 {
			loose = append(loose, n.TaskID)
			w.change(Unreachable, n.TaskID, "%s %q becomes part of the root", n.NodeType, n.Title)
		}
	}
	for _, id := range loose {
		w.link(Decompose, root, id)
	}
}

func (w *rewrite) loop(e Edge) bool {
	w.change(CycleFound, e.FromTaskID, "edge %s leads from a node to itself and is removed", e.EdgeID)
	return true
}

// fields fills in what nodes do not say, with what is true of most.
func (w *rewrite) fields() {
	for i := range w.doc.Nodes {
		n := &w.doc.Nodes[i]
		if n.Status == Abandoned {
			continue
		}
		if n.Title == "" {
			n.Title = string(n.NodeType) + " " + short(n.TaskID)
			w.change(MissingField, n.TaskID, "its title is %q", n.Title)
		}
		if len(n.Title) > maxTitle {
			n.Title = cutText(n.Title, 200)
			w.change(BadField, n.TaskID, "its title is cut short: %q", n.Title)
		}
		switch n.NodeType {
		case Action:
			w.action(n)
		case Check:
			if s := n.ReviewOutputSpec; s == nil || s.ApprovedFilename != ApprovedFilename || s.RejectedFilename != RejectedFilename {
				n.ReviewOutputSpec = &ReviewOutputSpec{ApprovedFilename, RejectedFilename}
				w.change(MissingField, n.TaskID, "CHECK %q writes APPROVED.md or REJECTED.md", n.Title)
			}
		}
		if n.TaskID == w.doc.Plan.RootTaskID && n.NodeType == Goal && len(n.RootAcceptanceCriteria) == 0 {
			n.RootAcceptanceCriteria = []Criterion{{ID: "RC-1", Type: "content", Statement: w.doc.Plan.TopTask, CheckMethod: ManualReview, Severity: Blocker, CoveredBy: []string{n.TaskID}}}
			w.change(RootCriteriaMissing, n.TaskID, "the top task as a whole is the root's criterion, met by everything under it")
		}
	}
}

func (w *rewrite) action(n *Node) {
	if n.EstimatedPersonDays <= 0 {
		n.EstimatedPersonDays = min(1, max(w.settings.OneShotThresholdPersonDays, 0.5))
		w.change(MissingField, n.TaskID, "ACTION %q is taken for %s person-days", n.Title, days(n.EstimatedPersonDays))
	}
	if n.DeliverableSpec == nil {
		n.DeliverableSpec = &DeliverableSpec{}
	}
	w.spec(n, n.DeliverableSpec)
	if len(n.AcceptanceCriteria) == 0 {
		statement := n.GoalStatement
		if statement == "" {
			statement = n.Title
		}
		n.AcceptanceCriteria = []Criterion{{Statement: statement}}
	}
	taken := map[string]bool{}
	for i := range n.AcceptanceCriteria {
		k := &n.AcceptanceCriteria[i]
		before := *k
		for next := i + 1; k.ID == "" || taken[k.ID]; next++ {
			k.ID = fmt.Sprintf("AC-%d", next)
		}
		taken[k.ID] = true
		k.Type, k.CheckMethod, k.Severity = orText(k.Type, "content"), orText(k.CheckMethod, ManualReview), orText(k.Severity, Major)
		k.Statement = orText(k.Statement, n.Title)
		if before.ID != k.ID || before.Type != k.Type || before.CheckMethod != k.CheckMethod || before.Severity != k.Severity || before.Statement != k.Statement {
			w.change(MissingField, n.TaskID, "criterion %s of %q: %s (%s, %s)", k.ID, n.Title, cutText(k.Statement, 80), k.CheckMethod, k.Severity)
		}
	}
}

func (w *rewrite) spec(n *Node, s *DeliverableSpec) {
	before := *s
	if s.Format == "" {
		s.Format = orText(strings.TrimPrefix(path.Ext(s.Filename), "."), "md")
	}
	if s.Filename == "" || pathFlaw(s.Filename, true) != "" {
		s.Filename = Slug(n.Title) + "." + Slug(s.Format)
	}
	if s.OutputDir != "" && pathFlaw(s.OutputDir, false) != "" {
		s.OutputDir = ""
	}
	if s.SingleFile == nil {
		single := len(s.Files) == 0
		s.SingleFile = &single
	}
	if !*s.SingleFile {
		s.BundleMode = BundleManifest
		s.Files = slices.DeleteFunc(slices.Clone(s.Files), func(f string) bool { return pathFlaw(f, true) != "" })
		if len(s.Files) == 0 {
			s.Files = []string{s.Filename}
		}
	}
	if before.Format != s.Format || before.Filename != s.Filename || before.OutputDir != s.OutputDir || before.SingleFile == nil ||
		before.BundleMode != s.BundleMode || len(before.Files) != len(s.Files) {
		w.change(MissingField, n.TaskID, "ACTION %q hands over %s (%s)", n.Title, s.Filename, s.Format)
	}
}

func orText(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// checks gives every ACTION its one CHECK.
func (w *rewrite) checks() {
	c := NewChart(&w.doc)
	for i := range w.doc.Nodes {
		n := &w.doc.Nodes[i]
		if n.NodeType != Check || c.nodes[n.TaskID] != n {
			continue
		}
		if of := c.checks[n.ReviewTargetTaskID]; len(of) == 0 || of[0] != n.TaskID {
			w.abandon(n, CheckWithoutTarget, "CHECK %q has no ACTION of its own and is abandoned")
		}
	}
	for _, n := range slices.Clone(w.doc.Nodes) {
		if n.NodeType == Action && n.Status != Abandoned && len(c.checks[n.TaskID]) == 0 {
			w.doc.Nodes = append(w.doc.Nodes, checkOf(n, deriveID("check", w.doc.Plan.PlanID, n.TaskID), w.settings.Reviewer))
			w.change(ActionWithoutCheck, n.TaskID, "ACTION %q gets a CHECK", n.Title)
		}
	}
}

func (w *rewrite) abandon(n *Node, code, format string) {
	w.change(code, n.TaskID, format, n.Title)
	n.Status, n.ReviewTargetTaskID = Abandoned, ""
}

func checkOf(n Node, id, reviewer string) Node {
	return Node{TaskID: id, NodeType: Check, Title: "Review of " + n.Title, OwnerAgentID: reviewer, Priority: n.Priority,
		ReviewTargetTaskID: n.TaskID, ReviewOutputSpec: &ReviewOutputSpec{ApprovedFilename, RejectedFilename}}
}

// assembly lets the assembling ACTION depend on all it is made from.
func (w *rewrite) assembly() {
	c := NewChart(&w.doc)
	root, ok := c.Node(w.doc.Plan.RootTaskID)
	if !ok || root.FinalDeliverableSpec == nil || root.FinalDeliverableSpec.Mode != Assemble || c.typeOf(root.FinalDeliverableSpec.AssembleTaskID) != Action {
		return
	}
	for _, id := range c.unbound(*root.FinalDeliverableSpec) {
		w.link(DependsOn, id, root.FinalDeliverableSpec.AssembleTaskID)
		w.change(AssembleUnbound, id, "the assembling ACTION depends on %q", c.nodes[id].Title)
	}
}
