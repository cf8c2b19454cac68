package kernel

import (
	"encoding/json"
	"iter"
	"time"

	"sluice/internal/digest"
)

// Run is the folded state of one journal. Evolve owns it and changes it in place; everyone else reads it through its
// methods and must not keep what they return across the next Evolve.
type Run struct {
	id         RunID
	line       string
	definition digest.Digest
	title      string
	labels     map[string]string
	settings   json.RawMessage
	opened     time.Time
	updated    time.Time
	seq        int64
	closing    Closing
	provider   string // class of the first provider that answered for real, else of the last one

	nodes     map[NodeID]*node
	order     []*node
	versions  map[VersionID]*Version
	reviews   map[ReviewID]*Review
	attempts  map[AttemptID]*Attempt
	asks      map[AskID]*Ask
	askCount  int
	rollbacks []rollback
	evidence  []Evidence
	usage     Usage

	alternatives map[string]*rivals
	ready        readySet          // nodes the engine may begin, best first
	working      orderedSet[*node] // nodes with an open attempt of the engine
	outside      orderedSet[*node] // nodes with an open attempt in other hands
	failed       orderedSet[*node]
	asking       orderedSet[*node] // nodes that want an ask
	unfolding    orderedSet[*node] // approved versions whose followers are not recorded yet
	open         orderedSet[*Ask]
	count        map[Status]int // by status, groups left out
	touched      []*node        // whose consequences are not settled yet
}

// Classes of providers: a run with real replies refuses rehearsal unless it is told.
const (
	ProviderReal      = "real"
	ProviderRehearsal = "rehearsal"
)

// LabelProvider is the label under which a run carries its class of provider, once one has answered.
const LabelProvider = "provider"

// NewRun is a run before its first event.
func NewRun() *Run {
	return &Run{
		nodes:        map[NodeID]*node{},
		versions:     map[VersionID]*Version{},
		reviews:      map[ReviewID]*Review{},
		attempts:     map[AttemptID]*Attempt{},
		asks:         map[AskID]*Ask{},
		alternatives: map[string]*rivals{},
		count:        map[Status]int{},
	}
}

// node is a Node with what happened to it and with its place in the indexes.
type node struct {
	Node
	index      int
	parent     *node
	target     *node
	needs      []*node // beside Node.Needs; nil where a damaged journal names an unknown one
	dependants []edge
	checks     []*node
	children   []*node
	rivals     *rivals // those that share its Alternative, itself included

	unmet    int // needs that are not met
	dead     int // needs that cannot be met, since they were abandoned
	kids     int // children that count: a check beside its target does not, since the target speaks for both
	doneKids int
	failKids int
	goneKids int // abandoned

	attempts  int // ever begun
	used      int // that count against allowed since the last fresh start
	allowed   int // Node.Attempts, and at least one once a person asked for more
	take      int
	open      *Attempt
	last      *Attempt // closed last
	versions  []*Version
	newest    *Version
	approved  *Version
	offer     *Version // made while a person changed the content: it asks for its place
	redo      bool
	notes     []string
	failure   *StepError
	wantsHelp bool // a failure or rejection that a person must settle
	held      bool
	abandoned bool
	reason    string // why abandoned, held or failed
	unfolded  VersionID
	asks      []*Ask                // open ones, at most one per reason
	judged    []*Version            // reviewed since the gate was last resolved
	reviewed  map[VersionID]*Review // a check's own latest review, by version

	usedInputs []VersionID // beside needs: what the approved version was made from
	staleBy    int         // how many of those have been replaced since
	status     Status
	queued     bool // among what is ready, and how it ranks there
	queuedAs   readyRank
	dirty      bool
}

// rivals are the nodes of one Alternative.
type rivals struct{ nodes []*node }

// edge leads from a node to one that needs it.
type edge struct {
	to   *node
	need Need
	at   int // its place among the needs of to
}

// rollback remembers what a RolledBack put away.
type rollback struct {
	n      int
	undone bool
	saved  []savedNode
}

type savedNode struct {
	node             *node
	newest, approved *Version
	offer            *Version
	live             []*Version // what the rollback put away
	redo, held       bool
	failure          *StepError
	wantsHelp        bool
	used             int
}

func (r *Run) ID() RunID                 { return r.id }
func (r *Run) Line() string              { return r.line }
func (r *Run) Definition() digest.Digest { return r.definition }
func (r *Run) Title() string             { return r.title }
func (r *Run) Labels() map[string]string { return r.labels }
func (r *Run) Settings() json.RawMessage { return r.settings }
func (r *Run) Opened() time.Time         { return r.opened }
func (r *Run) Updated() time.Time        { return r.updated }
func (r *Run) Seq() int64                { return r.seq }
func (r *Run) Provider() string          { return r.provider }
func (r *Run) Usage() Usage              { return r.usage }
func (r *Run) Evidence() []Evidence      { return r.evidence }
func (r *Run) Len() int                  { return len(r.order) }

// Nodes gives every node in the order of recording.
func (r *Run) Nodes() iter.Seq[View] {
	return func(yield func(View) bool) {
		for _, n := range r.order {
			if !yield(View{n}) {
				return
			}
		}
	}
}

// Node finds one node.
func (r *Run) Node(id NodeID) (View, bool) {
	n, ok := r.nodes[id]
	return View{n}, ok
}

// Version finds one version of any node.
func (r *Run) Version(id VersionID) (*Version, bool) {
	v, ok := r.versions[id]
	return v, ok
}

// Review finds one verdict.
func (r *Run) Review(id ReviewID) (*Review, bool) {
	review, ok := r.reviews[id]
	return review, ok
}

// Attempt finds one attempt.
func (r *Run) Attempt(id AttemptID) (*Attempt, bool) {
	a, ok := r.attempts[id]
	return a, ok
}

// AttemptsAt gives every attempt at a node in the order in which they began.
func (r *Run) AttemptsAt(id NodeID) []*Attempt {
	n, ok := r.nodes[id]
	if !ok {
		return nil
	}
	all := make([]*Attempt, 0, n.attempts)
	for number := range n.attempts {
		if a, ok := r.attempts[attemptID(id, number+1)]; ok {
			all = append(all, a)
		}
	}
	return all
}

// Ask finds one ask, open or closed.
func (r *Run) Ask(id AskID) (*Ask, bool) {
	a, ok := r.asks[id]
	return a, ok
}

// OpenAsks gives what people are asked now, oldest first.
func (r *Run) OpenAsks() iter.Seq[*Ask] { return r.open.all() }

// Approved gives the approved version of a node, or nil.
func (r *Run) Approved(id NodeID) *Version {
	if n, ok := r.nodes[id]; ok {
		return n.approved
	}
	return nil
}

// View is a node as others may read it.
type View struct{ n *node }

func (v View) Node() Node           { return v.n.Node }
func (v View) ID() NodeID           { return v.n.ID }
func (v View) Status() Status       { return v.n.status }
func (v View) Newest() *Version     { return v.n.newest }
func (v View) Approved() *Version   { return v.n.approved }
func (v View) Versions() []*Version { return v.n.versions }
func (v View) Open() *Attempt       { return v.n.open }
func (v View) Last() *Attempt       { return v.n.last }
func (v View) Attempts() int        { return v.n.attempts }
func (v View) Used() int            { return v.n.used }
func (v View) Take() int            { return v.n.take }
func (v View) IsStale() bool        { return v.n.staleBy > 0 }
func (v View) Failure() *StepError  { return v.n.failure }
func (v View) Reason() string       { return v.n.reason }
func (v View) Asks() []*Ask         { return v.n.asks }

// Checks gives the check nodes that judge this one.
func (v View) Checks() []NodeID { return ids(v.n.checks) }

// Children gives the nodes inside this group.
func (v View) Children() []NodeID { return ids(v.n.children) }

// Dependants gives the nodes that need this one.
func (v View) Dependants() []NodeID {
	out := make([]NodeID, len(v.n.dependants))
	for i, e := range v.n.dependants {
		out[i] = e.to.ID
	}
	return out
}

func ids(ns []*node) []NodeID {
	out := make([]NodeID, len(ns))
	for i, n := range ns {
		out[i] = n.ID
	}
	return out
}

// Reviews gives the verdicts on a version in the order they came.
func (v *Version) Reviews() []*Review { return v.reviews }

// Variants gives the labels among which a person chooses.
func (v *Version) Variants() []string { return v.variants }

// IsApproved tells whether the gate let this version through.
func (v *Version) IsApproved() bool { return v.state == approved }

// IsRejected tells whether the gate closed for this version.
func (v *Version) IsRejected() bool { return v.state == rejected }

// IsAway tells whether a rollback put the version away.
func (v *Version) IsAway() bool { return v.away }

// IsOffer tells whether the version competes for its place and was not taken.
func (v *Version) IsOffer() bool { return v.offered }

// IsOpen tells whether the ask still waits.
func (a *Ask) IsOpen() bool { return !a.closed }

// Closing gives how, by whom and when the ask was closed.
func (a *Ask) Closing() (AskClosed, Actor, time.Time) { return a.closing, a.closer, a.at }
