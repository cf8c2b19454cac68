package app

import (
	"context"

	"sluice/internal/journal"
	"sluice/internal/kernel"
)

// rehearsedAttempts gives the attempts of a run that were answered by rehearsal although it has replies of a real model; a run
// without those is labelled as a whole. The last answer counts: after a kill an attempt may go on with another provider, which is
// then asked for all of it.
func (a *App) rehearsedAttempts(ctx context.Context, run *kernel.Run) (map[kernel.AttemptID]bool, error) {
	if run.Provider() != kernel.ProviderReal {
		return nil, nil
	}
	calls, err := a.Store.Calls(ctx, string(run.ID()))
	if err != nil {
		return nil, err
	}
	known := map[kernel.AttemptID]bool{}
	for _, c := range calls {
		id := kernel.AttemptID(c.Attempt)
		switch isAnswer := c.Outcome == journal.Answered || c.Outcome == journal.Reused; {
		case isAnswer && c.Provider == kernel.ProviderRehearsal:
			known[id] = true
		case isAnswer:
			delete(known, id)
		}
	}
	return known, nil
}
