package app

import (
	"context"
	"strconv"
	"strings"

	"sluice/internal/engine"
	"sluice/internal/fault"
	"sluice/internal/kernel"
	"sluice/internal/line/spec"
)

// ReplayDoc says whether what was recorded of a run comes out the same again.
type ReplayDoc struct {
	Run          string             `json:"run"`
	RunID        string             `json:"run_id,omitempty"` // of a feature: the run that was meant
	Line         string             `json:"line"`
	Same         bool               `json:"same"`
	Events       int64              `json:"events"`
	Steps        int                `json:"steps"`
	Versions     int                `json:"versions"`
	GateResults  int                `json:"gate_results"`
	Unfoldings   int                `json:"unfoldings"`
	OtherProgram bool               `json:"other_definition,omitempty"`
	Skipped      []engine.Skipped   `json:"skipped"`
	Difference   *engine.Difference `json:"difference,omitempty"`
}

// Replay repeats every deterministic step of a run from what is recorded, and asks no model. It changes nothing. A run of
// a feature, R-…, is repeated alone.
func (a *App) Replay(ctx context.Context, id string) (ReplayDoc, error) {
	if a.Recorded == nil {
		return ReplayDoc{}, fault.New(fault.Unexpected, id, "there are no recorded replies here")
	}
	w := engine.Replaying{Model: a.Recorded}
	d := ReplayDoc{}
	run, err := a.replayed(ctx, id, &w, &d)
	if err != nil {
		return d, err
	}
	out, err := a.Engine.Replay(ctx, run, w)
	if err != nil {
		return d, err
	}
	d.Run, d.Line, d.Events, d.Steps, d.Versions, d.Unfoldings = string(out.Run), out.Line, out.Events, out.Steps, out.Versions, out.Unfoldings
	d.GateResults = out.Results + out.Schemas[spec.GatePassed] + out.Schemas[spec.GateFailed] // what gates of specs say are versions
	d.Skipped, d.Difference, d.Same = orEmpty(out.Skipped), out.Difference, out.Difference == nil
	d.OtherProgram = out.OtherProgram && !d.Same // it may be why
	return d, nil
}

// replayed finds the run that is meant.
func (a *App) replayed(ctx context.Context, id string, w *engine.Replaying, d *ReplayDoc) (kernel.RunID, error) {
	if _, err := spec.ParseRunID(id); err != nil {
		if upper, err := spec.ParseFeatureID(id); err == nil {
			id = upper
		}
		return a.resolve(ctx, id)
	}
	r, pass, err := a.featureOf(ctx, id)
	if err != nil {
		return "", err
	}
	prefix := "p" + strconv.Itoa(pass) + "/"
	w.Only = func(n kernel.NodeID) bool { return strings.HasPrefix(string(n), prefix) }
	d.RunID = spec.RunOf(r, pass)
	return r.ID(), nil
}

// ReplaySpec is Replay for features and their runs alone.
func (a *App) ReplaySpec(ctx context.Context, featureOrRun string) (ReplayDoc, error) {
	if _, _, err := a.featureOf(ctx, featureOrRun); err != nil {
		return ReplayDoc{}, err
	}
	return a.Replay(ctx, featureOrRun)
}
