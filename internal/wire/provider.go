package wire

import (
	"log/slog"
	"os"
	"time"

	"sluice/internal/fault"
	"sluice/internal/model"
	"sluice/internal/model/openai"
	"sluice/internal/model/rehearsal"
)

// model builds the provider that the settings name, with its decorators: what is remembered is asked for once, what
// fails for a moment is asked again, and no more is asked at a time than allowed.
func (h *house) model(s Setup, log *slog.Logger) (model.Model, model.Class, error) {
	c := s.Settings.Model
	provider, err := h.provider(s)
	if err != nil {
		return nil, "", err
	}
	m := model.Limit(provider, c.Provider, model.Limits{Concurrent: c.Concurrency, PerMinute: c.PerMinute})
	retry := model.DefaultRetry()
	retry.Retries = c.MaxRetries
	if c.Provider == model.RehearsalProvider {
		retry.Base = time.Millisecond // nobody is spared by waiting for a model that is a part of this program
	}
	m = model.Retry(m, retry)
	m = model.Trace(m, log)
	m = model.Memo(m, c.Provider, between(s.Between.Calls, model.Calls(h.store)))
	if s.Verbose != nil {
		m = model.Verbose(m, s.Verbose)
	}
	m = model.Defaults(m, model.Params{Model: c.Model, Temperature: c.Temperature, MaxTokens: c.MaxTokens})
	return m, model.ProviderClass(c.Provider), nil
}

func (h *house) provider(s Setup) (model.Model, error) {
	c := s.Settings.Model
	switch c.Provider {
	case model.RehearsalProvider:
		var script rehearsal.Script
		if s.Rehearsal != "" {
			source, err := os.ReadFile(s.Rehearsal)
			if err != nil {
				return nil, fault.Wrap(fault.BadScript, s.Rehearsal, err, "the rehearsal script cannot be read").
					With(fault.Action{Action: "name a script that is there, or leave --rehearsal and SLUICE_REHEARSAL out"})
			}
			if script, err = rehearsal.LoadScript(source); err != nil {
				return nil, err
			}
		}
		return rehearsal.New(script, h.store), nil
	case "openai":
		return openai.New(openai.Options{BaseURL: c.BaseURL, Key: keySource(c.KeyFile, c.KeyEnv), Model: c.Model, Timeout: c.Timeout}), nil
	}
	return nil, fault.New(fault.BadConfig, "model.provider", "this sluice has no provider %q", c.Provider).
		With(fault.Action{Action: "config", Command: "sluice config show"})
}

// keySource is where the key of a provider is kept: a file of the user's, or a variable. Neither comes from a workspace.
func keySource(file, env string) model.KeySource {
	switch {
	case file != "":
		return model.KeyFromFile(file)
	case env != "":
		return model.KeyFromEnv(os.LookupEnv, env)
	}
	return nil
}
