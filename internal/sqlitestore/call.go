package sqlitestore

import (
	"context"
	"database/sql"
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

// BeginCall records a call before it is made; it is durable when its id is returned. A call that is not open, such as
// the reuse of a reply, is recorded whole.
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
	var id int64
	err := s.writer.submit(ctx, func(w *writer) error {
		res, err := w.exec(`INSERT INTO call (run, node, attempt, slot, take, agent, key, provider, model, started, ended,
			input_tokens, output_tokens, duration_ns, outcome, error)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			c.Run, c.Node, c.Attempt, c.Slot, c.Take, c.Agent, c.Key, c.Provider, c.Model,
			c.Started.UnixMicro(), micros(c.Ended),
			c.Usage.InputTokens, c.Usage.OutputTokens, int64(c.Usage.Duration), string(c.Outcome), c.Error)
		if err != nil {
			return err
		}
		id, err = res.LastInsertId()
		return err
	})
	return id, err
}

// EndCall completes an open call and stores its reply, if it has one, in the same commit. A key keeps its first reply.
func (s *Store) EndCall(ctx context.Context, id int64, r *journal.Reply, outcome journal.Outcome, u journal.Usage,
	errText string) error {
	var content []byte
	if r != nil {
		content = s.packer.add(nil, []byte(r.Content))
	}
	now := s.now()
	return s.writer.submit(ctx, func(w *writer) error {
		ended, err := w.changed(`UPDATE call SET ended = ?, input_tokens = ?, output_tokens = ?, duration_ns = ?,
			outcome = ?, error = ? WHERE id = ? AND outcome = 'open'`,
			now.UnixMicro(), u.InputTokens, u.OutputTokens, int64(u.Duration), string(outcome), errText, id)
		if err != nil {
			return err
		}
		if !ended {
			return w.refuseEnd(id)
		}
		if r == nil {
			return nil
		}
		at := r.At
		if at.IsZero() {
			at = now
		}
		_, err = w.exec(`INSERT INTO reply (key, provider, model, finish, input_tokens, output_tokens, duration_ns, at,
			content) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO NOTHING`,
			r.Key, r.Provider, r.Model, r.Finish, r.Usage.InputTokens, r.Usage.OutputTokens, int64(r.Usage.Duration),
			at.UnixMicro(), content)
		return err
	})
}

// PutReply stores a reply that was recorded elsewhere. A key keeps its first reply.
func (s *Store) PutReply(ctx context.Context, r journal.Reply) error {
	content := s.packer.add(nil, []byte(r.Content))
	return s.writer.submit(ctx, func(w *writer) error {
		_, err := w.exec(`INSERT INTO reply (key, provider, model, finish, input_tokens, output_tokens, duration_ns, at,
			content) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO NOTHING`,
			r.Key, r.Provider, r.Model, r.Finish, r.Usage.InputTokens, r.Usage.OutputTokens, int64(r.Usage.Duration),
			r.At.UnixMicro(), content)
		return err
	})
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
	query := `SELECT id, run, node, attempt, slot, take, agent, key, provider, model, started, ended,
		input_tokens, output_tokens, duration_ns, outcome, error FROM call`
	var args []any
	if run != "" {
		query, args = query+" WHERE run = ?", []any{run}
	}
	return collect(ctx, s, query+" ORDER BY id", args, func(r scanner) (journal.Call, error) {
		var c journal.Call
		var outcome string
		var started int64
		var ended sql.NullInt64
		err := r.Scan(&c.ID, &c.Run, &c.Node, &c.Attempt, &c.Slot, &c.Take, &c.Agent, &c.Key, &c.Provider, &c.Model,
			&started, &ended, &c.Usage.InputTokens, &c.Usage.OutputTokens, &c.Usage.Duration, &outcome, &c.Error)
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
