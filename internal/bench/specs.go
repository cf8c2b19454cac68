package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"sluice/internal/app"
	"sluice/internal/kernel"
	"sluice/internal/line/spec"
	"sluice/internal/line/spec/ingest"
)

const (
	specFeatures = 2000
	specVersions = 5
	specRounds   = 120 // of the feature that is asked again and again
)

// specs measures features: how long it takes to list, show and trace among 2,000 of five versions each, from opening the
// workspace, and whether a step that asks no model takes longer when many features, or many rounds, are there.
func specs(ctx context.Context, rounds int) (err error) {
	w, err := newSpecBench(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.close()) }()
	first, firstWhole, err := w.sequential(ctx, 60)
	if err != nil {
		return err
	}
	if err := w.many(ctx, specFeatures-120, 8); err != nil {
		return err
	}
	last, lastWhole, err := w.sequential(ctx, 60)
	if err != nil {
		return err
	}
	if err := w.verbs(ctx, 4*rounds); err != nil {
		return err
	}
	report("spec_step_ms", median(last), "ms")
	report("spec_step_2000th_over_1st", median(last)/median(first), "ratio")
	report("spec_feature_ms", median(lastWhole), "ms")
	report("spec_feature_2000th_over_1st", median(lastWhole)/median(firstWhole), "ratio")
	return w.longFeature(ctx)
}

// specBench is a workspace that fills with features.
type specBench struct {
	dir   string
	rules string
	app   *app.App
	done  func() error
	made  []string
}

func newSpecBench(ctx context.Context) (*specBench, error) {
	dir, err := os.MkdirTemp("", "sluice-specs")
	if err != nil {
		return nil, err
	}
	w := &specBench{dir: dir, rules: filepath.Join(dir, "rules.yaml")}
	if err := os.WriteFile(w.rules, []byte("- agent: compile\n  reply: {goal: null}\n"), 0o600); err != nil {
		return nil, err
	}
	w.app, w.done, err = openWorkspace(ctx, dir, w.rules)
	return w, err
}

func (w *specBench) close() error { return errors.Join(w.done(), os.RemoveAll(w.dir)) }

func (w *specBench) begin(ctx context.Context, n int) (app.SpecDoc, error) {
	brief := fmt.Sprintf("# Search %d\n\n## Background\nThe shop has %d books.\n\n## Acceptance criteria\n- a word finds it\n- an unknown word finds none\n", n, n)
	return w.app.NewSpec(ctx, app.NewSpec{Wish: spec.Wish{Sources: []ingest.Source{{Name: "brief.md", Body: []byte(brief)}}}})
}

// feature makes one with five versions: compiled, answered, compiled again, planned, verified.
func (w *specBench) feature(ctx context.Context, n int) (string, error) {
	d, err := w.begin(ctx, n)
	if err != nil {
		return "", err
	}
	d, err = w.app.AnswerSpec(ctx, d.FeatureID, map[string]string{"spec.goal": "Let readers find a book by any word of its title"}, nil)
	if err == nil && d.Status != spec.ExecutableReady {
		err = fmt.Errorf("feature %s is %s", d.FeatureID, d.Status)
	}
	return d.FeatureID, err
}

// sequential makes features one after the other and gives how long their validations took, and each as a whole with its
// commits and files, in milliseconds.
func (w *specBench) sequential(ctx context.Context, n int) (steps, whole []float64, err error) {
	for i := range n {
		started := time.Now()
		id, err := w.feature(ctx, i)
		if err != nil {
			return nil, nil, err
		}
		whole = append(whole, float64(time.Since(started).Microseconds())/1000)
		took, err := w.validations(ctx, id)
		if err != nil {
			return nil, nil, err
		}
		steps = append(steps, took...)
		w.made = append(w.made, id)
	}
	return steps, whole, nil
}

// many makes features, so many at the same time.
func (w *specBench) many(ctx context.Context, n, inFlight int) error {
	var next atomic.Int64
	errs := make(chan error, inFlight)
	for range inFlight {
		go func() {
			for {
				i := int(next.Add(1))
				if i > n {
					errs <- nil
					return
				}
				if _, err := w.feature(ctx, i); err != nil {
					errs <- err
					return
				}
			}
		}()
	}
	var all error
	for range inFlight {
		all = errors.Join(all, <-errs)
	}
	return all
}

// validations gives how long each validation of a feature took, from the end of the step before it to its own end: the
// gates, the law, and what is shown of it. Both are of one commit.
func (w *specBench) validations(ctx context.Context, id string) ([]float64, error) {
	batches, err := w.app.Engine.Journal.Load(ctx, id, 0)
	if err != nil {
		return nil, err
	}
	r := kernel.NewRun()
	var times []float64
	var before time.Time
	for _, b := range batches {
		events, err := kernel.Decode(b.Events)
		if err != nil {
			return nil, err
		}
		for _, e := range events {
			if f, ok := e.Fact.(kernel.AttemptClosed); ok {
				if n, ok := r.Node(f.Node); ok && n.Node().Step == string(spec.StepValidate) {
					times = append(times, float64(e.At.Sub(before).Microseconds())/1000)
				}
				before = e.At
			}
			kernel.Fold(r, []kernel.Event{e})
		}
	}
	return times, nil
}

// verbs measures what people look at, each time from opening the workspace.
func (w *specBench) verbs(ctx context.Context, rounds int) error {
	id := w.made[len(w.made)/2]
	for _, v := range []struct {
		name string
		look func(*app.App) error
	}{
		{"list", func(a *app.App) error {
			d, err := a.ListSpecs(ctx, "", 50, "")
			if err == nil && len(d.Features) != 50 {
				err = fmt.Errorf("%d features are listed", len(d.Features))
			}
			return err
		}},
		{"list_rare", func(a *app.App) error { // of a status that none has, so that all of them are looked at
			_, err := a.ListSpecs(ctx, spec.Dropped, 50, "")
			return err
		}},
		{"show", func(a *app.App) error { _, err := a.ShowSpec(ctx, id, ""); return err }},
		{"trace", func(a *app.App) error {
			t, err := a.TraceSpec(ctx, id, "spec.goal", "")
			if err == nil && t.Source != spec.FromAnswer {
				err = fmt.Errorf("the goal of %s came from %s", id, t.Source)
			}
			return err
		}},
	} {
		var times []float64
		for range rounds {
			if err := w.done(); err != nil {
				return err
			}
			started := time.Now()
			var err error
			if w.app, w.done, err = reopenWorkspace(ctx, w.dir, w.rules); err != nil {
				return err
			}
			if err := v.look(w.app); err != nil {
				return err
			}
			times = append(times, float64(time.Since(started).Microseconds())/1000)
		}
		report("spec_"+v.name+"_ms", median(times), "ms")
	}
	all, err := w.app.SpecVersions(ctx, id)
	if err == nil && len(all.Versions) != specVersions {
		err = fmt.Errorf("feature %s has %d versions", id, len(all.Versions))
	}
	return err
}

// longFeature answers beside the question again and again: what a round takes at the end against the start.
func (w *specBench) longFeature(ctx context.Context) error {
	d, err := w.begin(ctx, 0)
	if err != nil {
		return err
	}
	for i := range specRounds {
		d, err = w.app.AnswerSpec(ctx, d.FeatureID, map[string]string{"spec.background": fmt.Sprintf("The shop has %d books.", i)}, nil)
		if err != nil {
			return err
		}
	}
	times, err := w.validations(ctx, d.FeatureID)
	if err != nil {
		return err
	}
	if len(times) != specRounds+1 || d.Status != spec.Clarifying {
		return fmt.Errorf("feature %s is %s after %d validations", d.FeatureID, d.Status, len(times))
	}
	report("spec_step_120th_round_over_1st", median(times[specRounds-20:])/median(times[2:22]), "ratio")
	return nil
}
