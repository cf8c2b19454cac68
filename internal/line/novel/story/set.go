package story

import (
	"reflect"
	"strconv"
	"strings"

	"sluice/internal/fault"
)

// SettingKeys lists what a person may set, in the order of the file.
func SettingKeys() []string {
	return []string{"title", "premise", "theme", "language", "author", "target_chapters", "words_per_scene", "revision_policy", "logic_review_policy",
		"logic_review_min_score", "memory_context_chapters", "context_tokens", "models.STEP"}
}

// Set changes one setting from a word, as a command line gives it. Empty is a value: it takes a text away. Whether the
// whole makes sense is Check's to say.
func (s *Settings) Set(key, value string) error {
	if step, ok := strings.CutPrefix(key, "models."); ok && step != "" {
		s.setModel(step, value)
		return nil
	}
	texts := map[string]*string{"title": &s.Title, "premise": &s.Premise, "theme": &s.Theme, "language": &s.Language, "author": &s.Author,
		"revision_policy": (*string)(&s.RevisionPolicy), "logic_review_policy": (*string)(&s.LogicReviewPolicy)}
	if at, ok := texts[key]; ok {
		*at = value
		return nil
	}
	numbers := map[string]*int{"target_chapters": &s.TargetChapters, "words_per_scene": &s.WordsPerScene,
		"logic_review_min_score": &s.LogicReviewMinScore, "memory_context_chapters": &s.MemoryContextChapters, "context_tokens": &s.ContextTokens}
	at, ok := numbers[key]
	if !ok {
		return fault.New(fault.BadValue, key, "there is no setting %.40q; the settings are %s", key, strings.Join(SettingKeys(), ", "))
	}
	n, err := strconv.Atoi(strings.TrimSpace(value))
	if err != nil {
		return fault.New(fault.BadValue, key, "%s is %.40q, not a whole number", key, value)
	}
	*at = n
	return nil
}

// setModel changes the model of one step; the map may be shared, so it is copied.
func (s *Settings) setModel(step, model string) {
	models := map[string]string{}
	for k, v := range s.Models {
		models[k] = v
	}
	if model == "" {
		delete(models, step)
	} else {
		models[step] = model
	}
	if s.Models = models; len(models) == 0 {
		s.Models = nil
	}
}

// Equal tells whether two settings say the same.
func (s Settings) Equal(o Settings) bool { return reflect.DeepEqual(s, o) }
