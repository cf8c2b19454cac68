package model

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestLimitBoundsConcurrency(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var now, most atomic.Int64
		slow := funcModel(func(ctx context.Context, _ Request) (Reply, error) {
			most.Store(max(most.Load(), now.Add(1)))
			sleep(ctx, time.Second)
			now.Add(-1)
			return Reply{}, nil
		})
		m := Limit(slow, "fake", Limits{Concurrent: 2})
		began := time.Now()
		var wg sync.WaitGroup
		for range 6 {
			wg.Go(func() { _, _ = m.Complete(t.Context(), Request{}) })
		}
		wg.Wait()
		if most.Load() != 2 || time.Since(began) != 3*time.Second {
			t.Errorf("%d at once in %s, want 2 in 3s", most.Load(), time.Since(began))
		}
	})
}

func TestLimitBoundsRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := Limit(says("ok"), "fake", Limits{PerMinute: 60})
		began := time.Now()
		for range 4 {
			if _, err := m.Complete(t.Context(), Request{}); err != nil {
				t.Fatal(err)
			}
		}
		if got := time.Since(began); got != 3*time.Second {
			t.Errorf("4 calls at 60 a minute took %s, want 3s", got)
		}
	})
}

func TestLimitGivesUpWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		block := make(chan struct{})
		m := Limit(funcModel(func(context.Context, Request) (Reply, error) { <-block; return Reply{}, nil }), "fake", Limits{Concurrent: 1})
		go func() { _, _ = m.Complete(context.Background(), Request{}) }()
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := m.Complete(ctx, Request{})
		if ClassOf(err) != Interrupted || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, want interrupted by the deadline", err)
		}
		close(block)
	})
}
