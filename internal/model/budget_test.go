package model

import (
	"context"
	"math"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"sluice/internal/fault"
	"sluice/internal/journal"
)

// purse is a store of calls that counts what they hold and spend, as a real one does.
type purse struct {
	*memoryCalls
	mu   sync.Mutex
	rows map[string]journal.Budget
}

func newPurse() *purse {
	return &purse{memoryCalls: newMemoryCalls(), rows: map[string]journal.Budget{}}
}

func (p *purse) BeginCall(ctx context.Context, c journal.Call) (int64, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if c.Outcome == journal.Open && c.Hold != nil {
		for _, l := range c.Hold.Limits {
			b := p.rows[l.Scope]
			b.Scope = l.Scope
			if over := b.Over(l, *c.Hold); over != nil {
				return 0, fault.Wrap(fault.BudgetUsedUp, l.Scope, over, "no")
			}
		}
		p.add(c, c.Hold.Tokens, journal.Usage{})
	}
	return p.memoryCalls.BeginCall(ctx, c)
}

func (p *purse) EndCall(ctx context.Context, id int64, r *journal.Reply, o journal.Outcome, u journal.Usage, text string) error {
	p.mu.Lock()
	c := p.memoryCalls.calls[id-1]
	p.add(c, -c.Hold.Tokens, u)
	p.mu.Unlock()
	return p.memoryCalls.EndCall(ctx, id, r, o, u, text)
}

func (p *purse) add(c journal.Call, held int64, u journal.Usage) {
	for _, l := range c.Hold.Limits {
		b := p.rows[l.Scope]
		b.HeldTokens += held
		b.Tokens += u.Tokens()
		b.Cost += u.Cost
		p.rows[l.Scope] = b
	}
}

func (p *purse) Budget(_ context.Context, scope string) (journal.Budget, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	b := p.rows[scope]
	b.Scope = scope
	return b, nil
}

func (p *purse) WarnOnce(_ context.Context, scope string) (bool, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	b := p.rows[scope]
	first := !b.IsWarned
	b.IsWarned = true
	p.rows[scope] = b
	return first, nil
}

func (p *purse) LongestReply(context.Context, string) (int, error) { return 80, nil }

func answering(tokens int) funcModel {
	return func(context.Context, Request) (Reply, error) {
		return Reply{Content: "ok", Model: "gpt-4o-2024-08-06", Provider: "openai",
			Usage: journal.Usage{InputTokens: tokens / 2, OutputTokens: tokens - tokens/2}}, nil
	}
}

func budgeted(p *purse, next Model, b *Budget) Model {
	b.Store, b.Now = p, time.Now
	b.Prices = NewPrices(nil, map[string]string{"openai": "api.openai.com"})
	return Memo(b.Charge(next), "openai", b.Reserve(p, "openai"))
}

func ask(t *testing.T, m Model, slot string) (Reply, error) {
	t.Helper()
	return m.Complete(t.Context(), Request{Agent: "a", Prompt: strings.Repeat("word ", 40), Params: Params{Model: "gpt-4o"},
		Scope: Scope{Run: "r1", Slot: slot}})
}

func TestBudgetStopsBeforeTheCallThatWouldCross(t *testing.T) {
	p := newPurse()
	calls := 0
	m := budgeted(p, funcModel(func(ctx context.Context, r Request) (Reply, error) {
		calls++
		return answering(100)(ctx, r)
	}), &Budget{Run: journal.Limit{Tokens: 450}})
	var err error
	for _, slot := range []string{"1", "2", "3", "4", "5"} {
		if _, err = ask(t, m, slot); err != nil {
			break
		}
	}
	if fault.CodeOf(err) != fault.BudgetUsedUp || ClassOf(err) != Permanent {
		t.Fatalf("got %v, want that the budget is used up", err)
	}
	if got := p.rows["run/r1"]; got.Tokens != 300 || got.HeldTokens != 0 || calls != 3 {
		t.Errorf("after %d calls: %+v", calls, got)
	}
	outcomes := p.outcomes()
	if diff := cmp.Diff([]journal.Outcome{"answered", "answered", "answered", "refused"}, outcomes); diff != "" {
		t.Error(diff)
	}
	next := fault.From(err).Next
	if len(next) == 0 || next[0].Command != "sluice budget raise r1 --tokens 900" {
		t.Errorf("next: %v", next)
	}
	if _, err := ask(t, m, "1"); err != nil { // what is remembered costs nothing
		t.Error(err)
	}
}

func TestBudgetWaitsForCallsUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPurse()
		b := &Budget{Day: journal.Limit{Tokens: 300}}
		m := budgeted(p, funcModel(func(ctx context.Context, r Request) (Reply, error) {
			if !sleep(ctx, time.Minute) {
				return Reply{}, Stopped(ctx, "openai")
			}
			return answering(20)(ctx, r)
		}), b)
		began := time.Now()
		var group sync.WaitGroup
		for _, slot := range []string{"1", "2"} { // each may need 160, and needs 20
			group.Go(func() {
				if _, err := ask(t, m, slot); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		if took := time.Since(began); took < 2*time.Minute || took > 3*time.Minute {
			t.Errorf("it took %s, want one after the other", took)
		}
	})
}

func TestBudgetWarnsOnce(t *testing.T) {
	p := newPurse()
	var told []string
	m := budgeted(p, answering(100), &Budget{Run: journal.Limit{Tokens: 1000}, WarnAt: 0.2, Warn: func(s string) { told = append(told, s) }})
	var notes []string
	for _, slot := range []string{"1", "2", "3"} {
		reply, err := ask(t, m, slot)
		if err != nil {
			t.Fatal(err)
		}
		notes = append(notes, strings.Join(reply.Notes, ";"))
	}
	want := "run r1 has spent 200 of 1,000 tokens"
	if diff := cmp.Diff([]string{"", want, ""}, notes); diff != "" || len(told) != 1 || told[0] != want {
		t.Errorf("told %v, notes differ: %s", told, diff)
	}
	if got := p.rows["run/r1"].Cost; got != journal.Dollars(3*(50*2.5+50*10)/1e6) {
		t.Errorf("the calls cost %s", got)
	}
}

func TestCheaperModelIsAskedOnceAPersonSaysSo(t *testing.T) {
	p := newPurse()
	b := &Budget{Store: p}
	named := func(name string) funcModel {
		return func(context.Context, Request) (Reply, error) { return Reply{Content: name}, nil }
	}
	m := b.Cheaper(named("cheap"), named("usual"))
	for _, want := range []string{"usual", "cheap"} {
		reply, err := ask(t, m, "1")
		if err != nil || reply.Content != want {
			t.Errorf("got %q, %v, want %q", reply.Content, err, want)
		}
		p.rows["run/r1"] = journal.Budget{IsCheaper: true}
	}
}

// TestWhatAServerSaysOfItsTokens keeps limits working with servers that say nothing or nonsense.
func TestWhatAServerSaysOfItsTokens(t *testing.T) {
	r := Request{Prompt: strings.Repeat("word ", 80)}
	for name, c := range map[string]struct{ said, want journal.Usage }{
		"nothing":    {journal.Usage{}, journal.Usage{InputTokens: 100, OutputTokens: 2}},
		"below zero": {journal.Usage{InputTokens: -5, OutputTokens: -9000}, journal.Usage{InputTokens: 100, OutputTokens: 2}},
		"partly":     {journal.Usage{InputTokens: -5, OutputTokens: 7}, journal.Usage{OutputTokens: 7}},
		"beyond all": {journal.Usage{InputTokens: math.MaxInt, OutputTokens: 1}, journal.Usage{InputTokens: maxTold, OutputTokens: 1}},
		"as it is":   {journal.Usage{InputTokens: 12, OutputTokens: 3, CachedTokens: 4}, journal.Usage{InputTokens: 12, OutputTokens: 3, CachedTokens: 4}},
	} {
		if got := told(r, Reply{Content: "answer!", Usage: c.said}); got != c.want {
			t.Errorf("%s: got %+v, want %+v", name, got, c.want)
		}
	}
}
