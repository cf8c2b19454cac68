package schema

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

type chapter struct {
	Number   int               `json:"chapter_number"`
	Title    string            `json:"chapter_title" jsonschema:"at most six words"`
	Kind     string            `json:"kind"`
	Days     float64           `json:"days"`
	Scenes   []scene           `json:"scenes"`
	Moods    map[string]string `json:"moods,omitempty"`
	Aside    *scene            `json:"aside,omitempty"`
	Words    int               `json:"total_words"`
	Location string            `json:"location,omitempty"`
}

type scene struct {
	Text string `json:"text"`
}

func TestFor(t *testing.T) {
	got, err := For[chapter](
		Enum("kind", "prologue", "chapter"), Above("days", 0), Items("scenes", 1, 9), Length("scenes.text", 10, -1),
		Pattern("location", "^[A-Z]"), Describe("scenes.text", "the prose"), Required("location"), Optional("kind"), Without("total_words"),
	)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"type":"object","required":["chapter_number","chapter_title","days","scenes","location"],"properties":{` +
		`"chapter_number":{"type":"integer"},"chapter_title":{"type":"string","description":"at most six words"},` +
		`"kind":{"type":"string","enum":["prologue","chapter"]},"days":{"type":"number","exclusiveMinimum":0},` +
		`"scenes":{"type":"array","items":{"type":"object","required":["text"],"properties":{"text":{"type":"string","description":"the prose","minLength":10}},"additionalProperties":false},"minItems":1,"maxItems":9},` +
		`"moods":{"type":"object","additionalProperties":{"type":"string"}},` +
		`"aside":{"type":"object","required":["text"],"properties":{"text":{"type":"string"}},"additionalProperties":false},` +
		`"location":{"type":"string","pattern":"^[A-Z]"}},"additionalProperties":false}`
	if diff := cmp.Diff(tree(t, []byte(want)), tree(t, got)); diff != "" {
		t.Errorf("schema (-want +got):\n%s", diff)
	}
	if a, b := strings.Index(string(got), `"chapter_number":`), strings.Index(string(got), `"scenes":`); a < 0 || a > b {
		t.Errorf("fields are not in the order of the type:\n%s", got)
	}
	if _, err := For[chapter](Enum("scenes.mood", "x")); err == nil {
		t.Error("an unknown path was accepted")
	}
}

func tree(t *testing.T, raw []byte) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatalf("%v in %s", err, raw)
	}
	return v
}
