package model

import (
	"context"
	"sync"

	"sluice/internal/fault"
	"sluice/internal/journal"
)

// Recordings is the part of a store that knows which calls a run made and what was answered.
type Recordings interface {
	Calls(ctx context.Context, run string) ([]journal.Call, error)
	Reply(ctx context.Context, key string) (journal.Reply, bool, error)
}

// Recorded answers with what was recorded for the same call of the same attempt, and asks nobody. Keys are looked up and
// never recomputed: what a prompt would be today does not matter.
func Recorded(store Recordings) Model {
	return &recorded{store: store, runs: map[string]map[recordedCall]journal.Call{}}
}

type recorded struct {
	store Recordings

	mu   sync.Mutex
	runs map[string]map[recordedCall]journal.Call
}

type recordedCall struct{ attempt, slot string }

func (m *recorded) Complete(ctx context.Context, r Request) (Reply, error) {
	calls, err := m.of(ctx, r.Scope.Run)
	if err != nil {
		return Reply{}, err
	}
	c, ok := calls[recordedCall{r.Scope.Attempt, r.Scope.Slot}]
	if !ok || c.Outcome == journal.Failed || c.Outcome == journal.Open {
		return Reply{}, notRecorded(r)
	}
	stored, ok, err := m.store.Reply(ctx, c.Key)
	if err != nil {
		return Reply{}, err
	}
	if !ok {
		return Reply{}, notRecorded(r)
	}
	return Reply{Content: stored.Content, Usage: stored.Usage, Model: stored.Model, Provider: stored.Provider, Finish: stored.Finish, Reused: true}, nil
}

// of gives the calls of a run; the last one that was answered counts.
func (m *recorded) of(ctx context.Context, run string) (map[recordedCall]journal.Call, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if known, ok := m.runs[run]; ok {
		return known, nil
	}
	all, err := m.store.Calls(ctx, run)
	if err != nil {
		return nil, err
	}
	found := map[recordedCall]journal.Call{}
	for _, c := range all {
		at := recordedCall{c.Attempt, c.Slot}
		if before, there := found[at]; there && (before.Outcome == journal.Answered || before.Outcome == journal.Reused) &&
			c.Outcome != journal.Answered && c.Outcome != journal.Reused {
			continue
		}
		found[at] = c
	}
	m.runs[run] = found
	return found, nil
}

func notRecorded(r Request) error {
	return &Error{Class: Permanent, Fault: fault.New(fault.NotFound, r.Agent, "no reply to %s is recorded for attempt %s, slot %s", r.Agent, r.Scope.Attempt, r.Scope.Slot)}
}
