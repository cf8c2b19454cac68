package model

import (
	"context"

	"golang.org/x/sync/semaphore"
	"golang.org/x/time/rate"
)

// Limits keep one provider from being asked too much at once. Zero fields set no limit.
type Limits struct {
	Concurrent int
	PerMinute  float64 // calls begun per minute, spread evenly after a burst of Concurrent
}

// Limit holds calls back until the provider may be asked. It belongs inside Retry, so that a waiting retry holds no
// place.
func Limit(next Model, provider string, l Limits) Model {
	m := limit{next: next, provider: provider}
	if l.Concurrent > 0 {
		m.places = semaphore.NewWeighted(int64(l.Concurrent))
	}
	if l.PerMinute > 0 {
		m.rate = rate.NewLimiter(rate.Limit(l.PerMinute/60), max(1, l.Concurrent))
	}
	return m
}

type limit struct {
	next     Model
	provider string
	places   *semaphore.Weighted
	rate     *rate.Limiter
}

func (m limit) Complete(ctx context.Context, r Request) (Reply, error) {
	if m.places != nil {
		if m.places.Acquire(ctx, 1) != nil {
			return Reply{}, Stopped(ctx, m.provider)
		}
		defer m.places.Release(1)
	}
	if m.rate != nil {
		if err := m.rate.Wait(ctx); err != nil {
			// The limiter also refuses when the deadline is nearer than the next free moment: then the caller's time
			// is up for this purpose, though its context does not know yet.
			if ctx.Err() == nil {
				return Reply{}, Unavailable(m.provider, "the rate limit of %s leaves no room before the deadline", m.provider)
			}
			return Reply{}, Stopped(ctx, m.provider)
		}
	}
	return m.next.Complete(ctx, r)
}
