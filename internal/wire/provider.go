package wire

import (
	"log/slog"
	"os"
	"time"

	"sluice/internal/app"
	"sluice/internal/config"
	"sluice/internal/fault"
	"sluice/internal/model"
	"sluice/internal/model/anthropic"
	"sluice/internal/model/gemini"
	"sluice/internal/model/ollama"
	"sluice/internal/model/openai"
	"sluice/internal/model/rehearsal"
)

// model builds what the settings name: for each agent its model, with those it falls back to. What is remembered is asked
// for once, what fails for a moment is asked again, and no server is asked more at a time than allowed.
func (h *house) model(s Setup, log *slog.Logger) (model.Model, model.Class, error) {
	c := s.Settings.Model
	b := board{settings: c, log: log, calls: between(s.Between.Calls, model.Calls(h.store)), servers: map[string]model.Model{}, budget: h.spending, dry: s.Dry}
	if err := h.carry(s.Replies, &b.calls); err != nil {
		return nil, "", err
	}
	if c.Provider == model.RehearsalProvider && s.Dry == nil {
		rehearsed, err := h.rehearsal(s.Rehearsal)
		if err != nil {
			return nil, "", err
		}
		b.servers[c.Provider] = b.limited(rehearsed, config.Provider{Name: c.Provider, Concurrency: c.Concurrency, PerMinute: c.PerMinute})
	}
	m, err := b.route()
	if err == nil {
		m, err = b.cheaper(s.Settings.CheaperTargets(), m)
	}
	if err != nil {
		return nil, "", err
	}
	if s.Verbose != nil {
		m = model.Verbose(m, s.Verbose)
	}
	return m, model.ProviderClass(c.Provider), nil
}

// board is where calls are put through to the models of their agents.
type board struct {
	settings config.Model
	log      *slog.Logger
	calls    model.Calls
	servers  map[string]model.Model // by name; one for all agents, so that its limits hold for all
	budget   *model.Budget
	dry      func(app.DryCall)
}

func (b board) route() (model.Model, error) {
	ways := b.settings.Ways()
	var rules []model.Way
	for _, w := range ways {
		m, err := b.chain(w.Targets)
		if err != nil {
			return nil, err
		}
		rules = append(rules, model.Way{Agents: w.Agents, Model: m})
	}
	last := len(rules) - 1
	return model.Route(rules[:last], rules[last].Model), nil
}

// chain asks the first target, and those after it while that one cannot answer.
func (b board) chain(targets []config.Target) (model.Model, error) {
	var all []model.Model
	for i, t := range targets {
		server, err := b.server(t.Provider)
		if err != nil {
			return nil, err
		}
		m := model.Retry(server, b.retry(i < len(targets)-1))
		if i > 0 {
			m = model.Pin(m, t.Model)
		}
		all = append(all, m)
	}
	m := all[0]
	if len(all) > 1 {
		m = model.Fallback(all...)
	}
	m = b.budget.Charge(model.Trace(m, b.log))
	calls := b.calls
	if b.dry == nil {
		calls = b.budget.Reserve(calls, targets[0].Provider, fallen(targets[1:])...)
	}
	m = model.Memo(m, targets[0].Provider, calls)
	return model.Defaults(m, model.Params{Model: targets[0].Model, Temperature: b.settings.Temperature, MaxTokens: b.settings.MaxTokens}), nil
}

// cheaper lets a run go on with another model once a person said so.
func (b board) cheaper(targets []config.Target, usual model.Model) (model.Model, error) {
	if len(targets) == 0 {
		return usual, nil
	}
	m, err := b.chain(targets)
	if err != nil {
		return nil, err
	}
	return b.budget.Cheaper(model.Pin(m, targets[0].Model), usual), nil
}

func fallen(targets []config.Target) []model.Fallen {
	var all []model.Fallen
	for _, t := range targets {
		all = append(all, model.Fallen{Server: t.Provider, Model: t.Model})
	}
	return all
}

// retry says how long a model is fought for. One that another stands in for is tried once more and no longer.
func (b board) retry(hasNext bool) model.RetryOptions {
	o := model.DefaultRetry()
	o.Retries = b.settings.MaxRetries
	if hasNext {
		o.Retries = min(1, o.Retries)
		o.RetryAfterCap = 5 * time.Second
	}
	if b.settings.Provider == model.RehearsalProvider {
		o.Base = time.Millisecond // nobody is spared by waiting for a model that is a part of this program
	}
	return o
}

func (b board) server(name string) (model.Model, error) {
	if m, ok := b.servers[name]; ok {
		return m, nil
	}
	if b.dry != nil {
		b.servers[name] = diary{name, b.budget, b.dry}
		return b.servers[name], nil
	}
	p, ok := b.settings.Server(name)
	if !ok {
		return nil, noProvider(name)
	}
	m, err := adapter(p)
	if err != nil {
		return nil, err
	}
	b.servers[name] = b.limited(m, p)
	return b.servers[name], nil
}

func (b board) limited(m model.Model, p config.Provider) model.Model {
	return model.Limit(m, p.Name, model.Limits{Concurrent: p.Concurrency, PerMinute: p.PerMinute})
}

// adapter makes the client of a real server. It sends nothing.
func adapter(p config.Provider) (model.Model, error) {
	s := model.Server{Provider: p.Name, BaseURL: p.BaseURL, Key: keySource(p.KeyFile, p.KeyEnv), Timeout: p.Timeout}
	switch p.Kind {
	case "openai":
		return openai.New(s), nil
	case "anthropic":
		return anthropic.New(s), nil
	case "gemini":
		return gemini.New(s), nil
	case "ollama":
		return ollama.New(s, p.Window), nil
	}
	return nil, noProvider(p.Kind)
}

func noProvider(name string) error {
	return fault.New(fault.BadConfig, "model.provider", "this sluice has no provider %q", name).
		With(fault.Action{Action: "config", Command: "sluice config show"})
}

func (h *house) rehearsal(path string) (model.Model, error) {
	var script rehearsal.Script
	if path != "" {
		source, err := os.ReadFile(path)
		if err != nil {
			return nil, fault.Wrap(fault.BadScript, path, err, "the rehearsal script cannot be read").
				With(fault.Action{Action: "name a script that is there, or leave --rehearsal and SLUICE_REHEARSAL out"})
		}
		if script, err = rehearsal.LoadScript(source); err != nil {
			return nil, err
		}
	}
	return rehearsal.New(script, h.store), nil
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
