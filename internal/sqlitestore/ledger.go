package sqlitestore

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"sluice/internal/fault"
	"sluice/internal/journal"
)

// Claim takes the right to change a place, durably. It is free if nobody has it or if the process that has it is dead;
// then the claim says what that process was about to send.
func (s *Store) Claim(ctx context.Context, place, key string) (journal.Claim, error) {
	if place == "" || key == "" {
		return journal.Claim{}, fault.New(fault.BadValue, place, "a claim of %q for %q needs a place and a key", place, key)
	}
	if err := s.live(); err != nil {
		return journal.Claim{}, err
	}
	// As with leases, another driver's lock is tried outside the writer, and a claim that moved is looked at again.
	for range 10 {
		held, _, err := one(ctx, s, "SELECT key, driver, number FROM claim WHERE place = ?", []any{place},
			func(r scanner) (c journal.Claim, err error) {
				err = r.Scan(&c.Key, &c.Driver, &c.Number)
				return c, err
			})
		if err != nil {
			return journal.Claim{}, err
		}
		if held.Driver != "" {
			alive, err := s.isAlive(held.Driver)
			if err != nil {
				return journal.Claim{}, err
			}
			if alive {
				return journal.Claim{}, claimHeld(place, held.Driver)
			}
		}
		took, err := s.takeClaim(ctx, place, key, held)
		if err != nil {
			return journal.Claim{}, err
		}
		if took {
			return journal.Claim{Place: place, Key: key, Driver: s.driver, Number: held.Number + 1, After: held.Key}, nil
		}
	}
	return journal.Claim{}, claimHeld(place, "that changes faster than it can be asked")
}

func (s *Store) takeClaim(ctx context.Context, place, key string, held journal.Claim) (took bool, err error) {
	err = s.writer.submit(ctx, func(w *writer) (err error) {
		took, err = w.changed(`INSERT INTO claim (place, key, driver, number) VALUES (?, ?, ?, 1)
			ON CONFLICT (place) DO UPDATE SET key = excluded.key, driver = excluded.driver, number = number + 1
			WHERE driver = ? AND number = ?`, place, key, s.driver, held.Driver, held.Number)
		return err
	})
	return took, err
}

func claimHeld(place, driver string) error {
	return fault.New(fault.LeaseHeld, place, "%s is being published by driver %s", place, driver).
		With(fault.Action{Action: "wait for it, or end the process that publishes"})
}

// Settle gives a claim back and writes what came of it, in one commit. An entry whose id is there takes its place. A claim
// that is somebody else's by now is refused with lease_lost, and nothing is written.
func (s *Store) Settle(ctx context.Context, c journal.Claim, entries ...journal.Entry) error {
	for _, e := range entries {
		if e.ID == "" || e.Feature == "" || e.Target == "" || e.At.IsZero() || !json.Valid(e.Body) {
			return fault.New(fault.BadValue, e.ID, "entry %q of the ledger lacks an id, a feature, a target, a time or a body", e.ID)
		}
	}
	return s.writer.submit(ctx, func(w *writer) error {
		freed, err := w.changed(`UPDATE claim SET key = '', driver = '' WHERE place = ? AND driver = ? AND number = ?`,
			c.Place, c.Driver, c.Number)
		if err != nil {
			return err
		}
		if !freed {
			return fault.New(fault.LeaseLost, c.Place, "%s is no longer claimed by driver %s under number %d", c.Place, c.Driver, c.Number)
		}
		for _, e := range entries {
			if _, err := w.exec(`INSERT INTO ledger (id, feature, target, key, status, at, body) VALUES (?, ?, ?, ?, ?, ?, ?)
				ON CONFLICT (id) DO UPDATE SET status = excluded.status, at = excluded.at, body = excluded.body`,
				e.ID, e.Feature, e.Target, e.Key, e.Status, e.At.UnixMicro(), string(e.Body)); err != nil {
				return err
			}
		}
		return nil
	})
}

// Entries gives entries of the ledger, in the order they were first written.
func (s *Store) Entries(ctx context.Context, f journal.EntryFilter) ([]journal.Entry, error) {
	var where []string
	var args []any
	for _, c := range []struct{ column, value string }{{"feature", f.Feature}, {"target", f.Target}, {"status", f.Status}} {
		if c.value != "" {
			where, args = append(where, c.column+" = ?"), append(args, c.value)
		}
	}
	query := "SELECT id, feature, target, key, status, at, body FROM ledger"
	if len(where) > 0 {
		query = fmt.Sprintf("%s WHERE %s", query, strings.Join(where, " AND "))
	}
	if f.Newest > 0 {
		query, args = query+" ORDER BY n DESC LIMIT ?", append(args, f.Newest)
	} else {
		query += " ORDER BY n"
	}
	all, err := collect(ctx, s, query, args, func(r scanner) (journal.Entry, error) {
		var e journal.Entry
		var at int64
		var body string
		err := r.Scan(&e.ID, &e.Feature, &e.Target, &e.Key, &e.Status, &at, &body)
		e.At, e.Body = timeOf(at), json.RawMessage(body)
		return e, err
	})
	if f.Newest > 0 {
		slices.Reverse(all)
	}
	return all, err
}

// Identity is the name of this workspace among those that publish to the same target. It is chosen once and never
// changes, also when the workspace moves.
func (s *Store) Identity(ctx context.Context) (string, error) {
	read := func(r scanner) (id string, err error) {
		err = r.Scan(&id)
		return id, err
	}
	const query = "SELECT id FROM identity WHERE one = 1"
	id, ok, err := one(ctx, s, query, nil, read)
	if err != nil || ok {
		return id, err
	}
	err = s.writer.submit(ctx, func(w *writer) error {
		_, err := w.exec("INSERT INTO identity (one, id) VALUES (1, ?) ON CONFLICT DO NOTHING", newDriver())
		return err
	})
	if err != nil {
		return "", err
	}
	id, _, err = one(ctx, s, query, nil, read)
	return id, err
}
