package e2e

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/internal/app"
)

// siege is a workspace with a neighbourhood that nothing may touch.
type siege struct {
	*shell
	around string
	before map[string]string
}

func newSiege(t *testing.T) *siege {
	t.Helper()
	around := t.TempDir()
	for _, d := range []string{"a/b/w", "etc", "a/bundle"} {
		if err := os.MkdirAll(filepath.Join(around, filepath.FromSlash(d)), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range []string{"passwd", "etc/passwd", "a/b/escaped.md", "a/bundle/manifest.json"} {
		if err := os.WriteFile(filepath.Join(around, filepath.FromSlash(f)), []byte("mine\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := &siege{shell: &shell{t: t, dir: filepath.Join(around, "a", "b", "w")}, around: around}
	s.mustRun(0, "init")
	s.before = s.neighbours()
	return s
}

// neighbours lists everything around the workspace, with what it says.
func (s *siege) neighbours() map[string]string {
	s.t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(s.around, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if path == s.dir {
			return fs.SkipDir
		}
		found[path] = d.Type().String() + string(mustRead(path))
		return nil
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return found
}

// ways are the places of a workspace that a plan may fill.
var ways = []string{".sluice", "sluice.yaml", "plan.json", "workspace", "workspace/artifacts", "workspace/reviews", "workspace/deliverables", "workspace/required_docs", "out"}

// holds wants nothing around the workspace to have changed, and nothing inside it in a place of its own.
func (s *siege) holds() {
	s.t.Helper()
	if diff := cmp.Diff(s.before, s.neighbours()); diff != "" {
		s.t.Errorf("something happened outside the workspace (-before +after):\n%s", diff)
	}
	for _, dir := range []string{"", "workspace"} {
		entries, err := os.ReadDir(filepath.Join(s.dir, dir))
		if err != nil && dir == "" {
			s.t.Fatal(err)
		}
		for _, e := range entries {
			if at := filepath.ToSlash(filepath.Join(dir, e.Name())); !slices.Contains(ways, at) {
				s.t.Errorf("the plan made %s", at)
			}
		}
	}
}

// try runs a command that may end in any way that the command line knows, and gives its document.
func (s *siege) try(args ...string) (code int, out string) {
	s.t.Helper()
	code, out, errs := s.run("", append([]string{"--json"}, args...)...)
	if code == 1 || code > 7 || strings.Contains(errs, "goroutine ") || strings.Contains(out, "panic") {
		s.t.Errorf("sluice %s ended with %d\n%.2000s\n%.2000s", strings.Join(args, " "), code, out, errs)
	}
	if !json.Valid([]byte(out)) {
		s.t.Errorf("sluice %s prints no JSON: %.500s", strings.Join(args, " "), out)
	}
	if strings.ContainsAny(out+errs, "\x1b\x07\x00") {
		s.t.Errorf("sluice %s prints control characters", strings.Join(args, " "))
	}
	return code, out
}

// assault imports a plan, does everything with it that can be done, and gives the codes of what was found; a plan that is
// not even kept gives the code of its refusal.
func (s *siege) assault(raw []byte) (codes []string) {
	s.t.Helper()
	s.write("plan.json", string(raw))
	code, out := s.try("task", "import", "plan.json")
	var doc struct {
		app.PlanImportDoc
		Error struct{ Code string }
	}
	if err := json.Unmarshal([]byte(out), &doc); err != nil {
		s.t.Fatal(err)
	}
	defer s.holds()
	if code != 0 {
		return []string{"refused: " + doc.Error.Code}
	}
	id := doc.PlanID
	found := map[string]bool{}
	for _, f := range doc.Findings {
		found[f.Code] = true
	}
	codes = slices.Sorted(maps.Keys(found))
	s.try("task", "doctor", id)
	s.try("task", "status", id)
	s.try("task", "run", id)
	for _, format := range []string{"tree", "mermaid", "dot", "json"} {
		if code, out, errs := s.run("", "task", "graph", id, "--format", format); code != 0 || strings.ContainsAny(out+errs, "\x1b\x07\x00") {
			s.t.Errorf("graph as %s ended with %d: %.500s", format, code, out)
		}
	}
	s.try("task", "rewrite", id, "--apply")
	s.try("task", "run", id)
	s.try("task", "export", id)
	s.try("task", "export", id, "-o", "out", "--include-candidates")
	s.mustRun(0, "verify")
	return codes
}

// soundPlan is a plan without findings, to be spoilt.
func soundPlan(more ...string) planObject {
	return sketch("plan d1 A_game\ngoal a0 Game\naction b0 Rules in=a0\naction c0 Board in=a0 needs=b0\n" + strings.Join(more, "\n"))
}

func encoded(t *testing.T, doc planObject) []byte {
	t.Helper()
	raw, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func edgeOf(kind, from, to string) planObject {
	return planObject{"from_task_id": longID(from), "to_task_id": longID(to), "edge_type": kind}
}

func nodeOf(doc planObject, i int) planObject { return doc["nodes"].([]any)[i].(planObject) }

func addTo(doc planObject, list string, more ...any) {
	old, _ := doc[list].([]any)
	doc[list] = append(old, more...)
}

// TestHostilePlans brings plans that mean harm: each gives findings or is refused, none ends the program or leaves the
// workspace.
func TestHostilePlans(t *testing.T) {
	cases := []struct {
		name  string
		spoil func(doc planObject)
		want  string // codes, joined
	}{
		{"DECOMPOSE in a circle", func(d planObject) {
			addTo(d, "edges", edgeOf("DECOMPOSE", "b0", "c0"), edgeOf("DECOMPOSE", "c0", "b0"))
		}, "cycle root_criterion_not_covered"},
		{"DEPENDS_ON in a circle", func(d planObject) { addTo(d, "edges", edgeOf("DEPENDS_ON", "c0", "b0")) }, "cycle"},
		{"ALTERNATIVE in a circle", func(d planObject) {
			addTo(d, "edges", edgeOf("ALTERNATIVE", "b0", "c0"), edgeOf("ALTERNATIVE", "c0", "b0"))
		}, "cycle"},
		{"a circle of three types", func(d planObject) { addTo(d, "edges", edgeOf("ALTERNATIVE", "c0", "a0")) }, "cycle"},
		{"a CHECK in the circle", func(d planObject) {
			addTo(d, "edges", edgeOf("DEPENDS_ON", "b0", "b1"), edgeOf("DEPENDS_ON", "b1", "b0"))
		}, "cycle"},
		{"a part that needs its whole", func(d planObject) { addTo(d, "edges", edgeOf("DEPENDS_ON", "a0", "b0")) }, "cycle"},
		{"nodes that are their own part, need and alternative", func(d planObject) {
			addTo(d, "edges", edgeOf("DECOMPOSE", "b0", "b0"), edgeOf("DEPENDS_ON", "b0", "b0"), edgeOf("ALTERNATIVE", "c0", "c0"))
		}, "cycle"},
		{"the same task twice", func(d planObject) { addTo(d, "nodes", nodeOf(d, 1), nodeOf(d, 2)) }, "duplicate_task_id"},
		{"the same edge many times", func(d planObject) {
			for range 1000 {
				addTo(d, "edges", edgeOf("DEPENDS_ON", "b0", "c0"))
			}
		}, ""},
		{"one id for a task, an edge and an input", func(d planObject) {
			e := edgeOf("DEPENDS_ON", "b0", "c0")
			e["edge_id"] = longID("b0")
			addTo(d, "edges", e)
			addTo(d, "requirements", planObject{"requirement_id": longID("b0"), "task_id": longID("c0"), "name": "brief", "kind": "FILE"})
		}, "bad_field"},
		{"the same input twice", func(d planObject) {
			q := planObject{"requirement_id": longID("f0"), "task_id": longID("c0"), "name": "brief", "kind": "FILE"}
			addTo(d, "requirements", q, q)
		}, "bad_field"},
		{"criteria without ids", func(d planObject) {
			nodeOf(d, 1)["acceptance_criteria"] = []any{planObject{"statement": "s"}, planObject{"statement": "s"}}
		}, "missing_field"},
		{"a CHECK that reviews itself", func(d planObject) { nodeOf(d, 2)["review_target_task_id"] = longID("b1") }, "action_without_check check_with_wrong_target"},
		{"CHECKs that review each other", func(d planObject) {
			nodeOf(d, 2)["review_target_task_id"], nodeOf(d, 4)["review_target_task_id"] = longID("c1"), longID("b1")
		}, "action_without_check check_with_wrong_target"},
		{"a CHECK as the root", func(d planObject) { d["plan"].(planObject)["root_task_id"] = longID("b1") }, "root_not_goal unreachable"},
		{"a root that is part of something", func(d planObject) { addTo(d, "edges", edgeOf("DECOMPOSE", "b0", "a0")) }, "cycle"},
		{"an abandoned root", func(d planObject) { nodeOf(d, 0)["status"] = "ABANDONED" }, "no_root"},
		{"a plan named by a path", func(d planObject) { d["plan"].(planObject)["plan_id"] = "../../../a/bundle" }, ""},
		{"tasks named by paths", func(d planObject) {
			d["nodes"] = []any{planObject{"task_id": "../../escaped.md", "node_type": "GOAL", "title": "../.."}, planObject{"task_id": "/etc/passwd", "node_type": "ACTION", "title": "/etc/passwd"}}
			d["edges"] = []any{planObject{"from": "../../escaped.md", "to": "/etc/passwd", "type": "DECOMPOSE"}}
			d["plan"].(planObject)["root_task_id"] = "../../escaped.md"
		}, "action_without_check missing_field root_criteria_missing"},
		{"titles to frighten a terminal", func(d planObject) {
			nodeOf(d, 1)["title"] = "\x1b[2J\x1b]0;owned\x07" + strings.Repeat("\u202e", 20)
			nodeOf(d, 3)["title"] = strings.Repeat("🦛", 5000)
			d["plan"].(planObject)["title"] = "a\nb\x00c"
		}, "bad_field"},
		{"endless estimates", func(d planObject) {
			nodeOf(d, 1)["estimated_person_days"], nodeOf(d, 3)["estimated_person_days"] = 1e308, 1e-308
		}, "leaf_over_threshold"},
		{"a final deliverable of itself", func(d planObject) {
			nodeOf(d, 0)["final_deliverable_spec"] = planObject{"mode": "ASSEMBLE", "assemble_task_id": longID("a0"), "include_children": []any{longID("a0"), longID("b1"), "x"}}
		}, "assemble_task_not_action bad_field"},
		{"a smoke test of the plan's own", func(d planObject) {
			nodeOf(d, 1)["acceptance_criteria"].([]any)[0].(planObject)["check_method"] = "run_smoke_test"
			nodeOf(d, 1)["acceptance_criteria"].([]any)[0].(planObject)["command"] = "touch ../escaped"
			nodeOf(d, 1)["smoke_test"] = planObject{"command": "touch ../escaped"}
		}, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			doc := soundPlan()
			c.spoil(doc)
			if got := strings.Join(newSiege(t).assault(encoded(t, doc)), " "); got != c.want {
				t.Errorf("found %q, want %q", got, c.want)
			}
		})
	}
}

// TestHostilePaths names files of deliverables in every way that leads astray.
func TestHostilePaths(t *testing.T) {
	bad := []string{"..", ".", "../escaped.md", "../../../../../etc/passwd", "a/../../../../b/escaped.md", "/etc/passwd", "//etc/passwd", `C:\Windows\x`, "C:x", `..\..\x`, `\\server\share\x`,
		"CON", "con.md", "NUL", "nul.txt", "COM1.md", "LPT9", "AUX.tar.gz", "CONIN$", strings.Repeat("x", 300) + ".md", "a\x00b.md", "a\nb.md", "a\tb.md", "\x1b[2J.md", "a\u202eb.md", "a/", "a//b.md", "./a.md",
		"a.", ".git/config", ".sluice/sluice.db", "a:b", "a|b", "a<b>", "dir/CON/x.md", strings.Repeat("d/", 300) + "x.md"}
	fine := []string{"emoji 🦛.md", "设计.md", "a b.md", "émile.md", "docs/deep/er/x.md", "~", "$HOME.md", "-rf.md", "[", "report[1].md", "[a-z].md", " trimmed.md "}
	doc := sketch("plan d1 A_game\ngoal a0 Game")
	want := map[string]int{}
	for i, name := range slices.Concat(bad, fine) {
		for k, field := range []string{"filename", "output_dir", "files"} {
			id := fmt.Sprintf("%03x%d0", i, k)
			part := sketch("goal x x\naction " + id + " T" + id + " in=a0")
			n := nodeOf(part, 1)
			switch spec := n["deliverable_spec"].(planObject); field {
			case "files":
				spec["files"], spec["single_file"], spec["bundle_mode"] = []any{"text.md", name}, false, "MANIFEST"
			default:
				spec[field] = name
			}
			if i < len(bad) && !(field == "output_dir" && (name == "." || name == "a/")) { // these two mean a directory
				want[longID(id)] = k
			}
			addTo(doc, "nodes", part["nodes"].([]any)[1:]...)
			addTo(doc, "edges", part["edges"].([]any)...)
		}
	}
	s := newSiege(t)
	raw := encoded(t, doc)
	s.write("plan.json", string(raw))
	_, out := s.try("task", "import", "plan.json")
	var got app.PlanImportDoc
	if err := json.Unmarshal([]byte(out), &got); err != nil || got.PlanID == "" {
		t.Fatalf("%v\n%.2000s", err, out)
	}
	for _, f := range got.Findings {
		if f.Code == "bad_path" {
			delete(want, f.Node)
		}
	}
	for id := range want {
		t.Errorf("the path of task %s is let through", id)
	}
	if n := strings.Count(out, `"bad_path"`); n != 3*len(bad)-2 {
		t.Errorf("%d bad paths, want %d", n, 3*len(bad)-2)
	}
	s.try("task", "run", got.PlanID)
	s.holds()
	// mended by rule, the plan runs, and every file is where it belongs
	s.mustRun(0, "task", "rewrite", got.PlanID, "--apply")
	s.mustRun(0, "task", "run", got.PlanID)
	s.mustRun(0, "task", "export", got.PlanID)
	s.mustRun(0, "verify", "workspace/deliverables/"+got.PlanID+"/bundle")
	s.mustRun(0, "task", "doctor", got.PlanID)
	s.holds()
}
