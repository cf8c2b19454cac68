package doctor

import (
	"context"
	"fmt"
	"slices"

	"sluice/internal/fault"
	"sluice/internal/journal"
	"sluice/internal/kernel"
)

// Repair puts right what the report marks as repairable. It brings back missing files, damaged records and checkouts
// that were never completed; a file that a person wrote meanwhile stays. The report it gives holds what is left as
// findings and what was put right as repaired.
func (w Workspace) Repair(ctx context.Context, found Report) (Report, error) {
	out := found
	out.Findings, out.Repaired = nil, append([]Finding(nil), found.Repaired...)
	unwritten, err := w.recover(ctx, found)
	if err != nil {
		return found, err
	}
	shown := map[string]error{}
	for i, f := range found.Findings {
		if err := ctx.Err(); err != nil {
			out.Findings = append(out.Findings, found.Findings[i:]...)
			return out.sorted(), fault.Wrap(fault.Interrupted, f.Run, err, "the repair was interrupted")
		}
		switch {
		case !f.Repairable:
			out.add(f)
		case f.Code == FileUnwritten && unwritten[f.Path] != "":
			f.Repairable, f.Command, f.Hint = false, "", unwritten[f.Path]
			out.add(f)
		case f.Code == FileUnwritten:
			out.Repaired = append(out.Repaired, f)
		case isShown(f.Code):
			if err := w.putShown(ctx, f.Run, found, shown); err != nil {
				f.Hint = err.Error()
				out.add(f)
				continue
			}
			out.Repaired = append(out.Repaired, f)
		case f.Code == RowsDiffer:
			if err := w.Tables.RewriteRows(ctx, kernel.RunID(f.Run)); err != nil {
				f.Hint = err.Error()
				out.add(f)
				continue
			}
			out.Repaired = append(out.Repaired, f)
		default:
			if done, err := w.recopy(ctx, f); done && err == nil {
				out.Repaired = append(out.Repaired, f)
				continue
			}
			after, err := w.restore(ctx, f)
			if err != nil {
				f.Hint = err.Error()
				out.add(f)
				continue
			}
			if after.Code != "" {
				out.add(after)
				continue
			}
			f.Hint = after.Hint
			out.Repaired = append(out.Repaired, f)
		}
	}
	return out.sorted(), nil
}

// recover completes unwritten checkouts if any were found, and gives the paths that are not written still, each with
// the reason. A file that fails does not keep the others from their places.
func (w Workspace) recover(ctx context.Context, found Report) (map[string]string, error) {
	if !slices.ContainsFunc(found.Findings, func(f Finding) bool { return f.Code == FileUnwritten }) {
		return nil, nil
	}
	edits, failure := w.Files.Recover(ctx)
	rows, err := w.Rows.Unwritten(ctx)
	if err != nil {
		return nil, err
	}
	left := make(map[string]string, len(rows))
	for _, row := range rows {
		left[row.Path] = "its content was recorded anew meanwhile"
		if failure != nil {
			left[row.Path] = failure.Error()
		}
	}
	for _, e := range edits {
		if _, still := left[e.Row.Path]; still {
			left[e.Row.Path] = "the file there is a person's; it is taken over when the run is next used"
		}
	}
	return left, nil
}

// restore puts one file back, after a look whether that is still safe. It gives what is wrong with the file afterwards,
// or a finding without a code.
func (w Workspace) restore(ctx context.Context, f Finding) (Finding, error) {
	edits, err := w.Files.Scan(ctx, f.Run, f.Path)
	if err != nil || len(edits) == 0 {
		return Finding{}, err
	}
	if now := differing(edits[0]); !now.Repairable {
		return now, nil
	}
	replaced, err := w.Files.Restore(ctx, false, edits[0].Row)
	if err != nil {
		return Finding{}, err
	}
	if edits, err = w.Files.Scan(ctx, f.Run, f.Path); err != nil {
		return Finding{}, err
	}
	if len(edits) > 0 {
		return differing(edits[0]), nil
	}
	return Finding{Hint: keptAt(replaced)}, nil
}

func keptAt(edits []journal.Edit) string {
	for _, e := range edits {
		if e.Kept != "" {
			return fmt.Sprintf("what it showed is kept at %s", e.Kept)
		}
	}
	return ""
}
