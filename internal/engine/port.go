package engine

import (
	"context"

	"sluice/internal/digest"
	"sluice/internal/journal"
	"sluice/internal/kernel"
	"sluice/internal/line"
)

// Journal is where runs are kept.
type Journal interface {
	// Append stores the batches all or nothing. It refuses with conflict when a run has moved on.
	Append(ctx context.Context, batches ...journal.Batch) error
	Load(ctx context.Context, run string, after int64) ([]journal.Stored, error)
	// Blob gives the bytes that the batch holding event seq stored.
	Blob(ctx context.Context, run string, seq int64, d digest.Digest) ([]byte, error)
	PutDefinition(ctx context.Context, body []byte) (digest.Digest, error)
	Definition(ctx context.Context, d digest.Digest) ([]byte, error)
}

// Leaser hands out the right to perform a run's steps.
type Leaser interface {
	Driver() string
	Acquire(ctx context.Context, run string) (journal.Lease, error)
	Release(ctx context.Context, l journal.Lease) error
	// DataVersion changes when anything was committed to the workspace.
	DataVersion(ctx context.Context) (int64, error)
}

// Folds caches folded runs.
type Folds interface {
	Fold(ctx context.Context, run, revision string) (journal.Fold, bool, error)
	SaveFold(ctx context.Context, f journal.Fold) error
}

// Files keeps checked-out files in step with the journal.
type Files interface {
	Checkout(ctx context.Context, path string) (journal.Checkout, bool, error)
	Place(ctx context.Context, rows []journal.Checkout, bodies map[digest.Digest][]byte) ([]journal.Edit, error)
	Scan(ctx context.Context, run string, paths ...string) ([]journal.Edit, error)
	// Keep saves bytes that cannot stay where they are, and says where.
	Keep(ctx context.Context, path string, body []byte) (string, error)
	Restore(ctx context.Context, over bool, rows ...journal.Checkout) ([]journal.Edit, error)
}

// Counter reserves numbers that are unique in the workspace and only grow. They are durable when it returns.
type Counter interface {
	Reserve(ctx context.Context, name string, n int64) (first int64, err error)
}

// Finder reads files of the workspace for steps, as the run's session sees them.
type Finder interface {
	Find(ctx context.Context, r *kernel.Run, pattern string) ([]line.Found, error)
}

// Model answers calls. Its errors are *line.CallError.
type Model interface {
	Ask(ctx context.Context, at Place, c line.Call) (line.Reply, error)
	Class() string // real or rehearsal
}

// Runner runs the user's programs on files of a step. An error says that it could not be tried; a program that ends badly
// is a result.
type Runner interface {
	Run(ctx context.Context, c line.Command) (line.Ran, error)
}

// Place says where in a run a call belongs.
type Place struct {
	Run     kernel.RunID
	Node    kernel.NodeID
	Attempt kernel.AttemptID
	Take    int
	Step    string // the line and its name for the work
}
