package kernel

import (
	"fmt"
	"slices"
)

// Violation is a fact that the law excludes. Invariant is its number in the list of ARCHITECTURE.md; 9 also stands for a
// cached value that differs from what the facts give.
type Violation struct {
	Invariant int    `json:"invariant"`
	Seq       int64  `json:"seq,omitempty"` // number of the event, where one event is at fault
	Subject   string `json:"subject"`
	Message   string `json:"message"`
}

// String names the violation for people.
func (v Violation) String() string {
	at := ""
	if v.Seq > 0 {
		at = fmt.Sprintf(" at event %d", v.Seq)
	}
	return fmt.Sprintf("invariant %d%s: %s: %s", v.Invariant, at, v.Subject, v.Message)
}

// Audit finds what is wrong with a folded run: the invariants that can be seen in it, and everything it keeps beside the
// facts against a computation from scratch. A run between two batches has no violation.
func Audit(r *Run) []Violation {
	a := audit{r: r}
	a.indexes()
	a.law()
	return a.found
}

type audit struct {
	r     *Run
	found []Violation
}

func (a *audit) report(invariant int, subject, format string, args ...any) {
	a.found = append(a.found, Violation{Invariant: invariant, Subject: subject, Message: fmt.Sprintf(format, args...)})
}

// expect reports a cached value that is not what it should be.
func expect[T comparable](a *audit, n *node, what string, got, want T) {
	if got != want {
		a.report(9, string(n.ID), "%s is %v and the facts give %v", what, got, want)
	}
}

// indexes compares all that is derived with the facts. It holds after every single event, also in the middle of a batch
// and in a damaged journal.
func (a *audit) indexes() {
	count := map[Status]int{}
	open := 0
	for _, n := range a.r.order {
		a.counters(n)
		a.sets(n)
		if n.Kind != Group {
			count[n.status]++
		}
		open += len(n.asks)
		for _, ask := range n.asks {
			if !a.r.open.has(ask) || ask.closed {
				a.report(12, string(ask.ID), "ask of node %s is listed as open there and is not", n.ID)
			}
		}
	}
	for _, s := range Statuses() {
		if a.r.count[s] != count[s] {
			a.report(9, string(a.r.id), "%d nodes are counted as %s and %d are", a.r.count[s], s, count[s])
		}
	}
	if a.r.open.len() != open {
		a.report(12, string(a.r.id), "%d asks are listed as open and nodes have %d", a.r.open.len(), open)
	}
	a.ready()
}

// ready checks that what is ready is listed once and in its order.
func (a *audit) ready() {
	var before *node
	listed := 0
	for n := range a.r.ready.inOrder(a.r.order) {
		listed++
		if before != nil && (before.rank().compare(n.rank()) > 0 || before.rank() == n.rank() && before.index >= n.index) {
			a.report(9, string(n.ID), "it is listed as ready after %s", before.ID)
		}
		before = n
	}
	if listed != a.r.ready.len() {
		a.report(9, string(a.r.id), "%d nodes are ready and %d are listed", a.r.ready.len(), listed)
	}
}

func (a *audit) counters(n *node) {
	unmet, dead := 0, 0
	for i, need := range n.Needs {
		met, isDead := false, false
		if n.needs[i] != nil {
			met, isDead = need.met(n.needs[i].status)
		}
		if !met {
			unmet++
		}
		if isDead {
			dead++
		}
	}
	kids := map[Status]int{}
	total := 0
	for _, c := range n.children {
		if c.countsForParent() {
			kids[c.status]++
			total++
		}
	}
	stale := 0
	for i, from := range n.needs {
		if used := n.usedInput(i); used != "" && from.approved != nil && from.approved.ID != used {
			stale++
		}
	}
	expect(a, n, "the number of unmet needs", n.unmet, unmet)
	expect(a, n, "the number of dead needs", n.dead, dead)
	expect(a, n, "the number of children", n.kids, total)
	expect(a, n, "the number of children done", n.doneKids, kids[StatusDone])
	expect(a, n, "the number of children failed", n.failKids, kids[StatusFailed])
	expect(a, n, "the number of children abandoned", n.goneKids, kids[StatusAbandoned])
	expect(a, n, "the number of replaced inputs", n.staleBy, stale)
	expect(a, n, "its status", n.status, n.derive())
}

func (a *audit) sets(n *node) {
	r := a.r
	byEngine := n.open != nil && n.open.Performer.Kind == Engine
	startable := n.Performer == Engine && (n.status == StatusReady || n.status == StatusRework)
	expect(a, n, "being ready", r.ready.has(n), startable)
	if n.queued {
		expect(a, n, "its rank among what is ready", n.queuedAs, n.rank())
	}
	expect(a, n, "being worked on", r.working.has(n), byEngine)
	expect(a, n, "being worked on elsewhere", r.outside.has(n), n.open != nil && !byEngine)
	expect(a, n, "being failed", r.failed.has(n), n.Kind != Group && n.status == StatusFailed)
	expect(a, n, "being asked about", r.asking.has(n), n.status == StatusAsking || n.status == StatusBlocked || n.offer != nil)
	expect(a, n, "being unfolded", r.unfolding.has(n), n.Unfolds && !n.abandoned && n.approved != nil && n.unfolded != n.approved.ID)
}

// law checks the numbered invariants. It holds between batches, when all that follows from the facts is recorded.
func (a *audit) law() {
	for _, n := range a.r.order {
		a.versions(n)
		a.attempts(n)
		a.asks(n)
		a.wayOn(n)
	}
	a.runWayOn()
}

func (a *audit) versions(n *node) {
	id := string(n.ID)
	for _, v := range []*Version{n.newest, n.approved, n.offer} {
		if v == nil {
			continue
		}
		if v.Node != n.ID || a.r.versions[v.ID] != v {
			a.report(3, id, "it holds version %s, which belongs to node %s", v.ID, v.Node)
		}
		if v.away {
			a.report(3, id, "it holds version %s, which was rolled back", v.ID)
		}
	}
	if n.approved != nil && n.approved.state != approved {
		a.report(3, id, "its approved version %s is %q", n.approved.ID, n.approved.state)
	}
	if n.Kind == Make && n.status == StatusDone && (n.newest == nil || n.approved != n.newest) {
		a.report(4, id, "it is done and its newest version is %q, the approved one %q", nameOf(n.newest), nameOf(n.approved))
	}
	for _, v := range n.versions {
		if !v.away && !v.offered && v.state == approved && (n.approved == nil || n.approved.rank < v.rank) {
			a.report(3, id, "version %s is approved and the pointer stands before it, at %q", v.ID, nameOf(n.approved))
		}
		for _, review := range v.reviews {
			if review.Version != v.ID || review.Node != n.ID || review.Digest != v.Digest || a.r.reviews[review.ID] != review {
				a.report(5, string(review.ID), "it is a review of %s (%s) and stands with %s (%s)",
					review.Version, review.Digest.Short(), v.ID, v.Digest.Short())
			}
		}
	}
}

func (a *audit) attempts(n *node) {
	if n.open == nil {
		return
	}
	if n.open.Outcome != "" || n.open.Node != n.ID {
		a.report(7, string(n.open.ID), "it is open at node %s and belongs to %s with outcome %q", n.ID, n.open.Node, n.open.Outcome)
	}
	if n.abandoned || a.r.closing != "" {
		a.report(7, string(n.open.ID), "it is open in a node or run that is closed")
	}
	for _, in := range n.open.Inputs {
		v := a.r.versions[in.Version]
		if v == nil || v.Node != in.Node || v.state != approved || in.Node == n.ID {
			a.report(6, string(n.open.ID), "its input %s of node %s was not approved", in.Version, in.Node)
		}
	}
}

func (a *audit) asks(n *node) {
	wanted := a.r.wantedAsks(n)
	if len(wanted) != len(n.asks) {
		a.report(12, string(n.ID), "%d asks are open and the law wants %d", len(n.asks), len(wanted))
	}
	for _, ask := range n.asks {
		if !slices.ContainsFunc(wanted, ask.sameAs) {
			a.report(12, string(ask.ID), "it is open and nothing wants it")
		}
		if v := a.r.versions[ask.Version]; ask.Version != "" && (v == nil || v.Digest != ask.Digest) {
			a.report(12, string(ask.ID), "it is about %s with another digest than that version's", ask.Version)
		}
		if len(ask.Options) == 0 {
			a.report(16, string(ask.ID), "it has no answer")
		}
	}
}

// wayOn checks that a node which is not done can be moved by someone, or waits for one that can.
func (a *audit) wayOn(n *node) {
	id := string(n.ID)
	switch n.status {
	case StatusWaiting:
		if n.Kind == Make && n.unmet == 0 {
			a.report(16, id, "it waits and needs nothing")
		}
	case StatusChecking:
		if !slices.ContainsFunc(n.checks, func(c *node) bool { return !c.abandoned && c.reviewed[n.newest.ID] == nil }) {
			a.report(16, id, "it waits for a check and there is none to speak")
		}
	case StatusAsking, StatusBlocked:
		if len(n.asks) == 0 && a.r.closing == "" {
			a.report(16, id, "it is %s and nobody is asked", n.status)
		}
	case StatusRunning:
		if n.open == nil {
			a.report(16, id, "it is running without an attempt")
		}
	}
}

// runWayOn checks that a run which nobody ended has a duty, an ask, work in other hands, or something to resume or
// reopen; only a group without children, which its line has yet to fill, may keep it waiting without.
func (a *audit) runWayOn() {
	r := a.r
	if r.Status() != RunParked || r.open.len() > 0 || r.outside.len() > 0 || len(r.order) == 0 {
		return
	}
	if !slices.ContainsFunc(r.order, func(n *node) bool { return n.Kind == Group && n.kids == 0 && !n.abandoned }) {
		a.report(16, string(r.id), "it is parked and there is nothing that anyone could do")
	}
}
