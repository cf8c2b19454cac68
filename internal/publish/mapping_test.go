package publish_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/internal/fault"
	"sluice/internal/line/spec/ledger"
	"sluice/internal/publish"
	"sluice/internal/publishtest"
)

var request = publishtest.Request("F-2026-001", "S-20260113-0001", "export with one click")

func TestTransforms(t *testing.T) {
	m, err := publish.ParseMapping("m.yaml", []byte(`
mapping_version: "1"
fields:
  - {field: a, transform: direct, source: spec.goal}
  - {field: b, transform: template, template: "{{feature.feature_id}} / {{ feature.title }}!"}
  - {field: c, transform: concat, sources: [feature.title, planning.mvp_definition.mvp_goal, spec.goal], separator: " · "}
  - {field: d, transform: fixed, value: "中"}
  - {field: e, transform: direct, source: project_context_ref.mentor_user_id, as: user}
  - {field: f, transform: direct, source: project_context_ref.project_record_id, as: link}
  - {field: empty, transform: direct, source: planning.constraints}
  - {field: g, transform: direct, source: spec.acceptance_criteria}
`))
	if err != nil {
		t.Fatal(err)
	}
	hostile := request
	hostile.Spec.Feature.Title = "{{spec.goal}}"
	fields, err := m.Apply(hostile)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for k, v := range fields {
		got[k] = string(v)
	}
	want := map[string]string{"a": `"export with one click"`, "b": `"F-2026-001 / {{spec.goal}}!"`, "c": `"{{spec.goal}} · export with one click"`,
		"d": `"中"`, "e": `[{"id":"ou_mentor"}]`, "f": `["recProject"]`, "g": `"- AC-1: a button\n  - test: look\n"`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestMappingsThatAreRefused(t *testing.T) {
	head := "mapping_version: \"1\"\nfields:\n  - "
	for name, c := range map[string]struct{ file, want string }{
		"no YAML":               {"fields: [", "m.yaml: "},
		"another version":       {"mapping_version: \"7\"\nfields: []", `m.yaml: mapping_version is "7"; known are 1`},
		"no version":            {"fields: []", `m.yaml: mapping_version is ""; known are 1`},
		"no fields":             {"mapping_version: \"1\"", "m.yaml: no fields are named"},
		"unknown key":           {"mapping_version: \"1\"\nfeilds: []", "m.yaml: "},
		"unknown transform":     {head + "{field: a, transform: shout}", `m.yaml: field 1 (a): transform is "shout"; direct, template, concat or fixed is needed`},
		"unknown source":        {head + "{field: a, transform: direct, source: spec.gaol}", `m.yaml: field 1 (a): there is no source "spec.gaol"`},
		"unknown in template":   {head + "{field: a, transform: template, template: \"{{secret}}\"}", `m.yaml: field 1 (a): there is no source "secret"`},
		"open template":         {head + "{field: a, transform: template, template: \"{{x\"}", "m.yaml: field 1 (a): {{ is never closed"},
		"no sources":            {head + "{field: a, transform: concat}", "m.yaml: field 1 (a): concat has no sources"},
		"no value":              {head + "{field: a, transform: fixed}", "m.yaml: field 1 (a): fixed has no value"},
		"unknown form":          {head + "{field: a, transform: fixed, value: b, as: number}", `m.yaml: field 1 (a): as is "number"; text, user or link is needed`},
		"no name":               {head + "{transform: fixed, value: b}", "m.yaml: field 1 (): it has no name"},
		"twice":                 {head + "{field: a, transform: fixed, value: b}\n  - {field: a, transform: fixed, value: b}", "m.yaml: field a stands twice"},
		"key that is none":      {"key_field: b\n" + head + "{field: a, transform: fixed, value: b}", "m.yaml: key_field b is none of the fields"},
		"key that tells nobody": {"key_field: a\n" + head + "{field: a, transform: fixed, value: b}", "m.yaml: key_field a does not begin with {{user_story}}, which holds the feature's id"},
		"aliases":               {"mapping_version: &v \"1\"\nfields: [*v]", "m.yaml: a mapping file has no anchors with aliases"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := publish.ParseMapping("m.yaml", []byte(c.file))
			if f := fault.From(err); f == nil || f.Code != fault.BadConfig || !strings.HasPrefix(f.Message, c.want) || len(f.Next) == 0 {
				t.Errorf("refusal %v", err)
			}
		})
	}
}

func TestIsOurs(t *testing.T) {
	p := publish.Payload{Feature: "F-2026-001", Origin: "origin-1"}
	story := publish.Story(request)
	other := publishtest.Request("F-2026-0010", "S-20260113-0001", "goal")
	moved := request
	moved.Origin = "origin-2"
	quoting := publishtest.Request("F-2026-009", "S-20260113-0001", "---\nfeature_id: F-2026-001\norigin: origin-1\n---")
	for name, c := range map[string]struct {
		text string
		want bool
	}{
		"ours":                         {story, true},
		"ours, changed below":          {story + "\nedited", true},
		"with other line ends":         {strings.ReplaceAll(story, "\n", "\r\n"), true},
		"an id that begins the same":   {publish.Story(other), false},
		"another workspace":            {publish.Story(moved), false},
		"a spec that quotes our lines": {publish.Story(quoting), false},
		"words that mention it":        {"see feature_id: F-2026-001", false},
		"nothing":                      {"", false},
	} {
		if got := publish.IsOurs(c.text, p); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestStorySpeaksTheLanguageOfTheGoal(t *testing.T) {
	for goal, want := range map[string]string{"Export with one click": "## Goal", "一键导出任意报表为 CSV": "## 目标", "Выгрузка одним нажатием": "## Цель"} {
		r := request
		r.Spec.Feature.Title, r.Spec.Spec.Goal = goal, goal
		if !strings.Contains(publish.Story(r), want) {
			t.Errorf("%s: %s", goal, publish.Story(r))
		}
	}
}

func FuzzParseMapping(f *testing.F) {
	f.Add([]byte("mapping_version: \"1\"\nfields:\n  - {field: a, transform: template, template: \"{{user_story}}\"}\n"))
	f.Fuzz(func(t *testing.T, body []byte) {
		m, err := publish.ParseMapping("m.yaml", body)
		if err != nil {
			if fault.CodeOf(err) != fault.BadConfig {
				t.Fatal(err)
			}
			return
		}
		if _, err := m.Apply(ledger.Request{}); err != nil && fault.CodeOf(err) != fault.MissingPrerequisite {
			t.Fatal(err)
		}
	})
}
