package storetest

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"sluice/internal/fault"
	"sluice/internal/journal"
)

func call(run, key string) journal.Call {
	return journal.Call{Run: run, Node: "text", Attempt: "a1", Slot: "draft", Take: 1, Agent: "scene-text", Key: key,
		Provider: "rehearsal", Model: "m", Started: clock(1)}
}

func testCalls(t *testing.T, f fixture) {
	s := f.store(t)
	mustAppend(t, s, batch("r1", 0))
	first := must(s.BeginCall(t.Context(), call("r1", "k1")))(t)
	second := must(s.BeginCall(t.Context(), call("r1", "k2")))(t)
	must(s.BeginCall(t.Context(), call("r2", "k3")))(t)
	if second <= first {
		t.Fatalf("got call %d after call %d, want growing numbers", second, first)
	}
	usage := journal.Usage{InputTokens: 100, OutputTokens: 2000, Duration: 1500 * time.Millisecond}
	reply := journal.Reply{Key: "k1", Content: strings.Repeat("a long chapter ", 1000), Provider: "rehearsal", Model: "m",
		Finish: "stop", Usage: usage, At: clock(2)}
	if _, ok, err := s.Reply(t.Context(), "k1"); ok || err != nil {
		t.Fatalf("got a reply %v with error %v before there was one", ok, err)
	}
	if err := s.EndCall(t.Context(), first, &reply, journal.Answered, usage, ""); err != nil {
		t.Fatal(err)
	}
	if err := s.EndCall(t.Context(), second, nil, journal.Failed, journal.Usage{}, "time is over"); err != nil {
		t.Fatal(err)
	}
	got, ok, err := s.Reply(t.Context(), "k1")
	if err != nil || !ok {
		t.Fatalf("reply: %v, %v", ok, err)
	}
	wantEqual(t, got, reply)

	calls := must(s.Calls(t.Context(), "r1"))(t)
	for i := range calls {
		if calls[i].Ended.IsZero() {
			t.Errorf("call %d has not ended", calls[i].ID)
		}
		calls[i].Ended = time.Time{}
	}
	want := []journal.Call{call("r1", "k1"), call("r1", "k2")}
	want[0].ID, want[0].Outcome, want[0].Usage = first, journal.Answered, usage
	want[1].ID, want[1].Outcome, want[1].Error = second, journal.Failed, "time is over"
	wantEqual(t, calls, want)
	all := must(s.Calls(t.Context(), ""))(t)
	wantEqual(t, len(all), 3)
	wantEqual(t, all[2].Outcome, journal.Open)
	if !all[2].Ended.IsZero() {
		t.Error("an open call has ended")
	}
	wantCode(t, s.EndCall(t.Context(), first, nil, journal.Failed, usage, ""), fault.Conflict)
	wantCode(t, s.EndCall(t.Context(), 4711, nil, journal.Failed, usage, ""), fault.NotFound)
}

func testFirstReply(t *testing.T, f fixture) {
	s := f.store(t)
	for _, content := range []string{"first", "second"} {
		id := must(s.BeginCall(t.Context(), call("r1", "k")))(t)
		reply := journal.Reply{Key: "k", Content: content, At: clock(3)}
		if err := s.EndCall(t.Context(), id, &reply, journal.Answered, journal.Usage{}, ""); err != nil {
			t.Fatal(err)
		}
	}
	got, _, err := s.Reply(t.Context(), "k")
	if err != nil {
		t.Fatal(err)
	}
	wantEqual(t, got.Content, "first")
	reused := call("r1", "k")
	reused.Outcome = journal.Reused
	must(s.BeginCall(t.Context(), reused))(t)
	last := must(s.Calls(t.Context(), "r1"))(t)[2]
	wantEqual(t, last.Outcome, journal.Reused)
	wantEqual(t, last.Ended, last.Started)
}

func testCounters(t *testing.T, f fixture) {
	a, b := f.store(t), f.store(t)
	wantEqual(t, must(a.Reserve(t.Context(), "one", 1))(t), int64(1))
	wantEqual(t, must(b.Reserve(t.Context(), "one", 5))(t), int64(2))
	wantEqual(t, must(a.Reserve(t.Context(), "one", 1))(t), int64(7))
	wantEqual(t, must(a.Reserve(t.Context(), "other", 2))(t), int64(1))
	_, err := a.Reserve(t.Context(), "one", 0)
	wantCode(t, err, fault.BadValue)

	const workers, each, size = 8, 10, 3
	var mu sync.Mutex
	var all []int64
	var group sync.WaitGroup
	for w := range workers {
		s := []Store{a, b}[w%2]
		group.Go(func() {
			for range each {
				first, err := s.Reserve(t.Context(), "many", size)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				for i := range int64(size) {
					all = append(all, first+i)
				}
				mu.Unlock()
			}
		})
	}
	group.Wait()
	slices.Sort(all)
	for i, n := range all {
		if n != int64(i+1) {
			t.Fatalf("number %d of the sorted ones is %d", i+1, n)
		}
	}
	wantEqual(t, len(all), workers*each*size)
}
