package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"sluice/internal/app"
	"sluice/internal/line/scene"
)

const blueprint = `# Scene 0204

## Location
The harbour office

## Characters present
- Anna
- Boris

## Characters absent
- Viktor

## Beats
1. Anna finds the ledger.
2. Boris denies everything.

## Word count
120

## Continuity
- The storm of the night before
`

// slowValidators makes each of the seven take 200 ms.
func slowValidators() string {
	var rules strings.Builder
	for _, agent := range []string{"world-lorekeeper", "canon-guardian", "character-state", "chronicle-keeper", "dialogue-analyst", "plot-architect", "scene-structure"} {
		fmt.Fprintf(&rules, "- agent: %s\n  delay: 200ms\n", agent)
	}
	return rules.String()
}

// validators measures the full validation of a scene: seven models that take 200 ms each, asked side by side. The figure
// is the time from the first question to the last answer.
func validators(ctx context.Context, rounds int) (err error) {
	var times []float64
	for range rounds {
		spent, err := validateOnce(ctx)
		if err != nil {
			return err
		}
		times = append(times, float64(spent.Milliseconds()))
	}
	report("validators_ms", median(times), "ms")
	return nil
}

func validateOnce(ctx context.Context) (spent time.Duration, err error) {
	dir, err := os.MkdirTemp("", "sluice-validators")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	scenes := filepath.Join(dir, "acts", "act-1", "chapters", "chapter-02", "scenes")
	if err := os.MkdirAll(scenes, 0o755); err != nil {
		return 0, err
	}
	for path, body := range map[string]string{filepath.Join(scenes, "scene-0204-blueprint.md"): blueprint, filepath.Join(dir, "slow.yaml"): slowValidators()} {
		if err := os.WriteFile(path, []byte(body), 0o600); err != nil {
			return 0, err
		}
	}
	a, done, err := openWorkspace(ctx, dir, filepath.Join(dir, "slow.yaml"))
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, done()) }()
	status, err := a.StartGeneration(ctx, scene.StartGeneration{SceneID: "0204", Drive: true})
	if err != nil {
		return 0, err
	}
	if _, err := a.ApproveStep(ctx, scene.Approval{WorkflowID: status.WorkflowID, Step: 3, Approved: true}); err != nil {
		return 0, err
	}
	if status, err = a.DriveWorkflow(ctx, status.WorkflowID, false); err != nil {
		return 0, err
	}
	if status.Status != "completed" {
		doc, _ := json.Marshal(status)
		return 0, errors.New("the workflow is not completed: " + string(doc))
	}
	return validating(ctx, a, status.WorkflowID)
}

// validating is the time between the first question of step 6 and its last answer.
func validating(ctx context.Context, a *app.App, run string) (time.Duration, error) {
	calls, err := a.Calls(ctx, run)
	if err != nil {
		return 0, err
	}
	var first, last time.Time
	for _, c := range calls.Calls {
		if c.Node != "step/6" {
			continue
		}
		ended := c.StartedAt.Add(time.Duration(c.DurationMS) * time.Millisecond)
		if first.IsZero() || c.StartedAt.Before(first) {
			first = c.StartedAt
		}
		if ended.After(last) {
			last = ended
		}
	}
	return last.Sub(first), nil
}
