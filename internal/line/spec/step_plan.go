package spec

import (
	"encoding/json"
	"fmt"

	"sluice/internal/kernel"
	"sluice/internal/line"
)

// stepApply puts a person's answers into the spec, word for word, and lets a model complete what they left half said.
// Everything else stays as it is.
func (s steps) stepApply(in line.In) (line.Move, error) {
	w, err := read(in)
	if err != nil {
		return line.Move{}, err
	}
	if err := w.needs(w.base != nil && w.answers != nil, "spec and answers"); err != nil {
		return line.Move{}, err
	}
	applied, err := w.answers.apply(*w.base)
	if err != nil {
		return line.Move{}, err
	}
	if len(in.Replies) == 0 {
		return s.ask(w, AgentApply, s.schemas.fill, w.given(applied, Evaluate(applied, StageReady).MissingFields))
	}
	got, err := reply[FillReply](in)
	if err != nil {
		return line.Move{}, err
	}
	got.complete(&applied, *w.base)
	r := result{decisions: []kernel.Decision{{Decision: "recompile", Reason: fmt.Sprintf("%d answers applied", len(w.answers.Answers)), NextStep: string(StepCompile)}}}
	for _, a := range w.answers.Answers {
		r.evidence = append(r.evidence, kernel.Evidence{Type: string(Quote), Ref: fmt.Sprintf("answer://%s/r%d#%s", w.RunID, w.Round, a.Path), Hash: hash(a.Value),
			Excerpt: excerpt(a.Value), Note: "answered by " + w.answers.By, LinkedTo: []string{link(a.Path), linkStep(StepApply)}})
	}
	return w.deliver(applied, r)
}

// complete fills what is empty in items that the answers brought or changed, and in no other.
func (f FillReply) complete(s *CanonicalSpec, before CanonicalSpec) {
	old := newOld(before)
	hinted := fillHints(s.Spec.AcceptanceCriteria, f.AcceptanceCriteria)
	for i, c := range s.Spec.AcceptanceCriteria {
		if !old.criteria[c] {
			s.Spec.AcceptanceCriteria[i] = hinted[i]
		}
	}
	filled := fillTasks(s.Planning.Tasks, f.Tasks, false)
	for i, t := range s.Planning.Tasks {
		if !old.isTask(t) {
			s.Planning.Tasks[i] = filled[i]
		}
	}
	verified := fillVV(s.Planning, f.VV, false)
	for i, v := range s.Planning.VV {
		if !old.isVV(v) {
			s.Planning.VV[i] = verified[i]
		}
	}
}

// old remembers what stood, so that it is left alone.
type old struct {
	criteria map[Criterion]bool
	tasks    map[string]bool
	vv       map[string]bool
}

func newOld(s CanonicalSpec) old {
	o := old{map[Criterion]bool{}, map[string]bool{}, map[string]bool{}}
	for _, c := range s.Spec.AcceptanceCriteria {
		o.criteria[c] = true
	}
	for _, t := range s.Planning.Tasks {
		o.tasks[written(t)] = true
	}
	for _, v := range s.Planning.VV {
		o.vv[written(v)] = true
	}
	return o
}

func (o old) isTask(t Task) bool       { return o.tasks[written(t)] }
func (o old) isVV(v Verification) bool { return o.vv[written(v)] }

// written is a value as its file has it, by which two are told apart.
func written[T Task | Verification](v T) string {
	raw, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(raw)
}

// stepPlan plans tasks. Those that pass, and all that a person supplied, stay word for word; a model fills what is missing.
func (s steps) stepPlan(in line.In) (line.Move, error) {
	w, err := read(in)
	if err != nil {
		return line.Move{}, err
	}
	if err := w.needs(w.base != nil, "spec"); err != nil {
		return line.Move{}, err
	}
	planned := *w.base
	gate := Evaluate(planned, StageReady)
	wantNew := len(planned.Planning.Tasks) == 0 || w.amends()
	if len(in.Replies) == 0 && (!gate.GateT.Pass || wantNew) {
		return s.ask(w, AgentPlan, s.schemas.plan, w.given(planned, gate.GateT.MissingFields))
	}
	reason := "every task passes as it is"
	if len(in.Replies) > 0 {
		got, err := reply[PlanReply](in)
		if err != nil {
			return line.Move{}, err
		}
		had := len(planned.Planning.Tasks)
		planned.Planning.Tasks = fillTasks(planned.Planning.Tasks, got.Tasks, wantNew)
		fillList(&planned.Planning.KnownAssumptions, got.KnownAssumptions)
		fillList(&planned.Planning.Constraints, got.Constraints)
		if m := got.MVPDefinition; m != nil && planned.Planning.MVPDefinition == nil && !isBlank(m.Goal) {
			planned.Planning.MVPDefinition = &MVP{Goal: clean(m.Goal), CutLines: cleanAll(m.CutLines), Risks: cleanAll(m.Risks)}
		}
		reason = fmt.Sprintf("%d tasks kept, %d added", had, len(planned.Planning.Tasks)-had)
	}
	return w.deliver(planned, result{decisions: []kernel.Decision{{Decision: "verify", Reason: reason, NextStep: string(StepVV)}}})
}

// amends tells whether this is the first plan of a pass that amends an older spec: new criteria may want new tasks.
func (w work) amends() bool {
	if w.Pass == 1 {
		return false
	}
	for at := (Place{w.Pass, 1}); at.Round < w.Round; at.Round++ {
		if _, ok := w.in.Run.Node(at.Node(partPlan)); ok {
			return false
		}
	}
	return true
}

// stepVV says how every task is verified, likewise.
func (s steps) stepVV(in line.In) (line.Move, error) {
	w, err := read(in)
	if err != nil {
		return line.Move{}, err
	}
	if err := w.needs(w.base != nil, "spec"); err != nil {
		return line.Move{}, err
	}
	verified := *w.base
	gate := Evaluate(verified, StageReady)
	if len(in.Replies) == 0 && !gate.GateV.Pass && len(verified.Planning.Tasks) > 0 {
		return s.ask(w, AgentVV, s.schemas.vv, w.given(verified, gate.GateV.MissingFields))
	}
	reason := "every task is verified as it is"
	if len(in.Replies) > 0 {
		got, err := reply[VVReply](in)
		if err != nil {
			return line.Move{}, err
		}
		had := len(verified.Planning.VV)
		verified.Planning.VV = fillVV(verified.Planning, got.VV, true)
		reason = fmt.Sprintf("%d verifications kept, %d added", had, len(verified.Planning.VV)-had)
	}
	verified.Decision = Advice{Recommendation: Hold, Rationale: []string{Evaluate(verified, StageReady).reason()}}
	if Evaluate(verified, StageReady).OverallPass {
		verified.Decision.Recommendation = Go
	}
	return w.deliver(verified, result{decisions: []kernel.Decision{{Decision: "validate", Reason: reason, NextStep: string(StepValidate)}}})
}
