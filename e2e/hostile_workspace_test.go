//go:build unix

package e2e

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// planted is part of every secret of the user who clones a stranger's workspace.
const planted = "planted-51c9d0"

// clone is a workspace that came from a stranger, on the machine of a user with keys, a home and files of their own.
type clone struct {
	*shell
	home     string // with files that nobody may change
	url      string // the stranger's server, and the only way to any other
	requests *atomic.Int64
	before   map[string]string
}

// stranger makes the workspace that clones are of: r1 waits for a person, r2 has a content of over a megabyte.
func stranger(t *testing.T) string {
	t.Helper()
	s := newShell(t)
	s.write("one.json", strings.Replace(oneText, `"attempts":2`, `"attempts":2,"gate":{"person":true}`, 1))
	s.mustRun(4, "sample", "new", "one.json", "--id", "r1")
	s.write("big.json", strings.Replace(oneText, `"words":12`, `"words":300000`, 1))
	s.mustRun(0, "sample", "new", "big.json", "--id", "r2")
	if err := os.RemoveAll(filepath.Join(s.dir, ".sluice", "log")); err != nil {
		t.Fatal(err)
	}
	return s.dir
}

func newClone(t *testing.T, from string) *clone {
	t.Helper()
	c := &clone{home: t.TempDir(), requests: &atomic.Int64{}}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.requests.Add(1)
		w.WriteHeader(http.StatusTeapot)
	}))
	t.Cleanup(srv.Close)
	c.url = srv.URL
	c.shell = &shell{t: t, dir: filepath.Join(t.TempDir(), "clone")}
	if err := os.MkdirAll(c.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	c.env = []string{"HOME=" + c.home, "XDG_CONFIG_HOME=" + c.home + "/.config", "HTTP_PROXY=" + srv.URL, "HTTPS_PROXY=" + srv.URL}
	for _, name := range []string{"OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "AWS_SECRET_ACCESS_KEY", "SLUICE_WEBHOOK_SECRET", "FEISHU_APP_SECRET"} {
		c.env = append(c.env, name+"="+planted+"-"+strings.ToLower(name))
	}
	if err := os.CopyFS(c.dir, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	for name, body := range map[string]string{".ssh/id_rsa": planted, ".bashrc": "# mine\n", "precious": "do not touch", "data/keep.txt": "mine"} {
		c.put(filepath.Join(c.home, name), body)
	}
	c.before = c.state()
	return c
}

func (c *clone) put(path, body string) {
	c.t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(body), 0o600)); err != nil {
		c.t.Fatal(err)
	}
}

// at is a place in the workspace, cleared of what is there.
func (c *clone) at(name string) string {
	c.t.Helper()
	path := filepath.Join(c.dir, filepath.FromSlash(name))
	if err := errors.Join(os.RemoveAll(path), os.MkdirAll(filepath.Dir(path), 0o755)); err != nil {
		c.t.Fatal(err)
	}
	return path
}

func (c *clone) link(name, target string) {
	c.t.Helper()
	if err := os.Symlink(target, c.at(name)); err != nil {
		c.t.Fatal(err)
	}
}

func (c *clone) pipe(name string) {
	c.t.Helper()
	if err := syscall.Mkfifo(c.at(name), 0o600); err != nil {
		c.t.Fatal(err)
	}
}

func (c *clone) folder(name string) { c.put(filepath.Join(c.at(name), "file"), "x") }

func (c *clone) sparse(name string, size int64) {
	c.t.Helper()
	path := c.at(name)
	c.put(path, "")
	if err := os.Truncate(path, size); err != nil {
		c.t.Fatal(err)
	}
}

func (c *clone) sql(statements ...string) {
	c.t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(c.dir, ".sluice", "sluice.db"))
	if err != nil {
		c.t.Fatal(err)
	}
	defer db.Close()
	for _, s := range statements {
		if _, err := db.ExecContext(c.t.Context(), s); err != nil {
			c.t.Fatalf("%s: %v", s, err)
		}
	}
}

// state is what the user's own files are.
func (c *clone) state() map[string]string {
	c.t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(c.home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			all[path] = "directory"
			return err
		}
		info, err := d.Info()
		if err == nil {
			all[path] = fmt.Sprintf("%s %s", info.Mode(), mustRead(path))
		}
		return err
	})
	if err != nil {
		c.t.Fatal(err)
	}
	return all
}

// visit runs what a curious user runs first, then what costs something. No command may hang, take much memory, crash, say a
// secret, send anything or touch anything of the user's. It gives what they said together.
func (c *clone) visit(commands ...string) string {
	c.t.Helper()
	if len(commands) == 0 {
		commands = []string{"status", "verify", "revise r1 text", "run r1", "doctor --repair"}
	}
	var all strings.Builder
	isRefused := false
	for i, line := range commands {
		if i > 0 && isRefused && line != "run r1" {
			continue // the workspace is not even opened; one more command that would work on it is enough
		}
		ctx, cancel := context.WithTimeout(c.t.Context(), time.Minute)
		cmd := c.command(ctx, "", strings.Fields(line)...)
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &out, &out, time.Second
		err := cmd.Run()
		if ctx.Err() != nil {
			c.t.Errorf("sluice %s hangs\n%.2000s", line, out.String())
		}
		cancel()
		text := out.String()
		isRefused = isRefused || i == 0 && err != nil
		fmt.Fprintf(&all, "$ sluice %s\n%s", line, text)
		if exit, ok := errors.AsType[*exec.ExitError](err); ok && (exit.ExitCode() < 1 || exit.ExitCode() > 7) {
			c.t.Errorf("sluice %s ended with %d", line, exit.ExitCode())
		}
		if err != nil && !strings.Contains(text, "next:") && !strings.Contains(text, "waits for you:") {
			c.t.Errorf("sluice %s names no way on:\n%.2000s", line, text)
		}
		if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok && runtime.GOOS == "linux" && usage.Maxrss > 700<<10 { // kilobytes there; the program itself takes some 60 MB
			c.t.Errorf("sluice %s took %d KB of memory", line, usage.Maxrss)
		}
	}
	c.harmless(all.String())
	return all.String()
}

func (c *clone) harmless(said string) {
	c.t.Helper()
	for _, bad := range []string{planted, "\x1b", "goroutine ", "panic:", "SIGSEGV"} {
		if strings.Contains(said, bad) {
			c.t.Errorf("%q was printed:\n%.4000q", bad, said)
		}
	}
	if n := c.requests.Load(); n > 0 {
		c.t.Errorf("%d requests were sent", n)
	}
	after := c.state()
	for path, was := range c.before {
		if after[path] != was {
			c.t.Errorf("%s was %q and is %.200q", path, was, after[path])
		}
	}
	for path, is := range after {
		if _, ok := c.before[path]; !ok {
			c.t.Errorf("%s was made: %.200q", path, is)
		}
	}
	if _, err := os.Stat(filepath.Join(c.dir, "owned")); err == nil {
		c.t.Error("a program of the stranger's was run")
	}
}

// TestHostileSettings clones workspaces whose sluice.yaml would send keys away, run programs or keep the parser busy.
func TestHostileSettings(t *testing.T) {
	from := stranger(t)
	bomb := "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
	for i := 1; i < 12; i++ {
		bomb += fmt.Sprintf("a%d: &a%d [%s*a%d]\n", i, i, strings.Repeat(fmt.Sprintf("*a%d, ", i-1), 9), i-1)
	}
	for name, tt := range map[string]struct{ yaml, says string }{
		"a base URL":              {"model: {provider: openai, model: m, base_url: \"URL/v1\"}", "model.base_url cannot be set in a workspace"},
		"a key file":              {"model: {provider: openai, key_file: ~/.ssh/id_rsa}", "model.key_file cannot be set in a workspace"},
		"another key's variable":  {"model: {provider: openai, key_env: AWS_SECRET_ACCESS_KEY}", "model.key_env cannot be set in a workspace"},
		"a server":                {"model:\n  provider: evil\n  providers:\n    evil: {kind: openai, base_url: \"URL/v1\", key_env: OPENAI_API_KEY}", "bad_config"},
		"a tier of a server":      {"model:\n  tiers: {strong: [{provider: evil, model: m}]}\n  agents: {\"*\": strong}", "which model.providers does not have"},
		"an address as a server":  {"model:\n  tiers: {strong: [{provider: \"URL\", model: m}]}\n  agents: {\"*\": strong}", "which model.providers does not have"},
		"a program":               {"task:\n  smoke_tests:\n    md: {command: [touch, owned]}", "task.smoke_tests cannot be set in a workspace"},
		"a webhook":               {"publish: {webhook_url: \"URL\"}", "publish.webhook_url cannot be set in a workspace"},
		"a webhook's secret":      {"publish: {webhook_secret_file: ~/.ssh/id_rsa}", "publish.webhook_secret_file cannot be set in a workspace"},
		"a Feishu":                {"publish: {feishu_base_url: \"URL\", feishu_app_id: a}", "publish.feishu_base_url cannot be set in a workspace"},
		"a log elsewhere":         {"log: {dir: ~/data}", "log.dir cannot be set in a workspace"},
		"another name":            {"person: {name: root}", "person.name cannot be set in a workspace"},
		"ten megabytes of alias":  {strings.Repeat(bomb, 10<<20/len(bomb)), "settings have at most"},
		"a small bomb":            {bomb, "bad_config"},
		"a merge of itself":       {"model: &m\n  <<: *m\n", "bad_config"},
		"nesting":                 {strings.Repeat("[", 60_000), "nests too deep"},
		"keys twice":              {"model: {provider: rehearsal, provider: openai}", "stands twice"},
		"NUL":                     {"model: {model: \"a\x00b\"}", "NUL byte"},
		"no UTF-8":                {"model: {model: \xff\xfe}", "not UTF-8"},
		"a tag":                   {"model: !!python/object/apply:os.system [touch owned]", "bad_config"},
		"terminal commands":       {"\"\x1b]0;owned\x07\": {a: 1}\nmodel: {model: \"\x1b[2J\"}", "bad_config"},
		"a key with commands":     {"model: {\"ba\\e[2Jse\": 1}", "bad_config"},
		"workers without end":     {"engine: {workers: 99999999999999999999}", "bad_config"},
		"a publish place outside": {"publish: {file_dir: ../../out, mapping: ../../../etc/passwd}", ""},
		"a proxy":                 {"model: {proxy: \"URL\"}", "bad_config"},
		"an environment":          {"env: {LD_PRELOAD: ./evil.so}", "bad_config"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newClone(t, from)
			c.put(filepath.Join(c.dir, "sluice.yaml"), strings.ReplaceAll(tt.yaml, "URL", c.url))
			commands := []string{"run r1"}
			if strings.Contains(tt.yaml, "model:") {
				commands = append(commands, "models --check")
			}
			said := c.visit(commands...)
			wantAll(t, said, tt.says)
		})
	}
}

// TestHostileMappingAndNumbers has settings that a workspace may have, with values that no person would write.
func TestHostileMappingAndNumbers(t *testing.T) {
	from := stranger(t)
	for name, yaml := range map[string]string{
		"workers":     "engine: {workers: 2000000000}",
		"concurrency": "model: {concurrency: 2000000000, requests_per_minute: 1000000000, max_retries: 2000000000}",
		"books":       "novel: {target_chapters: 2000000000, words_per_scene: 2000000000}",
		"names":       "novel: {author: \"\u202eevil\"}\ntask: {reviewer: \"ann\u200b\"}",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newClone(t, from)
			c.put(filepath.Join(c.dir, "sluice.yaml"), yaml)
			c.visit("config show", "revise r1 text", "run r1", "novel new book --premise ships")
		})
	}
}
