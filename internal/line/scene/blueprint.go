package scene

import "strconv"

// Constraints are what a blueprint demands of its scene, in a form that code can check. Fields stand in the order of
// constraints-list.json.
type Constraints struct {
	Revision            int         `json:"revision"` // of this shape
	SceneID             string      `json:"scene_id"`
	Language            string      `json:"language"`
	Blueprint           Artifact    `json:"blueprint"`
	Location            Location    `json:"location"`
	RequiredCharacters  []Character `json:"required_characters"`
	ForbiddenCharacters []Character `json:"forbidden_characters"`
	Beats               []string    `json:"beats"`
	Scope               Scope       `json:"scope"`
	Mechanics           Mechanics   `json:"mechanics"`
	WordCount           WordCount   `json:"word_count"`
	Continuity          []string    `json:"continuity"`
	Notes               []Note      `json:"notes,omitempty"`
	Warnings            []Problem   `json:"warnings,omitempty"`
}

// constraintsRevision is the shape written here. A list of another one was made by someone else.
const constraintsRevision = 1

// Location is the one place of a scene.
type Location struct {
	Name   string `json:"name"`
	Detail string `json:"detail,omitempty"`
}

// Character is someone a blueprint names.
type Character struct {
	Name    string   `json:"name"`
	Aliases []string `json:"aliases,omitempty"`
	Note    string   `json:"note,omitempty"`
}

// Scope is what must not happen: limits in words, and terms that code can look for.
type Scope struct {
	Limits         []string `json:"limits"`
	ForbiddenTerms []string `json:"forbidden_terms"`
}

// Mechanics are named rules and terms of the world. What names no term is a note for readers.
type Mechanics struct {
	Required  []string `json:"required"`
	Forbidden []string `json:"forbidden"`
	Notes     []string `json:"notes,omitempty"`
}

// WordCount is the length asked for: words, or characters of Chinese.
type WordCount struct {
	Target int `json:"target"`
	Min    int `json:"min"`
	Max    int `json:"max"`
}

// Note is something else a blueprint says.
type Note struct {
	Label string `json:"label"`
	Text  string `json:"text"`
}

// Problem is one thing that is wrong with a blueprint.
type Problem struct {
	Type     string `json:"type"`
	Severity string `json:"severity"` // error or warning
	Message  string `json:"message"`
	Fix      string `json:"fix"`
}

const (
	severityError   = "error"
	severityWarning = "warning"
)

// tolerance is how far a text may be from the words asked for, in percent.
const tolerance = 10

func wordCountOf(low, high int) WordCount {
	target := (low + high) / 2
	return WordCount{Target: target, Min: min(low, target-target*tolerance/100), Max: max(high, target+target*tolerance/100)}
}

// ParseBlueprint reads a blueprint in Markdown. Problems of severity error mean that the constraints cannot be used.
func ParseBlueprint(source []byte) (Constraints, []Problem) {
	b := &blueprint{sections: sectionsOf(string(source))}
	b.c = Constraints{Revision: constraintsRevision, Language: languageOf(string(source)),
		RequiredCharacters: []Character{}, ForbiddenCharacters: []Character{}, Beats: []string{}, Continuity: []string{},
		Scope: Scope{Limits: []string{}, ForbiddenTerms: []string{}}, Mechanics: Mechanics{Required: []string{}, Forbidden: []string{}}}
	b.location()
	b.characters()
	b.beats()
	b.words()
	b.continuity()
	b.scope()
	b.mechanics()
	b.notes()
	b.contradictions()
	for _, p := range b.problems {
		if p.Severity == severityWarning {
			b.c.Warnings = append(b.c.Warnings, p)
		}
	}
	return b.c, b.problems
}

// usable tells that none of the problems is an error.
func usable(problems []Problem) bool {
	for _, p := range problems {
		if p.Severity == severityError {
			return false
		}
	}
	return true
}

// languageOf is the language whose script a text is written in.
func languageOf(text string) string {
	var han, cyrillic, latin int
	for _, c := range text {
		switch {
		case isHan(c):
			han++
		case c >= 'А' && c <= 'я' || c == 'ё' || c == 'Ё':
			cyrillic++
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
			latin++
		}
	}
	switch {
	case han*3 > latin && han*3 > cyrillic: // a word takes one or two characters there
		return "zh"
	case cyrillic > latin:
		return "ru"
	}
	return "en"
}

func ordinal(n int) string { return strconv.Itoa(n) }
