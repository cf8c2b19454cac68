package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sluice/internal/fault"
)

// TestEverythingCompletes walks the tree of commands: each argument and each value of a flag has an entry in the tables
// of complete_table.go, if only one that says that nothing can be offered.
func TestEverythingCompletes(t *testing.T) {
	root := newKit(newPerson(t).env).root()
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		for _, word := range strings.Fields(c.Use)[1:] {
			if _, ok := completerOf(c, word); !ok {
				t.Errorf("%s: nothing says how %s is completed; argumentTable needs %q", c.CommandPath(), word, strings.Trim(word, "[]…"))
			}
		}
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if _, ok := completerOfFlag(c, f); !ok {
				word, _ := pflag.UnquoteUsage(f)
				t.Errorf("%s: nothing says how --%s %s is completed; flagTable or valueTable needs it", c.CommandPath(), f.Name, word)
			}
		})
		for _, sub := range c.Commands() {
			visit(sub)
		}
	}
	visit(root)
}

// TestTablesHaveNoDeadEntries keeps the tables as small as the tree.
func TestTablesHaveNoDeadEntries(t *testing.T) {
	root := newKit(newPerson(t).env).root()
	used := map[string]bool{}
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		used[place(c)] = true
		group, _, _ := strings.Cut(place(c), " ")
		for _, word := range strings.Fields(c.Use)[1:] {
			word = strings.NewReplacer("[", "", "]", "", "…", "", "@N", "").Replace(word)
			used[place(c)+" "+word], used[group+" "+word], used[word] = true, true, true
		}
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			word, _ := pflag.UnquoteUsage(f)
			used[place(c)+" --"+f.Name], used["--"+f.Name], used[word] = true, true, true
		})
		for _, sub := range c.Commands() {
			visit(sub)
		}
	}
	visit(root)
	visit(helpCommand(root))
	for name, table := range map[string]map[string]completer{"argumentTable": argumentTable, "flagTable": flagTable} {
		for key := range table {
			if !used[key] {
				t.Errorf("%s has %q, which no command uses", name, key)
			}
		}
	}
}

func (p *person) offered(args ...string) []string {
	p.t.Helper()
	out := p.must(0, append([]string{"__complete"}, args...)...)
	return strings.Split(out, "\n")
}

func TestWordsAreOffered(t *testing.T) {
	p := withRun(t)
	ask := p.ask()
	p.must(0, "novel", "new", "mybook", "--premise", "A lighthouse keeper finds a map.", "--chapters", "2")
	p.must(0, "novel", "run", "mybook")
	p.must(fault.ExitParked, "spec", "new", "Goal: find a book by any word of its title")
	p.must(0, "session", "new", "trial")
	for _, tt := range []struct {
		want string
		args []string
	}{
		{"r1\tparked, An announcement", []string{"watch", ""}},
		{"r1\tparked", []string{"inbox", "R"}}, // in any case
		{"text\twaiting, Approve the announcement", []string{"revise", "r1", "te"}},
		{"text/review\t", []string{"revise", "r1", "text", "te"}}, // again and again
		{"angle@1", []string{"diff", "r1", "angle@"}},
		{"brief\tdone", []string{"diff", "r1", "angle@1", "b"}},
		{ask + "\tchoose: Choose how to tell it", []string{"answer", "a"}},
		{"A", []string{"answer", ask, ""}},
		{"reject", []string{"choose", ask, "r"}},
		{"mybook\t", []string{"novel", "status", ""}},
		{"2\tchapter 2", []string{"novel", "review", "mybook", ""}},
		{"1\tscene 1", []string{"novel", "scene", "generate", "mybook", "1", ""}},
		{"outline", []string{"novel", "step", "mybook", "o"}},
		{"revision_policy=", []string{"novel", "set", "mybook", "revision_p"}},
		{"epub", []string{"novel", "export", "mybook", "--format", "e"}},
		{"F-2026-001\t", []string{"spec", "show", "f-"}},
		{"hold", []string{"spec", "review", "F-2026-001", "h"}},
		{"spec.goal=", []string{"spec", "answer", "F-2026-001", "-a", "spec.g"}},
		{"executable_ready", []string{"spec", "list", "--status", "e"}},
		{"trial\tactive", []string{"session", "diff", ""}},
		{"parked", []string{"status", "--status", "p"}},
		{"novel", []string{"status", "--line", "n"}},
		{"project=mybook", []string{"status", "--label", "project"}},
		{"ask_opened", []string{"log", "r1", "--event", "ask"}},
		{"text\t", []string{"log", "r1", "--node", "t"}},
		{"powershell", []string{"completion", "p"}},
		{"show\tPrint each setting", []string{"help", "config", ""}},
		{"anthropic", []string{"run", "r1", "--provider", "a"}},
	} {
		found := false
		for _, o := range p.offered(tt.args...) {
			found = found || strings.HasPrefix(o, tt.want)
		}
		if !found {
			t.Errorf("%v: %q is not among %q", tt.args, tt.want, p.offered(tt.args...))
		}
	}
	if got := p.offered("status", "r1", ""); len(got) > 2 && got[0] != ":36" {
		t.Errorf("too many arguments are offered %q", got)
	}
}

func TestTasksAreOffered(t *testing.T) {
	p := newPerson(t)
	p.must(0, "init")
	out := p.must(0, "task", "new", "write a leaflet", "--json")
	plan := regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`).FindString(out)
	if got := p.offered("task", "status", ""); !strings.HasPrefix(got[0], plan+"\t") {
		t.Errorf("plans: %q", got)
	}
	got := strings.Join(p.offered("task", "show", plan, ""), "\n")
	if !strings.Contains(got, "\tmake ready, write a leaflet") || strings.Contains(got, "draft/1") {
		t.Errorf("tasks: %s", got)
	}
}

// TestHostileTitlesAreHarmless: descriptions reach the terminal through the shell.
func TestHostileTitlesAreHarmless(t *testing.T) {
	p := newPerson(t)
	p.must(0, "init")
	def := `{"title":"evil\u001b[2J\u202e\nname","nodes":[{"id":"a","kind":"make","step":"text","performer":"engine","attempts":1,"title":"x\u0007\ty","params":{"text":"x"}}]}`
	if err := os.WriteFile(filepath.Join(p.env.Dir, "d.json"), []byte(def), 0o600); err != nil {
		t.Fatal(err)
	}
	p.must(0, "sample", "new", "d.json", "--id", "r1")
	for _, args := range [][]string{{"status", ""}, {"revise", "r1", ""}} {
		for _, line := range p.offered(args...) {
			if i := strings.IndexFunc(strings.Replace(line, "\t", "", 1), isUnsafe); i >= 0 {
				t.Errorf("%v offers %q", args, line)
			}
		}
	}
}

func TestUnknownShell(t *testing.T) {
	p := newPerson(t)
	code, stdout, stderr := p.types("completion", "tcsh")
	if code != fault.ExitUsage || stdout != "" || !strings.Contains(stderr, "bash, zsh, fish and powershell") {
		t.Errorf("exit %d: %s%s", code, stdout, stderr)
	}
	p.must(fault.ExitUsage, "completion")
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if out := p.must(0, "completion", shell); !strings.Contains(out, "__complete") {
			t.Errorf("%s: %s", shell, out)
		}
	}
}

// TestShellsReadTheScripts has the shells that are there parse what they are given.
func TestShellsReadTheScripts(t *testing.T) {
	p := newPerson(t)
	for _, shell := range []string{"bash", "zsh", "fish"} {
		t.Run(shell, func(t *testing.T) {
			exe, err := exec.LookPath(shell)
			if err != nil {
				t.Skipf("SKIP-TOOL: %s is missing: install the package %s", shell, shell)
			}
			script := filepath.Join(t.TempDir(), "script")
			if err := os.WriteFile(script, []byte(p.must(0, "completion", shell)), 0o600); err != nil {
				t.Fatal(err)
			}
			if out, err := exec.CommandContext(t.Context(), exe, "-n", script).CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
}
