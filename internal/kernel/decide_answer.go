package kernel

import (
	"strings"

	"sluice/internal/fault"
)

func decideAnswer(r *Run, c Answer) ([]Fact, error) {
	a, ok := r.asks[c.Ask]
	if !ok {
		return nil, fault.New(fault.UnknownAsk, string(c.Ask), "run %s has no ask %q", r.id, c.Ask).With(inspect(r.id))
	}
	n := r.nodes[a.Node]
	if a.closed {
		how := "withdrawn: " + a.closing.Withdrawn
		if a.closing.Withdrawn == "" {
			how = "answered " + a.closing.Choice + " by " + a.closer.String()
		}
		return nil, refuse(fault.AlreadyAnswered, n, "ask %s was %s", a.ID, how)
	}
	if c.Digest != "" && c.Digest != a.Digest {
		return nil, refuse(fault.StaleVerdict, n, "ask %s is about %s (%s), not about %s", a.ID, a.Version, a.Digest.Short(), c.Digest.Short())
	}
	o, err := a.option(c.Choice, c.Content != nil)
	if err != nil {
		return nil, err
	}
	closed := AskClosed{Ask: a.ID, Node: a.Node, Choice: o.Value, Text: c.Text, Answers: c.Edits}
	facts, err := r.answerEffect(a, n, o, c)
	if err != nil {
		return nil, err
	}
	return append([]Fact{closed}, facts...), nil
}

// option finds the option meant. Content alone means the option that takes content.
func (a *Ask) option(choice string, hasContent bool) (Option, error) {
	names := make([]string, 0, len(a.Options))
	for _, o := range a.Options {
		if o.Value == choice || (choice == "" && hasContent && o.Effect == SupplyIt) {
			return o, nil
		}
		names = append(names, o.Value)
	}
	actions := make([]fault.Action, 0, len(names))
	for _, name := range names {
		actions = append(actions, fault.Action{Action: "answer", Command: "sluice answer " + string(a.ID) + " " + name})
	}
	return Option{}, fault.New(fault.BadValue, string(a.ID), "answer %q is not one of %s", choice, strings.Join(names, ", ")).With(actions...)
}

// answerEffect is what an option does to the node.
func (r *Run) answerEffect(a *Ask, n *node, o Option, c Answer) ([]Fact, error) {
	switch o.Effect {
	case Approve, TakeChoice, Rework, FailNode:
		return r.answerVerdict(a, n, o, c)
	case SupplyIt:
		if c.Content == nil {
			return nil, fault.New(fault.BadValue, string(a.ID), "ask %s wants content and the answer has none", a.ID).
				With(fault.Action{Action: "answer", Command: "sluice answer " + string(a.ID) + " -f FILE"})
		}
		return r.submission(n, c.Stamp, *c.Content, c.Rule, c.Text)
	case Hold:
		return []Fact{NodeHeld{Node: n.ID, Reason: c.Text}}, nil
	case Drop:
		var facts []Fact
		for _, f := range r.shutFacts() {
			if closed, ok := f.(AskClosed); !ok || closed.Ask != a.ID {
				facts = append(facts, f)
			}
		}
		return append(facts, RunClosed{Outcome: Dropped, Reason: c.Text}), nil
	case Retry:
		return []Fact{NodeReopened{Node: n.ID, Reason: c.Text}}, nil
	case AbandonIt:
		return abandonTree(n, c.Text), nil
	case TakeOffer:
		return []Fact{OfferTaken{Node: n.ID, Version: a.Offer}}, nil
	case KeepOwn:
		return nil, nil
	}
	return nil, refuse(fault.BadNode, n, "option %s of ask %s has effect %q, which no answer has", o.Value, a.ID, o.Effect)
}

// answerVerdict turns an answer into a review of the ask's version, or of a version that the person put in its place.
func (r *Run) answerVerdict(a *Ask, n *node, o Option, c Answer) ([]Fact, error) {
	review := Review{Summary: c.Text, Edits: c.Edits, Criteria: c.Criteria, Score: c.Score, Choice: o.Value}
	verdict := ForIt
	if o.Effect == Rework || o.Effect == FailNode {
		verdict, review.Then = AgainstIt, o.Effect
		if c.Text != "" {
			review.Findings = []Finding{{Code: "rejected", Message: c.Text}}
		}
	}
	about := n
	if n.Kind == Check {
		about, review.Check = n.target, n.ID
	}
	v, ok := r.versions[a.Version]
	if !ok || about == nil || v.Node != about.ID {
		return nil, refuse(fault.IllegalStep, n, "ask %s is about no version", a.ID)
	}
	if c.Content == nil {
		facts, err := r.verdict(about, v, c.Stamp, verdict, review)
		return facts, err
	}
	if verdict != ForIt || about != n {
		return nil, refuse(fault.BadValue, n, "content goes with an approval of what was made, not with %s", o.Value)
	}
	facts, err := r.submission(n, c.Stamp, *c.Content, c.Rule, c.Text)
	if err != nil {
		return nil, err
	}
	if !c.By.IsHuman() {
		return nil, refuse(fault.PersonRequired, n, "an approval of %s is a person's, and this comes from %s", n.ID, c.By)
	}
	stored := facts[1].(VersionStored).Version
	review.ID = reviewID(stored.ID, len(facts)-2) // after the rule's, if there is one
	review.Node, review.Version, review.Digest, review.Verdict = n.ID, stored.ID, stored.Digest, verdict
	review.By, review.At = c.By, utc(c.At)
	return append(facts, ReviewRecorded{review}), nil
}
