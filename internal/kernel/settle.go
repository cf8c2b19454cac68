package kernel

import (
	"slices"

	"sluice/internal/digest"
)

// Apply decides a command, evolves the run and settles what follows by law alone, until nothing more does. All the
// events belong into one batch. After an error the run is as it was.
func Apply(r *Run, c Command) ([]Event, error) {
	facts, err := Decide(r, c)
	if err != nil {
		return nil, err
	}
	s := c.stamp()
	s.At = utc(s.At)
	events := make([]Event, 0, len(facts)+2)
	for _, f := range facts {
		e := Event{At: s.At, By: s.By, Fact: f}
		Evolve(r, e)
		events = append(events, e)
	}
	law := Actor{Kind: Rule, Name: "law"}
	for next := 0; next < len(r.touched); { // it grows on the way
		n := r.touched[next]
		f := r.consequence(n, s)
		if f == nil {
			next++
			n.dirty = false
			continue
		}
		e := Event{At: s.At, By: law, Fact: f}
		Evolve(r, e)
		events = append(events, e)
	}
	r.touched = r.touched[:0]
	return events, nil
}

// consequence finds the next thing that follows for a node by law alone, or nil.
func (r *Run) consequence(n *node, s Stamp) Fact {
	if r.id == "" {
		return nil
	}
	if f := r.resolveGate(n); f != nil {
		return f
	}
	if f := r.spreadAbandonment(n); f != nil {
		return f
	}
	return r.balanceAsks(n, s)
}

// resolveGate turns reviews into the gate's verdict on the versions that were judged.
func (r *Run) resolveGate(n *node) Fact {
	if n.Kind == Make && n.newest != nil && n.newest.state == undecided && !slices.Contains(n.judged, n.newest) {
		n.judged = append(n.judged, n.newest) // a check that stood in the way may have been abandoned
	}
	for len(n.judged) > 0 {
		v := n.judged[0]
		n.judged = n.judged[1:]
		if f := n.resolve(v); f != nil {
			return f
		}
	}
	return nil
}

// resolve is the gate: a person's last word decides, else the rule, then the checks, then a person is asked.
func (n *node) resolve(v *Version) Fact {
	if n.abandoned || v.offered || v.away {
		return nil
	}
	if n.Kind == Check { // a check's own report stands as it is
		return decided(v, approved, VersionApproved{Node: n.ID, Version: v.ID, Rule: "report"})
	}
	against := VersionRejected{Node: n.ID, Version: v.ID, Then: orElse(n.OnReject, Rework)}
	if n.exhausted() && against.Then == Rework && n.OnExhausted == FailNode {
		against.Then = FailNode
	}
	last := lastWord(v)
	if last != nil && last.Verdict == AgainstIt {
		against.Reviews = []ReviewID{last.ID}
		if last.By.IsHuman() {
			against.Fresh, against.Then = true, orElse(last.Then, Rework)
		}
		return decided(v, rejected, against)
	}
	if last != nil && last.By.IsHuman() {
		return decided(v, approved, VersionApproved{Node: n.ID, Version: v.ID, Reviews: []ReviewID{last.ID}})
	}
	forIt := VersionApproved{Node: n.ID, Version: v.ID, Rule: "none"}
	if last != nil {
		forIt.Rule, forIt.Reviews = last.By.Name, []ReviewID{last.ID}
	}
	if n.Gate.Checks {
		pending := n.countChecks(v, &forIt, &against)
		switch {
		case pending:
			return nil
		case len(against.Reviews) > 0:
			return decided(v, rejected, against)
		}
	}
	if n.asksPerson() {
		return nil
	}
	return decided(v, approved, forIt)
}

// countChecks sorts what the checks said about a version, and tells whether one has yet to speak.
func (n *node) countChecks(v *Version, forIt *VersionApproved, against *VersionRejected) (pending bool) {
	for _, c := range n.checks {
		review := c.reviewed[v.ID]
		switch {
		case c.abandoned:
		case review == nil:
			pending = true
		case review.Verdict == AgainstIt && !c.Advisory:
			against.Reviews = append(against.Reviews, review.ID)
		default:
			forIt.Reviews = append(forIt.Reviews, review.ID)
		}
	}
	return pending
}

// asksPerson tells whether the gate ends with a person. It does so too when it names checks and those that could have
// closed it were all abandoned: giving up a check is no approval.
func (n *node) asksPerson() bool {
	if n.Gate.Person || !n.Gate.Checks {
		return n.Gate.Person
	}
	lost, advisory := len(n.checks) == 0, false
	for _, c := range n.checks {
		switch {
		case c.abandoned:
			lost = lost || !c.Advisory
		case c.Advisory:
			advisory = true
		default:
			return false
		}
	}
	return lost || !advisory
}

// decided gives the fact unless the version stands so already. What was approved stays so: words against it are kept,
// and it is revised or rolled back, never rejected.
func decided(v *Version, s standing, f Fact) Fact {
	if no, ok := f.(VersionRejected); ok && no.Fresh && v.state == rejected && !v.sentBack {
		return f // the law had rejected it; now a person does, and its attempts start again
	}
	if v.state == s || v.state == approved {
		return nil
	}
	return f
}

// lastWord is the review that decides before any check is counted: a person's last one, else the rule's.
func lastWord(v *Version) *Review {
	var rule *Review
	for _, r := range slices.Backward(v.reviews) {
		if r.By.IsHuman() {
			return r
		}
		if r.By.Kind == Rule && rule == nil {
			rule = r
		}
	}
	return rule
}

// spreadAbandonment abandons what cannot stand without this node, or beside it.
func (r *Run) spreadAbandonment(n *node) Fact {
	if n.abandoned {
		if n.open != nil {
			return withdraw(n.open, "abandoned")
		}
		for _, dependent := range [][]*node{n.checks, n.children} {
			for _, o := range dependent {
				if !o.abandoned {
					return NodeAbandoned{Node: o.ID, Reason: "abandoned with " + string(n.ID)}
				}
			}
		}
		return nil
	}
	if n.status != StatusDone {
		return nil
	}
	if n.rivals != nil {
		if f := abandonOthers(n, n.rivals.nodes); f != nil {
			return f
		}
	}
	if n.countsForParent() && n.parent.Any {
		return abandonOthers(n, n.parent.children)
	}
	return nil
}

func abandonOthers(n *node, all []*node) Fact {
	for _, o := range all {
		if o != n && !o.abandoned && o.status != StatusDone && o.target != n && n.target != o {
			return NodeAbandoned{Node: o.ID, Reason: string(n.ID) + " was done instead"}
		}
	}
	return nil
}

// balanceAsks opens the ask that is wanted and withdraws those that are not.
func (r *Run) balanceAsks(n *node, s Stamp) Fact {
	wanted := r.wantedAsks(n)
	for _, a := range n.asks {
		if !slices.ContainsFunc(wanted, a.sameAs) {
			return AskClosed{Ask: a.ID, Node: n.ID, Withdrawn: withdrawal(a, wanted)}
		}
	}
	for _, w := range wanted {
		if !slices.ContainsFunc(n.asks, func(a *Ask) bool { return a.sameAs(w) }) {
			w.ID, w.OpenedAt = r.nextAskID(), s.At
			return AskOpened{Ask: w}
		}
	}
	return nil
}

// withdrawal says why an ask is no longer open: another version is asked about in its place, or nothing is.
func withdrawal(a *Ask, wanted []Ask) string {
	for _, w := range wanted {
		if w.Kind == a.Kind && w.Version != a.Version && w.Version != "" && a.Version != "" {
			return "another version is asked about in its place"
		}
	}
	return "what it asked for is settled"
}

// nextAskID skips ids that are taken: in a damaged journal the count may lag behind.
func (r *Run) nextAskID() AskID {
	for n := r.askCount + 1; ; n++ {
		if id := askID(r.id, n); r.asks[id] == nil {
			return id
		}
	}
}

func (a *Ask) sameAs(b Ask) bool {
	return a.Reason == b.Reason && a.Version == b.Version && a.Offer == b.Offer
}

func (r *Run) wantedAsks(n *node) []Ask {
	if r.closing != "" || n.abandoned || n.Kind == Group {
		return nil
	}
	var asks []Ask
	if n.offer != nil && n.newest != nil {
		asks = append(asks, n.offerAsk())
	}
	switch n.status {
	case StatusBlocked:
		asks = append(asks, n.helpAsk(Blocked))
	case StatusAsking:
		asks = append(asks, n.mainAsk())
	}
	return asks
}

// mainAsk is what an asking node asks: the gate's question, the performer's, or what to do now.
func (n *node) mainAsk() Ask {
	if n.Kind == Make && n.newest != nil && n.newest.state == undecided && !n.redo {
		return n.gateAsk()
	}
	if n.Performer == Person && !n.wantsHelp {
		return n.performerAsk()
	}
	return n.helpAsk(UsedUp)
}

func (n *node) gateAsk() Ask {
	a := Ask{Node: n.ID, Kind: AskApprove, Reason: GateAsks, Title: n.Title, Version: n.newest.ID, Digest: n.newest.Digest,
		Options: []Option{{Value: "approve", Effect: Approve}, {Value: "reject", Effect: Rework}}}
	if n.Ask != nil {
		a.Kind, a.Questions = n.Ask.Kind, n.Ask.Questions
		if n.Ask.Title != "" {
			a.Title = n.Ask.Title
		}
		if len(n.Ask.Options) > 0 {
			a.Options = n.Ask.Options
		}
	}
	if a.Kind == AskChoose {
		a.Options = n.newest.choices(a.Options)
	}
	return a
}

// choices puts the variants of a version in the place of the option that approves it.
func (v *Version) choices(options []Option) []Option {
	var out []Option
	for _, label := range v.variants {
		out = append(out, Option{Value: label, Effect: TakeChoice})
	}
	if len(out) == 0 { // a person's own content has no variants
		out = append(out, Option{Value: "approve", Effect: Approve})
	}
	for _, o := range options {
		if o.Effect != Approve {
			out = append(out, o)
		}
	}
	return out
}

func (n *node) performerAsk() Ask {
	a := Ask{Node: n.ID, Kind: AskSupply, Reason: PerformerAsks, Title: n.Title}
	if n.Kind == Check {
		a.Kind = AskApprove
		a.Options = []Option{{Value: "approve", Effect: Approve}, {Value: "reject", Effect: Rework}}
		a.Version, a.Digest = subjectOf(n.target)
	} else {
		a.Options = []Option{{Value: "supply", Effect: SupplyIt}, {Value: "abandon", Effect: AbandonIt}}
	}
	if n.Ask == nil {
		return a
	}
	a.Kind, a.Questions = n.Ask.Kind, n.Ask.Questions
	if n.Ask.Title != "" {
		a.Title = n.Ask.Title
	}
	if len(n.Ask.Options) > 0 {
		a.Options = n.Ask.Options
	}
	return a
}

// helpAsk puts a node that cannot go on by itself before a person.
func (n *node) helpAsk(why Reason) Ask {
	a := Ask{Node: n.ID, Kind: AskDecide, Reason: why, Title: n.Title}
	if why == UsedUp && n.wantsHelp && n.failure != nil && n.failure.Class == NoBudget {
		a.Title = n.failure.Message
		a.Options = []Option{{Value: "raise", Effect: Retry}, {Value: "cheaper", Effect: Retry}, {Value: "stop", Effect: Hold}}
		return a
	}
	if why == UsedUp {
		a.Options = append(a.Options, Option{Value: "retry", Effect: Retry})
		if n.Kind == Make && n.newest != nil && n.newest.state == rejected {
			a.Version, a.Digest = n.newest.ID, n.newest.Digest
			a.Options = append(a.Options, Option{Value: "accept", Effect: Approve})
			if n.OnReject == AskPerson && n.Ask != nil && len(n.Ask.Options) > 0 { // the line says what to ask then
				a.Reason, a.Kind, a.Title, a.Options = GateAsks, n.Ask.Kind, n.Ask.Title, n.Ask.Options
				return a
			}
		}
	}
	a.Options = append(a.Options, Option{Value: "abandon", Effect: AbandonIt})
	return a
}

func (n *node) offerAsk() Ask {
	return Ask{Node: n.ID, Kind: AskChoose, Reason: OfferAsks, Title: n.Title, Version: n.newest.ID,
		Digest: n.newest.Digest, Offer: n.offer.ID,
		Options: []Option{{Value: "keep", Effect: KeepOwn}, {Value: "take", Effect: TakeOffer}}}
}

func subjectOf(n *node) (VersionID, digest.Digest) {
	if n == nil || n.newest == nil {
		return "", ""
	}
	return n.newest.ID, n.newest.Digest
}
