package sqlitestore

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/internal/journal"
)

// readerColumns are what SQL clients were promised. Columns may be added at the end; none goes and none moves.
var readerColumns = map[string]string{
	"plans": "plan_id root_task_id title top_task status constraints created_at",
	"task_nodes": "task_id plan_id node_type title goal_statement rationale owner_agent_id priority tags status blocked_reason attempt_count " +
		"active_artifact_id approved_artifact_id estimated_person_days deliverable_spec acceptance_criteria review_target_task_id " +
		"review_output_spec root_acceptance_criteria final_deliverable_spec",
	"task_edges": "edge_id plan_id from_task_id to_task_id edge_type metadata",
	"artifacts":  "artifact_id task_id version path format sha256 created_at plan_id",
	"reviews": "review_id check_task_id review_target_task_id reviewed_artifact_id verdict total_score acceptance_results summary " +
		"reviewer created_at idempotency_key plan_id",
	"task_events": "plan_id event_id task_id event_type payload actor created_at",
}

func TestReadersFindTheColumnsThatWerePromised(t *testing.T) {
	dir := t.TempDir()
	s := mustOpen(t, dir)
	b := batch("r1", 0)
	b.Events = []byte(`[{"type":"version_stored","at":"2026-01-02T03:04:05Z","by":{"kind":"engine"},"fact":{"version":{"node":"t1"}}}]`)
	b.Head.Line = "task"
	b.Rows = []journal.Row{{Table: "plan", Key: "r1", Body: []byte(`{}`)}, {Table: "task_node", Key: "t1", Body: []byte(`{"status":"PENDING"}`)},
		{Table: "task_edge", Key: "1", Body: []byte(`{}`)}, {Table: "artifact", Key: "a1", Body: []byte(`{}`)}, {Table: "review", Key: "v1", Body: []byte(`{}`)}}
	mustAppend(t, s, b)
	for view, want := range readerColumns {
		rows, err := s.reading.QueryContext(t.Context(), "SELECT * FROM "+view)
		if err != nil {
			t.Fatalf("%s: %v", view, err)
		}
		columns, err := rows.Columns()
		n := 0
		for rows.Next() {
			n++
		}
		if err != nil || rows.Err() != nil || rows.Close() != nil || n != 1 {
			t.Errorf("%s: %d rows, %v %v", view, n, err, rows.Err())
		}
		if diff := cmp.Diff(strings.Fields(want), columns); diff != "" {
			t.Errorf("%s differs (-want +got):\n%s", view, diff)
		}
	}
}

// A reader who asks for one plan must not pay for the others.
func TestReadersOfOnePlanUseTheIndex(t *testing.T) {
	s := mustOpen(t, t.TempDir())
	for view := range readerColumns {
		rows, err := s.reading.QueryContext(t.Context(), "EXPLAIN QUERY PLAN SELECT * FROM "+view+" WHERE plan_id = 'x'")
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			var a, b, c int
			var step string
			if err := rows.Scan(&a, &b, &c, &step); err != nil {
				t.Fatal(err)
			}
			if strings.HasPrefix(step, "SCAN") && !strings.Contains(step, "VIRTUAL TABLE") {
				t.Errorf("%s: %s", view, step)
			}
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestPlansOfAnOlderSchemaAreDue(t *testing.T) {
	dir := t.TempDir()
	script, err := os.ReadFile("testdata/v1.sql")
	if err != nil {
		t.Fatal(err)
	}
	old := mustForeign(t, dir)
	mustExec(t, old, string(script))
	mustExec(t, old, "UPDATE run SET line = 'task'")
	if err := old.Close(); err != nil {
		t.Fatal(err)
	}
	s := mustOpen(t, dir)
	due, err := s.RowsDue(t.Context())
	if err != nil || fmt.Sprint(due) != "[old-run]" {
		t.Fatalf("due: %v, %v", due, err)
	}
	if err := s.PutRows(t.Context(), "old-run", 2, nil); err != nil {
		t.Fatal(err)
	}
	if due, err = s.RowsDue(t.Context()); err != nil || len(due) != 0 {
		t.Errorf("due still: %v, %v", due, err)
	}
}
