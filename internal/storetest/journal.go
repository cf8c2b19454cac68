package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"sluice/internal/digest"
	"sluice/internal/fault"
	"sluice/internal/journal"
)

func testRoundTrip(t *testing.T, f fixture) {
	s := f.store(t)
	first := batch("r1", 0)
	first.Count = 3
	first.Events = []byte(`[{"a":"ä"},{"b":2},{"c":[]}]`)
	first.Blobs = []journal.Blob{blob([]byte("one")), blob([]byte("two"))}
	mustAppend(t, s, first)
	mustAppend(t, s, batch("r1", 3))

	got := mustLoad(t, s, "r1")
	if len(got) != 2 {
		t.Fatalf("got %d batches, want 2", len(got))
	}
	want := journal.Stored{First: 1, Last: 3, At: first.At, Events: first.Events, Prev: journal.Hash{}, Hash: got[0].Hash,
		Blobs: []digest.Digest{first.Blobs[0].Digest, first.Blobs[1].Digest}}
	wantEqual(t, got[0], want)
	wantEqual(t, [2]int64{got[1].First, got[1].Last}, [2]int64{4, 4})

	for after, want := range map[int64]int{0: 2, 1: 2, 2: 2, 3: 1, 4: 0, 99: 0} {
		if got := must(s.Load(t.Context(), "r1", after))(t); len(got) != want {
			t.Errorf("after %d: got %d batches, want %d", after, len(got), want)
		}
	}
	_, err := s.Load(t.Context(), "other", 0)
	wantCode(t, err, fault.UnknownRun)
	_, err = s.Run(t.Context(), "other")
	wantCode(t, err, fault.UnknownRun)
}

func testChain(t *testing.T, f fixture) {
	s, other := f.store(t), f.store(t)
	for i := range int64(6) {
		b := batch("r1", i)
		if i%2 == 0 {
			b.Blobs = []journal.Blob{blob(fmt.Appendf(nil, "bytes %d", i))}
		}
		if i < 3 {
			mustAppend(t, s, b)
		} else {
			mustAppend(t, other, b) // a second process goes on where the first was
		}
	}
	mustAppend(t, s, batch("r1", 6))
	mustChain(t, s, "r1")
}

// mustChain checks numbers and hashes of a whole run.
func mustChain(t *testing.T, s Store, run string) []journal.Stored {
	t.Helper()
	all := mustLoad(t, s, run)
	var prev journal.Hash
	next := int64(1)
	for _, b := range all {
		if b.First != next || b.Last < b.First {
			t.Fatalf("run %s: batch %d–%d where %d was next", run, b.First, b.Last, next)
		}
		want := journal.Chain(prev, run, b.First, b.Last, b.At, b.Events, b.Blobs)
		if b.Prev != prev || b.Hash != want {
			t.Fatalf("run %s: batch %d–%d does not follow its predecessor", run, b.First, b.Last)
		}
		prev, next = b.Hash, b.Last+1
	}
	return all
}

func testConflict(t *testing.T, f fixture) {
	s, other := f.store(t), f.store(t)
	mustAppend(t, s, batch("r1", 0))
	wantCode(t, s.Append(t.Context(), batch("r1", 0)), fault.RunExists)
	wantCode(t, s.Append(t.Context(), batch("r1", 5)), fault.Conflict)
	wantCode(t, s.Append(t.Context(), batch("none", 1)), fault.UnknownRun)
	mustAppend(t, other, batch("r1", 1))
	wantCode(t, s.Append(t.Context(), batch("r1", 1)), fault.Conflict)
	mustAppend(t, s, batch("r1", 2))
	wantCode(t, other.Append(t.Context(), batch("r1", 2)), fault.Conflict)
	wantEqual(t, len(mustChain(t, s, "r1")), 3)
}

// testNeighbours lets many writers append at once, half of them to a place that is taken.
func testNeighbours(t *testing.T, f fixture) {
	s := f.store(t)
	mustAppend(t, s, batch("shared", 0))
	mustAppend(t, s, batch("shared", 1))
	const writers, steps = 16, 8
	var group sync.WaitGroup
	for w := range writers {
		group.Go(func() {
			run := fmt.Sprintf("own-%d", w)
			for i := range int64(steps) {
				if err := s.Append(t.Context(), batch(run, i)); err != nil {
					t.Errorf("%s after %d: %v", run, i, err)
				}
				if err := s.Append(t.Context(), batch("shared", 1)); !errors.Is(err, fault.Conflict) {
					t.Errorf("shared after 1: got %v, want a conflict", err)
				}
			}
		})
	}
	group.Wait()
	for w := range writers {
		wantEqual(t, len(mustChain(t, s, fmt.Sprintf("own-%d", w))), steps)
	}
	wantEqual(t, len(mustChain(t, s, "shared")), 2)
}

func testAllOrNone(t *testing.T, f fixture) {
	s := f.store(t)
	mustAppend(t, s, batch("a", 0), batch("b", 0))
	wantCode(t, s.Append(t.Context(), batch("a", 1), batch("b", 7)), fault.Conflict)
	wantCode(t, s.Append(t.Context(), batch("c", 0), batch("b", 0)), fault.RunExists)
	wantCode(t, s.Append(t.Context(), batch("a", 1), batch("none", 3)), fault.UnknownRun)
	_, err := s.Run(t.Context(), "c")
	wantCode(t, err, fault.UnknownRun)
	wantEqual(t, must(s.Run(t.Context(), "a"))(t).Seq, int64(1))
	mustAppend(t, s, batch("a", 1), batch("b", 1), batch("c", 0))
	for run, want := range map[string]int{"a": 2, "b": 2, "c": 1} {
		wantEqual(t, len(mustChain(t, s, run)), want)
	}
}

func testTwiceInOneAppend(t *testing.T, f fixture) {
	s := f.store(t)
	mustAppend(t, s, batch("a", 0), batch("b", 0), batch("a", 1))
	wantCode(t, s.Append(t.Context(), batch("a", 2), batch("a", 2)), fault.Conflict)
	wantEqual(t, len(mustChain(t, s, "a")), 2)
}

func testBadBatch(t *testing.T, f fixture) {
	s := f.store(t)
	empty := batch("r1", 0)
	empty.Count, empty.Events = 0, nil
	lying := batch("r1", 0)
	lying.Blobs = []journal.Blob{{Digest: digest.Of([]byte("this")), Body: []byte("that")}}
	foreign := batch("r1", 0)
	foreign.Driver = "00ff"
	for name, b := range map[string]journal.Batch{"no run": batch("", 0), "no events": empty,
		"bytes of another digest": lying, "leased to another driver": foreign} {
		t.Run(name, func(t *testing.T) {
			wantCode(t, s.Append(t.Context(), b), fault.BadValue)
		})
	}
	if err := s.Append(t.Context()); err != nil {
		t.Errorf("append of nothing: %v", err)
	}
}

func testCancelled(t *testing.T, f fixture) {
	s := f.store(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := s.Append(ctx, batch("r1", 0))
	wantCode(t, err, fault.Interrupted)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the cause to be context.Canceled", err)
	}
	mustAppend(t, s, batch("r1", 0))
}

func testBlobs(t *testing.T, f fixture) {
	s := f.store(t)
	random := func(n int) []byte {
		source := rand.NewChaCha8([32]byte{byte(n)})
		b := make([]byte, n)
		_, _ = source.Read(b)
		return b
	}
	bodies := [][]byte{
		{}, []byte("small"), random(4095), random(4096), bytes.Repeat([]byte("medium "), 9000),
		random(1 << 20), bytes.Repeat([]byte("large "), 400_000), random(1<<20 + 1),
	}
	mustAppend(t, s, batch("r1", 0))
	b := batch("r1", 1)
	b.Count = 2
	b.Events = []byte(`[{},{}]`)
	for _, body := range bodies {
		b.Blobs = append(b.Blobs, blob(body))
	}
	mustAppend(t, s, b)
	mustAppend(t, s, batch("r1", 3))
	again := batch("r2", 0) // the same bytes in another run
	again.Blobs = b.Blobs[len(b.Blobs)-2:]
	mustAppend(t, s, again)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = f.store(t)
	for i, body := range bodies {
		for _, seq := range []int64{2, 3} {
			got, err := s.Blob(t.Context(), "r1", seq, digest.Of(body))
			if err != nil || !bytes.Equal(got, body) {
				t.Errorf("blob %d at %d: got %d bytes and error %v, want %d bytes", i, seq, len(got), err, len(body))
			}
		}
	}
	last := bodies[len(bodies)-1]
	if got := must(s.Blob(t.Context(), "r2", 1, digest.Of(last)))(t); !bytes.Equal(got, last) {
		t.Error("the large blob of the second run differs")
	}
	_, err := s.Blob(t.Context(), "r1", 1, digest.Of(bodies[1]))
	wantCode(t, err, fault.NotFound)
	_, err = s.Blob(t.Context(), "r1", 9, digest.Of(bodies[1]))
	wantCode(t, err, fault.NotFound)
	_, err = s.Blob(t.Context(), "r1", 2, digest.Of([]byte("never stored")))
	wantCode(t, err, fault.NotFound)
	_, err = s.Blob(t.Context(), "none", 2, digest.Of(bodies[1]))
	wantCode(t, err, fault.UnknownRun)
}
