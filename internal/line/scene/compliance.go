package scene

import (
	"fmt"
	"slices"
	"strings"

	"sluice/internal/kernel"
)

// ComplianceResult is fast-compliance-result.json: what code alone can say about a draft.
type ComplianceResult struct {
	SceneID    string           `json:"scene_id"`
	Pass       bool             `json:"pass"`
	Draft      Artifact         `json:"draft"`
	WordCount  WordsFound       `json:"word_count"`
	Checks     []Checked        `json:"checks"`
	Violations []kernel.Finding `json:"violations"`
	Warnings   []kernel.Finding `json:"warnings"`
}

// WordsFound compares the length of a text with the one asked for.
type WordsFound struct {
	Actual int `json:"actual"`
	Target int `json:"target"`
	Min    int `json:"min"`
	Max    int `json:"max"`
}

// Checked is one thing that was looked for.
type Checked struct {
	Check  string `json:"check"`
	Item   string `json:"item"`
	Pass   bool   `json:"pass"`
	Detail string `json:"detail,omitempty"`
}

// Codes of violations. They are part of the result's shape.
const (
	codeNoProse            = "no_prose"
	codeLocation           = "location_missing"
	codeForbiddenCharacter = "forbidden_character"
	codeMissingCharacter   = "character_missing"
	codeMissingMechanic    = "mechanic_missing"
	codeForbiddenMechanic  = "mechanic_forbidden"
	codeScope              = "out_of_scope"
	codeWordCount          = "word_count"
)

// CheckCompliance holds a draft against its constraints without a model. Only the prose counts.
func CheckCompliance(c Constraints, draft string) ComplianceResult {
	prose := proseOf(draft)
	k := &checker{c: c, t: textOf(prose), r: ComplianceResult{SceneID: c.SceneID, Checks: []Checked{}, Violations: []kernel.Finding{},
		Warnings:  []kernel.Finding{},
		WordCount: WordsFound{Actual: countWords(prose), Target: c.WordCount.Target, Min: c.WordCount.Min, Max: c.WordCount.Max}}}
	if k.r.WordCount.Actual == 0 {
		k.violation(codeNoProse, "the draft holds no prose", "write the scene as prose")
	} else {
		k.location()
		k.characters()
		k.terms()
		k.length()
	}
	k.r.Pass = len(k.r.Violations) == 0
	return k.r
}

type checker struct {
	c Constraints
	t textIndex
	r ComplianceResult
}

func (k *checker) violation(code, message, fix string) {
	k.r.Violations = append(k.r.Violations, kernel.Finding{Code: code, Severity: "high", Message: message, Fix: fix})
}

// check records what was looked for, and a violation where it fails.
func (k *checker) check(kind, item string, pass bool, detail, code, message, fix string) {
	k.r.Checks = append(k.r.Checks, Checked{Check: kind, Item: item, Pass: pass, Detail: detail})
	if !pass {
		k.violation(code, message, fix)
	}
}

func (k *checker) location() {
	at := k.c.Location.Name
	if at == "" {
		return
	}
	k.check("location", at, k.t.place(at), "", codeLocation,
		fmt.Sprintf("the location %q is not recognisable in the prose", at), fmt.Sprintf("set the scene in %s and name it", at))
}

func (k *checker) characters() {
	for _, c := range k.c.ForbiddenCharacters {
		others := append(slices.Clone(k.c.RequiredCharacters), without(k.c.ForbiddenCharacters, c)...)
		m := nameOf(c, k.c.RequiredCharacters).in(k.t, others)
		k.check("forbidden_character", c.Name, !m.found, m.quote, codeForbiddenCharacter,
			fmt.Sprintf("%s must be absent and appears: “…%s…”", c.Name, m.quote), fmt.Sprintf("remove %s from the scene, by name and by mention", c.Name))
	}
	for _, c := range k.c.RequiredCharacters {
		others := append(slices.Clone(k.c.ForbiddenCharacters), without(k.c.RequiredCharacters, c)...)
		m := nameOf(c, others).in(k.t, others)
		k.check("required_character", c.Name, m.found, "", codeMissingCharacter,
			fmt.Sprintf("%s must be present and is never named", c.Name), fmt.Sprintf("bring %s into the scene by name", c.Name))
	}
}

// maxGap is how many words may stand between two words of a term that is wanted.
const maxGap = 2

func (k *checker) terms() {
	for _, term := range k.c.Mechanics.Required {
		k.check("required_mechanic", term, k.t.term(term, maxGap).found, "", codeMissingMechanic,
			fmt.Sprintf("%q must occur and does not", term), fmt.Sprintf("let %q play its part, by that name", term))
	}
	for _, term := range k.c.Mechanics.Forbidden {
		m := k.t.term(term, 0)
		k.check("forbidden_mechanic", term, !m.found, m.quote, codeForbiddenMechanic,
			fmt.Sprintf("%q must not occur and does: “…%s…”", term, m.quote), fmt.Sprintf("do without %q", term))
	}
	for _, term := range k.c.Scope.ForbiddenTerms {
		m := k.t.term(term, 0)
		k.check("scope", term, !m.found, m.quote, codeScope,
			fmt.Sprintf("%q is outside the scope of the scene and occurs: “…%s…”", term, m.quote), fmt.Sprintf("take %q out of the scene", term))
	}
}

// length warns and never rejects: a scene of the wrong length is still the right scene.
func (k *checker) length() {
	w := k.r.WordCount
	if w.Target <= 0 {
		return
	}
	pass := w.Actual >= w.Min && w.Actual <= w.Max
	k.r.Checks = append(k.r.Checks, Checked{Check: "word_count", Item: fmt.Sprintf("%d to %d", w.Min, w.Max), Pass: pass, Detail: fmt.Sprintf("%d", w.Actual)})
	if !pass {
		k.r.Warnings = append(k.r.Warnings, kernel.Finding{Code: codeWordCount, Severity: "low",
			Message: fmt.Sprintf("the prose has %d words, %d to %d were asked for", w.Actual, w.Min, w.Max), Fix: fmt.Sprintf("aim for %d words", w.Target)})
	}
}

// mustMention lists what a writer has to name for the check to pass.
func (c Constraints) mustMention() []string {
	return union([]string{c.Location.Name}, append(namesOf(c.RequiredCharacters), c.Mechanics.Required...))
}

// mustNotMention lists what a writer must not name.
func (c Constraints) mustNotMention() []string {
	return union(union(namesOf(c.ForbiddenCharacters), c.Mechanics.Forbidden), c.Scope.ForbiddenTerms)
}

func namesOf(all []Character) []string {
	out := make([]string, 0, len(all))
	for _, c := range all {
		out = append(out, strings.TrimSpace(c.Name))
	}
	return out
}
