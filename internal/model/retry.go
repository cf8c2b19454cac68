package model

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"time"

	"sluice/internal/fault"
)

// Try is one failed try of a call.
type Try struct {
	N    int // from 1
	Err  error
	Wait time.Duration // until the next try; 0 if this was the last
}

// RetryOptions bound how long a call is fought for.
type RetryOptions struct {
	Retries       int           // after the first try
	Base          time.Duration // the first wait, doubled each time
	Cap           time.Duration // no wait of ours is longer
	RetryAfterCap time.Duration // no wait that a server asks for is longer
	Observe       func(Request, Try)
}

// DefaultRetry is three retries within about half a minute.
func DefaultRetry() RetryOptions {
	return RetryOptions{Retries: 3, Base: 500 * time.Millisecond, Cap: 20 * time.Second, RetryAfterCap: time.Minute}
}

// Retry repeats calls that fail in a retryable way, with exponential backoff and jitter. The failed tries travel with
// the reply, or their number with the final error, so that the step's record can tell.
func Retry(next Model, o RetryOptions) Model { return retry{next, o} }

type retry struct {
	next Model
	o    RetryOptions
}

func (m retry) Complete(ctx context.Context, r Request) (Reply, error) {
	var tries []Try
	for {
		reply, err := m.next.Complete(ctx, r)
		if err == nil {
			reply.Tries = append(tries, reply.Tries...)
			return reply, nil
		}
		t := Try{N: len(tries) + 1, Err: err}
		again := ClassOf(err) == Retryable && len(tries) < m.o.Retries && ctx.Err() == nil
		if again {
			t.Wait = m.wait(len(tries), err)
		}
		tries = append(tries, t)
		if m.o.Observe != nil {
			m.o.Observe(r, t)
		}
		if !again {
			return Reply{}, withRetries(err, len(tries)-1)
		}
		if !sleep(ctx, t.Wait) {
			return Reply{}, withRetries(Stopped(ctx, subject(err)), len(tries)-1)
		}
	}
}

// wait is the server's own wish if it has one, else 2ⁿ times the base, somewhere between half and the whole of it.
func (m retry) wait(n int, err error) time.Duration {
	if e, ok := errors.AsType[*Error](err); ok && e.RetryAfter > 0 {
		return min(e.RetryAfter, m.o.RetryAfterCap)
	}
	full := min(float64(m.o.Base)*math.Pow(2, float64(n)), float64(m.o.Cap))
	return time.Duration(full * (0.5 + 0.5*rand.Float64()))
}

// withRetries notes the count without changing an error that someone else may hold.
func withRetries(err error, n int) error {
	if n == 0 {
		return err
	}
	e, ok := errors.AsType[*Error](err)
	if !ok {
		return err
	}
	c := *e
	c.Retries = n
	return &c
}

func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

func subject(err error) string { return fault.From(err).Subject }
