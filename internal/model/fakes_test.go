package model

import (
	"context"
	"fmt"
	"sync"

	"sluice/internal/journal"
)

// scriptModel answers with its steps in order and repeats the last one.
type scriptModel struct {
	mu    sync.Mutex
	steps []step
	asked []Request
}

type step struct {
	reply Reply
	err   error
}

func says(contents ...string) *scriptModel {
	m := &scriptModel{}
	for _, c := range contents {
		m.steps = append(m.steps, step{reply: Reply{Content: c, Provider: "fake", Model: "fake-1", Finish: "stop",
			Usage: journal.Usage{InputTokens: 10, OutputTokens: 5}}})
	}
	return m
}

func fails(errs ...error) *scriptModel {
	m := &scriptModel{}
	for _, err := range errs {
		m.steps = append(m.steps, step{err: err})
	}
	return m
}

func (m *scriptModel) then(next *scriptModel) *scriptModel {
	m.steps = append(m.steps, next.steps...)
	return m
}

func (m *scriptModel) Complete(_ context.Context, r Request) (Reply, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.steps[min(len(m.asked), len(m.steps)-1)]
	m.asked = append(m.asked, r)
	return s.reply, s.err
}

// funcModel is a Model made of a function.
type funcModel func(context.Context, Request) (Reply, error)

func (f funcModel) Complete(ctx context.Context, r Request) (Reply, error) { return f(ctx, r) }

// memoryCalls is a store of calls that forgets everything when the test ends.
type memoryCalls struct {
	mu      sync.Mutex
	calls   []journal.Call
	replies map[string]journal.Reply
	endErr  error
}

func newMemoryCalls() *memoryCalls { return &memoryCalls{replies: make(map[string]journal.Reply)} }

func (s *memoryCalls) Reply(ctx context.Context, key string) (journal.Reply, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, ok := s.replies[key]
	return r, ok, ctx.Err()
}

func (s *memoryCalls) BeginCall(ctx context.Context, c journal.Call) (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c.ID = int64(len(s.calls) + 1)
	s.calls = append(s.calls, c)
	return c.ID, ctx.Err()
}

func (s *memoryCalls) EndCall(ctx context.Context, id int64, r *journal.Reply, o journal.Outcome, u journal.Usage, errText string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.endErr != nil {
		return s.endErr
	}
	if ctx.Err() != nil {
		return fmt.Errorf("end of call %d under a dead context", id)
	}
	c := &s.calls[id-1]
	c.Outcome, c.Usage, c.Error = o, u, errText
	if r != nil {
		s.replies[r.Key] = *r
	}
	return nil
}

func (s *memoryCalls) outcomes() []journal.Outcome {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []journal.Outcome
	for _, c := range s.calls {
		out = append(out, c.Outcome)
	}
	return out
}
