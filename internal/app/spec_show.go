package app

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"sluice/internal/fault"
	"sluice/internal/journal"
	"sluice/internal/kernel"
	"sluice/internal/line/spec"
)

// SpecListDoc lists features.
type SpecListDoc struct {
	Features []spec.Summary `json:"features"`
	Next     string         `json:"next_page,omitempty"`
}

// ListSpecs lists features, newest first; an empty status means all of them.
func (a *App) ListSpecs(ctx context.Context, status spec.Status, limit int, page string) (SpecListDoc, error) {
	if status != "" && !slices.Contains(spec.Statuses(), status) {
		return SpecListDoc{}, fault.New(fault.BadValue, "status", "%q is no status of a feature; those are %s", status, joined(spec.Statuses()))
	}
	f := journal.Filter{Line: spec.Name, Limit: limit, Cursor: page}
	if status != "" {
		f.Summary = map[string]string{"status": string(status)}
	}
	found, err := a.Store.List(ctx, f)
	if err != nil {
		return SpecListDoc{}, err
	}
	d := SpecListDoc{Features: []spec.Summary{}, Next: found.Next}
	for _, info := range found.Runs {
		var s spec.Summary
		if err := json.Unmarshal(info.Summary, &s); err != nil {
			return d, fault.Wrap(fault.StoreCorrupt, info.ID, err, "the row of feature %s does not parse", info.ID)
		}
		d.Features = append(d.Features, s)
	}
	return d, nil
}

func joined[E ~string](values []E) string {
	names := make([]string, len(values))
	for i, v := range values {
		names[i] = string(v)
	}
	return strings.Join(names, ", ")
}

// SpecQuestionsDoc is what a feature asks, and what was asked before where that is wanted.
type SpecQuestionsDoc struct {
	spec.Summary
	AskTitle  string          `json:"ask_title,omitempty"`
	Questions []spec.Question `json:"questions"`
	Rules     []string        `json:"rules"`             // beside the questions: what each takes
	History   []spec.Round    `json:"history,omitempty"` // the rounds before
	Next      []fault.Action  `json:"next_actions"`
}

// SpecQuestions shows the open questions of a feature.
func (a *App) SpecQuestions(ctx context.Context, feature string, history bool) (SpecQuestionsDoc, error) {
	r, err := a.feature(ctx, feature)
	if err != nil {
		return SpecQuestionsDoc{}, err
	}
	d, err := a.specDoc(ctx, r)
	if err != nil {
		return SpecQuestionsDoc{}, err
	}
	out := SpecQuestionsDoc{Summary: d.Summary, AskTitle: d.AskTitle, Questions: d.Questions, Rules: []string{}, Next: d.Next}
	for _, q := range d.Questions {
		out.Rules = append(out.Rules, spec.RuleOf(q.Path))
	}
	if history {
		out.History, err = spec.Rounds(r, a.bodies(ctx, r))
	}
	return out, err
}

// CheckSpecAnswers holds answers against the questions that are open, and records nothing.
func (a *App) CheckSpecAnswers(ctx context.Context, feature string, set map[string]string) error {
	r, err := a.feature(ctx, feature)
	if err != nil {
		return err
	}
	ask, err := answersAsk(r)
	if err != nil {
		return err
	}
	_, err = a.answerAct(ctx, r, ask, Reply{Choice: "answer", Set: set})
	return err
}

// answersAsk is the ask with the questions that are open, or the refusal of a feature that asks nothing.
func answersAsk(r *kernel.Run) (*kernel.Ask, error) {
	ask := firstAsk(r, spec.Current(r).Answers())
	if ask == nil {
		return nil, fault.New(fault.IllegalStep, string(r.ID()), "feature %s is %s and asks nothing", r.ID(), spec.StatusOf(r)).With(spec.NextActions(r)...)
	}
	return ask, nil
}

// SpecVersionsDoc lists the versions of a feature.
type SpecVersionsDoc struct {
	FeatureID string             `json:"feature_id"`
	Versions  []spec.VersionInfo `json:"versions"`
}

// SpecVersions lists the versions of a feature, oldest first.
func (a *App) SpecVersions(ctx context.Context, feature string) (SpecVersionsDoc, error) {
	r, err := a.feature(ctx, feature)
	if err != nil {
		return SpecVersionsDoc{}, err
	}
	all, err := spec.ListVersions(r, a.bodies(ctx, r))
	if err != nil {
		return SpecVersionsDoc{}, err
	}
	rehearsed, err := a.rehearsedVersions(ctx, r)
	for i := range all {
		all[i].Rehearsal = slices.Contains(rehearsed, all[i].SpecVersion)
	}
	return SpecVersionsDoc{string(r.ID()), all}, err
}

// rehearsedVersions lists the versions with text from rehearsal of a feature that has replies of a real model. One that has none is
// labelled as a whole.
func (a *App) rehearsedVersions(ctx context.Context, r *kernel.Run) ([]string, error) {
	was, err := a.rehearsedAttempts(ctx, r)
	if err != nil || len(was) == 0 {
		return nil, err
	}
	return spec.Rehearsed(r, func(id kernel.AttemptID) bool { return was[id] }), nil
}

// SpecDeltaDoc is what two versions of a feature differ in.
type SpecDeltaDoc struct {
	FeatureID string `json:"feature_id"`
	spec.Delta
}

// DiffSpec says in which fields two versions differ. Without versions it is what the current run of the feature changed.
func (a *App) DiffSpec(ctx context.Context, feature, from, to string) (SpecDeltaDoc, error) {
	r, err := a.feature(ctx, feature)
	if err != nil {
		return SpecDeltaDoc{}, err
	}
	newer, err := a.specVersion(r, to)
	if err != nil {
		return SpecDeltaDoc{}, err
	}
	older := spec.DeltaBase(r)
	if from != "" {
		if older, err = a.specVersion(r, from); err != nil {
			return SpecDeltaDoc{}, err
		}
	}
	delta, err := a.delta(ctx, r, older, newer)
	return SpecDeltaDoc{string(r.ID()), delta}, err
}

// delta compares two versions; no older one means that everything is new.
func (a *App) delta(ctx context.Context, r *kernel.Run, older, newer *kernel.Version) (spec.Delta, error) {
	d := spec.Delta{To: string(newer.ID), Changes: []spec.Change{}}
	after, err := a.specIn(ctx, r, newer)
	if err != nil {
		return d, err
	}
	var before spec.CanonicalSpec
	if older != nil {
		d.From = string(older.ID)
		if before, err = a.specIn(ctx, r, older); err != nil {
			return d, err
		}
	}
	d.Changes, err = spec.Diff(before, after)
	return d, err
}

// specVersion finds a version by its id; none named means the newest.
func (a *App) specVersion(r *kernel.Run, id string) (*kernel.Version, error) {
	v, _ := spec.Newest(r)
	if id != "" {
		parsed, err := spec.ParseVersionID(id)
		if err != nil {
			return nil, err
		}
		v, _ = r.Version(kernel.VersionID(parsed))
	}
	if v == nil || v.Schema != spec.SpecSchema {
		if id == "" {
			return nil, fault.New(fault.UnknownVersion, string(r.ID()), "feature %s has no version so far", r.ID()).With(spec.NextActions(r)...)
		}
		return nil, fault.New(fault.UnknownVersion, string(r.ID()), "feature %s has no version %s", r.ID(), id).
			With(fault.Action{Action: "versions", Command: "sluice spec versions " + string(r.ID()), Why: "it shows the versions there are"})
	}
	return v, nil
}

func (a *App) specIn(ctx context.Context, r *kernel.Run, v *kernel.Version) (spec.CanonicalSpec, error) {
	body, err := a.bodies(ctx, r)(v)
	if err != nil {
		return spec.CanonicalSpec{}, err
	}
	return spec.Decode(body)
}

// ValidateSpec holds a version against the gates at a stage. It records nothing.
func (a *App) ValidateSpec(ctx context.Context, feature, version string, stage spec.Stage) (spec.GateResult, error) {
	if stage == "" {
		stage = spec.StageReady
	}
	if !slices.Contains(spec.Stages(), stage) {
		return spec.GateResult{}, fault.New(fault.BadValue, "stage", "%q is no stage; those are %s", stage, joined(spec.Stages()))
	}
	s, err := a.ShowSpec(ctx, feature, version)
	if err != nil {
		return spec.GateResult{}, err
	}
	return spec.Evaluate(s, stage), nil
}
