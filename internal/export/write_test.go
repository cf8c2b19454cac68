package export

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"sluice/internal/digest"
	"sluice/internal/doctor"
	"sluice/internal/fault"
	"sluice/internal/workspace"
)

// A door shows the findings of both packages in one list.
var _ = doctor.Finding(Finding{})

func mustBundle(t *testing.T) (*mapTree, *story) {
	t.Helper()
	s, tree := book(t), &mapTree{dirs: map[string]fstest.MapFS{}}
	m, items := s.plan(Selection{IncludeCandidates: true})
	if err := tree.write(t, "out", m, items, s); err != nil {
		t.Fatal(err)
	}
	return tree, s
}

func TestWriteGivesABundleThatVerifies(t *testing.T) {
	tree, _ := mustBundle(t)
	got := slices.Sorted(maps.Keys(tree.dirs["out"]))
	want := []string{"candidates/v1/chapter_003_text.md", "chapter_001_text.md", "chapter_002_text.md", "kit/css/a.css",
		"kit/index.html", "manifest.json", "world.md"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	rep := VerifyDir(tree.dirs["out"])
	if diff := cmp.Diff(Report{Run: "r1", Line: "novel", Items: 5, Candidates: 1, Files: 6, Bytes: 28, Findings: []Finding{}}, rep); diff != "" {
		t.Error(diff)
	}
}

func TestWriteReplacesWhatAnExportWrote(t *testing.T) {
	tree, s := mustBundle(t)
	delete(tree.dirs["out"], "world.md") // what is missing is no loss
	tree.dirs["out"][".DS_Store"] = &fstest.MapFile{}
	m, items := s.plan(Selection{})
	if err := tree.write(t, "out", m, items, s); err != nil {
		t.Fatal(err)
	}
	if _, there := tree.dirs["out"]["candidates/v1/chapter_003_text.md"]; there {
		t.Error("the old bundle shines through")
	}
	if rep := VerifyDir(tree.dirs["out"]); len(rep.Findings) > 0 {
		t.Error(rep.Findings)
	}
}

func TestWriteRefusesToLoseFiles(t *testing.T) {
	for name, c := range map[string]struct {
		damage func(fstest.MapFS)
		want   fault.Code
	}{
		"a stranger's file": {func(d fstest.MapFS) { d["notes.md"] = &fstest.MapFile{Data: []byte("mine")} }, fault.FileChanged},
		"an edit":           {func(d fstest.MapFS) { d["world.md"] = &fstest.MapFile{Data: []byte("mine")} }, fault.FileChanged},
		"no manifest":       {func(d fstest.MapFS) { delete(d, ManifestName) }, fault.FileExists},
		"a broken manifest": {func(d fstest.MapFS) { d[ManifestName] = &fstest.MapFile{Data: []byte("{")} }, fault.FileChanged},
		"another manifest":  {func(d fstest.MapFS) { d[ManifestName] = &fstest.MapFile{Data: []byte(`{"name":"x"}`)} }, fault.FileChanged},
	} {
		tree, s := mustBundle(t)
		c.damage(tree.dirs["out"])
		before := maps.Clone(tree.dirs["out"])
		m, items := s.plan(Selection{})
		err := tree.write(t, "out", m, items, s)
		if fault.CodeOf(err) != c.want || len(fault.From(err).Next) == 0 {
			t.Errorf("%s: got %v, want %s with a way out", name, err, c.want)
		}
		if diff := cmp.Diff(before, tree.dirs["out"]); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestWriteIntoAnEmptyDirectory(t *testing.T) {
	s, tree := book(t), &mapTree{dirs: map[string]fstest.MapFS{"out": {}}}
	m, items := s.plan(Selection{})
	if err := tree.write(t, "out", m, items, s); err != nil {
		t.Error(err)
	}
}

// wrongBodies gives other bytes than those asked for.
type wrongBodies struct{}

func (wrongBodies) Blob(context.Context, string, int64, digest.Digest) ([]byte, error) {
	return []byte("other"), nil
}

func TestWriteRefusesBytesThatAreNotTheVersion(t *testing.T) {
	tree, s := mustBundle(t)
	before := maps.Clone(tree.dirs["out"])
	m, items := s.plan(Selection{})
	if err := tree.write(t, "out", m, items, wrongBodies{}); fault.CodeOf(err) != fault.StoreCorrupt {
		t.Errorf("got %v", err)
	}
	if diff := cmp.Diff(before, tree.dirs["out"]); diff != "" {
		t.Error(diff)
	}
}

func TestWriteIntoAWorkspace(t *testing.T) {
	dir := t.TempDir()
	tree, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	s := book(t)
	for range 2 {
		m, items := s.plan(Selection{})
		if err := Write(t.Context(), tree, "out/書", m, items, s); err != nil {
			t.Fatal(err)
		}
	}
	sub, err := tree.Sub("out/書")
	if err != nil {
		t.Fatal(err)
	}
	if rep := VerifyDir(sub); len(rep.Findings) > 0 || rep.Files != 5 {
		t.Errorf("%+v", rep)
	}
	left, err := filepath.Glob(filepath.Join(dir, "out", ".*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %s %v", strings.Join(left, ", "), err)
	}
	if err := tree.Write("out/書/mine.md", []byte("x"), 0); err != nil {
		t.Fatal(err)
	}
	m, items := s.plan(Selection{})
	if err := Write(t.Context(), tree, "out/書", m, items, s); fault.CodeOf(err) != fault.FileChanged {
		t.Errorf("got %v, want file_changed", err)
	}
}
