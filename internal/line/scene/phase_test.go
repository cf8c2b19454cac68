package scene

import (
	"encoding/json"
	"strings"
	"testing"

	"sluice/internal/kernel"
	"sluice/internal/line"
	"sluice/internal/linetest"
)

func planScene() Subject {
	return Subject{Workflow: Planning, Level: LevelScene, SceneID: "0204", Act: 1, Chapter: 2, Scene: 4}
}

// chooses answers with a variant.
func chooses(variant string) linetest.Person {
	return func(_ *kernel.Run, a *kernel.Ask) *kernel.Answer { return &kernel.Answer{Choice: variant} }
}

func TestPlanningASceneEndsInABlueprintThatGenerationTakes(t *testing.T) {
	for lang, chapterPlan := range map[string]string{
		"en": "# Chapter 2\n\nAnna waits in the harbour office for the storm to pass.",
		"ru": "# Глава 2\n\nАнна ждёт на старой пристани, пока пройдёт шторм.",
		"zh": "# 第二章\n\n李明在旧码头等待暴风雨过去。",
	} {
		t.Run(lang, func(t *testing.T) {
			w := newWorld(t)
			r := w.run(Planning, planScene(), chooses("B"), map[string]string{"acts/act-1/chapters/chapter-02/plan.md": chapterPlan})
			if r.Status() != kernel.RunDone {
				t.Fatalf("planning ends %s", r.Status())
			}
			for _, name := range []string{"exploration-results.md", "scenarios.md", "path-plan.md", "detailed-plans.md", "integration-analysis.md"} {
				if w.file("planning-runs/run-1/"+name) == "" {
					t.Errorf("%s is empty", name)
				}
			}
			blueprint := w.parts[blueprintPlace]
			if _, problems := ParseBlueprint([]byte(blueprint)); !usable(problems) {
				t.Fatalf("the blueprint cannot be used: %+v\n%s", problems, blueprint)
			}
			if got := languageOf(blueprint); got != lang {
				t.Errorf("the blueprint is in %s:\n%s", got, blueprint)
			}
			next := newWorld(t)
			if r := next.run(Generation, scene0204, approves, map[string]string{blueprintPlace: blueprint}); r.Status() != kernel.RunDone {
				t.Errorf("generation from it ends %s:\n%s\n%s", r.Status(), blueprint, next.file("fast-compliance-result.json"))
			}
			golden(t, lang+"-blueprint.golden", blueprint)
			golden(t, lang+"-scenarios.golden", w.file("scenarios.md"))
		})
	}
}

func TestAgentsWorkInOrderAndTheChoiceGoverns(t *testing.T) {
	w := newWorld(t)
	w.answer = func(c line.Call) string {
		switch c.Agent {
		case "scenario-generator":
			return `{"variants":[{"title":"flood","summary":"water comes","events":["e"],"gains":[],"costs":[]},{"title":"fire","summary":"it burns","events":[],"gains":[],"costs":[]},{"title":"frost","summary":"it freezes","events":[],"gains":[],"costs":[]}]}`
		case "consequence-predictor":
			return `{"comments":[{"variant":"A","consequences":["wet"],"advice":"no"},{"variant":"B","consequences":["ash"],"advice":"maybe"},{"variant":"C","consequences":["ice"],"advice":"yes"}]}`
		case "arc-planner":
			return "# The arc\n\nfrom spark to ash"
		}
		return ""
	}
	person := func(_ *kernel.Run, a *kernel.Ask) *kernel.Answer {
		return &kernel.Answer{Choice: "B", Edits: json.RawMessage(`{"pace":"slow"}`)}
	}
	r := w.run(Planning, planScene(), person, nil)
	if r.Status() != kernel.RunDone {
		t.Fatalf("planning ends %s", r.Status())
	}
	if s := w.file("scenarios.md"); !strings.Contains(s, "## Variant B: fire") || !strings.Contains(s, "- ash") {
		t.Errorf("scenarios:\n%s", s)
	}
	comments := w.called("consequence-predictor")[0].Prompt
	if !strings.Contains(comments, "Variant C: frost") {
		t.Errorf("the second agent does not see what the first said:\n%s", comments)
	}
	for _, agent := range []string{"arc-planner", "dependency-mapper", "beat-planner", "storyline-integrator"} {
		p := w.called(agent)[0].Prompt
		if !strings.Contains(p, "chosen variant") || !strings.Contains(p, "it burns") || !strings.Contains(p, "pace: slow") {
			t.Errorf("%s is not told of the choice:\n%s", agent, p)
		}
	}
	mapper := w.called("dependency-mapper")[0].Prompt
	if !strings.Contains(mapper, "from spark to ash") || strings.Contains(w.called("arc-planner")[0].Prompt, "from spark") {
		t.Errorf("agents do not see each other in order:\n%s", mapper)
	}
	if d := w.called("dialogue-weaver")[0].Prompt; !strings.Contains(d, "approved: path plan (Path Planning)") {
		t.Errorf("phase 4 does not see phase 3:\n%s", d)
	}
	if p := w.file("path-plan.md"); !strings.Contains(p, "## arc planner\n\n### The arc") {
		t.Errorf("path plan:\n%s", p)
	}
	golden(t, "prompt-arc-planner.golden", w.called("arc-planner")[0].System+"\n"+w.called("arc-planner")[0].Prompt)
	golden(t, "prompt-integrator.golden", w.called("storyline-integrator")[0].System+"\n"+w.called("storyline-integrator")[0].Prompt)
}

func TestPlansOfChaptersAndActsStandAtTheirPlace(t *testing.T) {
	for at, s := range map[string]Subject{
		"acts/act-1/chapters/chapter-02/plan.md": {Workflow: Planning, Level: LevelChapter, Act: 1, Chapter: 2},
		"acts/act-3/strategic-plan.md":           {Workflow: Planning, Level: LevelAct, Act: 3},
	} {
		w := newWorld(t)
		if r := w.run(Planning, s, chooses("A"), nil); r.Status() != kernel.RunDone {
			t.Fatalf("planning of %s ends %s", at, r.Status())
		}
		if !strings.Contains(w.parts[at], "## Summary") || !strings.Contains(w.parts[at], "Chosen variant: A") {
			t.Errorf("%s:\n%s", at, w.parts[at])
		}
	}
}

func TestPhasesSentBackAreDoneAgainWithTheWishes(t *testing.T) {
	w := newWorld(t)
	asked := 0
	person := func(_ *kernel.Run, a *kernel.Ask) *kernel.Answer {
		if asked++; asked == 1 {
			return &kernel.Answer{Choice: AnswerRevise, Edits: json.RawMessage(`{"mood":"darker"}`)}
		}
		return &kernel.Answer{Choice: "C"}
	}
	if r := w.run(Planning, planScene(), person, nil); r.Status() != kernel.RunDone {
		t.Fatalf("planning ends %s", r.Status())
	}
	calls := w.called("scenario-generator")
	if last := calls[len(calls)-1].Prompt; !strings.Contains(last, "mood: darker") || !strings.Contains(last, "your earlier version") {
		t.Errorf("the wishes are lost:\n%s", last)
	}
}

const ownWorkflow = `{"review_steps":[
	{"step":1,"name":"Outline","agent":"outliner","description":"Sketch the essay","prerequisites":[],"outputs":["outline"],"human_approval":true},
	{"step":2,"name":"Essay","agent":"essayist","prerequisites":[1],"outputs":["essay","abstract"],"retry_enabled":true,"max_attempts":2},
	{"step":3,"name":"Critique","agent":"critic","prerequisites":[2],"outputs":["critique"],"triggers_retry":true}]}`

func TestOwnWorkflowsArePerformedByTheirAgents(t *testing.T) {
	d, err := ParseDefinition("review", []byte(ownWorkflow))
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t)
	judged := 0
	w.answer = func(c line.Call) string {
		switch c.Agent {
		case "critic":
			if !strings.Contains(c.Prompt, "second thoughts") {
				judged++
				return `{"summary":"weak","issues":[{"severity":"high","message":"no thesis","fix":"state one"}]}`
			}
			return `{"summary":"good","issues":[{"severity":"low","message":"a comma","fix":"drop it"}]}`
		case "essayist":
			if strings.Contains(c.Prompt, "no thesis") {
				return "second thoughts"
			}
			return "first thoughts on " + c.Slot
		}
		return "an outline"
	}
	r := w.drive(d, Subject{Workflow: "review", SceneID: "0101"}, approves, nil)
	if r.Status() != kernel.RunDone || judged == 0 {
		t.Fatalf("the workflow ends %s after %d bad verdicts", r.Status(), judged)
	}
	if !strings.Contains(w.file("essay.md"), "second thoughts") || !strings.Contains(w.file("abstract.md"), "second thoughts") || !strings.Contains(w.file("critique.md"), "a comma") {
		t.Errorf("files: %v", w.parts)
	}
	if p := w.called("essayist")[0].Prompt; !strings.Contains(p, "an outline") || !strings.Contains(p, "essay") {
		t.Errorf("the essayist does not see the outline:\n%s", p)
	}
	if s := w.called("outliner")[0].System; !strings.Contains(s, "Sketch the essay") {
		t.Errorf("the outliner is not told its task: %s", s)
	}
}

func TestStepFor(t *testing.T) {
	for workflow, want := range map[string]string{
		Generation: "file-check blueprint-validation verification-plan generation fast-compliance full-validation final-output",
		Planning:   "agent scenarios agent agent integration",
	} {
		d, err := Builtin(workflow)
		if err != nil {
			t.Fatal(err)
		}
		for level, stages := range d.Levels {
			var got []string
			for _, s := range stages {
				got = append(got, StepFor(Params{Agents: s.Agents, Outputs: s.Outputs}))
			}
			if strings.Join(got, " ") != want {
				t.Errorf("%s %s: got %v, want %s", workflow, level, got, want)
			}
		}
	}
	if got := StepFor(Params{Agents: []string{"my-writer"}, Outputs: []string{"draft"}}); got != stepAgent {
		t.Errorf("a user's own writer is performed by %s", got)
	}
}

func TestOnlyTheChosenVariantGoesOn(t *testing.T) {
	w := newWorld(t)
	w.answer = func(c line.Call) string {
		if c.Agent == "scenario-generator" {
			return `{"variants":[{"title":"flood","summary":"water comes","events":[],"gains":[],"costs":[]},{"title":"fire","summary":"it burns","events":[],"gains":[],"costs":[]},{"title":"frost","summary":"it freezes","events":[],"gains":[],"costs":[]}]}`
		}
		return ""
	}
	w.run(Planning, planScene(), chooses("C"), nil)
	for _, agent := range []string{"arc-planner", "impact-analyzer"} {
		if p := w.called(agent)[0].Prompt; !strings.Contains(p, "it freezes") || strings.Contains(p, "it burns") || strings.Contains(p, "water comes") {
			t.Errorf("%s is told more than the choice:\n%s", agent, p)
		}
	}
}

func TestCommentsWithoutDistinctLabelsGoByOrder(t *testing.T) {
	all := []offer{{Label: "A"}, {Label: "B"}, {Label: "C"}}
	comment(all, []remark{{Variant: "A", Advice: "one"}, {Variant: "A", Advice: "two"}, {Variant: "A", Advice: "three"}, {Variant: "A", Advice: "four"}})
	if all[0].Consequences[0] != "one" || all[1].Consequences[0] != "two" || all[2].Consequences[0] != "three" {
		t.Errorf("got %+v", all)
	}
	all = []offer{{Label: "A"}, {Label: "B"}}
	comment(all, []remark{{Variant: "B", Advice: "b"}, {Variant: "A", Advice: "a"}})
	if all[0].Consequences[0] != "a" || all[1].Consequences[0] != "b" {
		t.Errorf("got %+v", all)
	}
}
