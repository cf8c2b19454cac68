package e2e

import (
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sluice/internal/feishutest"
	"sluice/internal/line/spec/ledger"
)

// ten publishes a feature from ten processes at once.
func (s *shell) ten(feature, target string) {
	s.t.Helper()
	var group sync.WaitGroup
	for range 10 {
		cmd := s.command(s.t.Context(), "", "spec", "publish", feature, "--target", target)
		group.Go(func() {
			if out, err := cmd.CombinedOutput(); err != nil {
				s.t.Errorf("%v: %s", err, out)
			}
		})
	}
	group.Wait()
}

// TestSpecPublishedByTenProcessesAfterAKill kills a process after the record was made outside and before the ledger knows,
// while the target is slow. Ten others then publish the same version at once: one record outside, one created, nine noop.
func TestSpecPublishedByTenProcessesAfterAKill(t *testing.T) {
	t.Parallel()
	s, f := newPublishable(t)
	feature := featureOf(t, s)
	made, killed := make(chan bool), make(chan bool)
	var once sync.Once
	f.Hold(func(op feishutest.Op) {
		if op == feishutest.Create {
			once.Do(func() {
				made <- true
				<-killed
			})
		}
	})
	first := s.command(t.Context(), "", "spec", "publish", feature, "--target", "feishu")
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	<-made
	mustKill(t, first)
	close(killed)
	f.Slow(50 * time.Millisecond)
	s.ten(feature, "feishu")
	if n := len(f.Records()); n != 1 || f.Calls(feishutest.Create) != 1 {
		t.Errorf("%d records outside after %d creations", n, f.Calls(feishutest.Create))
	}
	wantLedger(t, s, map[ledger.Operation]int{ledger.Created: 1, ledger.Noop: 9})
	published(t, s, 10)
}

// TestSpecPublishedByTenProcessesToAFile does the same where the target is a file of the workspace.
func TestSpecPublishedByTenProcessesToAFile(t *testing.T) {
	t.Parallel()
	s, _ := newPublishable(t)
	s.ten(featureOf(t, s), "file")
	wantLedger(t, s, map[ledger.Operation]int{ledger.Created: 1, ledger.Noop: 9})
	if n := len(s.files("published")); n != 1 {
		t.Errorf("%d files were published", n)
	}
	published(t, s, 10)
}

// wantLedger wants these operations, with ids that differ, all about one record outside.
func wantLedger(t *testing.T, s *shell, want map[ledger.Operation]int) {
	t.Helper()
	all, got := ledgerOf(t, s)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	ids := map[string]bool{}
	for _, r := range all {
		ids[r.LedgerID] = true
		if r.ExternalID != all[0].ExternalID || r.IdempotencyKey != all[0].IdempotencyKey || r.Status != ledger.Active {
			t.Errorf("%+v is of another record than %+v", r, all[0])
		}
	}
	if len(ids) != len(all) {
		t.Errorf("%d ids for %d rows", len(ids), len(all))
	}
}

// published wants a snapshot of every publication, and all of the workspace as it should be.
func published(t *testing.T, s *shell, snapshots int) {
	t.Helper()
	shown, err := filepath.Glob(filepath.Join(s.dir, "snapshots", "*", "*_publish.json"))
	if err != nil || len(shown) != snapshots {
		t.Errorf("%d snapshots of publications, want %d (%v)", len(shown), snapshots, err)
	}
	if _, err := newRecorded(s.dir, absolute(t, "..", "schemas")); err != nil {
		t.Error(err)
	}
	s.mustRun(0, "verify")
	s.mustRun(0, "doctor")
}
