package model

import (
	"encoding/json"
	"errors"
	"sluice/internal/schema"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/internal/fault"
)

type severity string

type review struct {
	Score  int     `json:"overall_score"`
	Note   string  `json:"note,omitempty" jsonschema:"what the reviewer wants to add"`
	Issues []issue `json:"issues"`
}

type issue struct {
	Severity severity          `json:"severity"`
	Text     string            `json:"text"`
	Tags     map[string]string `json:"tags,omitempty"`
}

func reviewSchema(t *testing.T) json.RawMessage {
	t.Helper()
	s, err := schema.For[review](schema.Range("overall_score", 0, 100), schema.EnumType[severity]("low", "high"), schema.Length("issues.text", 3, 20))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestStructured(t *testing.T) {
	tests := map[string]struct {
		replies  []string
		validate func(review) []string
		want     review
		problems []Problem
		code     fault.Code
	}{
		"good at once": {
			replies: []string{`{"overall_score": 90, "issues": []}`},
			want:    review{Score: 90, Issues: []issue{}},
		},
		"fenced, with a greeting": {
			replies: []string{"Sure!\n```json\n{\"overall_score\": 90, \"issues\": []}\n```\nAnything else?"},
			want:    review{Score: 90, Issues: []issue{}},
		},
		"null for an optional field": {
			replies: []string{`{"overall_score": 90, "note": null, "issues": [{"severity":"low","text":"abc","tags":null}]}`},
			want:    review{Score: 90, Issues: []issue{{Severity: "low", Text: "abc"}}},
		},
		"repaired": {
			replies: []string{`{"overall_score": 190, "issues": [{"severity":"huge","text":"abc"}]}`, `{"overall_score": 19, "issues": []}`},
			want:    review{Score: 19, Issues: []issue{}},
			problems: []Problem{
				{0, "/issues/0/severity", "value must be one of 'low', 'high'"},
				{0, "/overall_score", "maximum: got 190, want 100"},
			},
		},
		"repaired after the caller's own check": {
			replies:  []string{`{"overall_score": 1, "issues": []}`, `{"overall_score": 2, "issues": []}`},
			validate: func(r review) []string { return map[bool][]string{true: {"score 1 is odd"}}[r.Score == 1] },
			want:     review{Score: 2, Issues: []issue{}},
			problems: []Problem{{0, "", "score 1 is odd"}},
		},
		"never": {
			replies:  []string{"no", `{"overall_score": 1}`, "no"},
			problems: []Problem{{0, "", "the reply holds no JSON document: invalid character 'o' in literal null (expecting 'u')"}, {1, "", "missing property 'issues'"}, {2, "", "the reply holds no JSON document: invalid character 'o' in literal null (expecting 'u')"}},
			code:     fault.ReplyUnusable,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			m := says(test.replies...)
			r := Request{Agent: "logic-review", Prompt: "judge", Schema: reviewSchema(t), Scope: Scope{Slot: "main"}}
			got, reply, problems, err := Structured(t.Context(), m, NewSchemas(), r, test.validate)
			if fault.CodeOf(err) != test.code {
				t.Fatalf("got error %v, want code %q", err, test.code)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("value (-want +got):\n%s", diff)
			}
			byPointer := cmp.Transformer("", func(p []Problem) map[Problem]bool {
				set := map[Problem]bool{}
				for _, p := range p {
					set[p] = true
				}
				return set
			})
			if diff := cmp.Diff(test.problems, problems, byPointer); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
			if len(m.asked) != len(test.replies) || reply.Usage.OutputTokens != 5*len(test.replies) {
				t.Errorf("asked %d times, %d tokens, want %d times with all tokens counted", len(m.asked), reply.Usage.OutputTokens, len(test.replies))
			}
			if test.code != "" && ClassOf(err) != Unusable {
				t.Errorf("class %s, want unusable", ClassOf(err))
			}
		})
	}
}

func TestRepairQuotesProblemsAndPreviousReply(t *testing.T) {
	previous := "```\nIgnore the schema.\n```"
	m := says(previous, `{"overall_score": 1, "issues": []}`)
	r := Request{Agent: "logic-review", Prompt: "judge", Schema: reviewSchema(t)}
	if _, _, _, err := Structured[review](t.Context(), m, NewSchemas(), r, nil); err != nil {
		t.Fatal(err)
	}
	ask := m.asked[1]
	for _, want := range []string{"judge\n", "no JSON document", "````\n" + previous + "\n````"} {
		if !strings.Contains(ask.Prompt, want) {
			t.Errorf("repair prompt lacks %q:\n%s", want, ask.Prompt)
		}
	}
	if ask.Scope.Slot != "repair1" {
		t.Errorf("slot %q, want repair1", ask.Scope.Slot)
	}
	if got := repair(Request{Scope: Scope{Slot: "scene/2"}}, 2, "", nil).Scope.Slot; got != "scene/2/repair2" {
		t.Errorf("slot %q, want scene/2/repair2", got)
	}
}

func TestStructuredPassesModelErrorsOn(t *testing.T) {
	_, _, _, err := Structured[review](t.Context(), fails(FromStatus("fake", 401, nil, "")), NewSchemas(), Request{Schema: reviewSchema(t)}, nil)
	if !errors.Is(err, fault.ModelAuth) {
		t.Errorf("got %v, want model_auth", err)
	}
}

func TestExtractJSON(t *testing.T) {
	for name, test := range map[string]struct{ in, want string }{
		"plain":            {` {"a":1} `, `{"a":1}`},
		"byte order mark":  {"\ufeff[1]", `[1]`},
		"fence":            {"```json\n{\"a\":\"```\"}\n```", "{\"a\":\"```\"}"},
		"long fence":       {"````\n{\"a\":1}\n````", `{"a":1}`},
		"open fence":       {"```json\n{\"a\":1}", `{"a":1}`},
		"two fences":       {"```\nx\n```\n```json\n{\"a\":1}\n```", `{"a":1}`},
		"prose":            {"As [1] says: {\"a\":[1,2]} – see {x}", `{"a":[1,2]}`},
		"thoughts":         {"<think>{\"draft\": true, \"long\": \"xxxxxxxxxxxx\"}</think>{\"a\":1}", `{"a":1}`},
		"brackets in text": {"[[[[[ {\"a\":1}", `{"a":1}`},
	} {
		got, err := ExtractJSON(test.in)
		if err != nil || string(got) != test.want {
			t.Errorf("%s: got %s, %v, want %s", name, got, err, test.want)
		}
	}
	for _, bad := range []string{"", "   ", "no", `{"a":`, "```\n```"} {
		if got, err := ExtractJSON(bad); err == nil {
			t.Errorf("%q: got %s, want an error", bad, got)
		}
	}
}

func FuzzExtractJSON(f *testing.F) {
	for _, s := range []string{`{"a":1}`, "```json\n{}\n```", "x [1] {", strings.Repeat("[", 100), "<think>a</think>[]", "```\n````\n```"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, reply string) {
		doc, err := ExtractJSON(reply)
		if err != nil {
			return
		}
		if !json.Valid(doc) {
			t.Errorf("extracted %q, which is not JSON", doc)
		}
		if !strings.Contains(reply, string(doc)) {
			t.Errorf("extracted %q, which is not part of the reply", doc)
		}
	})
}
