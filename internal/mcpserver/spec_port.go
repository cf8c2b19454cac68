package mcpserver

import (
	"context"

	"sluice/internal/app"
	"sluice/internal/line/spec"
	"sluice/internal/line/spec/ledger"
)

// Specs are the verbs of the spec line.
type Specs interface {
	SpecMaker
	SpecDecider
	SpecShower
	SpecProver
}

// SpecMaker begins features and leads them on.
type SpecMaker interface {
	BeginSpec(ctx context.Context, w app.NewSpec) (app.SpecDoc, error)
	BeginAmend(ctx context.Context, feature string, w spec.Wish) (app.SpecDoc, error)
	RecordSpecAnswers(ctx context.Context, feature string, set map[string]string) (app.SpecDoc, error)
	ReopenSpec(ctx context.Context, feature string) (app.SpecDoc, error)
	RunSpec(ctx context.Context, feature string) (app.SpecDoc, error)
}

// SpecDecider decides on versions and publishes them.
type SpecDecider interface {
	ReviewSpec(ctx context.Context, feature string, v spec.Verdict) (app.SpecDoc, error)
	PreviewSpec(ctx context.Context, feature, target string) (ledger.Preview, error)
	PublishSpec(ctx context.Context, feature, target string) (ledger.Record, error)
}

// SpecShower shows features as they stand.
type SpecShower interface {
	SpecStatus(ctx context.Context, feature string) (app.SpecDoc, error)
	SpecQuestions(ctx context.Context, feature string, history bool) (app.SpecQuestionsDoc, error)
	ShowSpec(ctx context.Context, feature, version string) (spec.CanonicalSpec, error)
	ValidateSpec(ctx context.Context, feature, version string, stage spec.Stage) (spec.GateResult, error)
	ListSpecs(ctx context.Context, status spec.Status, limit int, page string) (app.SpecListDoc, error)
}

// SpecProver shows how features came to be.
type SpecProver interface {
	SpecPast
	DiffSpec(ctx context.Context, feature, from, to string) (app.SpecDeltaDoc, error)
	TraceSpec(ctx context.Context, feature, path, version string) (spec.Trace, error)
	ReplaySpec(ctx context.Context, featureOrRun string) (app.ReplayDoc, error)
}

// SpecPast lists what was recorded of features.
type SpecPast interface {
	SpecVersions(ctx context.Context, feature string) (app.SpecVersionsDoc, error)
	SpecSnapshots(ctx context.Context, featureOrRun string) (app.SpecSnapshotsDoc, error)
	SpecEvidence(ctx context.Context, feature string) (app.SpecEvidenceDoc, error)
}
