package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sluice/internal/fault"
)

// sits puts the person before a terminal.
func (p *person) sits() {
	p.env.IsTerminal = func() bool { return true }
	p.env.ErrWidth = func() int { return 80 }
}

// says types lines at the terminal while a command runs.
func (p *person) says(lines string, args ...string) (code int, stdout, stderr string) {
	p.t.Helper()
	p.env.Stdin = strings.NewReader(lines)
	return p.types(args...)
}

func TestAnswersAreAskedForAtATerminal(t *testing.T) {
	p := withRun(t)
	ask := p.ask()
	p.sits()
	code, stdout, stderr := p.says("Z\n2\n", "answer", ask)
	if code != 0 || !strings.Contains(stderr, `"Z" is no answer; it takes A, B`) || !strings.Contains(stdout, "answered; run r1 is active") {
		t.Fatalf("exit %d\n%s%s", code, stdout, stderr)
	}
	p.must(fault.ExitParked, "run", "r1")
	code, stdout, stderr = p.says("the hours are missing\n", "reject", p.ask())
	if code != 0 || !strings.Contains(stderr, "What is wrong with it?") || !strings.Contains(stdout, "rejected") {
		t.Fatalf("exit %d\n%s%s", code, stdout, stderr)
	}
	if out := p.must(0, "log", "r1", "--json"); !strings.Contains(out, "the hours are missing") {
		t.Errorf("the reason is not recorded:\n%s", out)
	}
}

func TestNothingSaidIsNothingDone(t *testing.T) {
	p := withRun(t)
	ask := p.ask()
	p.sits()
	for _, lines := range []string{"", "\n"} {
		code, _, stderr := p.says(lines, "choose", ask)
		if code != fault.ExitParked || !strings.Contains(stderr, "the ask stays open") {
			t.Errorf("%q: exit %d\n%s", lines, code, stderr)
		}
		code, _, stderr = p.says(lines, "reject", ask)
		if code != fault.ExitUsage || !strings.Contains(stderr, "needs --reason TEXT") {
			t.Errorf("%q: exit %d\n%s", lines, code, stderr)
		}
	}
	if p.ask() != ask {
		t.Error("the ask is not open any more")
	}
}

func TestNobodyIsAskedInPipes(t *testing.T) {
	for name, change := range map[string]func(p *person, args []string) []string{
		"no terminal": func(_ *person, args []string) []string { return args },
		"--no-input":  func(p *person, args []string) []string { p.sits(); return append(args, "--no-input") },
		"--json":      func(p *person, args []string) []string { p.sits(); return append(args, "--json") },
		"stderr is none": func(p *person, args []string) []string {
			p.sits()
			p.env.ErrWidth = func() int { return 0 }
			return args
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := withRun(t)
			ask := p.ask()
			for _, args := range [][]string{{"choose", ask}, {"reject", ask}, {"novel", "new", "book"}} {
				code, _, stderr := p.says("A\nA\nA\n", change(p, args)...)
				if code != fault.ExitUsage || strings.Contains(stderr, "> ") {
					t.Errorf("%v: exit %d\n%s", args, code, stderr)
				}
			}
		})
	}
}

func TestQuestionsAndTextAreAskedFor(t *testing.T) {
	p := newPerson(t)
	p.must(0, "init")
	def := `{"title":"asks","nodes":[
{"id":"who","kind":"make","performer":"person","title":"Who","ask":{"kind":"answer","questions":[{"id":"name","text":"Who reads it?"},{"id":"size","text":"How long?","choices":["short","long"]}],"options":[{"value":"answer","effect":"supply"}]}},
{"id":"notes","kind":"make","performer":"person","title":"Notes"}]}`
	if err := os.WriteFile(filepath.Join(p.env.Dir, "d.json"), []byte(def), 0o600); err != nil {
		t.Fatal(err)
	}
	p.must(fault.ExitParked, "sample", "new", "d.json", "--id", "r1")
	asks := askPattern.FindAllString(p.must(0, "inbox"), -1)
	p.sits()
	code, stdout, stderr := p.says("读者\nhuge\n2\n", "answer", asks[0])
	if code != 0 || !strings.Contains(stderr, `"huge" is no answer`) {
		t.Fatalf("exit %d\n%s%s", code, stdout, stderr)
	}
	code, stdout, stderr = p.says("1\nfirst line\n\nпоследняя\n.\n", "answer", asks[1])
	if code != 0 {
		t.Fatalf("exit %d\n%s%s", code, stdout, stderr)
	}
	d := p.must(0, "log", "r1", "--json")
	if !strings.Contains(d, `"version_stored"`) {
		t.Errorf("nothing was stored:\n%s", d)
	}
	diff := p.must(0, "diff", "r1", "who@1", "notes@1")
	for _, want := range []string{"читатель", "读者", "long", "first line", "последняя"}[1:] {
		if !strings.Contains(diff, want) {
			t.Errorf("%s is not stored:\n%s", want, diff)
		}
	}
}

// TestAnInterruptionDoesNotWaitForALine: ctrl-C at a question ends the command.
func TestAnInterruptionDoesNotWaitForALine(t *testing.T) {
	p := newPerson(t)
	p.sits()
	in, out := io.Pipe()
	defer out.Close()
	p.env.Stdin = in
	ctx, stop := context.WithCancel(t.Context())
	stop()
	_, err := newKit(p.env).prompt().put(ctx, question{text: "Why?"})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
