package mcpserver

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"sluice/internal/app"
	"sluice/internal/engine"
	"sluice/internal/fault"
	"sluice/internal/line/spec"
	"sluice/internal/line/spec/ledger"
)

const asking = "F-2026-001" // a feature that asks for its goal

// specCalls is one good call per tool of the spec line.
var specCalls = map[string]string{
	"spec_new":       `{"text":"find a book","project_id":"P-1","context_version":"C-01"}`,
	"spec_amend":     `{"feature_id":"` + asking + `","text":"and save it"}`,
	"spec_run":       `{"feature_id":"` + asking + `"}`,
	"spec_answer":    `{"feature_id":"` + asking + `","answers":{"spec.goal":"find a book by its title"}}`,
	"spec_reopen":    `{"feature_id":"` + asking + `"}`,
	"spec_review":    `{"feature_id":"` + asking + `","decision":"go","reason":"agreed"}`,
	"spec_publish":   `{"feature_id":"` + asking + `","target":"file"}`,
	"spec_questions": `{"feature_id":"` + asking + `","history":true}`,
	"spec_show":      `{"feature_id":"` + asking + `"}`,
	"spec_list":      `{"status":"clarifying"}`,
	"spec_validate":  `{"feature_id":"` + asking + `","stage":"spec"}`,
	"spec_versions":  `{"feature_id":"` + asking + `"}`,
	"spec_diff":      `{"feature_id":"` + asking + `"}`,
	"spec_snapshots": `{"id":"R-20261115-0001"}`,
	"spec_evidence":  `{"feature_id":"` + asking + `"}`,
	"spec_trace":     `{"feature_id":"` + asking + `","path":"spec.goal"}`,
	"spec_replay":    `{"id":"R-20261115-0001"}`,
}

func (d deskFor) feature() app.SpecDoc {
	return app.SpecDoc{Summary: d.summary(), Questions: d.questions(), Next: []fault.Action{}}
}

func (d deskFor) summary() spec.Summary {
	return spec.Summary{FeatureID: asking, RunID: "R-20261115-0001", Title: "Book search", Status: spec.Clarifying, SpecVersion: "S-20261115-0001",
		WaitingFor: "answers", UpdatedAt: "2026-11-15T00:00:00Z"}
}

func (d deskFor) questions() []spec.Question {
	return []spec.Question{{ID: "Q-1", Path: "spec.goal", Question: "What for?"}, {ID: "Q-2", Path: "planning.tasks[0].type", Question: "Which?", Choices: []string{"dev", "test"}}}
}

func (d deskFor) BeginSpec(_ context.Context, w app.NewSpec) (app.SpecDoc, error) {
	d.note("spec new %d sources", len(w.Sources))
	return d.feature(), nil
}

func (d deskFor) BeginAmend(_ context.Context, feature string, w spec.Wish) (app.SpecDoc, error) {
	d.note("spec amend %s", feature)
	return d.feature(), nil
}

func (d deskFor) RecordSpecAnswers(_ context.Context, feature string, set map[string]string) (app.SpecDoc, error) {
	d.note("spec answer %s", strings.Join(slices.Sorted(maps.Values(set)), ", "))
	return d.feature(), nil
}

func (d deskFor) ReopenSpec(context.Context, string) (app.SpecDoc, error) { return d.feature(), nil }

func (d deskFor) RunSpec(ctx context.Context, feature string) (app.SpecDoc, error) {
	return d.feature(), d.drive(ctx, feature)
}

func (d deskFor) ReviewSpec(_ context.Context, feature string, v spec.Verdict) (app.SpecDoc, error) {
	d.note("spec %s %s %s", v.Decision, v.SpecVersion, v.Reason)
	return d.feature(), nil
}

func (d deskFor) PreviewSpec(context.Context, string, string) (ledger.Preview, error) {
	return ledger.Preview{Fields: json.RawMessage(`{}`)}, nil
}

func (d deskFor) PublishSpec(_ context.Context, feature, target string) (ledger.Record, error) {
	d.note("spec publish %s", target)
	return ledger.Record{LedgerID: "L-20261115-0001", FieldMapSnapshot: json.RawMessage(`{"path":"x"}`), Errors: []spec.StepFailure{}}, nil
}

func (d deskFor) SpecStatus(context.Context, string) (app.SpecDoc, error) { return d.feature(), nil }

func (d deskFor) SpecQuestions(context.Context, string, bool) (app.SpecQuestionsDoc, error) {
	return app.SpecQuestionsDoc{Summary: d.summary(), AskTitle: "2 open", Questions: d.questions(), Rules: []string{"it takes a text", "it takes a type"}, Next: []fault.Action{},
		History: []spec.Round{{RunID: "R-20261115-0001", Round: 1, Questions: d.questions(), Answers: []spec.Answer{{Path: "spec.goal", Value: "x"}}}}}, nil
}

func (d deskFor) ShowSpec(context.Context, string, string) (spec.CanonicalSpec, error) {
	raw, err := spec.CanonicalSpec{SchemaVersion: spec.SchemaVersion, Decision: spec.Advice{Recommendation: spec.Hold},
		Planning: spec.Planning{Tasks: []spec.Task{{TaskID: "T-1", Type: "dev", Estimate: &spec.Estimate{Unit: "day", Value: 1}}}},
		Meta:     spec.Meta{Extensions: map[string]json.RawMessage{"language": json.RawMessage(`"en"`)}}}.Encode()
	if err != nil {
		return spec.CanonicalSpec{}, err
	}
	return spec.Decode(raw)
}

func (d deskFor) ValidateSpec(_ context.Context, _, _ string, stage spec.Stage) (spec.GateResult, error) {
	return spec.Evaluate(spec.CanonicalSpec{}, stage), nil
}

func (d deskFor) ListSpecs(context.Context, spec.Status, int, string) (app.SpecListDoc, error) {
	return app.SpecListDoc{Features: []spec.Summary{d.summary()}}, nil
}

func (d deskFor) SpecVersions(context.Context, string) (app.SpecVersionsDoc, error) {
	return app.SpecVersionsDoc{FeatureID: asking, Versions: []spec.VersionInfo{{SpecVersion: "S-20261115-0001", MissingFields: []spec.MissingField{}}}}, nil
}

func (d deskFor) SpecSnapshots(context.Context, string) (app.SpecSnapshotsDoc, error) {
	model := "rehearsal"
	return app.SpecSnapshotsDoc{FeatureID: asking, Snapshots: []spec.ShownSnapshot{{Path: "snapshots/x.json", Snapshot: spec.Snapshot{
		Decisions: []spec.StepDecision{}, EvidenceLinks: []spec.EvidenceLink{}, Errors: []spec.StepFailure{},
		Outputs: spec.SnapshotOutputs{GateResult: json.RawMessage(`{"pass":true}`), Questions: json.RawMessage(`[]`)},
		Meta:    spec.SnapshotMeta{LLMModel: &model, Extensions: map[string]json.RawMessage{}}}}}}, nil
}

func (d deskFor) SpecEvidence(context.Context, string) (app.SpecEvidenceDoc, error) {
	return app.SpecEvidenceDoc{FeatureID: asking, Evidence: []spec.Evidence{{EvidenceID: "E-0001", LinkedTo: []spec.Link{{SpecPath: "spec.goal"}}}}}, nil
}

func (d deskFor) DiffSpec(context.Context, string, string, string) (app.SpecDeltaDoc, error) {
	return app.SpecDeltaDoc{FeatureID: asking, Delta: spec.Delta{To: "S-20261115-0002", Changes: []spec.Change{
		{Path: "spec.goal", Op: spec.Changed, From: json.RawMessage(`"a"`), To: json.RawMessage(`"b"`)}}}}, nil
}

func (d deskFor) TraceSpec(context.Context, string, string, string) (spec.Trace, error) {
	return spec.Trace{FeatureID: asking, Value: json.RawMessage(`"b"`), Source: spec.FromInput, Evidence: []spec.Evidence{},
		History: []spec.TraceStep{{Value: json.RawMessage(`["a"]`)}}}, nil
}

func (d deskFor) ReplaySpec(context.Context, string) (app.ReplayDoc, error) {
	return app.ReplayDoc{Run: asking, Skipped: []engine.Skipped{}, Difference: &engine.Difference{Seq: 3}}, nil
}
