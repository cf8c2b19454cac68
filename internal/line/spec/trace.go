package spec

import (
	"bytes"
	"encoding/json"
	"strings"

	"sluice/internal/fault"
	"sluice/internal/kernel"
)

// Source is where the value of a field came from.
type Source string

const (
	FromInput  Source = "input"    // a person wrote it in what the run began with
	FromAnswer Source = "answer"   // a person answered it
	FromModel  Source = "model"    // a model filled it
	Computed   Source = "computed" // this program did
)

// Trace says where the value of a field came from.
type Trace struct {
	FeatureID   string          `json:"feature_id"`
	Path        string          `json:"path"`
	SpecVersion string          `json:"spec_version"` // that was looked at
	Value       json.RawMessage `json:"value"`
	Source      Source          `json:"source"`
	Origin      TraceStep       `json:"origin"` // where it got this value
	Person      string          `json:"person,omitempty"`
	Answer      *TracedAnswer   `json:"answer,omitempty"`
	Evidence    []Evidence      `json:"evidence"`
	History     []TraceStep     `json:"history"` // every value it had, oldest first
}

// TraceStep is a version in which a field got a value, and the step that made it.
type TraceStep struct {
	SpecVersion string          `json:"spec_version"`
	RunID       string          `json:"run_id"`
	Round       int             `json:"round"`
	Step        StepName        `json:"step"`
	At          string          `json:"at"`
	LLMModel    string          `json:"llm_model,omitempty"`
	Value       json.RawMessage `json:"value,omitempty"` // absent: the field was not there any more

	version *kernel.Version
	at      string // the path in this version, by places
}

// TracedAnswer is the answer that gave a field its value.
type TracedAnswer struct {
	Ref   string `json:"ref"`
	Path  string `json:"path"`
	Value string `json:"value"`
	By    string `json:"by"`
	At    string `json:"at"`
}

// Trace follows a field through the versions of the feature, up to one of them.
func (p Past) Trace(path string, upTo *kernel.Version) (Trace, error) {
	t := Trace{FeatureID: string(p.Run.ID()), SpecVersion: string(upTo.ID), Evidence: []Evidence{}, History: []TraceStep{}}
	now, err := p.fieldIn(upTo, path)
	if err != nil {
		return t, err
	}
	if now.value == nil {
		return t, fault.New(fault.NotFound, path, "version %s of %s has no field %s", upTo.ID, t.FeatureID, path).
			With(fault.Action{Action: "show", Command: "sluice spec show " + t.FeatureID, Why: "it shows the fields there are"})
	}
	t.Path, t.Value = now.named, now.value
	closed := p.closings()
	var before json.RawMessage
	for _, v := range inOrder(p.Run) {
		if v.Seq > upTo.Seq {
			break
		}
		f, err := p.fieldIn(v, now.named)
		if err != nil {
			return t, err
		}
		if bytes.Equal(f.value, before) {
			continue
		}
		before = f.value
		t.History = append(t.History, p.traceStep(v, f, closed))
	}
	if len(t.History) > 0 {
		t.Origin = t.History[len(t.History)-1]
	}
	return t, p.explain(&t)
}

// fieldIn gives a field of a version; one that is not there has no value.
func (p Past) fieldIn(v *kernel.Version, path string) (field, error) {
	raw, err := p.Body(v)
	if err != nil {
		return field{}, err
	}
	s, err := Decode(raw)
	if err != nil {
		return field{}, err
	}
	f, ok, err := fieldAt(s, path)
	if !ok {
		f.value = nil
	}
	return f, err
}

func (p Past) traceStep(v *kernel.Version, f field, closed map[kernel.AttemptID]closing) TraceStep {
	n, params, _ := stepOf(p.Run, v.Node)
	out := TraceStep{SpecVersion: string(v.ID), RunID: params.RunID, Round: params.Round, Step: StepName(n.Step), At: stamp(v.At), Value: f.value,
		version: v, at: f.at}
	var own account
	if body := closed[v.Attempt].snapshot.Body; len(body) > 0 && json.Unmarshal(body, &own) == nil {
		out.LLMModel = own.LLMModel
	}
	return out
}

// explain says whose words the value is, and what proves it.
func (p Past) explain(t *Trace) error {
	origin := t.Origin
	attempts := map[kernel.AttemptID]bool{origin.version.Attempt: true}
	a, ok := p.Run.Attempt(origin.version.Attempt)
	if !ok {
		return nil
	}
	var given *kernel.Version
	for _, in := range a.Inputs {
		v, ok := p.Run.Version(in.Version)
		if !ok {
			continue
		}
		switch v.Schema {
		case IngestSchema:
			if origin.Round == 1 { // later rounds take what stands, and read the input no more
				attempts[v.Attempt] = true
			}
		case AnswersSchema:
			given = v
		}
	}
	t.Evidence = p.evidenceOf(origin, attempts)
	switch {
	case isComputed(t.Path):
		t.Source = Computed
	case given != nil:
		if err := p.answered(t, given); err != nil || t.Answer != nil {
			return err
		}
		t.Source = FromModel
	case hasQuote(t.Evidence):
		t.Source = FromInput
		if n, ok := p.Run.Node(Place{Pass: p.passOf(origin)}.Input()); ok && n.Approved() != nil {
			t.Person = n.Approved().By.String()
		}
	case origin.LLMModel != "" && !isID(t.Path):
		t.Source = FromModel
	default:
		t.Source = Computed
	}
	return nil
}

// passOf gives the number of the run that a step belongs to.
func (p Past) passOf(s TraceStep) int {
	if _, params, ok := stepOf(p.Run, s.version.Node); ok {
		return params.Pass
	}
	return 0
}

// answered finds the answer that the value came from.
func (p Past) answered(t *Trace, given *kernel.Version) error {
	d, err := answersIn(given, p.Body)
	if err != nil {
		return err
	}
	for _, one := range d.Answers {
		if !touches(one.Path, t.Origin.at) {
			continue
		}
		if t.Answer == nil || len(one.Path) > len(t.Answer.Path) {
			t.Answer = &TracedAnswer{Ref: string(given.ID), Path: one.Path, Value: one.Value, By: d.By, At: stamp(given.At)}
		}
	}
	if t.Answer != nil {
		t.Source, t.Person = FromAnswer, t.Answer.By
	}
	return nil
}

// isComputed tells of fields that no person and no model writes.
func isComputed(path string) bool {
	switch {
	case path == "feature.title":
		return false
	case path == "schema_version", touches("feature", path), touches("quality", path), touches("decision", path), touches("meta", path),
		touches("project_context_ref", path):
		return true
	}
	return false
}

// isID tells of ids, which are given here unless a person gave them.
func isID(path string) bool {
	return strings.HasSuffix(path, "].id") || strings.HasSuffix(path, "].task_id") || strings.HasSuffix(path, "].vv_id")
}

func hasQuote(all []Evidence) bool {
	for _, e := range all {
		if e.Type == Quote {
			return true
		}
	}
	return false
}

// evidenceOf gives what the attempts recorded about a field.
func (p Past) evidenceOf(s TraceStep, attempts map[kernel.AttemptID]bool) []Evidence {
	found := []Evidence{}
	for _, e := range p.Events {
		f, ok := e.Fact.(kernel.EvidenceRecorded)
		if !ok || !attempts[f.Attempt] {
			continue
		}
		for _, l := range f.Evidence.LinkedTo {
			if at, ok := strings.CutPrefix(l, "spec_path:"); ok && supports(f.Evidence, at, s) {
				found = append(found, EvidenceOf(f.Evidence, e.At))
				break
			}
		}
	}
	return found
}

// supports tells whether evidence that is linked to a path speaks for a field. A quote behind an item of a list speaks for
// those of its fields whose words it holds: the others were filled in later.
func supports(e kernel.Evidence, linked string, s TraceStep) bool {
	if !touches(linked, s.at) {
		return false
	}
	var text string
	if len(linked) >= len(s.at) || e.Type != string(Quote) || json.Unmarshal(s.Value, &text) != nil {
		return true
	}
	const enough = 80 // characters: excerpts are short
	return strings.Contains(e.Excerpt, cut(strings.TrimSpace(text), enough))
}
