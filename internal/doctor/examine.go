package doctor

import (
	"context"
	"fmt"

	"sluice/internal/fault"
	"sluice/internal/journal"
)

// Workspace is a store with the files and drivers around it.
type Workspace struct {
	Store  Store
	Rows   Rows
	Files  Files
	Leases Leases // nil: drivers are not looked at
	Tables Tables // nil: tables are not looked at
	Shown  Shown  // nil: rows of lists and of the inbox are not put right
	Copies []Copy // files that belong to no run
}

// Examine verifies every run and compares its checkouts with the disk. It changes nothing. progress may be nil.
func (w Workspace) Examine(ctx context.Context, progress func(done, total int)) (Report, error) {
	var all Report
	known := definitions{}
	err := eachRun(ctx, w.Store, progress, func(id string) error {
		rep, run, err := verifyRun(ctx, w.Store, id, known)
		all.merge(rep)
		if err == nil && w.Tables != nil && run != nil {
			err = w.tables(ctx, run, &all)
		}
		if err != nil {
			return err
		}
		edits, err := w.Files.Scan(ctx, id)
		for _, e := range edits {
			all.add(differing(e))
		}
		if code := fault.CodeOf(err); code == fault.BadPath || code == fault.NoPermission {
			all.add(Finding{Code: FileUnreadable, Severity: Warning, Run: id, Path: fault.From(err).Subject,
				Message: fmt.Sprintf("files of the run were not all compared: %v", err)})
			return nil
		}
		return err
	})
	if err != nil {
		return all.sorted(), err
	}
	if err := w.copies(ctx, &all); err != nil {
		return all.sorted(), err
	}
	unwritten, err := w.Rows.Unwritten(ctx)
	for _, row := range unwritten {
		all.add(Finding{Code: FileUnwritten, Severity: Warning, Run: row.Run, Node: row.Node, Path: row.Path, Repairable: true,
			Message: fmt.Sprintf("file %s was recorded and not brought in place", row.Path), Command: repairCommand})
	}
	if err != nil || w.Leases == nil {
		return all.sorted(), err
	}
	leases, err := w.Leases.DeadLeases(ctx)
	for _, l := range leases {
		all.add(Finding{Code: DriverGone, Severity: Note, Run: l.Run,
			Message: fmt.Sprintf("driver %s worked on the run and ended; nothing that was recorded is lost", l.Driver),
			Command: "sluice resume " + l.Run})
	}
	return all.sorted(), err
}

// differing says what a file that does not show its row means, and whether putting it back is safe.
func differing(e journal.Edit) Finding {
	f := Finding{Run: e.Row.Run, Node: e.Row.Node, Path: e.Row.Path, Severity: Warning}
	missing := e.Kind == journal.Vanished || e.Digest == ""
	if missing || e.Row.Role == journal.Kept {
		f.Repairable, f.Command = true, repairCommand
	}
	switch {
	case missing:
		f.Code, f.Message = FileMissing, fmt.Sprintf("file %s is not there", e.Row.Path)
		if e.Row.Role == journal.Working {
			f.Hint = "unless it is brought back, its step is done again"
		}
	case e.Row.Role == journal.Kept:
		f.Code, f.Severity = FileDamaged, Error
		f.Message = fmt.Sprintf("file %s shows %s and its record is %s", e.Row.Path, e.Digest.Short(), e.Row.Digest.Short())
	case e.Row.Role == journal.Working:
		f.Code, f.Severity, f.Command = FileEdited, Note, "sluice status "+e.Row.Run
		f.Message = fmt.Sprintf("file %s was edited; the edit is taken over when the run is next used", e.Row.Path)
	default:
		f.Code, f.Command = StateChanged, "sluice status "+e.Row.Run
		f.Message = fmt.Sprintf("file %s shows another state than the journal; its line decides what that means", e.Row.Path)
	}
	return f
}
