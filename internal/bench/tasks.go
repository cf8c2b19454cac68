package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"sluice/internal/line/task"
)

// tasks measures plans: the time per task of 2,000 independent actions with their checks against 200, and 200 of them
// with a model that takes 100 ms and 16 workers against the least that takes.
func tasks(ctx context.Context, rounds int) error {
	var ratios, excess []float64
	memory := 0.0
	for range min(rounds, 3) {
		small, _, err := planTime(ctx, 200, 4, "")
		if err != nil {
			return err
		}
		large, used, err := planTime(ctx, 2000, 4, "")
		if err != nil {
			return err
		}
		ratios = append(ratios, float64(large)/2000/(float64(small)/200))
		memory = max(memory, used)
		slow, _, err := planTime(ctx, 200, 16, "- agent: \"*\"\n  delay: 100ms\n")
		if err != nil {
			return err
		}
		const ideal = 2 * 200 * 100 * time.Millisecond / 16
		excess = append(excess, float64(slow)/float64(ideal))
	}
	report("tasks_2000_over_200", median(ratios), "ratio")
	report("tasks_2000_memory", memory, "MB")
	report("tasks_16_workers", median(excess), "of-ideal")
	return nil
}

// planTime imports a plan of independent actions, performs it and gives the time that took and the memory in use then.
func planTime(ctx context.Context, actions, workers int, script string) (spent time.Duration, megabytes float64, err error) {
	dir, err := os.MkdirTemp("", "sluice-tasks")
	if err != nil {
		return 0, 0, err
	}
	defer os.RemoveAll(dir)
	rules := ""
	if script != "" {
		rules = filepath.Join(dir, "rules.yaml")
		if err := os.WriteFile(rules, []byte(script), 0o600); err != nil {
			return 0, 0, err
		}
	}
	a, done, err := openWorkspace(ctx, dir, rules)
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, done()) }()
	plan, err := a.ImportPlan(ctx, widePlan(actions))
	if err != nil {
		return 0, 0, err
	}
	started := time.Now()
	status, err := a.RunPlan(ctx, plan.PlanID, workers)
	if err != nil {
		return 0, 0, err
	}
	if status.Status != task.PlanDone {
		return 0, 0, fmt.Errorf("plan of %d actions ended %s", actions, status.Status)
	}
	spent = time.Since(started)
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return spent, float64(m.Sys) / (1 << 20), nil
}

// widePlan is a plan of independent actions, each with its check.
func widePlan(actions int) []byte {
	id := func(kind, n int) string { return fmt.Sprintf("%08x-0000-4000-8000-%012x", kind, n) }
	criterion := map[string]any{"id": "A1", "type": "content", "statement": "it is text", "check_method": "manual_review", "severity": "blocker"}
	covered := map[string]any{"id": "R1", "type": "content", "statement": "all parts are there", "check_method": "manual_review",
		"severity": "blocker", "covered_by": []string{id(1, 0)}}
	nodes := []any{map[string]any{"task_id": id(0, 0), "node_type": "GOAL", "title": "Root",
		"root_acceptance_criteria": []any{covered}, "final_deliverable_spec": map[string]any{"mode": "PASS_THROUGH"}}}
	var edges []any
	for i := range actions {
		nodes = append(nodes,
			map[string]any{"task_id": id(1, i), "node_type": "ACTION", "title": fmt.Sprintf("Part %d", i), "estimated_person_days": 1,
				"acceptance_criteria": []any{criterion}, "deliverable_spec": map[string]any{"format": "md",
					"filename": fmt.Sprintf("part-%d.md", i), "output_dir": ".", "single_file": true, "description": "a part"}},
			map[string]any{"task_id": id(2, i), "node_type": "CHECK", "title": fmt.Sprintf("Check %d", i), "review_target_task_id": id(1, i),
				"review_output_spec": map[string]any{"approved_filename": "APPROVED.md", "rejected_filename": "REJECTED.md"}})
		edges = append(edges, map[string]any{"edge_id": id(3, i), "from_task_id": id(0, 0), "to_task_id": id(1, i), "edge_type": "DECOMPOSE",
			"metadata": map[string]any{"and_or": "AND"}})
	}
	raw, err := json.Marshal(map[string]any{"nodes": nodes, "edges": edges, "plan": map[string]any{
		"plan_id": id(4, actions), "root_task_id": id(0, 0), "title": "Many parts", "top_task": "make many parts"}})
	if err != nil {
		return nil // strings, numbers and maps of them always encode
	}
	return raw
}
