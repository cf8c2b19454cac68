package cli

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"sluice/internal/app"
	"sluice/internal/fault"
	"sluice/internal/golden"
)

// fakeRoster has a tier, a model of an agent and one for everybody else. Its second server is overloaded.
type fakeRoster struct{}

func (fakeRoster) Models() []app.ModelRow {
	return []app.ModelRow{
		{Agents: "scene-text", Tier: "strong", Place: 1, Provider: "anthropic", Kind: "anthropic", Model: "big-1",
			BaseURL: "https://api.anthropic.com", Key: "env ANTHROPIC_API_KEY", IsKeyFound: true},
		{Agents: "scene-text", Tier: "strong", Place: 2, Provider: "backup", Kind: "openai", Model: "other/big",
			BaseURL: "https://example.com/v1", Key: "file /home/ana/key"},
		{Agents: "chapter-*", Place: 1, Provider: "ollama", Kind: "ollama", Model: "small\x1b[31m", BaseURL: "http://127.0.0.1:11434"},
		{Agents: "*", Place: 1, Provider: "anthropic", Kind: "anthropic", Model: "big-1",
			BaseURL: "https://api.anthropic.com", Key: "env ANTHROPIC_API_KEY", IsKeyFound: true},
	}
}

func (fakeRoster) Ask(_ context.Context, provider, model string) (string, time.Duration, error) {
	switch provider {
	case "backup":
		return "", time.Second, fault.New(fault.ModelUnavailable, provider, "backup cannot answer now: 529: overloaded").With(fault.Action{Action: "run_again"})
	case "ollama":
		return "", time.Second, fault.New(fault.ModelTruncated, provider, "the reply was cut off")
	}
	return model + "-20260101", 1234 * time.Millisecond, nil
}

func TestModelsGolden(t *testing.T) {
	p := newPerson(t)
	var b strings.Builder
	b.WriteString("$ sluice models\n" + p.must(0, "models"))
	code, stdout, stderr := p.types("models", "--check")
	if code != fault.ExitGaveUp {
		t.Errorf("exit %d, want 6: a model does not answer", code)
	}
	b.WriteString("\n$ sluice models --check\n" + stdout + stderr)
	golden.Check(t, "models.golden", b.String())
}

func TestModelsAsDocument(t *testing.T) {
	p := newPerson(t)
	code, stdout, stderr := p.types("models", "--check", "--json")
	var doc app.ModelsDoc
	if err := json.Unmarshal([]byte(stdout), &doc); err != nil || code != fault.ExitGaveUp || stderr != "" {
		t.Fatalf("exit %d, %v, %s", code, err, stderr)
	}
	if len(doc.Models) != 4 || !doc.Models[0].Check.Answers || doc.Models[1].Check.Answers || doc.Models[0].Check.AnsweredBy != "big-1-20260101" {
		t.Errorf("got %s", stdout)
	}
}
