package gate

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"sluice/internal/fault"
	"sluice/internal/kernel"
)

func paths(res kernel.RuleResult) []string {
	var all []string
	for _, f := range res.Findings {
		all = append(all, f.Path)
	}
	return all
}

func TestPresent(t *testing.T) {
	const doc = `{"spec":{"goal":"  ","n":0,"off":false,"criteria":[{"id":"AC-1","text":"a"},{"id":"AC-2"},{"text":null}],"none":[],"obj":{}},
		"rows":[[1,2],[]]}`
	tests := map[string]struct {
		paths []string
		want  []string
	}{
		"all there":                      {[]string{"spec.criteria", "spec.n", "spec.off", "spec.criteria[0].id"}, nil},
		"blank text":                     {[]string{"spec.goal"}, []string{"spec.goal"}},
		"each element":                   {[]string{"spec.criteria[i].text"}, []string{"spec.criteria[1].text", "spec.criteria[2].text"}},
		"both spellings":                 {[]string{"spec.criteria[].id", "spec.criteria[*].id"}, []string{"spec.criteria[2].id"}},
		"empty list":                     {[]string{"spec.none[i].x"}, []string{"spec.none"}},
		"empty list itself":              {[]string{"spec.none"}, []string{"spec.none"}},
		"empty object":                   {[]string{"spec.obj"}, []string{"spec.obj"}},
		"path through nothing":           {[]string{"plan.tasks[i].scope"}, []string{"plan"}},
		"path through a value":           {[]string{"spec.n.x"}, []string{"spec.n.x"}},
		"element that is not there":      {[]string{"spec.criteria[7].id"}, []string{"spec.criteria[7]"}},
		"lists in lists":                 {[]string{"rows[i][i]"}, []string{"rows[1]"}},
		"the same place is told once":    {[]string{"plan.a", "plan.b"}, []string{"plan"}},
		"no path is no demand":           {nil, nil},
		"order is the order of demand":   {[]string{"z", "a"}, []string{"z", "a"}},
		"list where an object was meant": {[]string{"rows.x"}, []string{"rows.x"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := Present([]byte(doc), tt.paths...)
			if diff := cmp.Diff(tt.want, paths(got)); diff != "" {
				t.Errorf("missing paths (-want +got):\n%s", diff)
			}
			if got.Pass != (len(tt.want) == 0) {
				t.Errorf("pass = %t with %d findings", got.Pass, len(got.Findings))
			}
		})
	}
}

func TestContentThatIsNotJSONDoesNotPass(t *testing.T) {
	for _, content := range []string{"", "{", "once upon a time", "{}{}", "nul"} {
		for _, r := range []Rule{Score(), Severity(), Required()} {
			res := r.Evaluate([]byte(content), json.RawMessage(`{}`))
			if res.Pass || len(res.Findings) != 1 || res.Findings[0].Code != "not_json" {
				t.Errorf("rule %s on %q gives %+v", r.Name, content, res)
			}
		}
	}
	for _, params := range []string{"", "[]", `{"paths":1,"min":"x","path":2}`, `{"surplus":1}`} {
		for _, r := range []Rule{Score(), Severity(), Required()} {
			if res := r.Evaluate([]byte(`{}`), json.RawMessage(params)); res.Pass || res.Findings[0].Code != "bad_params" {
				t.Errorf("rule %s with parameters %q gives %+v", r.Name, params, res)
			}
		}
	}
}

func TestScore(t *testing.T) {
	tests := map[string]struct {
		doc  string
		pass bool
	}{
		"above":       {`{"report":{"score":80}}`, true},
		"equal":       {`{"report":{"score":75}}`, true},
		"below":       {`{"report":{"score":74.9}}`, false},
		"zero":        {`{"report":{"score":0}}`, false},
		"text":        {`{"report":{"score":"90"}}`, false},
		"missing":     {`{"report":{}}`, false},
		"null":        {`{"report":null}`, false},
		"out of line": {`{"report":{"score":1e999}}`, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			res := Score().Evaluate([]byte(tt.doc), json.RawMessage(`{"path":"report.score","min":75}`))
			if res.Pass != tt.pass || res.Pass == (len(res.Findings) > 0) {
				t.Errorf("%s gives %+v", tt.doc, res)
			}
		})
	}
	if ScoreAtLeast(math.NaN(), 0).Pass || ScoreAtLeast(math.Inf(1), 0).Pass {
		t.Error("a score that is no number passes")
	}
}

func TestSeverity(t *testing.T) {
	const doc = `{"issues":[{"issue_type":"plot","description":"a hole","severity":"medium","fix_instructions":"fill it"},{"severity":"low","message":"m"}]}`
	tests := map[string]struct {
		doc, params string
		pass        bool
		findings    int
	}{
		"below the bar":           {doc, `{"path":"issues","from":"high"}`, true, 2},
		"at the bar":              {doc, `{"path":"issues","from":"medium"}`, false, 2},
		"other words":             {doc, `{"path":"issues","from":"major"}`, false, 2},
		"no list":                 {`{}`, `{"path":"issues","from":"low"}`, false, 1},
		"text for a list":         {`{"issues":"none"}`, `{"path":"issues","from":"low"}`, false, 1},
		"empty list":              {`{"issues":[]}`, `{"path":"issues","from":"low"}`, true, 0},
		"unknown word is highest": {`{"issues":[{"severity":"catastrophic"}]}`, `{"path":"issues","from":"high"}`, false, 1},
		"no word is medium":       {`{"issues":[{}]}`, `{"path":"issues","from":"high"}`, true, 1},
		"not a finding":           {`{"issues":["bad"]}`, `{"path":"issues","from":"high"}`, false, 1},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			res := Severity().Evaluate([]byte(tt.doc), json.RawMessage(tt.params))
			if res.Pass != tt.pass || len(res.Findings) != tt.findings {
				t.Errorf("got %+v", res)
			}
		})
	}
	got := Severity().Evaluate([]byte(doc), json.RawMessage(`{"path":"issues","from":"high"}`)).Findings[0]
	want := kernel.Finding{Code: "plot", Severity: "medium", Path: "issues[0]", Message: "a hole", Fix: "fill it"}
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestSet(t *testing.T) {
	both := Each("both", 2,
		Part{Required(), json.RawMessage(`{"paths":["goal"]}`)}, Part{Score(), json.RawMessage(`{"path":"score","min":50}`)})
	s, err := NewSet(Score(), Required(), both)
	if err != nil {
		t.Fatal(err)
	}
	res, err := s.Evaluate(kernel.Gate{Rule: "both", Revision: 2}, []byte(`{"score":40}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	if res.Pass || res.Rule != "both" || res.Revision != 2 || len(res.Findings) != 2 || *res.Score != 40 {
		t.Errorf("got %+v", res)
	}
	if _, err := s.Find("both", 1); fault.CodeOf(err) != fault.BadNode {
		t.Errorf("a revision that does not exist gives %v", err)
	}
	if _, err := s.Evaluate(kernel.Gate{Rule: "none"}, nil, nil); err == nil {
		t.Error("a rule that does not exist judges")
	}
	if _, err := NewSet(Score(), Score()); err == nil {
		t.Error("a rule is named twice")
	}
}

// TestResultsRecomputeIdentically is invariant 10: the same content and parameters give the same bytes.
func TestResultsRecomputeIdentically(t *testing.T) {
	word := rapid.SampledFrom([]string{"goal", "score", "issues", "text", "severity", ""})
	leaf := rapid.SampledFrom([]string{`0`, `75`, `-1.5e3`, `"x"`, `""`, `null`, `true`, `"high"`, `"low"`})
	var value func(depth int) *rapid.Generator[string]
	value = func(depth int) *rapid.Generator[string] {
		return rapid.Custom(func(t *rapid.T) string {
			switch kind := rapid.IntRange(0, 2).Draw(t, "kind"); {
			case depth == 0 || kind == 0:
				return leaf.Draw(t, "leaf")
			case kind == 1:
				out := "["
				for i := range rapid.IntRange(0, 3).Draw(t, "n") {
					if i > 0 {
						out += ","
					}
					out += value(depth-1).Draw(t, "item")
				}
				return out + "]"
			}
			out := "{"
			for i := range rapid.IntRange(0, 3).Draw(t, "n") {
				if i > 0 {
					out += ","
				}
				out += `"` + word.Draw(t, "key") + `":` + value(depth-1).Draw(t, "value")
			}
			return out + "}"
		})
	}
	rapid.Check(t, func(t *rapid.T) {
		doc := value(3).Draw(t, "doc")
		path := word.Draw(t, "path") + rapid.SampledFrom([]string{"", "[]", "[i].text", "[0]", ".goal"}).Draw(t, "rest")
		all := Each("all", 1,
			Part{Required(), mustJSON(t, requiredParams{Paths: []string{path, "goal"}})},
			Part{Score(), mustJSON(t, scoreParams{Path: path, Min: 50})},
			Part{Severity(), mustJSON(t, severityParams{Path: path, From: "high"})})
		first, again := mustJSON(t, all.Evaluate([]byte(doc), nil)), mustJSON(t, all.Evaluate([]byte(doc), nil))
		if string(first) != string(again) {
			t.Fatalf("%s\ngives %s\nthen %s", doc, first, again)
		}
	})
}

func mustJSON(t *rapid.T, v any) []byte {
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}
