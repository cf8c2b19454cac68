package kernel

import (
	"bytes"
	"encoding/gob"

	"sluice/internal/fault"
)

// FromImage rebuilds a run from its image: the facts are taken over, everything else is derived again. An image of
// another revision, or one that does not hold together, is refused: fold the journal instead.
func FromImage(raw []byte) (*Run, error) {
	var im image
	if err := gob.NewDecoder(bytes.NewReader(raw)).Decode(&im); err != nil {
		return nil, fault.Wrap(fault.StoreCorrupt, "fold", err, "a folded state does not parse")
	}
	if im.Revision != FoldRevision {
		return nil, fault.New(fault.StoreCorrupt, "fold", "a folded state has revision %q, not %q", im.Revision, FoldRevision)
	}
	l := loader{im: &im, r: NewRun()}
	l.run()
	l.nodes()
	l.asks()
	l.rollbacks()
	if l.broken == "" {
		l.derive()
	}
	if l.broken != "" {
		return nil, fault.New(fault.StoreCorrupt, "fold", "a folded state names %s, which it does not hold", l.broken)
	}
	return l.r, nil
}

// loader rebuilds one run. It keeps going after a name that leads nowhere, so that each stage stays short, and
// remembers it.
type loader struct {
	im     *image
	r      *Run
	broken string
}

func (l *loader) run() {
	r, im := l.r, l.im
	r.id, r.line, r.definition, r.title = im.ID, im.Line, im.Definition, im.Title
	r.settings, r.opened, r.updated, r.seq = im.Settings, im.Opened.UTC(), im.Updated.UTC(), im.Seq
	r.closing, r.provider, r.askCount, r.usage, r.evidence = im.Closing, im.Provider, im.AskCount, im.Usage, im.Evidence
	if len(im.Labels) > 0 {
		r.labels = make(map[string]string, len(im.Labels))
		for _, label := range im.Labels {
			r.labels[label.Key] = label.Value
		}
	}
	r.nodes = make(map[NodeID]*node, len(im.Nodes))
	r.order = make([]*node, 0, len(im.Nodes))
	r.attempts = make(map[AttemptID]*Attempt, len(im.Attempts))
	for i := range im.Attempts {
		a := &im.Attempts[i].Attempt
		a.seq = im.Attempts[i].Seq
		r.attempts[a.ID] = a
	}
}

func (l *loader) nodes() {
	r := l.r
	for i := range l.im.Nodes {
		in := &l.im.Nodes[i]
		n := &node{Node: in.Node, index: i, attempts: in.Attempts, used: in.Used, take: in.Take, redo: in.Redo,
			allowed: in.Allowed, notes: in.Notes, failure: in.Failure, wantsHelp: in.WantsHelp, held: in.Held,
			reason: in.Reason, unfolded: in.Unfolded}
		if r.nodes[n.ID] != nil {
			l.broken = "node " + string(n.ID) + " twice"
		}
		r.nodes[n.ID] = n
		r.order = append(r.order, n)
		for j := range in.Versions {
			l.version(n, &in.Versions[j])
		}
		n.newest, n.approved, n.offer = l.versionOf(in.Newest), l.versionOf(in.Approved), l.versionOf(in.Offer)
		n.open, n.last = l.attemptOf(in.Open), l.attemptOf(in.Last)
	}
	for _, a := range r.attempts {
		if r.nodes[a.Node] == nil {
			l.broken = "node " + string(a.Node)
		}
	}
	for _, n := range r.order {
		r.connect(n)
	}
	for i, n := range r.order {
		n.abandoned = l.im.Nodes[i].Abandoned // after connect, which abandons a check without a target
		if n.countsForParent() {
			n.parent.kids++
		}
		for _, v := range n.versions {
			for _, review := range v.reviews {
				if c := r.nodes[review.Check]; c != nil && c.reviewed != nil {
					c.reviewed[v.ID] = review
				}
			}
		}
	}
}

func (l *loader) version(n *node, iv *imageVersion) {
	v := &iv.Version
	v.state, v.variants, v.offered, v.rank = iv.State, iv.Variants, iv.Offered, iv.Rank
	v.sentBack, v.away = iv.SentBack, iv.Away
	if v.Node != n.ID {
		l.broken = "version " + string(v.ID) + " of another node"
	}
	for k := range iv.Reviews {
		review := &iv.Reviews[k].Review
		if iv.Reviews[k].Zero {
			review.Score = new(float64)
		}
		v.reviews = append(v.reviews, review)
		l.r.reviews[review.ID] = review
	}
	n.versions = append(n.versions, v)
	l.r.versions[v.ID] = v
}

func (l *loader) asks() {
	r := l.r
	for i := range l.im.Asks {
		ia := &l.im.Asks[i]
		a := &ia.Ask
		a.closed, a.closing, a.closer, a.at = ia.Closed, ia.Closing, ia.Closer, ia.At
		if r.nodes[a.Node] == nil {
			l.broken = "node " + string(a.Node)
		}
		r.asks[a.ID] = a
	}
	for _, id := range l.im.Open {
		if a := l.askOf(id); a != nil {
			r.open.set(a, true)
		}
	}
	for i, n := range r.order {
		for _, id := range l.im.Nodes[i].Asks {
			if a := l.askOf(id); a != nil {
				n.asks = append(n.asks, a)
			}
		}
	}
}

func (l *loader) rollbacks() {
	for _, ib := range l.im.Rollbacks {
		back := rollback{n: ib.N, undone: ib.Undone}
		for _, s := range ib.Saved {
			n := l.nodeAt(s.Node)
			if n == nil {
				continue
			}
			saved := savedNode{node: n, newest: l.versionOf(s.Newest), approved: l.versionOf(s.Approved), offer: l.versionOf(s.Offer),
				redo: s.Redo, held: s.Held, wantsHelp: s.WantsHelp, failure: s.Failure, used: s.Used}
			for _, id := range s.Live {
				if v := l.versionOf(id); v != nil {
					saved.live = append(saved.live, v)
				}
			}
			back.saved = append(back.saved, saved)
		}
		l.r.rollbacks = append(l.r.rollbacks, back)
	}
	l.fill(&l.r.working, l.im.Working)
	l.fill(&l.r.outside, l.im.Outside)
	for n := range l.r.working.all() {
		l.mustWork(n)
	}
	for n := range l.r.outside.all() {
		l.mustWork(n)
	}
}

// mustWork refuses a set of work that holds a node without work: everyone who reads the set relies on it.
func (l *loader) mustWork(n *node) {
	if n.open == nil {
		l.broken = "an open attempt of " + string(n.ID)
	}
}

func (l *loader) fill(s *orderedSet[*node], at []int) {
	for _, i := range at {
		if n := l.nodeAt(i); n != nil {
			s.set(n, true)
		}
	}
}

// derive computes what the image leaves out. A status may pass through others on the way, so the sets that follow from
// it are put into their recorded order afterwards.
func (l *loader) derive() {
	r := l.r
	for _, n := range r.order {
		n.usedInputs, n.staleBy = r.inputsOf(n)
	}
	for _, n := range r.order {
		r.refresh(n)
	}
	r.settled()
	l.reorder(&r.failed, l.im.Failed)
	l.reorder(&r.asking, l.im.Asking)
	l.reorder(&r.unfolding, l.im.Unfolding)
}

func (l *loader) reorder(s *orderedSet[*node], at []int) {
	derived := *s
	*s = orderedSet[*node]{}
	for _, i := range at {
		n := l.nodeAt(i)
		if n == nil || !derived.has(n) {
			l.broken = "a set with a node that is not of it"
			return
		}
		s.set(n, true)
	}
	if s.len() != derived.len() {
		l.broken = "a set without one of its nodes"
	}
}

func (l *loader) nodeAt(i int) *node {
	if i < 0 || i >= len(l.r.order) {
		l.broken = "a node that is not there"
		return nil
	}
	return l.r.order[i]
}

func (l *loader) versionOf(id VersionID) *Version {
	v := l.r.versions[id]
	if v == nil && id != "" {
		l.broken = "version " + string(id)
	}
	return v
}

func (l *loader) attemptOf(id AttemptID) *Attempt {
	a := l.r.attempts[id]
	if a == nil && id != "" {
		l.broken = "attempt " + string(id)
	}
	return a
}

func (l *loader) askOf(id AskID) *Ask {
	a := l.r.asks[id]
	if a == nil {
		l.broken = "ask " + string(id)
	}
	return a
}
