package app

import (
	"context"

	"sluice/internal/fault"
	"sluice/internal/journal"
	"sluice/internal/kernel"
	"sluice/internal/line/spec"
)

// featureOf finds a feature by its own id or by that of one of its runs. pass is 0 where the whole feature is meant.
func (a *App) featureOf(ctx context.Context, given string) (r *kernel.Run, pass int, err error) {
	run, err := spec.ParseRunID(given)
	if err != nil {
		r, err = a.feature(ctx, given)
		return r, 0, err
	}
	page, err := a.Store.List(ctx, journal.Filter{Line: spec.Name, Labels: map[string]string{run: spec.LabelRun}, Limit: 1})
	if err != nil {
		return nil, 0, err
	}
	if len(page.Runs) == 0 {
		return nil, 0, fault.New(fault.UnknownRun, run, "there is no run %s", run).
			With(fault.Action{Action: "list", Command: "sluice spec list", Why: "it shows the features there are"})
	}
	if r, err = a.load(ctx, page.Runs[0].ID); err != nil {
		return nil, 0, err
	}
	return r, spec.PassOf(r, run), nil
}

// past reads everything that was recorded of a feature.
func (a *App) past(ctx context.Context, r *kernel.Run) (spec.Past, error) {
	p := spec.Past{Run: r, Body: a.bodies(ctx, r)}
	batches, err := a.Engine.Journal.Load(ctx, string(r.ID()), 0)
	if err != nil {
		return p, err
	}
	for _, b := range batches {
		if b.Last > r.Seq() { // appended since the run was loaded
			break
		}
		events, err := kernel.Decode(b.Events)
		if err != nil {
			return p, err
		}
		p.Events = append(p.Events, events...)
	}
	return p, nil
}

// SpecSnapshotsDoc lists the steps of a feature.
type SpecSnapshotsDoc struct {
	FeatureID string               `json:"feature_id"`
	Snapshots []spec.ShownSnapshot `json:"snapshots"`
}

// SpecSnapshots gives the snapshots of a feature, or of one of its runs.
func (a *App) SpecSnapshots(ctx context.Context, featureOrRun string) (SpecSnapshotsDoc, error) {
	r, pass, err := a.featureOf(ctx, featureOrRun)
	if err != nil {
		return SpecSnapshotsDoc{}, err
	}
	p, err := a.past(ctx, r)
	if err != nil {
		return SpecSnapshotsDoc{}, err
	}
	all, err := p.Snapshots(pass)
	return SpecSnapshotsDoc{string(r.ID()), orEmpty(all)}, err
}

// SpecEvidenceDoc lists the evidence of a feature.
type SpecEvidenceDoc struct {
	FeatureID string          `json:"feature_id"`
	Evidence  []spec.Evidence `json:"evidence"`
}

// SpecEvidence gives every piece of evidence of a feature.
func (a *App) SpecEvidence(ctx context.Context, feature string) (SpecEvidenceDoc, error) {
	r, err := a.feature(ctx, feature)
	if err != nil {
		return SpecEvidenceDoc{}, err
	}
	p, err := a.past(ctx, r)
	return SpecEvidenceDoc{string(r.ID()), p.Evidence()}, err
}

// TraceSpec says where the value of a field came from: which version, step, evidence, answer and person.
func (a *App) TraceSpec(ctx context.Context, feature, path, version string) (spec.Trace, error) {
	r, err := a.feature(ctx, feature)
	if err != nil {
		return spec.Trace{}, err
	}
	v, err := a.specVersion(r, version)
	if err != nil {
		return spec.Trace{}, err
	}
	p, err := a.past(ctx, r)
	if err != nil {
		return spec.Trace{}, err
	}
	return p.Trace(path, v)
}
