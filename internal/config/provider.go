package config

import (
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"sluice/internal/fault"
)

// Agents say which tier or model agents are answered by, in the order of the file. The first row that fits applies.
type Agents []Agent

// Agent is one row.
type Agent struct {
	Match string // a name, or a pattern such as chapter-*
	Use   string // a tier, or else a model of model.provider
}

// Tiers are lists of models under a name.
type Tiers []Tier

// Tier is one list. Its first model is asked; each one after it when those before cannot answer now.
type Tier struct {
	Name   string
	Models []Target
}

// Target is a model at a server.
type Target struct {
	Provider string // of model.providers, or a kind of server; empty is model.provider
	Model    string
}

// Providers are servers beside the one of model.provider. They are the user's own: each may hold an address and a key.
type Providers []Provider

// Provider is one server.
type Provider struct {
	Name        string
	Kind        string // the protocol it speaks
	BaseURL     string // empty is the kind's own
	KeyEnv      string
	KeyFile     string
	Timeout     time.Duration
	Concurrency int
	PerMinute   float64
	Window      int
}

// kinds are the protocols of real servers.
var kinds = []string{"openai", "anthropic", "gemini", "ollama"}

// serverName is what a server may be called: a word that needs no quotes anywhere.
var serverName = regexp.MustCompile(`^[a-z][a-z0-9-]{0,31}$`)

// Way is what answers some agents.
type Way struct {
	Agents  string   // a pattern; empty is every agent that no other way fits
	Tier    string   // empty where a model was named itself
	Targets []Target // at least one, each with its provider
}

// Ways resolve agents and tiers, in the order they apply; the last one is for everybody else. With rehearsal there is only
// that: placeholder text never mixes with a real model's.
func (m Model) Ways() []Way {
	var ways []Way
	if m.Provider != "rehearsal" {
		for _, a := range m.Agents {
			ways = append(ways, m.way(a))
		}
	}
	return append(ways, Way{Targets: []Target{{m.Provider, m.Model}}})
}

func (m Model) way(a Agent) Way {
	i := slices.IndexFunc(m.Tiers, func(t Tier) bool { return t.Name == a.Use })
	if i < 0 {
		return Way{Agents: a.Match, Targets: []Target{{m.Provider, a.Use}}}
	}
	w := Way{Agents: a.Match, Tier: a.Use}
	for _, t := range m.Tiers[i].Models {
		if t.Provider == "" {
			t.Provider = m.Provider
		}
		w.Targets = append(w.Targets, t)
	}
	return w
}

// Server gives the settings of a server that a target names.
func (m Model) Server(name string) (Provider, bool) {
	if name == m.Provider {
		return Provider{Name: name, Kind: name, BaseURL: m.BaseURL, KeyEnv: m.KeyEnv, KeyFile: m.KeyFile, Timeout: m.Timeout,
			Concurrency: m.Concurrency, PerMinute: m.PerMinute, Window: m.Window}, true
	}
	for _, p := range m.Providers {
		if p.Name == name {
			return p, true
		}
	}
	if slices.Contains(kinds, name) {
		return Provider{Name: name, Kind: name, KeyEnv: usualKeys[name], Timeout: m.Timeout, Concurrency: m.Concurrency, Window: m.Window}, true
	}
	return Provider{}, false
}

// agents reads the table of agents.
func (d *document) agents(f field, n ast.Node) (table, error) {
	var rows Agents
	err := d.each(n, f.key, func(match string, at *token.Token, value ast.Node) error {
		if _, err := path.Match(match, ""); err != nil || strings.TrimSpace(match) == "" {
			return d.fault(at, f.key, "a key of %s is no name of an agent and no pattern of names", f.key)
		}
		use, need := plainName(value)
		if need != "" {
			return d.fault(at, f.key, "%s.%s has %s; the name of a tier or of a model is needed", f.key, match, need)
		}
		rows = append(rows, Agent{match, use})
		return nil
	})
	return rows, err
}

// plainName reads one word of a table, or says what is there instead.
func plainName(n ast.Node) (name, found string) {
	text, ok := scalar(n)
	switch {
	case !ok:
		return "", "no plain value"
	case strings.TrimSpace(text) == "":
		return "", "no value"
	case len(text) > 200 || strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return "", "a value that is no name"
	}
	return text, ""
}

// tiers reads the table of tiers.
func (d *document) tiers(f field, n ast.Node) (table, error) {
	var rows Tiers
	err := d.each(n, f.key, func(name string, at *token.Token, value ast.Node) error {
		place := f.key + "." + name
		list, ok := value.(*ast.SequenceNode)
		if !ok || len(list.Values) == 0 {
			return d.fault(at, f.key, "%s is no list of models", place)
		}
		t := Tier{Name: name}
		for i, v := range list.Values {
			target, err := d.target(place+"["+strconv.Itoa(i)+"]", at, v)
			if err != nil {
				return err
			}
			t.Models = append(t.Models, target)
		}
		rows = append(rows, t)
		return nil
	})
	return rows, err
}

// target reads a model of a tier: a name, or a server and a name.
func (d *document) target(place string, at *token.Token, n ast.Node) (Target, error) {
	var t Target
	if name, found := plainName(n); found == "" {
		return Target{Model: name}, nil
	}
	if _, isMap := n.(ast.MapNode); !isMap {
		return t, d.fault(at, place, "%s is no model; a name is needed, or {provider: …, model: …}", place)
	}
	err := d.each(n, place, func(key string, at *token.Token, value ast.Node) error {
		name, found := plainName(value)
		switch {
		case key != "provider" && key != "model":
			return d.fault(at, place, "%s has %s; provider and model are what it takes", place, key)
		case found != "":
			return d.fault(at, place, "%s of %s has %s; a name is needed", key, place, found)
		case key == "provider":
			t.Provider = name
		default:
			t.Model = name
		}
		return nil
	})
	if err == nil && t.Model == "" {
		err = d.fault(at, place, "%s names no model", place)
	}
	return t, err
}

// providers reads the table of servers.
func (d *document) providers(f field, n ast.Node) (table, error) {
	var rows Providers
	defaults := Default().Model
	err := d.each(n, f.key, func(name string, at *token.Token, value ast.Node) error {
		place := f.key + "." + name
		if !serverName.MatchString(name) || name == "rehearsal" || slices.Contains(kinds, name) {
			return d.fault(at, f.key, "a server of %s has no name of its own in small letters, digits and -", f.key)
		}
		p := Provider{Name: name, Timeout: defaults.Timeout, Concurrency: defaults.Concurrency}
		isKeyed := false
		err := d.each(value, place, func(key string, at *token.Token, value ast.Node) error {
			isKeyed = isKeyed || strings.HasPrefix(key, "key_")
			if need := p.set(key, value); need != "" {
				return d.fault(at, place, "%s of %s %s", key, place, need)
			}
			return nil
		})
		if err == nil && p.Kind == "" {
			err = d.fault(at, f.key, "%s has no kind; one of %s is needed", place, strings.Join(kinds, ", "))
		}
		// The usual key of a kind belongs to that kind's own server and is not sent to another by default.
		if !isKeyed && p.BaseURL == "" {
			p.KeyEnv = usualKeys[p.Kind]
		}
		rows = append(rows, p)
		return err
	})
	return rows, err
}

// set takes one key of a server. The answer says what is wrong with the value, without repeating it: it may be a key.
func (p *Provider) set(key string, n ast.Node) string {
	text, ok := scalar(n)
	if !ok {
		return "is no plain value"
	}
	var err error
	switch key {
	case "kind":
		if !slices.Contains(kinds, text) {
			return "is none of " + strings.Join(kinds, ", ")
		}
		p.Kind = text
	case "base_url":
		p.BaseURL = text
		return refuseURL(text)
	case "key_env":
		p.KeyEnv = text
		return refuseVariable(text)
	case "key_file":
		p.KeyFile = text
	case "timeout":
		if p.Timeout, err = time.ParseDuration(text); err != nil || p.Timeout < 0 {
			return "is no time such as 90s or 5m"
		}
	case "concurrency":
		if p.Concurrency, err = strconv.Atoi(text); err != nil || p.Concurrency < 0 {
			return "is no whole number from 0"
		}
	case "context_tokens":
		if p.Window, err = strconv.Atoi(text); err != nil || p.Window < 0 {
			return "is no whole number from 0"
		}
	case "requests_per_minute":
		if p.PerMinute, err = strconv.ParseFloat(text, 64); err != nil || !(p.PerMinute >= 0 && p.PerMinute < 1e9) {
			return "is no number from 0"
		}
	default:
		return "is no setting of a server; kind, base_url, key_env, key_file, timeout, concurrency, requests_per_minute and context_tokens are"
	}
	return ""
}

// refuseTiers finds tiers that name servers nobody configured. It comes last: the workspace's tiers may name the user's
// servers.
func (l *loader) refuseTiers() error {
	m := l.out.Model
	for _, t := range m.Tiers {
		for _, target := range t.Models {
			if target.Provider == "" {
				continue
			}
			if target.Provider == "rehearsal" {
				return l.badTier(t, "names rehearsal, whose placeholder text never mixes with a real model's")
			}
			if _, ok := m.Server(target.Provider); !ok {
				return l.badTier(t, "names the server "+strconv.Quote(target.Provider)+", which model.providers does not have")
			}
		}
	}
	return nil
}

func (l *loader) badTier(t Tier, why string) error {
	origin := l.out.origins["model.tiers"]
	return fault.New(fault.BadConfig, "model.tiers", "tier %s of %s %s", t.Name, origin, why).With(change(origin))
}

// refuseForeignKey keeps a workspace from sending the key of one provider to another: a key that the user gave goes to an
// address that the user gave, or to the provider that the user named; the usual key of a provider goes to that provider's
// own address.
func (l *loader) refuseForeignKey(s Source, chosen string) error {
	m, from := l.out.Model, l.out.origins
	isGiven := from["model.key_env"] != "default" && m.KeyEnv != "" || from["model.key_file"] != "default" && m.KeyFile != ""
	isForeign := from["model.provider"] == s.Workspace && m.Provider != chosen && m.Provider != "rehearsal"
	isPlaced := from["model.base_url"] != "default" && m.BaseURL != ""
	if !isForeign || isGiven == isPlaced {
		return nil
	}
	what := "key was given for " + chosen + "; it is not sent elsewhere"
	if isPlaced {
		what = "address was given for " + chosen + "; the usual key of " + m.Provider + " is not sent there"
	}
	return fault.New(fault.BadConfig, "model.provider", "the workspace names the provider %s, and your %s", m.Provider, what).With(
		fault.Action{Action: "name", Command: "export SLUICE_MODEL_PROVIDER=" + m.Provider, Why: "if the key is that provider's"},
		edit(s.Workspace))
}

// String writes the table as it would stand in a file.
func (a Agents) String() string {
	rows := make([]string, 0, len(a))
	for _, row := range a {
		rows = append(rows, word(row.Match)+": "+word(row.Use))
	}
	return "{" + strings.Join(rows, ", ") + "}"
}

// String writes the table as it would stand in a file.
func (t Tiers) String() string {
	rows := make([]string, 0, len(t))
	for _, row := range t {
		var models []string
		for _, m := range row.Models {
			text := word(m.Model)
			if m.Provider != "" {
				text = "{provider: " + word(m.Provider) + ", model: " + text + "}"
			}
			models = append(models, text)
		}
		rows = append(rows, word(row.Name)+": ["+strings.Join(models, ", ")+"]")
	}
	return "{" + strings.Join(rows, ", ") + "}"
}

// String writes the table as it would stand in a file: where keys are kept, never a key.
func (p Providers) String() string {
	rows := make([]string, 0, len(p))
	for _, row := range p {
		text := word(row.Name) + ": {kind: " + row.Kind
		for _, part := range []struct{ name, value string }{{"base_url", row.BaseURL}, {"key_env", row.KeyEnv}, {"key_file", row.KeyFile}} {
			if part.value != "" {
				text += ", " + part.name + ": " + word(part.value)
			}
		}
		rows = append(rows, text+"}")
	}
	return "{" + strings.Join(rows, ", ") + "}"
}
