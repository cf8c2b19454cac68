package mcpserver

import (
	"context"

	"sluice/internal/app"
	"sluice/internal/line/spec"
	"sluice/internal/line/spec/ledger"
	"sluice/internal/schema"
)

type specQuestionsIn struct {
	FeatureID string `json:"feature_id"`
	History   bool   `json:"history,omitempty"`
}

type specVersionIn struct {
	FeatureID   string `json:"feature_id"`
	SpecVersion string `json:"spec_version,omitempty"`
}

type specDiffIn struct {
	FeatureID string `json:"feature_id"`
	From      string `json:"from,omitempty"`
	To        string `json:"to,omitempty"`
}

type specRunIn struct {
	ID string `json:"id"`
}

type specTraceIn struct {
	FeatureID   string `json:"feature_id"`
	Path        string `json:"path"`
	SpecVersion string `json:"spec_version,omitempty"`
}

type specValidateIn struct {
	FeatureID   string `json:"feature_id"`
	Stage       string `json:"stage,omitempty"`
	SpecVersion string `json:"spec_version,omitempty"`
}

type specListIn struct {
	Status string `json:"status,omitempty"`
	Limit  int    `json:"limit,omitempty"`
	Page   string `json:"page,omitempty"`
}

type specPublishIn struct {
	FeatureID string `json:"feature_id"`
	Target    string `json:"target"`
	DryRun    bool   `json:"dry_run,omitempty"`
}

// publishDoc is the record of the ledger, or what would be sent.
type publishDoc struct {
	Record  *ledger.Record  `json:"record,omitempty"`
	Preview *ledger.Preview `json:"preview,omitempty"`
}

// questionsDoc is what a feature asks, with what this server does about it.
type questionsDoc struct {
	app.SpecQuestionsDoc
	Drive *DriveDoc `json:"drive,omitempty"`
}

func specShowTools() ([]tool, error) {
	questions, err := define(tool{name: "spec_questions", title: "What a feature asks", hints: reads,
		about: "Shows where a feature stands and its open questions, each with the rule of its field. What was asked before comes with history."},
		append([]schema.Option{schema.Describe("history", "true: the rounds before, too")}, ofFeature...), []schema.Option{schema.EnumType(spec.Statuses()...)},
		func(ctx context.Context, c *call, in specQuestionsIn) (questionsDoc, error) {
			before := c.drives.doc(in.FeatureID)
			d, err := c.asClient().SpecQuestions(ctx, in.FeatureID, in.History)
			return questionsDoc{d, c.drives.since(before, d.FeatureID)}, err
		})
	if err != nil {
		return nil, err
	}
	show, err := define(tool{name: "spec_show", title: "Show a spec", hints: reads,
		about: "Shows a version of a feature's spec, whole."},
		append([]schema.Option{aboutVersion}, ofFeature...), []schema.Option{schema.AnyJSON()},
		func(ctx context.Context, c *call, in specVersionIn) (spec.CanonicalSpec, error) {
			return c.asClient().ShowSpec(ctx, in.FeatureID, in.SpecVersion)
		})
	if err != nil {
		return nil, err
	}
	list, err := define(tool{name: "spec_list", title: "List features", hints: reads,
		about: "Lists the features of the workspace, newest first."},
		[]schema.Option{schema.Enum("status", names(spec.Statuses())...), schema.Range("limit", 1, 1000), schema.Describe("limit", "how many at most; 50 without it"),
			schema.Describe("page", "next_page of the page before")}, []schema.Option{schema.EnumType(spec.Statuses()...)},
		func(ctx context.Context, c *call, in specListIn) (app.SpecListDoc, error) {
			if in.Limit <= 0 || in.Limit > 1000 {
				in.Limit = 50
			}
			return c.asClient().ListSpecs(ctx, spec.Status(in.Status), in.Limit, in.Page)
		})
	if err != nil {
		return nil, err
	}
	validate, err := define(tool{name: "spec_validate", title: "Hold a spec against its gates", hints: reads,
		about: "Says what gates S, T and V hold against a version. Nothing is recorded."},
		append([]schema.Option{aboutVersion, schema.Enum("stage", names(spec.Stages())...), schema.Describe("stage", "spec needs gate S, ready all three; ready without it")}, ofFeature...), gateResults,
		func(ctx context.Context, c *call, in specValidateIn) (spec.GateResult, error) {
			return c.asClient().ValidateSpec(ctx, in.FeatureID, in.SpecVersion, spec.Stage(in.Stage))
		})
	return []tool{questions, show, list, validate}, err
}

func names[E ~string](values []E) []string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = string(v)
	}
	return out
}

func specPastTools() ([]tool, error) {
	versions, err := define(tool{name: "spec_versions", title: "List a feature's versions", hints: reads,
		about: "Lists every version of a feature's spec: which run and step made it, and how complete it was."},
		ofFeature, nil,
		func(ctx context.Context, c *call, in featureIn) (app.SpecVersionsDoc, error) {
			return c.asClient().SpecVersions(ctx, in.FeatureID)
		})
	if err != nil {
		return nil, err
	}
	diff, err := define(tool{name: "spec_diff", title: "Compare two versions", hints: reads,
		about: "Shows the fields in which two versions differ. Without versions it is what the last amendment changed."},
		ofFeature, []schema.Option{schema.AnyJSON(), schema.EnumType(spec.Added, spec.Removed, spec.Changed)},
		func(ctx context.Context, c *call, in specDiffIn) (app.SpecDeltaDoc, error) {
			return c.asClient().DiffSpec(ctx, in.FeatureID, in.From, in.To)
		})
	if err != nil {
		return nil, err
	}
	snapshots, err := define(tool{name: "spec_snapshots", title: "The steps of a feature", hints: reads,
		about: "Shows the snapshot of every step of a feature, or of one of its runs: what went in, what came out, what was decided and why."},
		[]schema.Option{schema.Describe("id", "id of a feature, F-…, or of a run, R-…")},
		[]schema.Option{schema.AnyJSON(), schema.Nullable("snapshots.snapshot.spec_version_in"), schema.Nullable("snapshots.snapshot.spec_version_out"),
			schema.Nullable("snapshots.snapshot.inputs.canonical_spec_ref"), schema.Nullable("snapshots.snapshot.inputs.context_ref"),
			schema.Nullable("snapshots.snapshot.inputs.user_answer_ref"), schema.Nullable("snapshots.snapshot.outputs.spec_version_out"),
			schema.Nullable("snapshots.snapshot.meta.llm_model")},
		func(ctx context.Context, c *call, in specRunIn) (app.SpecSnapshotsDoc, error) {
			return c.asClient().SpecSnapshots(ctx, in.ID)
		})
	if err != nil {
		return nil, err
	}
	evidence, err := define(tool{name: "spec_evidence", title: "The evidence of a feature", hints: reads,
		about: "Lists every piece of evidence: where it stands, what it says, and which fields and steps it supports."},
		ofFeature, nil,
		func(ctx context.Context, c *call, in featureIn) (app.SpecEvidenceDoc, error) {
			return c.asClient().SpecEvidence(ctx, in.FeatureID)
		})
	return []tool{versions, diff, snapshots, evidence}, err
}

func specProofTools() ([]tool, error) {
	trace, err := define(tool{name: "spec_trace", title: "Where a field came from", hints: reads,
		about: "Says of a field of the spec in which version and step it got its value, who wrote or answered it or which model filled it, and which evidence proves it."},
		append([]schema.Option{aboutVersion, schema.Describe("path", "such as spec.goal or planning.tasks[T-1].scope")}, ofFeature...), []schema.Option{schema.AnyJSON()},
		func(ctx context.Context, c *call, in specTraceIn) (spec.Trace, error) {
			return c.asClient().TraceSpec(ctx, in.FeatureID, in.Path, in.SpecVersion)
		})
	if err != nil {
		return nil, err
	}
	replay, err := define(tool{name: "spec_replay", title: "Replay a run", hints: reads,
		about: "Does every deterministic step again from its snapshot and the recorded replies, and compares byte for byte. No model is asked and nothing is changed."},
		[]schema.Option{schema.Describe("id", "id of a run, R-…, or of a feature, F-…")}, nil,
		func(ctx context.Context, c *call, in specRunIn) (app.ReplayDoc, error) {
			return c.asClient().ReplaySpec(ctx, in.ID)
		})
	if err != nil {
		return nil, err
	}
	publish, err := define(tool{name: "spec_publish", title: "Publish a version", hints: hints{openWorld: true, idempotent: true}, isApproving: true,
		about: "Brings the version on which go was decided to a target. The same version is published once, however often it is tried. dry_run shows the exact fields and sends nothing."},
		append([]schema.Option{schema.Describe("target", "file, webhook or feishu"), schema.Describe("dry_run", "true: show what would be sent, and send nothing")}, ofFeature...), []schema.Option{schema.AnyJSON()},
		func(ctx context.Context, c *call, in specPublishIn) (publishDoc, error) {
			if in.DryRun {
				p, err := c.asClient().PreviewSpec(ctx, in.FeatureID, in.Target)
				return publishDoc{Preview: &p}, err
			}
			r, err := c.asPerson(false).PublishSpec(ctx, in.FeatureID, in.Target)
			return publishDoc{Record: &r}, err
		})
	return []tool{trace, replay, publish}, err
}
