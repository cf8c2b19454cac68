package doctor

import (
	"context"

	"sluice/internal/digest"
	"sluice/internal/journal"
	"sluice/internal/kernel"
)

// Journal is what verifying needs of a store about what happened.
type Journal interface {
	Run(ctx context.Context, id string) (journal.RunInfo, error)
	List(ctx context.Context, f journal.Filter) (journal.RunPage, error)
	Load(ctx context.Context, run string, after int64) ([]journal.Stored, error)
	Blob(ctx context.Context, run string, seq int64, d digest.Digest) ([]byte, error)
	Definition(ctx context.Context, d digest.Digest) ([]byte, error)
}

// Inbox is what verifying needs of a store about asks.
type Inbox interface {
	Asks(ctx context.Context, run string, all bool) ([]journal.Ask, error)
}

// Store is what verifying needs.
type Store interface {
	Journal
	Inbox
}

// Rows says which files were never brought in place.
type Rows interface {
	Unwritten(ctx context.Context) ([]journal.Checkout, error)
}

// Files compares checkouts with the disk and puts them right.
type Files interface {
	// Scan gives the files of a run that do not show what their rows say, all of them or those at the paths.
	Scan(ctx context.Context, run string, paths ...string) ([]journal.Edit, error)
	// Restore puts rows in place. Without over a working file that a person edited stays as it is.
	Restore(ctx context.Context, over bool, rows ...journal.Checkout) ([]journal.Edit, error)
	// Recover completes unwritten rows, likewise.
	Recover(ctx context.Context) ([]journal.Edit, error)
}

// Tables are the rows by which SQL clients read runs.
type Tables interface {
	Rows(ctx context.Context, run string) ([]journal.Row, error)
	// DeriveRows gives the rows that should be there.
	DeriveRows(ctx context.Context, run *kernel.Run) ([]journal.Row, error)
	// RewriteRows puts them there.
	RewriteRows(ctx context.Context, run kernel.RunID) error
}

// Shown are the rows by which runs are listed and asks are in the inbox.
type Shown interface {
	// PutShown writes the row of a run and its asks, and takes asks away that never were. It refuses with conflict when
	// the run is not at the number.
	PutShown(ctx context.Context, run string, at int64, h journal.Head, asks []journal.Ask, never []string) error
}

// Leases knows the leases whose drivers have ended.
type Leases interface {
	DeadLeases(ctx context.Context) ([]journal.Lease, error)
}
