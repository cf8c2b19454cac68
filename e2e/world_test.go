package e2e

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
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

	_ "modernc.org/sqlite" // the program that holds the store is a plain SQLite client
)

// shell runs commands of the program in one workspace.
type shell struct {
	t   *testing.T
	dir string
	env []string
}

func newShell(t *testing.T, env ...string) *shell {
	t.Helper()
	s := &shell{t: t, dir: t.TempDir(), env: env}
	s.mustRun(0, "init")
	return s
}

// command prepares the program without starting it. wrap, if given, is a shell line that execs "$@".
func (s *shell) command(ctx context.Context, wrap string, args ...string) *exec.Cmd {
	s.t.Helper()
	exe, err := os.Executable()
	if err != nil {
		s.t.Fatal(err)
	}
	cmd := exec.CommandContext(ctx, exe)
	cmd.Args = append([]string{"sluice"}, args...)
	if wrap != "" {
		name := filepath.Join(s.t.TempDir(), "sluice") // by its name the test binary knows that it is the program
		if err := os.Symlink(exe, name); err != nil {
			s.t.Fatal(err)
		}
		cmd = exec.CommandContext(ctx, "sh", append([]string{"-c", wrap + `; exec "$@"`, "sh", name}, args...)...)
	}
	cmd.Dir = s.dir
	cmd.Env = append([]string{"HOME=" + s.dir, "XDG_CONFIG_HOME=" + s.dir + "/.config", "PATH=" + os.Getenv("PATH"),
		"SLUICE_PERSON_NAME=ann"}, s.env...)
	return cmd
}

func (s *shell) run(wrap string, args ...string) (code int, stdout, stderr string) {
	s.t.Helper()
	cmd := s.command(s.t.Context(), wrap, args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() < 0 {
			s.t.Fatalf("sluice %s: %v\n%s", strings.Join(args, " "), err, errs.String())
		}
	}
	return cmd.ProcessState.ExitCode(), out.String(), errs.String()
}

func (s *shell) mustRun(want int, args ...string) (stdout, stderr string) {
	s.t.Helper()
	code, out, errs := s.run("", args...)
	if code != want {
		s.t.Fatalf("sluice %s ended with %d, want %d\n%s%s", strings.Join(args, " "), code, want, out, errs)
	}
	return out, errs
}

func (s *shell) write(name, body string) string {
	s.t.Helper()
	path := filepath.Join(s.dir, name)
	if err := os.WriteFile(path, []byte(body), 0o600); err != nil {
		s.t.Fatal(err)
	}
	return path
}

const oneText = `{"title":"one","nodes":[{"id":"text","kind":"make","step":"write","performer":"engine","attempts":2,"params":{"task":"write about rivers","words":12,"path":"text.md"}}]}`

func wantAll(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(text, p) {
			t.Errorf("%q is missing in:\n%s", p, text)
		}
	}
}

func TestStoreLockedByAnotherProgram(t *testing.T) {
	s := newShell(t)
	s.write("one.json", oneText)
	db, err := sql.Open("sqlite", "file:"+filepath.Join(s.dir, ".sluice", "sluice.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.ExecContext(t.Context(), "BEGIN EXCLUSIVE"); err != nil {
		t.Fatal(err)
	}
	_, errs := s.mustRun(5, "sample", "new", "one.json", "--id", "r1")
	wantAll(t, errs, "store_locked", "next:")
	if _, err := conn.ExecContext(t.Context(), "ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	s.mustRun(0, "sample", "new", "one.json", "--id", "r1")
}

func TestFullDisk(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("file size limits are a matter of Unix")
	}
	s := newShell(t)
	s.write("one.json", strings.ReplaceAll(oneText, `"words":12`, `"words":20000`))
	code, _, errs := s.run("ulimit -f 64", "sample", "new", "one.json", "--id", "r1")
	if code != 1 {
		t.Errorf("the program ended with %d, want 1\n%s", code, errs)
	}
	wantAll(t, errs, "disk_full", "next:")
	// With room again it goes on, from the beginning if not even that had found room.
	if code, _, _ := s.run("", "run", "r1"); code != 0 {
		s.mustRun(0, "sample", "new", "one.json", "--id", "r1")
	}
	s.mustRun(0, "verify")
}

func TestInterruptedBySignal(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no interrupt signal to send to another process")
	}
	s := newShell(t)
	s.write("one.json", oneText)
	s.write("slow.yaml", "- agent: sample-write\n  delay: 1h\n")
	cmd := s.command(t.Context(), "", "--rehearsal", "slow.yaml", "sample", "new", "one.json", "--id", "r1")
	progress, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var seen bytes.Buffer
	buf := make([]byte, 4096)
	for !strings.Contains(seen.String(), "began text") {
		n, err := progress.Read(buf)
		seen.Write(buf[:n])
		if err != nil {
			t.Fatalf("the program ended before it began: %v\n%s", err, seen.String())
		}
	}
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	for {
		n, err := progress.Read(buf)
		seen.Write(buf[:n])
		if err != nil {
			break
		}
	}
	err = cmd.Wait()
	if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != 1 {
		t.Errorf("the program ended with %v, want exit 1", err)
	}
	wantAll(t, seen.String(), "interrupted", "sluice run r1")
	s.mustRun(0, "run", "r1")
	s.mustRun(0, "verify")
}

// openaiServer speaks the chat completions of that API as far as a text needs it.
func openaiServer(t *testing.T, key string, refuse *atomic.Bool) *httptest.Server {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if refuse.Load() || r.Header.Get("Authorization") != "Bearer "+key {
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprintf(w, `{"error":{"message":"Incorrect API key provided: %s","type":"invalid_request_error","code":"invalid_api_key"}}`, key)
			return
		}
		doc, _ := json.Marshal(map[string]any{"id": "c1", "object": "chat.completion", "model": "m-1",
			"choices": []any{map[string]any{"index": 0, "finish_reason": "stop", "message": map[string]any{"role": "assistant", "content": "Rivers run to the sea and come back as rain."}}},
			"usage":   map[string]any{"prompt_tokens": 11, "completion_tokens": 9, "total_tokens": 20}})
		w.Write(doc)
	}))
	t.Cleanup(srv.Close)
	return srv
}

func TestKeyNeverLeaks(t *testing.T) {
	const key = "sk-planted-7d1f0c55aa"
	var refuse atomic.Bool
	srv := openaiServer(t, key, &refuse)
	s := newShell(t, "SLUICE_MODEL_PROVIDER=openai", "SLUICE_MODEL_BASE_URL="+srv.URL+"/v1", "SLUICE_MODEL_MODEL=m-1",
		"SLUICE_MODEL_KEY_ENV=PLANTED_KEY", "PLANTED_KEY="+key)
	s.write("one.json", oneText)
	var all strings.Builder
	keep := func(out, errs string) { all.WriteString(out + errs) }
	refuse.Store(true)
	keep(s.mustRun(6, "-v", "sample", "new", "one.json", "--id", "r1"))
	keep(s.mustRun(6, "--json", "run", "r1"))
	refuse.Store(false)
	keep(s.mustRun(0, "-v", "run", "r1"))
	for _, c := range [][]string{{"config", "show"}, {"--json", "log", "r1"}, {"--json", "calls"}, {"--json", "status", "r1"}} {
		keep(s.mustRun(0, c...))
	}
	if strings.Contains(all.String(), key) {
		t.Errorf("the key was printed:\n%s", all.String())
	}
	wantAll(t, all.String(), "model_auth", "PLANTED_KEY")
	err := filepath.WalkDir(s.dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && bytes.Contains(mustRead(path), []byte(key)) {
			t.Errorf("the key is in %s", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if body := string(mustRead(filepath.Join(s.dir, "sample/r1/text.md"))); !strings.Contains(body, "Rivers run") {
		t.Errorf("the model's text is not there: %q", body)
	}

	// A forgotten key must not write placeholder text into real work.
	s.env = nil
	s.mustRun(0, "revise", "r1", "text")
	_, errs := s.mustRun(5, "run", "r1")
	wantAll(t, errs, "provider_changed", "--provider rehearsal")
	s.mustRun(0, "--provider", "rehearsal", "run", "r1")
}

func TestManyProcessesShareAWorkspace(t *testing.T) {
	s := newShell(t)
	s.write("one.json", oneText)
	const processes, each = 4, 4
	errs := make(chan error, processes)
	for p := range processes {
		go func() {
			for i := range each {
				cmd := s.command(t.Context(), "", "sample", "new", "one.json", "--id", fmt.Sprintf("r%d-%d", p, i))
				if out, err := cmd.CombinedOutput(); err != nil {
					errs <- fmt.Errorf("process %d run %d: %w\n%s", p, i, err, out)
					return
				}
			}
			errs <- nil
		}()
	}
	for range processes {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	out, _ := s.mustRun(0, "--json", "status", "--status", "done", "--limit", "100")
	if n := strings.Count(out, `"run": "r`); n != processes*each {
		t.Errorf("%d runs are done, want %d\n%s", n, processes*each, out)
	}
	s.mustRun(0, "verify")
}
