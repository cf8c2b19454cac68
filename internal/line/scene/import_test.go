package scene

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"sluice/internal/digest"
	"sluice/internal/fault"
	"sluice/internal/kernel"
)

func mustBuiltin(t *testing.T, workflow string) Definition {
	t.Helper()
	d, err := Builtin(workflow)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func mustRead(t *testing.T, path string) []byte {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func noFiles(string) ([]byte, bool) { return nil, false }

// imported plays a document and gives the run with the bytes of its versions.
func imported(t *testing.T, raw []byte) (*kernel.Run, func(*kernel.Version) ([]byte, error), error) {
	t.Helper()
	d, err := ParseState(raw)
	if err != nil {
		return nil, nil, err
	}
	im, err := Import(mustBuiltin(t, d.WorkflowType), d, noFiles)
	if err != nil {
		return nil, nil, err
	}
	run := kernel.NewRun()
	bodies := map[digest.Digest][]byte{}
	acts := append([]Act{{Command: im.Open}}, im.Acts...)
	for _, a := range acts {
		for _, b := range a.Blobs {
			bodies[b.Digest] = b.Body
		}
		if _, err := kernel.Apply(run, a.Command); err != nil {
			t.Fatal(err)
		}
	}
	for _, v := range kernel.Audit(run) {
		t.Errorf("the imported run breaks the law: %v", v)
	}
	return run, func(v *kernel.Version) ([]byte, error) { return bodies[v.Digest], nil }, nil
}

func TestExamplesComeBackEqualWithTheSameKeyOrder(t *testing.T) {
	for _, name := range []string{"generation", "planning"} {
		t.Run(name, func(t *testing.T) {
			raw := mustRead(t, "testdata/"+name+".json")
			run, body, err := imported(t, raw)
			if err != nil {
				t.Fatal(err)
			}
			got, err := StateDocument(run, body)
			if err != nil {
				t.Fatal(err)
			}
			mustValidate(t, got)
			var a, b bytes.Buffer
			if json.Compact(&a, raw) != nil || json.Compact(&b, got) != nil {
				t.Fatal("no JSON")
			}
			if a.String() != b.String() {
				t.Errorf("got\n%s\nwant\n%s", b.String(), a.String())
			}
			again, _ := StateDocument(run, body)
			if !bytes.Equal(got, again) || !bytes.HasSuffix(got, []byte("}\n")) {
				t.Error("the document is not byte-stable, or has no final newline")
			}
		})
	}
}

func TestDocumentsThatCannotBeAreRefusedWithTheirPlace(t *testing.T) {
	tests := map[string]struct{ old, new, at string }{
		"an unknown field":           {`"scene_id": "0204"`, `"scene_id": "0204", "mood": 1`, "/generation/mood"},
		"a word that is none":        {`"status": "waiting_approval"`, `"status": "paused"`, "/generation/steps/2/status"},
		"a step that was skipped":    {`"status": "waiting_approval"`, `"status": "pending"`, "/generation/steps/2/artifacts/verification_plan"},
		"a wrong current step":       {`"current_step": 3`, `"current_step": 5`, "/generation/current_step"},
		"a path outside":             {`143000/constraints-list.json`, `143000/../../x.json`, "/generation/steps/1"},
		"another name":               {`"File Check"`, `"File Czech"`, "/generation/steps/0/name"},
		"no time":                    {`"2025-11-10T14:35:00Z"`, `"yesterday"`, "/updated_at"},
		"an id that is a path":       {`"workflow_id": "generation-scene-0204-20251110-143000"`, `"workflow_id": "../x"`, "/workflow_id"},
		"a session that is a path":   {`"session_name": "work-on-chapter-02"`, `"session_name": "../x"`, "/session_name"},
		"attempts before their time": {`"current": 0`, `"current": 2`, "/generation/steps/3/attempts/current"},
	}
	raw := mustRead(t, "testdata/generation.json")
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			doc := bytes.Replace(raw, []byte(tt.old), []byte(tt.new), 1)
			if bytes.Equal(doc, raw) {
				t.Fatal("nothing was changed")
			}
			_, _, err := imported(t, doc)
			if f := fault.From(err); f == nil || f.Code != fault.BadValue || f.Subject != "state document#"+tt.at {
				t.Errorf("got %v about %q, want %s", err, fault.From(err).Subject, tt.at)
			}
		})
	}
}

func TestOtherDocumentsComeBack(t *testing.T) {
	base := string(mustRead(t, "testdata/generation.json"))
	step := func(n int, name, status, started, completed, more string) string {
		return `{"step":` + string(rune('0'+n)) + `,"name":"` + name + `","status":"` + status + `","started_at":` + started + `,"completed_at":` + completed + `,"artifacts":{}` + more + `}`
	}
	at := func(min string) string { return `"2025-11-10T14:` + min + `:00Z"` }
	approved := `,"human_approval":{"required":true,"approved":true,"approved_at":` + at("33") + `,"modifications":{"z":"я","a":[1,{"q":null}]}}`
	entry := func(n, status, from, to, more string) string {
		return `{"attempt":` + n + `,"status":"` + status + `","started_at":` + at(from) + `,"completed_at":` + at(to) + more + `}`
	}
	attempts := func(current, history string) string {
		return `,"attempts":{"current":` + current + `,"max":3,"history":[` + history + `]}`
	}
	against := `,"violations":["Mira is forbidden"]`
	begin := []string{step(1, "File Check", "completed", at("30"), at("31"), ""), step(2, "Blueprint Validation", "completed", at("31"), at("32"), ""),
		step(3, "Verification Plan", "completed", at("32"), at("33"), approved)}
	pending := []string{step(5, "Fast Compliance Check", "pending", "null", "null", ""), step(6, "Full Validation", "pending", "null", "null", ""), step(7, "Final Output", "pending", "null", "null", "")}
	tests := map[string]struct {
		status  string
		current string
		steps   []string
	}{
		"step 4 again after violations": {"in_progress", "4", append(append([]string{}, begin...), append([]string{
			step(4, "Generation", "in_progress", at("33"), "null", attempts("2", entry("1", "failed", "33", "34", against)))}, pending...)...)},
		"step 4 used up": {"failed", "4", append(append([]string{}, begin...), append([]string{
			step(4, "Generation", "failed", at("33"), "null", attempts("3", entry("1", "failed", "33", "34", against)+","+entry("2", "failed", "34", "35", against)+","+entry("3", "failed", "35", "36", against)))}, pending...)...)},
		"completed after a resume": {"in_progress", "5", append(append([]string{}, begin...), append([]string{
			step(4, "Generation", "completed", at("36"), at("37"), attempts("1", entry("1", "failed", "33", "34", against)+","+entry("2", "completed", "34", "35", "")))}, pending...)...)},
		"failed three times and once more": {"in_progress", "4", append(append([]string{}, begin...), append([]string{
			step(4, "Generation", "in_progress", at("36"), "null", attempts("1", entry("1", "failed", "33", "34", against)+","+entry("2", "failed", "34", "35", against)+","+entry("3", "failed", "35", "36", against)))}, pending...)...)},
		"pending after a resume": {"in_progress", "4", append(append([]string{}, begin...), append([]string{
			step(4, "Generation", "pending", "null", "null", attempts("0", entry("1", "failed", "33", "34", against)))}, pending...)...)},
		"step 5 under way": {"in_progress", "5", append(append([]string{}, begin...), step(4, "Generation", "completed", at("33"), at("34"), attempts("1", "")),
			step(5, "Fast Compliance Check", "in_progress", at("34"), "null", ""), pending[1], pending[2])},
		"completed": {"completed", "7", append(append([]string{}, begin...), step(4, "Generation", "completed", at("33"), at("34"), attempts("1", entry("1", "completed", "33", "34", ""))),
			step(5, "Fast Compliance Check", "completed", at("34"), at("35"), ""), step(6, "Full Validation", "completed", at("35"), at("36"), ""), step(7, "Final Output", "completed", at("36"), at("37"), ""))},
		"cancelled while a person was asked": {"cancelled", "3", append([]string{begin[0], begin[1], step(3, "Verification Plan", "waiting_approval", at("32"), "null", `,"human_approval":{"required":true,"approved":false,"approved_at":null}`),
			step(4, "Generation", "pending", "null", "null", attempts("0", ""))}, pending...)},
		"rejected with modifications": {"in_progress", "3", append([]string{begin[0], begin[1], step(3, "Verification Plan", "in_progress", at("32"), "null", `,"human_approval":{"required":true,"approved":false,"approved_at":null,"modifications":{"tone":"dry"}}`),
			step(4, "Generation", "pending", "null", "null", attempts("0", ""))}, pending...)},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			head, _, _ := bytes.Cut([]byte(base), []byte(`"generation": {`))
			doc := string(bytes.Replace(head, []byte(`"in_progress"`), []byte(`"`+tt.status+`"`), 1)) + `"generation":{"scene_id":"0204","current_step":` + tt.current + `,"total_steps":7,"steps":[`
			for i, s := range tt.steps {
				if i > 0 {
					doc += ","
				}
				doc += s
			}
			doc += `],"artifacts":{"working_dir":"workspace/sessions/work-on-chapter-02/generation-runs/generation-scene-0204-20251110-143000"}}}`
			run, body, err := imported(t, []byte(doc))
			if err != nil {
				t.Fatal(err)
			}
			got, err := StateDocument(run, body)
			if err != nil {
				t.Fatal(err)
			}
			mustValidate(t, got)
			var a, b bytes.Buffer
			if json.Compact(&a, []byte(doc)) != nil || json.Compact(&b, got) != nil {
				t.Fatal("no JSON")
			}
			if a.String() != b.String() {
				t.Errorf("got\n%s\nwant\n%s", b.String(), a.String())
			}
		})
	}
}
