package scene

import (
	"encoding/json"
	"fmt"

	"sluice/internal/line"
)

// labelled is text from outside, to be fenced.
type labelled struct{ Label, Text string }

// languageName is how a prompt names a language.
func languageName(lang string) string {
	switch lang {
	case "ru":
		return "Russian"
	case "zh":
		return "Chinese"
	}
	return "English"
}

// verificationPlan makes the plan that a person approves. Code lists every constraint; the model adds tone and approach.
func (m maker) verificationPlan(in line.In) (line.Move, error) {
	g, err := readGiven(in)
	if err != nil {
		return line.Move{}, err
	}
	c, reads := g.constraints()
	if len(reads) > 0 {
		return line.Move{Reads: reads}, nil
	}
	if len(in.Replies) == 0 {
		call, err := m.planCall(g, c)
		return line.Move{Calls: []line.Call{call}}, err
	}
	var advice planAdvice
	if err := json.Unmarshal([]byte(in.Replies[0].Content), &advice); err != nil {
		return line.Move{}, line.Unusable{Reason: "the advice for the plan is no JSON of its schema: " + err.Error()}
	}
	out, err := finish(nil, nil, output{"verification_plan", g.p.work("verification-plan.md"), writePlan(c, advice, g.corrections())})
	return line.Move{Done: out}, err
}

func (m maker) planCall(g given, c Constraints) (line.Call, error) {
	data := struct {
		SceneID, Language string
		Constraints       string
		Earlier           string
		Corrections       []string
	}{SceneID: c.SceneID, Language: languageName(c.Language), Constraints: c.text(), Corrections: g.corrections()}
	if g.subject != nil {
		if a, ok := g.subject.artifact("verification_plan"); ok {
			data.Earlier = string(a.body)
		}
	}
	call := line.Call{Slot: "plan", Agent: g.p.Agents[0], Schema: m.schemas.advice}
	var err error
	if call.System, call.Prompt, err = m.prompts.Render("verification-plan", data); err != nil {
		return call, err
	}
	return call, g.sources(&call, writerInputs(c, g.corrections(), 0))
}

// sources fills in what a call was made from.
func (g given) sources(call *line.Call, inputs any) error {
	for _, s := range g.docs {
		call.Sources = append(call.Sources, s.doc.Version.Digest)
	}
	if g.subject != nil {
		call.Sources = append(call.Sources, g.subject.doc.Version.Digest)
	}
	raw, err := json.Marshal(inputs)
	call.Inputs = raw
	return err
}

// sceneInputs are what a call about a scene is given, under names that a script can match.
type sceneInputs struct {
	SceneID            string   `json:"scene_id"`
	Language           string   `json:"language"`
	Location           string   `json:"location"`
	RequiredCharacters []string `json:"required_characters"`
	ForbiddenNames     []string `json:"forbidden_characters"`
	Beats              []string `json:"beats,omitempty"`
	MustMention        []string `json:"must_mention"`
	MustNotMention     []string `json:"must_not_mention"`
	Words              int      `json:"words,omitempty"`
	Corrections        []string `json:"corrections,omitempty"`
	Validator          string   `json:"validator,omitempty"`
	DraftDigest        string   `json:"draft_sha256,omitempty"`
}

func writerInputs(c Constraints, corrections []string, words int) sceneInputs {
	return sceneInputs{SceneID: c.SceneID, Language: c.Language, Location: c.Location.Name, RequiredCharacters: namesOf(c.RequiredCharacters),
		ForbiddenNames: namesOf(c.ForbiddenCharacters), Beats: c.Beats, MustMention: c.mustMention(), MustNotMention: c.mustNotMention(),
		Words: words, Corrections: corrections}
}

// text lists the constraints for a reader, in the language of the blueprint.
func (c Constraints) text() string {
	d := &document{lang: c.Language}
	c.write(d, 2)
	return string(d.bytes())
}

func (c Constraints) write(d *document, level int) {
	d.heading(level, d.say("location"))
	d.text(joined(c.Location.Name, c.Location.Detail))
	people := func(all []Character) []string {
		var out []string
		for _, p := range all {
			out = append(out, joined(p.Name, p.Note))
		}
		return out
	}
	d.section(level, d.say("present"), people(c.RequiredCharacters))
	d.section(level, d.say("absent"), orNone(d, people(c.ForbiddenCharacters)))
	d.heading(level, d.say("beats"))
	for i, beat := range c.Beats {
		d.text(ordinal(i+1) + ". " + oneLine(beat))
	}
	d.section(level, d.say("mechanics"), union(append([]string(nil), c.Mechanics.Required...), c.Mechanics.Notes))
	d.section(level, d.say("no_mechanics"), c.Mechanics.Forbidden)
	d.section(level, d.say("scope"), c.Scope.Limits)
	d.section(level, d.say("forbidden_terms"), c.Scope.ForbiddenTerms)
	d.heading(level, d.say("word_count"))
	d.text(fmt.Sprintf("%d (%d–%d)", c.WordCount.Target, c.WordCount.Min, c.WordCount.Max))
	d.section(level, d.say("continuity"), orNone(d, c.Continuity))
	var notes []string
	for _, n := range c.Notes {
		notes = append(notes, n.Label+": "+n.Text)
	}
	d.section(level, d.say("notes"), notes)
}

func orNone(d *document, items []string) []string {
	if len(items) == 0 {
		return []string{d.say("none")}
	}
	return items
}

func joined(name, note string) string {
	if note == "" {
		return name
	}
	return name + " — " + note
}

// writePlan is verification-plan.md.
func writePlan(c Constraints, a planAdvice, corrections []string) []byte {
	d := &document{lang: c.Language}
	d.heading(1, d.say("plan")+" "+c.SceneID)
	d.text(d.say("answer"))
	d.section(2, d.say("changed"), corrections)
	d.heading(2, d.say("must"))
	c.write(d, 3)
	d.heading(2, d.say("tone"))
	d.text(a.Tone)
	d.heading(2, d.say("approach"))
	d.text(a.Approach)
	d.section(2, d.say("focus"), a.Focus)
	d.section(2, d.say("risks"), a.Risks)
	var warnings []string
	for _, w := range c.Warnings {
		warnings = append(warnings, w.Message)
	}
	d.section(2, d.say("warnings"), warnings)
	d.section(2, d.say("checks"), []string{d.say("checks1"), d.say("checks2")})
	return d.bytes()
}
