package scene

import (
	"bytes"
	"os"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// mustValidate checks a state document with a validator that is not ours.
func mustValidate(t *testing.T, doc []byte) {
	t.Helper()
	raw, err := os.Open("../../../schemas/workflow-state.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	schema, err := jsonschema.UnmarshalJSON(raw)
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("workflow-state.schema.json", schema); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("workflow-state.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(doc))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Validate(v); err != nil {
		t.Errorf("a state document does not fit its schema: %v\n%s", err, doc)
	}
}
