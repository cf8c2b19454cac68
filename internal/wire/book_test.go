package wire

import (
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/internal/config"
	"sluice/internal/line/novel/story"
)

func TestEverySettingOfBooksIsPassedOn(t *testing.T) {
	if diff := cmp.Diff(story.DefaultSettings(), bookSettings(config.Default().Novel)); diff != "" {
		t.Errorf("defaults differ (-line +config):\n%s", diff)
	}
	c := config.Novel{Language: "ru", Author: "a", TargetChapters: 1, WordsPerScene: 2, RevisionPolicy: "auto_apply", LogicReviewPolicy: "blocking",
		LogicReviewMinScore: 3, MemoryContextChapters: 4, ContextTokens: 5}
	got := reflect.ValueOf(bookSettings(c))
	given := map[string]bool{"ProjectName": true, "Title": true, "Premise": true, "Theme": true, "Models": true} // of one book each
	for i := range got.NumField() {
		if name := got.Type().Field(i).Name; got.Field(i).IsZero() && !given[name] {
			t.Errorf("%s is not passed on", name)
		}
	}
}
