package e2e

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	sqlPlan  = "11111111-1111-4111-8111-111111111111"
	sqlNeeds = "22222222-2222-4222-8222-222222222222"
)

// sqlWorkspace has a plan with rejected, approved, waiting and submitted work, and one that lacks its input.
func sqlWorkspace(t *testing.T) *shell {
	t.Helper()
	s := newShell(t)
	for _, name := range []string{"plan.json", "needs.json", "rules.yaml"} {
		s.write(name, string(mustRead(filepath.Join("testdata", "sql", name))))
	}
	s.write("rules.md", "# Rules\n\nMine.\n")
	s.mustRun(0, "task", "import", "plan.json")
	s.mustRun(4, "--rehearsal", "rules.yaml", "task", "run", sqlPlan)
	s.mustRun(0, "task", "submit", sqlPlan, "b0", "-f", "rules.md")
	s.mustRun(0, "task", "review", sqlPlan, "b0", "--reject", "--reason", "too short", "--score", "40", "--suggest", "say more")
	s.mustRun(0, "task", "import", "needs.json")
	s.mustRun(4, "task", "run", sqlNeeds)
	return s
}

// reader opens the store as docs/sql.md says, as a program that knows nothing of Sluice.
func (s *shell) reader() *sql.DB {
	s.t.Helper()
	path := filepath.ToSlash(filepath.Join(s.dir, ".sluice", "sluice.db"))
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // a drive letter
	}
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath()+"?mode=ro")
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = db.Close() })
	return db
}

// TestSQLPage runs every query of docs/sql.md and compares what it finds.
func TestSQLPage(t *testing.T) {
	page := string(mustRead(filepath.Join("..", "docs", "sql.md")))
	queries := regexp.MustCompile("(?s)### ([^\n]+)\n(?:[^#]*?)```sql\n(.*?)```").FindAllStringSubmatch(page, -1)
	if n := strings.Count(page, "```sql"); n != len(queries) || n < 8 {
		t.Fatalf("the page has %d queries, and %d of them were found", n, len(queries))
	}
	s := sqlWorkspace(t)
	db := s.reader()
	var b strings.Builder
	for _, q := range queries {
		fmt.Fprintf(&b, "# %s\n", q[1])
		table := readTable(t, db, q[2])
		if len(table) < 2 {
			t.Errorf("%s: nothing was found", q[1])
		}
		for i, row := range table {
			for j := range row {
				if i > 0 && strings.HasSuffix(table[0][j], "_tokens") && row[j] > "0" {
					row[j] = "SOME"
				}
			}
			b.WriteString(strings.Join(row, " | ") + "\n")
		}
		b.WriteString("\n")
	}
	// What the rehearsal writes is another test's to hold.
	got := regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z`).ReplaceAllString(b.String(), "TIME")
	got = regexp.MustCompile(`[0-9a-f]{64}`).ReplaceAllString(got, "SHA256")
	file := filepath.Join("testdata", "sql", "page.golden")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(strings.ReplaceAll(string(mustRead(file)), "\r\n", "\n"), got); diff != "" {
		t.Errorf("%s (-want +got), -update rewrites it:\n%s", file, diff)
	}
}

// TestSQLColumns holds the tables against the page: every column is told of.
func TestSQLColumns(t *testing.T) {
	page := string(mustRead(filepath.Join("..", "docs", "sql.md")))
	s := newShell(t)
	s.mustRun(0, "task", "list") // which makes the store
	db := s.reader()
	for _, table := range []string{"plans", "task_nodes", "task_edges", "artifacts", "reviews", "task_events"} {
		_, section, ok := strings.Cut(page, "\n### "+table+"\n")
		section, _, _ = strings.Cut(section, "\n##")
		if !ok {
			t.Errorf("the page has no section on %s", table)
		}
		for _, column := range readTable(t, db, "SELECT * FROM "+table)[0] {
			if !strings.Contains(section, "`"+column+"`") {
				t.Errorf("the page does not tell of %s.%s", table, column)
			}
		}
	}
}

// TestSQLArtifactsAreTheFiles holds every artifact's hash against the file that it names.
func TestSQLArtifactsAreTheFiles(t *testing.T) {
	s := sqlWorkspace(t)
	rows := readTable(t, s.reader(), "SELECT path, sha256, artifact_id FROM artifacts")[1:]
	if len(rows) < 8 {
		t.Errorf("only %d artifacts", len(rows))
	}
	for _, r := range rows {
		sum := sha256.Sum256(mustRead(filepath.Join(s.dir, filepath.FromSlash(r[0]))))
		if got := hex.EncodeToString(sum[:]); got != r[1] {
			t.Errorf("%s hashes to %s, and artifact %s says %s", r[0], got, r[2], r[1])
		}
	}
	active := readTable(t, s.reader(), `SELECT a.path FROM task_nodes n JOIN artifacts a ON a.artifact_id = n.active_artifact_id AND a.task_id = n.task_id
		WHERE n.node_type = 'CHECK' AND n.plan_id = '`+sqlPlan+"' ORDER BY n.task_id")[1:]
	if len(active) != 3 || !strings.HasSuffix(active[0][0], "REJECTED.md") || !strings.Contains(string(mustRead(filepath.Join(s.dir, active[0][0]))), "too short") {
		t.Errorf("the checks show %v", active)
	}
}

// TestSQLWhileItRuns keeps a reader inside a transaction while the program works: neither waits, the reader's state
// stays as it was, and its next look shows the new one.
func TestSQLWhileItRuns(t *testing.T) {
	s := sqlWorkspace(t)
	db := s.reader()
	tx, err := db.BeginTx(t.Context(), &sql.TxOptions{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	const count = "SELECT count(*) FROM task_events"
	before := readTable(t, tx, count)[1][0]
	s.mustRun(0, "task", "supply", sqlNeeds, "b20", "-f", "rules.md")
	if now := readTable(t, tx, count)[1][0]; now != before {
		t.Errorf("a transaction saw %s events and then %s", before, now)
	}
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	if now := readTable(t, db, count)[1][0]; now == before {
		t.Error("the reader does not see what was done")
	}
	status := readTable(t, db, "SELECT status FROM plans WHERE plan_id = '"+sqlNeeds+"'")
	if status[1][0] != "DONE" {
		t.Errorf("the plan is %s", status[1][0])
	}
}

// TestSQLAfterAKill kills the program in the middle of its work: what is shown is what the journal says.
func TestSQLAfterAKill(t *testing.T) {
	s := newShell(t)
	s.write("plan.json", string(mustRead(filepath.Join("testdata", "sql", "plan.json"))))
	s.write("kill.yaml", "- agent: check\n  when: {title: Page}\n  fail: crash_after\n")
	s.mustRun(0, "task", "import", "plan.json")
	cmd := s.command(t.Context(), "", "--rehearsal", "kill.yaml", "task", "run", sqlPlan)
	if out, err := cmd.CombinedOutput(); err == nil {
		t.Fatalf("the program was not killed:\n%s", out)
	}
	got := readTable(t, s.reader(), "SELECT title, status FROM task_nodes WHERE title LIKE '%rules' OR title LIKE '%page' ORDER BY task_id")[1:]
	want := [][]string{{"Rules", "DONE"}, {"Review of rules", "DONE"}, {"Page", "READY_TO_CHECK"}, {"Review of page", "IN_PROGRESS"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("differs (-want +got):\n%s", diff)
	}
	out, _ := s.mustRun(0, "doctor")
	if strings.Contains(out, "rows_differ") {
		t.Errorf("the doctor finds other rows:\n%s", out)
	}
	s.mustRun(0, "task", "run", sqlPlan)
	s.mustRun(0, "doctor")
}

type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// readTable gives the names of the columns and every row as text.
func readTable(t *testing.T, db querier, query string) [][]string {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatalf("%v\n%s", err, query)
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	table := [][]string{names}
	for rows.Next() {
		cells, into := make([]sql.NullString, len(names)), make([]any, len(names))
		for i := range cells {
			into[i] = &cells[i]
		}
		if err := rows.Scan(into...); err != nil {
			t.Fatal(err)
		}
		line := make([]string, len(cells))
		for i, c := range cells {
			line[i] = c.String
			if !c.Valid {
				line[i] = "NULL"
			}
		}
		table = append(table, line)
	}
	if err := rows.Err(); err != nil {
		t.Fatalf("%v\n%s", err, query)
	}
	return table
}
