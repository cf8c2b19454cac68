package model

import (
	"context"
	"errors"
	"sync"
	"time"

	"sluice/internal/fault"
	"sluice/internal/journal"
)

// Calls is the part of a store that remembers calls and replies. Both outlive the process when the store returns; a power cut
// may take that a call began, and a reply of the last few milliseconds of which nothing durable was made.
type Calls interface {
	// Reply finds the reply stored under a key.
	Reply(ctx context.Context, key string) (journal.Reply, bool, error)
	// BeginCall records a call and gives its id. One that is already ended (reused) is recorded whole.
	BeginCall(ctx context.Context, c journal.Call) (int64, error)
	// EndCall completes a call; with a reply it stores the reply under its key in the same step.
	EndCall(ctx context.Context, id int64, r *journal.Reply, o journal.Outcome, u journal.Usage, errText string) error
}

// Memo pays for each key at most once: a stored reply is used again, a call is recorded before it is made, and its
// reply is stored before anyone sees it. Callers in one process that ask the same key at once share one call; across
// processes the lease of the run does that.
func Memo(next Model, provider string, store Calls) Model {
	return &memo{next: next, provider: provider, store: store, flights: make(map[string]*flight)}
}

type memo struct {
	next     Model
	provider string
	store    Calls

	mu      sync.Mutex
	flights map[string]*flight // by key, while someone is asking
}

type flight struct {
	done chan struct{} // closed when err is set
	err  error
}

func (m *memo) Complete(ctx context.Context, r Request) (Reply, error) {
	key := string(Key(m.provider, r))
	for {
		f, mine := m.board(key)
		if mine {
			reply, err := m.lead(ctx, key, r)
			m.land(key, f, err)
			return reply, err
		}
		select {
		case <-ctx.Done():
			return Reply{}, Stopped(ctx, m.provider)
		case <-f.done:
		}
		// A failure is shared, or every waiting caller would pay for it again; but another caller's Ctrl-C is not ours.
		// After a success the next round finds the stored reply.
		if f.err != nil && ClassOf(f.err) != Interrupted {
			return Reply{}, f.err
		}
	}
}

func (m *memo) board(key string) (*flight, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if f, ok := m.flights[key]; ok {
		return f, false
	}
	f := &flight{done: make(chan struct{})}
	m.flights[key] = f
	return f, true
}

func (m *memo) land(key string, f *flight, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.flights, key)
	f.err = err
	close(f.done)
}

// lead answers a key for everyone who waits for it.
func (m *memo) lead(ctx context.Context, key string, r Request) (Reply, error) {
	stored, ok, err := m.store.Reply(ctx, key)
	if err != nil {
		return Reply{}, err
	}
	if ok {
		return m.reuse(ctx, r, stored)
	}
	id, err := m.store.BeginCall(ctx, m.call(key, r))
	if err != nil {
		return Reply{}, err
	}
	reply, err := m.next.Complete(ctx, r)
	// From here on something was paid for: it is recorded even if the caller has gone.
	ctx = context.WithoutCancel(ctx)
	if err != nil {
		var u journal.Usage
		if e, ok := errors.AsType[*Error](err); ok {
			u = e.Usage
		}
		if endErr := m.store.EndCall(ctx, id, nil, journal.Failed, u, err.Error()); endErr != nil {
			return Reply{}, errors.Join(err, endErr)
		}
		return Reply{}, err
	}
	kept := &journal.Reply{
		Key: key, Content: reply.Content, Provider: reply.Provider, Model: reply.Model, Finish: reply.Finish,
		Usage: reply.Usage, At: time.Now().UTC(),
	}
	if err := m.store.EndCall(ctx, id, kept, journal.Answered, reply.Usage, ""); err != nil {
		return Reply{}, fault.Wrap(fault.CodeOf(err), r.Agent, err, "the reply to %s could not be stored and is not used", r.Agent)
	}
	if reply.Stored != nil {
		reply.Stored()
		reply.Stored = nil
	}
	return reply, nil
}

func (m *memo) reuse(ctx context.Context, r Request, stored journal.Reply) (Reply, error) {
	c := m.call(stored.Key, r)
	c.Model, c.Outcome, c.Ended = stored.Model, journal.Reused, c.Started
	if stored.Provider != "" {
		c.Provider = stored.Provider
	}
	if _, err := m.store.BeginCall(ctx, c); err != nil {
		return Reply{}, err
	}
	return Reply{
		Content: stored.Content, Usage: stored.Usage, Model: stored.Model, Provider: stored.Provider,
		Finish: stored.Finish, Reused: true,
	}, nil
}

func (m *memo) call(key string, r Request) journal.Call {
	return journal.Call{
		Step: r.Scope.Step, Run: r.Scope.Run, Node: r.Scope.Node, Attempt: r.Scope.Attempt, Slot: r.Scope.Slot, Take: r.Scope.Take,
		Agent: r.Agent, Key: key, Provider: m.provider, Model: r.Params.Model,
		Started: time.Now().UTC(), Outcome: journal.Open,
		Expected: expected(r),
	}
}
