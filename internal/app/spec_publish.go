package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"

	"sluice/internal/digest"
	"sluice/internal/engine"
	"sluice/internal/fault"
	"sluice/internal/journal"
	"sluice/internal/kernel"
	"sluice/internal/line/spec"
	"sluice/internal/line/spec/ledger"
)

// Publisher brings versions to targets outside and keeps the ledger.
type Publisher interface {
	Targets() []string
	// DryRun says what Publish would do, and does none of it.
	DryRun(ctx context.Context, target string, r ledger.Request) (ledger.Preview, error)
	// Publish gives the record also of what failed, together with the error; without an id nothing was sent.
	Publish(ctx context.Context, target string, r ledger.Request) (ledger.Record, error)
	// Records gives the ledger: of a feature, or all of it.
	Records(ctx context.Context, feature string) ([]ledger.Record, error)
}

// LedgerPath is where the ledger is shown.
const LedgerPath = "ledger/records.json"

// PreviewSpec says what publishing the version that was decided on would do, with the exact fields.
func (a *App) PreviewSpec(ctx context.Context, feature, target string) (ledger.Preview, error) {
	_, req, err := a.publishing(ctx, feature)
	if err != nil {
		return ledger.Preview{}, err
	}
	return a.Publisher.DryRun(ctx, target, req)
}

// PublishSpec brings the version on which go was decided to a target. The step is recorded when its outcome is known, in
// one commit: a process that dies before leaves the ledger, and publishing again finds what it did.
func (a *App) PublishSpec(ctx context.Context, feature, target string) (ledger.Record, error) {
	r, req, err := a.publishing(ctx, feature)
	if err != nil {
		return ledger.Record{}, err
	}
	began, at := a.stamp(), spec.Current(r)
	req.Still = func() error { // while others publish, the decision may become another
		now, err := a.feature(ctx, feature)
		if err == nil {
			_, err = spec.Publishable(now, req.Spec.Meta.SpecVersion)
		}
		return err
	}
	rec, failed := a.Publisher.Publish(ctx, target, req)
	if rec.LedgerID == "" {
		switch fault.CodeOf(failed) {
		case fault.BadValue, fault.BadConfig, fault.LeaseHeld, fault.IllegalStep, fault.StaleVerdict:
			return rec, failed // no such target, none set up, no longer waited for or no longer meant: nothing was begun
		}
	}
	keep := context.WithoutCancel(ctx) // what stands outside is recorded, whoever still waits
	// The file comes first: a process that dies here leaves the feature unpublished, and publishing again writes it anew.
	shown := a.WriteLedger(keep)
	p := spec.Publication{At: at, Target: target, By: began.By, Began: began.At, Ended: a.stamp().At}
	if r, err = a.recordPublish(keep, r.ID(), p, rec, failed); err != nil || shown != nil {
		return rec, errors.Join(err, shown)
	}
	if failed != nil && a.ErrorLog != nil {
		f := *fault.From(failed)
		f.LogPath = a.ErrorLog(a.Now())
		return rec, &f
	}
	if failed == nil {
		failed = spec.StillGo(r, at, target)
	}
	return rec, failed
}

// publishing finds the version to publish, or refuses.
func (a *App) publishing(ctx context.Context, feature string) (*kernel.Run, ledger.Request, error) {
	r, err := a.feature(ctx, feature)
	if err != nil {
		return nil, ledger.Request{}, err
	}
	version, err := spec.Publishable(r, "")
	if err != nil {
		return nil, ledger.Request{}, err
	}
	s, err := a.ShowSpec(ctx, feature, version)
	return r, ledger.Request{Spec: s}, err
}

// recordPublish writes the step into the feature's journal, in one commit.
func (a *App) recordPublish(ctx context.Context, run kernel.RunID, p spec.Publication, rec ledger.Record, failed error) (*kernel.Run, error) {
	for _, e := range rec.Errors {
		if e.Final == spec.Recovered {
			p.Errors = append(p.Errors, stepError(e))
		}
	}
	var err error
	if failed == nil {
		p.Result, err = json.Marshal(rec)
	} else {
		p.Failure = finalError(rec, failed)
		p.Log, err = a.nextID(ctx, spec.SeriesEvidence)
	}
	if err != nil {
		return nil, err
	}
	return a.Engine.DoWish(ctx, run, func(l engine.Look) ([]engine.Act, error) {
		commands, body, err := p.Record(l.Run())
		var acts []engine.Act
		for _, c := range commands {
			act := engine.Act{Command: c}
			if _, ok := c.(kernel.Deliver); ok {
				act.Blobs = []journal.Blob{{Digest: digest.Of(body), Body: body}}
			}
			acts = append(acts, act)
		}
		return acts, err
	})
}

// finalError is the last error of the target, or what was refused before any call.
func finalError(rec ledger.Record, failed error) *kernel.StepError {
	if n := len(rec.Errors); n > 0 && rec.Errors[n-1].Final == spec.GaveUp {
		e := stepError(rec.Errors[n-1])
		return &e
	}
	return &kernel.StepError{Code: string(fault.CodeOf(failed)), Message: failed.Error(), Class: kernel.Permanent, Final: true}
}

func stepError(e spec.StepFailure) kernel.StepError {
	class := kernel.Permanent
	if e.Retryable {
		class = kernel.Retryable
	}
	return kernel.StepError{Code: e.ErrorCode, Message: e.Message, Class: class, Retries: e.RetryCount, Final: e.Final == spec.GaveUp}
}

// LedgerDoc is the ledger as its file shows it.
type LedgerDoc struct {
	Records []ledger.Record `json:"records"`
}

// LedgerFile is what the file of the ledger should hold; nothing while nothing was published.
func (a *App) LedgerFile(ctx context.Context) ([]byte, error) {
	all, err := a.Publisher.Records(ctx, "")
	if err != nil || len(all) == 0 {
		return nil, err
	}
	body, err := json.MarshalIndent(LedgerDoc{all}, "", "  ")
	return append(body, '\n'), err
}

// WriteLedger shows the ledger as it stands. Processes that publish at once may write one after another what they read one
// before another: so it is read again after it was written, until both are the same.
func (a *App) WriteLedger(ctx context.Context) error {
	var written []byte
	for {
		body, err := a.LedgerFile(ctx)
		if err != nil || bytes.Equal(body, written) {
			return err
		}
		if err := a.Writer.Write(LedgerPath, body, 0o644); err != nil {
			return err
		}
		written = body
	}
}
