package kernel

import (
	"maps"
	"time"
)

// Evolve applies one event. It never fails and never panics: a fact about something unknown, as a damaged journal may
// hold, changes nothing but the sequence number; verify is what reports it.
func Evolve(r *Run, e Event) {
	r.seq++
	r.updated = utc(e.At)
	switch f := e.Fact.(type) {
	case RunOpened:
		r.openRun(f, e.At)
	case NodesAdded:
		r.addNodes(f)
	case NodeAbandoned:
		r.with(f.Node, func(n *node) { n.abandoned, n.reason = true, f.Reason })
	case NodeReopened:
		r.with(f.Node, func(n *node) { n.freshStart(); n.abandoned, n.held, n.reason = false, false, "" })
	case NodeHeld:
		r.with(f.Node, func(n *node) { n.held, n.reason = true, f.Reason })
	case RedoRequested:
		for _, id := range f.Nodes {
			r.with(id, func(n *node) { n.requestRedo(f.Note) })
		}
	case AttemptBegan:
		r.beginAttempt(f, e.At)
	case AttemptClosed:
		r.closeAttempt(f, e.At)
	case VersionStored:
		r.storeVersion(f)
	case OfferTaken:
		r.takeOffer(f)
	case ReviewRecorded:
		r.recordReview(f.Review)
	case VersionApproved:
		r.approveVersion(f)
	case VersionRejected:
		r.rejectVersion(f)
	case AskOpened:
		r.openAsk(f.Ask)
	case AskClosed:
		r.closeAsk(f, e.By, e.At)
	case RolledBack:
		r.rollBack(f)
	case RollbackUndone:
		r.undoRollback(f.N)
	case RunClosed:
		r.closing = f.Outcome
	case RunReopened:
		r.closing = ""
		for n := range r.asking.all() { // their asks were withdrawn when the run was closed
			r.touch(n)
		}
	case RunRelabelled:
		r.relabel(f)
	case EvidenceRecorded:
		r.evidence = append(r.evidence, f.Evidence)
	}
}

// Fold applies many events, as when a run is loaded. What follows from them was settled when they were recorded.
func Fold(r *Run, events []Event) {
	for _, e := range events {
		Evolve(r, e)
	}
	r.settled()
}

// utc brings a time to the form in which it comes back from the journal, so that a run folded from it is the same.
func utc(t time.Time) time.Time { return t.UTC().Round(0) }

func (r *Run) settled() {
	for _, n := range r.touched {
		n.dirty = false
		n.judged = nil
	}
	r.touched = r.touched[:0]
}

// with changes one node, if it exists, and refreshes what depends on the change.
func (r *Run) with(id NodeID, change func(*node)) {
	n, ok := r.nodes[id]
	if !ok {
		return
	}
	change(n)
	r.refreshWithChecks(n)
}

// refreshWithChecks refreshes a node and the nodes that judge it or that it judges.
func (r *Run) refreshWithChecks(n *node) {
	r.refresh(n)
	for _, c := range n.checks {
		r.refresh(c)
	}
	if n.target != nil {
		r.refresh(n.target)
	}
}

func (r *Run) openRun(f RunOpened, at time.Time) {
	if r.id != "" {
		return
	}
	r.id, r.line, r.definition, r.title = f.Run, f.Line, f.Definition, f.Title
	r.labels, r.settings, r.opened = f.Labels, f.Settings, utc(at)
}

func (r *Run) addNodes(f NodesAdded) {
	if v, ok := r.versions[f.After]; ok {
		from := r.nodes[v.Node]
		from.unfolded = v.ID
		r.refresh(from)
	}
	if len(r.order) == 0 { // most nodes will have an attempt and a version
		r.nodes = make(map[NodeID]*node, len(f.Nodes))
		r.attempts = make(map[AttemptID]*Attempt, len(f.Nodes))
		r.versions = make(map[VersionID]*Version, len(f.Nodes))
	}
	added := make([]*node, 0, len(f.Nodes))
	for _, spec := range f.Nodes {
		if _, exists := r.nodes[spec.ID]; exists {
			continue
		}
		n := &node{Node: spec, index: len(r.order), allowed: spec.Attempts}
		r.nodes[n.ID] = n
		r.order = append(r.order, n)
		added = append(added, n)
	}
	for _, n := range added {
		r.connect(n)
	}
	for _, n := range added {
		if n.countsForParent() {
			n.parent.kids++
		}
	}
	for _, n := range added {
		r.refreshWithChecks(n)
	}
}

// connect ties a node to its neighbours. Decide refuses nodes whose neighbours do not exist; a damaged journal must still
// fold, and such a node waits for ever.
func (r *Run) connect(n *node) {
	n.parent = r.nodes[n.Parent]
	if n.parent != nil {
		n.parent.children = append(n.parent.children, n)
	}
	if n.Kind == Check {
		n.reviewed = map[VersionID]*Review{}
		n.target = r.nodes[n.Target]
		if n.target != nil {
			n.target.checks = append(n.target.checks, n)
		} else {
			n.abandoned = true
		}
	}
	for i, need := range n.Needs {
		from := r.nodes[need.Node]
		n.needs = append(n.needs, from)
		if from == nil {
			n.unmet++
			continue
		}
		from.dependants = append(from.dependants, edge{n, need, i})
		met, dead := need.met(from.status)
		if !met {
			n.unmet++
		}
		if dead {
			n.dead++
		}
	}
	if n.Alternative != "" {
		n.rivals = r.alternatives[n.Alternative]
		if n.rivals == nil {
			n.rivals = &rivals{}
			r.alternatives[n.Alternative] = n.rivals
		}
		n.rivals.nodes = append(n.rivals.nodes, n)
	}
}

// freshStart gives a node its attempts again.
func (n *node) freshStart() {
	n.used, n.failure, n.wantsHelp = 0, nil, false
	n.allowed = max(1, n.Attempts)
}

func (n *node) requestRedo(note string) {
	n.freshStart()
	n.redo, n.held = true, false
	n.take++
	if note != "" {
		n.notes = append(n.notes, note)
	}
}

// renewChecks gives the checks of a node that has a new newest version their attempts again: it is other work.
func (r *Run) renewChecks(n *node) {
	for _, c := range n.checks {
		c.used, c.failure, c.wantsHelp = 0, nil, false
	}
}

func (r *Run) beginAttempt(f AttemptBegan, at time.Time) {
	if _, twice := r.attempts[f.Attempt]; twice {
		return
	}
	r.with(f.Node, func(n *node) {
		a := &Attempt{ID: f.Attempt, Node: f.Node, N: f.N, Take: f.Take, Performer: f.Performer, Inputs: f.Inputs,
			Subject: f.Subject, Reviews: f.Reviews, Notes: f.Notes, Began: utc(at), seq: r.seq}
		r.attempts[a.ID] = a
		n.attempts = max(n.attempts, f.N)
		if n.open != nil { // a person submits beside the work in progress
			return
		}
		n.open = a
		n.failure, n.wantsHelp = nil, false
		r.countOpen(n, a, true)
	})
}

// countOpen keeps the index of attempts that the engine must perform, and of those in other hands.
func (r *Run) countOpen(n *node, a *Attempt, opened bool) {
	if a.Performer.Kind == Engine {
		r.working.set(n, opened)
	} else {
		r.outside.set(n, opened)
	}
}

func (r *Run) closeAttempt(f AttemptClosed, at time.Time) {
	a, ok := r.attempts[f.Attempt]
	if !ok || a.Outcome != "" {
		return
	}
	a.Outcome, a.Ended = f.Snapshot.Outcome, utc(at)
	r.addUsage(f.Snapshot.Usage)
	if f.Snapshot.Provider != "" && r.provider != ProviderReal {
		r.setProvider(f.Snapshot.Provider)
	}
	r.with(a.Node, func(n *node) {
		if n.open == a {
			n.open = nil
			r.countOpen(n, a, false)
		}
		n.last = a
		n.settleAttempt(f, a.Performer.Kind == Engine || a.Performer.Kind == Client)
	})
}

// setProvider keeps the class of provider, also as a label, so that lists can show and find it.
func (r *Run) setProvider(class string) {
	if r.provider == class {
		return
	}
	r.provider = class
	r.relabel(RunRelabelled{Set: map[string]string{LabelProvider: class}})
}

// relabel makes new labels of the old ones: those who read the run keep theirs.
func (r *Run) relabel(f RunRelabelled) {
	labels := maps.Clone(r.labels)
	if labels == nil {
		labels = map[string]string{}
	}
	maps.Copy(labels, f.Set)
	for _, k := range f.Drop {
		delete(labels, k)
	}
	r.labels = labels
}

// settleAttempt counts the attempt, unless a person made it, and keeps what its end means for the node.
func (n *node) settleAttempt(f AttemptClosed, counts bool) {
	switch f.Snapshot.Outcome {
	case Judged:
		n.redo, n.notes, n.used = false, nil, 0
	case Delivered:
		n.redo, n.notes = false, nil
		if counts {
			n.used++
		}
	case Unusable:
		n.take++
		if counts {
			n.used++
		}
	}
	if f.Snapshot.Review != "" { // also of a check that failed and counts as a verdict against
		n.redo = false
	}
	if f.Then == "" {
		return
	}
	n.wantsHelp = f.Then == AskPerson
	n.failure = &StepError{Code: "failed", Final: true}
	if errs := f.Snapshot.Errors; len(errs) > 0 {
		n.failure = &errs[len(errs)-1]
	}
}

func (r *Run) addUsage(u Usage) {
	r.usage.Calls += u.Calls
	r.usage.Reused += u.Reused
	r.usage.InputTokens += u.InputTokens
	r.usage.OutputTokens += u.OutputTokens
}

func (r *Run) storeVersion(f VersionStored) {
	v := f.Version
	if _, twice := r.versions[v.ID]; twice || r.nodes[v.Node] == nil {
		return
	}
	v.Seq, v.variants, v.offered, v.rank = r.seq, f.Variants, f.Offered, r.seq
	r.versions[v.ID] = &v
	r.with(v.Node, func(n *node) {
		n.versions = append(n.versions, &v)
		if f.Offered {
			n.offer = &v
			return
		}
		n.newest = &v
		n.judged = append(n.judged, &v)
		r.renewChecks(n)
	})
}

func (r *Run) takeOffer(f OfferTaken) {
	v, ok := r.versions[f.Version]
	if !ok || !v.offered {
		return
	}
	r.with(v.Node, func(n *node) {
		v.offered, v.rank = false, r.seq
		r.renewChecks(n)
		n.newest, n.offer = v, nil
		n.judged = append(n.judged, v)
	})
}

func (r *Run) recordReview(review Review) {
	v, ok := r.versions[review.Version]
	if _, twice := r.reviews[review.ID]; !ok || twice {
		return
	}
	v.reviews = append(v.reviews, &review)
	r.reviews[review.ID] = &review
	if c, ok := r.nodes[review.Check]; ok && c.reviewed != nil {
		c.reviewed[v.ID] = &review
		if review.By.IsHuman() { // a person spoke in its place, or for it after a hold
			c.redo, c.held, c.failure, c.wantsHelp = false, false, nil, false
		}
		r.refresh(c)
	}
	r.with(v.Node, func(n *node) {
		n.judged = append(n.judged, v)
		if review.By.IsHuman() && v == n.newest {
			n.held = false // a word on it ends that it was put aside
		}
	})
}

func (r *Run) approveVersion(f VersionApproved) {
	v, ok := r.versions[f.Version]
	if !ok {
		return
	}
	v.state = approved
	r.with(v.Node, func(n *node) {
		if !v.away && (n.approved == nil || v.rank >= n.approved.rank) {
			r.approve(n, v)
		}
		if v == n.newest {
			n.freshStart()
		}
	})
}

func (r *Run) rejectVersion(f VersionRejected) {
	v, ok := r.versions[f.Version]
	if !ok {
		return
	}
	v.state, v.sentBack = rejected, v.sentBack || f.Fresh
	r.with(v.Node, func(n *node) {
		if v != n.newest {
			return
		}
		n.take++
		if f.Fresh {
			n.freshStart()
		}
		switch f.Then {
		case FailNode:
			n.failure = &StepError{Code: "rejected", Class: Permanent, Final: true, Message: "the newest version was rejected"}
		case AskPerson:
			n.wantsHelp = true
		}
	})
}

func (r *Run) openAsk(a Ask) {
	if _, twice := r.asks[a.ID]; twice || r.nodes[a.Node] == nil {
		return
	}
	r.askCount++
	r.asks[a.ID] = &a
	r.open.set(&a, true)
	r.with(a.Node, func(n *node) { n.asks = append(n.asks, &a) })
}

func (r *Run) closeAsk(f AskClosed, by Actor, at time.Time) {
	a, ok := r.asks[f.Ask]
	if !ok || a.closed {
		return
	}
	a.closed, a.closing, a.closer, a.at = true, f, by, utc(at)
	r.open.set(a, false)
	r.with(a.Node, func(n *node) {
		if a.Reason == OfferAsks && f.Withdrawn == "" {
			n.offer = nil
		}
		for i, other := range n.asks {
			if other == a {
				n.asks = append(n.asks[:i:i], n.asks[i+1:]...)
				return
			}
		}
	})
}

func (r *Run) rollBack(f RolledBack) {
	back := rollback{n: f.N}
	for _, id := range f.Nodes {
		n, ok := r.nodes[id]
		if !ok {
			continue
		}
		back.saved = append(back.saved, savedNode{node: n, newest: n.newest, approved: n.approved, offer: n.offer,
			live: n.putAway(), redo: n.redo, held: n.held, failure: n.failure, wantsHelp: n.wantsHelp, used: n.used})
		if n.newest != nil {
			n.take++
		}
		n.newest, n.offer, n.redo, n.held = nil, nil, false, false
		n.freshStart()
	}
	r.rollbacks = append(r.rollbacks, back)
	for _, s := range back.saved {
		r.approve(s.node, nil)
	}
	for _, s := range back.saved {
		r.refreshWithChecks(s.node)
	}
}

// putAway marks the versions of a node as put away, and gives those that were not so before.
func (n *node) putAway() []*Version {
	var live []*Version
	for _, v := range n.versions {
		if !v.away {
			v.away = true
			live = append(live, v)
		}
	}
	return live
}

// undoRollback puts back what a rollback put away, in place of what was made since. What the line derived since then
// stays recorded; if it came from another version, the line is asked again.
func (r *Run) undoRollback(number int) {
	for i := range r.rollbacks {
		back := &r.rollbacks[i]
		if back.n != number || back.undone {
			continue
		}
		back.undone = true
		for _, s := range back.saved {
			n := s.node
			n.putAway()
			for _, v := range s.live {
				v.away = false
			}
			n.newest, n.offer, n.redo, n.held = s.newest, s.offer, s.redo, s.held
			n.failure, n.wantsHelp, n.used = s.failure, s.wantsHelp, s.used
			r.approve(n, s.approved)
		}
		for _, s := range back.saved {
			r.refreshWithChecks(s.node)
		}
	}
}
