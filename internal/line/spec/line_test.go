package spec

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/internal/kernel"
	"sluice/internal/line"
	"sluice/internal/linetest"
)

const brief = `# Book search

## Background
The shop has ten thousand books.

## Goal
A reader finds a book by any word of its title within a second.

## Acceptance criteria
- A word of a title finds the book
- An unknown word finds nothing
`

// house drives a feature with a script of replies and answers.
type house struct {
	t       *testing.T
	input   string
	reply   map[string][]string // by agent, in turn; the last one stays
	asked   map[string]int
	givens  map[string][]Given
	answers []map[string]string // round by round; none left leaves the ask open
	verdict Recommendation      // empty leaves the review open
	files   map[string]string
	asks    []*kernel.Ask
}

func newHouse(t *testing.T, input string) *house {
	return &house{t: t, input: input, asked: map[string]int{}, givens: map[string][]Given{}, files: map[string]string{}, reply: map[string][]string{
		AgentCompile:   {`{}`},
		AgentQuestions: {`{"questions":[{"path":"spec.goal","question":"What is it for?"}]}`},
		AgentApply:     {`{}`},
		AgentPlan: {`{"tasks":[{"task_id":"A","title":"Index","type":"dev","scope":"titles"},{"task_id":"B","title":"Search","type":"dev","scope":"words","dependencies":["A","Z"]},
			{"task_id":"C","title":"Tests","type":"test","scope":"all","dependencies":["B"]}]}`},
		AgentVV: {`{"vv":[{"task_id":"T-1","type":"unit","procedure":"index","expected_result":"there"},{"task_id":"T-2","type":"e2e","procedure":"search","expected_result":"found"},
			{"task_id":"T-3","type":"manual","procedure":"read","expected_result":"green"},{"task_id":"T-9","procedure":"x","expected_result":"y"}]}`},
	}}
}

func (h *house) drive() *kernel.Run {
	h.t.Helper()
	l, err := New()
	if err != nil {
		h.t.Fatal(err)
	}
	open, err := Open("F-2026-001", "R-20261115-0001", Wish{}, &ProjectContextRef{ProjectID: "P", ContextVersion: "C-12"})
	if err != nil {
		h.t.Fatal(err)
	}
	return linetest.Drive(h.t, l, open, linetest.World{Models: h.model, Given: h.person,
		Recorded: func(path string, body []byte) { h.files[path] = string(body) }})
}

func (h *house) model(c line.Call) string {
	h.asked[c.Agent]++
	var g Given
	if err := json.Unmarshal(c.Inputs, &g); err != nil {
		h.t.Fatal(err)
	}
	h.givens[c.Agent] = append(h.givens[c.Agent], g)
	all := h.reply[c.Agent]
	return all[min(h.asked[c.Agent]-1, len(all)-1)]
}

func (h *house) person(r *kernel.Run, a *kernel.Ask) *line.Given {
	if !slices.ContainsFunc(h.asks, func(b *kernel.Ask) bool { return b.ID == a.ID }) {
		h.asks = append(h.asks, a)
	}
	n, _ := r.Node(a.Node)
	switch n.Node().Step {
	case inputStep:
		return &line.Given{Content: []byte(h.input), Choice: "supply"}
	case answersStep:
		if len(h.answers) == 0 {
			return nil
		}
		set := h.answers[0]
		h.answers = h.answers[1:]
		return &line.Given{Set: set, Choice: "answer"}
	case string(StepReview):
		if h.verdict == "" {
			return nil
		}
		return &line.Given{Choice: string(h.verdict), Reason: "as discussed"}
	}
	return nil
}

// steps lists the snapshots in their order.
func (h *house) steps() []string {
	var all []string
	for _, path := range slices.Sorted(maps.Keys(h.files)) {
		if strings.HasPrefix(path, "snapshots/") {
			all = append(all, strings.TrimSuffix(path[strings.LastIndex(path, "step_")+len("step_"):], ".json"))
		}
	}
	return all
}

func (h *house) snapshot(name string) Snapshot {
	h.t.Helper()
	body, ok := h.files["snapshots/R-20261115-0001/step_"+name+".json"]
	if !ok {
		h.t.Fatalf("there is no snapshot %s among %v", name, h.steps())
	}
	var s Snapshot
	if err := decode([]byte(body), &s); err != nil {
		h.t.Fatal(err)
	}
	return s
}

// validate holds every record against its published schema.
func (h *house) validate() {
	h.t.Helper()
	snapshot, evidence := validator(h.t, "step-snapshot"), validator(h.t, "evidence")
	for path, body := range h.files {
		fits := evidence
		if strings.HasPrefix(path, "snapshots/") {
			fits = snapshot
		}
		if err := fits([]byte(body)); err != nil {
			h.t.Errorf("%s: %v\n%s", path, err, body)
		}
	}
}

func TestAWholeBriefGoesToReview(t *testing.T) {
	h := newHouse(t, brief)
	r := h.drive()
	if got := StatusOf(r); got != ExecutableReady {
		t.Fatalf("the feature is %s: %v", got, h.steps())
	}
	want := []string{"001_ingest", "002_compile", "003_validate_gates", "004_plan_tasks", "005_generate_vv", "006_validate_gates"}
	if diff := cmp.Diff(want, h.steps()); diff != "" {
		t.Errorf("steps (-want +got):\n%s", diff)
	}
	h.validate()
	first, last := h.snapshot("002_compile"), h.snapshot("006_validate_gates")
	if first.SpecVersionIn != nil || first.SpecVersionOut == nil || *last.SpecVersionIn != *last.SpecVersionOut || *last.Inputs.ContextRef != "C-12" {
		t.Errorf("versions of the steps: %+v %+v", first, last)
	}
	if len(Versions(r)) != 3 {
		t.Errorf("%d versions, want one of compile, plan_tasks and generate_vv each", len(Versions(r)))
	}
}

func TestAReviewIsASnapshotToo(t *testing.T) {
	h := newHouse(t, brief)
	h.verdict = Drop
	r := h.drive()
	h.validate()
	if got := StatusOf(r); got != Dropped {
		t.Errorf("the feature is %s", got)
	}
	s := h.snapshot("007_manual_review")
	if len(s.Decisions) != 1 || s.Decisions[0].Decision != "drop" || s.Decisions[0].Reason != "as discussed" || *s.SpecVersionIn != *s.SpecVersionOut {
		t.Errorf("the review is %+v", s)
	}
}

func TestAPartialCompileIsADraftThatAsks(t *testing.T) {
	h := newHouse(t, "Search\n")
	h.reply[AgentCompile] = []string{`{"title":"Search","goal":"short"}`}
	r := h.drive()
	if got := StatusOf(r); got != Clarifying {
		t.Fatalf("the feature is %s after %v", got, h.steps())
	}
	h.validate()
	want := []string{"001_ingest", "002_compile", "003_validate_gates", "004_clarify_questions"}
	if diff := cmp.Diff(want, h.steps()); diff != "" {
		t.Errorf("steps (-want +got):\n%s", diff)
	}
	partial := false
	for path, body := range h.files {
		partial = partial || strings.HasPrefix(path, "evidence/") && strings.Contains(body, "partial success")
	}
	if !partial {
		t.Error("no evidence says partial success")
	}
	var questions []Question
	if err := json.Unmarshal(h.snapshot("004_clarify_questions").Outputs.Questions, &questions); err != nil {
		t.Fatal(err)
	}
	if len(questions) != 2 || questions[0].Path != "spec.goal" || questions[0].Question != "What is it for?" || questions[1].Path != "spec.acceptance_criteria" {
		t.Errorf("the questions are %+v", questions)
	}
}

func TestAnswersCloseTheirFieldsAndNothingElseChanges(t *testing.T) {
	h := newHouse(t, "Search\n")
	h.reply[AgentCompile] = []string{`{"goal":"short","background":"many books"}`, `{"goal":"a goal nobody asked the model for"}`}
	h.reply[AgentApply] = []string{`{"acceptance_criteria":[{"id":"AC-1","test_hint":"try one"}]}`}
	h.answers = []map[string]string{{"spec.goal": "Find a book by a word of its title", "Q-2": "[\"one finds it\",\"none is empty\"]"}}
	r := h.drive()
	h.validate()
	if got := StatusOf(r); got != ExecutableReady {
		t.Fatalf("the feature is %s after %v", got, h.steps())
	}
	want := []string{"001_ingest", "002_compile", "003_validate_gates", "004_clarify_questions", "005_apply_answers", "006_compile", "007_validate_gates",
		"008_plan_tasks", "009_generate_vv", "010_validate_gates"}
	if diff := cmp.Diff(want, h.steps()); diff != "" {
		t.Errorf("steps (-want +got):\n%s", diff)
	}
	if s := h.snapshot("005_apply_answers"); s.Inputs.UserAnswerRef == nil || len(s.EvidenceLinks) != 2 {
		t.Errorf("the answers left %+v", s)
	}
	plan := h.givens[AgentPlan][0]
	if plan.Goal != "Find a book by a word of its title" || plan.Background != "many books" || len(plan.AcceptanceCriteria) != 2 ||
		plan.AcceptanceCriteria[0] != (Criterion{"AC-1", "one finds it", "try one"}) {
		t.Errorf("the plan is made for %+v", plan)
	}
	if h.asked[AgentCompile] != 1 {
		t.Errorf("compile asked a model %d times, and after the answers nothing was missing", h.asked[AgentCompile])
	}
}

func TestARoundThatClosesNothingSaysSo(t *testing.T) {
	h := newHouse(t, brief)
	h.reply[AgentPlan] = []string{`{"tasks":[{"title":"Index"}]}`}
	h.answers = []map[string]string{{"spec.background": "another one"}}
	r := h.drive()
	h.validate()
	if got := StatusOf(r); got != Clarifying {
		t.Fatalf("the feature is %s after %v", got, h.steps())
	}
	last := h.asks[len(h.asks)-1]
	if !strings.Contains(last.Title, "closed none") {
		t.Errorf("the second ask says %q", last.Title)
	}
	if first := h.asks[len(h.asks)-2]; strings.Contains(first.Title, "closed none") || first.Questions[0].Path != "planning.tasks[0].type" || len(first.Questions[0].Choices) != 6 {
		t.Errorf("the first ask is %+v", first)
	}
}

func TestTasksThatPassStayAndTheRestIsAsked(t *testing.T) {
	h := newHouse(t, brief)
	h.reply[AgentPlan] = []string{`{"tasks":[{"task_id":"T-1","title":"Index","type":"dev","scope":"titles"},{"task_id":"T-2","title":"Tests"}]}`,
		`{"tasks":[{"task_id":"T-1","title":"CHANGED","type":"ops","scope":"changed"},{"task_id":"T-2","title":"CHANGED","type":"test","scope":"all"}]}`}
	h.answers = []map[string]string{{"planning.tasks[1].type": "doc"}, {"planning.tasks[1].scope": "every word"}}
	r := h.drive()
	h.validate()
	if got := StatusOf(r); got != ExecutableReady {
		t.Fatalf("the feature is %s after %v", got, h.steps())
	}
	var got []Task
	for _, name := range h.steps() {
		if strings.HasSuffix(name, "plan_tasks") {
			got = nil
			if err := json.Unmarshal(h.snapshot(name).Outputs.Tasks, &got); err != nil {
				t.Fatal(err)
			}
		}
	}
	want := []Task{{TaskID: "T-1", Title: "Index", Type: "dev", Scope: "titles"}, {TaskID: "T-2", Title: "Tests", Type: "doc", Scope: "all"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("tasks (-want +got):\n%s", diff)
	}
}

func TestUnusableRepliesFailWithEvidence(t *testing.T) {
	h := newHouse(t, brief)
	h.reply[AgentCompile] = []string{`no JSON`}
	r := h.drive()
	h.validate()
	if r.Status() != kernel.RunFailed || StatusOf(r) != Draft {
		t.Errorf("the run is %s, the feature %s", r.Status(), StatusOf(r))
	}
	s := h.snapshot("002_compile")
	if s.SpecVersionOut != nil || len(s.Errors) != 1 || s.Errors[0].Final != GaveUp || len(s.EvidenceLinks) != 1 || s.EvidenceLinks[0].Type != FromLog || len(s.Decisions) != 1 {
		t.Errorf("the failed step left %+v", s)
	}
}
