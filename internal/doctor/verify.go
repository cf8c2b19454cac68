package doctor

import (
	"context"

	"sluice/internal/digest"
	"sluice/internal/fault"
	"sluice/internal/journal"
	"sluice/internal/kernel"
)

// Verify checks one run against what the store holds of it: chain, digests, law, approvals and projections. Damage is a
// finding; an error means that it could not be looked at.
func Verify(ctx context.Context, s Store, id kernel.RunID) (Report, error) {
	if _, err := s.Run(ctx, string(id)); fault.CodeOf(err) == fault.UnknownRun {
		return Report{}, err
	}
	rep, _, err := verifyRun(ctx, s, string(id), definitions{})
	return rep.sorted(), err
}

// VerifyAll checks every run, one after the other, and holds no more than one at a time. progress may be nil.
func VerifyAll(ctx context.Context, s Store, progress func(done, total int)) (Report, error) {
	var all Report
	known := definitions{}
	err := eachRun(ctx, s, progress, func(id string) error {
		rep, _, err := verifyRun(ctx, s, id, known)
		all.merge(rep)
		return err
	})
	return all.sorted(), err
}

const pageSize = 500

// eachRun walks the runs page by page.
func eachRun(ctx context.Context, s Store, progress func(done, total int), do func(id string) error) error {
	total := 0
	if progress != nil {
		err := eachPage(ctx, s, func(page []journal.RunInfo) error { total += len(page); return nil })
		if err != nil {
			return err
		}
		progress(0, total)
	}
	done := 0
	return eachPage(ctx, s, func(page []journal.RunInfo) error {
		for _, r := range page {
			if err := ctx.Err(); err != nil {
				return fault.Wrap(fault.Interrupted, r.ID, err, "checking the runs was interrupted")
			}
			if err := do(r.ID); err != nil {
				return err
			}
			if done++; progress != nil {
				progress(done, max(done, total))
			}
		}
		return nil
	})
}

func eachPage(ctx context.Context, s Store, do func([]journal.RunInfo) error) error {
	f := journal.Filter{Limit: pageSize}
	for {
		page, err := s.List(ctx, f)
		if err != nil {
			return err
		}
		if err := do(page.Runs); err != nil || page.Next == "" {
			return err
		}
		f.Cursor = page.Next
	}
}

// verifier checks one run.
type verifier struct {
	store  Store
	run    string
	known  definitions
	report Report
}

// verifyRun also gives the run as its journal folds, or nil if that cannot be told.
func verifyRun(ctx context.Context, s Store, id string, known definitions) (Report, *kernel.Run, error) {
	v := &verifier{store: s, run: id, known: known, report: Report{Runs: 1}}
	shot, err := v.shoot(ctx)
	if err != nil {
		return v.report, nil, v.tolerate(err)
	}
	run, events, err := v.walk(ctx, shot.batches)
	if err != nil || run == nil {
		return v.report, nil, err
	}
	v.law(run, events)
	if err := v.definition(ctx, run.Definition()); err != nil {
		return v.report, nil, err
	}
	if !shot.still {
		v.find(Finding{Code: RunMoving, Severity: Note, Message: "the run went on while it was checked; its rows were not compared",
			Command: "sluice verify " + id})
		return v.report, nil, nil
	}
	v.head(run, shot.head)
	v.asks(run, shot.asks)
	return v.report, run, nil
}

// snapshot is a run as the store has it at one moment.
type snapshot struct {
	head    journal.RunInfo
	batches []journal.Stored
	asks    []journal.Ask
	still   bool // nothing was appended between the first and the last look
}

// shoot reads a run. Another process may append meanwhile: then it is read again, a few times.
func (v *verifier) shoot(ctx context.Context) (snapshot, error) {
	const tries = 5
	var s snapshot
	for range tries {
		before, err := v.store.Run(ctx, v.run)
		if err != nil {
			return s, err
		}
		if s.batches, err = v.store.Load(ctx, v.run, 0); err != nil {
			return s, err
		}
		if s.asks, err = v.store.Asks(ctx, v.run, false); err != nil {
			return s, err
		}
		if s.head, err = v.store.Run(ctx, v.run); err != nil {
			return s, err
		}
		if s.still = before.Seq == s.head.Seq; s.still {
			break
		}
	}
	return s, nil
}

func (v *verifier) find(f Finding) {
	f.Run = v.run
	v.report.add(f)
}

// tolerate turns what the store says about its own damage into a finding.
func (v *verifier) tolerate(err error) error {
	if fault.CodeOf(err) != fault.StoreCorrupt {
		return err
	}
	v.find(Finding{Code: StoreUnreadable, Severity: Error, Message: err.Error(), Hint: backupHint})
	return nil
}

const backupHint = "what is stored is damaged; bring the store back from a copy"

// definitions remembers which definitions were looked at and what was found.
type definitions map[digest.Digest]Finding

// definition checks that the line's definition that the run began with is kept.
func (v *verifier) definition(ctx context.Context, d digest.Digest) error {
	if d == "" { // a line without one
		return nil
	}
	f, ok := v.known[d]
	if !ok {
		body, err := v.store.Definition(ctx, d)
		switch code := fault.CodeOf(err); {
		case code == fault.NotFound:
			f = Finding{Code: DefinitionMissing, Message: "definition " + d.Short() + " is not in the store"}
		case code == fault.StoreCorrupt:
			f = Finding{Code: DefinitionDamaged, Message: err.Error()}
		case err != nil:
			return err
		case digest.Of(body) != d:
			f = Finding{Code: DefinitionDamaged, Message: "definition " + d.Short() + " hashes to " + digest.Of(body).Short()}
		}
		f.Severity, f.Hint = Error, backupHint
		v.known[d] = f
	}
	if f.Code != "" {
		v.find(f)
	}
	return nil
}
