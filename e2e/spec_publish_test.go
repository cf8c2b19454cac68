package e2e

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sluice/internal/app"
	"sluice/internal/feishutest"
	"sluice/internal/line/spec"
	"sluice/internal/line/spec/ledger"
)

// newPublishable is a workspace with a feature that was decided to go, and a table at Feishu to publish it to.
func newPublishable(t *testing.T) (*shell, *feishutest.Server) {
	t.Helper()
	f := feishutest.Start()
	t.Cleanup(f.Close)
	s := newShell(t, "SLUICE_PUBLISH_FEISHU_BASE_URL="+f.URL, "SLUICE_PUBLISH_FEISHU_APP_ID="+feishutest.AppID,
		"FEISHU_APP_SECRET="+feishutest.AppSecret, "SLUICE_PUBLISH_FEISHU_APP_TOKEN="+feishutest.AppToken,
		"SLUICE_PUBLISH_FEISHU_TABLE_ID="+feishutest.TableID)
	s.mustRun(4, "spec", "new", "Let accountants export any report as CSV with one click", "--project", "P-1", "--context", "C-01",
		"--project-record", "recProject", "--mentor", "ou_mentor", "--intern", "ou_intern")
	s.mustRun(0, "spec", "review", featureOf(t, s), "go", "--reason", "as agreed")
	return s, f
}

// featureOf is the only feature of a workspace, whatever the year is.
func featureOf(t *testing.T, s *shell) string {
	t.Helper()
	dirs, err := filepath.Glob(filepath.Join(s.dir, "specs", "F-*"))
	if err != nil || len(dirs) != 1 {
		t.Fatalf("features %v, %v", dirs, err)
	}
	return filepath.Base(dirs[0])
}

func ledgerOf(t *testing.T, s *shell) (all []ledger.Record, operations map[ledger.Operation]int) {
	t.Helper()
	var doc app.LedgerDoc
	if err := json.Unmarshal(mustRead(filepath.Join(s.dir, "ledger", "records.json")), &doc); err != nil {
		t.Fatal(err)
	}
	operations = map[ledger.Operation]int{}
	for _, r := range doc.Records {
		operations[r.Operation]++
	}
	return doc.Records, operations
}

func TestSpecPublishedByTenProcesses(t *testing.T) {
	s, f := newPublishable(t)
	f.Slow(50 * time.Millisecond)
	feature := featureOf(t, s)
	var group sync.WaitGroup
	for range 10 {
		cmd := s.command(t.Context(), "", "spec", "publish", feature, "--target", "feishu")
		group.Go(func() {
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	group.Wait()
	if n := len(f.Records()); n != 1 {
		t.Errorf("%d records outside", n)
	}
	if diff := cmp.Diff(map[ledger.Operation]int{ledger.Created: 1, ledger.Noop: 9}, second(ledgerOf(t, s))); diff != "" {
		t.Error(diff)
	}
	s.mustRun(0, "doctor")
}

func second[A, B any](_ A, b B) B { return b }

func TestSpecPublisherKilledBeforeTheLedgerRow(t *testing.T) {
	s, f := newPublishable(t)
	feature := featureOf(t, s)
	created, killed := make(chan bool), make(chan bool)
	var once sync.Once
	f.Hold(func(op feishutest.Op) {
		if op == feishutest.Create {
			once.Do(func() {
				created <- true
				<-killed
			})
		}
	})
	first := s.command(t.Context(), "", "spec", "publish", feature, "--target", "feishu")
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	<-created
	mustKill(t, first)
	close(killed)
	out, _ := s.mustRun(0, "--json", "spec", "publish", feature, "--target", "feishu")
	var rec ledger.Record
	if err := json.Unmarshal([]byte(out), &rec); err != nil {
		t.Fatal(err)
	}
	if n := len(f.Records()); n != 1 || rec.Operation != ledger.Created || rec.ExternalID != f.Records()[0].ID || f.Calls(feishutest.Create) != 1 {
		t.Errorf("%d records outside, %d creations, %+v", n, f.Calls(feishutest.Create), rec)
	}
	s.mustRun(0, "doctor")
}

func mustKill(t *testing.T, c *exec.Cmd) {
	t.Helper()
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := c.Wait(); err == nil {
		t.Error("the killed process ended well")
	}
}

func TestSpecPublishThatIsGivenUp(t *testing.T) {
	s, f := newPublishable(t)
	feature := featureOf(t, s)
	f.Inject(feishutest.Create, feishutest.Internal, feishutest.Internal, feishutest.Internal, feishutest.Internal)
	_, errs := s.mustRun(6, "spec", "publish", feature, "--target", "feishu")
	wantAll(t, errs, "[publish_failed]", "after 3 retries", "log: ", "next: sluice spec publish "+feature+" --target feishu")
	all, _ := ledgerOf(t, s)
	want := []spec.StepFailure{{ErrorCode: "server_error", Message: "status 200, code 1255001: InternalError", Retryable: true, RetryCount: 3, Final: spec.GaveUp}}
	if diff := cmp.Diff(want, all[0].Errors); diff != "" || all[0].Status != ledger.Failed {
		t.Errorf("%s: %s", all[0].Status, diff)
	}
	shown, err := filepath.Glob(filepath.Join(s.dir, "snapshots", "*", "*_publish.json"))
	if err != nil || len(shown) != 1 {
		t.Fatalf("snapshots %v, %v", shown, err)
	}
	var snap spec.Snapshot
	if err := json.Unmarshal(mustRead(shown[0]), &snap); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, snap.Errors); diff != "" || snap.SpecVersionOut != nil || len(snap.EvidenceLinks) != 1 {
		t.Errorf("snapshot %+v: %s", snap, diff)
	}
	if bytes.Contains(mustRead(filepath.Join(s.dir, ".sluice", "sluice.db")), []byte(feishutest.AppSecret)) {
		t.Error("the secret is in the store")
	}
	out, _ := s.mustRun(0, "spec", "publish", feature, "--target", "feishu")
	wantAll(t, out, "created")
	s.mustRun(0, "doctor")
}
