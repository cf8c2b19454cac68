package kernel

import (
	"fmt"
	"slices"

	"sluice/internal/digest"
	"sluice/internal/fault"
)

func decideDeliver(r *Run, c Deliver) ([]Fact, error) {
	n, a, err := r.findOpenAttempt(c.Attempt)
	if err != nil {
		return nil, err
	}
	if n.Kind != Make {
		return nil, refuse(fault.IllegalStep, n, "node %s is a %s, which judges instead of delivering", n.ID, n.Kind)
	}
	v, err := r.newVersion(n, a, c.Content, c.Stamp)
	if err != nil {
		return nil, err
	}
	v.By = a.Performer
	if v.Parents, err = r.withSources(n, v.Parents, c.Sources); err != nil {
		return nil, err
	}
	// What a person wrote while this was being made stays current; ours becomes an offer that asks for its place.
	offered := n.newest != nil && n.newest.By.IsHuman() && n.newest.Seq > a.seq
	snap := c.Account.snapshot(Delivered, a.Began)
	snap.Versions = []VersionID{v.ID}
	facts := recordEvidence(c.Account.Evidence, a.ID)
	facts = append(facts, VersionStored{Version: v, Variants: c.Content.Variants, Offered: offered},
		AttemptClosed{Attempt: a.ID, Node: n.ID, Snapshot: snap})
	rule, err := ruleReview(n, v, c.Rule, c.Stamp)
	if rule != nil {
		facts = append(facts, *rule)
	}
	return facts, err
}

func decideSubmit(r *Run, c Submit) ([]Fact, error) {
	n, err := r.find(c.Node)
	if err != nil {
		return nil, err
	}
	if n.Kind != Make || n.abandoned {
		return nil, refuse(fault.IllegalStep, n, "node %s is a %s and %s; it takes no content", n.ID, n.Kind, n.status)
	}
	if n.newest != nil && n.newest.Digest == c.Content.Digest && !n.redo {
		return nil, refuse(fault.Conflict, n, "the content of %s is what was submitted already", n.newest.ID)
	}
	facts, err := r.submission(n, c.Stamp, c.Content, c.Rule, c.Note)
	if err != nil || len(c.Sources) == 0 {
		return facts, err
	}
	stored := facts[1].(VersionStored)
	stored.Version.Parents, err = r.withSources(n, stored.Version.Parents, c.Sources)
	facts[1] = stored
	return facts, err
}

// submission is an attempt of a person that begins and ends at once.
func (r *Run) submission(n *node, s Stamp, content Content, rule *RuleResult, note string) ([]Fact, error) {
	began := beginFact(n, s.By)
	if note != "" {
		began.Notes = append(append([]string(nil), began.Notes...), note)
	}
	a := &Attempt{ID: began.Attempt, Node: n.ID, Inputs: began.Inputs, Performer: s.By, Began: utc(s.At)}
	v, err := r.newVersion(n, a, content, s)
	if err != nil {
		return nil, err
	}
	review, err := ruleReview(n, v, rule, s)
	if err != nil {
		return nil, err
	}
	facts := []Fact{began, VersionStored{Version: v, Variants: content.Variants},
		AttemptClosed{Attempt: a.ID, Node: n.ID, Snapshot: Snapshot{Outcome: Delivered, Began: utc(s.At), Versions: []VersionID{v.ID}}}}
	if review != nil {
		facts = append(facts, *review)
	}
	return facts, nil
}

func (r *Run) newVersion(n *node, a *Attempt, c Content, s Stamp) (Version, error) {
	if _, err := digest.Parse(string(c.Digest)); err != nil {
		return Version{}, fault.Wrap(fault.BadValue, string(n.ID), err, "a version of %s has no proper digest", n.ID).With(inspect(r.id))
	}
	number := len(n.versions) + 1
	if c.ID == "" {
		c.ID = versionID(n.ID, number)
	}
	if err := checkName("version id", string(c.ID)); err != nil {
		return Version{}, err
	}
	if _, taken := r.versions[c.ID]; taken {
		return Version{}, refuse(fault.Conflict, n, "version id %s is taken", c.ID)
	}
	v := Version{ID: c.ID, Node: n.ID, N: number, Digest: c.Digest, Size: c.Size, Schema: c.Schema, Parts: c.Parts,
		Attempt: a.ID, By: s.By, At: utc(s.At)}
	for _, in := range a.Inputs {
		v.Parents = append(v.Parents, in.Version)
	}
	return v, nil
}

// withSources adds what was used beside the needs of a node. It was approved when it was used: a newer version may stand
// by now, and that is no reason to throw the work away.
func (r *Run) withSources(n *node, parents, sources []VersionID) ([]VersionID, error) {
	for _, id := range sources {
		v, ok := r.versions[id]
		if !ok {
			return nil, fault.New(fault.UnknownVersion, string(id), "run %s has no version %q", r.id, id).With(inspect(r.id))
		}
		if v.Node == n.ID || v.state != approved {
			return nil, refuse(fault.IllegalStep, n, "node %s would be made from %s, which is its own or was never approved", n.ID, id)
		}
		if !slices.Contains(parents, id) {
			parents = append(parents, id)
		}
	}
	return parents, nil
}

// ruleReview records what the node's own rule found. A node that names a rule takes no content without its result.
func ruleReview(n *node, v Version, res *RuleResult, s Stamp) (*ReviewRecorded, error) {
	if n.Gate.Rule == "" {
		return nil, nil
	}
	if res == nil || res.Rule != n.Gate.Rule || res.Revision != n.Gate.Revision {
		return nil, refuse(fault.BadValue, n, "content of %s came without the result of rule %s revision %d",
			n.ID, n.Gate.Rule, n.Gate.Revision)
	}
	review := Review{ID: reviewID(v.ID, 1), Node: n.ID, Version: v.ID, Digest: v.Digest, Verdict: ForIt, Score: res.Score,
		Findings: res.Findings, Detail: res.Detail, At: utc(s.At),
		By: Actor{Kind: Rule, Name: fmt.Sprintf("%s@%d", res.Rule, res.Revision)}}
	if !res.Pass {
		review.Verdict = AgainstIt
	}
	return &ReviewRecorded{review}, nil
}

func decideJudge(r *Run, c Judge) ([]Fact, error) {
	if c.Verdict != ForIt && c.Verdict != AgainstIt {
		return nil, fault.New(fault.BadValue, string(c.Node), "verdict %q is not %s or %s", c.Verdict, ForIt, AgainstIt).With(inspect(r.id))
	}
	if c.Attempt != "" {
		return decideCheckVerdict(r, c)
	}
	n, err := r.find(c.Node)
	if err != nil {
		return nil, err
	}
	if n.Kind != Make || n.newest == nil || n.abandoned {
		return nil, refuse(fault.IllegalStep, n, "node %s has no version to judge", n.ID)
	}
	v, err := r.meant(n, c.Version, c.Digest)
	if err != nil {
		return nil, err
	}
	return r.verdict(n, v, c.Stamp, c.Verdict, c.Review)
}

// meant finds the version of a node that a verdict names. None named means the newest.
func (r *Run) meant(n *node, id VersionID, d digest.Digest) (*Version, error) {
	if id == "" && d == "" {
		return n.newest, nil
	}
	var found *Version
	for _, v := range n.versions { // the last one wins, but one that was put away only where there is no other
		if (id == "" || v.ID == id) && (d == "" || v.Digest == d) && (found == nil || found.away || !v.away) {
			found = v
		}
	}
	if found != nil {
		return found, nil
	}
	return nil, refuse(fault.UnknownVersion, n, "node %s has no version %s %s", n.ID, id, d)
}

// verdict records a person's word on one version.
func (r *Run) verdict(n *node, v *Version, s Stamp, verdict Verdict, given Review) ([]Fact, error) {
	late := r.isLate(v)
	switch {
	case !s.By.IsHuman():
		return nil, refuse(fault.PersonRequired, n, "a verdict on %s is a person's, and this comes from %s", v.ID, s.By)
	case v.away:
		return nil, refuse(fault.StaleVerdict, n, "version %s was rolled back", v.ID)
	case late && !n.Gate.Late:
		now, _ := subjectOf(n)
		return nil, refuse(fault.StaleVerdict, n, "the verdict is on %s and %s stands now", v.ID, now)
	}
	if v.offered {
		return nil, refuse(fault.IllegalStep, n, "version %s is an offer; it is taken or not", v.ID)
	}
	judge, err := r.spokesman(n, given.Check)
	if err != nil {
		return nil, err
	}
	if again := judge != nil && judge.redo; !late && !again { // a check that is made again may speak on what is approved
		switch {
		case v.state == approved && verdict == ForIt, v.state == rejected && verdict == AgainstIt && lastWord(v) != nil && lastWord(v).By.IsHuman():
			return nil, refuse(fault.AlreadyReviewed, n, "version %s is %s already", v.ID, v.state)
		case v.state == approved:
			return nil, refuse(fault.IllegalStep, n, "version %s is approved; it is revised or rolled back, not rejected", v.ID)
		}
	}
	given.Node, given.Version, given.Digest, given.Verdict = n.ID, v.ID, v.Digest, verdict
	given.Late, given.By, given.At = late, s.By, utc(s.At)
	if err := r.nameReview(&given, v); err != nil {
		return nil, err
	}
	return []Fact{ReviewRecorded{given}}, nil
}

// spokesman finds the check in whose place a person speaks, if one is named.
func (r *Run) spokesman(n *node, check NodeID) (*node, error) {
	if check == "" {
		return nil, nil
	}
	c, err := r.find(check)
	if err != nil {
		return nil, err
	}
	if c.target != n {
		return nil, refuse(fault.BadValue, n, "node %s is no check of %s", c.ID, n.ID)
	}
	return c, nil
}

func (r *Run) nameReview(review *Review, v *Version) error {
	for n := len(v.reviews) + 1; review.ID == ""; n++ {
		if id := reviewID(v.ID, n); r.reviews[id] == nil {
			review.ID = id
		}
	}
	if _, taken := r.reviews[review.ID]; taken {
		return fault.New(fault.Conflict, string(review.ID), "review id %s is taken", review.ID).With(inspect(r.id))
	}
	return checkName("review id", string(review.ID))
}

func decideCheckVerdict(r *Run, c Judge) ([]Fact, error) {
	n, a, err := r.findOpenAttempt(c.Attempt)
	if err != nil {
		return nil, err
	}
	v, ok := r.versions[a.Subject]
	if n.Kind != Check || !ok {
		return nil, refuse(fault.IllegalStep, n, "node %s is a %s, which delivers instead of judging", n.ID, n.Kind)
	}
	review := c.Review
	review.Node, review.Version, review.Digest, review.Check, review.Verdict = v.Node, v.ID, v.Digest, n.ID, c.Verdict
	review.Late, review.By, review.At = r.isLate(v), a.Performer, utc(c.At)
	if err := r.nameReview(&review, v); err != nil {
		return nil, err
	}
	snap := c.Account.snapshot(Judged, a.Began)
	snap.Review = review.ID
	facts := recordEvidence(c.Account.Evidence, a.ID)
	if c.Report != nil {
		report, err := r.newVersion(n, a, *c.Report, c.Stamp)
		if err != nil {
			return nil, err
		}
		report.By = a.Performer
		if report.Parents, err = r.withSources(n, report.Parents, c.Sources); err != nil {
			return nil, err
		}
		report.Parents = append(report.Parents, v.ID)
		review.Report = report.ID
		snap.Versions = []VersionID{report.ID}
		facts = append(facts, VersionStored{Version: report})
	}
	return append(facts, ReviewRecorded{review}, AttemptClosed{Attempt: a.ID, Node: n.ID, Snapshot: snap}), nil
}
