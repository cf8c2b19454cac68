package sqlitestore

import (
	"context"
	"database/sql"
	"errors"
	"math"
	"time"

	"sluice/internal/fault"
	"sluice/internal/journal"
)

// Reply gives the reply stored under a key.
func (s *Store) Reply(ctx context.Context, key string) (journal.Reply, bool, error) {
	return one(ctx, s, `SELECT key, provider, model, finish, input_tokens, output_tokens, duration_ns, at, content
		FROM reply WHERE key = ?`, []any{key}, func(r scanner) (journal.Reply, error) {
		var p journal.Reply
		var at int64
		var content []byte
		err := r.Scan(&p.Key, &p.Provider, &p.Model, &p.Finish,
			&p.Usage.InputTokens, &p.Usage.OutputTokens, &p.Usage.Duration, &at, &content)
		if err != nil {
			return p, err
		}
		p.At = timeOf(at)
		body, err := unpack(content)
		if err != nil {
			return p, corrupt(s.file, err, "reply %s is damaged", key)
		}
		p.Content = string(body)
		return p, nil
	})
}

// BeginCall records a call before it is made. A call that is not open, such as
// the reuse of a reply, is recorded whole. What it holds is reserved in the same commit, or it is refused with
// budget_used_up and nothing is written. Holds of processes that ended do not count.
func (s *Store) BeginCall(ctx context.Context, c journal.Call) (int64, error) {
	if c.Started.IsZero() {
		c.Started = s.now()
	}
	if c.Outcome == "" {
		c.Outcome = journal.Open
	}
	if c.Outcome != journal.Open && c.Ended.IsZero() {
		c.Ended = c.Started
	}
	if c.Hold == nil {
		return s.beginCall(ctx, c)
	}
	if err := s.live(); err != nil {
		return 0, err
	}
	id, err := s.beginCall(ctx, c)
	if fault.CodeOf(err) != fault.BudgetUsedUp {
		return id, err
	}
	if released, dead := s.releaseDead(ctx); dead != nil || !released {
		return 0, errors.Join(err, dead)
	}
	return s.beginCall(ctx, c)
}

func (s *Store) beginCall(ctx context.Context, c journal.Call) (id int64, err error) {
	hold, driver := journal.Hold{}, ""
	if c.Hold != nil {
		hold, driver = *c.Hold, s.driver
	}
	// That a call was begun says nothing after a power cut: its reply is not there, and what it reserved ended with us.
	err = s.writer.submitWith(ctx, someday, func(w *writer) error {
		if c.Outcome == journal.Open {
			if err := s.reserve(w, &hold); err != nil {
				return err
			}
		}
		res, err := w.exec(`INSERT INTO call (run, node, attempt, slot, take, step, agent, key, provider, model, started, ended,
			input_tokens, output_tokens, cached_tokens, duration_ns, cost, outcome, error, driver, held_tokens, held_cost)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			c.Run, c.Node, c.Attempt, c.Slot, c.Take, c.Step, c.Agent, c.Key, c.Provider, c.Model,
			c.Started.UnixMicro(), micros(c.Ended), c.Usage.InputTokens, c.Usage.OutputTokens, c.Usage.CachedTokens,
			int64(c.Usage.Duration), price(c.Usage), string(c.Outcome), c.Error, driver, hold.Tokens, int64(hold.Cost))
		if err != nil {
			return err
		}
		id, err = res.LastInsertId()
		return err
	})
	return id, err
}

// price is the column of a cost, which may not be known.
func price(u journal.Usage) sql.NullInt64 {
	return sql.NullInt64{Int64: int64(u.Cost), Valid: u.Priced}
}

// EndCall completes an open call and stores its reply, if it has one, in the same commit, and what it cost is spent. A key
// keeps its first reply. Who answered may be another model than was asked: the call then names that one. What is made of
// the reply is committed after it, so the one is never durable without the other.
func (s *Store) EndCall(ctx context.Context, id int64, r *journal.Reply, outcome journal.Outcome, u journal.Usage,
	errText string) error {
	var content []byte
	var provider, model string
	if r != nil {
		content = s.packer.add(nil, []byte(r.Content))
		provider, model = r.Provider, r.Model
	}
	now := s.now()
	return s.writer.submitWith(ctx, soon, func(w *writer) error {
		var run string
		var started int64
		ended, err := w.scan(`UPDATE call SET ended = ?, input_tokens = ?, output_tokens = ?, cached_tokens = ?, duration_ns = ?, cost = ?,
			outcome = ?, error = ?, held_tokens = 0, held_cost = 0,
			provider = coalesce(nullif(?, ''), provider), model = coalesce(nullif(?, ''), model)
			WHERE id = ? AND outcome = 'open' RETURNING run, started`,
			[]any{now.UnixMicro(), u.InputTokens, u.OutputTokens, u.CachedTokens, int64(u.Duration), price(u), string(outcome), errText,
				provider, model, id}, &run, &started)
		if err != nil {
			return err
		}
		if !ended {
			return w.refuseEnd(id)
		}
		if err := w.spend(run, timeOf(started), u); err != nil || r == nil {
			return err
		}
		return w.putReply(*r, now, content)
	})
}

// PutReply stores a reply that was recorded elsewhere. A key keeps its first reply.
func (s *Store) PutReply(ctx context.Context, r journal.Reply) error {
	content := s.packer.add(nil, []byte(r.Content))
	return s.writer.submit(ctx, func(w *writer) error { return w.putReply(r, r.At, content) })
}

func (w *writer) putReply(r journal.Reply, now time.Time, content []byte) error {
	if r.At.IsZero() {
		r.At = now
	}
	_, err := w.exec(`INSERT INTO reply (key, provider, model, finish, input_tokens, output_tokens, duration_ns, at,
		content) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO NOTHING`,
		r.Key, r.Provider, r.Model, r.Finish, r.Usage.InputTokens, r.Usage.OutputTokens, int64(r.Usage.Duration),
		r.At.UnixMicro(), content)
	return err
}

func (w *writer) refuseEnd(id int64) error {
	var outcome string
	ok, err := w.scan("SELECT outcome FROM call WHERE id = ?", []any{id}, &outcome)
	if err != nil {
		return err
	}
	if !ok {
		return fault.New(fault.NotFound, "call", "call %d is not recorded", id)
	}
	return fault.New(fault.Conflict, "call", "call %d has ended already: %s", id, outcome)
}

// Calls gives the calls of a run, or all if it is empty, in the order they were made.
func (s *Store) Calls(ctx context.Context, run string) ([]journal.Call, error) {
	query := `SELECT id, run, node, attempt, slot, take, step, agent, key, provider, model, started, ended,
		input_tokens, output_tokens, cached_tokens, duration_ns, cost, outcome, error FROM call`
	var args []any
	if run != "" {
		query, args = query+" WHERE run = ?", []any{run}
	}
	return collect(ctx, s, query+" ORDER BY id", args, func(r scanner) (journal.Call, error) {
		var c journal.Call
		var outcome string
		var started int64
		var ended, cost sql.NullInt64
		err := r.Scan(&c.ID, &c.Run, &c.Node, &c.Attempt, &c.Slot, &c.Take, &c.Step, &c.Agent, &c.Key, &c.Provider, &c.Model,
			&started, &ended, &c.Usage.InputTokens, &c.Usage.OutputTokens, &c.Usage.CachedTokens, &c.Usage.Duration, &cost, &outcome, &c.Error)
		c.Usage.Cost, c.Usage.Priced = journal.Money(cost.Int64), cost.Valid
		c.Started, c.Outcome = timeOf(started), journal.Outcome(outcome)
		if ended.Valid {
			c.Ended = timeOf(ended.Int64)
		}
		return c, err
	})
}

// Reserve takes the next n numbers of a counter and gives the first. Numbers grow from 1 and are never given twice.
func (s *Store) Reserve(ctx context.Context, name string, n int64) (int64, error) {
	if n < 1 || n > math.MaxInt32 {
		return 0, fault.New(fault.BadValue, name, "%d numbers of counter %s were asked for", n, name)
	}
	var last int64
	err := s.writer.submit(ctx, func(w *writer) error {
		_, err := w.scan(`INSERT INTO counter (name, last) VALUES (?, ?)
			ON CONFLICT (name) DO UPDATE SET last = last + excluded.last RETURNING last`, []any{name, n}, &last)
		return err
	})
	return last - n + 1, err
}

// micros is the column of a time that may be absent.
func micros(t time.Time) sql.NullInt64 {
	return sql.NullInt64{Int64: t.UnixMicro(), Valid: !t.IsZero()}
}
