package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sluice/internal/fault"
)

// TestHostileWorkspaceFilesAreRefusedAtOnce gives the loader files that a parser would be busy with for minutes or that
// are not files of the workspace at all.
func TestHostileWorkspaceFilesAreRefusedAtOnce(t *testing.T) {
	dir := t.TempDir()
	secret := filepath.Join(dir, "credentials")
	if err := os.WriteFile(secret, []byte("aws_secret: wJalrXUtnFEMI\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"nested lists":  strings.Repeat("[", 60_000),
		"nested groups": strings.Repeat("{a: ", 15_000),
		"items":         strings.Repeat("- ", 30_000),
		"keys":          strings.Repeat("? ", 30_000),
		"too large":     strings.Repeat("a: &a [*a, *a]\n", 700_000),
		"NUL":           "model:\n  model: \x00\n",
		"link":          "",
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "sluice.yaml")
			if text == "" {
				if err := os.Symlink(secret, file); err != nil {
					t.Skip("symbolic links are not allowed here")
				}
			} else if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			_, err := Load(Source{Workspace: file})
			if f := fault.From(err); f == nil || f.Code != fault.BadConfig || len(f.Next) == 0 || strings.Contains(f.Error(), "wJalr") {
				t.Errorf("got %v", err)
			}
			if spent := time.Since(began); spent > 5*time.Second {
				t.Errorf("it took %s", spent)
			}
		})
	}
	// The user's own file may be a link: people keep such files elsewhere.
	own := filepath.Join(dir, "config.yaml")
	if err := os.WriteFile(secret, []byte("engine: {workers: 2}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(secret, own); err == nil {
		if s := mustLoad(t, Source{UserFile: own}); s.Engine.Workers != 2 {
			t.Errorf("the user's file says %d workers", s.Engine.Workers)
		}
	}
}

func TestUsualKeysStayWithTheirProviders(t *testing.T) {
	for name, tt := range map[string]struct {
		user, workspace string
		env             []string
		refused         bool
	}{
		"address of another provider":        {"model: {provider: openai, base_url: \"https://proxy.example/v1\"}", "model: {provider: anthropic}", nil, true},
		"address without a provider":         {"model: {base_url: \"https://proxy.example/v1\"}", "model: {provider: openai}", nil, true},
		"address in the environment":         {"", "model: {provider: gemini}", []string{"SLUICE_MODEL_BASE_URL=https://proxy.example"}, true},
		"key of another provider":            {"model: {provider: openai, key_env: MY_KEY}", "model: {provider: anthropic}", nil, true},
		"the same provider":                  {"model: {provider: openai, base_url: \"https://proxy.example/v1\"}", "model: {provider: openai}", nil, false},
		"the user's address and key":         {"model: {base_url: \"https://proxy.example/v1\", key_env: MY_KEY}", "model: {provider: openai}", nil, false},
		"provider named by the user as well": {"model: {base_url: \"https://proxy.example/v1\"}", "model: {provider: openai}", []string{"SLUICE_MODEL_PROVIDER=openai"}, false},
		"nothing of the user's":              {"", "model: {provider: openai}", nil, false},
	} {
		_, err := Load(source(t, tt.user, tt.workspace, tt.env...))
		if (fault.CodeOf(err) == fault.BadConfig) != tt.refused || err != nil && !tt.refused {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
