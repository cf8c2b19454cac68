package e2e

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sluice/internal/app"
	"sluice/internal/line/spec"
)

// randomModel writes rules for the rehearsal that answer every call of the spec line at random, by a seed: fields that are
// there or not, ids that are taken or lead nowhere, words of all sorts.
func randomModel(r *rand.Rand) string {
	words := []string{"find", "книга", "一本书", "a \"quoted\" word", "zero\u200bwidth", "line\nbreak", "🙂", "T-1", "<b>", "{{.}}", "café", "\t tab"}
	text := func(most int) string {
		var b strings.Builder
		for range 1 + r.IntN(most) {
			b.WriteString(words[r.IntN(len(words))] + " ")
		}
		return b.String()
	}
	pick := func(all ...string) string { return all[r.IntN(len(all))] }
	texts := func() []string {
		var all []string
		for range r.IntN(4) {
			all = append(all, text(6))
		}
		return all
	}
	thing := func(fields map[string]any, keep ...string) map[string]any {
		for name := range fields {
			if r.IntN(4) == 0 && !strings.Contains(strings.Join(keep, " "), name) {
				fields[name] = nil
			}
		}
		return fields
	}
	list := func(most int, one func() map[string]any) []any {
		all := []any{}
		for range r.IntN(most + 1) {
			item := one()
			for name, v := range item {
				if v == nil {
					delete(item, name)
				}
			}
			all = append(all, item)
		}
		return all
	}
	criteria := func() []any {
		return list(4, func() map[string]any {
			return thing(map[string]any{"id": pick("AC-1", "AC-2", "AC-9", ""), "criteria": text(8), "test_hint": text(4)}, "criteria")
		})
	}
	tasks := func() []any {
		return list(5, func() map[string]any {
			return thing(map[string]any{"task_id": pick("T-1", "T-2", "T-3", "T-9", "x"), "title": text(3), "type": pick("dev", "test", "doc", "ops"),
				"scope": text(9), "dependencies": []string{pick("T-1", "T-2", "T-77")}, "deliverables": texts()}, "task_id")
		})
	}
	vv := func() []any {
		return list(6, func() map[string]any {
			return thing(map[string]any{"vv_id": pick("VV-1", "VV-2", "y"), "task_id": pick("T-1", "T-2", "T-3", "T-77"), "type": pick("unit", "e2e", "manual"),
				"procedure": text(9), "expected_result": text(5), "evidence_required": texts()}, "task_id")
		})
	}
	replies := map[string]func() map[string]any{
		"compile": func() map[string]any {
			return thing(map[string]any{"title": text(4), "goal": text(60), "background": text(30), "non_goals": texts(), "acceptance_criteria": criteria(), "constraints": texts()})
		},
		"clarify-questions": func() map[string]any {
			return map[string]any{"questions": []any{map[string]any{"path": pick("spec.goal", "planning.vv", "z"), "question": text(9)}}}
		},
		"apply-answers": func() map[string]any {
			return thing(map[string]any{"acceptance_criteria": criteria(), "tasks": tasks(), "vv": vv()})
		},
		"plan-tasks": func() map[string]any {
			return thing(map[string]any{"tasks": tasks(), "known_assumptions": texts()}, "tasks")
		},
		"generate-vv": func() map[string]any { return map[string]any{"vv": vv()} },
	}
	var rules []any
	for _, agent := range []string{"compile", "clarify-questions", "apply-answers", "plan-tasks", "generate-vv"} {
		for call := range 12 {
			rules = append(rules, map[string]any{"agent": agent, "calls": []int{call + 1}, "reply": replies[agent]()})
		}
	}
	raw, err := json.MarshalIndent(rules, "", " ")
	if err != nil {
		return err.Error()
	}
	return string(raw) // JSON is YAML
}

// answerAll answers everything that a feature asks, with something that fits.
func (s *shell) answerAll(d app.SpecDoc, flags ...string) app.SpecDoc {
	s.t.Helper()
	for range 8 {
		if d.WaitingFor != "answers" {
			return d
		}
		args := append([]string{"answer", d.FeatureID}, flags...)
		for _, q := range d.Questions {
			value := "Something that a person would say of it."
			switch {
			case len(q.Choices) > 0:
				value = q.Choices[0]
			case q.Path == "spec.acceptance_criteria", q.Path == "planning.tasks":
				value = `["one of them","and another"]`
			case q.Path == "planning.vv":
				var lines []string
				shown, _ := s.mustRun(0, "--json", "spec", "show", d.FeatureID)
				v, err := spec.Decode([]byte(shown))
				if err != nil {
					s.t.Fatal(err)
				}
				for _, t := range v.Planning.Tasks {
					lines = append(lines, t.TaskID+": look at it => it is there")
				}
				value = strings.Join(lines, "\n")
			case strings.HasSuffix(q.Path, ".id"), strings.HasSuffix(q.Path, "_id"):
				value = "N-" + strings.Trim(q.Path[strings.Index(q.Path, "[")+1:][:1], "]") + "9"
			case strings.HasSuffix(q.Path, ".dependencies"):
				value = ""
			}
			args = append(args, "-a", q.Path+"="+value)
		}
		d = s.specs(4, args...)
	}
	return d
}

// newRandom is a workspace with a feature that a random model made, amended once where it came so far.
func newRandom(t *testing.T, seed uint64) (*shell, string) {
	t.Helper()
	s := newShell(t)
	rules := s.write("rules.yaml", randomModel(rand.New(rand.NewPCG(seed, 11))))
	s.write("brief.md", "## Background\nThe shop has ten thousand books.\n")
	d := s.answerAll(s.specs(4, "new", "-f", "brief.md", "--rehearsal", rules), "--rehearsal", rules)
	if d.WaitingFor == "review" {
		s.specs(0, "review", d.FeatureID, "go", "--reason", "yes")
		s.mustRun(0, "spec", "publish", d.FeatureID, "--target", "file")
		s.answerAll(s.specs(4, "amend", d.FeatureID, "AC-9: what was found can be saved", "--rehearsal", rules), "--rehearsal", rules)
	}
	return s, d.FeatureID
}

func (s *shell) replayed(want int, id string) app.ReplayDoc {
	s.t.Helper()
	out, _ := s.mustRun(want, "--json", "spec", "replay", id)
	var doc app.ReplayDoc
	if err := json.Unmarshal([]byte(out), &doc); err != nil {
		s.t.Fatal(err)
	}
	return doc
}

// TestSpecReplay repeats runs of a model with random replies: every gate result and every version comes out byte for byte,
// and after one byte of one recorded reply was changed, the first difference is told at the step that had it.
func TestSpecReplay(t *testing.T) {
	for seed := range uint64(3) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			t.Parallel()
			s, feature := newRandom(t, seed)
			if _, err := newRecorded(s.dir, absolute(t, "..", "schemas")); err != nil {
				t.Error(err)
			}
			s.heldByGates()
			count := func(pattern string) int {
				files, err := filepath.Glob(filepath.Join(s.dir, filepath.FromSlash(pattern)))
				if err != nil {
					t.Fatal(err)
				}
				return len(files)
			}
			before := s.files(".")
			d := s.replayed(0, feature)
			if !d.Same || d.Difference != nil || len(d.Skipped) > 0 || d.GateResults < count("snapshots/*/*_validate_gates.json") || d.Versions < count("specs/*/*.json") {
				t.Errorf("replay: %+v", d)
			}
			t.Logf("%d steps, %d versions, %d gate results came out the same", d.Steps, d.Versions, d.GateResults)
			for name, body := range s.files(".") {
				if before[name] != body && !strings.HasPrefix(name, ".sluice/") {
					t.Errorf("the replay changed %s", name)
				}
			}
			changedReplies(t, s, feature, rand.New(rand.NewPCG(seed, 5)))
		})
	}
}

// changedReplies changes one byte of one recorded reply in a copy of the workspace, some replies in turn.
func changedReplies(t *testing.T, s *shell, feature string, r *rand.Rand) {
	t.Helper()
	type reply struct{ key, node string }
	var all []reply
	query(t, s.dir, func(db *sql.DB) {
		rows, err := db.QueryContext(t.Context(), `SELECT key, node FROM call WHERE outcome = 'answered' AND id IN
			(SELECT max(id) FROM call GROUP BY attempt) ORDER BY id`) // of several, the one that could be used
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		for rows.Next() {
			var one reply
			if err := rows.Scan(&one.key, &one.node); err != nil {
				t.Fatal(err)
			}
			all = append(all, one)
		}
	})
	if len(all) < 5 {
		t.Fatalf("%d replies are too few", len(all))
	}
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	for _, one := range all[:3] {
		c := &shell{t: t, dir: t.TempDir()}
		if err := os.CopyFS(c.dir, os.DirFS(s.dir)); err != nil {
			t.Fatal(err)
		}
		query(t, c.dir, func(db *sql.DB) { changeByte(t, db, one.key, r) })
		d := c.replayed(7, feature)
		if d.Same || d.Difference == nil || string(d.Difference.Node) != one.node || d.Difference.Seq == 0 || d.Difference.Recorded == d.Difference.Repeated {
			t.Errorf("a byte of a reply of %s is another, and the replay says %+v", one.node, d.Difference)
		}
		_, _, pass := strings.Cut(one.node, "/")
		if !pass {
			t.Errorf("the reply is of %s", one.node)
		}
	}
}

// changeByte puts another letter in the place of one letter of a reply.
func changeByte(t *testing.T, db *sql.DB, key string, r *rand.Rand) {
	t.Helper()
	var content []byte
	if err := db.QueryRowContext(t.Context(), "SELECT content FROM reply WHERE key = ?", key).Scan(&content); err != nil {
		t.Fatal(err)
	}
	from := bytes.IndexByte(content, '{') // before it is how the store packs it
	if from < 0 {
		t.Fatalf("the reply is %q", content)
	}
	for {
		at := from + r.IntN(len(content)-from)
		if c := content[at]; c >= 'a' && c < 'z' {
			content[at]++
			break
		}
	}
	if _, err := db.ExecContext(t.Context(), "UPDATE reply SET content = ? WHERE key = ?", content, key); err != nil {
		t.Fatal(err)
	}
}

// query opens the store of a workspace as any SQLite client would.
func query(t *testing.T, dir string, use func(*sql.DB)) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, ".sluice", "sluice.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	use(db)
}

// TestSpecVersionIsChangedInTheStore changes a byte of a version in the store: nothing takes it for the version any more.
func TestSpecVersionIsChangedInTheStore(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	d := s.specs(4, "new", "Let readers find a book by any word of its title")
	changed := 0
	query(t, s.dir, func(db *sql.DB) { changed = changeBatches(t, db, "any word of its", "ten word of its") })
	if changed == 0 {
		t.Fatal("the words are nowhere in the store")
	}
	out, _ := s.mustRun(7, "verify")
	wantAll(t, out, d.FeatureID)
	for _, args := range [][]string{{"show", d.FeatureID, "--version", strings.TrimSuffix(d.SpecVersion, "3") + "1"}, {"replay", d.FeatureID}} {
		code, out, errs := s.run("", append([]string{"spec"}, args...)...)
		if code == 0 || strings.Contains(out, "ten word of") {
			t.Errorf("%v ended with %d: %s", args, code, out)
		}
		wantAll(t, errs, "store_corrupt")
	}
}

// changeBatches puts other words of the same length into the bytes of versions, and counts in how many batches it could.
func changeBatches(t *testing.T, db *sql.DB, old, new string) int {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), "SELECT rowid, bytes FROM batch WHERE bytes IS NOT NULL")
	if err != nil {
		t.Fatal(err)
	}
	found := map[int64][]byte{}
	for rows.Next() {
		var id int64
		var body []byte
		if err := rows.Scan(&id, &body); err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(body, []byte(old)) {
			found[id] = bytes.ReplaceAll(body, []byte(old), []byte(new))
		}
	}
	if err := rows.Close(); err != nil {
		t.Fatal(err)
	}
	for id, body := range found {
		if _, err := db.ExecContext(t.Context(), "UPDATE batch SET bytes = ? WHERE rowid = ?", body, id); err != nil {
			t.Fatal(err)
		}
	}
	return len(found)
}
