package cli

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"sluice/internal/app"
	"sluice/internal/fault"
	"sluice/internal/golden"
)

// TestHelpGolden keeps the wording of every command under review.
func TestHelpGolden(t *testing.T) {
	p := newPerson(t)
	k := newKit(p.env)
	var b strings.Builder
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		args := append(strings.Fields(c.CommandPath())[1:], "--help")
		if c.HasParent() && !c.HasSubCommands() && c.Name() != "help" {
			if c.Example == "" || !strings.Contains(c.Long, "Exit codes:") || c.Short == "" {
				t.Errorf("%s lacks a short text, an example or its exit codes", c.CommandPath())
			}
		}
		help := p.must(0, args...)
		for line := range strings.Lines(help) {
			if n := columns(strings.TrimRight(line, "\n")); n > 120 && !strings.Contains(line, "--") {
				t.Errorf("%s: a line of the help takes %d columns: %s", c.CommandPath(), n, line)
			}
		}
		head, _, _ := strings.Cut(help, "\nGlobal Flags:")
		b.WriteString("== " + c.CommandPath() + "\n" + strings.TrimRight(head, "\n") + "\n\n")
		for _, sub := range c.Commands() {
			visit(sub)
		}
	}
	visit(k.root())
	golden.Check(t, "help.golden", b.String())
}

// TestUsageErrorsGolden shows how each way of calling a command wrongly is answered.
func TestUsageErrorsGolden(t *testing.T) {
	p := newPerson(t)
	p.must(0, "init")
	var b strings.Builder
	for _, args := range []string{
		"frobnicate", "statsu", "config shwo", "help frob", "help config frob", "frobnicate --loud", "--version", "status --limi 3",
		"status --limit many", "status --limit 0", "status --label x", "status a b", "approve", "approve a b", "choose a",
		"reject a1", "answer a1 -a nothing", "answer a1 -a x=1 -a x=2", "approve a1 -f no-such-file", "rollback r1",
		"rollback r1 text --undo", "log r1 --last -1", "verify x --run r1", "version now", "status --workspace", "run ''",
	} {
		words := strings.Fields(args)
		for i, w := range words {
			if w == "''" {
				words[i] = ""
			}
		}
		code, stdout, stderr := p.types(words...)
		if code != fault.ExitUsage || stdout != "" {
			t.Errorf("sluice %s: exit %d, want 2; stdout %q", args, code, stdout)
		}
		b.WriteString("$ sluice " + args + "\n" + stderr + "\n")
	}
	golden.Check(t, "usage.golden", b.String())
}

func TestRefusalsGolden(t *testing.T) {
	p := withRun(t)
	ask := p.ask()
	var b strings.Builder
	refuse := func(want int, args ...string) {
		t.Helper()
		code, stdout, stderr := p.types(args...)
		if code != want || stdout != "" {
			t.Errorf("sluice %s: exit %d, want %d; stdout %q, stderr %s", strings.Join(args, " "), code, want, stdout, stderr)
		}
		b.WriteString("$ sluice " + strings.Join(args, " ") + "\n" + stderr + "\n")
	}
	refuse(fault.ExitUnknown, "status", "nope")
	refuse(fault.ExitUnknown, "approve", "a000")
	refuse(fault.ExitUsage, "choose", ask, "Z")
	refuse(fault.ExitConflict, "choose", ask, "A", "--digest", "000000000000")
	refuse(fault.ExitConflict, "init")
	refuse(fault.ExitUsage, "export", "r1", "-o", "..")
	refuse(fault.ExitUnknown, "--workspace", "nowhere", "status")
	p.must(0, "choose", ask, "A")
	refuse(fault.ExitConflict, "choose", ask, "B")
	p.must(0, "cancel", "r1", "--reason", "enough")
	refuse(fault.ExitConflict, "run", "r1")
	golden.Check(t, "refusals.golden", b.String())
}

func TestJSONIsOneDocumentEvenForErrors(t *testing.T) {
	p := withRun(t)
	ask := p.ask()
	for _, tt := range []struct {
		want int
		args []string
		has  string
	}{
		{0, []string{"status"}, "runs"},
		{0, []string{"status", "r1"}, "nodes"},
		{0, []string{"inbox"}, "asks"},
		{0, []string{"log", "r1"}, "events"},
		{0, []string{"calls"}, "calls"},
		{0, []string{"verify"}, "findings"},
		{0, []string{"doctor"}, "findings"},
		{0, []string{"config", "show"}, "settings"},
		{0, []string{"version"}, "version"},
		{4, []string{"run", "r1"}, "next_actions"},
		{0, []string{"choose", ask, "A"}, "status"},
		{0, []string{"init", "other"}, "workspace"},
		{2, []string{"frob"}, "error"},
		{2, []string{"status", "--bogus"}, "error"},
		{3, []string{"status", "nope"}, "error"},
		{5, []string{"choose", ask, "A"}, "error"},
	} {
		code, stdout, _ := p.types(append(tt.args, "--json")...)
		if code != tt.want {
			t.Errorf("%v: exit %d, want %d", tt.args, code, tt.want)
		}
		dec := json.NewDecoder(strings.NewReader(stdout))
		var doc map[string]json.RawMessage
		if err := dec.Decode(&doc); err != nil || dec.More() {
			t.Errorf("%v is not one document: %v\n%s", tt.args, err, stdout)
		}
		if _, ok := doc[tt.has]; !ok {
			t.Errorf("%v has no %s: %s", tt.args, tt.has, stdout)
		}
	}
}

// TestTranscriptGolden walks a run from its first gate to its export, as a person sees it in a pipe.
func TestTranscriptGolden(t *testing.T) {
	p := withRun(t)
	var b strings.Builder
	show := func(want int, args ...string) {
		t.Helper()
		code, stdout, stderr := p.types(args...)
		if code != want {
			t.Fatalf("sluice %s: exit %d, want %d\n%s%s", strings.Join(args, " "), code, want, stdout, stderr)
		}
		b.WriteString("$ sluice " + strings.Join(args, " ") + "\n" + stderr + stdout + "\n")
	}
	show(0, "status")
	show(0, "inbox")
	show(4, "choose", p.ask(), "B", "--run")
	show(0, "reject", p.ask(), "--reason", "name the hours")
	show(4, "run", "r1")
	better := filepath.Join(p.env.Dir, "better.md")
	if err := os.WriteFile(better, []byte(strings.Repeat("better ", 70)), 0o600); err != nil {
		t.Fatal(err)
	}
	show(0, "approve", p.ask(), "-f", "better.md", "--reason", "mine")
	show(0, "run", "r1")
	show(0, "status", "r1")
	show(0, "revise", "r1", "text", "--note", "shorter")
	show(0, "export", "r1")
	show(0, "log", "r1", "--last", "5")
	golden.Check(t, "transcript.golden", b.String())
}

func TestDemo(t *testing.T) {
	p := newPerson(t)
	p.env.Getenv = func(name string) string {
		return map[string]string{"SLUICE_PROVIDER": "openai", "SLUICE_WORKSPACE": "/nowhere"}[name]
	}
	out := p.must(0, "demo")
	for _, want := range []string{"$ sluice init sluice-demo", "$ sluice inbox", "$ sluice choose", "$ sluice approve", "$ sluice export",
		"$ sluice verify", "all is as recorded", "rehearsal", "What is where"} {
		if !strings.Contains(out, want) {
			t.Errorf("the demo does not show %q:\n%s", want, out)
		}
	}
	for _, o := range p.opened {
		if o.Provider != "rehearsal" || o.Workspace != "" {
			t.Errorf("the demo opened %+v", o)
		}
	}
	code, _, stderr := p.types("demo")
	if code != fault.ExitConflict || !strings.Contains(stderr, "sluice demo sluice-demo-2") {
		t.Errorf("a second demo: exit %d\n%s", code, stderr)
	}
	code, stdout, _ := p.types("demo", "third", "--json")
	var doc demoDoc
	if err := json.Unmarshal([]byte(stdout), &doc); err != nil || code != 0 || doc.Status != "done" || !doc.Rehearsal {
		t.Errorf("exit %d, %v: %s", code, err, stdout)
	}
}

func TestCommandsCarryTheWorkspaceFlag(t *testing.T) {
	p := withRun(t)
	ws := p.env.Dir
	p.env.Dir = t.TempDir()
	_, stdout, _ := p.types("--workspace", ws, "inbox")
	if !strings.Contains(stdout, "sluice --workspace "+ws+" choose a") {
		t.Errorf("got\n%s", stdout)
	}
}

func TestGlobalOptionsReachTheWorkspace(t *testing.T) {
	p := withRun(t)
	p.env.Getenv = func(name string) string {
		return map[string]string{"SLUICE_PROVIDER": "rehearsal", "SLUICE_REHEARSAL": "script.yaml"}[name]
	}
	p.must(0, "status", "-v")
	got := p.opened[len(p.opened)-1]
	if got.Rehearsal != filepath.Join(p.env.Dir, "script.yaml") || !got.Verbose || got.Flags()[0].Origin != "env SLUICE_PROVIDER" {
		t.Errorf("got %+v", got)
	}
	p.must(0, "status", "--provider", "openai")
	if got := p.opened[len(p.opened)-1].Flags()[0]; got.Value != "openai" || got.Origin != "flag --provider" {
		t.Errorf("got %+v", got)
	}
}

func TestFindingsExitWithSeven(t *testing.T) {
	p := withRun(t)
	if err := os.Remove(filepath.Join(p.env.Dir, "sample", "r1", "state.json")); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := p.types("doctor")
	if code != fault.ExitFindings || !strings.Contains(stdout, "finding") || !strings.Contains(stderr, "[findings]") {
		t.Errorf("exit %d\n%s%s", code, stdout, stderr)
	}
	if code, _, _ := p.types("doctor", "--json"); code != fault.ExitFindings {
		t.Errorf("--json: exit %d", code)
	}
	p.must(0, "doctor", "--repair")
	p.must(0, "doctor")
}

// TestCompletionWithoutAWorkspace has nothing to offer, and no word about it.
func TestCompletionWithoutAWorkspace(t *testing.T) {
	p := newPerson(t)
	code, stdout, stderr := p.types("__complete", "status", "")
	if code != 0 || strings.Contains(stdout+stderr, "error") {
		t.Errorf("exit %d: %s%s", code, stdout, stderr)
	}
}

func TestInterruptionSaysHowToGoOn(t *testing.T) {
	p := withRun(t)
	open := p.env.Open
	ctx, stop := context.WithCancel(t.Context())
	p.env.Open = func(_ context.Context, o Options) (*app.App, func() error, error) {
		a, done, err := open(t.Context(), o)
		stop()
		return a, done, err
	}
	env := p.env
	env.Args = []string{"resume", "r1", "--from", "brief"}
	code := Main(ctx, env)
	if got := p.stderr.String(); code != fault.ExitUnexpected || !strings.Contains(got, "[interrupted]") || !strings.Contains(got, "next: sluice ") {
		t.Errorf("exit %d:\n%s", code, got)
	}
}

func TestLinesAddCommands(t *testing.T) {
	p := newPerson(t)
	p.env.Lines = []func(*Kit) *cobra.Command{func(k *Kit) *cobra.Command {
		return &cobra.Command{Use: "opera", Short: "A line", RunE: func(*cobra.Command, []string) error { return k.Print("x", "la\n") }}
	}}
	if got := p.must(0, "opera"); got != "la\n" {
		t.Errorf("got %q", got)
	}
	if !slices.Contains(strings.Fields(p.must(0, "--help")), "opera") {
		t.Error("the help does not list the line")
	}
}
