package line

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sluice/internal/journal"
	"sluice/internal/kernel"
)

func TestPathsOfSessions(t *testing.T) {
	for global, session := range map[string]string{
		"acts/act-1/plan.md":                   "workspace/sessions/s/acts/act-1/plan.md",
		"workspace/generation-runs/g/draft.md": "workspace/sessions/s/generation-runs/g/draft.md",
		"workspace/planning-runs/p/a.md":       "workspace/sessions/s/planning-runs/p/a.md",
		"workspace/workflow-state/g.json":      "workspace/sessions/s/workflow-state/g.json",
		"workspace/other.md":                   "workspace/sessions/s/workspace/other.md",
	} {
		if got := SessionPath("s", global); got != session {
			t.Errorf("SessionPath(%s) = %s, want %s", global, got, session)
		}
		if got := GlobalPath("s", session); got != global {
			t.Errorf("GlobalPath(%s) = %s, want %s", session, got, global)
		}
	}
	if got := GlobalPath("s", "workspace/sessions/t/a.md"); got != "workspace/sessions/t/a.md" {
		t.Errorf("another session's path became %s", got)
	}
	for path, want := range map[string]string{"workspace/sessions/s/a": "s", "workspace/sessions/s": "", "workspace/sessions": "", "a": ""} {
		if got, _, ok := SessionOf(path); ok != (want != "") || ok && got != want {
			t.Errorf("SessionOf(%s) = %s, %v", path, got, ok)
		}
	}
}

func TestWhereARunStands(t *testing.T) {
	const recorded = "workspace/sessions/s/generation-runs/g/draft.md"
	v := &kernel.Version{ID: "draft@1"}
	for _, c := range []struct {
		label  string
		files  []File
		states []StateFile
	}{
		{"", []File{{Path: recorded, Version: v}}, []StateFile{{Path: recorded, Body: []byte("x")}}},
		{LabelSession, []File{{Path: recorded, Version: v}}, []StateFile{{Path: recorded, Body: []byte("x")}}},
		{LabelCommitted, []File{{Path: recorded, Loose: true}, {Path: "workspace/generation-runs/g/draft.md", Version: v}},
			[]StateFile{{Path: recorded, Loose: true}, {Path: "workspace/generation-runs/g/draft.md", Body: []byte("x")}}},
		{LabelEnded, []File{{Path: recorded, Role: journal.State}}, []StateFile{{Path: recorded}}},
	} {
		r := kernel.NewRun()
		open := kernel.Open{Stamp: kernel.Stamp{At: time.Unix(1, 0)}, Run: "g", Line: "scene", Labels: map[string]string{},
			Nodes: []kernel.Node{{ID: "draft", Kind: kernel.Make, Performer: kernel.Engine}}}
		if c.label != "" {
			open.Labels[c.label] = "s"
		}
		if _, err := kernel.Apply(r, open); err != nil {
			t.Fatal(err)
		}
		ignore := cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".Version" }, cmp.Comparer(func(a, b *kernel.Version) bool { return a == b }))
		if diff := cmp.Diff(c.files, FilesNow(r, []File{{Path: recorded, Version: v}}), ignore); diff != "" {
			t.Errorf("files with label %q (-want +got):\n%s", c.label, diff)
		}
		if diff := cmp.Diff(c.states, StatesNow(r, []StateFile{{Path: recorded, Body: []byte("x")}})); diff != "" {
			t.Errorf("states with label %q (-want +got):\n%s", c.label, diff)
		}
	}
}
