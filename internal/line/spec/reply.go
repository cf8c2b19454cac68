package spec

import (
	"encoding/json"

	"sluice/internal/schema"
)

// Agents that the steps ask.
const (
	AgentCompile   = "compile"
	AgentQuestions = "clarify-questions"
	AgentApply     = "apply-answers"
	AgentPlan      = "plan-tasks"
	AgentVV        = "generate-vv"
)

// CompileReply is what a model fills of a spec. Every field may be left out: what is missing is asked of a person.
// Nothing that a gate decides occurs in it.
type CompileReply struct {
	Title              string      `json:"title,omitempty" jsonschema:"a short title of the feature"`
	Goal               string      `json:"goal,omitempty" jsonschema:"what is to be reached, in 10 to 500 characters; leave it out if the input does not say"`
	Background         string      `json:"background,omitempty"`
	NonGoals           []string    `json:"non_goals,omitempty"`
	AcceptanceCriteria []Criterion `json:"acceptance_criteria,omitempty" jsonschema:"each can be checked; ids AC-1, AC-2 and so on"`
	KnownAssumptions   []string    `json:"known_assumptions,omitempty"`
	Constraints        []string    `json:"constraints,omitempty"`
}

// QuestionsReply words one question per missing path.
type QuestionsReply struct {
	Questions []AskedQuestion `json:"questions"`
}

// AskedQuestion is a question as a model words it. Its number and its choices are ours.
type AskedQuestion struct {
	Path     string `json:"path"`
	Question string `json:"question"`
}

// FillReply completes what answers left half said: hints of criteria, fields of tasks and of verifications.
type FillReply struct {
	AcceptanceCriteria []Criterion    `json:"acceptance_criteria,omitempty"`
	Tasks              []Task         `json:"tasks,omitempty"`
	VV                 []Verification `json:"vv,omitempty"`
}

// PlanReply is the tasks a model proposes.
type PlanReply struct {
	MVPDefinition    *MVP     `json:"mvp_definition,omitempty"`
	Tasks            []Task   `json:"tasks"`
	KnownAssumptions []string `json:"known_assumptions,omitempty"`
	Constraints      []string `json:"constraints,omitempty"`
}

// VVReply is how a model would verify tasks.
type VVReply struct {
	VV []Verification `json:"vv"`
}

// schemas are those of the replies, made once.
type schemas struct{ compile, questions, fill, plan, vv json.RawMessage }

func replySchemas() (schemas, error) {
	var s schemas
	var err error
	task := func(path string) []schema.Option {
		return []schema.Option{schema.EnumType(TaskTypes()...), schema.EnumType(Units()...), schema.Above(path+".estimate.value", 0),
			schema.Optional(path + ".title"), schema.Optional(path + ".type"), schema.Optional(path + ".scope")}
	}
	vv := func(path string) []schema.Option {
		return []schema.Option{schema.EnumType(VVTypes()...), schema.Optional(path + ".vv_id"), schema.Optional(path + ".type"),
			schema.Optional(path + ".procedure"), schema.Optional(path + ".expected_result"), schema.Optional(path + ".evidence_required")}
	}
	if s.compile, err = schema.For[CompileReply](schema.Optional("acceptance_criteria.id")); err != nil {
		return s, err
	}
	if s.questions, err = schema.For[QuestionsReply](); err != nil {
		return s, err
	}
	fill := append(append(task("tasks"), vv("vv")...), schema.Optional("acceptance_criteria.criteria"))
	if s.fill, err = schema.For[FillReply](fill...); err != nil {
		return s, err
	}
	if s.plan, err = schema.For[PlanReply](task("tasks")...); err != nil {
		return s, err
	}
	s.vv, err = schema.For[VVReply](vv("vv")...)
	return s, err
}
