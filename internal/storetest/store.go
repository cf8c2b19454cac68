package storetest

import (
	"context"
	"testing"

	"sluice/internal/digest"
	"sluice/internal/journal"
)

// Journal is the part of a store that holds what happened.
type Journal interface {
	Append(ctx context.Context, batches ...journal.Batch) error
	Load(ctx context.Context, run string, after int64) ([]journal.Stored, error)
	Run(ctx context.Context, id string) (journal.RunInfo, error)
	List(ctx context.Context, f journal.Filter) (journal.RunPage, error)
	Blob(ctx context.Context, run string, seq int64, d digest.Digest) ([]byte, error)
}

// Inbox is the part that holds what people are asked.
type Inbox interface {
	Asks(ctx context.Context, run string, all bool) ([]journal.Ask, error)
	Ask(ctx context.Context, idOrPrefix string) (journal.Ask, error)
}

// Definitions is the part that holds the definitions that runs began with.
type Definitions interface {
	PutDefinition(ctx context.Context, body []byte) (digest.Digest, error)
	Definition(ctx context.Context, d digest.Digest) ([]byte, error)
}

// Leaser is the part that gives one driver at a time the right to perform a run.
type Leaser interface {
	Driver() string
	Acquire(ctx context.Context, run string) (journal.Lease, error)
	Release(ctx context.Context, l journal.Lease) error
}

// Calls is the part that counts model calls and keeps their replies.
type Calls interface {
	Reply(ctx context.Context, key string) (journal.Reply, bool, error)
	BeginCall(ctx context.Context, c journal.Call) (int64, error)
	EndCall(ctx context.Context, id int64, r *journal.Reply, outcome journal.Outcome, u journal.Usage, errText string) error
	Calls(ctx context.Context, run string) ([]journal.Call, error)
	Reserve(ctx context.Context, name string, n int64) (int64, error)
}

// Budgets is the part that adds up what calls cost, and keeps what may be spent.
type Budgets interface {
	Budget(ctx context.Context, scope string) (journal.Budget, error)
	ChangeBudget(ctx context.Context, scope string, c journal.BudgetChange) error
	WarnOnce(ctx context.Context, scope string) (bool, error)
	LastRefused(ctx context.Context, run string) (journal.Hold, error)
	StepCosts(ctx context.Context, run string) ([]journal.StepCost, error)
}

// Checkouts is the part that says what files must show.
type Checkouts interface {
	Checkout(ctx context.Context, path string) (journal.Checkout, bool, error)
	Checkouts(ctx context.Context, run string) ([]journal.Checkout, error)
	Unwritten(ctx context.Context) ([]journal.Checkout, error)
	MarkWritten(ctx context.Context, rows ...journal.Checkout) error
	Flush(ctx context.Context) error
}

// Tables is the part that SQL clients read.
type Tables interface {
	Rows(ctx context.Context, run string) ([]journal.Row, error)
	PutRows(ctx context.Context, run string, at int64, rows []journal.Row) error
	RowsDue(ctx context.Context) ([]string, error)
}

// Folds is the part that caches folded states.
type Folds interface {
	SaveFold(ctx context.Context, f journal.Fold) error
	Fold(ctx context.Context, run, revision string) (journal.Fold, bool, error)
}

// Ledger is the part that keeps what was published and who is publishing.
type Ledger interface {
	Claim(ctx context.Context, place, key string) (journal.Claim, error)
	Settle(ctx context.Context, c journal.Claim, entries ...journal.Entry) error
	Entries(ctx context.Context, f journal.EntryFilter) ([]journal.Entry, error)
	Identity(ctx context.Context) (string, error)
}

// Watch is the part that tells of changes and of health.
type Watch interface {
	DataVersion(ctx context.Context) (int64, error)
	Check(ctx context.Context) error
	Close() error
}

// Store is all of it.
type Store interface {
	Journal
	Inbox
	Definitions
	Leaser
	Calls
	Budgets
	Checkouts
	Tables
	Folds
	Ledger
	Watch
}

// Run runs the suite. open opens the store that lives in dir: twice the same dir is two processes of one workspace.
// The suite closes what it opens.
func Run(t *testing.T, open func(t *testing.T, dir string) Store) {
	suite := []struct {
		name string
		test func(*testing.T, fixture)
	}{
		{"a batch comes back as it was appended", testRoundTrip},
		{"the chain recomputes", testChain},
		{"a batch after the wrong number is refused", testConflict},
		{"a refused batch does not hurt its neighbours", testNeighbours},
		{"several runs are appended all or none", testAllOrNone},
		{"a run appears twice in one append", testTwiceInOneAppend},
		{"a batch without sense is refused", testBadBatch},
		{"a cancelled request stores nothing", testCancelled},
		{"blobs of every size come back", testBlobs},
		{"the head of a run follows its batches", testHead},
		{"a page holds what the filter selects", testList},
		{"pages continue by cursor", testPages},
		{"asks open and close", testAsks},
		{"an ask is found by its beginning", testAskPrefix},
		{"definitions are kept by digest", testDefinitions},
		{"a lease is held by one driver", testLease},
		{"an old epoch is refused after a take-over", testTakeOver},
		{"a lease rides with batches", testLeaseRides},
		{"a call is counted and answered", testCalls},
		{"a key keeps its first reply", testFirstReply},
		{"counters give every number once", testCounters},
		{"what calls cost is added up", testSpent},
		{"a call that would cross a limit is refused", testLimits},
		{"many reserve at once and no limit is crossed", testReservations},
		{"what a closed store reserved is free", testDeadReservation},
		{"one process warns", testWarnOnce},
		{"a checkout remembers what it replaces", testCheckoutBefore},
		{"a mark counts for the row it was made for", testMarks},
		{"rows for readers follow their batches", testRows},
		{"rows of a refused batch are not put", testRowsOfRefused},
		{"rows are written anew for the run as it stands", testPutRows},
		{"a place is claimed by one process", testClaims},
		{"many claim at once and one has it", testClaimOnce},
		{"the ledger keeps what was settled", testLedger},
		{"folds are kept per revision", testFolds},
		{"a commit elsewhere is noticed", testDataVersion},
		{"reopening keeps all", testReopen},
	}
	for _, s := range suite {
		t.Run(s.name, func(t *testing.T) {
			s.test(t, fixture{dir: t.TempDir(), open: open})
		})
	}
}

type fixture struct {
	dir  string
	open func(t *testing.T, dir string) Store
}

// store opens the fixture's directory once more; the test's end closes it.
func (f fixture) store(t *testing.T) Store {
	t.Helper()
	s := f.open(t, f.dir)
	t.Cleanup(func() { _ = s.Close() }) // a test may have closed it itself
	return s
}
