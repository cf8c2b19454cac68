package model

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

func TestSchemaFor(t *testing.T) {
	got, err := SchemaFor[chapter](
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
	if _, err := SchemaFor[chapter](Enum("scenes.mood", "x")); err == nil {
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

func TestReduce(t *testing.T) {
	strict := Dialect{Drop: []string{"minimum", "maximum", "minLength", "maxLength", "pattern", "$schema", "default"}, AllRequired: true, Closed: true}
	for name, test := range map[string]struct {
		schema, want string
		exact        bool
	}{
		"bounds are told, optional fields become nullable": {
			`{"$schema":"x","type":"object","required":["a"],"properties":{"b":{"type":"string","enum":["x"],"maxLength":5},"a":{"type":"integer","description":"score","minimum":0,"maximum":9,"default":1}}}`,
			`{"type":"object","required":["a","b"],"properties":{"b":{"type":["string","null"],"enum":["x",null],"description":"(maxLength 5)"},"a":{"type":"integer","description":"score (minimum 0, maximum 9)"}},"additionalProperties":false}`,
			true,
		},
		"references": {
			`{"type":"object","required":[],"properties":{"a":{"$ref":"#/$defs/x"}},"$defs":{"x":{"type":"object","required":["n"],"properties":{"n":{"type":"string","pattern":"a"}}}}}`,
			`{"type":"object","required":["a"],"properties":{"a":{"anyOf":[{"$ref":"#/$defs/x"},{"type":"null"}]}},"$defs":{"x":{"type":"object","required":["n"],"properties":{"n":{"type":"string","description":"(pattern \"a\")"}},"additionalProperties":false}},"additionalProperties":false}`,
			true,
		},
		"a map is not exact": {
			`{"type":"object","required":["m"],"properties":{"m":{"type":"object","additionalProperties":{"type":"string"}}}}`,
			`{"type":"object","required":["m"],"properties":{"m":{"type":"object","additionalProperties":{"type":"string"}}},"additionalProperties":false}`,
			false,
		},
		"an array at the root is not exact": {
			`{"type":"array","items":{"type":"string","minLength":2}}`, `{"type":"array","items":{"type":"string","description":"(minLength 2)"}}`, false,
		},
	} {
		got, exact, err := Reduce(json.RawMessage(test.schema), strict)
		if err != nil || exact != test.exact {
			t.Errorf("%s: exact %v, %v, want %v", name, exact, err, test.exact)
			continue
		}
		if diff := cmp.Diff(tree(t, []byte(test.want)), tree(t, got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if strings.Contains(string(got), `"b":`) && strings.Index(string(got), `"b":`) > strings.Index(string(got), `"a":`) {
			t.Errorf("%s: the order of properties changed: %s", name, got)
		}
	}
	for _, bad := range []string{"", "[]", "{", "{} {}"} {
		if _, _, err := Reduce(json.RawMessage(bad), strict); err == nil {
			t.Errorf("%q was reduced", bad)
		}
	}
}

func TestSchemasCompileOnceAndStayInside(t *testing.T) {
	s := NewSchemas()
	schema := json.RawMessage(`{"type":"object","properties":{"at":{"type":"string","format":"date-time"}}}`)
	for range 2 {
		problems, err := s.Check(schema, json.RawMessage(`{"at":"yesterday"}`))
		if err != nil || len(problems) != 1 || problems[0].Pointer != "/at" {
			t.Errorf("got %v, %v, want one problem at /at", problems, err)
		}
	}
	if len(s.compiled) != 1 {
		t.Errorf("compiled %d times, want once", len(s.compiled))
	}
	if _, err := s.Check(json.RawMessage(`{"$ref":"file:///etc/passwd"}`), json.RawMessage(`{}`)); err == nil {
		t.Error("a schema that reads a file was compiled")
	}
}
