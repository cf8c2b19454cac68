package spec

import (
	"encoding/json"
	"strconv"
	"strings"

	"sluice/internal/kernel"
	"sluice/internal/line"
)

// stepCompile makes a spec of what was written. That stays word for word; a model fills the rest. What neither gives
// stays empty and makes a draft, which is no error: the gate will ask for it.
func (s steps) stepCompile(in line.In) (line.Move, error) {
	w, err := read(in)
	if err != nil {
		return line.Move{}, err
	}
	if err := w.needs(w.found != nil, "ingest result"); err != nil {
		return line.Move{}, err
	}
	kept := w.kept()
	if gate := Evaluate(kept, StageSpec); len(in.Replies) == 0 && (w.Round == 1 || !gate.OverallPass) {
		return s.ask(w, AgentCompile, s.schemas.compile, w.given(kept, gate.MissingFields))
	}
	if len(in.Replies) > 0 {
		got, err := reply[CompileReply](in)
		if err != nil {
			return line.Move{}, err
		}
		got.fill(&kept)
	}
	if kept.Feature.Title == "" {
		kept.Feature.Title = cut(strings.Join(strings.Fields(kept.Spec.Goal), " "), 80)
	}
	if kept.Feature.Title == "" {
		kept.Feature.Title = in.Run.Title()
	}
	return w.deliver(kept, w.compiled(kept))
}

// kept is the spec of what people gave: what stood before, and in the first round what the pass began with.
func (w work) kept() CanonicalSpec {
	var s CanonicalSpec
	if w.base != nil {
		s = *w.base
	}
	if w.Round > 1 {
		return s
	}
	s.Feature.Title = w.found.title(s)
	s, _ = lay(s, w.found.Found)
	var artifacts []SourceArtifact
	for _, d := range w.found.Found.Sources {
		artifacts = append(artifacts, SourceArtifact{Type: ArtifactType(d.Type()), Ref: d.Ref})
	}
	s.Meta.SourceArtifacts = union(s.Meta.SourceArtifacts, artifacts)
	extensions := map[string]json.RawMessage{extensionLanguage: json.RawMessage(strconv.Quote(string(w.found.Found.Language)))}
	for k, v := range s.Meta.Extensions {
		extensions[k] = v // the language that a feature began in stays
	}
	s.Meta.Extensions = extensions
	return s
}

// compiled says how complete the spec came out. A draft is told as partial success, with evidence of what is missing.
func (w work) compiled(s CanonicalSpec) result {
	r := result{}
	if w.Round == 1 {
		r.links = w.found.links()
	}
	gate := Evaluate(s, StageSpec)
	if gate.OverallPass {
		r.decisions = []kernel.Decision{{Decision: "validate", Reason: "every key field is there", NextStep: string(StepValidate)}}
		return r
	}
	missing := listMissing(gate.MissingFields)
	r.decisions = []kernel.Decision{{Decision: "draft", Reason: "partial success: " + missing + " missing", NextStep: string(StepValidate)}}
	e := kernel.Evidence{Type: string(APIResult), Ref: "run://" + w.RunID + "/" + string(w.in.Attempt.ID), Note: "partial success",
		Excerpt: excerpt("key fields are missing: " + missing)}
	for i, m := range gate.MissingFields {
		if i < 100 {
			e.LinkedTo = append(e.LinkedTo, link(m.Path))
		}
	}
	e.LinkedTo = append(e.LinkedTo, linkStep(StepCompile))
	r.evidence = []kernel.Evidence{e}
	return r
}

// fill puts a model's words where nobody wrote anything.
func (c CompileReply) fill(s *CanonicalSpec) {
	if s.Feature.Title == "" {
		s.Feature.Title = cut(strings.Join(strings.Fields(clean(c.Title)), " "), 200)
	}
	fillText(&s.Spec.Goal, c.Goal)
	fillText(&s.Spec.Background, c.Background)
	fillList(&s.Spec.NonGoals, c.NonGoals)
	fillList(&s.Planning.KnownAssumptions, c.KnownAssumptions)
	fillList(&s.Planning.Constraints, c.Constraints)
	if len(s.Spec.AcceptanceCriteria) > 0 {
		s.Spec.AcceptanceCriteria = fillHints(s.Spec.AcceptanceCriteria, c.AcceptanceCriteria)
		return
	}
	n := numbering{prefix: "AC-", taken: map[string]bool{}}
	for _, one := range c.AcceptanceCriteria {
		if text := clean(one.Criteria); text != "" {
			s.Spec.AcceptanceCriteria = append(s.Spec.AcceptanceCriteria, Criterion{ID: n.next(""), Criteria: text, TestHint: clean(one.TestHint)})
		}
	}
}

func fillList(to *[]string, from []string) {
	if len(*to) == 0 {
		*to = cleanAll(from)
	}
}
