package publishtest

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sluice/internal/fault"
	"sluice/internal/journal"
	"sluice/internal/line/spec"
	"sluice/internal/line/spec/ledger"
	"sluice/internal/publish"
	"sluice/internal/sqlitestore"
)

// Outside is a target with a look at what stands there.
type Outside struct {
	Target  publish.Target
	Records func() int      // how many records stand outside
	Text    func() string   // of the only record: a text that holds its goal
	Calls   func() int      // how often it was called
	Fail    func(times int) // lets that many calls fail in a way that a later try gets over; nil where there is none
	Lose    func()          // lets the next call that changes something succeed without an answer; nil where there is none
}

// Retry is quick, so that suites are.
func Retry() publish.RetryOptions {
	return publish.RetryOptions{Retries: 3, Base: time.Millisecond, Cap: 2 * time.Millisecond, AfterCap: 2 * time.Millisecond}
}

// Spec is a version of a feature that has everything the default mapping needs.
func Spec(feature, version, goal string) spec.CanonicalSpec {
	return spec.CanonicalSpec{SchemaVersion: spec.SchemaVersion,
		Feature: spec.Feature{FeatureID: feature, Title: "CSV export", CreatedAt: "2026-01-13T10:00:00Z", UpdatedAt: "2026-01-13T10:00:00Z"},
		ProjectContextRef: &spec.ProjectContextRef{ProjectID: "P-1", ContextVersion: "C-12", ProjectRecordID: "recProject",
			MentorUserID: "ou_mentor", InternUserID: "ou_intern"},
		Spec: spec.Requirement{Goal: goal, NonGoals: []string{"PDF"}, Background: "By hand today.",
			AcceptanceCriteria: []spec.Criterion{{ID: "AC-1", Criteria: "a button", TestHint: "look"}}},
		Planning: spec.Planning{Tasks: []spec.Task{{TaskID: "T-1", Title: "endpoint", Type: "dev", Scope: "streams rows"}},
			VV: []spec.Verification{{VVID: "VV-1", TaskID: "T-1", Type: "e2e", Procedure: "export", ExpectedResult: "a file"}}},
		Meta: spec.Meta{SpecVersion: version}}
}

// Request is one of a workspace that the suite made up.
func Request(feature, version, goal string) ledger.Request {
	return ledger.Request{Spec: Spec(feature, version, goal), Origin: "origin-1"}
}

// Open opens a real store; twice the same dir is two processes.
func Open(t *testing.T, dir string) *sqlitestore.Store {
	t.Helper()
	s, err := sqlitestore.Open(t.Context(), filepath.Join(dir, ".sluice"), sqlitestore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() }) // a test may have closed it
	return s
}

func desk(l publish.Ledger, o Outside) *publish.Desk {
	return publish.NewDesk(l, publish.Options{Retry: Retry(), Poll: time.Millisecond,
		Now: func() time.Time { return time.Date(2026, 1, 13, 10, 0, 0, 0, time.UTC) }}, o.Target)
}

// Run runs the suite. open makes a target with nothing outside yet.
func Run(t *testing.T, open func(t *testing.T) Outside) {
	for _, c := range []struct {
		name string
		test func(*testing.T, Outside)
	}{
		{"preparing calls nobody and is the same twice", testPrepare},
		{"a dry run shows the exact fields", testDryRun},
		{"ten publishes create once", testTen},
		{"ten at once create once", testTenAtOnce},
		{"a new version updates the same record", testUpdate},
		{"two features are two records", testTwoFeatures},
		{"a crash before the ledger row creates no second record", testCrash},
		{"a crash while another version was sent is made good", testCrashOfOther},
		{"failures are got over and recorded", testRecovered},
		{"giving up is recorded and can be repeated", testGivenUp},
		{"a lost answer creates no second record", testLost},
		{"an interrupted publish leaves the place free", testInterrupted},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(t, open(t)) })
	}
}

func must[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func wantEqual[T any](t *testing.T, got, want T) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("(-want +got):\n%s", diff)
	}
}

func testPrepare(t *testing.T, o Outside) {
	r := Request("F-2026-001", "S-20260113-0001", "export with one click")
	first := must(o.Target.Prepare(r))(t)
	second := must(o.Target.Prepare(r))(t)
	wantEqual(t, string(first.Fields), string(second.Fields))
	wantEqual(t, first.Key, "F-2026-001:"+o.Target.Name()+":S-20260113-0001")
	if first.MappingVersion == "" || !json.Valid(first.Fields) {
		t.Errorf("mapping version %q, fields %s", first.MappingVersion, first.Fields)
	}
	wantEqual(t, o.Calls(), 0)
}

func testDryRun(t *testing.T, o Outside) {
	d := desk(Open(t, t.TempDir()), o)
	r := Request("F-2026-001", "S-20260113-0001", "export with one click")
	p := must(d.DryRun(t.Context(), o.Target.Name(), r))(t)
	wantEqual(t, p.Operation, ledger.Created)
	wantEqual(t, o.Calls(), 0)
	wantEqual(t, o.Records(), 0)
	rec := must(d.Publish(t.Context(), o.Target.Name(), r))(t)
	wantEqual(t, string(rec.FieldMapSnapshot), string(p.Fields))
	wantEqual(t, must(d.DryRun(t.Context(), o.Target.Name(), r))(t).Operation, ledger.Noop)
	_, err := d.DryRun(t.Context(), "nowhere", r)
	wantEqual(t, fault.CodeOf(err), fault.BadValue)
}

// count says how often each operation stands in the ledger.
func count(t *testing.T, d *publish.Desk) map[ledger.Operation]int {
	t.Helper()
	n := map[ledger.Operation]int{}
	ids := map[string]bool{}
	for _, r := range must(d.Records(t.Context(), ""))(t) {
		n[r.Operation]++
		if ids[r.LedgerID] {
			t.Errorf("ledger id %s stands twice", r.LedgerID)
		}
		ids[r.LedgerID] = true
	}
	return n
}

func testTen(t *testing.T, o Outside) {
	d := desk(Open(t, t.TempDir()), o)
	r := Request("F-2026-001", "S-20260113-0001", "export with one click")
	first := must(d.Publish(t.Context(), o.Target.Name(), r))(t)
	calls := o.Calls()
	for range 9 {
		again := must(d.Publish(t.Context(), o.Target.Name(), r))(t)
		wantEqual(t, again.Operation, ledger.Noop)
		wantEqual(t, again.ExternalID, first.ExternalID)
	}
	wantEqual(t, o.Calls(), calls)
	wantEqual(t, o.Records(), 1)
	wantEqual(t, count(t, d), map[ledger.Operation]int{ledger.Created: 1, ledger.Noop: 9})
	wantEqual(t, first, ledger.Record{LedgerID: "L-20260113-0001", FeatureID: "F-2026-001", Target: o.Target.Name(),
		SpecVersion: "S-20260113-0001", IdempotencyKey: "F-2026-001:" + o.Target.Name() + ":S-20260113-0001", ExternalID: first.ExternalID,
		Operation: ledger.Created, Status: ledger.Active, FieldMapSnapshot: first.FieldMapSnapshot, MappingVersion: first.MappingVersion,
		Errors: []spec.StepFailure{}, PublishedAt: "2026-01-13T10:00:00Z"})
}

func testTenAtOnce(t *testing.T, o Outside) {
	dir := t.TempDir()
	r := Request("F-2026-001", "S-20260113-0001", "export with one click")
	var group sync.WaitGroup
	for range 10 {
		d := desk(Open(t, dir), o)
		group.Go(func() {
			if _, err := d.Publish(t.Context(), o.Target.Name(), r); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	wantEqual(t, o.Records(), 1)
	wantEqual(t, count(t, desk(Open(t, dir), o)), map[ledger.Operation]int{ledger.Created: 1, ledger.Noop: 9})
}

func testUpdate(t *testing.T, o Outside) {
	d := desk(Open(t, t.TempDir()), o)
	first := must(d.Publish(t.Context(), o.Target.Name(), Request("F-2026-001", "S-20260113-0001", "export with one click")))(t)
	must(d.Publish(t.Context(), o.Target.Name(), Request("F-2026-001", "S-20260113-0001", "export with one click")))(t)
	second := must(d.Publish(t.Context(), o.Target.Name(), Request("F-2026-001", "S-20260113-0002", "export with no click")))(t)
	wantEqual(t, second.Operation, ledger.Updated)
	wantEqual(t, second.ExternalID, first.ExternalID)
	wantEqual(t, o.Records(), 1)
	wantText(t, o, "export with no click")
	var states []ledger.Status
	for _, r := range must(d.Records(t.Context(), "F-2026-001"))(t) {
		states = append(states, r.Status)
	}
	wantEqual(t, states, []ledger.Status{ledger.Superseded, ledger.Superseded, ledger.Active})
	back := must(d.Publish(t.Context(), o.Target.Name(), Request("F-2026-001", "S-20260113-0001", "export with one click")))(t)
	wantEqual(t, back.Operation, ledger.Updated) // what was superseded is no longer there
	wantText(t, o, "export with one click")
}

func wantText(t *testing.T, o Outside, goal string) {
	t.Helper()
	if got := o.Text(); !strings.Contains(got, goal) {
		t.Fatalf("outside stands %q, which has not the goal %q", got, goal)
	}
}

func testTwoFeatures(t *testing.T, o Outside) {
	d := desk(Open(t, t.TempDir()), o)
	for _, feature := range []string{"F-2026-100", "F-2026-1000", "F-2026-1001"} { // each begins with the one before
		rec := must(d.Publish(t.Context(), o.Target.Name(), Request(feature, "S-20260113-0001", "export with one click")))(t)
		wantEqual(t, rec.Operation, ledger.Created)
	}
	wantEqual(t, o.Records(), 3)
}

// deadLedger ends like a process that is killed before it can write what came of its call.
type deadLedger struct{ *sqlitestore.Store }

var errKilled = errors.New("killed")

func (deadLedger) Settle(context.Context, journal.Claim, ...journal.Entry) error { return errKilled }

// crash publishes a request and dies before the ledger row.
func crash(t *testing.T, dir string, o Outside, r ledger.Request) {
	t.Helper()
	s := Open(t, dir)
	if _, err := desk(deadLedger{s}, o).Publish(t.Context(), o.Target.Name(), r); !errors.Is(err, errKilled) {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

func testCrash(t *testing.T, o Outside) {
	dir := t.TempDir()
	r := Request("F-2026-001", "S-20260113-0001", "export with one click")
	crash(t, dir, o, r)
	d := desk(Open(t, dir), o)
	rec := must(d.Publish(t.Context(), o.Target.Name(), r))(t)
	wantEqual(t, rec.Operation, ledger.Created)
	wantEqual(t, o.Records(), 1)
	wantEqual(t, must(d.Publish(t.Context(), o.Target.Name(), r))(t).Operation, ledger.Noop)
}

func testCrashOfOther(t *testing.T, o Outside) {
	dir := t.TempDir()
	first := Request("F-2026-001", "S-20260113-0001", "export with one click")
	rec := must(desk(Open(t, dir), o).Publish(t.Context(), o.Target.Name(), first))(t)
	crash(t, dir, o, Request("F-2026-001", "S-20260113-0002", "export with no click"))
	wantText(t, o, "export with no click")
	again := must(desk(Open(t, dir), o).Publish(t.Context(), o.Target.Name(), first))(t)
	wantEqual(t, again.Operation, ledger.Updated) // the ledger knows the first version, outside stands the second
	wantEqual(t, again.ExternalID, rec.ExternalID)
	wantText(t, o, "export with one click")
	wantEqual(t, o.Records(), 1)
}

func testRecovered(t *testing.T, o Outside) {
	if o.Fail == nil {
		t.Skip("this target does not fail for a while")
	}
	o.Fail(2)
	d := desk(Open(t, t.TempDir()), o)
	rec := must(d.Publish(t.Context(), o.Target.Name(), Request("F-2026-001", "S-20260113-0001", "export with one click")))(t)
	wantEqual(t, len(rec.Errors), 1)
	wantEqual(t, rec.Errors[0].RetryCount, 2)
	wantEqual(t, rec.Errors[0].Final, spec.Recovered)
	wantEqual(t, rec.Errors[0].Retryable, true)
	wantEqual(t, o.Records(), 1)
}

func testGivenUp(t *testing.T, o Outside) {
	if o.Fail == nil {
		t.Skip("this target does not fail for a while")
	}
	o.Fail(4)
	d := desk(Open(t, t.TempDir()), o)
	r := Request("F-2026-001", "S-20260113-0001", "export with one click")
	rec, err := d.Publish(t.Context(), o.Target.Name(), r)
	wantEqual(t, fault.CodeOf(err), fault.PublishFailed)
	wantEqual(t, rec.Status, ledger.Failed)
	wantEqual(t, rec.Errors[0].RetryCount, 3)
	wantEqual(t, rec.Errors[0].Final, spec.GaveUp)
	if next := fault.From(err).Next; len(next) == 0 || next[0].Command != "sluice spec publish F-2026-001 --target "+o.Target.Name() {
		t.Errorf("next %+v", next)
	}
	wantEqual(t, must(d.Publish(t.Context(), o.Target.Name(), r))(t).Operation, ledger.Created)
	wantEqual(t, o.Records(), 1)
	wantEqual(t, len(must(d.Records(t.Context(), ""))(t)), 2)
}

func testLost(t *testing.T, o Outside) {
	if o.Lose == nil {
		t.Skip("answers of this target cannot get lost")
	}
	o.Lose()
	d := desk(Open(t, t.TempDir()), o)
	rec := must(d.Publish(t.Context(), o.Target.Name(), Request("F-2026-001", "S-20260113-0001", "export with one click")))(t)
	wantEqual(t, rec.Operation, ledger.Created)
	wantEqual(t, o.Records(), 1)
	wantText(t, o, "export with one click")
}

func testInterrupted(t *testing.T, o Outside) {
	if o.Fail == nil {
		t.Skip("this target does not fail for a while")
	}
	o.Fail(1)
	s := Open(t, t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	slow := publish.NewDesk(s, publish.Options{Retry: publish.RetryOptions{Retries: 3, Base: time.Hour, Cap: time.Hour, AfterCap: time.Hour}},
		cancelling{o.Target, cancel})
	rec, err := slow.Publish(ctx, o.Target.Name(), Request("F-2026-001", "S-20260113-0001", "export with one click"))
	wantEqual(t, fault.CodeOf(err), fault.PublishFailed)
	wantEqual(t, rec.Status, ledger.Failed)
	must(desk(s, o).Publish(t.Context(), o.Target.Name(), Request("F-2026-001", "S-20260113-0001", "export with one click")))(t)
	wantEqual(t, o.Records(), 1)
}

// cancelling ends its caller's wait with the first call.
type cancelling struct {
	publish.Target
	cancel context.CancelFunc
}

func (c cancelling) Create(ctx context.Context, p publish.Payload) (string, error) {
	id, err := c.Target.Create(ctx, p)
	c.cancel()
	return id, err
}
