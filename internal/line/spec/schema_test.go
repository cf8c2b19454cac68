package spec

import (
	"bytes"
	"os"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"
)

// validator is not ours: what we write must fit the published schemas in the eyes of others.
func validator(t *testing.T, name string) func(doc []byte) error {
	t.Helper()
	raw, err := os.ReadFile("../../../schemas/" + name + ".schema.json")
	if err != nil {
		t.Fatal(err)
	}
	schema, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource(name, schema); err != nil {
		t.Fatal(err)
	}
	compiled, err := c.Compile(name)
	if err != nil {
		t.Fatal(err)
	}
	return func(doc []byte) error {
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(doc))
		if err != nil {
			return err
		}
		return compiled.Validate(v)
	}
}

func TestEverySpecFitsTheSchema(t *testing.T) {
	fits := validator(t, "canonical-spec")
	rapid.Check(t, func(t *rapid.T) {
		s := anySpec(t)
		for i, task := range s.Planning.Tasks { // what we store has passed Clean
			if task.Type == "magic" {
				s.Planning.Tasks[i].Type = ""
			}
		}
		for i, v := range s.Planning.VV {
			if v.Type == "magic" {
				s.Planning.VV[i].Type = ""
			}
		}
		s.Quality = Measure(s)
		raw, err := s.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if err := fits(raw); err != nil {
			t.Fatalf("%v\n%s", err, raw)
		}
	})
}
