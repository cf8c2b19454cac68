package wire

import (
	"context"

	"sluice/internal/doctor"
	"sluice/internal/engine"
	"sluice/internal/kernel"
	"sluice/internal/sqlitestore"
)

// health lets the doors verify and repair.
type health struct{ doctor.Workspace }

// tables lets the doctor hold the rows that SQL clients read against the journal.
type tables struct {
	*sqlitestore.Store
	*engine.Engine
}

// Verify checks one run, or every run.
func (h health) Verify(ctx context.Context, run string) (doctor.Report, error) {
	if run == "" {
		return doctor.VerifyAll(ctx, h.Store, nil)
	}
	return doctor.Verify(ctx, h.Store, kernel.RunID(run))
}

// Examine also compares files, and puts right what can be.
func (h health) Examine(ctx context.Context, repair bool) (doctor.Report, error) {
	found, err := h.Workspace.Examine(ctx, nil)
	if err != nil || !repair {
		return found, err
	}
	return h.Repair(ctx, found)
}
