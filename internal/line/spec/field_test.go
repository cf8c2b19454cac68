package spec

import (
	"strings"
	"testing"
)

func TestFieldAt(t *testing.T) {
	s := whole()
	for path, want := range map[string]field{
		"spec.goal":                         {value: []byte(`"Find a book by any word of its title"`), named: "spec.goal", at: "spec.goal"},
		"spec.acceptance_criteria[1]":       {value: []byte(`{"id":"AC-2","criteria":"an unknown word finds none"}`), named: "spec.acceptance_criteria[AC-2]", at: "spec.acceptance_criteria[1]"},
		"planning.tasks[T-2].scope":         {value: []byte(`"the search"`), named: "planning.tasks[T-2].scope", at: "planning.tasks[1].scope"},
		"planning.tasks[1].dependencies":    {value: []byte(`["T-1"]`), named: "planning.tasks[T-2].dependencies", at: "planning.tasks[1].dependencies"},
		"planning.vv[VV-1].task_id":         {value: []byte(`"T-1"`), named: "planning.vv[VV-1].task_id", at: "planning.vv[0].task_id"},
		"meta.source_artifacts[0]":          {value: []byte(`{"type":"doc","ref":"doc://text"}`), named: "meta.source_artifacts[0]", at: "meta.source_artifacts[0]"},
		"planning.tasks[1].dependencies[0]": {value: []byte(`"T-1"`), named: "planning.tasks[T-2].dependencies[0]", at: "planning.tasks[1].dependencies[0]"},
	} {
		got, ok, err := fieldAt(s, path)
		if err != nil || !ok || string(got.value) != string(want.value) || got.named != want.named || got.at != want.at {
			t.Errorf("%s is %s at %s, named %s (%v %v)", path, got.value, got.at, got.named, ok, err)
		}
	}
	for _, path := range []string{"spec.nothing", "planning.tasks[2]", "planning.tasks[T-9].scope", "spec.goal[0]", "spec.goal.x", "planning.mvp_definition.mvp_goal"} {
		if _, ok, err := fieldAt(s, path); ok || err != nil {
			t.Errorf("%s: found %v, %v", path, ok, err)
		}
	}
	for _, path := range []string{"", ".", "spec..goal", "spec.goal[", "spec.goal]", "../x", "spec.goal\n", "SPEC.goal", "planning.tasks[]", strings.Repeat("a", 301)} {
		if _, _, err := fieldAt(s, path); err == nil {
			t.Errorf("%q is a path", path)
		}
	}
}

func TestTouches(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"spec.goal", "spec.goal", true}, {"spec", "spec.goal", true}, {"spec.goal", "spec", true}, {"planning.tasks[1]", "planning.tasks[1].scope", true},
		{"planning.tasks[1]", "planning.tasks[10]", false}, {"spec.goal", "spec.goals", false}, {"spec.background", "spec.goal", false},
	} {
		if touches(c.a, c.b) != c.want {
			t.Errorf("%s and %s: want %v", c.a, c.b, c.want)
		}
	}
}
