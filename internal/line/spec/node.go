package spec

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"sluice/internal/fault"
	"sluice/internal/kernel"
)

// Schemas of the documents that nodes hold. What a gate or a person said is part of the name, so that where a feature
// stands is known without reading any bytes.
const (
	InputSchema   = "spec/input"
	IngestSchema  = "spec/ingest_result"
	SpecSchema    = "spec/canonical"
	GatePassed    = "spec/gate_result/pass"
	GateFailed    = "spec/gate_result/fail"
	QuestionsDoc  = "spec/questions"
	AnswersSchema = "spec/answers"
	reviewSchema  = "spec/review/" // and the decision
)

// inputStep and answersStep are a person's, and no steps of the pipeline.
const (
	inputStep   = "input"
	answersStep = "answers"
)

// Part names of a round's nodes.
const (
	partCompile   = "compile"
	partValidate  = "validate"
	partQuestions = "questions"
	partAnswers   = "answers"
	partApply     = "apply"
	partPlan      = "plan"
	partVV        = "vv"
	partReady     = "ready"
	partReview    = "review"
)

// Place is a round of a pass. A pass is one execution of the pipeline and has an R-… of its own; a round begins with
// compile and ends with a review, or with answers that begin the next.
type Place struct {
	Pass  int
	Round int
}

// Input is the node of what a person gave.
func (p Place) Input() kernel.NodeID { return kernel.NodeID("p" + strconv.Itoa(p.Pass) + "/input") }

// Ingest is the node of the pass's ingest.
func (p Place) Ingest() kernel.NodeID { return kernel.NodeID("p" + strconv.Itoa(p.Pass) + "/ingest") }

// Node is a node of the round.
func (p Place) Node(part string) kernel.NodeID {
	return kernel.NodeID(fmt.Sprintf("p%d/r%d/%s", p.Pass, p.Round, part))
}

// Questions, Answers and Review are what people meet of a round.
func (p Place) Questions() kernel.NodeID { return p.Node(partQuestions) }
func (p Place) Answers() kernel.NodeID   { return p.Node(partAnswers) }
func (p Place) Review() kernel.NodeID    { return p.Node(partReview) }

// Publish is the node of publishing to a target.
func (p Place) Publish(target string) kernel.NodeID { return p.Node("publish/" + target) }

// Next is the round after.
func (p Place) Next() Place { return Place{p.Pass, p.Round + 1} }

// Params are what a node of this line knows.
type Params struct {
	FeatureID string `json:"feature_id"`
	RunID     string `json:"run_id"`
	Pass      int    `json:"pass"`
	Round     int    `json:"round,omitempty"`
	Stage     Stage  `json:"stage,omitempty"` // of a validation
	// Asked are the paths that the round before asked for: one that closes none of them says so.
	Asked []string `json:"asked,omitempty"`
	Stuck bool     `json:"stuck,omitempty"`
	// SpecVersion is what a review is about, and nothing else.
	SpecVersion string `json:"spec_version,omitempty"`
	// Source is the node whose spec a clarify round improves.
	Source kernel.NodeID `json:"source,omitempty"`
	// Feature is the title of the spec that a first validation is about, so that lists have it without reading any bytes.
	Feature string `json:"feature,omitempty"`
}

func (p Params) place() Place { return Place{p.Pass, p.Round} }

// ParamsOf reads what a node knows.
func ParamsOf(n kernel.Node) (Params, error) {
	var p Params
	if err := json.Unmarshal(n.Params, &p); err != nil {
		return p, fault.Wrap(fault.BadNode, string(n.ID), err, "the parameters of node %s do not parse", n.ID)
	}
	return p, nil
}

// attempts is how often a step whose replies stay unusable is made before it fails.
const attempts = 2

// node makes a node of the pipeline that the engine performs.
func (p Params) node(id kernel.NodeID, step StepName, needs ...kernel.NodeID) (kernel.Node, error) {
	raw, err := json.Marshal(p)
	n := kernel.Node{ID: id, Kind: kernel.Make, Title: p.title(step), Step: string(step), Performer: kernel.Engine,
		Attempts: attempts, OnExhausted: kernel.FailNode, Params: raw}
	for _, need := range needs {
		if need != "" {
			n.Needs = append(n.Needs, kernel.Need{Node: need})
		}
	}
	return n, err
}

func (p Params) title(step StepName) string {
	if p.Round == 0 {
		return fmt.Sprintf("%s of %s", step, p.RunID)
	}
	return fmt.Sprintf("%s of %s, round %d", step, p.RunID, p.Round)
}

// passNodes begin a pass: what was given, ingest, and the first round. base is the node whose spec is amended, if any.
func passNodes(p Params, base kernel.NodeID) ([]kernel.Node, error) {
	raw, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	at := Place{p.Pass, 1}
	input := kernel.Node{ID: at.Input(), Kind: kernel.Make, Title: "input of " + p.RunID, Step: inputStep, Performer: kernel.Person, Params: raw,
		Ask: &kernel.AskSpec{Kind: kernel.AskSupply, Title: "What is wanted?", Options: []kernel.Option{{Value: "supply", Effect: kernel.SupplyIt}}}}
	ingest, err := p.node(at.Ingest(), StepIngest, at.Input(), base)
	if err != nil {
		return nil, err
	}
	p.Round = 1
	round, err := roundNodes(p, base)
	return append([]kernel.Node{input, ingest}, round...), err
}

// roundNodes begin a round. What follows compile is known when the spec is.
func roundNodes(p Params, from kernel.NodeID) ([]kernel.Node, error) {
	at := p.place()
	compile, err := p.node(at.Node(partCompile), StepCompile, at.Ingest(), from)
	if err != nil {
		return nil, err
	}
	compile.Unfolds = true
	return []kernel.Node{compile}, nil
}

// validateNodes follow a compiled spec.
func validateNodes(p Params, compile kernel.NodeID, s CanonicalSpec) ([]kernel.Node, error) {
	p.Stage, p.Source, p.Feature = StageSpec, compile, cut(strings.Join(strings.Fields(clean(s.Feature.Title)), " "), 80)
	validate, err := p.node(p.place().Node(partValidate), StepValidate, compile)
	validate.Unfolds = true
	return []kernel.Node{validate}, err
}

// planNodes follow a spec whose gate S is open: tasks, how they are verified, and the second validation.
func planNodes(p Params) ([]kernel.Node, error) {
	at := p.place()
	p.Stage = ""
	plan, err := p.node(at.Node(partPlan), StepPlan, at.Node(partCompile))
	if err != nil {
		return nil, err
	}
	vv, err := p.node(at.Node(partVV), StepVV, plan.ID)
	if err != nil {
		return nil, err
	}
	p.Stage, p.Source = StageReady, vv.ID
	ready, err := p.node(at.Node(partReady), StepValidate, vv.ID)
	ready.Unfolds = true
	return []kernel.Node{plan, vv, ready}, err
}

// clarifyNodes follow a closed gate.
func clarifyNodes(p Params, gate kernel.NodeID) ([]kernel.Node, error) {
	questions, err := p.node(p.place().Questions(), StepClarify, p.Source, gate)
	questions.Unfolds = true
	return []kernel.Node{questions}, err
}

// answerNodes follow questions: the person's answers, and the step that applies them.
func answerNodes(p Params, questions []Question) ([]kernel.Node, error) {
	at := p.place()
	p.Asked = nil
	for _, q := range questions {
		p.Asked = append(p.Asked, q.Path)
	}
	raw, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	answers := kernel.Node{ID: at.Answers(), Kind: kernel.Make, Title: p.title("answers"), Step: answersStep, Performer: kernel.Person, Params: raw,
		Needs: []kernel.Need{{Node: p.Source}},
		Ask: &kernel.AskSpec{Kind: kernel.AskAnswer, Title: p.askTitle(len(questions)),
			Options: []kernel.Option{{Value: "answer", Effect: kernel.SupplyIt}}}}
	for _, q := range questions {
		answers.Ask.Questions = append(answers.Ask.Questions, kernel.Question{ID: q.ID, Path: q.Path, Text: q.Question, Choices: q.Choices})
	}
	apply, err := p.node(at.Node(partApply), StepApply, p.Source, answers.ID)
	apply.Unfolds = true
	return []kernel.Node{answers, apply}, err
}

// askTitle says what is asked, and that the round before was for nothing if it was.
func (p Params) askTitle(open int) string {
	switch {
	case p.Stuck:
		return fmt.Sprintf("%s: the answers of round %d closed none of the open fields; %d still open", p.FeatureID, p.Round-1, open)
	case open == 0:
		return fmt.Sprintf("%s: say what should change", p.FeatureID)
	}
	return fmt.Sprintf("%s: %d open", p.FeatureID, open)
}

// reviewNode follows a spec that passed every gate: a person decides on exactly this version.
func reviewNode(p Params) (kernel.Node, error) {
	at := p.place()
	p.Stage = ""
	raw, err := json.Marshal(p)
	return kernel.Node{ID: at.Review(), Kind: kernel.Make, Title: p.title(StepReview), Step: string(StepReview), Performer: kernel.Person, Params: raw,
		Needs: []kernel.Need{{Node: at.Node(partVV)}, {Node: at.Node(partReady)}},
		Gate:  kernel.Gate{Rule: RuleReview, Revision: RuleReviewRevision},
		Ask: &kernel.AskSpec{Kind: kernel.AskDecide, Title: fmt.Sprintf("%s %s: go, hold or drop?", p.FeatureID, p.SpecVersion),
			Options: []kernel.Option{{Value: string(Go), Effect: kernel.SupplyIt}, {Value: string(Hold), Effect: kernel.SupplyIt}, {Value: string(Drop), Effect: kernel.SupplyIt}}}}, err
}
