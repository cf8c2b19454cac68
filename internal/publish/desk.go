package publish

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"sluice/internal/fault"
	"sluice/internal/journal"
	"sluice/internal/line/spec"
	"sluice/internal/line/spec/ledger"
)

// Ledger is where claims and records are kept, for all processes of a workspace.
type Ledger interface {
	// Claim refuses with lease_held while a living process has the place.
	Claim(ctx context.Context, place, key string) (journal.Claim, error)
	// Settle writes entries and ends the claim in one commit.
	Settle(ctx context.Context, c journal.Claim, entries ...journal.Entry) error
	Entries(ctx context.Context, f journal.EntryFilter) ([]journal.Entry, error)
	// Reserve gives the first of the next n numbers of a series.
	Reserve(ctx context.Context, series string, n int64) (int64, error)
	// Identity names the workspace among others that publish to the same targets.
	Identity(ctx context.Context) (string, error)
}

// Options adjusts a desk. The zero value is what a user gets.
type Options struct {
	Now   func() time.Time
	Retry RetryOptions
	Poll  time.Duration // between looks at a claim that somebody else has; 50 ms
}

// Desk publishes versions. It is safe for concurrent use, also by several processes.
type Desk struct {
	ledger  Ledger
	targets []Target
	o       Options
}

// NewDesk makes a desk with targets.
func NewDesk(ledger Ledger, o Options, targets ...Target) *Desk {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Poll <= 0 {
		o.Poll = 50 * time.Millisecond
	}
	if o.Retry == (RetryOptions{}) {
		o.Retry = DefaultRetry()
	}
	return &Desk{ledger: ledger, targets: targets, o: o}
}

// Targets names what there is to publish to.
func (d *Desk) Targets() []string {
	var names []string
	for _, t := range d.targets {
		names = append(names, t.Name())
	}
	return names
}

func (d *Desk) target(name string) (Target, error) {
	for _, t := range d.targets {
		if t.Name() == name {
			return t, nil
		}
	}
	return nil, fault.New(fault.BadValue, "--target", "there is no target %q; configured are %s", name, strings.Join(d.Targets(), ", ")).With(
		fault.Action{Action: "look at the settings", Command: "sluice config show"})
}

// DryRun says what Publish would do, with the exact fields, and does none of it.
func (d *Desk) DryRun(ctx context.Context, target string, r ledger.Request) (ledger.Preview, error) {
	t, p, err := d.prepare(ctx, target, r)
	if err != nil {
		return ledger.Preview{}, err
	}
	active, err := d.active(ctx, p.Feature, t.Name(), 1)
	if err != nil {
		return ledger.Preview{}, err
	}
	return ledger.Preview{FeatureID: p.Feature, Target: t.Name(), SpecVersion: p.Version, IdempotencyKey: p.Key,
		MappingVersion: p.MappingVersion, Fields: p.Fields, Plan: ledger.Decide(active, p.Key, "")}, nil
}

// prepare finds the target and what it would be sent.
func (d *Desk) prepare(ctx context.Context, target string, r ledger.Request) (Target, Payload, error) {
	t, err := d.target(target)
	if err != nil {
		return nil, Payload{}, err
	}
	if r.Origin == "" {
		if r.Origin, err = d.ledger.Identity(ctx); err != nil {
			return nil, Payload{}, err
		}
	}
	p, err := t.Prepare(r)
	return t, p, err
}

// Publish brings the version to the target and gives its ledger record. It waits while another process publishes the same
// feature there. Where the target gives up, the record says so and is given together with the error.
func (d *Desk) Publish(ctx context.Context, target string, r ledger.Request) (ledger.Record, error) {
	t, p, err := d.prepare(ctx, target, r)
	if err != nil {
		return ledger.Record{}, err
	}
	claim, err := d.claim(ctx, ledger.Place(p.Feature, target), p.Key)
	if err != nil {
		return ledger.Record{}, err
	}
	var rec ledger.Record
	var rows []journal.Entry
	failure := still(r)
	if failure == nil {
		rec, rows, failure = d.settled(ctx, t, p, claim)
	}
	// Whatever stands outside now is recorded, also when the caller no longer waits.
	keep := context.WithoutCancel(ctx)
	if err := d.ledger.Settle(keep, claim, rows...); err != nil {
		return rec, errors.Join(err, failure)
	}
	return rec, failure
}

// still tells whether a request is meant as it was made.
func still(r ledger.Request) error {
	if r.Still == nil {
		return nil
	}
	return r.Still()
}

// claim waits for its turn. There is no time limit: a place is held by a living process, and that one says what it does.
func (d *Desk) claim(ctx context.Context, place, key string) (journal.Claim, error) {
	for {
		c, err := d.ledger.Claim(ctx, place, key)
		if fault.CodeOf(err) != fault.LeaseHeld {
			return c, err
		}
		if !sleep(ctx, d.o.Poll) {
			return c, err
		}
	}
}

// settled does what must be done and gives the rows that say it.
func (d *Desk) settled(ctx context.Context, t Target, p Payload, claim journal.Claim) (ledger.Record, []journal.Entry, error) {
	active, err := d.active(ctx, p.Feature, t.Name(), 1)
	if err != nil {
		return ledger.Record{}, nil, err
	}
	now := d.o.Now().UTC()
	series := spec.LedgerSeries(now)
	n, err := d.ledger.Reserve(ctx, series, 1) // before the call: without an id there would be nothing to record it under
	if err != nil {
		return ledger.Record{}, nil, err
	}
	rec := ledger.Record{LedgerID: spec.ID(series, n), FeatureID: p.Feature, Target: t.Name(), SpecVersion: p.Version, IdempotencyKey: p.Key,
		Status: ledger.Active, FieldMapSnapshot: p.Fields, MappingVersion: p.MappingVersion, Errors: []spec.StepFailure{}}
	plan := ledger.Decide(active, p.Key, claim.After)
	rec.Operation, rec.ExternalID = plan.Operation, plan.ExternalID
	var failure error
	if plan.Operation != ledger.Noop {
		if active, err = d.active(ctx, p.Feature, t.Name(), 0); err != nil { // all that it supersedes
			return ledger.Record{}, nil, err
		}
		done := d.perform(ctx, t, p, plan)
		rec.Operation, rec.ExternalID = done.Operation, done.ExternalID
		if rec.Errors = done.failures; done.err != nil {
			rec.Status, failure = ledger.Failed, gaveUp(t.Name(), p, done)
		}
	}
	now = d.o.Now().UTC()
	rec.PublishedAt = now.Format(time.RFC3339)
	var rows []journal.Entry
	for _, r := range ledger.Replace(active, rec) {
		row, err := entryOf(r, now)
		if err != nil {
			return rec, nil, err
		}
		rows = append(rows, row)
	}
	return rec, rows, failure
}

func gaveUp(target string, p Payload, done outcome) error {
	next := fault.Action{Action: "publish again", Command: "sluice spec publish " + p.Feature + " --target " + target,
		Why: "nothing is created twice"}
	switch done.err.Code {
	case Auth, Forbidden, Rejected:
		return fault.New(fault.PublishFailed, target, "version %s was not published to %s: %s", p.Version, target, done.err).With(
			fault.Action{Action: "look at the settings", Command: "sluice config show"},
			fault.Action{Action: next.Action, Command: next.Command, Why: next.Why, After: "look at the settings"})
	}
	return fault.New(fault.PublishFailed, target, "version %s was not published to %s after %d retries: %s", p.Version, target, done.retries,
		done.err).With(next)
}

// Records gives the ledger, oldest first: of a feature, or all of it.
func (d *Desk) Records(ctx context.Context, feature string) ([]ledger.Record, error) {
	return d.records(ctx, journal.EntryFilter{Feature: feature})
}

// active gives the active records of a place: the newest few, or all of them for 0.
func (d *Desk) active(ctx context.Context, feature, target string, newest int) ([]ledger.Record, error) {
	return d.records(ctx, journal.EntryFilter{Feature: feature, Target: target, Status: string(ledger.Active), Newest: newest})
}

func (d *Desk) records(ctx context.Context, f journal.EntryFilter) ([]ledger.Record, error) {
	entries, err := d.ledger.Entries(ctx, f)
	if err != nil {
		return nil, err
	}
	all := make([]ledger.Record, 0, len(entries))
	for _, e := range entries {
		r, err := recordOf(e)
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return slices.Clip(all), nil
}
