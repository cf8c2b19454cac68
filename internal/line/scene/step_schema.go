package scene

import (
	"encoding/json"

	"sluice/internal/schema"
)

// planAdvice is what a model adds to the verification plan. The constraints themselves are listed by code.
type planAdvice struct {
	Tone     string   `json:"tone" jsonschema:"the emotional tone of the scene and how it changes, in one or two sentences"`
	Approach string   `json:"approach" jsonschema:"how the scene will be written: point of view, rhythm, what is shown and what is held back"`
	Focus    []string `json:"focus" jsonschema:"for the beats that are hardest to get right: what the writer has to watch"`
	Risks    []string `json:"risks" jsonschema:"where a draft would most likely break a constraint, and how that will be seen"`
}

// Verdicts of a validator.
const (
	verdictPass = "PASS"
	verdictWarn = "WARN"
	verdictFail = "FAIL"
)

// opinion is what one validator says.
type opinion struct {
	Verdict string  `json:"verdict" jsonschema:"PASS: nothing to mend. WARN: could be better and may stand. FAIL: must not be published like this"`
	Score   float64 `json:"score" jsonschema:"0 to 100"`
	Summary string  `json:"summary" jsonschema:"one or two sentences"`
	Issues  []issue `json:"issues" jsonschema:"one entry for each place; empty if there is nothing to mend"`
}

type issue struct {
	Severity string `json:"severity"`
	Message  string `json:"message" jsonschema:"what is wrong, as a fact"`
	Quote    string `json:"quote,omitempty" jsonschema:"the words of the draft, verbatim and short"`
	Fix      string `json:"fix" jsonschema:"what to change"`
}

// offers are the ways a phase may go on.
type offers struct {
	Variants []offer `json:"variants"`
}

type offer struct {
	Label   string   `json:"label,omitempty"` // ours: the order decides, never a model's letters
	Title   string   `json:"title" jsonschema:"a few words by which a person recognises this variant"`
	Summary string   `json:"summary" jsonschema:"what happens and what it is about, in three to five sentences"`
	Events  []string `json:"events" jsonschema:"what happens, in order"`
	Gains   []string `json:"gains" jsonschema:"what the story gains"`
	Costs   []string `json:"costs" jsonschema:"what it costs or endangers"`

	Consequences []string `json:"consequences,omitempty"` // what later agents said about it
}

// comments are what a later agent says about each of the variants.
type comments struct {
	Comments []remark `json:"comments"`
}

type remark struct {
	Variant      string   `json:"variant" jsonschema:"the label of the variant"`
	Consequences []string `json:"consequences" jsonschema:"what follows from it later in the story"`
	Advice       string   `json:"advice" jsonschema:"one sentence for the person who chooses"`
}

// scenePlan is the content of a blueprint. Its Markdown is written by code.
type scenePlan struct {
	Title        string   `json:"title"`
	Location     string   `json:"location" jsonschema:"one place, by its name; no second place and no journey"`
	Atmosphere   string   `json:"atmosphere" jsonschema:"time, weather, light, what the place does to people, in one sentence"`
	Present      []string `json:"characters_present" jsonschema:"names of everyone who takes part"`
	Absent       []string `json:"characters_absent" jsonschema:"names of characters who must not appear or be named; may be empty"`
	Beats        []string `json:"beats" jsonschema:"what happens, in order, one sentence each; nobody who is absent occurs in them"`
	Limits       []string `json:"limits" jsonschema:"what must not happen or be told in this scene, one sentence each; may be empty"`
	MustMention  []string `json:"required_mechanics" jsonschema:"named rules, objects or terms of the world that must occur, one to three words each; may be empty"`
	NotMention   []string `json:"forbidden_mechanics" jsonschema:"terms of the world that must not occur; may be empty"`
	WordCount    int      `json:"word_count"`
	Continuity   []string `json:"continuity" jsonschema:"what was true before and must still be true, one sentence each"`
	Tone         string   `json:"emotional_tone" jsonschema:"in a few words"`
	Consequences []string `json:"consequences" jsonschema:"what this scene changes for other storylines"`
}

// storyPlan is the plan of a chapter or an act.
type storyPlan struct {
	Title        string      `json:"title"`
	Summary      string      `json:"summary" jsonschema:"what it is about, in three to six sentences"`
	Parts        []storyPart `json:"parts" jsonschema:"the scenes of a chapter, or the chapters of an act, in order"`
	Storylines   []string    `json:"storylines" jsonschema:"how each storyline stands at the end"`
	Continuity   []string    `json:"continuity" jsonschema:"what was true before and must still be true"`
	Consequences []string    `json:"consequences" jsonschema:"what this changes for what comes later"`
}

type storyPart struct {
	Title    string   `json:"title"`
	Purpose  string   `json:"purpose" jsonschema:"what it does for the story, in one sentence"`
	Location string   `json:"location"`
	People   []string `json:"characters_present"`
	Events   []string `json:"events" jsonschema:"what happens, in order"`
}

// judgement is what an agent says who judges someone else's work in a workflow of the user's own.
type judgement struct {
	Summary string  `json:"summary"`
	Issues  []issue `json:"issues"`
}

// schemas are the shapes of replies.
type schemas struct {
	advice, opinion, offers, comments, scenePlan, storyPlan, judgement json.RawMessage
}

var severities = []string{"critical", "high", "medium", "low"}

func newSchemas() (schemas, error) {
	var s schemas
	list := func(path string, low, high int) []schema.Option {
		return []schema.Option{schema.Items(path, low, high)}
	}
	issues := schema.Enum("issues.severity", severities...)
	var errs [7]error
	s.advice, errs[0] = schema.For[planAdvice](schema.Length("tone", 1, -1), schema.Length("approach", 1, -1))
	s.opinion, errs[1] = schema.For[opinion](schema.Enum("verdict", verdictPass, verdictWarn, verdictFail), schema.Range("score", 0, 100), issues)
	s.offers, errs[2] = schema.For[offers](append(list("variants", variantCount, variantCount), schema.Without("variants.label"), schema.Without("variants.consequences"),
		schema.Length("variants.title", 1, 120), schema.Length("variants.summary", 1, -1))...)
	s.comments, errs[3] = schema.For[comments](append(list("comments", variantCount, variantCount), schema.Enum("comments.variant", variantLabels(variantCount)...))...)
	s.scenePlan, errs[4] = schema.For[scenePlan](append(list("characters_present", 1, 20), schema.Items("beats", 2, 30), schema.Items("continuity", 1, 30),
		schema.Range("word_count", 200, 10_000), schema.Length("location", 1, 120), schema.Length("title", 1, 120))...)
	s.storyPlan, errs[5] = schema.For[storyPlan](append(list("parts", 1, 60), schema.Length("title", 1, 120), schema.Length("summary", 1, -1))...)
	s.judgement, errs[6] = schema.For[judgement](issues)
	for _, err := range errs {
		if err != nil {
			return schemas{}, err
		}
	}
	return s, nil
}

// variantCount is how many variants are offered.
const variantCount = 3

// variantLabels gives A, B, C and so on.
func variantLabels(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = string(rune('A' + i))
	}
	return out
}
