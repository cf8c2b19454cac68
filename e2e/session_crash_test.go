package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// bigSession is a workspace with an open session of a thousand files: copied and changed, created, deleted.
type bigSession struct {
	dir      string
	old, new map[string]string // what the workspace shows before and after the commit
	workflow string            // that waits for approval in it
}

const (
	bigCopied  = 500
	bigCreated = 440
	bigDeleted = 60
)

func newBigSession(t *testing.T) *bigSession {
	t.Helper()
	s := newShell(t)
	b := &bigSession{dir: s.dir, old: map[string]string{}, new: map[string]string{}}
	name := func(i int) string { return fmt.Sprintf("book/part-%d/page-%04d.md", i%7, i) }
	put := func(p, body string) {
		t.Helper()
		full := filepath.Join(s.dir, filepath.FromSlash(p))
		if err := errors.Join(os.MkdirAll(filepath.Dir(full), 0o755), os.WriteFile(full, []byte(body), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	var copied, deleted []string
	for i := range bigCopied + bigDeleted {
		b.old[name(i)] = fmt.Sprintf("page %d as it was\n", i)
		put(name(i), b.old[name(i)])
		if i < bigCopied {
			copied = append(copied, name(i))
		} else {
			deleted = append(deleted, name(i))
		}
	}
	s.mustRun(0, "session", "new", "big")
	s.mustRun(0, append([]string{"session", "path", "--session", "big", "--write"}, copied...)...)
	s.mustRun(0, append([]string{"session", "rm", "--session", "big"}, deleted...)...)
	for i := range bigCopied + bigDeleted + bigCreated {
		if i >= bigCopied && i < bigCopied+bigDeleted {
			continue
		}
		b.new[name(i)] = fmt.Sprintf("page %d as the session has it\n", i)
		put("workspace/sessions/big/"+name(i), b.new[name(i)])
	}
	put("acts/act-1/chapters/chapter-02/scenes/scene-0204-blueprint.md", shortBlueprint)
	out, _ := s.mustRun(4, "--json", "scene", "generate", "0204", "--session", "big")
	var doc struct {
		Workflow string `json:"workflow_id"`
	}
	if err := json.Unmarshal([]byte(out), &doc); err != nil {
		t.Fatal(err)
	}
	b.workflow = doc.Workflow
	return b
}

const shortBlueprint = `# Scene 0204 Blueprint

## Location
Harbour office

## Characters Present
- Anna
- Ivan

## Characters Absent
- Boris

## Beats
1. Anna finds a page missing from the ledger.
2. Ivan denies everything.

## Word count
120 words

## Continuity
- It is the night after the storm.
`

// copied gives a shell in a copy of the workspace.
func (b *bigSession) copied(t *testing.T) *shell {
	t.Helper()
	s := &shell{t: t, dir: t.TempDir()}
	if err := os.CopyFS(s.dir, os.DirFS(b.dir)); err != nil {
		t.Fatal(err)
	}
	return s
}

func bookOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(filepath.Join(dir, "book"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		files[filepath.ToSlash(rel)] = string(mustRead(path))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// settle looks at the workspace after a kill: all or nothing of what was begun, and what was not can still be done.
func (b *bigSession) settle(t *testing.T, s *shell, began string, cancel bool) {
	t.Helper()
	out, _ := s.mustRun(0, "--json", "session", "list")
	var doc struct {
		Sessions []struct {
			Name   string `json:"session_name"`
			Status string `json:"status"`
		} `json:"sessions"`
	}
	if err := json.Unmarshal([]byte(out), &doc); err != nil {
		t.Fatal(err)
	}
	status := "cancelled"
	if len(doc.Sessions) > 0 {
		status = doc.Sessions[0].Status
	}
	if status != "active" && status != began {
		t.Fatalf("the session is %s after a kill in its being %s", status, began)
	}
	want := b.old
	if status == "committed" {
		want = b.new
	}
	if got := bookOf(t, s.dir); !maps.Equal(got, want) {
		t.Fatalf("the session is %s and the workspace shows %s", status, mixture(got, b.old, b.new))
	}
	if status == "active" {
		if cancel {
			s.mustRun(0, "session", "cancel", "big")
		} else {
			s.mustRun(0, "session", "commit", "big", "--confirm")
			want = b.new
		}
		if got := bookOf(t, s.dir); !maps.Equal(got, want) {
			t.Fatalf("after the end the workspace shows %s", mixture(got, b.old, b.new))
		}
	}
	b.settleWorkflow(t, s, maps.Equal(want, b.new))
	s.mustRun(0, "verify")
	s.mustRun(0, "doctor")
	if left, _ := filepath.Glob(filepath.Join(s.dir, "book", "*", ".sluice-tmp-*")); len(left) > 0 {
		t.Errorf("%d unfinished files are left", len(left))
	}
}

// settleWorkflow wants the workflow of a committed session in the workspace, able to go on, and that of a cancelled one
// nowhere.
func (b *bigSession) settleWorkflow(t *testing.T, s *shell, committed bool) {
	t.Helper()
	if !committed {
		s.mustRun(3, "scene", "status", b.workflow)
		return
	}
	body := string(mustRead(filepath.Join(s.dir, "workspace", "workflow-state", b.workflow+".json")))
	if !strings.Contains(body, `"committed_from_session": "big"`) || strings.Contains(body, "workspace/sessions") {
		t.Errorf("the state of the workflow is %q", body)
	}
	if mustRead(filepath.Join(s.dir, "workspace", "generation-runs", b.workflow, "verification-plan.md")) == nil {
		t.Error("the plan of the workflow is not there")
	}
	s.mustRun(0, "scene", "approve", b.workflow)
	s.mustRun(0, "scene", "run", b.workflow)
}

func mixture(got, before, after map[string]string) string {
	var isOld, isNew, other int
	for p, body := range got {
		switch body {
		case before[p]:
			isOld++
		case after[p]:
			isNew++
		default:
			other++
		}
	}
	return fmt.Sprintf("%d files: %d as before, %d new, %d neither", len(got), isOld, isNew, other)
}

// every tells whether all points are tried, as make crash does, or a seeded sample.
func every() bool { return os.Getenv("SLUICE_CRASH") == "all" }

// sample chooses points: a few in a short test, some in a normal one.
func sample(t *testing.T, points int, some int) []int {
	t.Helper()
	all := make([]int, points)
	for i := range all {
		all[i] = i + 1
	}
	if every() {
		return all
	}
	if testing.Short() {
		some = 1
	}
	r := rand.New(rand.NewPCG(7, uint64(points)))
	r.Shuffle(points, func(i, j int) { all[i], all[j] = all[j], all[i] })
	all = all[:min(some, points)]
	slices.Sort(all)
	return all
}

func TestSessionKilled(t *testing.T) {
	b := newBigSession(t)
	t.Run("between files", func(t *testing.T) { killedBetweenFiles(t, b) })
	killedAtPoints(t, b)
}

// killedAtPoints kills the process just before and after things become durable.
func killedAtPoints(t *testing.T, b *bigSession) {
	for _, c := range []struct {
		began string
		args  []string
		some  int
	}{
		{"committed", []string{"session", "commit", "big", "--confirm"}, 4},
		{"cancelled", []string{"session", "cancel", "big"}, 2},
	} {
		whole := b.copied(t)
		fuse := filepath.Join(t.TempDir(), "fuse")
		whole.env = []string{"SLUICE_E2E_FUSE=" + fuse, "SLUICE_E2E_AT=-1"}
		begin := time.Now()
		whole.mustRun(0, c.args...)
		took := time.Since(begin)
		points := len(mustRead(fuse))
		t.Logf("%d files %s in %v, %d points", bigCopied+bigCreated+bigDeleted, c.began, took.Round(time.Millisecond), points)
		if points < 8 {
			t.Fatalf("only %d points", points)
		}
		for _, at := range sample(t, points, c.some) {
			t.Run(fmt.Sprintf("%s at point %d of %d", c.began, at, points), func(t *testing.T) {
				t.Parallel()
				s := b.copied(t)
				s.env = []string{"SLUICE_E2E_FUSE=" + filepath.Join(t.TempDir(), "fuse"), "SLUICE_E2E_AT=" + strconv.Itoa(at)}
				cmd := s.command(t.Context(), "", c.args...)
				if out, err := cmd.CombinedOutput(); cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != -1 {
					t.Fatalf("the process was not killed: %v\n%s", err, out)
				}
				s.env = nil
				b.settle(t, s, c.began, at%2 == 0)
			})
		}
	}
}

// killedBetweenFiles kills the process when so many new files are in place.
func killedBetweenFiles(t *testing.T, b *bigSession) {
	thresholds := []int{bigCreated / 3, bigCreated - 2}
	if testing.Short() {
		thresholds = thresholds[:1]
	}
	if every() {
		thresholds = nil
		for n := 1; n < bigCreated; n += 10 {
			thresholds = append(thresholds, n)
		}
	}
	for _, n := range thresholds {
		t.Run(fmt.Sprintf("%d created", n), func(t *testing.T) {
			s := b.copied(t)
			cmd := s.command(t.Context(), "", "session", "commit", "big", "--confirm")
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			ended := make(chan error, 1)
			go func() { ended <- cmd.Wait() }()
			killed := killWhen(t, cmd, ended, func() bool { return created(s.dir) >= n })
			if !killed {
				t.Log("the commit was over before it could be killed")
			}
			b.settle(t, s, "committed", n%2 == 0)
		})
	}
}

// killWhen kills a process once something is so, and tells whether it did before the process ended by itself.
func killWhen(t *testing.T, cmd *exec.Cmd, ended <-chan error, so func() bool) bool {
	t.Helper()
	for {
		select {
		case err := <-ended:
			if err != nil {
				t.Fatalf("the commit ended with %v", err)
			}
			return false
		default:
		}
		if so() {
			if err := cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
				t.Fatal(err)
			}
			return <-ended != nil
		}
	}
}

// created counts the pages that only the session had.
func created(dir string) int {
	n := 0
	for part := range 7 {
		entries, _ := os.ReadDir(filepath.Join(dir, "book", "part-"+strconv.Itoa(part)))
		for _, e := range entries {
			page, err := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(e.Name(), "page-"), ".md"))
			if err == nil && page >= bigCopied+bigDeleted {
				n++
			}
		}
	}
	return n
}

// TestSessionWithADrivenWorkflow wants a session to end only when nobody works on its workflows.
func TestSessionWithADrivenWorkflow(t *testing.T) {
	s := newShell(t)
	place := filepath.Join("acts", "act-1", "chapters", "chapter-02", "scenes")
	if err := os.MkdirAll(filepath.Join(s.dir, place), 0o755); err != nil {
		t.Fatal(err)
	}
	s.write(filepath.Join(place, "scene-0204-blueprint.md"), shortBlueprint)
	slow := s.write("slow.yaml", "- agent: verification-planner\n  delay: 1h\n")
	s.mustRun(0, "session", "new", "s")
	cmd := s.command(t.Context(), "", "--rehearsal", slow, "scene", "generate", "0204", "--session", "s")
	progress, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var seen strings.Builder
	buf := make([]byte, 4096)
	for !strings.Contains(seen.String(), "began step/3") {
		n, err := progress.Read(buf)
		seen.Write(buf[:n])
		if err != nil {
			t.Fatalf("the workflow ended before step 3: %v\n%s", err, seen.String())
		}
	}
	for _, args := range [][]string{{"commit", "s", "--confirm"}, {"cancel", "s"}} {
		_, errs := s.mustRun(5, append([]string{"session"}, args...)...)
		wantAll(t, errs, "lease_held", "next:")
	}
	s.mustRun(0, "session", "commit", "s") // a preview takes nothing
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	s.mustRun(0, "session", "commit", "s", "--confirm")
	out, _ := s.mustRun(0, "--json", "scene", "list")
	wantAll(t, out, `"total": 1`)
	s.mustRun(0, "verify")
}
