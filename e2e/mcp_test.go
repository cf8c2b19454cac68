package e2e

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/internal/cli"
)

// blueprint is a scene that can be planned and written.
const blueprint = `# Scene 0204: The Archive

## Location
The archive

## Characters
### Present
- Mara
- Ilya

### Absent
- Viktor

## Beats
1. Mara opens the sealed drawer.
2. Ilya finds the ledger.
3. Mara reads the last page aloud.

## Word Count
800

## Continuity
- The ledger was lost in chapter 1.
`

// node finds the program and the installed clients, or skips.
func node(t *testing.T) (program, modules string) {
	t.Helper()
	program, err := exec.LookPath("node")
	if err != nil {
		t.Skip("SKIP-TOOL: node, and npm ci in e2e/testdata/mcp")
	}
	modules, err = filepath.Abs(filepath.Join("testdata", "mcp", "node_modules"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(modules, ".package-lock.json")); err != nil {
		t.Skip("SKIP-TOOL: npm ci in e2e/testdata/mcp")
	}
	return program, modules
}

// newScenes is a workspace with a blueprint.
func newScenes(t *testing.T) *shell {
	t.Helper()
	s := newShell(t)
	file := filepath.Join(s.dir, "acts", "act-1", "chapters", "chapter-02", "scenes", "scene-0204-blueprint.md")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(blueprint), 0o644); err != nil {
		t.Fatal(err)
	}
	return s
}

// serve starts the HTTP door and gives its address; the test's end interrupts it, and it must end well.
func (s *shell) serve(args ...string) cli.ServingDoc {
	s.t.Helper()
	cmd := s.command(context.Background(), "", append([]string{"serve", "--mcp", "--addr", "127.0.0.1:0", "--json"}, args...)...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	var errs bytes.Buffer
	cmd.Stderr = &errs
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			s.t.Error(err)
		}
		if err := cmd.Wait(); err != nil {
			s.t.Errorf("sluice serve ended with %v: %s", err, errs.String())
		}
	})
	var doc cli.ServingDoc
	if err := json.NewDecoder(bufio.NewReader(out)).Decode(&doc); err != nil {
		s.t.Fatalf("sluice serve says %v: %s", err, errs.String())
	}
	return doc
}

// script runs a program of node in the workspace.
func (s *shell) script(args ...string) []byte {
	s.t.Helper()
	program, _ := node(s.t)
	cmd := exec.CommandContext(s.t.Context(), program, args...)
	cmd.Dir, cmd.Env = s.dir, s.command(s.t.Context(), "").Env
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		s.t.Fatalf("node %s: %v\n%s%s", strings.Join(args, " "), err, out.String(), errs.String())
	}
	return out.Bytes()
}

func absolute(t *testing.T, elem ...string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join(elem...))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func TestTypeScriptClientDrivesEveryTool(t *testing.T) {
	node(t)
	drive := absolute(t, "testdata", "mcp", "drive.mjs")
	check := func(t *testing.T, s *shell, out []byte) {
		var doc struct {
			Called, Tools []string
			Asked         int
		}
		if err := json.Unmarshal(out, &doc); err != nil {
			t.Fatalf("%v in %s", err, out)
		}
		if diff := cmp.Diff(doc.Tools, doc.Called); diff != "" || len(doc.Tools) != 18 {
			t.Errorf("tools that were not called (-served +called):\n%s", diff)
		}
		s.mustRun(0, "verify")
		s.mustRun(0, "doctor")
	}
	t.Run("stdio", func(t *testing.T) {
		t.Parallel()
		s := newScenes(t)
		check(t, s, s.script(drive, "stdio", "over-stdio", "sluice", "mcp"))
	})
	t.Run("http", func(t *testing.T) {
		t.Parallel()
		s := newScenes(t)
		at := s.serve()
		check(t, s, s.script(drive, "http", "over-http", at.URL, at.TokenFile))
	})
}

func TestTokenIsNeverShown(t *testing.T) {
	s := newShell(t)
	at := s.serve()
	token := strings.TrimSpace(string(mustRead(at.TokenFile)))
	shown, err := json.Marshal(at)
	if err != nil || token == "" || strings.Contains(string(shown), token) {
		t.Errorf("%v: %s shows the token", err, shown)
	}
	info, err := os.Stat(at.TokenFile)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, mode %v", err, info.Mode())
	}
}

func TestInspector(t *testing.T) {
	_, modules := node(t)
	s := newScenes(t)
	inspector := filepath.Join(modules, ".bin", "mcp-inspector")
	at := s.serve()
	token := strings.TrimSpace(string(mustRead(at.TokenFile)))
	for name, target := range map[string][]string{
		"stdio": {"sluice", "mcp"},
		"http":  {at.URL, "--transport", "http", "--header", "Authorization: Bearer " + token},
	} {
		t.Run(name, func(t *testing.T) {
			inspect := func(into any, args ...string) {
				t.Helper()
				out := s.script(append(append([]string{inspector, "--cli"}, target...), args...)...)
				if err := json.Unmarshal(out, into); err != nil {
					t.Fatalf("inspector %s: %v in %s", strings.Join(args, " "), err, out)
				}
			}
			var tools struct{ Tools []struct{ Name string } }
			inspect(&tools, "--method", "tools/list")
			if len(tools.Tools) != 57 {
				t.Errorf("%d tools", len(tools.Tools))
			}
			var resources struct{ Resources []struct{ URI string } }
			inspect(&resources, "--method", "resources/list")
			if !slices.ContainsFunc(resources.Resources, func(r struct{ URI string }) bool { return r.URI == "inbox://" }) {
				t.Errorf("resources are %+v", resources)
			}
			var called struct {
				IsError           bool
				StructuredContent struct{ Total *int }
			}
			inspect(&called, "--method", "tools/call", "--tool-name", "list_workflows")
			if called.IsError || called.StructuredContent.Total == nil {
				t.Errorf("list_workflows: %+v", called)
			}
			called.IsError = false
			inspect(&called, "--method", "tools/call", "--tool-name", "get_workflow_status", "--tool-arg", "workflow_id=nobody")
			if !called.IsError {
				t.Error("the status of an unknown workflow is no error")
			}
		})
	}
}

// conformance are the scenarios that any server can be put to. The others want tools, prompts and resources of their own.
var conformance = []string{"server-initialize", "ping", "tools-list", "resources-list", "prompts-list", "logging-set-level", "server-sse-multiple-streams", "dns-rebinding-protection"}

func TestConformance(t *testing.T) {
	_, modules := node(t)
	s := newScenes(t)
	at := s.serve()
	target, err := url.Parse(at.URL)
	if err != nil {
		t.Fatal(err)
	}
	token := strings.TrimSpace(string(mustRead(at.TokenFile)))
	// The suite cannot send a token; all else goes through as it came. A body is read before it is sent on: the standard
	// proxy cuts the answer off if it begins while the request's end is still being looked for.
	proxy := httptest.NewServer(&httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(&url.URL{Scheme: target.Scheme, Host: target.Host})
		r.Out.Host = r.In.Host
		r.Out.Header.Set("Authorization", "Bearer "+token)
		body, err := io.ReadAll(r.In.Body)
		if err != nil {
			t.Error(err)
		}
		r.Out.Body = io.NopCloser(bytes.NewReader(body))
	}, ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
		http.Error(w, err.Error(), http.StatusBadGateway)
	}})
	defer proxy.Close()
	for _, scenario := range conformance {
		t.Run(scenario, func(t *testing.T) {
			out := s.script(filepath.Join(modules, ".bin", "conformance"), "server", "--url", proxy.URL+"/mcp", "--scenario", scenario)
			if !bytes.Contains(out, []byte("0 failed")) {
				t.Errorf("%s", out)
			}
		})
	}
}
