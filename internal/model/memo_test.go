package model

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"sluice/internal/fault"
	"sluice/internal/journal"
)

var zeroUsage journal.Usage

func TestMemoPaysOnce(t *testing.T) {
	store, m := newMemoryCalls(), says("first", "second")
	memo := Memo(m, "fake", store)
	r := Request{Agent: "world", Scope: Scope{Run: "r", Node: "n", Attempt: "a1"}}
	first, err := memo.Complete(t.Context(), r)
	if err != nil || first.Reused {
		t.Fatalf("got %+v, %v, want a fresh reply", first, err)
	}
	r.Scope.Attempt = "a2"
	again, err := memo.Complete(t.Context(), r)
	if err != nil || !again.Reused || again.Content != "first" || again.Finish != "stop" || again.Model != "fake-1" {
		t.Errorf("got %+v, %v, want the stored reply", again, err)
	}
	r.Scope.Take = 1
	other, err := memo.Complete(t.Context(), r)
	if err != nil || other.Content != "second" {
		t.Errorf("another take: got %+v, %v, want a new reply", other, err)
	}
	if diff := cmp.Diff([]journal.Outcome{journal.Answered, journal.Reused, journal.Answered}, store.outcomes()); diff != "" {
		t.Errorf("outcomes (-want +got):\n%s", diff)
	}
	if reused := store.calls[1]; reused.Ended.IsZero() || reused.Attempt != "a2" || reused.Model != "fake-1" {
		t.Errorf("reused call is recorded as %+v", reused)
	}
}

func TestMemoRecordsBeforeAndStoresBeforeUse(t *testing.T) {
	store := newMemoryCalls()
	var during []journal.Outcome
	var storedReplies int
	m := funcModel(func(context.Context, Request) (Reply, error) {
		during = store.outcomes()
		return Reply{Content: "x", Stored: func() { storedReplies = len(store.replies) }}, nil
	})
	reply, err := Memo(m, "fake", store).Complete(t.Context(), Request{})
	if err != nil || reply.Stored != nil {
		t.Fatalf("got %+v, %v", reply, err)
	}
	if len(during) != 1 || during[0] != journal.Open {
		t.Errorf("while the model works the store has %v, want one open call", during)
	}
	if storedReplies != 1 {
		t.Error("the hook ran before the reply was stored")
	}
}

func TestMemoRecordsFailures(t *testing.T) {
	store := newMemoryCalls()
	u := journal.Usage{InputTokens: 3, OutputTokens: 4}
	memo := Memo(fails(Truncated("fake", "world", u)).then(says("ok")), "fake", store)
	_, err := memo.Complete(t.Context(), Request{Agent: "world"})
	if !errors.Is(err, fault.ModelTruncated) {
		t.Fatalf("got %v, want model_truncated", err)
	}
	if c := store.calls[0]; c.Outcome != journal.Failed || c.Usage != u || c.Error == "" {
		t.Errorf("recorded %+v, want failed with usage and text", c)
	}
	if reply, err := memo.Complete(t.Context(), Request{Agent: "world"}); err != nil || reply.Reused {
		t.Errorf("got %+v, %v: a failure must not be remembered as a reply", reply, err)
	}
}

func TestMemoKeepsAReplyThatArrivesAfterTheCallerLeft(t *testing.T) {
	store := newMemoryCalls()
	ctx, cancel := context.WithCancel(t.Context())
	m := funcModel(func(context.Context, Request) (Reply, error) {
		cancel()
		return Reply{Content: "paid for"}, nil
	})
	if _, err := Memo(m, "fake", store).Complete(ctx, Request{}); err != nil {
		t.Fatal(err)
	}
	if len(store.replies) != 1 {
		t.Error("the reply in hand was dropped")
	}
}

func TestMemoDoesNotUseWhatItCouldNotStore(t *testing.T) {
	store := newMemoryCalls()
	store.endErr = fault.New(fault.DiskFull, "store", "no space is left")
	_, err := Memo(says("x"), "fake", store).Complete(t.Context(), Request{Agent: "world"})
	if !errors.Is(err, fault.DiskFull) {
		t.Errorf("got %v, want disk_full", err)
	}
}

func TestMemoSharesOneCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newMemoryCalls()
		answer := make(chan struct{})
		paid := 0
		m := funcModel(func(context.Context, Request) (Reply, error) {
			paid++
			<-answer
			return Reply{Content: "x"}, nil
		})
		memo := Memo(m, "fake", store)
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				if reply, err := memo.Complete(t.Context(), Request{}); err != nil || reply.Content != "x" {
					t.Errorf("got %+v, %v", reply, err)
				}
			})
		}
		synctest.Wait()
		close(answer)
		wg.Wait()
		if paid != 1 || len(store.calls) != 8 {
			t.Errorf("paid %d times with %d calls recorded, want 1 and 8", paid, len(store.calls))
		}
	})
}

func TestMemoFollowerSharesAFailureButNotAnInterruption(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for name, test := range map[string]struct {
			err  *Error
			paid int
		}{
			"permanent":   {FromStatus("fake", 401, nil, ""), 1},
			"interrupted": {&Error{Class: Interrupted, Fault: fault.New(fault.Interrupted, "fake", "stopped")}, 2},
		} {
			answer := make(chan struct{})
			paid := 0
			m := funcModel(func(context.Context, Request) (Reply, error) {
				if paid++; paid > 1 {
					return Reply{Content: "x"}, nil
				}
				<-answer
				return Reply{}, test.err
			})
			memo := Memo(m, "fake", newMemoryCalls())
			var wg sync.WaitGroup
			for range 2 {
				wg.Go(func() { _, _ = memo.Complete(t.Context(), Request{}) })
			}
			synctest.Wait()
			close(answer)
			wg.Wait()
			if paid != test.paid {
				t.Errorf("%s: asked %d times, want %d", name, paid, test.paid)
			}
		}
	})
}

func TestMemoFollowerLeavesWithItsOwnContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answer := make(chan struct{})
		memo := Memo(funcModel(func(context.Context, Request) (Reply, error) { <-answer; return Reply{}, nil }), "fake", newMemoryCalls())
		go func() { _, _ = memo.Complete(context.Background(), Request{}) }()
		synctest.Wait()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := memo.Complete(ctx, Request{}); ClassOf(err) != Interrupted {
			t.Errorf("got %v, want interrupted", err)
		}
		close(answer)
	})
}
