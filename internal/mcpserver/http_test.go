package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"sluice/internal/fault"
)

const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}`

// open serves on a free port of loopback until the test ends.
func open(t *testing.T, s *Server) (url string, stop func() error) {
	t.Helper()
	l, err := Listen(t.Context(), "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, l, "the-token-of-the-test") }()
	stopped := false
	stop = func() error {
		if stopped {
			return nil
		}
		stopped = true
		cancel()
		return <-ended
	}
	t.Cleanup(func() { _ = stop() })
	return "http://" + l.Addr().String() + Path, stop
}

func post(t *testing.T, url, body string, change func(*http.Request)) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	req.Header.Set("Authorization", "Bearer the-token-of-the-test")
	if change != nil {
		change(req)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	got, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(got)
}

func TestWhoIsLetIn(t *testing.T) {
	url, _ := open(t, newServer(t, newDesk(), nil))
	host := strings.TrimSuffix(strings.TrimPrefix(url, "http://"), Path)
	_, port, _ := net.SplitHostPort(host)
	header := func(pairs ...string) func(*http.Request) {
		return func(r *http.Request) {
			for i := 0; i < len(pairs); i += 2 {
				if pairs[i] == "Host" {
					r.Host = pairs[i+1]
				} else {
					r.Header.Set(pairs[i], pairs[i+1])
				}
			}
		}
	}
	for _, tt := range []struct {
		name   string
		change func(*http.Request)
		status int
	}{
		{"a program with the token", nil, 200},
		{"under the name localhost", header("Host", "localhost:"+port), 200},
		{"a page of its own", header("Origin", "http://"+host), 200},
		{"no token", func(r *http.Request) { r.Header.Del("Authorization") }, 401},
		{"a wrong token", header("Authorization", "Bearer the-token-of-the-tesT"), 401},
		{"an empty token", header("Authorization", "Bearer "), 401},
		{"another scheme", header("Authorization", "Basic the-token-of-the-test"), 401},
		{"a rebound name", header("Host", "evil.example:"+port), 403},
		{"a name that begins like ours", header("Host", "127.0.0.1.evil.example"), 403},
		{"another address", header("Host", "10.0.0.1:"+port), 403},
		{"another page", header("Origin", "https://evil.example"), 403},
		{"a page of another port", header("Origin", "http://127.0.0.1:1"), 403},
		{"a sandboxed page", header("Origin", "null"), 403},
		{"a page, as its browser says", header("Sec-Fetch-Site", "cross-site"), 403},
		{"another kind of content", header("Content-Type", "text/plain"), 415},
		{"a protocol of nobody", header("Mcp-Protocol-Version", "1999-01-01"), 400},
	} {
		t.Run(tt.name, func(t *testing.T) {
			status, body := post(t, url, hello, tt.change)
			if status != tt.status {
				t.Errorf("status %d, want %d: %s", status, tt.status, body)
			}
			if strings.Contains(body, "the-token-of-the-test") {
				t.Errorf("the answer shows the token: %s", body)
			}
		})
	}
	if status, _ := post(t, url, strings.Replace(hello, "raw", strings.Repeat("x", maxBody), 1), nil); status != 413 {
		t.Errorf("a large body gives %d", status)
	}
	if status, _ := post(t, strings.TrimSuffix(url, Path)+"/other", hello, nil); status != 404 {
		t.Errorf("another path gives %d", status)
	}
	req, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	req.Header.Set("Origin", "https://evil.example")
	req.Header.Set("Authorization", "Bearer the-token-of-the-test")
	if res, err := http.DefaultClient.Do(req); err != nil || res.StatusCode != 403 {
		t.Errorf("a page that only reads: %v %+v", err, res)
	}
}

func TestHostsOfARemoteServer(t *testing.T) {
	for _, tt := range []struct {
		listens, host string
		want          bool
	}{
		{"127.0.0.1", "[::1]:80", true}, {"127.0.0.1", "LOCALHOST", true}, {"127.0.0.1", "192.168.1.2", false},
		{"192.168.1.2", "192.168.1.2:7717", true}, {"::", "192.168.1.2:7717", true}, {"box.lan", "box.lan:7717", true},
		{"::", "evil.example", false}, {"192.168.1.2", "evil.example:7717", false},
	} {
		if got := (guarded{host: tt.listens}).isOurs(tt.host); got != tt.want {
			t.Errorf("listening on %s, host %s: %v, want %v", tt.listens, tt.host, got, tt.want)
		}
	}
}

// bearer adds the token to requests.
type bearer struct{ http.RoundTripper }

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer the-token-of-the-test")
	return b.RoundTripper.RoundTrip(r)
}

func overHTTP(t *testing.T, url, protocol string, o *mcp.ClientOptions) client {
	t.Helper()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "tester", Version: "1"}, o).Connect(t.Context(),
		&mcp.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: bearer{http.DefaultTransport}}},
		&mcp.ClientSessionOptions{ProtocolVersion: protocol})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return client{t, session}
}

func TestEveryToolOverHTTP(t *testing.T) {
	for name, protocol := range protocols {
		t.Run(name, func(t *testing.T) {
			url, _ := open(t, newServer(t, newDesk(), nil))
			c := overHTTP(t, url, protocol, nil)
			for _, tool := range ordered() {
				if tool == "switch_session" && protocol >= statelessFrom {
					continue
				}
				if res := c.call(tool, calls[tool]); res.IsError {
					t.Errorf("%s: %s", tool, textOf(t, res))
				}
			}
		})
	}
}

func TestApprovalOverHTTP(t *testing.T) {
	for name, protocol := range protocols {
		t.Run(name, func(t *testing.T) {
			d := newDesk()
			url, _ := open(t, newServer(t, d, func(o *Options) { o.RequirePerson = true }))
			var shown []string
			must[struct{}](overHTTP(t, url, protocol, saying("accept", nil, &shown)), "approve_step", approveIt)
			if len(d.by) != 1 || !d.by[0].Confirmed || len(shown) != 1 {
				t.Errorf("recorded %v after %q", d.by, shown)
			}
		})
	}
}

func TestCurrentSessionOverHTTP(t *testing.T) {
	url, _ := open(t, newServer(t, newDesk(), nil))
	c := overHTTP(t, url, "2025-06-18", nil)
	must[switchDoc](c, "switch_session", `{"session_name":"s1"}`)
	if got := must[struct{ Total int }](c, "list_workflows", `{}`); got.Total != 1 {
		t.Errorf("%d workflows, want those of the session", got.Total)
	}
	if got := must[struct{ Total int }](overHTTP(t, url, "2025-06-18", nil), "list_workflows", `{}`); got.Total != 2 {
		t.Errorf("%d workflows for another client, want all", got.Total)
	}
	if code, message := refused(overHTTP(t, url, "2026-07-28", nil), "switch_session", `{"session_name":"s1"}`); code != fault.BadValue || !strings.Contains(message, "no connection") {
		t.Errorf("without sessions of its own: %s %s", code, message)
	}
}

func TestProfileOverHTTP(t *testing.T) {
	url, _ := open(t, newServer(t, newDesk(), func(o *Options) { o.Profile = Agent }))
	if all := listed(t, overHTTP(t, url, "", nil)); all["approve_step"] != nil || all["get_next_step"] == nil {
		t.Errorf("agents are served %v", all)
	}
}

func TestServerEndsWhileClientsAreConnected(t *testing.T) {
	s := newServer(t, newDesk(), nil)
	url, stop := open(t, s)
	c := overHTTP(t, url, "2025-06-18", nil) // it keeps a stream open
	must[struct{}](c, "get_inbox", `{}`)
	if err := stop(); err != nil {
		t.Errorf("the end: %v", err)
	}
	if _, err := http.Post(url, "application/json", strings.NewReader(hello)); err == nil {
		t.Error("it still answers")
	}
}

func TestStdioEndsWithItsClient(t *testing.T) {
	in, say := io.Pipe()
	hear, out := io.Pipe()
	ended := make(chan error, 1)
	s := newServer(t, newDesk(), nil)
	go func() { ended <- s.Stdio(t.Context(), in, out) }()
	if _, err := io.WriteString(say, hello+"\n"); err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Result struct{ ServerInfo struct{ Name string } }
	}
	if err := json.NewDecoder(hear).Decode(&doc); err != nil || doc.Result.ServerInfo.Name != "sluice" {
		t.Errorf("%v in %+v", err, doc)
	}
	_ = say.Close()
	if err := <-ended; err != nil {
		t.Errorf("the client left: %v", err)
	}
	r, w := io.Pipe()
	defer w.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := newServer(t, newDesk(), nil).Stdio(ctx, r, io.Discard); err != nil {
		t.Errorf("asked to end: %v", err)
	}
}

func TestPipedRequestsAreAnswered(t *testing.T) {
	var out bytes.Buffer
	in := hello + "\n" + `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n" +
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"get_inbox","arguments":{}}}` + "\n"
	if err := newServer(t, newDesk(), nil).Stdio(t.Context(), strings.NewReader(in), &out); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); strings.Count(got, "\n") != 2 || !strings.Contains(got, `"id":2`) {
		t.Errorf("got %s", got)
	}
}

func TestTokenFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "sluice", "mcp-token")
	first, err := Token(file)
	if err != nil || len(first) < minToken {
		t.Fatalf("%q %v", first, err)
	}
	info, err := os.Stat(file)
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, mode %v", err, info.Mode())
	}
	if again, err := Token(file); err != nil || again != first {
		t.Errorf("%q %v, want the same", again, err)
	}
	if runtime.GOOS != "windows" {
		if err := os.Chmod(file, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Token(file); fault.CodeOf(err) != fault.NoPermission {
			t.Errorf("a file that others read gives %v", err)
		}
	}
	if err := os.WriteFile(file, []byte("short\n"), 0o600); err != nil || os.Chmod(file, 0o600) != nil {
		t.Fatal(err)
	}
	if _, err := Token(file); fault.CodeOf(err) != fault.BadValue {
		t.Errorf("a short token gives %v", err)
	}
}

func TestListenRefusesNonsense(t *testing.T) {
	for _, addr := range []string{"7717", "127.0.0.1:x", "256.0.0.1:0"} {
		if _, err := Listen(t.Context(), addr); fault.CodeOf(err) != fault.Usage {
			t.Errorf("%s: %v", addr, err)
		}
	}
}
