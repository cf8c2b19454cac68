package scene

import (
	"encoding/json"
	"fmt"
	"strings"

	"sluice/internal/line"
)

// planPlace is where the plan of a level stands in the story.
func planPlace(p Params) (key, at string) {
	switch p.Level {
	case "act":
		return "strategic_plan", fmt.Sprintf("acts/act-%d/strategic-plan.md", p.Act)
	case "chapter":
		return "chapter_plan", fmt.Sprintf("acts/act-%d/chapters/chapter-%02d/plan.md", p.Act, p.Chapter)
	}
	return "scene_blueprint", fmt.Sprintf("acts/act-%d/chapters/chapter-%02d/scenes/scene-%s-blueprint.md", p.Act, p.Chapter, p.SceneID)
}

// deliverPlan hands over the analysis of the last phase, and the plan itself at its place in the story.
func (g given) deliverPlan(tasks []task) (line.Move, error) {
	lang := g.language(g.story(g.around()), g.approved())
	if lang == "en" {
		lang = languageOf(g.in.Replies[0].Content)
	}
	d := &document{lang: lang}
	d.heading(1, g.p.Name)
	var plan []byte
	var err error
	if g.p.Level == "scene" {
		plan, err = g.scenePlan(d)
	} else {
		plan, err = g.storyPlan(d)
	}
	if err != nil {
		return line.Move{}, err
	}
	g.sections(d, tasks, "")
	key, at := planPlace(g.p)
	var files []output
	for _, output := range g.p.Outputs {
		files = append(files, outputOf(g.p, output, d))
	}
	out, err := finish(nil, nil, append(files, output{key, at, plan})...)
	return line.Move{Done: out}, err
}

func outputOf(p Params, key string, d *document) output {
	return output{key, p.work(fileOf(key)), d.bytes()}
}

func (g given) scenePlan(d *document) ([]byte, error) {
	var p scenePlan
	if err := json.Unmarshal([]byte(g.in.Replies[0].Content), &p); err != nil {
		return nil, line.Unusable{Reason: "the plan is no JSON of its schema: " + err.Error()}
	}
	body, corrected := writeBlueprint(g.p.SceneID, p, d.lang)
	if _, problems := ParseBlueprint(body); !usable(problems) {
		return nil, line.Unusable{Reason: "the plan makes no usable blueprint: " + problems[0].Message}
	}
	d.section(2, d.say("consequences"), p.Consequences)
	d.section(2, d.say("corrected"), corrected)
	return body, nil
}

func (g given) storyPlan(d *document) ([]byte, error) {
	var p storyPlan
	if err := json.Unmarshal([]byte(g.in.Replies[0].Content), &p); err != nil {
		return nil, line.Unusable{Reason: "the plan is no JSON of its schema: " + err.Error()}
	}
	d.section(2, d.say("consequences"), p.Consequences)
	w := &document{lang: d.lang}
	number, part := g.p.Chapter, "scene"
	if g.p.Level == "act" {
		number, part = g.p.Act, "chapter"
	}
	w.heading(1, fmt.Sprintf("%s %d: %s", w.say(g.p.Level), number, p.Title))
	if label, _ := g.choice(); label != "" {
		w.text(w.say("chosen") + ": " + label)
		w.gap()
	}
	w.heading(2, w.say("summary"))
	w.text(p.Summary)
	w.heading(2, w.say("parts_"+g.p.Level))
	for i, s := range p.Parts {
		w.heading(3, fmt.Sprintf("%s %d: %s", w.say(part), i+1, s.Title))
		w.text(s.Purpose)
		w.gap()
		w.list([]string{w.say("location") + ": " + s.Location, w.say("people") + ": " + strings.Join(s.People, ", ")})
		w.section(4, w.say("events"), s.Events)
	}
	w.section(2, w.say("storylines"), p.Storylines)
	w.section(2, w.say("continuity"), p.Continuity)
	w.section(2, w.say("consequences"), p.Consequences)
	return w.bytes(), nil
}
