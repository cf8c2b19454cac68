package kernel

import (
	"fmt"
	"slices"

	"sluice/internal/digest"
)

// VerifyJournal folds a journal and reports what no law could have recorded: facts about unknown things, things closed
// twice, inputs that were not approved, reviews of other bytes than their version's, approvals without grounds. The
// journal of a healthy run has no violation, whichever revision of the law wrote it.
func VerifyJournal(events []Event) []Violation {
	w := witness{audit: audit{r: NewRun()}}
	for i, e := range events {
		before := len(w.found)
		w.check(e)
		for j := before; j < len(w.found); j++ {
			w.found[j].Seq = int64(i + 1)
		}
		Evolve(w.r, e)
	}
	w.r.settled()
	for _, n := range w.r.order {
		w.versions(n)
		w.attempts(n)
	}
	return w.found
}

// witness looks at each fact with the run as it was just before.
type witness struct{ audit }

func (w *witness) check(e Event) {
	r := w.r
	if _, first := e.Fact.(RunOpened); first != (r.id == "") {
		w.report(1, string(r.id), "the first event, and only that, opens a run; this is %s", e.Fact.word())
	}
	switch f := e.Fact.(type) {
	case NodesAdded:
		w.nodesAdded(f)
	case NodeAbandoned:
		w.node(f.Node)
	case NodeReopened:
		w.node(f.Node)
	case NodeHeld:
		w.node(f.Node)
	case RedoRequested:
		w.nodes(f.Nodes)
	case AttemptBegan:
		w.attemptBegan(f)
	case AttemptClosed:
		w.attemptClosed(f)
	case VersionStored:
		w.versionStored(f.Version)
	case OfferTaken:
		if v := w.version(f.Version, f.Node); v != nil && !v.offered {
			w.report(3, string(f.Version), "it is taken and was not offered")
		}
	case ReviewRecorded:
		w.reviewRecorded(f.Review)
	case VersionApproved:
		w.versionApproved(f)
	case VersionRejected:
		w.grounds(w.version(f.Version, f.Node), f.Reviews)
	case AskOpened:
		w.askOpened(f.Ask)
	case AskClosed:
		if a := r.asks[f.Ask]; a == nil {
			w.report(12, string(f.Ask), "it is closed and was never opened")
		} else if a.closed {
			w.report(12, string(f.Ask), "it is closed twice")
		}
	case RolledBack:
		w.nodes(f.Nodes)
		if e.By.Kind == Engine || e.By.Kind == Rule {
			w.report(3, fmt.Sprintf("rollback %d", f.N), "it was decided by %s and not by a person", e.By)
		}
	case RollbackUndone:
		if !slices.ContainsFunc(r.rollbacks, func(b rollback) bool { return b.n == f.N && !b.undone }) {
			w.report(3, fmt.Sprintf("rollback %d", f.N), "it is undone and was not done")
		}
	}
}

func (w *witness) node(id NodeID) *node {
	n := w.r.nodes[id]
	if n == nil {
		w.report(9, string(id), "it is no node of the run")
	}
	return n
}

func (w *witness) nodes(ids []NodeID) {
	for _, id := range ids {
		w.node(id)
	}
}

func (w *witness) version(id VersionID, of NodeID) *Version {
	v := w.r.versions[id]
	if v == nil {
		w.report(9, string(id), "it is no version of the run")
	} else if v.Node != of {
		w.report(3, string(id), "it is a version of %s and named for %s", v.Node, of)
	}
	return v
}

func (w *witness) nodesAdded(f NodesAdded) {
	if f.After != "" && w.r.versions[f.After] == nil {
		w.report(9, string(f.After), "nodes follow from it and it is no version of the run")
	}
	fresh := map[NodeID]bool{}
	for _, n := range f.Nodes {
		if fresh[n.ID] || w.r.nodes[n.ID] != nil {
			w.report(9, string(n.ID), "it is recorded twice")
		}
		fresh[n.ID] = true
	}
	for _, n := range f.Nodes {
		around := []NodeID{n.Parent, n.Target}
		for _, need := range n.Needs {
			around = append(around, need.Node)
		}
		for _, id := range around {
			if id != "" && !fresh[id] && w.r.nodes[id] == nil {
				w.report(9, string(n.ID), "it stands beside %s, which is no node of the run", id)
			}
		}
	}
}

func (w *witness) attemptBegan(f AttemptBegan) {
	w.node(f.Node)
	if w.r.attempts[f.Attempt] != nil {
		w.report(7, string(f.Attempt), "it begins twice")
	}
	for _, in := range f.Inputs {
		if v := w.r.Approved(in.Node); v == nil || v.ID != in.Version {
			w.report(6, string(f.Attempt), "its input %s was not the approved version of %s when it began", in.Version, in.Node)
		}
	}
}

func (w *witness) attemptClosed(f AttemptClosed) {
	a := w.r.attempts[f.Attempt]
	switch {
	case a == nil:
		w.report(7, string(f.Attempt), "it is closed and never began")
	case a.Outcome != "":
		w.report(7, string(f.Attempt), "it is closed twice: %s and %s", a.Outcome, f.Snapshot.Outcome)
	case f.Snapshot.Outcome == "":
		w.report(7, string(f.Attempt), "it is closed without an outcome")
	}
}

func (w *witness) versionStored(v Version) {
	w.node(v.Node)
	if w.r.versions[v.ID] != nil {
		w.report(2, string(v.ID), "it is stored twice")
	}
	if w.r.attempts[v.Attempt] == nil {
		w.report(7, string(v.ID), "it comes from attempt %q, which never began", v.Attempt)
	}
	if _, err := digest.Parse(string(v.Digest)); err != nil {
		w.report(2, string(v.ID), "its digest is %q", v.Digest)
	}
	for _, p := range v.Parents {
		if w.r.versions[p] == nil {
			w.report(6, string(v.ID), "it was made from %s, which is no version of the run", p)
		}
	}
}

func (w *witness) reviewRecorded(review Review) {
	if w.r.reviews[review.ID] != nil {
		w.report(5, string(review.ID), "it is recorded twice")
	}
	if v := w.version(review.Version, review.Node); v != nil && v.Digest != review.Digest {
		w.report(5, string(review.ID), "it judges bytes %s and %s has %s", review.Digest.Short(), v.ID, v.Digest.Short())
	}
	if review.Check == "" {
		return
	}
	if c := w.node(review.Check); c != nil && c.Target != review.Node {
		w.report(5, string(review.ID), "check %s speaks on %s and its target is %s", c.ID, review.Node, c.Target)
	}
}

// grounds checks that the reviews a decision names exist and are of its version, and gives them.
func (w *witness) grounds(v *Version, names []ReviewID) []*Review {
	if v == nil {
		return nil
	}
	var all []*Review
	for _, id := range names {
		review := w.r.reviews[id]
		if review == nil || review.Version != v.ID {
			w.report(5, string(v.ID), "it is judged by review %s, which is not one of it", id)
			continue
		}
		all = append(all, review)
	}
	return all
}

// versionApproved checks that what the node's gate asks for is among the grounds. A person's word is enough for any gate.
func (w *witness) versionApproved(f VersionApproved) {
	v, n := w.version(f.Version, f.Node), w.node(f.Node)
	reviews := w.grounds(v, f.Reviews)
	if v == nil || n == nil {
		return
	}
	if f.Rule == "" && len(reviews) == 0 {
		w.report(10, string(v.ID), "it is approved by nothing")
		return
	}
	forIt := func(is func(*Review) bool) bool {
		return slices.ContainsFunc(reviews, func(r *Review) bool { return r.Verdict == ForIt && is(r) })
	}
	if n.Kind == Check || forIt(func(r *Review) bool { return r.By.IsHuman() }) {
		return
	}
	if n.Gate.Person {
		w.report(10, string(v.ID), "its gate asks a person and no person approved it")
	}
	name := fmt.Sprintf("%s@%d", n.Gate.Rule, n.Gate.Revision)
	if n.Gate.Rule != "" && !forIt(func(r *Review) bool { return r.By.Kind == Rule && r.By.Name == name }) {
		w.report(10, string(v.ID), "its gate asks rule %s and that did not approve it", name)
	}
	if !n.Gate.Checks {
		return
	}
	if n.asksPerson() {
		w.report(10, string(v.ID), "its gate asks checks, which were abandoned, and no person approved it")
	}
	for _, c := range n.checks {
		spoke := func(r *Review) bool { return r.Check == c.ID && (c.Advisory || r.Verdict == ForIt) }
		if !c.abandoned && !slices.ContainsFunc(reviews, spoke) {
			w.report(10, string(v.ID), "its gate asks check %s and that did not approve it", c.ID)
		}
	}
}

func (w *witness) askOpened(a Ask) {
	w.node(a.Node)
	if w.r.asks[a.ID] != nil {
		w.report(12, string(a.ID), "it is opened twice")
	}
	if v := w.r.versions[a.Version]; a.Version != "" && (v == nil || v.Digest != a.Digest) {
		w.report(12, string(a.ID), "it is about %s with another digest than that version's", a.Version)
	}
}
