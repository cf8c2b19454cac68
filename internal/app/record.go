package app

import (
	"context"
	"time"

	"sluice/internal/doctor"
	"sluice/internal/journal"
)

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
	Cost         *float64  `json:"cost"` // in US dollars; null where the price is not known
	Outcome      string    `json:"outcome"`
	Error        string    `json:"error,omitempty"`
}

// Calls lists every model call of a run, or of the workspace.
func (a *App) Calls(ctx context.Context, run string) (CallsDoc, error) {
	if run != "" {
		id, err := a.resolve(ctx, run)
		if err != nil {
			return CallsDoc{}, err
		}
		run = string(id)
	}
	calls, err := a.Store.Calls(ctx, run)
	if err != nil {
		return CallsDoc{}, err
	}
	d := CallsDoc{Calls: []CallDoc{}}
	for _, c := range calls {
		var cost *float64
		if c.Usage.Priced || c.Outcome == journal.Reused { // what is used again is not paid again
			cost = add(nil, c.Usage.Cost)
		}
		d.Calls = append(d.Calls, CallDoc{Cost: cost, ID: c.ID, Run: c.Run, Node: c.Node, Attempt: c.Attempt, Slot: c.Slot, Take: c.Take,
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
