package kernel

import (
	"strings"
	"time"

	"sluice/internal/fault"
)

// Decide says which facts follow from a command, or refuses it with a way out. It does not change the run. No facts and
// no error means that what is wished for is so already.
func Decide(r *Run, c Command) ([]Fact, error) {
	if open, ok := c.(Open); ok {
		return decideOpen(r, open)
	}
	if r.id == "" {
		return nil, fault.New(fault.UnknownRun, "", "the run was never opened").With(inspect(""))
	}
	if r.closing != "" {
		switch c.(type) {
		case Resume, Record, Relabel:
		default:
			return nil, fault.New(fault.RunClosed, string(r.id), "run %s is %s", r.id, r.closing).
				With(fault.Action{Action: "resume", Why: "a closed run goes on only when it is resumed"})
		}
	}
	switch c := c.(type) {
	case Unfold:
		return decideUnfold(r, c)
	case Begin:
		return decideBegin(r, c)
	case Deliver:
		return decideDeliver(r, c)
	case Submit:
		return decideSubmit(r, c)
	case Fail:
		return decideFail(r, c)
	case Release:
		return decideRelease(r, c)
	case Judge:
		return decideJudge(r, c)
	case Answer:
		return decideAnswer(r, c)
	case Revise:
		return decideRevise(r, c)
	case Rollback:
		return decideRollback(r, c)
	case Undo:
		return decideUndo(r)
	case Reopen:
		return decideReopen(r, c)
	case Resume:
		return decideResume(r, c)
	case Abandon:
		return decideAbandon(r, c)
	case Cancel:
		return decideCancel(r, c)
	case Relabel:
		return decideRelabel(r, c)
	case Record:
		return recordEvidence(c.Evidence, ""), nil
	}
	return nil, fault.New(fault.Usage, string(r.id), "command %T is not of this law", c)
}

// refuse makes a refusal about a node, with the ways out that are open to it now.
func refuse(code fault.Code, n *node, format string, args ...any) *fault.Error {
	return fault.New(code, string(n.ID), format, args...).With(n.ways()...)
}

// ways are the things that can be done about a node as it stands. Each is legal right now.
func (n *node) ways() []fault.Action {
	if len(n.asks) > 0 {
		return []fault.Action{{Action: "answer", Command: "sluice inbox", Why: "ask " + string(n.asks[0].ID) + " waits for an answer"}}
	}
	switch n.status {
	case StatusFailed, StatusHeld:
		if n.Kind == Group {
			return []fault.Action{{Action: "resume", Why: "what failed in it is tried again"}}
		}
		return []fault.Action{{Action: "reopen", Why: "its attempts start again"}}
	case StatusAbandoned:
		if n.reopenable(nil) == nil {
			return []fault.Action{{Action: "reopen", Why: "it becomes part of the run again"}}
		}
	case StatusDone:
		if n.Kind != Group {
			return []fault.Action{{Action: "revise", Why: "what stands is made again"}}
		}
	}
	return []fault.Action{{Action: "run", Why: "the run goes on by itself from here"}}
}

// inspect is the way out where a name or a value was wrong: look at what there is.
func inspect(id RunID) fault.Action {
	return fault.Action{Action: "inspect", Command: strings.TrimSpace("sluice status " + string(id)), Why: "it shows what there is"}
}

func (r *Run) find(id NodeID) (*node, error) {
	n, ok := r.nodes[id]
	if !ok {
		return nil, fault.New(fault.UnknownNode, string(id), "run %s has no node %q", r.id, id).With(inspect(r.id))
	}
	return n, nil
}

func (r *Run) findOpenAttempt(id AttemptID) (*node, *Attempt, error) {
	a, ok := r.attempts[id]
	if !ok {
		return nil, nil, fault.New(fault.UnknownAttempt, string(id), "run %s has no attempt %q", r.id, id).With(inspect(r.id))
	}
	n := r.nodes[a.Node]
	if a.Outcome != "" || n.open != a {
		return nil, nil, refuse(fault.AttemptClosed, n, "attempt %s is closed: %s", id, a.Outcome)
	}
	return n, a, nil
}

func decideBegin(r *Run, c Begin) ([]Fact, error) {
	n, err := r.find(c.Node)
	if err != nil {
		return nil, err
	}
	if n.Kind == Group || n.Performer == Person {
		return nil, refuse(fault.IllegalStep, n, "node %s is not performed by attempts", n.ID)
	}
	var facts []Fact
	switch n.status {
	case StatusReady, StatusRework:
	case StatusRunning:
		if !c.TakeOver {
			return nil, refuse(fault.AttemptOpen, n, "attempt %s at node %s is in the hands of %s", n.open.ID, n.ID, n.open.Performer)
		}
		if s := n.statusWhenIdle(); s != StatusReady && s != StatusRework {
			return nil, refuse(fault.IllegalStep, n, "node %s would be %s without attempt %s; there is nothing to take over", n.ID, s, n.open.ID)
		}
		facts = append(facts, withdraw(n.open, "taken over by "+c.By.String()))
	case StatusWaiting, StatusBlocked:
		return nil, refuse(fault.MissingPrerequisite, n, "node %s needs %s first", n.ID, n.missing())
	default:
		return nil, refuse(fault.IllegalStep, n, "node %s is %s", n.ID, n.status)
	}
	if err := r.RefuseProvider(c.Provider, c.Switch); err != nil {
		return nil, err
	}
	return append(facts, beginFact(n, c.By)), nil
}

// RefuseProvider says why providers of a class may not answer for a run: where a real model has, rehearsal does only if that is
// meant. It is asked when an attempt begins, and when one that a process left open is taken up.
func (r *Run) RefuseProvider(class string, isMeant bool) error {
	if class != ProviderRehearsal || r.provider != ProviderReal || isMeant {
		return nil
	}
	return fault.New(fault.ProviderChanged, string(r.id), "run %s has replies of a real model and would go on with rehearsal", r.id).
		With(fault.Action{Action: "configure", Command: "sluice config show", Why: "a key or a provider is missing"},
			fault.Action{Action: "rehearse", Why: "if rehearsal is meant; what it writes is labelled"})
}

// beginFact fixes what an attempt works from: approved versions of what it needs, and what it improves or judges.
func beginFact(n *node, by Actor) AttemptBegan {
	f := AttemptBegan{Attempt: attemptID(n.ID, n.attempts+1), Node: n.ID, N: n.attempts + 1, Take: n.take, Performer: by,
		Notes: n.notes}
	for _, from := range n.needs {
		if from != nil && from.approved != nil {
			f.Inputs = append(f.Inputs, Input{Node: from.ID, Version: from.approved.ID})
		}
	}
	subject := n.newest
	if n.Kind == Check {
		subject = n.target.newest
	}
	if subject == nil {
		return f
	}
	f.Subject = subject.ID
	if n.Kind == Make {
		for _, review := range subject.reviews {
			if review.Verdict == AgainstIt || len(review.Findings) > 0 {
				f.Reviews = append(f.Reviews, review.ID)
			}
		}
	}
	return f
}

// statusWhenIdle is what the status would be without the open attempt.
func (n *node) statusWhenIdle() Status {
	idle := *n
	idle.open = nil
	return idle.derive()
}

// missing names what a node waits for.
func (n *node) missing() string {
	if n.Kind == Check && (n.target == nil || n.target.newest == nil) {
		return "a version of " + string(n.Target)
	}
	names := ""
	for i, need := range n.Needs {
		if from := n.needs[i]; from != nil {
			if met, _ := need.met(from.status); met {
				continue
			}
		}
		if names != "" {
			names += ", "
		}
		names += string(need.Node)
	}
	if names == "" {
		return "something that is not there yet"
	}
	return names
}

func withdraw(a *Attempt, why string) AttemptClosed {
	return AttemptClosed{Attempt: a.ID, Node: a.Node, Snapshot: Snapshot{Outcome: Withdrawn, Began: a.Began,
		Decisions: []Decision{{Decision: "withdrawn", Reason: why, NextStep: "begin again"}}}}
}

func decideRelease(r *Run, c Release) ([]Fact, error) {
	_, a, err := r.findOpenAttempt(c.Attempt)
	if err != nil {
		return nil, err
	}
	return []Fact{withdraw(a, c.Reason)}, nil
}

func decideFail(r *Run, c Fail) ([]Fact, error) {
	n, a, err := r.findOpenAttempt(c.Attempt)
	if err != nil {
		return nil, err
	}
	snap := c.Account.snapshot(Failed, a.Began)
	snap.Errors = append(snap.Errors, c.Error)
	closed := AttemptClosed{Attempt: a.ID, Node: n.ID, Snapshot: snap}
	effect := orElse(n.OnFail, FailNode)
	if c.Error.Class == NoBudget { // neither a failure of the node nor a verdict of a check
		effect = AskPerson
	}
	if c.Error.Class == BadReply {
		closed.Snapshot.Outcome = Unusable
		last := n.used+1 >= n.allowed
		switch {
		case !last:
			effect = ""
		case effect != RejectIt:
			effect = orElse(n.OnExhausted, AskPerson)
		}
	}
	facts := recordEvidence(c.Account.Evidence, a.ID)
	if effect != RejectIt {
		closed.Then = effect
		return append(facts, closed), nil
	}
	v, ok := r.versions[a.Subject]
	if !ok {
		return nil, refuse(fault.IllegalStep, n, "attempt %s judges no version", a.ID)
	}
	review := Review{Node: v.Node, Version: v.ID, Digest: v.Digest, Check: n.ID,
		Verdict: AgainstIt, Summary: "the check could not be made", By: a.Performer, At: utc(c.At), Late: r.isLate(v),
		Findings: []Finding{{Code: c.Error.Code, Severity: "high", Message: c.Error.Message}}}
	if err := r.nameReview(&review, v); err != nil {
		return nil, err
	}
	closed.Snapshot.Review = review.ID
	return append(facts, ReviewRecorded{review}, closed), nil
}

func (a Account) snapshot(o Outcome, began time.Time) Snapshot {
	return Snapshot{Outcome: o, Began: began, Errors: a.Errors, Decisions: a.Decisions, Usage: a.Usage,
		Provider: a.Provider, Body: a.Body}
}

func recordEvidence(all []Evidence, from AttemptID) []Fact {
	facts := make([]Fact, 0, len(all)+3)
	for _, e := range all {
		facts = append(facts, EvidenceRecorded{Evidence: e, Attempt: from})
	}
	return facts
}

// isLate tells whether a newer version than this one stands already.
func (r *Run) isLate(v *Version) bool {
	n := r.nodes[v.Node]
	return n.newest != v
}
