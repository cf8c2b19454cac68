package wire

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/internal/app"
	"sluice/internal/config"
	"sluice/internal/doctor"
	"sluice/internal/engine"
	"sluice/internal/journal"
	"sluice/internal/kernel"
	"sluice/internal/line"
	"sluice/internal/line/task"
	"sluice/internal/sqlitestore"
	"sluice/internal/workspace"
)

// comparingJournal holds, after every commit, the rows that are there against those that the whole journal gives.
type comparingJournal struct {
	engine.Journal
	t     *testing.T
	store *sqlitestore.Store // of another process
	plans *line.Line
	seen  atomic.Int64
}

func (j *comparingJournal) Append(ctx context.Context, batches ...journal.Batch) error {
	if err := j.Journal.Append(ctx, batches...); err != nil {
		return err
	}
	for _, b := range batches {
		if b.Head.Line == task.Name {
			j.compare(ctx, b.Run)
		}
	}
	return nil
}

func (j *comparingJournal) compare(ctx context.Context, id string) {
	run := kernel.NewRun()
	stored, err := j.store.Load(ctx, id, 0)
	if err != nil {
		j.t.Error(err)
		return
	}
	for _, b := range stored {
		events, err := kernel.Decode(b.Events)
		if err != nil {
			j.t.Error(err)
			return
		}
		kernel.Fold(run, events)
	}
	want, err := j.plans.Rows(line.Changed{Run: run, Whole: true, Body: func(v *kernel.Version) ([]byte, error) {
		return j.store.Blob(ctx, id, v.Seq, v.Digest)
	}})
	if err != nil {
		j.t.Error(err)
		return
	}
	got, err := j.store.Rows(ctx, id)
	if err != nil {
		j.t.Error(err)
		return
	}
	if diff := cmp.Diff(byPlace(want), byPlace(got)); diff != "" {
		j.t.Errorf("after event %d of %s (-journal +rows):\n%s", run.Seq(), id, diff)
	}
	j.seen.Add(1)
}

func byPlace(rows []journal.Row) map[string]string {
	m := map[string]string{}
	for _, r := range rows {
		if r.Key != "" {
			m[r.Table+" "+r.Key] = string(r.Body)
		}
	}
	return m
}

// openComparing opens a workspace in which every commit of a plan is compared.
func openComparing(t *testing.T, script string) (*app.App, *comparingJournal, string) {
	t.Helper()
	dir := t.TempDir()
	if err := workspace.Init(dir, config.DefaultFile(), true); err != nil {
		t.Fatal(err)
	}
	plans, err := task.New()
	if err != nil {
		t.Fatal(err)
	}
	j := &comparingJournal{t: t, plans: plans}
	rules := filepath.Join(dir, "rules.yaml")
	mustWrite(t, rules, script)
	a, closeAll := openIn(t, dir, func(s *Setup) {
		s.Rehearsal = rules
		s.Between.Journal = func(inner engine.Journal) engine.Journal { j.Journal = inner; return j }
	})
	t.Cleanup(closeAll)
	if j.store, err = sqlitestore.Open(t.Context(), filepath.Join(dir, ".sluice"), sqlitestore.Options{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = j.store.Close() })
	return a, j, dir
}

const tablePlanID = "11111111-1111-4111-8111-111111111111"

// tablePlan is a plan with everything that moves rows: needs, alternatives, one of several, a declared input.
func tablePlan() []byte {
	id := func(name string) string { return fmt.Sprintf("%s0000000-0000-4000-8000-000000000000", name) }
	type object = map[string]any
	nodes := []object{{"task_id": id("a"), "node_type": "GOAL", "title": "Root", "final_deliverable_spec": object{"mode": "PASS_THROUGH"},
		"root_acceptance_criteria": []object{{"id": "R1", "statement": "it is there", "covered_by": []string{id("b")}}}},
		{"task_id": id("9"), "node_type": "GOAL", "title": "Either"}}
	var edges []object
	join := func(kind, from, to, how string) {
		edges = append(edges, object{"edge_id": fmt.Sprintf("%08x-0000-4000-8000-00000000000e", len(edges)), "from_task_id": id(from), "to_task_id": id(to),
			"edge_type": kind})
		if how != "" {
			edges[len(edges)-1]["metadata"] = object{"and_or": how}
		}
	}
	join("DECOMPOSE", "a", "9", "AND")
	for _, name := range []string{"b", "c", "d", "e", "f"} {
		nodes = append(nodes,
			object{"task_id": id(name), "node_type": "ACTION", "title": "Task " + name, "estimated_person_days": 1,
				"deliverable_spec":    object{"format": "md", "filename": name + ".md", "single_file": true},
				"acceptance_criteria": []object{{"id": "A1", "type": "content", "statement": "it is text", "check_method": "manual_review", "severity": "blocker"}}},
			object{"task_id": strings.Replace(id(name), "0", "1", 1), "node_type": "CHECK", "title": "Check " + name, "review_target_task_id": id(name),
				"review_output_spec": object{"approved_filename": "APPROVED.md", "rejected_filename": "REJECTED.md"}})
		if name == "d" || name == "e" {
			join("DECOMPOSE", "9", name, "OR")
		} else {
			join("DECOMPOSE", "a", name, "AND")
		}
	}
	join("DEPENDS_ON", "b", "c", "")
	join("DEPENDS_ON", "9", "f", "")
	raw, err := json.Marshal(object{"nodes": nodes, "edges": edges,
		"plan": object{"plan_id": tablePlanID, "root_task_id": id("a"), "title": "Everything", "top_task": "make everything"},
		"requirements": []object{{"requirement_id": "70000000-0000-4000-8000-000000000000", "task_id": id("f"), "name": "brief", "kind": "FILE",
			"required": true, "min_count": 1}}})
	if err != nil {
		panic(err)
	}
	return raw
}

func TestRowsAreTheJournalsAfterEveryCommit(t *testing.T) {
	a, j, _ := openComparing(t, "- agent: check\n  when: {title: Task b}\n  calls: [1]\n  reply: {total_score: 10}\n"+
		"- agent: check\n  when: {title: Task c}\n  calls: [1, 2, 3]\n  reply: {total_score: 10}\n"+
		"- agent: action\n  when: {title: Task f}\n  calls: [2]\n  fail: refuse\n")
	ctx := t.Context()
	steps := []struct {
		name string
		do   func() error
	}{
		{"import", func() error { _, err := a.ImportPlan(ctx, tablePlan()); return err }},
		{"run", func() error { _, err := a.RunPlan(ctx, tablePlanID, 4); return err }},
		{"approve as a person", func() error {
			_, err := a.ReviewTask(ctx, tablePlanID, "c0", task.Written{Approve: true, Reason: "it will do"})
			return err
		}},
		{"supply", func() error {
			_, err := a.SupplyTask(ctx, tablePlanID, "f0", []line.Part{{Path: "brief.md", Body: []byte("short\n")}}, "")
			return err
		}},
		{"redo", func() error { _, err := a.RedoTask(ctx, tablePlanID, "b0", "again"); return err }},
		{"run again", func() error { _, err := a.RunPlan(ctx, tablePlanID, 4); return err }},
		{"redo what then fails", func() error { _, err := a.RedoTask(ctx, tablePlanID, "f0", ""); return err }},
		{"fail", func() error { _, err := a.RunPlan(ctx, tablePlanID, 2); return err }},
		{"submit", func() error {
			_, err := a.SubmitTask(ctx, tablePlanID, "b0", []line.Part{{Path: "b.md", Body: []byte("mine\n")}})
			return err
		}},
		{"reject", func() error {
			_, err := a.ReviewTask(ctx, tablePlanID, "b0", task.Written{Reason: "no"})
			return err
		}},
		{"abandon", func() error { _, err := a.AbandonTask(ctx, tablePlanID, "b0", "not needed"); return err }},
		{"go on", func() error { _, err := a.RunPlan(ctx, tablePlanID, 2); return err }},
	}
	for _, s := range steps {
		before := j.seen.Load()
		if err := s.do(); err != nil {
			t.Logf("%s: %v", s.name, err)
		}
		if j.seen.Load() == before {
			t.Errorf("%s committed nothing", s.name)
		}
	}
}

func TestRowsOfPlanningAreTheJournalsAfterEveryCommit(t *testing.T) {
	a, j, _ := openComparing(t, "- agent: plan-review\n  calls: [1]\n  reply: {total_score: 10}\n"+
		"- agent: feasibility\n  calls: [1]\n  reply: {results: []}\n")
	p, err := a.StartPlan(t.Context(), app.NewPlan{TopTask: "Make a small game with rules and a page"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.RunPlan(t.Context(), p.PlanID, 4); err != nil {
		t.Log(err)
	}
	if _, err := a.EstimatePlan(t.Context(), p.PlanID); err != nil {
		t.Log(err)
	}
	if j.seen.Load() < 5 {
		t.Errorf("only %d commits were compared", j.seen.Load())
	}
}

func TestTheDoctorFindsAndRewritesRows(t *testing.T) {
	a, j, dir := openComparing(t, "[]")
	if _, err := a.ImportPlan(t.Context(), tablePlan()); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, ".sluice", "sluice.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	want := byPlace(mustRows(t, j))
	for _, harm := range []string{
		"DELETE FROM reader_row WHERE tab = 'task_state'",
		"UPDATE reader_row SET body = '{\"status\":\"DONE\"}' WHERE tab = 'plan_state'",
		"INSERT INTO reader_row (run, tab, key, body) SELECT n, 'artifact', 'stray', '{}' FROM run",
	} {
		if _, err := db.ExecContext(t.Context(), harm); err != nil {
			t.Fatal(err)
		}
		found, err := a.Health.Examine(t.Context(), false)
		if err != nil || len(found.Findings) != 1 || found.Findings[0].Code != doctor.RowsDiffer {
			t.Fatalf("%s: found %+v, %v", harm, found.Findings, err)
		}
		mended, err := a.Health.Examine(t.Context(), true)
		if err != nil || len(mended.Findings) != 0 || len(mended.Repaired) != 1 {
			t.Errorf("%s: left %+v, %v", harm, mended.Findings, err)
		}
		if diff := cmp.Diff(want, byPlace(mustRows(t, j))); diff != "" {
			t.Errorf("%s: differs (-want +got):\n%s", harm, diff)
		}
	}
}

func mustRows(t *testing.T, j *comparingJournal) []journal.Row {
	t.Helper()
	rows, err := j.store.Rows(t.Context(), tablePlanID)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// A workspace that an earlier program wrote has plans and no rows.
func TestPlansWithoutRowsGetThemWhenTheWorkspaceIsOpened(t *testing.T) {
	a, j, dir := openComparing(t, "[]")
	if _, err := a.ImportPlan(t.Context(), tablePlan()); err != nil {
		t.Fatal(err)
	}
	want := byPlace(mustRows(t, j))
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, ".sluice", "sluice.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, s := range []string{"DELETE FROM reader_row", "INSERT INTO reader_due SELECT n FROM run"} {
		if _, err := db.ExecContext(t.Context(), s); err != nil {
			t.Fatal(err)
		}
	}
	_, closeAll := openIn(t, dir, nil)
	defer closeAll()
	if diff := cmp.Diff(want, byPlace(mustRows(t, j))); diff != "" {
		t.Errorf("differs (-want +got):\n%s", diff)
	}
}
