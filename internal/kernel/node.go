package kernel

import (
	"encoding/json"

	"sluice/internal/fault"
)

// Node is one unit of work as it was recorded. It never changes after that: what happens to it are events.
type Node struct {
	ID     NodeID `json:"id"`
	Kind   Kind   `json:"kind"`
	Title  string `json:"title,omitempty"`
	Step   string `json:"step,omitempty"` // the line's name for the work, by which it is performed
	Parent NodeID `json:"parent,omitempty"`
	Needs  []Need `json:"needs,omitempty"`

	Target   NodeID `json:"target,omitempty"`   // check: the node whose versions it judges
	Advisory bool   `json:"advisory,omitempty"` // check: its verdict is recorded and never blocks
	Any      bool   `json:"any,omitempty"`      // group: done when one child is, and the others are abandoned

	Performer   ActorKind `json:"performer,omitempty"` // engine, or person: then an ask is opened instead of an attempt
	Gate        Gate      `json:"gate,omitzero"`
	Attempts    int       `json:"attempts"`               // how many the engine or clients may make before OnExhausted; 0 is none
	OnReject    Effect    `json:"on_reject,omitempty"`    // rework (default), ask or fail
	OnExhausted Effect    `json:"on_exhausted,omitempty"` // ask (default) or fail
	OnFail      Effect    `json:"on_fail,omitempty"`      // fail (default), ask, or for a check reject
	Priority    int       `json:"priority,omitempty"`     // higher goes first
	Alternative string    `json:"alternative,omitempty"`  // of the nodes that share it one is done, the others abandoned
	Refresh     bool      `json:"refresh,omitempty"`      // made again when stale, without being asked
	Unfolds     bool      `json:"unfolds,omitempty"`      // the line is asked what follows when a version is approved

	Ask    *AskSpec        `json:"ask,omitempty"`    // what is asked of a person, by the gate or of the performer
	Params json.RawMessage `json:"params,omitempty"` // the line's own
}

// Kind is what a node does. The zero value is invalid.
type Kind string

const (
	Make  Kind = "make"  // produces versions
	Check Kind = "check" // judges versions of its target
	Group Kind = "group" // holds other nodes
)

// Need is an edge from a prerequisite.
type Need struct {
	Node    NodeID `json:"node"`
	Settled bool   `json:"settled,omitempty"` // failed and abandoned will do; otherwise it must be done
}

// Gate says what must agree before a version is approved. The zero Gate is approved by rule, and the record says so.
type Gate struct {
	Rule     string `json:"rule,omitempty"`     // a pure rule of the line, evaluated when a version is delivered
	Revision int    `json:"revision,omitempty"` // of that rule
	Checks   bool   `json:"checks,omitempty"`   // every check node of this node must have spoken, none against
	Person   bool   `json:"person,omitempty"`   // then a person is asked
	Late     bool   `json:"late,omitempty"`     // verdicts of people on older versions are recorded, not refused
}

// AskSpec is what a line lets a person be asked.
type AskSpec struct {
	Kind      AskKind    `json:"kind"`
	Title     string     `json:"title,omitempty"`
	Options   []Option   `json:"options,omitempty"`
	Questions []Question `json:"questions,omitempty"`
}

// Option is one answer that a person may choose, and what it does.
type Option struct {
	Value  string `json:"value"`
	Label  string `json:"label,omitempty"`
	Effect Effect `json:"effect"`
}

// Question is one thing to be answered.
type Question struct {
	ID      string   `json:"id"`
	Path    string   `json:"path,omitempty"`
	Text    string   `json:"text"`
	Choices []string `json:"choices,omitempty"`
}

// Effect is what a choice, a rejection or a failure does.
type Effect string

const (
	Approve    Effect = "approve"     // the version is approved
	Rework     Effect = "rework"      // it is made again, with the findings
	FailNode   Effect = "fail"        // the node fails
	AskPerson  Effect = "ask"         // a person is asked what to do
	RejectIt   Effect = "reject"      // a failed check counts as a verdict against
	Hold       Effect = "hold"        // put aside until someone reopens it
	Drop       Effect = "drop"        // the run is closed as dropped
	Retry      Effect = "retry"       // attempts start again
	AbandonIt  Effect = "abandon"     // the node is given up
	SupplyIt   Effect = "supply"      // what came with the answer becomes a version
	TakeOffer  Effect = "take_offer"  // the offered version replaces the current one
	KeepOwn    Effect = "keep"        // the current version stays, the offered one is put away
	TakeChoice Effect = "take_choice" // the version is approved with the chosen variant
)

func orElse(e, otherwise Effect) Effect {
	if e == "" {
		return otherwise
	}
	return e
}

// validate checks one node by itself; its neighbours are checked when it is added to a run.
func (n Node) validate() error {
	bad := func(format string, args ...any) error {
		return fault.New(fault.BadNode, string(n.ID), "node %s "+format, append([]any{n.ID}, args...)...)
	}
	if err := checkWord("node id", string(n.ID)); err != nil {
		return err
	}
	switch n.Kind {
	case Make, Check:
		if n.Any {
			return bad("is a %s and says any, which is for groups", n.Kind)
		}
	case Group:
		if n.Target != "" || n.Gate != (Gate{}) || n.Ask != nil || n.Unfolds || n.Attempts != 0 || n.Performer != "" {
			return bad("is a group and says target, gate, ask, unfolds, attempts or performer")
		}
	default:
		return bad("has kind %q, not make, check or group", n.Kind)
	}
	if (n.Kind == Check) != (n.Target != "") {
		return bad("has kind %s and target %q; checks and only checks have one", n.Kind, n.Target)
	}
	if n.Kind == Check && n.Gate != (Gate{}) {
		return bad("is a check and has a gate")
	}
	if n.Attempts < 0 {
		return bad("allows %d attempts", n.Attempts)
	}
	if n.Kind != Group && n.Performer != Engine && n.Performer != Person {
		return bad("has performer %q, not engine or person", n.Performer)
	}
	return n.validateEffects(bad)
}

func (n Node) validateEffects(bad func(string, ...any) error) error {
	allowed := func(what string, e Effect, legal ...Effect) error {
		if e == "" {
			return nil
		}
		for _, l := range legal {
			if e == l {
				return nil
			}
		}
		return bad("has %s %q, not one of %v", what, e, legal)
	}
	onFail := []Effect{FailNode, AskPerson}
	if n.Kind == Check {
		onFail = append(onFail, RejectIt)
	}
	for _, err := range []error{
		allowed("on_reject", n.OnReject, Rework, AskPerson, FailNode),
		allowed("on_exhausted", n.OnExhausted, AskPerson, FailNode),
		allowed("on_fail", n.OnFail, onFail...),
	} {
		if err != nil {
			return err
		}
	}
	if n.Ask == nil {
		return nil
	}
	effects := []Effect{Approve, Rework, FailNode, Hold, Drop, AbandonIt}
	if n.Kind == Make {
		effects = append(effects, SupplyIt)
	}
	for _, o := range n.Ask.Options {
		if o.Value == "" || o.Effect == "" {
			return bad("offers an option without a value or an effect")
		}
		if err := checkWord("option", o.Value); err != nil { // it is typed as an answer
			return err
		}
		if err := allowed("option effect", o.Effect, effects...); err != nil {
			return err
		}
	}
	switch n.Ask.Kind {
	case AskApprove, AskChoose, AskAnswer, AskSupply, AskDecide:
		return nil
	}
	return bad("asks with kind %q", n.Ask.Kind)
}
