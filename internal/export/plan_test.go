package export

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/internal/fault"
	"sluice/internal/kernel"
)

var update = flag.Bool("update", false, "write the golden files anew")

func TestManifestGolden(t *testing.T) {
	m, _ := book(t).plan(Selection{IncludeCandidates: true})
	m.Fields = []byte(`{"plan_id":"p<1>"}`)
	m.Entries[0].Fields = []byte(`{ "task_id" : "T1" }`)
	m.Entries[0].Files[0].Fields = []byte(`{"dest_path":"world.md"}`)
	got, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	const golden = "testdata/manifest.golden.json"
	if *update {
		if err := os.WriteFile(golden, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Error(diff)
	}
}

func TestManifestFieldsMustNotHideItsOwn(t *testing.T) {
	for _, fields := range []string{`{"run":"other"}`, `[1]`, `null`, `{`} {
		if _, err := (Manifest{Fields: []byte(fields)}).Encode(); err == nil {
			t.Errorf("%s: no error", fields)
		}
	}
	if _, err := (Manifest{Fields: []byte(`{}`)}).Encode(); err != nil {
		t.Error(err)
	}
}

func paths(items []Item) []string {
	var all []string
	for _, i := range items {
		all = append(all, i.Path)
	}
	return all
}

func TestPlanTakesApprovedPointersOnly(t *testing.T) {
	s := book(t)
	s.do(kernel.Revise{Stamp: s.by(anna), Nodes: []kernel.NodeID{"chapter/002/text"}})
	s.deliver("chapter/002/text", "二, again\n", "") // waits for a person; the first version stays approved
	m, items := s.plan(Selection{})
	want := []string{"world.md", "chapter_001_text.md", "chapter_002_text.md", "kit/index.html", "kit/css/a.css"}
	if diff := cmp.Diff(want, paths(items)); diff != "" {
		t.Error(diff)
	}
	for _, e := range m.Entries {
		if !e.Approved || e.Candidate {
			t.Errorf("%s: approved %v, candidate %v", e.Version, e.Approved, e.Candidate)
		}
		if e.Node == "chapter/002/text" && e.Version != "chapter/002/text@1" {
			t.Errorf("got %s, want the approved version", e.Version)
		}
	}
	if got, want := mustJSON(t, m.LeftOut), `[{"node":"chapter/003/text","title":"Chapter 3","status":"rework"},`+
		`{"node":"late","title":"Late","status":"ready"}]`; got != want {
		t.Errorf("left out %s, want %s", got, want)
	}
}

func TestPlanMarksCandidates(t *testing.T) {
	s := book(t)
	s.do(kernel.Revise{Stamp: s.by(anna), Nodes: []kernel.NodeID{"chapter/002/text"}})
	s.deliver("chapter/002/text", "二, again\n", "")
	m, items := s.plan(Selection{IncludeCandidates: true, Wanted: []Wanted{
		{Node: "chapter/003/text", Path: "three.md"}, {Node: "chapter/002/text", Path: "two.md"}}})
	want := []string{"candidates/v1/three.md", "two.md", "candidates/v2/two.md"}
	if diff := cmp.Diff(want, paths(items)); diff != "" {
		t.Error(diff)
	}
	for i, candidate := range []bool{true, false, true} {
		if e := m.Entries[i]; e.Candidate != candidate || e.Approved == candidate {
			t.Errorf("%s: approved %v, candidate %v", e.Version, e.Approved, e.Candidate)
		}
	}
}

func TestPlanOfTheSameStateDiffersInItsTimeOnly(t *testing.T) {
	s := book(t)
	a, _ := s.plan(Selection{})
	b, _, err := Plan(s.run, Selection{At: export.AddDate(1, 0, 0)})
	if err != nil {
		t.Fatal(err)
	}
	if a.ExportedAt.Equal(b.ExportedAt) {
		t.Error("the times are the same")
	}
	b.ExportedAt = a.ExportedAt
	if diff := cmp.Diff(mustJSON(t, a), mustJSON(t, b)); diff != "" {
		t.Error(diff)
	}
}

func TestPlanRehearsalIsLabelled(t *testing.T) {
	s := newStory(t, makeNode("a", "", kernel.Gate{}), makeNode("b", "", kernel.Gate{}))
	s.deliver("a", "x", kernel.ProviderRehearsal)
	if m, _ := s.plan(Selection{}); !m.Rehearsal || m.Label == "" {
		t.Error("a rehearsed run is not labelled")
	}
	s.deliver("b", "y", kernel.ProviderReal)
	if m, _ := s.plan(Selection{}); m.Rehearsal {
		t.Error("a real run is labelled as rehearsed")
	}
}

func TestPlanNothingApproved(t *testing.T) {
	s := newStory(t, makeNode("a", "A", kernel.Gate{Person: true}))
	refused := func(want ...string) {
		t.Helper()
		_, _, err := Plan(s.run, Selection{})
		if fault.CodeOf(err) != fault.NothingApproved {
			t.Fatalf("got %v", err)
		}
		var got []string
		for _, a := range fault.From(err).Next {
			got = append(got, a.Action)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
	refused("run")
	s.deliver("a", "x", "")
	refused("answer", "include candidates")
	if m, _ := s.plan(Selection{IncludeCandidates: true}); !m.Entries[0].Candidate {
		t.Error("the candidate is not marked")
	}
	s.do(kernel.Cancel{Stamp: s.by(anna)})
	refused("resume", "include candidates")
}

func TestPlanRefusesPaths(t *testing.T) {
	s := book(t)
	for name, wanted := range map[string][]Wanted{
		"two nodes":      {{"world", "x.md"}, {"kit", "k"}, {"chapter/001/text", "X.md"}},
		"file under one": {{"world", "x"}, {"chapter/001/text", "x/y"}},
		"one over files": {{"world", "x/y"}, {"chapter/001/text", "X"}},
		"out of it":      {{"world", "../x"}},
		"absolute":       {{"world", "/x"}},
		"the manifest":   {{"world", "Manifest.json"}},
	} {
		if _, _, err := Plan(s.run, Selection{Wanted: wanted}); fault.CodeOf(err) != fault.BadPath {
			t.Errorf("%s: got %v, want bad_path", name, err)
		}
	}
	if _, _, err := Plan(s.run, Selection{Wanted: []Wanted{{Node: "gone"}}}); fault.CodeOf(err) != fault.UnknownNode {
		t.Errorf("got %v, want unknown_node", err)
	}
}

func TestPlanOwnPathsNeverClash(t *testing.T) {
	s := newStory(t, makeNode("a/b", "", kernel.Gate{}), makeNode("a_b", "", kernel.Gate{}), makeNode("A:b", "", kernel.Gate{}),
		makeNode("...", "", kernel.Gate{}), makeNode("書/一", "", kernel.Gate{}))
	for _, id := range []kernel.NodeID{"a/b", "a_b", "A:b", "...", "書/一"} {
		s.deliver(id, string(id), "")
	}
	_, items := s.plan(Selection{})
	if got, want := strings.Join(paths(items), " "), "a_b.md a_b_2.md A_b_3.md node.md 書_一.md"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	_, items = s.plan(Selection{Path: func(n kernel.Node, v *kernel.Version) string { return string(v.Digest.Hex()) }})
	if len(items) != 5 {
		t.Errorf("got %d items", len(items))
	}
}
