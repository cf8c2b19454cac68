package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sluice/internal/fault"
)

const planted = "sk-planted/0123456789+secret"

func TestSecretNeverShows(t *testing.T) {
	s := NewSecret(planted + "\n")
	type config struct {
		Key  Secret
		keys []Secret
	}
	c := config{s, []Secret{s}}
	var out bytes.Buffer
	fmt.Fprintf(&out, "%s %v %+v %#v %q %x %d %v %+v %#v\n", s, s, s, s, s, s, s, c, &c, c)
	doc, err := json.Marshal(map[string]any{"a": s, "b": &s})
	if err != nil {
		t.Fatal(err)
	}
	out.Write(doc)
	for _, h := range []slog.Handler{slog.NewJSONHandler(&out, nil), slog.NewTextHandler(&out, nil)} {
		slog.New(h).Info("x", "key", s, "config", c)
	}
	fmt.Fprintln(&out, errors.New(s.String()), fmt.Errorf("%v", s))
	if strings.Contains(out.String(), "planted") || strings.Contains(out.String(), fmt.Sprintf("%x", planted)) {
		t.Errorf("the key shows:\n%s", out.String())
	}
	if s.Reveal() != planted {
		t.Error("the key is lost")
	}
}

// A server that echoes the key in its error must not get it into errors, logs, verbose output or recorded calls.
func TestEchoedKeyIsScrubbedEverywhere(t *testing.T) {
	s := NewSecret(planted)
	body := fmt.Sprintf("bad key %s (%s)", planted, "c2stcGxhbnRlZC8wMTIzNDU2Nzg5K3NlY3JldA==")
	var out bytes.Buffer
	store := newMemoryCalls()
	m := Model(fails(FromStatus("fake", 401, nil, s.Scrub(body))))
	m = Verbose(Memo(Trace(m, slog.New(slog.NewJSONHandler(&out, nil))), "fake", store), &out)
	_, err := m.Complete(t.Context(), Request{Agent: "world", Prompt: "hello"})
	doc, jsonErr := json.Marshal(fault.From(err))
	if jsonErr != nil {
		t.Fatal(jsonErr)
	}
	fmt.Fprintf(&out, "%s %+v %s %+v", doc, err, err, store.calls)
	if strings.Contains(out.String(), "planted") || strings.Contains(out.String(), "c2stcGxhbnRlZ") {
		t.Errorf("the key shows:\n%s", out.String())
	}
	if !strings.Contains(out.String(), hidden) {
		t.Error("nothing was scrubbed; the test proves nothing")
	}
}

func TestKeySources(t *testing.T) {
	env := map[string]string{"B_KEY": planted, "EMPTY": " "}
	lookup := func(name string) (string, bool) { v, ok := env[name]; return v, ok }
	if s, err := KeyFromEnv(lookup, "A_KEY", "EMPTY", "B_KEY")(t.Context()); err != nil || s.Reveal() != planted {
		t.Errorf("from the environment: %v", err)
	}
	if _, err := KeyFromEnv(lookup, "A_KEY")(t.Context()); !errors.Is(err, fault.ModelAuth) || !strings.Contains(err.Error(), "A_KEY") {
		t.Errorf("got %v, want model_auth that names the variable", err)
	}
	path := filepath.Join(t.TempDir(), "key")
	if _, err := KeyFromFile(path)(t.Context()); !errors.Is(err, fault.ModelAuth) {
		t.Errorf("no file: got %v", err)
	}
	if err := os.WriteFile(path, []byte(planted+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := KeyFromFile(path)(t.Context()); os.PathSeparator == '/' && !errors.Is(err, fault.NoPermission) {
		t.Errorf("open to others: got %v, want no_permission", err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if s, err := KeyFromFile(path)(t.Context()); err != nil || s.Reveal() != planted {
		t.Errorf("from a file: %v", err)
	}
}

func TestVerboseTellsDurationTokensAndPrompt(t *testing.T) {
	var out bytes.Buffer
	m := Verbose(Memo(says("ok"), "fake", newMemoryCalls()), &out)
	for range 2 {
		if _, err := m.Complete(t.Context(), Request{Agent: "world", System: "be brief", Prompt: "two\nlines", Scope: Scope{Run: "r1", Node: "n1", Slot: "s1", Take: 2}}); err != nil {
			t.Fatal(err)
		}
	}
	want := `model call world run=r1 node=n1 slot=s1 take=2
  fake/fake-1, 0s, 10 tokens in, 5 out
  system:
    | be brief
  prompt:
    | two
    | lines
model call world run=r1 node=n1 slot=s1 take=2
  reused a stored reply of fake/fake-1 (10 tokens in, 5 out, then)
  system:
    | be brief
  prompt:
    | two
    | lines
`
	if out.String() != want {
		t.Errorf("got:\n%s\nwant:\n%s", out.String(), want)
	}
}

func TestTraceKeepsPromptsOut(t *testing.T) {
	var out bytes.Buffer
	m := Trace(says("the answer"), slog.New(slog.NewTextHandler(&out, nil)))
	if _, err := m.Complete(t.Context(), Request{Agent: "world", System: "system text", Prompt: "prompt text"}); err != nil {
		t.Fatal(err)
	}
	if s := out.String(); strings.Contains(s, "text\"") || strings.Contains(s, "answer") || !strings.Contains(s, "agent=world") {
		t.Errorf("log line: %s", s)
	}
}
