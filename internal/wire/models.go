package wire

import (
	"context"
	"io/fs"
	"os"
	"time"

	"sluice/internal/app"
	"sluice/internal/cli"
	"sluice/internal/config"
	"sluice/internal/model"
	"sluice/internal/model/anthropic"
	"sluice/internal/model/gemini"
	"sluice/internal/model/ollama"
	"sluice/internal/model/openai"
	"sluice/internal/workspace"
)

// roster lists the models of the settings and asks them, without a store: what is said in a check is not kept.
type roster struct{ settings config.Model }

func models(_ context.Context, o cli.Options) (app.Roster, error) {
	root, err := workspace.Find(o.Dir, o.Workspace)
	if err != nil && o.Workspace != "" {
		return nil, err
	}
	s, err := settings(o, root)
	if err != nil {
		return nil, err
	}
	return roster{s.Model}, nil
}

// Models gives a row for each place where a model is asked.
func (r roster) Models() []app.ModelRow {
	rows := []app.ModelRow{}
	for _, w := range r.settings.Ways() {
		for i, t := range w.Targets {
			row := app.ModelRow{Agents: w.Agents, Tier: w.Tier, Place: i + 1, Provider: t.Provider, Model: t.Model}
			if row.Agents == "" {
				row.Agents = "*"
			}
			if p, ok := r.settings.Server(t.Provider); ok {
				row.Kind, row.BaseURL = p.Kind, address(p)
				row.Key, row.IsKeyFound = whereKey(p)
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// address is where a server is asked.
func address(p config.Provider) string {
	if p.BaseURL != "" {
		return p.BaseURL
	}
	return map[string]string{"openai": openai.DefaultBaseURL, "anthropic": anthropic.DefaultBaseURL,
		"gemini": gemini.DefaultBaseURL, "ollama": ollama.DefaultBaseURL}[p.Kind]
}

// whereKey says where the key of a server is kept, and whether something is there. It does not look at the key.
func whereKey(p config.Provider) (string, bool) {
	switch {
	case p.Kind == model.RehearsalProvider:
		return "", false
	case p.KeyFile != "":
		info, err := os.Stat(p.KeyFile)
		return "file " + p.KeyFile, err == nil && info.Mode().Type() != fs.ModeDir
	case p.KeyEnv != "":
		return "env " + p.KeyEnv, os.Getenv(p.KeyEnv) != ""
	}
	return "", false
}

// Ask makes one small call. Rehearsal always answers: it is a part of this program.
func (r roster) Ask(ctx context.Context, provider, name string) (string, time.Duration, error) {
	if provider == model.RehearsalProvider {
		return name, 0, nil
	}
	p, ok := r.settings.Server(provider)
	if !ok {
		return "", 0, noProvider(provider)
	}
	m, err := adapter(p)
	if err != nil {
		return "", 0, err
	}
	began := time.Now()
	reply, err := m.Complete(ctx, model.Request{Agent: "models-check", Prompt: "Answer with the word ok.",
		Params: model.Params{Model: name, MaxTokens: 16}})
	return reply.Model, time.Since(began), err
}
