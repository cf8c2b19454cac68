package model

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"sluice/internal/fault"
	"sluice/internal/journal"
)

// Budgets is the part of a store that knows what was spent.
type Budgets interface {
	Budget(ctx context.Context, scope string) (journal.Budget, error)
	// WarnOnce tells whether nobody was warned of the scope before.
	WarnOnce(ctx context.Context, scope string) (bool, error)
	// LongestReply is how many tokens an agent's replies had at most of late.
	LongestReply(ctx context.Context, agent string) (int, error)
}

// Budget keeps calls within what may be spent. Reserve stands around the store of calls, so that what a call may cost is
// reserved with the record of the call and settled with its reply, each in the commit that was due anyway; Charge stands
// between Fallback and Memo, so that a reply that is remembered costs nothing; Cheaper stands outside of all.
type Budget struct {
	Store  Budgets
	Prices Prices
	Run    journal.Limit // of each run, and of each day; their scopes are filled in
	Day    journal.Limit
	WarnAt float64 // share of a limit from which on a person is warned; 0 never warns
	Now    func() time.Time
	Warn   func(message string) // tells a person who watches

	mu      sync.Mutex
	longest map[string]int // tokens of replies by agent
}

// limits are those that a call of a run is held to now.
func (b *Budget) limits(run string, at time.Time) []journal.Limit {
	r, d := b.Run, b.Day
	r.Scope, d.Scope = journal.RunScope(run), journal.DayScope(at)
	return []journal.Limit{r, d}
}

// Charge puts the price of each call into its usage, and a warning into the first reply beyond the soft limit.
func (b *Budget) Charge(next Model) Model { return charged{next, b} }

type charged struct {
	next   Model
	budget *Budget
}

func (m charged) Complete(ctx context.Context, r Request) (Reply, error) {
	reply, err := m.next.Complete(ctx, r)
	if err != nil {
		// A refused or cut reply was paid for as well. Who gave it is known to be the model that was asked, if anyone.
		if e, ok := errors.AsType[*Error](err); ok && e.Usage.Tokens() > 0 {
			c := *e
			m.budget.Prices.charge(e.Fault.Subject, r.Params.Model, &c.Usage)
			return reply, &c
		}
		return reply, err
	}
	reply.Usage = told(r, reply)
	name := reply.Model
	if name == "" {
		name = r.Params.Model
	}
	m.budget.Prices.charge(reply.Provider, name, &reply.Usage)
	m.budget.keepLongest(r.Agent, reply.Usage.OutputTokens)
	reply.Notes = append(reply.Notes, m.budget.low(context.WithoutCancel(ctx), r.Scope.Run, reply.Usage)...)
	return reply, nil
}

// maxTold is more than any call takes. What a server says beyond it is not so, and must not add up to nonsense.
const maxTold = 1 << 30

// told is what a server says that a call took. One that says nothing would make every limit endless: then it is estimated.
func told(r Request, reply Reply) journal.Usage {
	u := reply.Usage
	if u.InputTokens <= 0 && u.OutputTokens <= 0 {
		u.InputTokens, u.OutputTokens, u.CachedTokens = expected(r).InputTokens, EstimateTokens(reply.Content), 0
	}
	bound := func(n int) int { return min(max(0, n), maxTold) }
	u.InputTokens, u.OutputTokens, u.CachedTokens = bound(u.InputTokens), bound(u.OutputTokens), bound(u.CachedTokens)
	return u
}

// low tells, once per limit, that not much of it is left. A store that cannot say is no reason to lose a reply.
func (b *Budget) low(ctx context.Context, run string, u journal.Usage) []string {
	var notes []string
	if b.WarnAt <= 0 {
		return nil
	}
	for _, l := range b.limits(run, b.Now()) {
		spent, err := b.Store.Budget(ctx, l.Scope)
		if err != nil {
			return notes
		}
		l = spent.Effective(l)
		spent.Tokens, spent.Cost = spent.Tokens+u.Tokens(), spent.Cost+u.Cost
		text := ""
		switch {
		case spent.IsWarned:
		case l.Tokens > 0 && float64(spent.Tokens) >= b.WarnAt*float64(l.Tokens):
			text = fmt.Sprintf("%s has spent %s of %s tokens", journal.ScopeName(l.Scope), journal.Thousands(spent.Tokens), journal.Thousands(l.Tokens))
		case l.Cost > 0 && float64(spent.Cost) >= b.WarnAt*float64(l.Cost):
			text = fmt.Sprintf("%s has spent %s of %s", journal.ScopeName(l.Scope), spent.Cost, l.Cost)
		}
		if text == "" {
			continue
		}
		if first, err := b.Store.WarnOnce(ctx, l.Scope); err != nil || !first {
			continue
		}
		notes = append(notes, text)
		if b.Warn != nil {
			b.Warn(text)
		}
	}
	return notes
}

// Reserve makes each call that begins hold what it may cost. Models are those that a call may fall back to.
func (b *Budget) Reserve(calls Calls, server string, fallback ...Fallen) Calls {
	return reserved{calls, b, append([]Fallen{{Server: server}}, fallback...)}
}

// Fallen is a model at a server that may answer instead of the one that is asked.
type Fallen struct{ Server, Model string }

type reserved struct {
	Calls
	budget *Budget
	models []Fallen // the first one is named by the call
}

// Waits between looks whether calls under way left enough. They double.
const (
	firstLook = 20 * time.Millisecond
	lastLook  = time.Second
)

// BeginCall records a call that fits the budget, once it does: one that fits if those under way cost less than they may
// waits for them. One that does not fit is recorded as refused.
func (c reserved) BeginCall(ctx context.Context, call journal.Call) (int64, error) {
	if call.Outcome != journal.Open {
		return c.Calls.BeginCall(ctx, call)
	}
	hold, err := c.budget.hold(ctx, call, c.models)
	if err != nil {
		return 0, err
	}
	call.Hold = &hold
	for wait := firstLook; ; wait = min(2*wait, lastLook) {
		id, err := c.Calls.BeginCall(ctx, call)
		over, ok := errors.AsType[*journal.Over](err)
		if !ok {
			return id, err
		}
		if over.FitsLater() {
			if !sleep(ctx, wait) {
				return 0, Stopped(ctx, call.Provider)
			}
			call.Started = c.budget.Now().UTC()
			hold.Limits = c.budget.limits(call.Run, call.Started) // another day may have come
			continue
		}
		call.Outcome, call.Error = journal.Refused, over.Error()
		if _, recorded := c.Calls.BeginCall(context.WithoutCancel(ctx), call); recorded != nil {
			return 0, errors.Join(err, recorded)
		}
		return 0, usedUp(call.Run, over)
	}
}

// usedUp words the refusal for the person who will decide.
func usedUp(run string, over *journal.Over) error {
	raise, flag := "sluice budget raise "+run, " --tokens "+fmt.Sprint(2*over.Limit)
	if over.Scope != journal.RunScope(run) {
		raise = "sluice budget raise --day"
	}
	if over.Money {
		flag = fmt.Sprintf(" --cost %.2f", 2*journal.Money(over.Limit).Dollars())
	}
	f := fault.New(fault.BudgetUsedUp, run, "the budget is used up: %s", over).With(
		fault.Action{Action: "raise", Command: raise + flag, Why: "what waits for it goes on with the next run"})
	return &Error{Class: Permanent, Fault: f}
}

// Margins of an estimate: prompts are counted without a tokenizer, and replies differ in length.
const (
	unknownReply = 1000 // tokens of a reply of which nothing is known
	inputMargin  = 1.15
	outputMargin = 1.25
)

// hold is what a call may cost at most, as far as that is known: a reply is as long as it may be at most, else as the
// longest one of its agent so far and a bit more.
func (b *Budget) hold(ctx context.Context, call journal.Call, models []Fallen) (journal.Hold, error) {
	h := journal.Hold{Limits: b.limits(call.Run, call.Started)}
	u := journal.Usage{InputTokens: int(inputMargin*float64(call.Expected.InputTokens)) + 1, OutputTokens: call.Expected.OutputTokens}
	if u.OutputTokens == 0 {
		longest, err := b.longestReply(ctx, call.Agent)
		if err != nil {
			return h, err
		}
		u.OutputTokens = int(outputMargin * float64(longest))
	}
	h.Tokens = u.Tokens()
	for i, m := range models {
		if i == 0 {
			m.Model = call.Model
			if m.Model == "" {
				m.Model = m.Server
			}
		}
		if p, ok := b.Prices.Of(m.Server, m.Model, u.InputTokens); ok {
			h.Cost = max(h.Cost, p.Cost(u))
		}
	}
	return h, nil
}

// Expect is about what a request will take.
func (b *Budget) Expect(ctx context.Context, r Request) (journal.Usage, error) {
	u := expected(r)
	if u.OutputTokens > 0 {
		return u, nil
	}
	var err error
	u.OutputTokens, err = b.longestReply(ctx, r.Agent)
	return u, err
}

// Refusal says which limit a request would cross as things stand; nothing where it fits.
func (b *Budget) Refusal(ctx context.Context, server string, r Request) (string, error) {
	h, err := b.hold(ctx, journal.Call{Run: r.Scope.Run, Agent: r.Agent, Model: r.Params.Model, Started: b.Now(), Expected: expected(r)}, []Fallen{{Server: server}})
	if err != nil {
		return "", err
	}
	for _, l := range h.Limits {
		spent, err := b.Store.Budget(ctx, l.Scope)
		if err != nil {
			return "", err
		}
		if over := spent.Over(l, h); over != nil {
			return over.Error(), nil
		}
	}
	return "", nil
}

// expected is what is known of a call before it is made: its prompt, and how long the reply may be at most.
func expected(r Request) journal.Usage {
	return journal.Usage{OutputTokens: r.Params.MaxTokens,
		InputTokens: EstimateTokens(r.System) + EstimateTokens(r.Prompt) + EstimateTokens(string(r.Schema))}
}

// longestReply is as long as the agent's replies were at most, or unknownReply before there was one.
func (b *Budget) longestReply(ctx context.Context, agent string) (int, error) {
	b.mu.Lock()
	n, ok := b.longest[agent]
	b.mu.Unlock()
	if !ok {
		var err error
		if n, err = b.Store.LongestReply(ctx, agent); err != nil {
			return 0, err
		}
		b.keepLongest(agent, n)
	}
	if n == 0 {
		n = unknownReply
	}
	return n, nil
}

func (b *Budget) keepLongest(agent string, tokens int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.longest == nil {
		b.longest = map[string]int{}
	}
	b.longest[agent] = max(b.longest[agent], tokens)
}

// Cheaper sends the calls of a run to the cheap model once a person has said so. It belongs outside Memo: the key must hold
// the model that is asked.
func (b *Budget) Cheaper(cheap, usual Model) Model { return thrift{cheap, usual, b.Store} }

type thrift struct {
	cheap, usual Model
	store        Budgets
}

func (m thrift) Complete(ctx context.Context, r Request) (Reply, error) {
	spent, err := m.store.Budget(ctx, journal.RunScope(r.Scope.Run))
	if err != nil {
		return Reply{}, err
	}
	if spent.IsCheaper {
		return m.cheap.Complete(ctx, r)
	}
	return m.usual.Complete(ctx, r)
}
