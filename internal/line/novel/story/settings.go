package story

import (
	"strings"
	"unicode"

	"golang.org/x/text/language"

	"sluice/internal/fault"
)

// RevisionPolicy is what becomes of a chapter whose consistency check found something to fix.
type RevisionPolicy string

const (
	RevisionNone  RevisionPolicy = "none"
	AutoApply     RevisionPolicy = "auto_apply"
	ManualConfirm RevisionPolicy = "manual_confirm"
)

// LogicReviewPolicy is whether a logic review stands between a chapter and the next.
type LogicReviewPolicy string

const (
	LogicOff      LogicReviewPolicy = "off"
	LogicBlocking LogicReviewPolicy = "blocking"
)

// Settings is settings.json.
type Settings struct {
	ProjectName           string            `json:"project_name"`
	Title                 string            `json:"title,omitempty"` // of exports; empty: the project's name
	Premise               string            `json:"premise"`
	Theme                 string            `json:"theme,omitempty"`
	Language              string            `json:"language"`
	Author                string            `json:"author,omitempty"`
	TargetChapters        int               `json:"target_chapters"`
	WordsPerScene         int               `json:"words_per_scene"`
	RevisionPolicy        RevisionPolicy    `json:"revision_policy"`
	LogicReviewPolicy     LogicReviewPolicy `json:"logic_review_policy"`
	LogicReviewMinScore   int               `json:"logic_review_min_score"`
	MemoryContextChapters int               `json:"memory_context_chapters"`
	ContextTokens         int               `json:"context_tokens"` // what a prompt may tell of the book
	Models                map[string]string `json:"models,omitempty"`
}

// DefaultSettings is what holds where nothing is configured: no text is changed and nothing blocks.
func DefaultSettings() Settings {
	return Settings{
		TargetChapters: 20, WordsPerScene: 800, RevisionPolicy: RevisionNone, LogicReviewPolicy: LogicOff,
		LogicReviewMinScore: 75, MemoryContextChapters: 3, ContextTokens: DefaultContextTokens,
	}
}

// DecodeSettings reads settings.json over defaults: what the file does not say stays as the defaults have it.
func DecodeSettings(file string, body []byte, defaults Settings) (Settings, error) {
	s := defaults
	if err := decodeOver(file, body, &s, true); err != nil {
		return Settings{}, err
	}
	if s.Language == "" {
		s.Language = LanguageOf(s.Premise)
	}
	return s, s.Check(file)
}

// DefaultContextTokens holds what a chapter needs of an ordinary book several times over.
const DefaultContextTokens = 8000

// Limits of settings, against typing errors: beyond them no book is made.
const (
	MaxChapters      = 9999
	maxWordsPerScene = 100_000
	maxMemory        = 1000
	// Below this a prompt holds its frames and hardly a sentence of the book; above it no model reads.
	minContextTokens = 1000
	maxContextTokens = 1_000_000
)

// Check refuses values that mean nothing. The subject is the file or command they came from.
func (s Settings) Check(subject string) error {
	bad := func(format string, args ...any) error {
		return fault.New(fault.BadValue, subject, format, args...)
	}
	within := func(name string, value, low, high int) error {
		if value < low || value > high {
			return bad("%s is %d, not between %d and %d", name, value, low, high)
		}
		return nil
	}
	switch s.RevisionPolicy {
	case RevisionNone, AutoApply, ManualConfirm:
	default:
		return bad("revision_policy is %q, not none, auto_apply or manual_confirm", s.RevisionPolicy)
	}
	switch s.LogicReviewPolicy {
	case LogicOff, LogicBlocking:
	default:
		return bad("logic_review_policy is %q, not off or blocking", s.LogicReviewPolicy)
	}
	if _, err := language.Parse(s.Language); err != nil {
		return bad("language is %q, not a BCP 47 tag such as en, ru or zh-Hans", s.Language)
	}
	for _, err := range []error{
		within("target_chapters", s.TargetChapters, 1, MaxChapters),
		within("words_per_scene", s.WordsPerScene, 1, maxWordsPerScene),
		within("logic_review_min_score", s.LogicReviewMinScore, 0, 100),
		within("memory_context_chapters", s.MemoryContextChapters, 0, maxMemory),
		within("context_tokens", s.ContextTokens, minContextTokens, maxContextTokens),
	} {
		if err != nil {
			return err
		}
	}
	return nil
}

// IsChinese tells whether a language tag is some Chinese.
func IsChinese(tag string) bool {
	t, err := language.Parse(tag)
	if err != nil {
		return false
	}
	base, _ := t.Base()
	return base.String() == "zh"
}

// LanguageOf guesses the language of a text by its script, as far as a script says: kana is Japanese, Han alone is
// Chinese. Latin script is taken for English.
func LanguageOf(text string) string {
	counts := make(map[string]int)
	for _, r := range text {
		for _, s := range scripts {
			if unicode.Is(s.table, r) {
				counts[s.language] += s.weight
				break
			}
		}
	}
	best := "en"
	for _, s := range scripts { // in order, so that a tie always falls the same way
		if counts[s.language] > counts[best] {
			best = s.language
		}
	}
	return best
}

// A Han character says about as much as three letters; kana decides for Japanese, which is written with Han as well.
var scripts = []struct {
	table    *unicode.RangeTable
	language string
	weight   int
}{
	{unicode.Hiragana, "ja", 9}, {unicode.Katakana, "ja", 9}, {unicode.Han, "zh", 3}, {unicode.Hangul, "ko", 3},
	{unicode.Cyrillic, "ru", 1}, {unicode.Greek, "el", 1}, {unicode.Arabic, "ar", 1}, {unicode.Hebrew, "he", 1},
	{unicode.Devanagari, "hi", 1}, {unicode.Thai, "th", 1}, {unicode.Latin, "en", 1},
}

// IsBlank tells whether a text says nothing.
func IsBlank(s string) bool { return strings.TrimSpace(s) == "" }
