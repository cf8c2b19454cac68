package rehearsal

import (
	"encoding/json"
	"testing"

	"pgregory.net/rapid"

	"sluice/internal/model"
)

// Names that mean something to the generator and names that do not.
var fieldNames = []string{
	"id", "task_id", "title", "name", "summary", "content", "score", "overall_score", "issues", "characters", "chapter_number",
	"dependencies", "estimated_person_days", "pass", "verdict", "type", "words", "location", "filename", "x", "zeta", "nodes", "edges",
}

func drawSchema(t *rapid.T, depth int) map[string]any {
	kinds := []string{"string", "integer", "number", "boolean", "enum", "uuid", "date-time"}
	if depth > 0 {
		kinds = append(kinds, "object", "object", "array", "map")
	}
	switch kind := rapid.SampledFrom(kinds).Draw(t, "kind"); kind {
	case "string":
		low := rapid.IntRange(0, 60).Draw(t, "minLength")
		return map[string]any{"type": kind, "minLength": low, "maxLength": low + rapid.IntRange(0, 200).Draw(t, "room")}
	case "integer", "number":
		low := rapid.IntRange(-50, 100).Draw(t, "minimum")
		return map[string]any{"type": kind, "minimum": low, "maximum": low + rapid.IntRange(0, 100).Draw(t, "room")}
	case "uuid", "date-time":
		return map[string]any{"type": "string", "format": kind}
	case "enum":
		return map[string]any{"enum": rapid.SliceOfN(rapid.SampledFrom([]string{"APPROVED", "REJECTED", "low", "high"}), 1, 3).Draw(t, "values")}
	case "array":
		low := rapid.IntRange(0, 3).Draw(t, "minItems")
		return map[string]any{"type": kind, "items": drawSchema(t, depth-1), "minItems": low, "maxItems": low + rapid.IntRange(0, 3).Draw(t, "room")}
	case "map":
		return map[string]any{"type": "object", "additionalProperties": drawSchema(t, depth-1), "minProperties": rapid.IntRange(0, 2).Draw(t, "minProperties")}
	case "object":
		properties := map[string]any{}
		names := rapid.SliceOfNDistinct(rapid.SampledFrom(fieldNames), 1, 6, rapid.ID).Draw(t, "names")
		for _, name := range names {
			properties[name] = drawSchema(t, depth-1)
		}
		return map[string]any{"type": kind, "properties": properties, "required": names[:rapid.IntRange(0, len(names)).Draw(t, "required")], "additionalProperties": false}
	default:
		return map[string]any{"type": kind}
	}
}

func drawInputs(t *rapid.T) map[string]any {
	value := rapid.OneOf(
		rapid.Just[any](nil), rapid.Just[any](true), rapid.Just[any]("Анна"), rapid.Just[any]("# 标题\n正文"), rapid.Just[any](""),
		rapid.Just[any](-3), rapid.Just[any](7.5), rapid.Just[any]([]any{"a", "b"}), rapid.Just[any]([]any{map[string]any{"id": "AC-1", "task_id": "t"}}),
		rapid.Just[any](map[string]any{"title": "inner", "words": 20}),
	)
	return rapid.MapOfN(rapid.SampledFrom(fieldNames), value, 0, 5).Draw(t, "inputs")
}

// Whatever the schema and whatever the inputs, the reply fits.
func TestAnySchemaIsObeyed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		schema, err := json.Marshal(drawSchema(t, 3))
		if err != nil {
			t.Fatal(err)
		}
		given, err := json.Marshal(drawInputs(t))
		if err != nil {
			t.Fatal(err)
		}
		r := model.Request{Agent: "any", Schema: schema, Inputs: given, Scope: model.Scope{Take: rapid.IntRange(0, 3).Draw(t, "take")}}
		reply, err := New(Script{}, nil).Complete(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		problems, err := model.NewSchemas().Check(schema, json.RawMessage(reply.Content))
		if err != nil || len(problems) > 0 {
			t.Fatalf("schema %s\ninputs %s\nreply %s\n%v %v", schema, given, reply.Content, problems, err)
		}
	})
}

func BenchmarkScene(b *testing.B) {
	r := model.Request{Agent: "scene-text", Inputs: json.RawMessage(`{"chapter_number":1,"words":800,"characters":["Mara","Jonas"],"location":"the harbour","key_actions":["they argue"]}`)}
	m := New(Script{}, nil)
	for b.Loop() {
		if _, err := m.Complete(b.Context(), r); err != nil {
			b.Fatal(err)
		}
	}
}
