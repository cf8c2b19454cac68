package storetest

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"sluice/internal/fault"
	"sluice/internal/journal"
)

// holding is a call that reserves tokens within a limit of its run and of its day.
func holding(run, key string, tokens, ofRun, ofDay int64) journal.Call {
	c := call(run, key)
	c.Step = "sample/write"
	c.Hold = &journal.Hold{Tokens: tokens, Cost: journal.Money(tokens) * 1000, Limits: []journal.Limit{
		{Scope: journal.RunScope(run), Tokens: ofRun}, {Scope: journal.DayScope(c.Started), Tokens: ofDay}}}
	return c
}

func paid(tokens int) journal.Usage {
	return journal.Usage{InputTokens: tokens / 2, OutputTokens: tokens - tokens/2, Duration: time.Second,
		Cost: journal.Money(tokens) * 1000, Priced: true}
}

func testSpent(t *testing.T, f fixture) {
	s := f.store(t)
	day := journal.DayScope(clock(1))
	for i, u := range []journal.Usage{paid(100), {InputTokens: 7, OutputTokens: 3}} {
		c := call("r1", string(rune('a'+i)))
		c.Step = "sample/write"
		id := must(s.BeginCall(t.Context(), c))(t)
		reply := journal.Reply{Key: c.Key, Content: "x", Provider: "backup", Model: "other", At: clock(2)}
		if err := s.EndCall(t.Context(), id, &reply, journal.Answered, u, ""); err != nil {
			t.Fatal(err)
		}
	}
	failed := must(s.BeginCall(t.Context(), call("r2", "c")))(t)
	if err := s.EndCall(t.Context(), failed, nil, journal.Failed, paid(40), "cut off"); err != nil {
		t.Fatal(err)
	}
	wantEqual(t, must(s.Budget(t.Context(), "run/r1"))(t), journal.Budget{Scope: "run/r1", Tokens: 110, Cost: 100000, Unpriced: 10})
	wantEqual(t, must(s.Budget(t.Context(), day))(t), journal.Budget{Scope: day, Tokens: 150, Cost: 140000, Unpriced: 10})
	wantEqual(t, must(s.Budget(t.Context(), "run/none"))(t), journal.Budget{Scope: "run/none"})
	calls := must(s.Calls(t.Context(), "r1"))(t)
	wantEqual(t, []string{calls[0].Provider, calls[0].Model}, []string{"backup", "other"}) // who answered
	wantEqual(t, calls[0].Usage, paid(100))
	want := []journal.StepCost{{Step: "sample/write", Nodes: 1, Calls: 2, Unpriced: 1, InputTokens: 57, OutputTokens: 53,
		Cost: 100000, Duration: time.Second}}
	wantEqual(t, must(s.StepCosts(t.Context(), "r1"))(t), want)
	wantEqual(t, must(s.StepCosts(t.Context(), ""))(t), want)
}

func testLimits(t *testing.T, f fixture) {
	s := f.store(t)
	first := must(s.BeginCall(t.Context(), holding("r1", "a", 600, 1000, 0)))(t)
	_, err := s.BeginCall(t.Context(), holding("r1", "b", 600, 1000, 0))
	wantCode(t, err, fault.BudgetUsedUp)
	over, ok := errors.AsType[*journal.Over](err)
	if !ok || !over.FitsLater() {
		t.Fatalf("got %v, want that it fits once the first call has ended", err)
	}
	wantEqual(t, *over, journal.Over{Scope: "run/r1", Limit: 1000, Held: 600, Need: 600})
	if err := s.EndCall(t.Context(), first, nil, journal.Failed, paid(500), "x"); err != nil {
		t.Fatal(err)
	}
	_, err = s.BeginCall(t.Context(), holding("r1", "b", 600, 1000, 0))
	if over, ok = errors.AsType[*journal.Over](err); !ok || over.FitsLater() || over.Used != 500 {
		t.Fatalf("got %v, want that it does not fit any more", err)
	}
	refused := holding("r1", "b", 600, 1000, 0)
	refused.Outcome = journal.Refused
	must(s.BeginCall(t.Context(), refused))(t)
	wantEqual(t, must(s.LastRefused(t.Context(), "r1"))(t), journal.Hold{Tokens: 600, Cost: 600000})
	wantEqual(t, must(s.Budget(t.Context(), "run/r1"))(t).HeldTokens, int64(0))

	raised, cost := int64(2000), 900*journal.Money(1000)
	if err := s.ChangeBudget(t.Context(), "run/r1", journal.BudgetChange{MaxTokens: &raised, MaxCost: &cost}); err != nil {
		t.Fatal(err)
	}
	_, err = s.BeginCall(t.Context(), holding("r1", "b", 600, 1000, 0)) // now the money
	if over, ok = errors.AsType[*journal.Over](err); !ok || !over.Money {
		t.Fatalf("got %v, want that the money does not suffice", err)
	}
	cost = 0 // none
	if err := s.ChangeBudget(t.Context(), "run/r1", journal.BudgetChange{MaxCost: &cost}); err != nil {
		t.Fatal(err)
	}
	must(s.BeginCall(t.Context(), holding("r1", "b", 600, 1000, 0)))(t)
	_, err = s.BeginCall(t.Context(), holding("r2", "c", 600, 0, 1000)) // the day is shared
	wantCode(t, err, fault.BudgetUsedUp)
}

func testReservations(t *testing.T, f fixture) {
	a, b := f.store(t), f.store(t)
	var group sync.WaitGroup
	var made atomic.Int64
	for w := range 8 {
		s := []Store{a, b}[w%2]
		group.Go(func() {
			for range 10 {
				id, err := s.BeginCall(t.Context(), holding(string(rune('a'+w)), "k", 100, 0, 2050))
				if err != nil {
					if fault.CodeOf(err) != fault.BudgetUsedUp {
						t.Error(err)
					}
					continue
				}
				made.Add(1)
				if err := s.EndCall(t.Context(), id, nil, journal.Failed, paid(100), "x"); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	wantEqual(t, must(a.Budget(t.Context(), journal.DayScope(clock(1))))(t).Tokens, made.Load()*100)
	wantEqual(t, made.Load(), int64(20))
}

func testDeadReservation(t *testing.T, f fixture) {
	a, b := f.store(t), f.store(t)
	must(a.BeginCall(t.Context(), holding("r1", "a", 900, 0, 1000)))(t)
	_, err := b.BeginCall(t.Context(), holding("r2", "b", 900, 0, 1000))
	wantCode(t, err, fault.BudgetUsedUp)
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	must(b.BeginCall(t.Context(), holding("r2", "b", 900, 0, 1000)))(t)
	wantEqual(t, must(b.Budget(t.Context(), "run/r1"))(t).HeldTokens, int64(0))
	wantEqual(t, must(b.Budget(t.Context(), "run/r2"))(t).HeldTokens, int64(900))
}

func testWarnOnce(t *testing.T, f fixture) {
	a, b := f.store(t), f.store(t)
	wantEqual(t, must(a.WarnOnce(t.Context(), "run/r1"))(t), true)
	wantEqual(t, must(b.WarnOnce(t.Context(), "run/r1"))(t), false)
	more := int64(10)
	if err := b.ChangeBudget(t.Context(), "run/r1", journal.BudgetChange{MaxTokens: &more}); err != nil {
		t.Fatal(err)
	}
	wantEqual(t, must(a.WarnOnce(t.Context(), "run/r1"))(t), true)
}
