package storetest

import (
	"strings"
	"testing"

	"sluice/internal/digest"
	"sluice/internal/fault"
	"sluice/internal/journal"
)

func checkout(path, text string) journal.Checkout {
	return journal.Checkout{Path: path, Node: "text", Version: "v-" + text, Digest: digest.Of([]byte(text)), Role: journal.Working}
}

// show appends a batch that makes path show text, and gives the row.
func show(t *testing.T, s Store, after int64, c journal.Checkout) journal.Checkout {
	t.Helper()
	b := batch("r1", after)
	b.Checkouts = []journal.Checkout{c}
	mustAppend(t, s, b)
	row, ok, err := s.Checkout(t.Context(), c.Path)
	if err != nil || !ok {
		t.Fatalf("checkout %s: %v, %v", c.Path, ok, err)
	}
	return row
}

func mark(t *testing.T, s Store, rows ...journal.Checkout) {
	t.Helper()
	if err := s.MarkWritten(t.Context(), rows...); err != nil {
		t.Fatal(err)
	}
}

func testCheckoutBefore(t *testing.T, f fixture) {
	s := f.store(t)
	one := show(t, s, 0, checkout("a.md", "one"))
	want := checkout("a.md", "one")
	want.Run, want.Seq = "r1", 1
	wantEqual(t, one, want)

	two := show(t, s, 1, checkout("a.md", "two")) // one was never in place for certain
	wantEqual(t, two.Before, digest.Digest(""))
	mark(t, s, two)
	three := show(t, s, 2, checkout("a.md", "three")) // the mark rides with this very batch
	wantEqual(t, three.Before, two.Digest)
	four := show(t, s, 3, checkout("a.md", "four"))
	wantEqual(t, four.Before, two.Digest)
	mark(t, s, four)

	gone := checkout("a.md", "four")
	gone.Removed = true
	removed := show(t, s, 4, gone)
	wantEqual(t, removed.Before, four.Digest)
	mark(t, s, removed)
	back := checkout("a.md", "one")
	back.Seq = one.Seq // bytes that an earlier batch holds
	again := show(t, s, 5, back)
	wantEqual(t, again.Before, digest.Digest(""))
	wantEqual(t, again.Seq, one.Seq)

	// What a path showed before it was ours is said in the same transaction, also by the batch of another run.
	base := checkout("b.md", "a person's")
	base.Written, base.Role = true, journal.Given
	first, second := batch("r1", 6), batch("r2", 0)
	first.Checkouts = []journal.Checkout{base, checkout("b.md", "five")}
	second.Checkouts = []journal.Checkout{checkout("b.md", "six")}
	mustAppend(t, s, first, second)
	row, _, err := s.Checkout(t.Context(), "b.md")
	if err != nil {
		t.Fatal(err)
	}
	wantEqual(t, row.Before, base.Digest)
	wantEqual(t, row.Run, "r2")
	wantEqual(t, row.Written, false)
}

func testMarks(t *testing.T, f fixture) {
	s := f.store(t)
	b := batch("r1", 0)
	b.Checkouts = []journal.Checkout{checkout("b.md", "b"), checkout("a.md", "a"), checkout("c.md", "c")}
	mustAppend(t, s, b)
	paths := func(rows []journal.Checkout) string {
		var all []string
		for _, c := range rows {
			all = append(all, c.Path)
		}
		return strings.Join(all, " ")
	}
	wantEqual(t, paths(must(s.Unwritten(t.Context()))(t)), "a.md b.md c.md")
	old, _, _ := s.Checkout(t.Context(), "a.md")
	mark(t, s, old)
	wantEqual(t, paths(must(s.Unwritten(t.Context()))(t)), "b.md c.md") // seen before it is durable
	if err := s.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	other := f.store(t)
	wantEqual(t, paths(must(other.Unwritten(t.Context()))(t)), "b.md c.md")

	moved, _, _ := s.Checkout(t.Context(), "b.md")
	show(t, other, 1, checkout("b.md", "b2"))
	mark(t, s, moved)
	if err := s.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	wantEqual(t, paths(must(s.Unwritten(t.Context()))(t)), "b.md c.md")

	last, _, _ := s.Checkout(t.Context(), "c.md")
	mark(t, s, last)
	if err := s.Close(); err != nil { // closing keeps what was deferred
		t.Fatal(err)
	}
	wantEqual(t, paths(must(other.Unwritten(t.Context()))(t)), "b.md")

	foreign := batch("r2", 0)
	foreign.Checkouts = []journal.Checkout{checkout("0.md", "0")}
	mustAppend(t, other, foreign)
	wantEqual(t, paths(must(other.Checkouts(t.Context(), ""))(t)), "0.md a.md b.md c.md")
	wantEqual(t, paths(must(other.Checkouts(t.Context(), "r1"))(t)), "a.md b.md c.md")
	_, err := other.Checkouts(t.Context(), "none")
	wantCode(t, err, fault.UnknownRun)
	if _, ok, err := other.Checkout(t.Context(), "none.md"); ok || err != nil {
		t.Errorf("a path without a row: %v, %v", ok, err)
	}
}

func testDataVersion(t *testing.T, f fixture) {
	a, b := f.store(t), f.store(t)
	first := must(a.DataVersion(t.Context()))(t)
	wantEqual(t, must(a.DataVersion(t.Context()))(t), first)
	mustAppend(t, b, batch("r1", 0))
	if second := must(a.DataVersion(t.Context()))(t); second == first {
		t.Error("a commit of another store was not noticed")
	}
	if err := a.Check(t.Context()); err != nil {
		t.Errorf("check: %v", err)
	}
}

func testReopen(t *testing.T, f fixture) {
	s := f.store(t)
	b := batch("r1", 0)
	b.Blobs = []journal.Blob{blob([]byte("bytes"))}
	b.Asks = []journal.Ask{ask("ask-1", "r1", 1)}
	b.Checkouts = []journal.Checkout{checkout("a.md", "a")}
	b.Head.Labels = map[string]string{"project": "p"}
	mustAppend(t, s, b)
	id := must(s.BeginCall(t.Context(), call("r1", "k")))(t)
	must(s.Reserve(t.Context(), "n", 4))(t)
	before := mustLoad(t, s, "r1")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("closing twice: %v", err)
	}
	if fault.CodeOf(s.Append(t.Context(), batch("r1", 1))) == "" {
		t.Error("a closed store took a batch")
	}

	s = f.store(t)
	wantEqual(t, mustLoad(t, s, "r1"), before)
	wantEqual(t, must(s.Asks(t.Context(), "", false))(t), b.Asks)
	wantEqual(t, must(s.Run(t.Context(), "r1"))(t).Head, b.Head)
	wantEqual(t, len(must(s.Unwritten(t.Context()))(t)), 1)
	wantEqual(t, must(s.Calls(t.Context(), "r1"))(t)[0].ID, id)
	wantEqual(t, must(s.Reserve(t.Context(), "n", 1))(t), int64(5))
	mustAppend(t, s, batch("r1", 1))
	mustChain(t, s, "r1")
}
