package storetest

import (
	"strings"
	"testing"

	"sluice/internal/digest"
	"sluice/internal/fault"
	"sluice/internal/journal"
)

func ask(id, run string, opened int) journal.Ask {
	return journal.Ask{ID: id, Run: run, Node: "chapter/003/text", Kind: "approve", Title: "approve " + id, Version: "v1",
		Digest: digest.Of([]byte(id)), OpenedAt: clock(opened), Open: true, Body: []byte(`{"id":"` + id + `"}`)}
}

func testAsks(t *testing.T, f fixture) {
	s := f.store(t)
	late, early, other := ask("ask-1", "r1", 20), ask("ask-2", "r1", 10), ask("ask-3", "r2", 15)
	one, two := batch("r1", 0), batch("r2", 0)
	one.Asks, two.Asks = []journal.Ask{late, early}, []journal.Ask{other}
	mustAppend(t, s, one, two)
	wantEqual(t, must(s.Asks(t.Context(), "", false))(t), []journal.Ask{early, other, late})
	wantEqual(t, must(s.Asks(t.Context(), "r1", false))(t), []journal.Ask{early, late})

	early.Open = false
	early.Body = []byte(`{"answered":true}`)
	closing := batch("r1", 1)
	closing.Asks = []journal.Ask{early}
	mustAppend(t, s, closing)
	wantEqual(t, must(s.Asks(t.Context(), "r1", false))(t), []journal.Ask{late})
	wantEqual(t, must(s.Asks(t.Context(), "r1", true))(t), []journal.Ask{early, late})
	wantEqual(t, must(s.Ask(t.Context(), "ask-2"))(t), early)
	_, err := s.Asks(t.Context(), "none", false)
	wantCode(t, err, fault.UnknownRun)
}

func testAskPrefix(t *testing.T, f fixture) {
	s := f.store(t)
	b := batch("r1", 0)
	b.Asks = []journal.Ask{ask("ask-12", "r1", 1), ask("ask-123", "r1", 2), ask("ask-9%_", "r1", 3)}
	mustAppend(t, s, b)
	for prefix, want := range map[string]string{"ask-12": "ask-12", "ask-123": "ask-123", "ask-9": "ask-9%_", "ask-9%": "ask-9%_"} {
		wantEqual(t, must(s.Ask(t.Context(), prefix))(t).ID, want)
	}
	for _, unknown := range []string{"", "ask-3", "sk", "ask-%", "ask-1234"} {
		_, err := s.Ask(t.Context(), unknown)
		wantCode(t, err, fault.UnknownAsk)
	}
	_, err := s.Ask(t.Context(), "ask-1")
	wantCode(t, err, fault.BadValue)
	for _, candidate := range []string{"ask-12", "ask-123"} {
		if !strings.Contains(err.Error(), candidate) {
			t.Errorf("%q does not name %s", err, candidate)
		}
	}
}

func testDefinitions(t *testing.T, f fixture) {
	s := f.store(t)
	for _, body := range []string{"", "name: novel\n", strings.Repeat("step: text\n", 5000)} {
		for range 2 {
			d := must(s.PutDefinition(t.Context(), []byte(body)))(t)
			wantEqual(t, d, digest.Of([]byte(body)))
			wantEqual(t, string(must(s.Definition(t.Context(), d))(t)), body)
		}
	}
	_, err := s.Definition(t.Context(), digest.Of([]byte("other")))
	wantCode(t, err, fault.NotFound)
}

func testFolds(t *testing.T, f fixture) {
	s := f.store(t)
	mustAppend(t, s, batch("r1", 0))
	load := func(revision string) (journal.Fold, bool) {
		t.Helper()
		got, ok, err := s.Fold(t.Context(), "r1", revision)
		if err != nil {
			t.Fatal(err)
		}
		return got, ok
	}
	if _, ok := load("1"); ok {
		t.Fatal("got a fold that was never saved")
	}
	save := func(f journal.Fold) {
		t.Helper()
		if err := s.SaveFold(t.Context(), f); err != nil {
			t.Fatal(err)
		}
	}
	five := journal.Fold{Run: "r1", Seq: 5, Revision: "1", State: []byte(strings.Repeat("state ", 2000))}
	save(five)
	save(journal.Fold{Run: "r1", Seq: 3, Revision: "1", State: []byte("older")})
	got, _ := load("1")
	wantEqual(t, got, five)
	if _, ok := load("2"); ok {
		t.Fatal("got a fold of another revision")
	}
	two := journal.Fold{Run: "r1", Seq: 4, Revision: "2", State: []byte("other law")}
	save(two)
	got, _ = load("2")
	wantEqual(t, got, two)
	if _, ok := load("1"); ok {
		t.Fatal("the fold of the old revision is still there")
	}
	wantCode(t, s.SaveFold(t.Context(), journal.Fold{Run: "none", Seq: 1, Revision: "1"}), fault.UnknownRun)
}
