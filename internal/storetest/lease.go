package storetest

import (
	"strings"
	"testing"

	"sluice/internal/fault"
	"sluice/internal/journal"
)

func testLease(t *testing.T, f fixture) {
	a, b := f.store(t), f.store(t)
	if a.Driver() == "" || a.Driver() == b.Driver() {
		t.Fatalf("drivers %q and %q are not two names", a.Driver(), b.Driver())
	}
	mustAppend(t, a, batch("r1", 0))
	lease := must(a.Acquire(t.Context(), "r1"))(t)
	wantEqual(t, lease, journal.Lease{Run: "r1", Driver: a.Driver(), Epoch: 1})
	for _, s := range []Store{a, b} {
		_, err := s.Acquire(t.Context(), "r1")
		wantCode(t, err, fault.LeaseHeld)
		if !strings.Contains(err.Error(), a.Driver()) {
			t.Errorf("%q does not name driver %s", err, a.Driver())
		}
	}
	if err := a.Release(t.Context(), lease); err != nil {
		t.Fatal(err)
	}
	wantEqual(t, must(b.Acquire(t.Context(), "r1"))(t), journal.Lease{Run: "r1", Driver: b.Driver(), Epoch: 2})
	wantCode(t, a.Release(t.Context(), lease), fault.LeaseLost)
	_, err := a.Acquire(t.Context(), "r1")
	wantCode(t, err, fault.LeaseHeld)
	_, err = a.Acquire(t.Context(), "none")
	wantCode(t, err, fault.UnknownRun)
}

func testTakeOver(t *testing.T, f fixture) {
	a, b := f.store(t), f.store(t)
	mustAppend(t, a, batch("r1", 0))
	old := must(a.Acquire(t.Context(), "r1"))(t)
	driven := batch("r1", 1)
	driven.Epoch = old.Epoch
	mustAppend(t, a, driven)
	mustAppend(t, b, batch("r1", 2)) // a person's command needs no lease
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	taken := must(b.Acquire(t.Context(), "r1"))(t)
	wantEqual(t, taken.Epoch, old.Epoch+1)

	late := batch("r1", 3)
	late.Epoch = old.Epoch
	wantCode(t, b.Append(t.Context(), late), fault.LeaseLost)
	wantCode(t, b.Append(t.Context(), batch("r2", 0), late), fault.LeaseLost)
	late.Epoch = taken.Epoch
	wantCode(t, f.store(t).Append(t.Context(), late), fault.LeaseLost) // the epoch is right, the driver is not
	mustAppend(t, b, late)
	if err := b.Release(t.Context(), taken); err != nil {
		t.Fatal(err)
	}
	later := batch("r1", 4)
	later.Epoch = taken.Epoch
	wantCode(t, b.Append(t.Context(), later), fault.LeaseLost) // given back is given back
	wantEqual(t, len(mustChain(t, b, "r1")), 4)
}

func testLeaseRides(t *testing.T, f fixture) {
	a, b := f.store(t), f.store(t)
	made := batch("r1", 0)
	made.Driver = a.Driver()
	mustAppend(t, a, made)
	_, err := b.Acquire(t.Context(), "r1")
	wantCode(t, err, fault.LeaseHeld)

	person := batch("r1", 1)
	person.Release = true // without an epoch there is nothing to give back
	mustAppend(t, b, person)
	_, err = b.Acquire(t.Context(), "r1")
	wantCode(t, err, fault.LeaseHeld)

	last := batch("r1", 2)
	last.Epoch, last.Release = 1, true
	mustAppend(t, a, last)
	wantEqual(t, must(b.Acquire(t.Context(), "r1"))(t), journal.Lease{Run: "r1", Driver: b.Driver(), Epoch: 2})
}
