package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/internal/app"
)

// story uses code steps, model steps with two calls, a rework after a rejected draft, unfolding, a choice and an
// approval, with files.
const story = `{"title":"story","nodes":[
 {"id":"brief","kind":"make","step":"text","performer":"engine","attempts":1,"unfolds":true,"params":{"path":"brief.md","text":"spring\nautumn\n","each":[
   {"id":"part/{n}","kind":"make","step":"write","performer":"engine","attempts":3,"needs":[{"node":"brief"}],"gate":{"checks":true},"params":{"path":"part-{n}.md","task":"write about {item}","words":12,"calls":2}},
   {"id":"part/{n}/check","kind":"check","step":"judge","performer":"engine","attempts":3,"target":"part/{n}","params":{"task":"is it about {item}?"}}]}},
 {"id":"angle","kind":"make","step":"variants","performer":"engine","attempts":2,"needs":[{"node":"brief"}],"gate":{"person":true},"ask":{"kind":"choose"},"params":{"path":"angle.json","task":"offer titles"}},
 {"id":"final","kind":"make","step":"write","performer":"engine","attempts":2,"needs":[{"node":"angle"}],"gate":{"person":true},"params":{"path":"final.md","task":"write it","words":20}}]}`

// firstRejected makes the judge reject the first draft of the first part.
const firstRejected = `
- agent: sample-judge
  when: {node: part/001/check, version: 1}
  reply: {score: 10, findings: [{message: too dull, severity: high, fix: be brighter}]}
`

type player struct {
	t       *testing.T
	dir     string
	fuse    string
	at      int
	crashed bool
}

// sluice runs one command of the program and gives its document, or tells that the process was killed.
func (p *player) sluice(args ...string) (app.RunDoc, string) {
	p.t.Helper()
	exe, err := os.Executable()
	if err != nil {
		p.t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Args = append([]string{"sluice", "--json", "--rehearsal", filepath.Join(p.dir, "..", "rules.yaml")}, args...)
	cmd.Dir = p.dir
	cmd.Env = append(os.Environ(), "HOME="+p.dir, "XDG_CONFIG_HOME="+p.dir, "SLUICE_PERSON_NAME=ann")
	if !p.crashed {
		cmd.Env = append(cmd.Env, "SLUICE_E2E_FUSE="+p.fuse, fmt.Sprintf("SLUICE_E2E_AT=%d", p.at))
	}
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	if cmd.ProcessState != nil && cmd.ProcessState.ExitCode() == -1 {
		p.crashed = true
		return app.RunDoc{}, "killed"
	}
	var doc struct {
		app.RunDoc
		Error struct{ Code, Message string } `json:"error"`
	}
	if json.Unmarshal(out.Bytes(), &doc) != nil {
		p.t.Fatalf("sluice %s: %v\n%s%s", strings.Join(args, " "), err, out.String(), errs.String())
	}
	return doc.RunDoc, doc.Error.Code
}

// play goes on with the story from wherever it is until it is done.
func (p *player) play() app.RunDoc {
	p.t.Helper()
	for range 60 {
		doc, code := p.sluice("status", "r1")
		switch {
		case code == "killed":
			continue
		case code == "unknown_run":
			p.sluice("sample", "new", filepath.Join("..", "story.json"), "--id", "r1")
			continue
		case code != "":
			p.t.Fatalf("status: %s", code)
		case doc.Status == "done":
			return doc
		case doc.Status == "parked":
			p.sluice("answer", doc.Asks[0].Ask, doc.Asks[0].Options[0], "--run")
		default:
			p.sluice("run", "r1")
		}
	}
	p.t.Fatal("the story never ends")
	return app.RunDoc{}
}

func newPlayer(t *testing.T, at int) *player {
	t.Helper()
	base := t.TempDir()
	p := &player{t: t, dir: filepath.Join(base, "w"), fuse: filepath.Join(base, "fuse"), at: at}
	for name, body := range map[string]string{"story.json": story, "rules.yaml": firstRejected} {
		if err := os.WriteFile(filepath.Join(base, name), []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(p.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	p.crashed = true // making the workspace is not part of the story
	if _, code := p.sluice("init"); code != "" {
		t.Fatalf("init: %s", code)
	}
	p.crashed = false
	// One at a time, so that every play has the same points in the same order.
	if err := os.WriteFile(filepath.Join(p.dir, "sluice.yaml"), []byte("engine:\n  workers: 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return p
}

// content is every file of the run but its state file.
func (p *player) content() map[string]string {
	p.t.Helper()
	files := map[string]string{}
	root := filepath.Join(p.dir, "sample")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files[strings.TrimPrefix(path, root)] = string(mustRead(path))
		return nil
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return files
}

// calls counts the answers that were paid for, by key.
func (p *player) calls() map[string]int {
	p.t.Helper()
	p.crashed = true
	exe, _ := os.Executable()
	cmd := exec.Command(exe)
	cmd.Args = []string{"sluice", "--json", "calls", "r1"}
	cmd.Dir = p.dir
	out, err := cmd.Output()
	if err != nil {
		p.t.Fatal(err)
	}
	var doc app.CallsDoc
	if err := json.Unmarshal(out, &doc); err != nil {
		p.t.Fatal(err)
	}
	paid := map[string]int{}
	for _, c := range doc.Calls {
		if c.Outcome == "answered" {
			paid[c.Key]++
		}
	}
	return paid
}

func TestKilledAtEveryCommitPoint(t *testing.T) {
	whole := newPlayer(t, -1)
	whole.play()
	want, keys := whole.content(), whole.calls()
	points := len(mustRead(whole.fuse))
	if points < 40 || len(want) < 6 || len(keys) < 8 {
		t.Fatalf("the story has %d points, %d files and %d calls: too little to crash", points, len(want), len(keys))
	}
	step := 3 // make crash tries every point
	switch {
	case every():
		step = 1
	case testing.Short():
		step = 7
	}
	for at := 1; at <= points; at += step {
		t.Run(fmt.Sprintf("point %d of %d", at, points), func(t *testing.T) {
			t.Parallel()
			p := newPlayer(t, at)
			p.play()
			if !p.crashed {
				t.Fatal("the process was never killed")
			}
			if diff := cmp.Diff(want, p.content()); diff != "" {
				t.Errorf("content differs from that of an undisturbed run (-want +got):\n%s", diff)
			}
			paid := p.calls()
			for key, n := range paid {
				if n > 1 {
					t.Errorf("call %s was paid for %d times", key, n)
				}
			}
			if !maps.EqualFunc(keys, paid, func(a, b int) bool { return a == b }) {
				t.Errorf("%d calls were answered, want the same %d as undisturbed", len(paid), len(keys))
			}
			if _, code := p.sluice("verify"); code != "" {
				t.Errorf("verify finds %s", code)
			}
		})
	}
}
