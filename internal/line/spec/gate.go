package spec

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// GateRevision names these rules. Results recompute identically under the same revision.
const GateRevision = 1

// Stage says what a validation is to release. It is an argument and never the feature's status, so that the same spec
// always gives the same result.
type Stage string

const (
	StageSpec  Stage = "spec"  // after compile: S alone releases
	StageReady Stage = "ready" // after generate_vv: S, T and V
)

// Stages lists them.
func Stages() []Stage { return []Stage{StageSpec, StageReady} }

// Limits of a goal, in characters.
const (
	MinGoal = 10
	MaxGoal = 500
)

// GateResult is what the gates say about a spec at a stage. All three are always computed and shown; MissingFields are
// those of the gates that the stage asks for, in gate order.
type GateResult struct {
	Stage             Stage           `json:"stage"`
	GateS             Gate            `json:"gate_s"`
	GateT             Gate            `json:"gate_t"`
	GateV             Gate            `json:"gate_v"`
	CompletenessScore float64         `json:"completeness_score"`
	WeightedDetails   WeightedDetails `json:"weighted_details"`
	OverallPass       bool            `json:"overall_pass"`
	MissingFields     []MissingField  `json:"missing_fields"`
	NextStep          StepName        `json:"next_step"`
}

// Gate is the result of one gate.
type Gate struct {
	Pass          bool           `json:"pass"`
	MissingFields []MissingField `json:"missing_fields"`
	Reasons       []string       `json:"reasons"`
}

// Evaluate is the gate engine: a pure function of a spec and a stage.
func Evaluate(s CanonicalSpec, stage Stage) GateResult {
	shape := readShape(s.Planning)
	r := GateResult{Stage: stage, GateS: gateS(s.Spec), GateT: gateT(s.Planning, shape), GateV: gateV(s.Planning, shape)}
	r.CompletenessScore, r.WeightedDetails = score(s, shape)
	r.OverallPass = r.GateS.Pass
	r.MissingFields = append([]MissingField{}, r.GateS.MissingFields...)
	if stage != StageSpec {
		r.OverallPass = r.GateS.Pass && r.GateT.Pass && r.GateV.Pass
		r.MissingFields = append(append(r.MissingFields, r.GateT.MissingFields...), r.GateV.MissingFields...)
	}
	switch {
	case !r.OverallPass:
		r.NextStep = StepClarify
	case stage == StageSpec:
		r.NextStep = StepPlan
	default:
		r.NextStep = StepReview
	}
	return r
}

// Measure is the quality of a spec: its score, and what keeps any of the three gates closed.
func Measure(s CanonicalSpec) Quality {
	r := Evaluate(s, StageReady)
	return Quality{CompletenessScore: r.CompletenessScore, MissingFields: r.MissingFields}
}

// report gathers what a gate misses.
type report struct{ gate Gate }

func newReport() *report { return &report{Gate{MissingFields: []MissingField{}, Reasons: []string{}}} }

func (r *report) miss(path, format string, args ...any) {
	reason := fmt.Sprintf(format, args...)
	r.gate.MissingFields = append(r.gate.MissingFields, MissingField{Path: path, Reason: reason})
	r.gate.Reasons = append(r.gate.Reasons, path+": "+reason)
}

// text misses a field that says nothing.
func (r *report) text(path, value string) {
	if isBlank(value) {
		r.miss(path, "it is missing")
	}
}

func (r *report) result() Gate {
	r.gate.Pass = len(r.gate.MissingFields) == 0
	return r.gate
}

// gateS: the goal has 10 to 500 characters, and there is a criterion, each with an id and what it demands.
func gateS(s Requirement) Gate {
	r := newReport()
	switch n := goalLength(s.Goal); {
	case n == 0:
		r.miss("spec.goal", "it is missing")
	case n < MinGoal:
		r.miss("spec.goal", "it has %d characters, and at least %d are needed", n, MinGoal)
	case n > MaxGoal:
		r.miss("spec.goal", "it has %d characters, and at most %d are allowed", n, MaxGoal)
	}
	if len(s.AcceptanceCriteria) == 0 {
		r.miss("spec.acceptance_criteria", "there is none, and at least 1 is needed")
	}
	seen := map[string]bool{}
	for i, c := range s.AcceptanceCriteria {
		at := "spec.acceptance_criteria[" + strconv.Itoa(i) + "]"
		r.id(at+".id", c.ID, seen)
		r.text(at+".criteria", c.Criteria)
	}
	return r.result()
}

// id misses an id that is not there, or that another has already.
func (r *report) id(path, id string, seen map[string]bool) {
	switch {
	case isBlank(id):
		r.miss(path, "it is missing")
	case seen[id]:
		r.miss(path, "%s is the id of another one already", id)
	}
	seen[id] = true
}

// gateT: there is a task, each with task_id, title, type and scope, and its dependencies exist and lead in no circle.
func gateT(p Planning, shape shape) Gate {
	r := newReport()
	if len(p.Tasks) == 0 {
		r.miss("planning.tasks", "there is none, and at least 1 is needed")
	}
	seen := map[string]bool{}
	for i, t := range p.Tasks {
		at := "planning.tasks[" + strconv.Itoa(i) + "]"
		r.id(at+".task_id", t.TaskID, seen)
		r.text(at+".title", t.Title)
		if !slices.Contains(TaskTypes(), t.Type) {
			r.miss(at+".type", "it is %q, not one of %s", t.Type, listed(TaskTypes()))
		}
		r.text(at+".scope", t.Scope)
		if why := shape.badDependencies[i]; why != "" {
			r.miss(at+".dependencies", "%s", why)
		}
	}
	return r.result()
}

// gateV: there are tasks and every one has a vv, each with vv_id, an existing task_id, procedure and expected_result.
func gateV(p Planning, shape shape) Gate {
	r := newReport()
	switch {
	case len(p.VV) == 0:
		r.miss("planning.vv", "there is none, and every task needs at least 1")
	case len(p.Tasks) == 0:
		r.miss("planning.vv", "there is no task that could be verified")
	default:
		if open := shape.uncovered(p.Tasks); len(open) > 0 {
			r.miss("planning.vv", "there is none for %s", strings.Join(open, ", "))
		}
	}
	seen := map[string]bool{}
	for i, v := range p.VV {
		at := "planning.vv[" + strconv.Itoa(i) + "]"
		r.id(at+".vv_id", v.VVID, seen)
		if isBlank(v.TaskID) {
			r.miss(at+".task_id", "it is missing")
		} else if _, ok := shape.task[v.TaskID]; !ok {
			r.miss(at+".task_id", "there is no task %s", v.TaskID)
		}
		r.text(at+".procedure", v.Procedure)
		r.text(at+".expected_result", v.ExpectedResult)
	}
	return r.result()
}

// goalLength counts the characters of a goal without the space around it.
func goalLength(goal string) int { return utf8.RuneCountInString(trim(goal)) }

// isBlank tells whether a text says nothing: space and invisible characters are no text.
func isBlank(s string) bool { return trim(s) == "" }

func trim(s string) string {
	return strings.TrimFunc(s, func(c rune) bool { return unicode.IsSpace(c) || unicode.IsControl(c) || unicode.Is(unicode.Cf, c) })
}

func listed[E ~string](values []E) string {
	names := make([]string, len(values))
	for i, v := range values {
		names[i] = string(v)
	}
	return strings.Join(names, ", ")
}
