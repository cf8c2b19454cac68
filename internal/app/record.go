package app

import (
	"context"
	"encoding/json"
	"time"

	"sluice/internal/doctor"
	"sluice/internal/kernel"
)

// LogDoc lists what happened.
type LogDoc struct {
	Run    string     `json:"run"`
	Events []EventDoc `json:"events"`
}

// EventDoc is one event as people read it.
type EventDoc struct {
	Seq  int64           `json:"seq"`
	At   time.Time       `json:"at"`
	By   string          `json:"by"`
	Type string          `json:"type"`
	Fact json.RawMessage `json:"fact"`
}

// Log lists the events of a run.
func (a *App) Log(ctx context.Context, id string) (LogDoc, error) {
	run, err := a.resolve(ctx, id)
	if err != nil {
		return LogDoc{}, err
	}
	batches, err := a.Engine.Journal.Load(ctx, string(run), 0)
	if err != nil {
		return LogDoc{}, err
	}
	d := LogDoc{Run: string(run), Events: []EventDoc{}}
	for _, b := range batches {
		events, err := kernel.Decode(b.Events)
		if err != nil {
			return LogDoc{}, err
		}
		for i, e := range events {
			fact, err := json.Marshal(e.Fact)
			if err != nil {
				return LogDoc{}, err
			}
			d.Events = append(d.Events, EventDoc{Seq: b.First + int64(i), At: e.At, By: e.By.String(), Type: kernel.Word(e.Fact), Fact: fact})
		}
	}
	return d, nil
}

// CallsDoc lists model calls.
type CallsDoc struct {
	Calls []CallDoc `json:"calls"`
}

// CallDoc is one model call.
type CallDoc struct {
	ID           int64     `json:"id"`
	Run          string    `json:"run"`
	Node         string    `json:"node"`
	Attempt      string    `json:"attempt"`
	Slot         string    `json:"slot,omitempty"`
	Take         int       `json:"take"`
	Agent        string    `json:"agent"`
	Key          string    `json:"key"`
	Provider     string    `json:"provider"`
	Model        string    `json:"model,omitempty"`
	StartedAt    time.Time `json:"started_at"`
	DurationMS   int64     `json:"duration_ms"`
	InputTokens  int       `json:"input_tokens"`
	OutputTokens int       `json:"output_tokens"`
	Outcome      string    `json:"outcome"`
	Error        string    `json:"error,omitempty"`
}

// Calls lists every model call of a run, or of the workspace.
func (a *App) Calls(ctx context.Context, run string) (CallsDoc, error) {
	if run != "" {
		if _, err := a.resolve(ctx, run); err != nil {
			return CallsDoc{}, err
		}
	}
	calls, err := a.Store.Calls(ctx, run)
	if err != nil {
		return CallsDoc{}, err
	}
	d := CallsDoc{Calls: []CallDoc{}}
	for _, c := range calls {
		d.Calls = append(d.Calls, CallDoc{ID: c.ID, Run: c.Run, Node: c.Node, Attempt: c.Attempt, Slot: c.Slot, Take: c.Take,
			Agent: c.Agent, Key: c.Key, Provider: c.Provider, Model: c.Model, StartedAt: c.Started,
			DurationMS: c.Usage.Duration.Milliseconds(), InputTokens: c.Usage.InputTokens, OutputTokens: c.Usage.OutputTokens,
			Outcome: string(c.Outcome), Error: c.Error})
	}
	return d, nil
}

// Health is what doctor and verify need of the workspace.
type Health interface {
	Verify(ctx context.Context, run string) (doctor.Report, error) // "" checks every run
	Examine(ctx context.Context, repair bool) (doctor.Report, error)
}
