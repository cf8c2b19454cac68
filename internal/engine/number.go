package engine

import (
	"context"

	"sluice/internal/fault"
	"sluice/internal/journal"
	"sluice/internal/kernel"
	"sluice/internal/line"
)

// reserve gives the next number of each series, as often as it is named, in the order of the names.
func (e *Engine) reserve(ctx context.Context, series []string) ([]int64, error) {
	if len(series) == 0 {
		return nil, nil
	}
	if e.Counter == nil {
		return nil, fault.New(fault.BadNode, series[0], "a step wants a number of series %s, and nothing here counts", series[0])
	}
	many := map[string]int64{}
	for _, s := range series {
		many[s]++
	}
	next := map[string]int64{}
	numbers := make([]int64, len(series))
	for i, s := range series {
		if _, known := next[s]; !known {
			first, err := e.Counter.Reserve(ctx, s, many[s])
			if err != nil {
				return nil, err
			}
			next[s] = first
		}
		numbers[i] = next[s]
		next[s]++
	}
	return numbers, nil
}

// records gives the rows of files that show what happened in this turn.
func (t *turn) records(ctx context.Context) ([]journal.Checkout, error) {
	if t.line.Records == nil {
		return nil, nil
	}
	files, err := t.line.Records(line.Happened{Run: t.run, Events: t.events,
		Body: func(v *kernel.Version) ([]byte, error) { return t.body(ctx, v) }})
	if err != nil {
		return nil, err
	}
	var rows []journal.Checkout
	for _, f := range files {
		more, err := t.fileRows(ctx, "", f)
		if err != nil {
			return nil, err
		}
		rows = append(rows, more...)
	}
	return rows, nil
}
