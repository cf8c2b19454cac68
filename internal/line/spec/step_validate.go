package spec

import (
	"fmt"
	"strconv"
	"strings"

	"sluice/internal/kernel"
	"sluice/internal/line"
)

// stepValidate is the gate engine as a step: it reads a spec, changes nothing, and says which way the work goes.
func stepValidate(in line.In) (line.Move, error) {
	w, err := read(in)
	if err != nil {
		return line.Move{}, err
	}
	if err := w.needs(w.base != nil, "spec"); err != nil {
		return line.Move{}, err
	}
	gate := Evaluate(*w.base, w.Stage)
	body, err := encode(gate)
	if err != nil {
		return line.Move{}, err
	}
	d := kernel.Decision{Decision: "enter_clarify_loop", Reason: gate.reason(), NextStep: string(gate.NextStep)}
	schema := GateFailed
	if gate.OverallPass {
		d.Decision, schema = string(gate.NextStep), GatePassed
	}
	return w.done(schema, body, result{decisions: []kernel.Decision{d}}, 0)
}

// reason says in a line why a gate is open or closed.
func (g GateResult) reason() string {
	if g.OverallPass && g.Stage == StageSpec {
		return "GateS pass"
	}
	if g.OverallPass {
		return "GateS, GateT and GateV pass"
	}
	var closed []string
	for _, one := range []struct {
		name string
		gate Gate
		asks bool
	}{{"GateS", g.GateS, true}, {"GateT", g.GateT, g.Stage != StageSpec}, {"GateV", g.GateV, g.Stage != StageSpec}} {
		if one.asks && !one.gate.Pass {
			closed = append(closed, one.name+" fail: "+listMissing(one.gate.MissingFields)+" missing")
		}
	}
	return strings.Join(closed, "; ")
}

// QuestionsDocument is what a clarify round asks.
type QuestionsDocument struct {
	Questions []Question `json:"questions"`
}

// stepClarify makes one question of every missing path, in the order of the gates. A model words them; which paths, in
// which order and with which choices is ours.
func (s steps) stepClarify(in line.In) (line.Move, error) {
	w, err := read(in)
	if err != nil {
		return line.Move{}, err
	}
	if err := w.needs(w.base != nil && w.gate != nil, "spec and gate result"); err != nil {
		return line.Move{}, err
	}
	if len(in.Replies) == 0 {
		return s.ask(w, AgentQuestions, s.schemas.questions, w.given(*w.base, w.gate.MissingFields))
	}
	got, err := reply[QuestionsReply](in)
	if err != nil {
		return line.Move{}, err
	}
	worded := map[string]string{}
	for _, q := range got.Questions {
		if text := clean(q.Question); text != "" && worded[q.Path] == "" {
			worded[q.Path] = cut(strings.Join(strings.Fields(text), " "), 500)
		}
	}
	var d QuestionsDocument
	for i, m := range w.gate.MissingFields {
		q := Question{ID: "Q-" + strconv.Itoa(i+1), Path: m.Path, Question: worded[m.Path], Choices: choices(*w.base, m.Path)}
		if q.Question == "" {
			q.Question = fmt.Sprintf("What is %s? (%s)", m.Path, m.Reason)
		}
		d.Questions = append(d.Questions, q)
	}
	body, err := encode(d)
	if err != nil {
		return line.Move{}, err
	}
	decision := kernel.Decision{Decision: "ask", Reason: fmt.Sprintf("%d fields are missing", len(d.Questions)), NextStep: string(StepApply)}
	if w.Stuck {
		decision = kernel.Decision{Decision: "ask_again", NextStep: string(StepApply),
			Reason: fmt.Sprintf("the answers of round %d closed none of the fields that they were asked for", w.Round-1)}
	}
	return w.done(QuestionsDoc, body, result{decisions: []kernel.Decision{decision}}, 0)
}

// choices are those of a field that has some.
func choices(s CanonicalSpec, path string) []string {
	_, _, field, ok := splitPath(path)
	switch {
	case !ok:
		return nil
	case strings.HasPrefix(path, "planning.tasks[") && field == "type":
		return names(TaskTypes())
	case strings.HasPrefix(path, "planning.vv[") && field == "task_id":
		var ids []string
		for _, t := range s.Planning.Tasks {
			if !isBlank(t.TaskID) {
				ids = append(ids, t.TaskID)
			}
		}
		return ids
	}
	return nil
}

func names[E ~string](values []E) []string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = string(v)
	}
	return out
}
