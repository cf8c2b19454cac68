package task

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/internal/golden"
)

const loosePlan = `{"plan":{"id":"game","title":"A game","constraints":{"priority":"high"},"colour":"red"},
"nodes":[
 {"id":"START","type":"START"},
 {"id":"root","type":"goal","name":"Game"},
 {"id":"A","type":"TASK","title":"Rules","estimated_person_days":"2","deliverable_spec":{"format":".md","filename":"rules.md","single_file":true,"output_dir":"./"},
  "acceptance_criteria":["names every move",{"id":"AC-2","type":"form","statement":"fits a page","check_method":"manual","severity":"HIGH"}],"priority":"HIGH"},
 {"id":"C","type":"REVIEW","title":"Check of rules","review_target_task_id":"A","status":"DONE"}],
"edges":[{"from":"START","to":"root","type":"DEPENDS_ON"},{"from":"root","to":"A","type":"DECOMPOSE"},{"from":"A","to":"C","type":"REQUIRES"}],
"requirements":[{"id":"q","task_id":"A","name":"brief","type":"file"}]}`

func TestReadPutsOtherWordsIntoOurs(t *testing.T) {
	r, err := Read([]byte(loosePlan))
	if err != nil || r.Err() != nil {
		t.Fatal(err, r.Err())
	}
	d := r.Document
	if !isUUID(d.Plan.PlanID) || len(d.Nodes) != 3 || len(d.Edges) != 2 {
		t.Fatalf("got %+v", d)
	}
	rules := d.Nodes[1]
	if d.Plan.RootTaskID != d.Nodes[0].TaskID || rules.NodeType != Action || rules.EstimatedPersonDays != 2 || rules.Priority != 3 ||
		rules.DeliverableSpec.Format != "md" || rules.DeliverableSpec.OutputDir != "" || rules.AcceptanceCriteria[1].Severity != Blocker {
		t.Errorf("got %+v", d)
	}
	if c := d.Nodes[2]; c.ReviewTargetTaskID != rules.TaskID || d.Edges[1].EdgeType != DependsOn || d.Edges[1].ToTaskID != c.TaskID || d.Requirements[0].TaskID != rules.TaskID {
		t.Errorf("references are lost: %+v", d)
	}
	var b strings.Builder
	for _, n := range r.Changed {
		fmt.Fprintf(&b, "%s %s\n", n.Path, n.Message)
	}
	golden.Check(t, "read.golden", b.String())

	again, err := Read([]byte(loosePlan))
	if err != nil || cmp.Diff(r.Document, again.Document) != "" {
		t.Errorf("ids differ when read again: %v", err)
	}
}

func TestReadListsWhatCannotBeRead(t *testing.T) {
	r, err := Read([]byte(`{"plan":[],"nodes":[7,{"type":"ACTION","title":["x"],"estimated_person_days":"many"},{"id":"b","type":"DANCE","priority":1.5},{"id":"c","node_type":"CHECK","status":"TO_BE_MODIFY"}],
"edges":[{"from":"b","type":"LIKES"}],"requirements":"none"}`))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, n := range r.Problems {
		fmt.Fprintf(&b, "%s %s; %s\n", n.Path, n.Message, n.Fix)
	}
	golden.Check(t, "problems.golden", b.String())
	if r.Err() == nil {
		t.Error("no refusal")
	}
}

func TestReadNamesThePlaceOfBrokenJSON(t *testing.T) {
	for raw, place := range map[string]string{"{\n \"plan\": }": "line 2", `{"plan":{}} x`: "behind", `[]`: "no JSON object", ``: "line 1"} {
		if _, err := Read([]byte(raw)); err == nil || !strings.Contains(err.Error(), place) {
			t.Errorf("%q: %v, want %q", raw, err, place)
		}
	}
}

func TestDocumentSurvivesItsEncoding(t *testing.T) {
	d := soundPlan()
	raw, err := d.Encode()
	if err != nil {
		t.Fatal(err)
	}
	back, err := ParseDocument(raw)
	if err != nil || cmp.Diff(d, back) != "" {
		t.Error(err, cmp.Diff(d, back))
	}
	read, err := Read(raw)
	if err != nil || len(read.Changed)+len(read.Problems) > 0 || cmp.Diff(d, read.Document) != "" {
		t.Error(err, read.Changed, read.Problems, cmp.Diff(d, read.Document))
	}
}

// hostile plans give findings, and neither a crash nor a hang.
func TestHostilePlans(t *testing.T) {
	n := 10_000
	if testing.Short() {
		n = 2_000
	}
	wide, deep := soundPlan(), soundPlan()
	for i := range n {
		name := fmt.Sprint("w", i)
		wide.Nodes = append(wide.Nodes, Node{TaskID: name, NodeType: Action, Title: name})
		wide.Edges = append(wide.Edges, Edge{FromTaskID: tid("root"), ToTaskID: name, EdgeType: Decompose})
		deep.Nodes = append(deep.Nodes, Node{TaskID: name, NodeType: Goal, Title: name})
		from := tid("root")
		if i > 0 {
			from = fmt.Sprint("w", i-1)
		}
		deep.Edges = append(deep.Edges, Edge{FromTaskID: from, ToTaskID: name, EdgeType: Decompose})
	}
	for _, d := range []Document{wide, deep} {
		if !HasErrors(Doctor(d, DefaultSettings())) {
			t.Error("nothing found")
		}
		Rewrite(d, DefaultSettings())
		for _, f := range Formats() {
			if _, err := Draw(d, func(string) Status { return "" }, f); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestPathsThatAreRefused(t *testing.T) {
	for _, p := range []string{"", "..", "a/../b", "/etc/passwd", `c:\x`, "CON", "nul.txt", "com1.md", strings.Repeat("x", 300), "a\x00b", "a\nb", "a/", " a", "a.", ".git/config", ".sluice/x", "a\u202eb"} {
		if pathFlaw(p, false) == "" {
			t.Errorf("%q is let through", p)
		}
	}
	for _, p := range []string{"a.md", "docs/设计.md", "émoji 😀.md", "a-b_c.tar.gz"} {
		if why := pathFlaw(p, false); why != "" {
			t.Errorf("%q %s", p, why)
		}
	}
	if pathFlaw("src/*.go", true) != "" || pathFlaw("src/*.go", false) == "" {
		t.Error("patterns")
	}
}

func TestDrawings(t *testing.T) {
	d := soundPlan()
	d.node("build").Title = "build \"it\" <now>\x1b[2J"
	var b strings.Builder
	for _, f := range Formats() {
		text, err := Draw(d, func(id string) Status {
			if id == tid("design") {
				return Done
			}
			return ""
		}, f)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "## %s\n%s", f, text)
	}
	golden.Check(t, "draw.golden", b.String())
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(loosePlan))
	raw, err := soundPlan().Encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(raw)
	f.Add([]byte(`{"nodes":[{"id":"a","type":"CHECK","review_target_task_id":"a"}],"edges":[{"from":"a","to":"a","type":"OR"}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		r, err := Read(raw)
		if err != nil {
			return
		}
		s := DefaultSettings()
		Doctor(r.Document, s)
		better, _ := Rewrite(r.Document, s)
		for _, n := range better.Nodes {
			if n.NodeType == Action && n.Status != Abandoned && pathFlaw(n.DeliverableSpec.Filename, true) != "" {
				t.Errorf("filename %q", n.DeliverableSpec.Filename)
			}
		}
		Tree(better, func(string) Status { return "" })
		encoded, err := r.Document.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ParseDocument(encoded); err != nil {
			t.Fatal(err)
		}
	})
}

func TestOneFileHasNoBundle(t *testing.T) {
	r, err := Read([]byte(`{"nodes":[{"id":"a","type":"ACTION","title":"A","deliverable_spec":{"format":"md","filename":"a.md","single_file":true,
"bundle_mode":"whatever","files":["../x"]}},{"id":"b","type":"ACTION","title":"B","deliverable_spec":{"format":"md","filename":"b","single_file":false,
"bundle_mode":"manifest","files":["b.md"]}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	one, many := r.Document.Nodes[0].DeliverableSpec, r.Document.Nodes[1].DeliverableSpec
	if one.BundleMode != "" || one.Files != nil || many.BundleMode != BundleManifest || len(many.Files) != 1 {
		t.Errorf("got %+v and %+v", one, many)
	}
	told := 0
	for _, n := range r.Changed {
		if strings.HasSuffix(n.Message, "the deliverable is one file") {
			told++
		}
	}
	if told != 2 {
		t.Errorf("told %d times: %+v", told, r.Changed)
	}
}
