package kernel

import (
	"slices"

	"sluice/internal/digest"
	"sluice/internal/fault"
	"sluice/internal/graph"
)

func decideOpen(r *Run, c Open) ([]Fact, error) {
	if r.id != "" {
		return nil, fault.New(fault.RunExists, string(r.id), "run %s exists already", r.id).With(inspect(r.id))
	}
	if err := checkWord("run id", string(c.Run)); err != nil {
		return nil, err
	}
	if c.Line == "" {
		return nil, fault.New(fault.BadValue, string(c.Run), "run %s names no line", c.Run)
	}
	if c.Definition != "" {
		if _, err := digest.Parse(string(c.Definition)); err != nil {
			return nil, fault.Wrap(fault.BadValue, string(c.Run), err, "run %s names no proper definition", c.Run)
		}
	}
	if len(c.Nodes) == 0 {
		return nil, fault.New(fault.BadValue, string(c.Run), "run %s begins without a node", c.Run)
	}
	if err := r.fit(c.Nodes); err != nil {
		return nil, err
	}
	opened := RunOpened{Run: c.Run, Line: c.Line, Definition: c.Definition, Title: c.Title, Labels: c.Labels, Settings: c.Settings}
	return []Fact{opened, NodesAdded{Nodes: c.Nodes}}, nil
}

func decideUnfold(r *Run, c Unfold) ([]Fact, error) {
	if c.After != "" {
		v, ok := r.versions[c.After]
		if !ok {
			return nil, fault.New(fault.UnknownVersion, string(c.After), "run %s has no version %q", r.id, c.After).With(inspect(r.id))
		}
		from := r.nodes[v.Node]
		if from.approved != v {
			return nil, refuse(fault.IllegalStep, from, "version %s is not the approved one; nothing follows from it", v.ID)
		}
		if from.unfolded == v.ID {
			return nil, refuse(fault.IllegalStep, from, "what follows from %s is recorded already", v.ID)
		}
	}
	wanted := make([]Node, 0, len(c.Nodes))
	var again []*node
	for _, spec := range c.Nodes {
		if n, exists := r.nodes[spec.ID]; !exists {
			wanted = append(wanted, spec)
		} else if n.abandoned {
			again = append(again, n)
		}
	}
	if err := r.fit(wanted); err != nil {
		return nil, err
	}
	var facts []Fact
	if c.After != "" || len(wanted) > 0 {
		facts = append(facts, NodesAdded{After: c.After, Nodes: wanted})
	}
	facts = append(facts, wantedAgain(again)...)
	for _, id := range c.Abandon {
		n, err := r.find(id)
		if err != nil {
			return nil, err
		}
		if !n.abandoned {
			facts = append(facts, NodeAbandoned{Node: id, Reason: "no longer wanted"})
		}
	}
	return facts, nil
}

// wantedAgain reopens abandoned nodes that the line names again: those that can come back, with what they stand on.
func wantedAgain(nodes []*node) []Fact {
	slices.SortFunc(nodes, func(a, b *node) int { return a.index - b.index })
	back := map[*node]bool{}
	var facts []Fact
	for again := true; again; {
		again = false
		for _, n := range nodes {
			if !back[n] && n.reopenable(back) == nil {
				back[n], again = true, true
				facts = append(facts, NodeReopened{Node: n.ID, Reason: "wanted again"})
			}
		}
	}
	return facts
}

// fit checks new nodes against each other and against the run: names, neighbours, and that no two wait for each other.
func (r *Run) fit(added []Node) error {
	fresh := make(map[NodeID]*Node, len(added))
	for i := range added {
		n := &added[i]
		if err := n.validate(); err != nil {
			return err
		}
		if _, twice := fresh[n.ID]; twice {
			return fault.New(fault.BadNode, string(n.ID), "node %s is recorded twice", n.ID)
		}
		fresh[n.ID] = n
	}
	kind := func(id NodeID) Kind {
		if n, ok := fresh[id]; ok {
			return n.Kind
		}
		if n, ok := r.nodes[id]; ok {
			return n.Kind
		}
		return ""
	}
	for _, n := range added {
		if n.Parent != "" && kind(n.Parent) != Group {
			return fault.New(fault.BadNode, string(n.ID), "node %s has parent %q, which is no group of the run", n.ID, n.Parent)
		}
		if n.Kind == Check && kind(n.Target) != Make {
			return fault.New(fault.BadNode, string(n.ID), "check %s has target %q, which is no make of the run", n.ID, n.Target)
		}
		seen := map[NodeID]bool{}
		for _, need := range n.Needs {
			if kind(need.Node) == "" || need.Node == n.ID || need.Node == n.Target || seen[need.Node] {
				return fault.New(fault.BadNode, string(n.ID), "node %s needs %q, which is unknown, itself, its target or named twice", n.ID, need.Node)
			}
			seen[need.Node] = true
		}
	}
	return r.acyclic(added, fresh)
}

// acyclic refuses nodes that would wait for each other for ever. A check and its target wait together; a group waits
// for its children.
func (r *Run) acyclic(added []Node, fresh map[NodeID]*Node) error {
	unit := func(id NodeID) string {
		if n, ok := fresh[id]; ok && n.Kind == Check {
			return string(n.Target)
		}
		if n, ok := r.nodes[id]; ok && n.Kind == Check {
			return string(n.Target)
		}
		return string(id)
	}
	g := &graph.Graph{}
	seen := map[*node]bool{}
	for _, n := range added {
		self := unit(n.ID)
		g.AddNode(self)
		if target, ok := r.nodes[n.Target]; ok {
			addDownstream(g, target, seen)
		}
		for _, need := range n.Needs {
			if from := unit(need.Node); from != self {
				g.AddEdge(from, self)
			}
		}
		if n.Parent == "" {
			continue
		}
		g.AddEdge(self, string(n.Parent))
		if group, ok := r.nodes[n.Parent]; ok {
			addDownstream(g, group, seen)
		}
	}
	_, err := g.Order()
	return err
}

// addDownstream adds what waits for an existing group that gains a child, or for an existing make that gains a check, so
// that a newcomer which needs it is found out.
func addDownstream(g *graph.Graph, n *node, seen map[*node]bool) {
	if seen[n] {
		return
	}
	seen[n] = true
	for _, e := range n.dependants {
		to := e.to
		if to.target != nil {
			to = to.target
		}
		if to != n {
			g.AddEdge(string(n.ID), string(to.ID))
			addDownstream(g, to, seen)
		}
	}
	if n.parent != nil {
		g.AddEdge(string(n.ID), string(n.parent.ID))
		addDownstream(g, n.parent, seen)
	}
}

func decideRevise(r *Run, c Revise) ([]Fact, error) {
	if len(c.Nodes) == 0 {
		return nil, fault.New(fault.BadValue, string(r.id), "nothing is named to be made again").With(inspect(r.id))
	}
	var redo []NodeID
	for _, id := range c.Nodes {
		n, err := r.find(id)
		if err != nil {
			return nil, err
		}
		switch {
		case n.Kind == Group || n.abandoned:
			return nil, refuse(fault.IllegalStep, n, "node %s is a %s and %s; it cannot be made again", n.ID, n.Kind, n.status)
		case n.redo:
			continue // the same wish, not yet fulfilled: it goes on
		case n.open != nil:
			return nil, refuse(fault.AttemptOpen, n, "attempt %s at node %s is under way", n.open.ID, n.ID)
		case n.Kind == Make && n.newest == nil, n.Kind == Check && (n.target == nil || n.target.newest == nil):
			if n.status == StatusFailed || n.status == StatusHeld || n.isUsedUp() {
				return nil, refuse(fault.IllegalStep, n, "node %s is %s and has nothing to throw away", n.ID, n.status)
			}
			continue // it will be made anyway
		}
		if !slices.Contains(redo, id) {
			redo = append(redo, id)
		}
	}
	if len(redo) == 0 {
		return nil, nil
	}
	return []Fact{RedoRequested{Nodes: redo, Note: c.Note}}, nil
}

func decideRollback(r *Run, c Rollback) ([]Fact, error) {
	if err := r.decidedByPerson(c.By); err != nil {
		return nil, err
	}
	var from []*node
	for _, id := range c.Nodes {
		n, err := r.find(id)
		if err != nil {
			return nil, err
		}
		from = append(from, n)
	}
	facts := r.rollbackFacts(from, c.Reason)
	if len(facts) == 0 {
		return nil, fault.New(fault.IllegalStep, string(r.id), "nothing from there on has content to roll back").
			With(fault.Action{Action: "run", Why: "the run goes on by itself from here"})
	}
	return facts, nil
}

// decidedByPerson refuses a rollback that nobody wished for: it is the one way in which approval moves back.
func (r *Run) decidedByPerson(by Actor) error {
	if by.Kind == Engine || by.Kind == Rule || by.Kind == "" {
		return fault.New(fault.PersonRequired, string(r.id), "going back is a person's decision, and this comes from %s", by).With(inspect(r.id))
	}
	return nil
}

// rollbackFacts withdraws what is under way in the nodes and all that depends on them, and takes them back.
func (r *Run) rollbackFacts(from []*node, reason string) []Fact {
	var facts []Fact
	back := RolledBack{N: len(r.rollbacks) + 1, Reason: reason}
	redo := RedoRequested{Note: reason}
	all := downstream(from)
	set := make(map[*node]bool, len(all))
	for _, n := range all {
		set[n] = true
	}
	for _, n := range all {
		if n.Kind == Group {
			continue
		}
		if n.Kind == Check && n.spoke() && !set[n.target] {
			redo.Nodes = append(redo.Nodes, n.ID) // its target stays, so it judges that again
		}
		if n.open != nil {
			facts = append(facts, withdraw(n.open, "rolled back"))
		}
		if n.newest != nil || n.redo || n.failure != nil || n.held || n.used > 0 {
			back.Nodes = append(back.Nodes, n.ID)
		}
	}
	if len(back.Nodes) > 0 {
		facts = append(facts, back)
	}
	if len(redo.Nodes) > 0 {
		facts = append(facts, redo)
	}
	return facts
}

// spoke tells whether a check has judged what stands now.
func (n *node) spoke() bool {
	return n.target != nil && n.target.newest != nil && n.reviewed[n.target.newest.ID] != nil
}

// downstream gives the nodes and everything that depends on them: by need, as a check, as a child of a group.
func downstream(from []*node) []*node {
	seen := map[*node]bool{}
	var all []*node
	var visit func(*node)
	visit = func(n *node) {
		if seen[n] {
			return
		}
		seen[n] = true
		all = append(all, n)
		for _, c := range n.checks {
			visit(c)
		}
		for _, c := range n.children {
			visit(c)
		}
		for _, e := range n.dependants {
			visit(e.to)
		}
		if n.parent != nil {
			for _, e := range n.parent.dependants {
				visit(e.to)
			}
		}
	}
	for _, n := range from {
		visit(n)
	}
	slices.SortFunc(all, func(a, b *node) int { return a.index - b.index })
	return all
}

func decideUndo(r *Run) ([]Fact, error) {
	for _, back := range slices.Backward(r.rollbacks) {
		if back.undone {
			continue
		}
		var facts []Fact
		seen := map[*node]bool{}
		stop := func(n *node) {
			if n.open != nil && !seen[n] {
				seen[n] = true
				facts = append(facts, withdraw(n.open, "the rollback is undone"))
			}
		}
		for _, s := range back.saved {
			stop(s.node)
			for _, c := range s.node.checks { // what they judge is put away
				stop(c)
			}
		}
		return append(facts, RollbackUndone{N: back.n}), nil
	}
	return nil, fault.New(fault.NothingToUndo, string(r.id), "run %s has no rollback to undo", r.id).
		With(fault.Action{Action: "run", Why: "the run goes on by itself from here"})
}

func decideResume(r *Run, c Resume) ([]Fact, error) {
	var facts []Fact
	if r.closing != "" {
		facts = append(facts, RunReopened{Reason: c.Reason})
	}
	back := map[*node]bool{}
	if c.From != "" {
		if err := r.decidedByPerson(c.By); err != nil {
			return nil, err
		}
		n, err := r.find(c.From)
		if err != nil {
			return nil, err
		}
		if n.status == StatusWaiting || n.status == StatusBlocked {
			err := refuse(fault.MissingPrerequisite, n, "node %s needs %s first; nothing is jumped over", n.ID, n.missing())
			if r.closing != "" {
				err.Next = []fault.Action{{Action: "resume", Why: "the run goes on where it was"}}
			}
			return nil, err
		}
		for _, d := range downstream([]*node{n}) {
			back[d] = true
		}
		facts = append(facts, r.rollbackFacts([]*node{n}, c.Reason)...)
	}
	for n := range r.failed.all() {
		if !back[n] {
			facts = append(facts, NodeReopened{Node: n.ID, Reason: c.Reason})
		}
	}
	return facts, nil
}

func decideCancel(r *Run, c Cancel) ([]Fact, error) {
	if r.Status() == RunDone && r.count[StatusDone] > 0 {
		return nil, fault.New(fault.IllegalStep, string(r.id), "run %s is done", r.id).
			With(fault.Action{Action: "revise", Why: "what stands is made again"})
	}
	return append(r.shutFacts(), RunClosed{Outcome: Cancelled, Reason: c.Reason}), nil
}

// shutFacts withdraws everything that is open.
func (r *Run) shutFacts() []Fact {
	var facts []Fact
	for n := range r.working.all() {
		facts = append(facts, withdraw(n.open, "the run is closed"))
	}
	for n := range r.outside.all() {
		facts = append(facts, withdraw(n.open, "the run is closed"))
	}
	for a := range r.open.all() {
		facts = append(facts, AskClosed{Ask: a.ID, Node: a.Node, Withdrawn: "the run is closed"})
	}
	return facts
}

// decideRelabel refuses what the law itself keeps as a label.
func decideRelabel(r *Run, c Relabel) ([]Fact, error) {
	var f RunRelabelled
	for k, v := range c.Set {
		if k == "" || k == LabelProvider || slices.Contains(c.Drop, k) {
			return nil, fault.New(fault.BadValue, string(r.id), "label %q cannot be set", k).With(inspect(r.id))
		}
		if old, ok := r.labels[k]; !ok || old != v {
			if f.Set == nil {
				f.Set = map[string]string{}
			}
			f.Set[k] = v
		}
	}
	for _, k := range c.Drop {
		if k == LabelProvider {
			return nil, fault.New(fault.BadValue, string(r.id), "label %q cannot be dropped", k).With(inspect(r.id))
		}
		if _, ok := r.labels[k]; ok && !slices.Contains(f.Drop, k) {
			f.Drop = append(f.Drop, k)
		}
	}
	if len(f.Set) == 0 && len(f.Drop) == 0 {
		return nil, nil
	}
	return []Fact{f}, nil
}
