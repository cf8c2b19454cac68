package storetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sluice/internal/digest"
	"sluice/internal/fault"
	"sluice/internal/journal"
)

// clock gives the times of the suite's records. Stores keep microseconds, so they have no more.
func clock(step int) time.Time {
	return time.Date(2026, 5, 4, 3, 2, 1, 123456000, time.UTC).Add(time.Duration(step) * time.Second)
}

// batch makes a batch of one event whose text names it.
func batch(run string, after int64) journal.Batch {
	return journal.Batch{Run: run, After: after, At: clock(int(after)), Count: 1,
		Events: fmt.Appendf(nil, `[{"run":%q,"number":%d}]`, run, after+1),
		Head:   journal.Head{Line: "task", Title: "run " + run, Status: "running"}}
}

func blob(body []byte) journal.Blob { return journal.Blob{Digest: digest.Of(body), Body: body} }

func mustAppend(t *testing.T, s Store, batches ...journal.Batch) {
	t.Helper()
	if err := s.Append(t.Context(), batches...); err != nil {
		t.Fatalf("append: %v", err)
	}
}

func mustLoad(t *testing.T, s Store, run string) []journal.Stored {
	t.Helper()
	got, err := s.Load(t.Context(), run, 0)
	if err != nil {
		t.Fatalf("load %s: %v", run, err)
	}
	return got
}

func must[T any](v T, err error) func(t *testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func wantCode(t *testing.T, err error, want fault.Code) {
	t.Helper()
	if got := fault.CodeOf(err); got != want {
		t.Fatalf("got code %q (%v), want %q", got, err, want)
	}
}

func wantEqual(t *testing.T, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("differs (-want +got):\n%s", diff)
	}
}
