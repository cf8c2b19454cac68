package sqlitestore

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"sluice/internal/digest"
	"sluice/internal/fault"
	"sluice/internal/journal"
)

// TestOnlyWhatCanWaitIsNotSynced asks the connection how it commits, from inside each kind of transaction.
func TestOnlyWhatCanWaitIsNotSynced(t *testing.T) {
	s := mustOpen(t, t.TempDir())
	level := 0
	look := func(w *writer) error {
		return w.conn.QueryRowContext(context.Background(), "PRAGMA synchronous").Scan(&level)
	}
	const normal, full = 1, 2
	for i, h := range []haste{atOnce, soon, someday, atOnce, someday, soon, atOnce} {
		want := normal
		if h == atOnce {
			want = full
		}
		if err := s.writer.submitWith(t.Context(), h, look); err != nil || level != want {
			t.Errorf("commit %d: level %d, want %d, %v", i, level, want, err)
		}
	}
}

// TestWhatIsToBeDurableSoonIs waits for the commit that syncs those before it, which comes only where no other did.
func TestWhatIsToBeDurableSoonIs(t *testing.T) {
	for name, c := range map[string]struct {
		changes []haste
		synced  int64
	}{
		"alone":                     {[]haste{soon}, 1},
		"two, once":                 {[]haste{soon, someday, soon}, 1},
		"with the next":             {[]haste{soon, atOnce}, 0},
		"after one that was synced": {[]haste{atOnce, soon}, 1},
		"nothing soon":              {[]haste{someday, someday}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := mustOpen(t, t.TempDir())
				for i, h := range c.changes {
					err := s.writer.submitWith(t.Context(), h, func(w *writer) error {
						_, err := w.exec("INSERT INTO counter (name, last) VALUES (?, 1)", fmt.Sprintf("change-%d", i))
						return err
					})
					if err != nil {
						t.Fatal(err)
					}
				}
				time.Sleep(2 * syncWithin)
				synctest.Wait()
				next, err := s.Reserve(t.Context(), "synced", 1)
				if err != nil || next-1 != c.synced {
					t.Errorf("synced %d times, want %d, %v", next-1, c.synced, err)
				}
			})
		})
	}
}

func TestAStepIsOneCommit(t *testing.T) {
	s := mustOpen(t, t.TempDir())
	b := batch("r1", 0)
	b.Checkouts = []journal.Checkout{{Path: "a.md", Digest: digest.Of(nil), Role: journal.Working}}
	mustAppend(t, s, b)
	row, _, err := s.Checkout(t.Context(), "a.md")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.MarkWritten(t.Context(), row); err != nil {
		t.Fatal(err)
	}
	mustAppend(t, s, batch("r1", 1))
	if err := s.Flush(t.Context()); err != nil { // nothing is left to write
		t.Fatal(err)
	}
	if got := s.Commits(); got != 2 {
		t.Errorf("got %d commits, want 2", got)
	}
}

func TestAFullDiskStoresNothingAndIsGotOver(t *testing.T) {
	s := mustOpen(t, t.TempDir())
	mustAppend(t, s, batch("r1", 0))
	limit := func(pages int) {
		t.Helper()
		if _, err := s.writer.conn.ExecContext(t.Context(), fmt.Sprintf("PRAGMA max_page_count=%d", pages)); err != nil {
			t.Fatal(err)
		}
	}
	limit(1) // SQLite takes it as: no more than there are
	after, failed := int64(1), false
	for range 50 {
		b := batch("r1", after)
		body := benchPayload()
		b.Blobs = []journal.Blob{{Digest: digest.Of(body), Body: body}}
		b.Asks = []journal.Ask{{ID: fmt.Sprintf("ask-%d", after), Open: true}}
		err := s.Append(t.Context(), b)
		if err != nil {
			wantCode(t, err, fault.DiskFull)
			failed = true
			break
		}
		after++
	}
	if !failed {
		t.Fatal("the limit was never met")
	}
	info, err := s.Run(t.Context(), "r1")
	if err != nil || info.Seq != after {
		t.Errorf("run is at %d, error %v; want %d", info.Seq, err, after)
	}
	asks, err := s.Asks(t.Context(), "r1", true)
	if err != nil || len(asks) != int(after-1) {
		t.Errorf("got %d asks, error %v; want %d", len(asks), err, after-1)
	}
	limit(1 << 20)
	mustAppend(t, s, batch("r1", after))
	if got := len(mustChain(t, s, "r1")); got != int(after+1) {
		t.Errorf("got %d batches, want %d", got, after+1)
	}
}

// hold keeps the writer inside a transaction until release is called, so that what comes meanwhile is one group.
func hold(t *testing.T, s *Store) (release func()) {
	t.Helper()
	entered, leave := make(chan struct{}), make(chan struct{})
	done := make(chan error, 1)
	go func() {
		done <- s.writer.submit(context.Background(), func(*writer) error {
			close(entered)
			<-leave
			return nil
		})
	}()
	<-entered
	return func() {
		close(leave)
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

// queued waits until n requests wait for the writer.
func queued(t *testing.T, s *Store, n int) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for len(s.writer.queue) < n {
		select {
		case <-tick.C:
		case <-t.Context().Done():
			t.Fatal("the test was ended")
		}
	}
}

func TestARequestThatSpoilsTheTransactionFailsAlone(t *testing.T) {
	s := mustOpen(t, t.TempDir())
	mustAppend(t, s, batch("own-0", 0))
	release := hold(t, s)
	var group sync.WaitGroup
	group.Go(func() {
		if err := s.Append(t.Context(), batch("own-0", 1)); err != nil {
			t.Error(err)
		}
	})
	queued(t, s, 1)
	group.Go(func() {
		err := s.writer.submit(t.Context(), func(w *writer) error {
			_, err := w.exec("INSERT INTO counter (name, last) VALUES ('x', NULL)")
			return err
		})
		if err == nil {
			t.Error("the database took a value it must not take")
		}
	})
	queued(t, s, 2)
	for i := 1; i < 5; i++ {
		group.Go(func() {
			if err := s.Append(t.Context(), batch(fmt.Sprintf("own-%d", i), 0)); err != nil {
				t.Error(err)
			}
		})
	}
	queued(t, s, 6)
	release()
	group.Wait()
	for i := range 5 {
		mustChain(t, s, fmt.Sprintf("own-%d", i))
	}
	mustAppend(t, s, batch("own-0", 2))
}

func TestACancelledRequestIsDroppedOnlyWhileItWaits(t *testing.T) {
	s := mustOpen(t, t.TempDir())
	release := hold(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	waits := make(chan error, 1)
	go func() { waits <- s.Append(ctx, batch("dropped", 0)) }()
	queued(t, s, 1)
	cancel()
	wantCode(t, <-waits, fault.Interrupted)
	release()

	// A request that was taken gives its true outcome, whatever its context says.
	ctx, cancel = context.WithCancel(t.Context())
	err := s.writer.submit(ctx, func(w *writer) error {
		cancel()
		_, err := w.exec("INSERT INTO counter (name, last) VALUES ('taken', 41)")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if n, err := s.Reserve(t.Context(), "taken", 1); err != nil || n != 42 {
		t.Errorf("got %d, %v; want 42", n, err)
	}
	_, err = s.Run(t.Context(), "dropped")
	wantCode(t, err, fault.UnknownRun)
}

func TestWhatWaitsShareOneCommit(t *testing.T) {
	s := mustOpen(t, t.TempDir())
	mustAppend(t, s, batch("shared", 0))
	before := s.Commits()
	release := hold(t, s)
	var group sync.WaitGroup
	for i := range int64(10) {
		group.Go(func() {
			if err := s.Append(t.Context(), batch("shared", i+1)); err != nil {
				t.Error(err)
			}
		})
		queued(t, s, int(i)+1) // in order: each follows the one before, inside one transaction
	}
	release()
	group.Wait()
	if got := s.Commits() - before; got != 2 {
		t.Errorf("got %d commits, want 2: the held one and one for the rest", got)
	}
	if got := len(mustChain(t, s, "shared")); got != 11 {
		t.Errorf("got %d batches, want 11", got)
	}
}

func TestACloseWhileOthersWriteLosesNothing(t *testing.T) {
	dir := t.TempDir()
	s := mustOpen(t, dir)
	const writers = 8
	stored := make([]int64, writers)
	var group sync.WaitGroup
	started := make(chan struct{}, writers)
	for w := range writers {
		group.Go(func() {
			run := fmt.Sprintf("run-%d", w)
			for {
				if err := s.Append(t.Context(), batch(run, stored[w])); err != nil {
					if !strings.Contains(err.Error(), "closed") {
						t.Error(err)
					}
					return
				}
				if stored[w]++; stored[w] == 3 {
					started <- struct{}{}
				}
			}
		})
	}
	for range writers {
		<-started
	}
	mustClose(t, s)
	group.Wait()
	s = mustOpen(t, dir)
	for w, want := range stored {
		if got := len(mustChain(t, s, fmt.Sprintf("run-%d", w))); got != int(want) {
			t.Errorf("run %d: got %d batches, want %d", w, got, want)
		}
	}
}

func TestTheLockOfADeadDriverIsRemoved(t *testing.T) {
	dir := t.TempDir()
	s := mustOpen(t, dir)
	b := batch("r1", 0)
	b.Driver = s.Driver()
	mustAppend(t, s, b)
	// As a killed process leaves it: the file is there, the lock is not.
	mustExec(t, mustForeign(t, dir), "UPDATE run SET driver = 'deadbeef'")
	overwriteNew(t, s.lockPath("deadbeef"))
	lease, err := s.Acquire(t.Context(), "r1")
	if err != nil || lease.Epoch != 2 {
		t.Fatalf("got %v, %v; want epoch 2", lease, err)
	}
	left, err := filepath.Glob(filepath.Join(dir, "driver-*.lock"))
	if err != nil || len(left) != 1 || left[0] != s.lockPath(s.Driver()) {
		t.Errorf("got lock files %v, %v; want only our own", left, err)
	}
	mustExec(t, mustForeign(t, dir), "UPDATE run SET driver = '../../etc/x'")
	_, err = s.Acquire(t.Context(), "r1")
	wantCode(t, err, fault.StoreCorrupt)
	mustClose(t, s)
	if left, _ := filepath.Glob(filepath.Join(dir, "driver-*.lock")); len(left) != 0 {
		t.Errorf("got lock files %v after closing, want none", left)
	}
	if err := s.Append(t.Context(), batch("r1", 1)); err == nil || errors.Is(err, fault.Conflict) {
		t.Errorf("got %v from a closed store", err)
	}
}
