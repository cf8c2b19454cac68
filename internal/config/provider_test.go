package config

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sluice/internal/fault"
)

const servers = `
model:
  provider: anthropic
  model: big-1
  key_file: key
  concurrency: 3
  providers:
    backup: {kind: openai, base_url: "https://example.com/v1", key_env: BACKUP_KEY, timeout: 90s, concurrency: 2, requests_per_minute: 30}
    keyless: {kind: openai, base_url: "http://127.0.0.1:1/v1"}
    second: {kind: anthropic, key_file: second}
    own: {kind: gemini}
`

func TestWaysOfAgents(t *testing.T) {
	s := source(t, servers, `
model:
  tiers:
    strong: [big-2, {provider: backup, model: other/big}, {provider: ollama, model: "qwen3:8b"}]
  agents:
    scene-text: strong
    "chapter-*": small-1
`)
	got := mustLoad(t, s)
	want := []Way{
		{Agents: "scene-text", Tier: "strong", Targets: []Target{{"anthropic", "big-2"}, {"backup", "other/big"}, {"ollama", "qwen3:8b"}}},
		{Agents: "chapter-*", Targets: []Target{{"anthropic", "small-1"}}},
		{Targets: []Target{{"anthropic", "big-1"}}},
	}
	if diff := cmp.Diff(want, got.Model.Ways()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if text := got.Model.Tiers.String(); text != `{strong: [big-2, {provider: backup, model: other/big}, {provider: ollama, model: "qwen3:8b"}]}` {
		t.Errorf("shown as %s", text)
	}
	// What is shown can be given back in a variable.
	again := mustLoad(t, source(t, servers, "", "SLUICE_MODEL_TIERS="+got.Model.Tiers.String(), "SLUICE_MODEL_AGENTS="+got.Model.Agents.String()))
	if diff := cmp.Diff(want, again.Model.Ways()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	rehearsed := mustLoad(t, source(t, servers, "", "SLUICE_MODEL_PROVIDER=rehearsal", "SLUICE_MODEL_AGENTS={a: b}"))
	if diff := cmp.Diff([]Way{{Targets: []Target{{"rehearsal", "big-1"}}}}, rehearsed.Model.Ways()); diff != "" {
		t.Errorf("rehearsal mixes with nothing (-want +got):\n%s", diff)
	}
}

func TestServers(t *testing.T) {
	s := source(t, servers, "")
	dir := filepath.Dir(s.UserFile)
	m := mustLoad(t, s).Model
	for _, want := range []Provider{
		{Name: "anthropic", Kind: "anthropic", KeyFile: filepath.Join(dir, "key"), Timeout: 5 * time.Minute, Concurrency: 3},
		{Name: "backup", Kind: "openai", BaseURL: "https://example.com/v1", KeyEnv: "BACKUP_KEY", Timeout: 90 * time.Second, Concurrency: 2, PerMinute: 30},
		{Name: "keyless", Kind: "openai", BaseURL: "http://127.0.0.1:1/v1", Timeout: 5 * time.Minute, Concurrency: 8},
		{Name: "second", Kind: "anthropic", KeyFile: filepath.Join(dir, "second"), Timeout: 5 * time.Minute, Concurrency: 8},
		{Name: "own", Kind: "gemini", KeyEnv: "GEMINI_API_KEY", Timeout: 5 * time.Minute, Concurrency: 8},
		{Name: "ollama", Kind: "ollama", Timeout: 5 * time.Minute, Concurrency: 3},
		{Name: "openai", Kind: "openai", KeyEnv: "OPENAI_API_KEY", Timeout: 5 * time.Minute, Concurrency: 3},
	} {
		got, ok := m.Server(want.Name)
		if diff := cmp.Diff(want, got); !ok || diff != "" {
			t.Errorf("%s (-want +got):\n%s", want.Name, diff)
		}
	}
	if _, ok := m.Server("nobody"); ok {
		t.Error("there is a server nobody")
	}
}

func TestBadTablesAreRefused(t *testing.T) {
	const secret = "sk-Abc123Def456Ghi789"
	for name, test := range map[string]struct{ user, workspace, says string }{
		"servers in a workspace":  {workspace: "model: {providers: {x: {kind: openai}}}", says: "cannot be set in a workspace"},
		"agents are no table":     {workspace: "model: {agents: [a]}", says: "keys with values are needed"},
		"agent without a model":   {workspace: "model: {agents: {world: }}", says: "the name of a tier or of a model"},
		"bad pattern":             {workspace: "model: {agents: {'[a': b}}", says: "no pattern of names"},
		"agent twice":             {workspace: "model: {agents: {a: b, a: c}}", says: "stands twice"},
		"empty tier":              {workspace: "model: {tiers: {strong: []}}", says: "no list of models"},
		"tier is a word":          {workspace: "model: {tiers: {strong: big}}", says: "no list of models"},
		"tier without a model":    {workspace: "model: {tiers: {strong: [{provider: ollama}]}}", says: "names no model"},
		"tier with a base URL":    {workspace: "model: {tiers: {strong: [{provider: ollama, base_url: 'http://evil'}]}}", says: "provider and model are what it takes"},
		"tier of lists":           {workspace: "model: {tiers: {strong: [[a]]}}", says: "is no model"},
		"unknown server":          {workspace: "model: {tiers: {strong: [{provider: evil, model: x}]}}", says: "which model.providers does not have"},
		"rehearsal in a tier":     {workspace: "model: {tiers: {strong: [{provider: rehearsal, model: x}]}}", says: "never mixes"},
		"name of a kind":          {user: "model: {providers: {openai: {kind: openai}}}", says: "no name of its own"},
		"no kind":                 {user: "model: {providers: {x: {base_url: 'http://h'}}}", says: "has no kind"},
		"unknown kind":            {user: "model: {providers: {x: {kind: magic}}}", says: "is none of"},
		"key itself in variable":  {user: "model: {providers: {x: {kind: openai, key_env: " + secret + "}}}", says: "never the secret itself"},
		"key itself as a setting": {user: "model: {providers: {x: {kind: openai, key: " + secret + "}}}", says: "is no setting of a server"},
		"bad address":             {user: "model: {providers: {x: {kind: openai, base_url: 'file:///etc'}}}", says: "no http or https address"},
		"bad time":                {user: "model: {providers: {x: {kind: openai, timeout: soon}}}", says: "no time"},
		"bad number":              {user: "model: {providers: {x: {kind: openai, requests_per_minute: .nan}}}", says: "no number"},
		"aliases":                 {workspace: "model: {agents: &a {x: *a}}", says: "anchor, alias or tag"},
	} {
		_, err := Load(source(t, test.user, test.workspace))
		if fault.CodeOf(err) != fault.BadConfig || !strings.Contains(fmt.Sprint(err), test.says) {
			t.Errorf("%s: got %v, want %q", name, err, test.says)
		}
		if strings.Contains(fmt.Sprint(err), secret) {
			t.Errorf("%s: the key shows: %v", name, err)
		}
		if err != nil && len(fault.From(err).Next) == 0 {
			t.Errorf("%s: %v has no way out", name, err)
		}
	}
	if _, err := Load(source(t, "", "", "SLUICE_MODEL_TIERS=[")); fault.CodeOf(err) != fault.BadConfig || !strings.Contains(fmt.Sprint(err), "{strong:") {
		t.Errorf("got %v, want an example", err)
	}
}

// A workspace may choose among providers, but it cannot send the key of one to another.
func TestAKeyGoesWhereTheUserSentIt(t *testing.T) {
	for name, test := range map[string]struct {
		user, workspace string
		environ         []string
		isRefused       bool
	}{
		"another provider, own key":           {"model: {provider: anthropic, key_env: MY_KEY}", "model: {provider: openai}", nil, true},
		"another provider, own key file":      {"model: {provider: anthropic, key_file: k}", "model: {provider: gemini}", nil, true},
		"key from the environment":            {"", "model: {provider: openai}", []string{"SLUICE_MODEL_KEY_ENV=MY_KEY"}, true},
		"the user's address":                  {"model: {provider: anthropic, key_env: MY_KEY, base_url: 'http://127.0.0.1:1'}", "model: {provider: openai}", nil, false},
		"the same provider":                   {"model: {provider: openai, key_env: MY_KEY}", "model: {provider: openai}", nil, false},
		"rehearsal":                           {"model: {provider: openai, key_env: MY_KEY}", "model: {provider: rehearsal}", nil, false},
		"usual keys":                          {"model: {provider: anthropic}", "model: {provider: openai}", nil, false},
		"named by the user after all":         {"model: {key_env: MY_KEY}", "model: {provider: openai}", []string{"SLUICE_MODEL_PROVIDER=openai"}, false},
		"tiers take the other's own settings": {"model: {provider: anthropic, key_env: MY_KEY}", "model: {tiers: {t: [{provider: openai, model: x}]}}", nil, false},
	} {
		got, err := Load(source(t, test.user, test.workspace, test.environ...))
		if (err != nil) != test.isRefused {
			t.Errorf("%s: got %v", name, err)
		}
		if err != nil {
			continue
		}
		if p, ok := got.Model.Server("openai"); ok && got.Model.Provider == "anthropic" && p.KeyEnv != "OPENAI_API_KEY" {
			t.Errorf("%s: openai gets the key of %s", name, p.KeyEnv)
		}
	}
}
