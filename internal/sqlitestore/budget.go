package sqlitestore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"sluice/internal/fault"
	"sluice/internal/journal"
)

// Budget says what was spent and is reserved in a scope. One that nothing is known of is empty.
func (s *Store) Budget(ctx context.Context, scope string) (journal.Budget, error) {
	b, ok, err := one(ctx, s, budgetRow, []any{scope}, s.readBudget)
	if err != nil {
		return b, err
	}
	if !ok {
		b = journal.Budget{Scope: scope}
	}
	query, args, err := heldQuery(scope)
	if err != nil {
		return b, err
	}
	_, _, err = one(ctx, s, query, args, func(r scanner) (any, error) { return nil, r.Scan(&b.HeldTokens, &b.HeldCost) })
	return b, err
}

const budgetRow = `SELECT scope, tokens, cost, unpriced, max_tokens, max_cost, warned, cheaper, seal FROM budget WHERE scope = ?`

// readBudget believes what was spent, and of what was set by hand only what this user set.
func (s *Store) readBudget(r scanner) (b journal.Budget, err error) {
	var tokens, cost sql.NullInt64
	var seal string
	err = r.Scan(&b.Scope, &b.Tokens, &b.Cost, &b.Unpriced, &tokens, &cost, &b.IsWarned, &b.IsCheaper, &seal)
	if tokens.Valid {
		b.MaxTokens = &tokens.Int64
	}
	if cost.Valid {
		m := journal.Money(cost.Int64)
		b.MaxCost = &m
	}
	isSet := tokens.Valid || cost.Valid || b.IsCheaper
	if isSet && s.sealer != nil && err == nil && !s.sealer.IsSealed(sealed(b), seal) {
		b.MaxTokens, b.MaxCost, b.IsCheaper = nil, nil, false
	}
	return b, err
}

// sealed is what a person said about a scope, as it is sealed.
func sealed(b journal.Budget) string {
	text := "budget\n" + b.Scope
	if b.MaxTokens != nil {
		text += fmt.Sprintf("\ntokens %d", *b.MaxTokens)
	}
	if b.MaxCost != nil {
		text += fmt.Sprintf("\ncost %d", *b.MaxCost)
	}
	if b.IsCheaper {
		text += "\ncheaper"
	}
	return text
}

// heldQuery adds up what calls under way reserve in a scope. Its index is named: another one would lead through all calls
// of the run or the day.
func heldQuery(scope string) (string, []any, error) {
	const held = `SELECT coalesce(sum(held_tokens), 0), coalesce(sum(held_cost), 0) FROM call INDEXED BY call_held
		WHERE outcome = 'open' AND held_tokens > 0 AND `
	if run, ok := strings.CutPrefix(scope, "run/"); ok {
		return held + `run = ?`, []any{run}, nil
	}
	day, err := time.Parse(time.DateOnly, strings.TrimPrefix(scope, "day/"))
	if err != nil {
		return "", nil, fault.New(fault.BadValue, scope, "%q is no run and no day", scope)
	}
	return held + `started >= ? AND started < ?`, []any{day.UnixMicro(), day.AddDate(0, 0, 1).UnixMicro()}, nil
}

// reserve refuses a call that would cross a limit. It runs in the transaction that records the call.
func (s *Store) reserve(w *writer, h *journal.Hold) error {
	for _, l := range h.Limits {
		b, err := s.budget(w, l.Scope)
		if err != nil {
			return err
		}
		if over := b.Over(l, *h); over != nil {
			return overBudget(over)
		}
	}
	return nil
}

func (s *Store) budget(w *writer, scope string) (journal.Budget, error) {
	b, err := s.budgetRow(w, scope)
	if err != nil {
		return b, err
	}
	query, args, err := heldQuery(scope)
	if err == nil {
		_, err = w.scan(query, args, &b.HeldTokens, &b.HeldCost)
	}
	return b, err
}

// budgetRow is the row of a scope without what is reserved in it.
func (s *Store) budgetRow(w *writer, scope string) (journal.Budget, error) {
	stmt, err := w.statement(budgetRow)
	if err != nil {
		return journal.Budget{}, err
	}
	b, err := s.readBudget(stmt.QueryRowContext(context.Background(), scope))
	if errors.Is(err, sql.ErrNoRows) {
		b, err = journal.Budget{Scope: scope}, nil
	}
	return b, err
}

func overBudget(over *journal.Over) error {
	f := fault.Wrap(fault.BudgetUsedUp, over.Scope, over, "the budget is used up")
	return f.With(fault.Action{Action: "budget", Command: "sluice budget", Why: "it shows what was spent and how a limit is raised"})
}

// spend adds what a call cost to its run and its day. A row of a stranger's store may hold less than nothing, or more than can be
// added to.
func (w *writer) spend(run string, started time.Time, u journal.Usage) error {
	tokens, cost, unpriced := u.Tokens(), int64(u.Cost), int64(0)
	if tokens == 0 && cost == 0 {
		return nil
	}
	if !u.Priced {
		cost, unpriced = 0, tokens
	}
	for _, scope := range []string{journal.RunScope(run), journal.DayScope(started)} {
		if _, err := w.exec(`INSERT INTO budget (scope, tokens, cost, unpriced) VALUES (?, ?, ?, ?) ON CONFLICT (scope) DO UPDATE
			SET tokens = min(max(tokens, 0), 1 << 60) + excluded.tokens, cost = min(max(cost, 0), 1 << 60) + excluded.cost,
			unpriced = min(max(unpriced, 0), 1 << 60) + excluded.unpriced`,
			scope, tokens, cost, unpriced); err != nil {
			return err
		}
	}
	return nil
}

// ReleaseDead gives back what calls of ended processes reserve.
func (s *Store) ReleaseDead(ctx context.Context) error {
	_, err := s.releaseDead(ctx)
	return err
}

// releaseDead gives back what calls of ended processes reserve, and tells whether there was anything. The locks of other
// drivers are tried outside the writer, as with leases.
func (s *Store) releaseDead(ctx context.Context) (released bool, err error) {
	drivers, err := collect(ctx, s, `SELECT DISTINCT driver FROM call INDEXED BY call_held WHERE outcome = 'open' AND held_tokens > 0`, nil,
		func(r scanner) (d string, err error) {
			err = r.Scan(&d)
			return d, err
		})
	if err != nil {
		return false, err
	}
	for _, d := range drivers {
		alive := d == s.driver
		if !alive {
			if alive, err = s.isAlive(d); err != nil {
				return released, err
			}
		}
		if alive {
			continue
		}
		err = s.writer.submit(ctx, func(w *writer) error {
			_, err := w.exec(`UPDATE call SET held_tokens = 0, held_cost = 0 WHERE driver = ? AND outcome = 'open' AND held_tokens > 0`, d)
			return err
		})
		if err != nil {
			return released, err
		}
		released = true
	}
	return released, nil
}

// ChangeBudget records what a person says about a scope. A limit that is changed will be warned of anew.
func (s *Store) ChangeBudget(ctx context.Context, scope string, c journal.BudgetChange) error {
	return s.writer.submit(ctx, func(w *writer) error {
		b, err := s.budgetRow(w, scope)
		if err != nil {
			return err
		}
		if c.MaxTokens != nil {
			b.MaxTokens, b.IsWarned = c.MaxTokens, false
		}
		if c.MaxCost != nil {
			b.MaxCost, b.IsWarned = c.MaxCost, false
		}
		if c.Cheaper != nil {
			b.IsCheaper = *c.Cheaper
		}
		seal := ""
		if s.sealer != nil {
			if seal, err = s.sealer.Seal(sealed(b)); err != nil {
				return err
			}
		}
		_, err = w.exec(`INSERT INTO budget (scope, max_tokens, max_cost, warned, cheaper, seal) VALUES (?, ?, ?, ?, ?, ?)
			ON CONFLICT (scope) DO UPDATE SET max_tokens = excluded.max_tokens, max_cost = excluded.max_cost, warned = excluded.warned,
			cheaper = excluded.cheaper, seal = excluded.seal`, scope, b.MaxTokens, (*int64)(b.MaxCost), b.IsWarned, b.IsCheaper, seal)
		return err
	})
}

// WarnOnce marks a scope as warned of, and tells whether it was not before: of all processes one warns.
func (s *Store) WarnOnce(ctx context.Context, scope string) (first bool, err error) {
	err = s.writer.submit(ctx, func(w *writer) (err error) {
		first, err = w.changed(`INSERT INTO budget (scope, warned) VALUES (?, 1) ON CONFLICT (scope) DO UPDATE SET warned = 1 WHERE warned = 0`, scope)
		return err
	})
	return first, err
}

// LastRefused gives what the last call of a run wanted that a limit refused; nothing if none was.
func (s *Store) LastRefused(ctx context.Context, run string) (journal.Hold, error) {
	h, _, err := one(ctx, s, `SELECT held_tokens, held_cost FROM call WHERE run = ? AND outcome = 'refused' ORDER BY id DESC LIMIT 1`,
		[]any{run}, func(r scanner) (h journal.Hold, err error) {
			err = r.Scan(&h.Tokens, &h.Cost)
			return h, err
		})
	return h, err
}

// recentCalls bounds how far back it is looked for what calls usually cost.
const recentCalls = 5000

// StepCosts adds up what the calls of each step cost, of one run or, for the recent ones, of the workspace.
func (s *Store) StepCosts(ctx context.Context, run string) ([]journal.StepCost, error) {
	where, arg := "id > (SELECT coalesce(max(id), 0) FROM call) - ?", any(recentCalls)
	if run != "" {
		where, arg = "run = ?", run
	}
	return collect(ctx, s, `SELECT step, count(DISTINCT run || ' ' || node), count(*), count(*) FILTER (WHERE cost IS NULL),
		sum(input_tokens), sum(output_tokens), coalesce(sum(cost), 0), sum(duration_ns)
		FROM call WHERE `+where+` AND outcome = 'answered' AND step <> '' GROUP BY step ORDER BY step`, []any{arg},
		func(r scanner) (c journal.StepCost, err error) {
			err = r.Scan(&c.Step, &c.Nodes, &c.Calls, &c.Unpriced, &c.InputTokens, &c.OutputTokens, &c.Cost, &c.Duration)
			return c, err
		})
}

// LongestReply is how many tokens an agent's recent replies had at most.
func (s *Store) LongestReply(ctx context.Context, agent string) (tokens int, err error) {
	_, _, err = one(ctx, s, `SELECT coalesce(max(output_tokens), 0) FROM call
		WHERE id > (SELECT coalesce(max(id), 0) FROM call) - ? AND agent = ? AND outcome = 'answered'`, []any{recentCalls, agent},
		func(r scanner) (any, error) { return nil, r.Scan(&tokens) })
	return tokens, err
}
