package config

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sluice/internal/fault"
)

func TestSmokeTestsAreTheUsersOwn(t *testing.T) {
	const table = "task:\n  smoke_tests:\n    go: {command: [go, vet, ./...], timeout: 90s}\n    \"*.html\":\n      command:\n        - check page\n        - \"{files}\"\n"
	want := SmokeTests{{"go", []string{"go", "vet", "./..."}, 90 * time.Second}, {"*.html", []string{"check page", "{files}"}, time.Minute}}
	got := mustLoad(t, source(t, table, "task: {reviewer: someone}\n"))
	if diff := cmp.Diff(want, got.Task.SmokeTests); diff != "" {
		t.Error(diff)
	}
	shown := `{go: {command: [go, vet, ./...], timeout: 1m30s}, "*.html": {command: ["check page", "{files}"], timeout: 1m}}`
	if text := got.Task.SmokeTests.String(); text != shown {
		t.Errorf("shown as %s", text)
	}
	again := mustLoad(t, source(t, "", "", "SLUICE_TASK_SMOKE_TESTS="+shown))
	if diff := cmp.Diff(want, again.Task.SmokeTests); diff != "" {
		t.Errorf("what is shown cannot be given: %s", diff)
	}
	_, err := Load(source(t, "", table))
	if fault.CodeOf(err) != fault.BadConfig || !strings.Contains(err.Error(), "task.smoke_tests cannot be set in a workspace") {
		t.Errorf("from a workspace: %v", err)
	}
	if strings.Contains(string(DefaultFile()), "smoke_tests") {
		t.Error("a new workspace's file speaks of it")
	}
}

func TestBadSmokeTestsAreRefusedWithTheirPlace(t *testing.T) {
	for table, want := range map[string]string{
		"[a]":                                      "keys with values are needed",
		"{go: {}}":                                 "has no command",
		"{go: {command: []}}":                      "has no command",
		"{go: {command: [\"\"]}}":                  "begins with nothing",
		"{go: {command: go vet}}":                  "a list of the program and its arguments",
		"{go: {command: [[a]]}}":                   "a plain value is needed",
		"{go: {run: [a]}}":                         "command and timeout are what it takes",
		"{go: {command: [a], timeout: 0s}}":        "no time above 0s",
		"{go: {command: [a], timeout: 10}}":        "no time above 0s",
		"{go: {command: [a], timeout: 48h}}":       "up to 1h",
		"{\"[\": {command: [a]}}":                  "no pattern of file names",
		"{\"\": {command: [a]}}":                   "no pattern of file names",
		"{go: {command: [a]}, go: {command: [b]}}": "stands twice",
	} {
		_, err := Load(source(t, "task:\n  smoke_tests: "+table+"\n", ""))
		if fault.CodeOf(err) != fault.BadConfig || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v", table, err)
		}
	}
	for _, text := range []string{"", "x", "[", "{go: {command: go}}"} {
		if _, err := Load(source(t, "", "", "SLUICE_TASK_SMOKE_TESTS="+text)); text != "" && fault.CodeOf(err) != fault.BadConfig {
			t.Errorf("%q: got %v", text, err)
		}
	}
}
