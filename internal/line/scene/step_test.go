package scene

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/internal/digest"
	"sluice/internal/kernel"
	"sluice/internal/line"
	"sluice/internal/linetest"
	"sluice/internal/model"
	"sluice/internal/model/rehearsal"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got), go test ./internal/line/scene -update rewrites it:\n%s", name, diff)
	}
}

// world remembers what a workflow asked for and handed over.
type world struct {
	t      *testing.T
	line   *line.Line
	calls  []line.Call
	parts  map[string]string // the newest file of each path
	bodies map[digest.Digest]Product
	answer linetest.Models
}

// newWorld makes the line with steps that show what they deliver.
func newWorld(t *testing.T) *world {
	t.Helper()
	l, err := New()
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, line: l, parts: map[string]string{}, bodies: map[digest.Digest]Product{}}
	for name, step := range l.Steps {
		l.Steps[name] = func(in line.In) (line.Move, error) {
			m, err := step(in)
			if m.Done != nil {
				w.keep(m.Done)
			}
			return m, err
		}
	}
	return w
}

func (w *world) keep(out *line.Out) {
	var p Product
	if err := json.Unmarshal(out.Body, &p); err != nil {
		w.t.Errorf("a step delivers no product: %v", err)
	}
	w.bodies[digest.Of(out.Body)] = p
	for _, part := range out.Parts {
		w.parts[part.Path] = string(part.Body)
		at := slices.IndexFunc(p.Artifacts, func(a Artifact) bool { return a.Path == part.Path })
		if at < 0 || p.Artifacts[at].SHA256 != digest.Of(part.Body).Hex() {
			w.t.Errorf("part %s is not listed with its hash", part.Path)
		}
	}
}

// file finds a delivered file by the end of its path.
func (w *world) file(suffix string) string {
	w.t.Helper()
	for p, body := range w.parts {
		if strings.HasSuffix(p, suffix) {
			return body
		}
	}
	w.t.Fatalf("no file ends in %s", suffix)
	return ""
}

func (w *world) models(c line.Call) string {
	w.calls = append(w.calls, c)
	if w.answer != nil {
		if s := w.answer(c); s != "" {
			return s
		}
	}
	r, err := rehearsal.New(rehearsal.Script{}, nil).Complete(w.t.Context(), model.Request{Agent: c.Agent, System: c.System, Prompt: c.Prompt,
		Schema: c.Schema, Inputs: c.Inputs, Scope: model.Scope{Slot: c.Slot}})
	if err != nil {
		w.t.Fatal(err)
	}
	return r.Content
}

func (w *world) called(agent string) []line.Call {
	var out []line.Call
	for _, c := range w.calls {
		if c.Agent == agent {
			out = append(out, c)
		}
	}
	return out
}

func (w *world) run(workflow string, s Subject, person linetest.Person, files map[string]string) *kernel.Run {
	w.t.Helper()
	d, err := Builtin(workflow)
	if err != nil {
		w.t.Fatal(err)
	}
	return w.drive(d, s, person, files)
}

func (w *world) drive(d Definition, s Subject, person linetest.Person, files map[string]string) *kernel.Run {
	w.t.Helper()
	open, err := Open(d, "run-1", s)
	if err != nil {
		w.t.Fatal(err)
	}
	return linetest.Drive(w.t, w.line, open, linetest.World{Models: w.models, Person: person, Files: files})
}

func approves(_ *kernel.Run, a *kernel.Ask) *kernel.Answer {
	return &kernel.Answer{Choice: a.Options[0].Value}
}

const blueprintPlace = "acts/act-1/chapters/chapter-02/scenes/scene-0204-blueprint.md"

var scene0204 = Subject{Workflow: Generation, SceneID: "0204", Chapter: 2, Scene: 4}

func TestGenerationInThreeLanguages(t *testing.T) {
	for lang, blueprint := range map[string]string{"english": blueprintEnglish, "russian": blueprintRussian, "chinese": blueprintChinese} {
		t.Run(lang, func(t *testing.T) {
			w := newWorld(t)
			r := w.run(Generation, scene0204, approves, map[string]string{blueprintPlace: blueprint})
			if r.Status() != kernel.RunDone {
				t.Fatalf("the run ends %s: %s", r.Status(), w.file("fast-compliance-result.json"))
			}
			for _, name := range []string{"constraints-list.json", "verification-plan.md", "draft-attempt1.md", "compliance-echo.json",
				"fast-compliance-result.json", "final-validation-report.json", "final-report.md"} {
				if w.file("run-1/"+name) == "" {
					t.Errorf("%s is empty", name)
				}
			}
			if text := w.parts["acts/act-1/chapters/chapter-02/content/scene-0204.md"]; strings.Contains(text, "#") || countWords(text) < 500 {
				t.Errorf("the scene is %q", text)
			}
			if len(w.calls) != 2*(1+1+7) { // every move is made twice, calls once per round and pass
				t.Logf("%d calls", len(w.calls))
			}
			golden(t, lang+"-plan.golden", w.file("verification-plan.md"))
			golden(t, lang+"-report.golden", w.file("final-report.md"))
			golden(t, lang+"-constraints.golden", w.file("constraints-list.json"))
			if lang == "english" {
				golden(t, "prompt-draft.golden", w.called("prose-writer")[0].System+"\n"+w.called("prose-writer")[0].Prompt)
				golden(t, "prompt-plan.golden", w.called("verification-planner")[0].System+"\n"+w.called("verification-planner")[0].Prompt)
				golden(t, "prompt-validator.golden", w.called("canon-guardian")[0].System+"\n"+w.called("canon-guardian")[0].Prompt)
			}
		})
	}
}

func TestABlueprintHasToBeAtItsPlaceOnce(t *testing.T) {
	const other, misplaced = "acts/act-2/chapters/chapter-02/scenes/scene-0204-blueprint.md", "acts/act-1/chapters/chapter-03/scenes/scene-0204-blueprint.md"
	for _, c := range []struct {
		name  string
		files []string
		code  string
	}{
		{"missing", nil, "blueprint_missing"},
		{"another act", []string{other}, ""},
		{"another chapter", []string{misplaced}, "blueprint_misplaced"},
		{"not in scenes", []string{"acts/act-1/chapters/chapter-02/scene-0204-blueprint.md"}, "blueprint_misplaced"},
		{"twice", []string{blueprintPlace, other}, "blueprint_ambiguous"},
		{"here and elsewhere", []string{blueprintPlace, misplaced}, "blueprint_ambiguous"},
	} {
		w := newWorld(t)
		files := map[string]string{}
		for _, f := range c.files {
			files[f] = blueprintEnglish
		}
		r := w.run(Generation, scene0204, func(*kernel.Run, *kernel.Ask) *kernel.Answer { return nil }, files)
		if c.code == "" {
			if n, _ := r.Node("step/1"); n.Status() != kernel.StatusDone {
				t.Errorf("%s: step 1 is %s", c.name, n.Status())
			}
			continue
		}
		n, _ := r.Node("step/1")
		if n.Status() != kernel.StatusFailed || r.Status() != kernel.RunFailed {
			t.Errorf("%s: step 1 is %s in a run that is %s", c.name, n.Status(), r.Status())
		}
		report := w.file("file-check-errors.json")
		if !strings.Contains(report, c.code) {
			t.Errorf("%s: %s", c.name, report)
		}
		for _, f := range c.files {
			if !strings.Contains(report, f) {
				t.Errorf("%s: %s is not listed", c.name, f)
			}
		}
	}
}

func TestABadBlueprintFailsStepTwoWithItsErrors(t *testing.T) {
	w := newWorld(t)
	r := w.run(Generation, scene0204, approves, map[string]string{blueprintPlace: strings.Replace(blueprintEnglish, "The tide clock stops.", "Boris stops the tide clock.", 1)})
	if n, _ := r.Node("step/2"); n.Status() != kernel.StatusFailed {
		t.Fatalf("step 2 is %s", n.Status())
	}
	golden(t, "validation-errors.golden", w.file("validation-errors.json"))
	if len(w.calls) > 0 {
		t.Errorf("a model was asked: %v", w.calls[0].Agent)
	}
}

func TestEmphasisGrowsWithEachAttempt(t *testing.T) {
	w := newWorld(t)
	w.answer = func(c line.Call) string {
		if c.Agent == "prose-writer" {
			return "Boris sat in the harbour office beside the tide clock with Anna and Ivan."
		}
		return ""
	}
	r := w.run(Generation, scene0204, approves, map[string]string{blueprintPlace: blueprintEnglish})
	if n, _ := r.Node("step/4"); n.Status() != kernel.StatusFailed || r.Status() != kernel.RunFailed {
		t.Fatalf("step 4 is %s in a run that is %s", n.Status(), r.Status())
	}
	for i := 1; i <= 3; i++ {
		if w.file("draft-attempt"+ordinal(i)+".md") == "" {
			t.Errorf("draft %d is gone", i)
		}
	}
	var prompts []string
	for _, c := range w.called("prose-writer") {
		if !slices.Contains(prompts, c.Prompt) {
			prompts = append(prompts, c.Prompt)
		}
		if strings.Contains(string(c.Inputs), "attempt") {
			t.Errorf("the inputs tell the attempt: %s", c.Inputs)
		}
	}
	if len(prompts) != 3 {
		t.Fatalf("%d prompts, want 3", len(prompts))
	}
	if strings.Contains(prompts[0], "MUST NOT APPEAR") || !strings.Contains(prompts[1], "Boris must be absent and appears") || !strings.Contains(prompts[1], "BORIS") ||
		strings.Count(prompts[2], "[ ] MUST NOT APPEAR OR BE NAMED: BORIS") != 2 || strings.Contains(prompts[1], "[ ]") {
		t.Errorf("the emphasis does not grow:\n%s", strings.Join(prompts, "\n=====\n"))
	}
	golden(t, "prompt-draft-third.golden", prompts[2])
}

func TestASecondDraftMayPass(t *testing.T) {
	w := newWorld(t)
	drafts := 0
	w.answer = func(c line.Call) string {
		if drafts++; c.Agent == "prose-writer" && !strings.Contains(c.Prompt, "Boris must be absent") {
			return "Boris came."
		}
		return ""
	}
	r := w.run(Generation, scene0204, approves, map[string]string{blueprintPlace: blueprintEnglish})
	if r.Status() != kernel.RunDone {
		t.Fatalf("the run is %s", r.Status())
	}
	report := w.file("final-report.md")
	if !strings.Contains(report, "draft-attempt2.md") || !strings.Contains(report, "1: rejected: ") || !strings.Contains(report, "2: approved") {
		t.Errorf("the report hides the first draft:\n%s", report)
	}
}

func TestModificationsAreHonouredDownstream(t *testing.T) {
	w := newWorld(t)
	revised := false
	person := func(r *kernel.Run, a *kernel.Ask) *kernel.Answer {
		if !revised {
			revised = true
			return &kernel.Answer{Choice: AnswerRevise, Edits: json.RawMessage(`{"pace":"slower"}`)}
		}
		return &kernel.Answer{Choice: AnswerApprove, Edits: json.RawMessage(`{"emotional_tone":"cold fury","word_count":700,"forbidden_characters":["Boris","Olga"]}`)}
	}
	r := w.run(Generation, scene0204, person, map[string]string{blueprintPlace: blueprintEnglish})
	if r.Status() != kernel.RunDone {
		t.Fatalf("the run is %s", r.Status())
	}
	plans := w.called("verification-planner")
	if last := plans[len(plans)-1].Prompt; !strings.Contains(last, "pace: slower") || !strings.Contains(last, "the plan that was sent back") {
		t.Errorf("the second plan is not told what was asked for:\n%s", last)
	}
	if p := w.called("prose-writer")[0].Prompt; !strings.Contains(p, "emotional_tone: cold fury") || !strings.Contains(p, "Length: 700 words") || !strings.Contains(p, "Olga") {
		t.Errorf("the writer is not told:\n%s", p)
	}
	if c := w.file("fast-compliance-result.json"); !strings.Contains(c, `"target": 700`) || !strings.Contains(c, "Olga") {
		t.Errorf("the check does not know: %s", c)
	}
	if p := w.called("plot-architect")[0].Prompt; !strings.Contains(p, "cold fury") {
		t.Error("the validators are not told")
	}
}

func TestOneFailureOfAValidatorFailsStepSix(t *testing.T) {
	w := newWorld(t)
	w.answer = func(c line.Call) string {
		if c.Agent == "dialogue-analyst" {
			return `{"verdict":"FAIL","score":20,"summary":"wooden","issues":[{"severity":"high","message":"all sound alike","fix":"give Ivan his own words"}]}`
		}
		return ""
	}
	r := w.run(Generation, scene0204, approves, map[string]string{blueprintPlace: blueprintEnglish})
	if n, _ := r.Node("step/6"); n.Status() != kernel.StatusFailed {
		t.Fatalf("step 6 is %s", n.Status())
	}
	if report := w.file("final-validation-report.json"); !strings.Contains(report, `"verdict": "FAIL"`) || !strings.Contains(report, "all sound alike") {
		t.Error(report)
	}
}

func TestSilenceOfValidators(t *testing.T) {
	good := line.Reply{Content: `{"verdict":"PASS","score":95,"summary":"fine","issues":[]}`}
	late := line.Reply{Failed: &kernel.StepError{Message: "it did not answer within 2m0s"}}
	for _, c := range []struct {
		name  string
		reply line.Reply
		want  map[bool]string // by whether the validator is critical
	}{
		{"time-out", late, map[bool]string{true: verdictFail, false: verdictWarn}},
		{"no JSON", line.Reply{Content: "well"}, map[bool]string{true: verdictFail, false: verdictWarn}},
		{"milder than its issues", line.Reply{Content: `{"verdict":"PASS","score":95,"summary":"","issues":[{"severity":"critical","message":"x","fix":"y"}]}`}, map[bool]string{true: verdictFail, false: verdictFail}},
		{"warning", line.Reply{Content: `{"verdict":"WARN","score":70,"summary":"","issues":[]}`}, map[bool]string{true: verdictWarn, false: verdictWarn}},
	} {
		for i, v := range validators {
			replies := slices.Repeat([]line.Reply{good}, len(validators))
			replies[i] = c.reply
			r := aggregate(validators, replies)
			if want := c.want[v.critical]; r.Verdict != want || r.Pass != (want != verdictFail) || len(r.findings()) == 0 {
				t.Errorf("%s of %s: got %s, want %s", c.name, v.name, r.Verdict, want)
			}
		}
	}
}

func TestValidatorsHaveTheirTime(t *testing.T) {
	w := newWorld(t)
	w.run(Generation, scene0204, approves, map[string]string{blueprintPlace: blueprintEnglish})
	for _, v := range validators {
		calls := w.called(v.name)
		if len(calls) == 0 || calls[0].Timeout != validatorTime || !calls[0].Tolerant || calls[0].Slot != v.name {
			t.Errorf("%s: %d calls", v.name, len(calls))
		}
	}
}
