package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sluice/internal/app"
	"sluice/internal/line/task"
)

// TestPlansOfNoShape brings files that are hardly plans: each is refused with its place, or kept with findings.
func TestPlansOfNoShape(t *testing.T) {
	sound := string(encoded(t, soundPlan()))
	deep := strings.Repeat(`{"plan":`, 200_000) + strings.Repeat("}", 200_000)
	cases := []struct {
		name, raw string
		want      string
	}{
		{"nothing", "", "refused: bad_value"},
		{"no JSON", "plan: x", "refused: bad_value"},
		{"half a plan", sound[:len(sound)/2], "refused: bad_value"},
		{"two plans", sound + sound, "refused: bad_value"},
		{"a list", "[" + sound + "]", "refused: bad_value"},
		{"null", "null", "refused: bad_value"},
		{"an empty object", "{}", "refused: bad_value"},
		{"a byte order mark", "\ufeff" + sound, ""},
		{"UTF-16", "\xff\xfe{\x00}\x00", "refused: bad_value"},
		{"bytes of no text", strings.ReplaceAll(sound, "Rules", "R\xff\xfe\xc0\x80"), ""},
		{"half a surrogate", strings.ReplaceAll(sound, "Rules", `R\ud83e`), ""},
		{"NUL in a title", strings.ReplaceAll(sound, "Rules", `R\u0000`), ""},
		{"JSON without an end of depth", deep, "refused: bad_value"},
		{"depth in a field that is read", strings.Replace(sound, `"title":"Game"`, `"title":`+strings.Repeat("[", 9000)+strings.Repeat("]", 9000), 1), "refused: bad_value"},
		{"depth in a field that is not", strings.Replace(sound, `"title":"Game"`, `"title":"Game","more":`+strings.Repeat("[", 9000)+strings.Repeat("]", 9000), 1), ""},
		{"the same member twice", strings.Replace(sound, `"nodes":`, `"nodes":[],"nodes":`, 1), ""},
		{"a number that is none", strings.Replace(sound, `"estimated_person_days":1`, `"estimated_person_days":1e999`, 1), "refused: bad_value"},
		{"a number in words", strings.Replace(sound, `"estimated_person_days":1`, `"estimated_person_days":"NaN"`, 1), "refused: bad_value"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := strings.Join(newSiege(t).assault([]byte(c.raw)), " "); got != c.want {
				t.Errorf("found %q, want %q", got, c.want)
			}
		})
	}
}

// TestPlansOfWrongTypes puts every wrong type in every place of a plan. Nothing but the reader and the rules sees them:
// what they refuse or find is what the program says.
func TestPlansOfWrongTypes(t *testing.T) {
	full := sketch("plan d1 A_game\ngoal a0 Game mode=ASSEMBLE assemble=c0 include=b0\naction b0 Rules in=a0 file=x.md dir=d files=x.md,y.md\naction c0 Board in=a0 needs=b0 rival=b0")
	full["requirements"] = []any{planObject{"requirement_id": longID("f0"), "task_id": longID("b0"), "name": "brief", "kind": "FILE", "required": true, "min_count": 1, "allowed_types": []any{"md"}}}
	full["plan"].(planObject)["constraints"] = planObject{"deadline": "soon", "priority": "HIGH"}
	nodeOf(full, 1)["tags"], nodeOf(full, 1)["priority"], nodeOf(full, 1)["status"] = []any{"x"}, 1, "PENDING"
	raw := encoded(t, full)
	var places [][]string
	var walk func(v any, at []string)
	walk = func(v any, at []string) {
		if len(at) > 0 {
			places = append(places, append([]string(nil), at...))
		}
		switch v := v.(type) {
		case map[string]any:
			for k, member := range v {
				walk(member, append(at, k))
			}
		case []any:
			for i, member := range v {
				walk(member, append(at, fmt.Sprint(i)))
			}
		}
	}
	var doc any
	if err := json.Unmarshal(raw, &doc); err != nil {
		t.Fatal(err)
	}
	walk(doc, nil)
	s := task.DefaultSettings()
	for _, place := range places {
		for _, wrong := range []any{nil, true, -1.5, 1e300, "", "x", []any{}, []any{nil}, []any{1.0}, []any{[]any{}}, map[string]any{}, map[string]any{"x": nil}} {
			var doc any
			if err := json.Unmarshal(raw, &doc); err != nil {
				t.Fatal(err)
			}
			spoilt, err := put(doc, place, wrong, false)
			if err != nil {
				t.Fatal(err)
			}
			raw, err := json.Marshal(spoilt)
			if err != nil {
				t.Fatal(err)
			}
			read, err := task.Read(raw)
			if err != nil {
				continue
			}
			task.Doctor(read.Document, s)
			better, _ := task.Rewrite(read.Document, s)
			for _, f := range task.Formats() {
				if _, err := task.Draw(better, func(string) task.Status { return "" }, f); err != nil {
					t.Errorf("%s as %v: %v", strings.Join(place, "."), wrong, err)
				}
			}
		}
	}
	t.Logf("%d places", len(places))
}

// TestPlansOfGreatSize brings plans that are large in one way or another. They cost what they must, and end.
func TestPlansOfGreatSize(t *testing.T) {
	n, deep, megabytes := 100_000, 20_000, 50
	if testing.Short() {
		n, deep, megabytes = 2_000, 2_000, 5
	}
	t.Run("nodes that say nothing", func(t *testing.T) {
		t.Parallel()
		var nodes, edges strings.Builder
		for i := range n {
			fmt.Fprintf(&nodes, `,{"id":"n%d","type":"ACTION"}`, i)
			fmt.Fprintf(&edges, `,{"from":"r","to":"n%d","type":"DECOMPOSE"}`, i)
		}
		s := newSiege(t)
		s.write("plan.json", `{"plan":{"id":"wide"},"nodes":[{"id":"r","type":"GOAL","title":"r"}`+nodes.String()+`],"edges":[`+edges.String()[1:]+`]}`)
		doc := s.imported()
		if doc.Nodes != n+1 || doc.Leaves != n || len(doc.Findings) > 10_001 || len(doc.Findings) < min(n, 10_000) || len(doc.Changed) > 10_001 {
			t.Errorf("%d nodes, %d leaves, %d findings, %d changes", doc.Nodes, doc.Leaves, len(doc.Findings), len(doc.Changed))
		}
		s.holds()
	})
	t.Run("goals inside goals", func(t *testing.T) {
		t.Parallel()
		var nodes, edges strings.Builder
		for i := range deep {
			fmt.Fprintf(&nodes, `,{"id":"n%d","type":"GOAL","title":"g"}`, i+1)
			fmt.Fprintf(&edges, `,{"from":"n%d","to":"n%d","type":"DECOMPOSE"}`, i, i+1)
		}
		s := newSiege(t)
		s.write("plan.json", `{"plan":{"id":"deep"},"nodes":[{"id":"n0","type":"GOAL","title":"r"}`+nodes.String()+`],"edges":[`+edges.String()[1:]+`]}`)
		doc := s.imported()
		if code, out, _ := s.run("", "task", "graph", doc.PlanID); code != 0 || len(out) > 200<<20 {
			t.Errorf("graph ended with %d and %d bytes", code, len(out))
		}
		s.holds()
	})
	t.Run("one title", func(t *testing.T) {
		t.Parallel()
		s := newSiege(t)
		s.write("plan.json", strings.Replace(string(encoded(t, soundPlan())), "Rules", strings.Repeat("R", megabytes<<20), 1))
		doc := s.imported()
		if len(doc.Findings) != 1 || doc.Findings[0].Code != task.BadField || len(doc.Findings[0].Message) > 500 {
			t.Errorf("found %.500v", doc.Findings)
		}
		s.holds()
	})
	t.Run("more than is read", func(t *testing.T) {
		t.Parallel()
		s := newSiege(t)
		f, err := os.Create(filepath.Join(s.dir, "plan.json"))
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Truncate(1 << 40); err != nil { // no disk holds it, and none has to
			t.Skip("there are no sparse files here")
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		if code, _, errs := s.run("", "task", "import", "plan.json"); code != 2 || !strings.Contains(errs, "more than") {
			t.Errorf("import ended with %d: %.300s", code, errs)
		}
		s.holds()
	})
}

// imported imports the plan of the workspace.
func (s *siege) imported() app.PlanImportDoc {
	s.t.Helper()
	out, _ := s.mustRun(0, "--json", "task", "import", "plan.json")
	var doc app.PlanImportDoc
	if err := json.Unmarshal([]byte(out), &doc); err != nil {
		s.t.Fatal(err)
	}
	return doc
}
