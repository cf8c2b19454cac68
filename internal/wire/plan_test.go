package wire

import (
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/internal/config"
	"sluice/internal/line/task"
)

func TestEverySettingOfPlansIsPassedOn(t *testing.T) {
	if diff := cmp.Diff(task.DefaultSettings(), planSettings(config.Default().Task)); diff != "" {
		t.Errorf("defaults differ (-line +config):\n%s", diff)
	}
	c := config.Task{MaxDecompositionDepth: 1, OneShotThresholdPersonDays: 2, MaxLeaves: 3, MaxPlanAttempts: 4, MaxTotalAttempts: 5, MaxAttempts: 6,
		ReviewPassScore: 7, PlanReviewPassScore: 8, ExportIncludeCandidates: true, Reviewer: "r", SmokeTests: config.SmokeTests{{Match: "go", Command: []string{"go"}}}}
	got := reflect.ValueOf(planSettings(c))
	for i := range got.NumField() {
		if got.Field(i).IsZero() {
			t.Errorf("%s is not passed on", got.Type().Field(i).Name)
		}
	}
	if r := programs(c); len(r.Rules) != 1 || r.Rules[0].Match != "go" {
		t.Errorf("programs are %+v", r.Rules)
	}
}
