package storetest

import (
	"encoding/json"
	"sync"
	"testing"

	"sluice/internal/fault"
	"sluice/internal/journal"
)

func entry(id, target, status string) journal.Entry {
	return journal.Entry{ID: id, Feature: "F-1", Target: target, Key: "F-1:" + target + ":S-1", Status: status, At: clock(1),
		Body: json.RawMessage(`{"ledger_id":"` + id + `"}`)}
}

func testClaims(t *testing.T, f fixture) {
	a, b := f.store(t), f.store(t)
	claim := must(a.Claim(t.Context(), "F-1:file", "k1"))(t)
	wantEqual(t, claim, journal.Claim{Place: "F-1:file", Key: "k1", Driver: a.Driver(), Number: 1})
	for _, s := range []Store{a, b} {
		_, err := s.Claim(t.Context(), "F-1:file", "k2")
		wantCode(t, err, fault.LeaseHeld)
	}
	other := must(b.Claim(t.Context(), "F-1:webhook", "k1"))(t)
	wantCode(t, b.Settle(t.Context(), journal.Claim{Place: "F-1:file", Driver: b.Driver(), Number: 1}, entry("L-1", "file", "active")),
		fault.LeaseLost)
	wantEqual(t, len(must(b.Entries(t.Context(), journal.EntryFilter{}))(t)), 0)
	if err := a.Settle(t.Context(), claim, entry("L-1", "file", "active")); err != nil {
		t.Fatal(err)
	}
	wantCode(t, a.Settle(t.Context(), claim), fault.LeaseLost)
	next := must(b.Claim(t.Context(), "F-1:file", "k2"))(t)
	wantEqual(t, next, journal.Claim{Place: "F-1:file", Key: "k2", Driver: b.Driver(), Number: 2})
	wantCode(t, a.Settle(t.Context(), claim), fault.LeaseLost)

	if err := b.Close(); err != nil { // its claims are free with it, and say what they were for
		t.Fatal(err)
	}
	taken := must(a.Claim(t.Context(), "F-1:file", "k3"))(t)
	wantEqual(t, taken, journal.Claim{Place: "F-1:file", Key: "k3", Driver: a.Driver(), Number: 3, After: "k2"})
	wantEqual(t, must(a.Claim(t.Context(), other.Place, "k4"))(t).After, "k1")
	wantCode(t, a.Settle(t.Context(), other), fault.LeaseLost)
	_, err := a.Claim(t.Context(), "", "k")
	wantCode(t, err, fault.BadValue)
}

func testClaimOnce(t *testing.T, f fixture) {
	const workers = 8
	stores := []Store{f.store(t), f.store(t)}
	var mu sync.Mutex
	var group sync.WaitGroup
	taken := 0
	for i := range workers {
		group.Go(func() {
			_, err := stores[i%2].Claim(t.Context(), "F-1:file", "k")
			mu.Lock()
			defer mu.Unlock()
			switch fault.CodeOf(err) {
			case "":
				taken++
			case fault.LeaseHeld:
			default:
				t.Error(err)
			}
		})
	}
	group.Wait()
	wantEqual(t, taken, 1)
}

func testLedger(t *testing.T, f fixture) {
	s := f.store(t)
	settle := func(entries ...journal.Entry) error {
		c := must(s.Claim(t.Context(), "F-1:file", "k"))(t)
		return s.Settle(t.Context(), c, entries...)
	}
	first, second := entry("L-1", "file", "active"), entry("L-2", "webhook", "active")
	if err := settle(first, second); err != nil {
		t.Fatal(err)
	}
	first.Status, first.Body = "superseded", json.RawMessage(`{"status":"superseded"}`)
	third := entry("L-3", "file", "active")
	if err := settle(first, third); err != nil {
		t.Fatal(err)
	}
	wantEqual(t, must(s.Entries(t.Context(), journal.EntryFilter{}))(t), []journal.Entry{first, second, third})
	wantEqual(t, must(s.Entries(t.Context(), journal.EntryFilter{Feature: "F-1", Target: "file", Status: "active"}))(t), []journal.Entry{third})
	wantEqual(t, must(s.Entries(t.Context(), journal.EntryFilter{Newest: 2}))(t), []journal.Entry{second, third})
	wantEqual(t, len(must(s.Entries(t.Context(), journal.EntryFilter{Feature: "F-2"}))(t)), 0)
	c := must(s.Claim(t.Context(), "F-1:file", "k"))(t)
	wantCode(t, s.Settle(t.Context(), c, journal.Entry{ID: "L-4"}), fault.BadValue)

	id := must(s.Identity(t.Context()))(t)
	if id == "" || must(f.store(t).Identity(t.Context()))(t) != id {
		t.Errorf("identity %q is empty or another one in the next process", id)
	}
}
