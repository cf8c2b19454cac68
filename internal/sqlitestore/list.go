package sqlitestore

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"sluice/internal/fault"
	"sluice/internal/journal"
)

const (
	pageSize = 50
	pageMax  = 1000
	probe    = 1000 // rows looked at to find which condition selects few
)

// List gives a page of runs, newest first. Its cost follows the page, not the number of runs: every way through the
// conditions walks an index in the order of the page.
func (s *Store) List(ctx context.Context, f journal.Filter) (journal.RunPage, error) {
	before := int64(math.MaxInt64)
	if f.Cursor != "" {
		n, err := strconv.ParseInt(f.Cursor, 36, 64)
		if err != nil || n < 1 {
			return journal.RunPage{}, fault.New(fault.BadValue, "cursor", "cursor %q is not one that a page gave", f.Cursor)
		}
		before = n
	}
	limit := pageSize
	if f.Limit > 0 {
		limit = min(f.Limit, pageMax)
	}
	statuses := slices.Compact(slices.Sorted(slices.Values(f.Status)))
	if len(statuses) == 0 {
		statuses = []string{""}
	}
	// One walk per status, merged: an index can be walked in order for one status at a time.
	var all []info
	for _, status := range statuses {
		page, err := s.walk(ctx, selection{f.Line, status, f.Labels, f.Summary}, before, limit+1)
		if err != nil {
			return journal.RunPage{}, err
		}
		all = append(all, page...)
	}
	slices.SortFunc(all, func(a, b info) int { return cmp.Compare(b.n, a.n) })
	var page journal.RunPage
	if len(all) > limit {
		all = all[:limit]
		page.Next = strconv.FormatInt(all[limit-1].n, 36)
	}
	for _, i := range all {
		page.Runs = append(page.Runs, i.RunInfo)
	}
	return page, nil
}

// selection is a filter with one status at most.
type selection struct {
	line, status string
	labels       map[string]string
	summary      map[string]string
}

// walk reads the runs of a selection in order, along the index that selects least.
func (s *Store) walk(ctx context.Context, sel selection, before int64, limit int) ([]info, error) {
	lead, err := s.lead(ctx, sel)
	if err != nil {
		return nil, err
	}
	var q strings.Builder
	var args []any
	q.WriteString("SELECT " + infoColumns + " FROM ")
	if lead == "" {
		q.WriteString("run r WHERE r.n < ?")
		args = append(args, before)
	} else {
		// CROSS JOIN keeps SQLite from reversing the order of the walk.
		q.WriteString("run_label l CROSS JOIN run r ON r.n = l.run WHERE l.key = ? AND l.value = ? AND l.run < ?")
		args = append(args, lead, sel.labels[lead], before)
	}
	sel.conditions(&q, &args)
	for _, k := range slices.Sorted(maps.Keys(sel.labels)) {
		if k != lead {
			q.WriteString(" AND EXISTS (SELECT 1 FROM run_label x WHERE x.key = ? AND x.value = ? AND x.run = r.n)")
			args = append(args, k, sel.labels[k])
		}
	}
	if lead == "" {
		q.WriteString(" ORDER BY r.n DESC LIMIT ?")
	} else {
		q.WriteString(" ORDER BY l.run DESC LIMIT ?")
	}
	return collect(ctx, s, q.String(), append(args, limit), readInfo)
}

func (sel selection) conditions(q *strings.Builder, args *[]any) {
	if sel.line != "" {
		q.WriteString(" AND r.line = ?")
		*args = append(*args, sel.line)
	}
	if sel.status != "" {
		q.WriteString(" AND r.status = ?")
		*args = append(*args, sel.status)
	}
	for _, field := range slices.Sorted(maps.Keys(sel.summary)) {
		// A run without a summary has none of its fields; JSON functions refuse what is no JSON.
		q.WriteString(" AND json_extract(CASE WHEN json_valid(r.summary) THEN r.summary END, ?) = ?")
		*args = append(*args, "$."+strconv.Quote(field), sel.summary[field])
	}
}

// lead names the label that selects the fewest runs, or nothing if line and status select fewer. It counts no further
// than probe rows: beyond that a page fills soon.
func (s *Store) lead(ctx context.Context, sel selection) (string, error) {
	if len(sel.labels) == 0 {
		return "", nil
	}
	fewest, lead := math.MaxInt, ""
	try := func(name, query string, args []any) error {
		n, _, err := one(ctx, s, "SELECT count(*) FROM ("+query+" LIMIT ?)", append(args, probe),
			func(r scanner) (n int, err error) {
				err = r.Scan(&n)
				return n, err
			})
		if err == nil && n < fewest {
			fewest, lead = n, name
		}
		return err
	}
	if len(sel.labels) == 1 && sel.line == "" && sel.status == "" {
		for k := range sel.labels {
			return k, nil
		}
	}
	for _, k := range slices.Sorted(maps.Keys(sel.labels)) {
		err := try(k, "SELECT 1 FROM run_label WHERE key = ? AND value = ?", []any{k, sel.labels[k]})
		if err != nil {
			return "", err
		}
	}
	if sel.line == "" && sel.status == "" {
		return lead, nil
	}
	var q strings.Builder
	var args []any
	q.WriteString("SELECT 1 FROM run r WHERE true")
	sel.conditions(&q, &args)
	return lead, try("", q.String(), args)
}
