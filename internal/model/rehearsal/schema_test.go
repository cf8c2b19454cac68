package rehearsal

import (
	"encoding/json"
	"strings"
	"testing"

	"sluice/internal/model"
)

// Every schema is obeyed, whatever its fields are called.
func TestEverySchemaIsObeyed(t *testing.T) {
	schemas := model.NewSchemas()
	for name, s := range map[string]string{
		"empty":                     `{}`,
		"scalar root":               `{"type":"string"}`,
		"array root":                `{"type":"array","minItems":2,"maxItems":2,"items":{"type":"integer","minimum":5,"maximum":6}}`,
		"const":                     `{"const":{"a":[1,null]}}`,
		"enum of numbers":           `{"type":"object","required":["x"],"properties":{"x":{"enum":[3,4]}}}`,
		"null":                      `{"type":"object","required":["x"],"properties":{"x":{"type":"null"}}}`,
		"nullable":                  `{"type":"object","required":["x"],"properties":{"x":{"type":["null","string"],"maxLength":3}}}`,
		"lengths":                   `{"type":"object","required":["summary","title"],"properties":{"summary":{"type":"string","minLength":300,"maxLength":310},"title":{"type":"string","maxLength":2}}}`,
		"score ranges":              `{"type":"object","required":["score","overall_score","total_score"],"properties":{"score":{"type":"number","minimum":0,"maximum":1},"overall_score":{"type":"integer","maximum":10},"total_score":{"type":"integer","exclusiveMaximum":40}}}`,
		"bounds":                    `{"type":"object","required":["a","b","c","d"],"properties":{"a":{"type":"number","exclusiveMinimum":0,"exclusiveMaximum":1},"b":{"type":"integer","multipleOf":7,"minimum":20},"c":{"type":"number","maximum":-3},"d":{"type":"number","multipleOf":0.5,"minimum":0.2,"maximum":0.9}}}`,
		"formats":                   `{"type":"object","required":["a","b","c","d","e"],"properties":{"a":{"type":"string","format":"date-time"},"b":{"type":"string","format":"uuid"},"c":{"type":"string","format":"date"},"d":{"type":"string","format":"email"},"e":{"type":"string","format":"uri"}}}`,
		"patterns":                  `{"type":"object","required":["a","b","c","d"],"properties":{"a":{"type":"string","pattern":"^S-\\d{8}-\\d{4,}$"},"b":{"type":"string","pattern":"^(low|high)$"},"c":{"type":"string","pattern":"^[a-z0-9][a-z0-9-]{0,199}$"},"d":{"type":"string","pattern":"^\\p{L}+$"}}}`,
		"unique":                    `{"type":"object","required":["tags","kinds"],"properties":{"tags":{"type":"array","minItems":5,"uniqueItems":true,"items":{"type":"string"}},"kinds":{"type":"array","uniqueItems":true,"minItems":2,"items":{"enum":["a","b"]}}}}`,
		"complaints with a minimum": `{"type":"object","required":["issues"],"properties":{"issues":{"type":"array","minItems":1,"items":{"type":"string"}}}}`,
		"references":                `{"$ref":"#/$defs/tree","$defs":{"tree":{"type":"object","required":["name"],"properties":{"name":{"type":"string"},"children":{"type":"array","items":{"$ref":"#/$defs/tree"}}}}}}`,
		"combinations":              `{"allOf":[{"type":"object","required":["a"],"properties":{"a":{"anyOf":[{"type":"null"},{"type":"integer"}]}}},{"required":["b"],"properties":{"b":{"oneOf":[{"type":"boolean"},{"type":"string"}]}}}]}`,
		"maps":                      `{"type":"object","required":["m","n"],"properties":{"m":{"type":"object","minProperties":2,"additionalProperties":{"type":"integer","minimum":1}},"n":{"type":"object"}}}`,
		"undeclared":                `{"type":"object","required":["ghost"]}`,
		"tuple":                     `{"type":"array","prefixItems":[{"type":"string"},{"type":"integer"}],"items":false}`,
	} {
		for take := range 3 {
			for _, given := range []string{`{}`, `{"premise":"时间","a":"text","b":3,"tags":["x"],"score":"high","issues":[{"id":1}],"m":{"k":1}}`, `{"goal":"Дом у реки","words":50}`} {
				got, err := New(Script{}, nil).Complete(t.Context(), model.Request{Agent: "any", Inputs: json.RawMessage(given), Schema: json.RawMessage(s), Scope: model.Scope{Take: take}})
				if err != nil {
					t.Errorf("%s: %v", name, err)
					continue
				}
				problems, err := schemas.Check(json.RawMessage(s), json.RawMessage(got.Content))
				if err != nil || len(problems) > 0 {
					t.Errorf("%s with %s: %v %v in %s", name, given, err, problems, got.Content)
				}
			}
		}
	}
}

func TestLanguage(t *testing.T) {
	for name, test := range map[string]struct{ inputs, prompt, want string }{
		"asked for":          {`{"language":"zh-CN","premise":"A quiet town"}`, "", "zh"},
		"asked for, unknown": {`{"language":"fr","premise":"时间"}`, "", "en"},
		"chinese":            {`{"premise":"雨城里的钟表匠 discovers API"}`, "", "zh"},
		"russian":            {`{"constraints":{"location":"архив","id":"scene"}}`, "", "ru"},
		"english":            {`{"title":"Export as CSV","note":"导出"}`, "", "en"},
		"from the prompt":    {`{"n":1}`, "Напишите план", "ru"},
		"nothing":            {``, "", "en"},
	} {
		given, err := decodeObject([]byte(test.inputs))
		if err != nil {
			t.Fatal(err)
		}
		if got := readInputs(given).language(test.prompt); got != test.want {
			t.Errorf("%s: got %s, want %s", name, got, test.want)
		}
	}
}

func TestLengthOnDemand(t *testing.T) {
	for _, given := range []string{
		`{"words":1000,"title":"Harbours","scene_number":1}`, `{"words":1000,"premise":"雨城"}`, `{"words":1000,"premise":"Дом у реки"}`,
		`{"words_per_scene":300,"chapter_number":1}`, `{"words":40,"title":"Harbours"}`,
	} {
		object, err := decodeObject([]byte(given))
		if err != nil {
			t.Fatal(err)
		}
		got := answer(t, agentCase{"scene-text", given, ""}, 0)
		want, _ := readInputs(object).number(nil, "words", "words_per_scene")
		// Headings and lists come on top of the text of a document.
		if n := float64(measure(got)); n < 0.9*want || n > 1.1*want+12 {
			t.Errorf("%s: %v words, want about %v", given, n, want)
		}
	}
}

func TestDocumentsComeInTheirFormat(t *testing.T) {
	given := func(format string) string {
		return `{"title":"Rules & <moves>","deliverable_spec":{"format":"` + format + `"},"source":"# Board\ntext\n## Pieces\ntext","acceptance_criteria":["names every move"]}`
	}
	if got := answer(t, agentCase{"action", given("html"), ""}, 0); !strings.HasPrefix(got, "<!doctype html>") || strings.Contains(got, "<moves>") {
		t.Errorf("html: %s", got)
	}
	if got := answer(t, agentCase{"action", given("json"), ""}, 0); !json.Valid([]byte(got)) {
		t.Errorf("json: %s", got)
	}
	md := answer(t, agentCase{"action", given("md"), ""}, 0)
	for _, want := range []string{"# Rules & <moves>\n", "## Board\n", "## Pieces\n", "- names every move\n"} {
		if !strings.Contains(md, want) {
			t.Errorf("markdown lacks %q:\n%s", want, md)
		}
	}
}
