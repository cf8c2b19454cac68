package sqlitestore

import (
	"context"
	"encoding/json"
	"strings"

	"sluice/internal/digest"
	"sluice/internal/fault"
	"sluice/internal/journal"
)

func (w *writer) putAsk(run int64, a *journal.Ask) error {
	_, err := w.exec(`INSERT INTO ask (id, run, node, kind, title, version, digest, opened, open, body)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (id) DO UPDATE SET run = excluded.run, node = excluded.node, kind = excluded.kind,
			title = excluded.title, version = excluded.version, digest = excluded.digest,
			opened = excluded.opened, open = excluded.open, body = excluded.body`,
		a.ID, run, a.Node, a.Kind, a.Title, a.Version, string(a.Digest), a.OpenedAt.UnixMicro(), a.Open, string(a.Body))
	return err
}

const askColumns = `SELECT a.id, r.id, a.node, a.kind, a.title, a.version, a.digest, a.opened, a.open, a.body
	FROM ask a JOIN run r ON r.n = a.run`

func readAsk(r scanner) (journal.Ask, error) {
	var a journal.Ask
	var named, body string
	var opened int64
	err := r.Scan(&a.ID, &a.Run, &a.Node, &a.Kind, &a.Title, &a.Version, &named, &opened, &a.Open, &body)
	a.Digest, a.OpenedAt = digest.Digest(named), timeOf(opened)
	if body != "" {
		a.Body = json.RawMessage(body)
	}
	return a, err
}

// Asks gives the asks of a run, or of every run if it is empty, oldest first; the open ones or all.
func (s *Store) Asks(ctx context.Context, run string, all bool) ([]journal.Ask, error) {
	var where []string
	var args []any
	if run != "" {
		n, err := s.number(ctx, run)
		if err != nil {
			return nil, err
		}
		where, args = append(where, "a.run = ?"), append(args, n)
	}
	if !all {
		where = append(where, "a.open = 1")
	}
	query := askColumns
	if len(where) > 0 {
		query += " WHERE " + strings.Join(where, " AND ")
	}
	return collect(ctx, s, query+" ORDER BY a.opened, a.rowid", args, readAsk)
}

// Ask finds an ask by its id, or by a beginning of it that only one ask has.
func (s *Store) Ask(ctx context.Context, idOrPrefix string) (journal.Ask, error) {
	const shown = 10
	found, err := collect(ctx, s, askColumns+" WHERE a.id >= ? AND a.id < ? ORDER BY a.id LIMIT ?",
		[]any{idOrPrefix, idOrPrefix + "\U0010FFFF", shown + 1}, readAsk)
	if err != nil {
		return journal.Ask{}, err
	}
	switch {
	case idOrPrefix == "" || len(found) == 0:
		return journal.Ask{}, fault.New(fault.UnknownAsk, idOrPrefix, "ask %q is not in this workspace", idOrPrefix).
			With(fault.Action{Action: "list the open asks", Command: "sluice inbox"})
	case len(found) == 1 || found[0].ID == idOrPrefix:
		return found[0], nil
	}
	var names []string
	for _, a := range found[:min(len(found), shown)] {
		names = append(names, a.ID)
	}
	more := ""
	if len(found) > shown {
		more = " and more"
	}
	return journal.Ask{}, fault.New(fault.BadValue, idOrPrefix, "ask %q is the beginning of %s%s",
		idOrPrefix, strings.Join(names, ", "), more)
}
