package model

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"sluice/internal/fault"
)

func status(code int, after string) *Error {
	h := http.Header{}
	if after != "" {
		h.Set("Retry-After", after)
	}
	return FromStatus("fake", code, h, "detail")
}

func TestRetryWaitsLongerEachTimeThenGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var seen []Try
		o := DefaultRetry()
		o.Observe = func(_ Request, try Try) { seen = append(seen, try) }
		m := fails(status(500, ""))
		_, err := Retry(m, o).Complete(t.Context(), Request{})
		if ClassOf(err) != Retryable || Retries(err) != 3 || !errors.Is(err, fault.ModelUnavailable) {
			t.Errorf("got %v with %d retries, want model_unavailable after 3", err, Retries(err))
		}
		if len(m.asked) != 4 || len(seen) != 4 {
			t.Fatalf("asked %d times, observed %d, want 4", len(m.asked), len(seen))
		}
		for i, try := range seen[:3] {
			full := o.Base << i
			if try.N != i+1 || try.Wait < full/2 || try.Wait > full {
				t.Errorf("try %d: waited %s, want between %s and %s", try.N, try.Wait, full/2, full)
			}
		}
		if seen[3].Wait != 0 {
			t.Errorf("last try waits %s, want 0", seen[3].Wait)
		}
	})
}

func TestRetryRecovers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := fails(status(429, "7"), status(503, "")).then(says("ok"))
		began := time.Now()
		reply, err := Retry(m, DefaultRetry()).Complete(t.Context(), Request{})
		if err != nil || reply.Content != "ok" || len(reply.Tries) != 2 {
			t.Fatalf("got %+v, %v, want ok after 2 failed tries", reply, err)
		}
		if reply.Tries[0].Wait != 7*time.Second {
			t.Errorf("waited %s, want the 7s the server asked for", reply.Tries[0].Wait)
		}
		if time.Since(began) < 7*time.Second {
			t.Error("did not really wait")
		}
	})
}

func TestRetryBoundsWhatTheServerAsksFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := DefaultRetry()
		reply, err := Retry(fails(status(429, "86400")).then(says("ok")), o).Complete(t.Context(), Request{})
		if err != nil || reply.Tries[0].Wait != o.RetryAfterCap {
			t.Errorf("got %v, %v, want a wait of %s", reply.Tries, err, o.RetryAfterCap)
		}
	})
}

func TestRetryLeavesPermanentErrorsAlone(t *testing.T) {
	for name, err := range map[string]error{
		"400": status(400, ""), "401": status(401, ""), "403": status(403, ""), "404": status(404, ""),
		"refused": Refused("fake", "x", "", zeroUsage), "truncated": Truncated("fake", "x", zeroUsage),
		"unknown": errors.New("surprise"),
	} {
		m := fails(err)
		_, got := Retry(m, DefaultRetry()).Complete(t.Context(), Request{})
		if len(m.asked) != 1 || Retries(got) != 0 {
			t.Errorf("%s: asked %d times, want once", name, len(m.asked))
		}
	}
}

func TestRetryStopsWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(100*time.Millisecond, cancel)
		m := fails(status(500, ""))
		_, err := Retry(m, DefaultRetry()).Complete(ctx, Request{})
		if ClassOf(err) != Interrupted || !errors.Is(err, context.Canceled) || !errors.Is(err, fault.Interrupted) {
			t.Errorf("got %v (%s), want interrupted", err, ClassOf(err))
		}
		if len(m.asked) != 1 {
			t.Errorf("asked %d times, want once", len(m.asked))
		}
	})
}

func TestRetryAfterAsDate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := http.Header{"Retry-After": {time.Now().Add(90 * time.Second).UTC().Format(http.TimeFormat)}}
		if got := retryAfter(h); got != 90*time.Second {
			t.Errorf("got %s, want 1m30s", got)
		}
		for _, v := range []string{"", "soon", "-4", "NaN", "1e99"} {
			if got := retryAfter(http.Header{"Retry-After": {v}}); got != 0 {
				t.Errorf("%q: got %s, want 0", v, got)
			}
		}
	})
}

func TestEveryFaultHasAWayOut(t *testing.T) {
	for _, code := range []int{400, 401, 403, 404, 408, 422, 429, 500, 529} {
		e := status(code, "")
		if len(e.Fault.Next) == 0 {
			t.Errorf("%d: no next action", code)
		}
	}
}
