package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"

	"sluice/internal/app"
)

// keepCommands are the words of scripts about backups and room on the disk.
func keepCommands() map[string]func(*testscript.TestScript, bool, []string) {
	return map[string]func(*testscript.TestScript, bool, []string){"age": age}
}

// age makes files look older: age 2h FILE…
func age(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: age DURATION FILE…")
	}
	by, err := time.ParseDuration(args[0])
	ts.Check(err)
	for _, name := range args[1:] {
		then := time.Now().Add(-by)
		ts.Check(os.Chtimes(ts.MkAbs(name), then, then))
	}
}

// busyRun is a run of many files, each written twice: the first draft is sent back. One content is so large that it is
// kept beside the database.
func busyRun(parts int) string {
	var b strings.Builder
	b.WriteString(`{"title":"busy","nodes":[
	 {"id":"large","kind":"make","step":"write","performer":"engine","attempts":1,"params":{"path":"large.md","task":"write much","words":200000}}`)
	for i := range parts {
		fmt.Fprintf(&b, `,
	 {"id":"part/%03d","kind":"make","step":"write","performer":"engine","attempts":3,"gate":{"checks":true},"params":{"path":"part-%03d.md","task":"write about river %d","words":30}},
	 {"id":"part/%03d/check","kind":"check","step":"judge","performer":"engine","attempts":3,"target":"part/%03d","params":{"task":"is it good?"}}`, i, i, i, i, i)
	}
	return b.String() + "]}"
}

const busyRules = `
- agent: sample-judge
  when: {version: 1}
  reply: {score: 10, findings: [{message: too dull, severity: high, fix: be brighter}]}
- agent: "*"
  delay: 15ms
`

func TestBackupOfABusyRunGoesOnElsewhere(t *testing.T) {
	const parts, backups = 24, 4
	s := newShell(t, "SLUICE_REHEARSAL=rules.yaml")
	keep := t.TempDir()
	s.write("rules.yaml", busyRules)
	s.write("busy.json", busyRun(parts))
	cmd := s.command(t.Context(), "", "sample", "new", "busy.json", "--id", "r1")
	progress, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(progress)
	for n := range backups {
		for seen := 0; seen < 20 && lines.Scan(); seen++ { // some way further
		}
		s.mustRun(0, "backup", filepath.Join(keep, fmt.Sprintf("b%d.tar.gz", n)))
	}
	if _, err := io.Copy(io.Discard, progress); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	want := contentOf(t, s.dir)
	if len(want) < parts {
		t.Fatalf("the run has %d files", len(want))
	}
	unfinished := 0
	for n := range backups {
		again := &shell{t: t, dir: filepath.Join(keep, fmt.Sprintf("w%d", n)), env: s.env}
		s.mustRun(0, "restore", filepath.Join(keep, fmt.Sprintf("b%d.tar.gz", n)), again.dir)
		again.mustRun(0, "verify")
		before := runOf(t, again)
		if before.Status != "done" {
			unfinished++
		}
		again.mustRun(0, "run", "r1")
		again.mustRun(0, "verify")
		again.mustRun(0, "doctor")
		again.mustRun(0, "replay", "r1")
		if diff := cmp.Diff(want, contentOf(t, again.dir)); diff != "" {
			t.Errorf("backup %d goes on to other content (-want +got):\n%s", n, diff)
		}
		if out, _ := again.mustRun(0, "--json", "log", "r1", "--by", "person", "--event", "version"); strings.Contains(out, `"seq"`) {
			t.Errorf("backup %d: files of ours were taken for a person's:\n%s", n, out)
		}
	}
	if unfinished == 0 { // on a slow machine the last ones may be of a run that is over
		t.Error("no backup holds an unfinished run: it is not busy enough")
	}
}

func runOf(t *testing.T, s *shell) app.RunDoc {
	t.Helper()
	out, _ := s.mustRun(0, "--json", "status", "r1")
	var d app.RunDoc
	if err := json.Unmarshal([]byte(out), &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// contentOf reads the files of the sample line but for its state.
func contentOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "sample", "r1", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, f := range found {
		out[filepath.Base(f)] = string(mustRead(f))
	}
	return out
}
