package spec

import (
	"encoding/json"
	"fmt"
	"slices"

	"sluice/internal/digest"
	"sluice/internal/fault"
	"sluice/internal/kernel"
	"sluice/internal/line"
	"sluice/internal/prompt"
)

// steps are the pipeline, with the prompts and schemas of those that ask a model.
type steps struct {
	prompts *prompt.Set
	schemas schemas
}

// work is what one attempt at a step was given, read.
type work struct {
	Params
	in      line.In
	context *ProjectContextRef
	base    *CanonicalSpec // the spec it starts from
	found   *IngestResult
	gate    *GateResult
	answers *AnswersDocument
}

func read(in line.In) (work, error) {
	w := work{in: in}
	var err error
	if w.Params, err = ParamsOf(in.Node); err != nil {
		return w, err
	}
	var kept settings
	if err := json.Unmarshal(in.Run.Settings(), &kept); err != nil {
		return w, fault.Wrap(fault.BadValue, string(in.Run.ID()), err, "the settings of %s do not parse", in.Run.ID())
	}
	w.context = kept.Context
	for _, d := range in.Inputs {
		switch d.Version.Schema {
		case SpecSchema:
			s, err := Decode(d.Body)
			if err != nil {
				return w, err
			}
			w.base = &s
		case IngestSchema:
			w.found = &IngestResult{}
			err = decode(d.Body, w.found)
		case GatePassed, GateFailed:
			w.gate = &GateResult{}
			err = decode(d.Body, w.gate)
		case AnswersSchema:
			w.answers = &AnswersDocument{}
			err = decode(d.Body, w.answers)
		}
		if err != nil {
			return w, fault.Wrap(fault.BadValue, string(d.Version.ID), err, "version %s does not parse", d.Version.ID)
		}
	}
	return w, nil
}

// needs refuses to go on without what a step cannot be without; only a damaged journal leads there.
func (w work) needs(ok bool, what string) error {
	if ok {
		return nil
	}
	return fault.New(fault.MissingPrerequisite, string(w.in.Node.ID), "%s has no %s to work from", w.in.Node.ID, what)
}

// account is what a step tells about itself beside its content.
type account struct {
	LLMModel string         `json:"llm_model,omitempty"`
	Numbers  []int64        `json:"numbers,omitempty"` // as they were given, for those who repeat the step
	Links    []EvidenceLink `json:"links,omitempty"`   // evidence that it used and did not record itself
	// Replies are the digests of what models answered, so that a replay notices a reply that is another, used or not.
	Replies []digest.Digest `json:"replies,omitempty"`
}

// reserved gives the numbers that an attempt was given.
func reserved(s kernel.Snapshot) ([]int64, error) {
	var own account
	if len(s.Body) == 0 {
		return nil, nil
	}
	err := json.Unmarshal(s.Body, &own)
	return own.Numbers, err
}

// result is what a step comes to.
type result struct {
	evidence  []kernel.Evidence // without ids, which are reserved
	decisions []kernel.Decision
	links     []EvidenceLink
}

// numbers names what must be reserved before a result can be handed over.
func (w work) numbers(version bool, evidence int) []string {
	var series []string
	if version {
		series = append(series, VersionSeries(w.in.Attempt.Began))
	}
	for range evidence {
		series = append(series, SeriesEvidence)
	}
	return series
}

// done hands a document over, once the ids of its evidence are reserved.
func (w work) done(schema string, body []byte, r result, from int) (line.Move, error) {
	own := account{Numbers: w.in.Numbers, Links: r.links}
	for _, reply := range w.in.Replies {
		own.Replies = append(own.Replies, hash(reply.Content))
		if reply.Model != "" {
			own.LLMModel = reply.Model
		}
	}
	raw, err := json.Marshal(own)
	if err != nil {
		return line.Move{}, err
	}
	for i := range r.evidence {
		r.evidence[i].ID = ID(SeriesEvidence, w.in.Numbers[from+i])
	}
	return line.Move{Done: &line.Out{Body: body, Schema: schema, Account: kernel.Account{Body: raw, Evidence: r.evidence, Decisions: r.decisions}}}, nil
}

// deliver hands a new spec version over. Its number and those of its evidence are reserved first.
func (w work) deliver(s CanonicalSpec, r result) (line.Move, error) {
	want := w.numbers(true, len(r.evidence))
	if len(w.in.Numbers) < len(want) {
		return line.Move{Numbers: want[len(w.in.Numbers):]}, nil
	}
	began := w.in.Attempt.Began
	s.SchemaVersion = SchemaVersion
	s.Feature.FeatureID, s.Feature.UpdatedAt = w.FeatureID, stamp(began)
	if s.Feature.CreatedAt == "" {
		s.Feature.CreatedAt = stamp(w.in.Run.Opened())
	}
	s.ProjectContextRef = w.context
	if s.Decision.Recommendation == "" {
		s.Decision.Recommendation = Hold
	}
	s.Meta.SpecVersion = ID(VersionSeries(began), w.in.Numbers[0])
	s.Quality = Measure(s)
	body, err := s.Encode()
	if err != nil {
		return line.Move{}, err
	}
	m, err := w.done(SpecSchema, body, r, 1)
	if err == nil {
		m.Done.ID = kernel.VersionID(s.Meta.SpecVersion)
	}
	return m, err
}

// reply decodes the last answer of a model.
func reply[T any](in line.In) (T, error) {
	var out T
	if err := json.Unmarshal([]byte(in.Replies[len(in.Replies)-1].Content), &out); err != nil {
		return out, line.Unusable{Reason: err.Error()}
	}
	return out, nil
}

// Given is what an agent is told: for the prompt's template, for rehearsal, and for the record. Fields that stand have the
// names that the reply has them under.
type Given struct {
	FeatureID          string         `json:"feature_id"`
	Round              int            `json:"round"`
	Take               int            `json:"take"`
	Language           string         `json:"language,omitempty"`
	Title              string         `json:"title,omitempty"`
	Goal               string         `json:"goal,omitempty"`
	Background         string         `json:"background,omitempty"`
	NonGoals           []string       `json:"non_goals,omitempty"`
	AcceptanceCriteria []Criterion    `json:"acceptance_criteria,omitempty"`
	KnownAssumptions   []string       `json:"known_assumptions,omitempty"`
	Constraints        []string       `json:"constraints,omitempty"`
	Tasks              []Task         `json:"tasks,omitempty"`
	VV                 []Verification `json:"vv,omitempty"`
	MissingFields      []MissingField `json:"missing_fields,omitempty"`
	Answers            []Answer       `json:"answers,omitempty"`
	Material           *Material      `json:"material,omitempty"` // what a person wrote
}

// extensionLanguage is where a spec keeps the language of its input, in which every later step writes.
const extensionLanguage = "language"

// given tells an agent what stands in a spec.
func (w work) given(s CanonicalSpec, missing []MissingField) Given {
	g := Given{FeatureID: w.FeatureID, Round: w.Round, Take: w.in.Attempt.Take, Title: s.Feature.Title, Goal: s.Spec.Goal, Background: s.Spec.Background,
		NonGoals: s.Spec.NonGoals, AcceptanceCriteria: s.Spec.AcceptanceCriteria, KnownAssumptions: s.Planning.KnownAssumptions,
		Constraints: s.Planning.Constraints, Tasks: s.Planning.Tasks, VV: s.Planning.VV, MissingFields: missing}
	if err := json.Unmarshal(s.Meta.Extensions[extensionLanguage], &g.Language); err != nil {
		g.Language = "" // nobody said
	}
	if w.found != nil {
		m := w.found.material()
		g.Material, g.Language = &m, m.Language
	}
	if w.answers != nil {
		g.Answers = w.answers.Answers
	}
	return g
}

// ask renders the question to an agent.
func (s steps) ask(w work, agent string, shape json.RawMessage, g Given) (line.Move, error) {
	c := line.Call{Slot: "1", Agent: agent, Schema: shape}
	for _, d := range w.in.Inputs {
		c.Sources = append(c.Sources, d.Version.Digest)
	}
	var err error
	if c.System, c.Prompt, err = s.prompts.Render(agent, g); err != nil {
		return line.Move{}, err
	}
	c.Inputs, err = json.Marshal(g)
	return line.Move{Calls: []line.Call{c}}, err
}

// link names what evidence supports, as the journal keeps it.
func link(path string) string { return "spec_path:" + path }

func linkStep(s StepName) string { return "step:" + string(s) }

// listMissing words missing paths for a reason.
func listMissing(all []MissingField) string {
	const most = 5
	text := ""
	for i, m := range all {
		if i == most {
			return fmt.Sprintf("%s and %d more", text, len(all)-most)
		}
		if i > 0 {
			text += ", "
		}
		text += m.Path
	}
	return text
}

// union adds what is not there yet.
func union[T comparable](have, more []T) []T {
	out := slices.Clone(have)
	seen := map[T]bool{}
	for _, h := range have {
		seen[h] = true
	}
	for _, m := range more {
		if !seen[m] {
			seen[m] = true
			out = append(out, m)
		}
	}
	return out
}
