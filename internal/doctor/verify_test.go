package doctor

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"sluice/internal/digest"
	"sluice/internal/fault"
	"sluice/internal/journal"
	"sluice/internal/kernel"
)

func codes(fs []Finding) []string {
	all := []string{}
	for _, f := range fs {
		all = append(all, f.Code)
	}
	return all
}

func mustVerify(t testing.TB, s *memStore, id string) Report {
	t.Helper()
	rep, err := Verify(t.Context(), s, kernel.RunID(id))
	if err != nil {
		t.Fatal(err)
	}
	return rep
}

func TestVerifyCleanStore(t *testing.T) {
	store := newStore()
	for _, id := range []kernel.RunID{"r1", "r2", "r3"} {
		tell(t, store, id)
	}
	var steps []int
	rep, err := VerifyAll(t.Context(), store, func(done, total int) { steps = append(steps, done, total) })
	if err != nil {
		t.Fatal(err)
	}
	want := Report{Runs: 3, Batches: 36, Events: rep.Events, Versions: 12, Reviews: 6, Findings: []Finding{},
		Bytes: 3 * int64(len("a world"+"once upon a time"+"list"+"a.css"+"b/c.js"+"a late version"))}
	if diff := cmp.Diff(want, rep); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]int{0, 3, 1, 3, 2, 3, 3, 3}, steps); diff != "" {
		t.Error(diff)
	}
	if rep.Err() != nil {
		t.Error(rep.Err())
	}
}

func TestVerifyUnknownRun(t *testing.T) {
	if _, err := Verify(t.Context(), newStore(), "r9"); fault.CodeOf(err) != fault.UnknownRun {
		t.Errorf("got %v", err)
	}
}

// TestVerifyFindsEveryDamage damages one thing at a time and names what must be found.
func TestVerifyFindsEveryDamage(t *testing.T) {
	type damaged struct {
		*memStore
		story *story
		b     []journal.Stored // of run r1
	}
	world := digest.Of([]byte("a world"))
	for name, c := range map[string]struct {
		damage func(damaged)
		want   []string
	}{
		"nothing":             {func(damaged) {}, []string{}},
		"a byte of an event":  {func(d damaged) { d.b[2].Events = bytes.Replace(d.b[2].Events, []byte("2026"), []byte("2027"), 1) }, []string{BatchAltered}},
		"an event unreadable": {func(d damaged) { d.b[2].Events[0] = 'x' }, []string{BatchAltered, EventsUnreadable}},
		"an unknown word":     {func(d damaged) { replace(d.b, 2, "version_stored", "version_melted") }, []string{BatchAltered, EventsNewer}},
		"a time":              {func(d damaged) { d.b[3].At = d.b[3].At.Add(time.Microsecond) }, []string{BatchAltered}},
		"a hash":              {func(d damaged) { d.b[3].Hash[0] ^= 1 }, []string{BatchAltered, ChainBroken}},
		"a link":              {func(d damaged) { d.b[3].Prev[0] ^= 1 }, []string{BatchAltered, ChainBroken}},
		"first number":        {func(d damaged) { d.b[3].First++ }, []string{BatchAltered, JournalGap, JournalGap}},
		"a blob's name":       {func(d damaged) { d.b[2].Blobs[0] = digest.Of(nil) }, []string{BatchAltered, BytesMissing, BytesMissing}},
		"a byte of a blob":    {func(d damaged) { d.blobs["r1"][world][0] ^= 1 }, []string{BytesDamaged}},
		"a blob gone":         {func(d damaged) { delete(d.blobs["r1"], world) }, []string{BytesMissing}},
		"a part gone":         {func(d damaged) { delete(d.blobs["r1"], digest.Of([]byte("a.css"))) }, []string{BytesMissing}},
		"a batch dropped":     {func(d damaged) { d.batches["r1"] = slices.Delete(d.b, 3, 4) }, []string{ChainBroken, JournalGap}},
		"the first dropped":   {func(d damaged) { d.batches["r1"] = d.b[1:] }, []string{ChainBroken, JournalGap}},
		"the last dropped":    {func(d damaged) { d.batches["r1"] = d.b[:len(d.b)-1] }, []string{AskStray, HeadDiffers, JournalGap}},
		"all dropped":         {func(d damaged) { delete(d.batches, "r1") }, []string{JournalGap}},
		"two swapped":         {func(d damaged) { d.b[3], d.b[4] = d.b[4], d.b[3] }, []string{ChainBroken, JournalGap, ChainBroken, JournalGap, ChainBroken, JournalGap}},
		"another run's":       {func(d damaged) { d.b[0], d.b[1] = d.batches["r2"][0], d.batches["r2"][1] }, []string{HeadDiffers, BatchAltered, BatchAltered, ChainBroken}},
		"definition gone":     {func(d damaged) { clear(d.definitions) }, []string{DefinitionMissing}},
		"definition damaged":  {func(d damaged) { d.definitions[d.story.run.Definition()][0] ^= 1 }, []string{DefinitionDamaged}},
		"status of the row":   {func(d damaged) { d.head(func(h *journal.RunInfo) { h.Status = "done" }) }, []string{HeadDiffers}},
		"title of the row":    {func(d damaged) { d.head(func(h *journal.RunInfo) { h.Title = "" }) }, []string{HeadDiffers}},
		"line of the row":     {func(d damaged) { d.head(func(h *journal.RunInfo) { h.Line = "task" }) }, []string{HeadDiffers}},
		"labels of the row":   {func(d damaged) { d.head(func(h *journal.RunInfo) { h.Labels = nil }) }, []string{HeadDiffers}},
		"number of the row":   {func(d damaged) { d.head(func(h *journal.RunInfo) { h.Seq-- }) }, []string{JournalGap}},
		"an ask gone":         {func(d damaged) { d.rows["r1"] = nil }, []string{AskMissing}},
		"an ask too many":     {func(d damaged) { d.rows["r1"] = append(d.rows["r1"], journal.Ask{ID: "a1"}) }, []string{AskStray}},
		"digest of an ask":    {func(d damaged) { d.rows["r1"][0].Digest = world }, []string{AskDiffers}},
		"body of an ask": {func(d damaged) {
			d.rows["r1"][0].Body = bytes.Replace(d.rows["r1"][0].Body, []byte("reject"), []byte("rejoin"), 1)
		}, []string{AskDiffers}},
	} {
		t.Run(name, func(t *testing.T) {
			store := newStore()
			s := tell(t, store, "r1")
			tell(t, store, "r2")
			c.damage(damaged{store, s, store.batches["r1"]})
			if name == "definition damaged" || name == "definition gone" {
				delete(store.heads, "r2") // it has the same one
				store.order = store.order[:1]
			}
			rep, err := VerifyAll(t.Context(), store, nil)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, codes(rep.Findings)); diff != "" {
				t.Errorf("%s\n%v", diff, rep.Findings)
			}
			if (len(c.want) > 0) != (rep.Err() != nil) {
				t.Errorf("the report's error is %v", rep.Err())
			}
			for _, f := range rep.Findings {
				if f.Run != "r1" || f.Message == "" || f.Severity == "" {
					t.Errorf("%+v", f)
				}
			}
		})
	}
}

func replace(b []journal.Stored, i int, old, fresh string) {
	b[i].Events = bytes.ReplaceAll(b[i].Events, []byte(old), []byte(fresh))
}

func (m *memStore) head(change func(*journal.RunInfo)) {
	h := m.heads["r1"]
	change(&h)
	m.heads["r1"] = h
}

// TestVerifyFindsWhatIsSealedAndStillWrong forges journals whose chain is right.
func TestVerifyFindsWhatIsSealedAndStillWrong(t *testing.T) {
	forge := func(t *testing.T, fact kernel.Fact, bodies ...string) []string {
		store := newStore()
		s := tell(t, store, "r1")
		event := kernel.Event{At: s.now, By: worker, Fact: fact}
		s.append(s.run.Seq(), []kernel.Event{event}, bodies...)
		kernel.Fold(s.run, []kernel.Event{event})
		store.head(func(h *journal.RunInfo) { h.Seq, h.Status = s.run.Seq(), string(s.run.Status()) })
		return codes(mustVerify(t, store, "r1").Findings)
	}
	late := digest.Of([]byte("a late version"))
	t.Run("an approval without grounds", func(t *testing.T) {
		if got := forge(t, kernel.VersionApproved{Node: "late", Version: "late@1"}); !slices.Contains(got, "invariant_10") {
			t.Errorf("got %v", got)
		}
	})
	t.Run("a review of other bytes", func(t *testing.T) {
		got := forge(t, kernel.ReviewRecorded{Review: kernel.Review{ID: "x", Node: "text", Version: "text@1", Digest: late, Verdict: kernel.ForIt, By: anna}})
		if !slices.Contains(got, "invariant_5") {
			t.Errorf("got %v", got)
		}
	})
	t.Run("a version whose bytes are in another batch", func(t *testing.T) {
		got := forge(t, kernel.VersionStored{Version: kernel.Version{ID: "world@2", Node: "world", N: 2, Digest: late, Size: 14, Attempt: "world#1"}})
		if !slices.Contains(got, BytesMissing) {
			t.Errorf("got %v", got)
		}
	})
	t.Run("a version of another size", func(t *testing.T) {
		got := forge(t, kernel.VersionStored{Version: kernel.Version{ID: "world@2", Node: "world", N: 2, Digest: late, Size: 13, Attempt: "world#1"}}, "a late version")
		if !slices.Contains(got, SizeDiffers) {
			t.Errorf("got %v", got)
		}
	})
}

// TestVerifyFindsAnyBitFlip is the promise of the chain: no bit of a stored batch or of its bytes changes unnoticed.
func TestVerifyFindsAnyBitFlip(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		store := newStore()
		tell(t, store, "r1")
		batches := store.batches["r1"]
		b := &batches[rapid.IntRange(0, len(batches)-1).Draw(rt, "batch")]
		flip := func(bs []byte) {
			i := rapid.IntRange(0, len(bs)*8-1).Draw(rt, "bit")
			bs[i/8] ^= 1 << (i % 8)
		}
		number := func(n int64) int64 { return n ^ 1<<rapid.IntRange(0, 63).Draw(rt, "bit") }
		field := rapid.SampledFrom([]string{"events", "prev", "hash", "first", "last", "at", "digest", "bytes"}).Draw(rt, "field")
		if len(b.Blobs) == 0 && (field == "digest" || field == "bytes") {
			b = &batches[2] // the first that stored any
		}
		switch field {
		case "events":
			flip(b.Events)
		case "prev":
			flip(b.Prev[:])
		case "hash":
			flip(b.Hash[:])
		case "first":
			b.First = number(b.First)
		case "last":
			b.Last = number(b.Last)
		case "at":
			b.At = time.UnixMicro(number(b.At.UnixMicro()))
		case "digest":
			d := []byte(b.Blobs[0])
			flip(d)
			b.Blobs[0] = digest.Digest(d)
		case "bytes":
			flip(store.blobs["r1"][b.Blobs[0]])
		}
		rep, err := Verify(context.Background(), store, "r1")
		if err != nil {
			rt.Fatal(err)
		}
		if rep.Err() == nil {
			rt.Fatalf("a flipped bit of %s was not found", field)
		}
	})
}

func TestVerifyARunThatMovesOn(t *testing.T) {
	store := newStore()
	s := tell(t, store, "r1")
	loads := 0
	store.onLoad = func() {
		if loads++; loads == 1 {
			s.do(kernel.Judge{Stamp: s.by(anna), Node: "late", Verdict: kernel.ForIt})
		}
	}
	if got := mustVerify(t, store, "r1"); len(got.Findings) > 0 || loads != 2 {
		t.Errorf("%d loads, %v", loads, got.Findings)
	}
	store.onLoad = func() { store.head(func(h *journal.RunInfo) { h.Seq++ }) }
	got := mustVerify(t, store, "r1")
	if diff := cmp.Diff([]string{RunMoving}, codes(got.Findings)); diff != "" || got.Err() != nil {
		t.Errorf("%s %v", diff, got.Err())
	}
}

// rottenStore says of itself that a run is damaged.
type rottenStore struct {
	*memStore
	run  string
	code fault.Code
}

func (r rottenStore) Load(ctx context.Context, run string, after int64) ([]journal.Stored, error) {
	if run == r.run {
		return nil, fault.New(r.code, run, "a row is malformed")
	}
	return r.memStore.Load(ctx, run, after)
}

func TestVerifyAllGoesOnAfterADamagedRun(t *testing.T) {
	store := newStore()
	for _, id := range []kernel.RunID{"r1", "r2", "r3"} {
		tell(t, store, id)
	}
	rep, err := VerifyAll(t.Context(), rottenStore{store, "r2", fault.StoreCorrupt}, nil)
	if err != nil || rep.Runs != 3 || len(rep.Findings) != 1 || rep.Findings[0].Code != StoreUnreadable {
		t.Errorf("%v %+v", err, rep)
	}
	if _, err := VerifyAll(t.Context(), rottenStore{store, "r2", fault.StoreLocked}, nil); fault.CodeOf(err) != fault.StoreLocked {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := VerifyAll(ctx, store, nil); fault.CodeOf(err) != fault.Interrupted {
		t.Errorf("got %v", err)
	}
}

func TestReportIsDeterministic(t *testing.T) {
	store := newStore()
	tell(t, store, "r1")
	for _, id := range []string{"a1", "a2", "a3", "a4", "a5"} {
		store.rows["r1"] = append(store.rows["r1"], journal.Ask{ID: id})
	}
	first, err := json.Marshal(mustVerify(t, store, "r1"))
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		again, _ := json.Marshal(mustVerify(t, store, "r1"))
		if !bytes.Equal(first, again) {
			t.Fatalf("%s\n%s", first, again)
		}
	}
}
