package model

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

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

// A member that nobody asked for is no reason to pay for another reply; what is missing is.
func TestStrayMembersAreNoProblem(t *testing.T) {
	s := NewSchemas()
	schema := json.RawMessage(`{"type":"object","required":["a"],"properties":{"a":{"type":"object","required":["n"],"properties":{"n":{"type":"integer"}},"additionalProperties":false}},"additionalProperties":false}`)
	for doc, want := range map[string]int{`{"a":{"n":1,"can_auto_fix":true},"b":2}`: 0, `{"a":{"can_auto_fix":true}}`: 1, `{"a":{"n":"1","b":2}}`: 1} {
		problems, err := s.Check(schema, json.RawMessage(doc))
		if err != nil || len(problems) != want {
			t.Errorf("%s: %v, %v; want %d problems", doc, problems, err, want)
		}
	}
}
