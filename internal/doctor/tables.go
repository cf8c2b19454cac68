package doctor

import (
	"bytes"
	"context"
	"fmt"

	"sluice/internal/fault"
	"sluice/internal/journal"
	"sluice/internal/kernel"
)

// tables compares the rows that SQL clients read of a run with those that its journal gives. One finding tells of them
// all: they are written anew together.
func (w Workspace) tables(ctx context.Context, run *kernel.Run, all *Report) error {
	id := string(run.ID())
	want, err := w.Tables.DeriveRows(ctx, run)
	switch fault.CodeOf(err) {
	case fault.UnknownLine, fault.StoreCorrupt, fault.NotFound: // which is told of elsewhere, or nothing to be done about here
		return nil
	}
	if err != nil {
		return err
	}
	shown, err := w.Tables.Rows(ctx, id)
	if err != nil {
		return err
	}
	if now, err := w.Store.Run(ctx, id); err != nil || now.Seq != run.Seq() {
		return err // it went on meanwhile
	}
	if what := rowDifference(shown, want); what != "" {
		all.add(Finding{Code: RowsDiffer, Severity: Warning, Run: id, Repairable: true, Command: repairCommand,
			Message: "SQL clients read other rows than the journal gives: " + what})
	}
	return nil
}

// rowDifference counts how rows differ and names one of them, or gives nothing.
func rowDifference(shown, want []journal.Row) string {
	type place struct{ table, key string }
	there := make(map[place][]byte, len(shown))
	for _, r := range shown {
		there[place{r.Table, r.Key}] = r.Body
	}
	missing, differing, first := 0, 0, ""
	note := func(r place) {
		if first == "" {
			first = fmt.Sprintf("%s %s", r.table, r.key)
		}
	}
	for _, r := range want {
		if r.Key == "" {
			continue
		}
		at := place{r.Table, r.Key}
		body, ok := there[at]
		delete(there, at)
		switch {
		case !ok:
			missing++
			note(at)
		case !bytes.Equal(body, r.Body):
			differing++
			note(at)
		}
	}
	for _, r := range shown {
		if _, stray := there[place{r.Table, r.Key}]; stray {
			note(place{r.Table, r.Key})
		}
	}
	if missing+differing+len(there) == 0 {
		return ""
	}
	return fmt.Sprintf("%d missing, %d different, %d stray, among them %s", missing, differing, len(there), first)
}
