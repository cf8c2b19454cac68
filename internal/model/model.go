package model

import (
	"context"
	"encoding/json"
	"slices"

	"sluice/internal/digest"
	"sluice/internal/journal"
)

// Model answers one request. Implementations are safe for concurrent use and return errors that ClassOf can class.
type Model interface {
	Complete(ctx context.Context, r Request) (Reply, error)
}

// Request is everything an answer may depend on.
type Request struct {
	Agent        string // who is asked: "chapter-plan", "check", …
	System       string
	Prompt       string
	Schema       json.RawMessage // full JSON schema of the wanted reply; empty wants plain text
	Params       Params
	Inputs       json.RawMessage // a JSON object: what the step was given, for scripts and for rehearsed content
	InputDigests []digest.Digest // the versions the prompt was built from
	Scope        Scope

	// Watch, where it is set, is told how many bytes of the reply have come so far. Providers that can stream call it, in
	// the goroutine of Complete. It is no part of the key.
	Watch func(received int)
}

// Params are a provider's knobs. A zero field leaves the provider's default.
type Params struct {
	Model       string   `json:"model,omitempty"`
	Temperature *float64 `json:"temperature,omitempty"`
	MaxTokens   int      `json:"max_tokens,omitempty"`
	Seed        *int64   `json:"seed,omitempty"`
}

// Scope places a request in a run.
type Scope struct {
	Run     string
	Node    string
	Attempt string // recorded, and no part of the key: a new attempt at the same work finds the old reply
	Slot    string // which of several calls of one attempt
	Step    string // the line and its name for the work; recorded, and no part of the key
	Take    int    // how often content was thrown away on purpose
}

// Reply is what a model answered.
type Reply struct {
	Content  string
	Usage    journal.Usage
	Model    string
	Provider string
	Finish   string   // "stop" unless the provider knows better
	Reused   bool     // it was stored before; nothing was paid for it now
	Tries    []Try    // tries that failed before this one answered
	Notes    []string // what a person should hear of: a budget that is nearly spent

	// Stored is called by Memo as soon as the reply is durable. Rehearsal uses it to die at that very point; real
	// providers leave it nil.
	Stored func()
}

// Class says what a provider's replies are worth. A run with real replies refuses rehearsed ones.
type Class string

const (
	ClassRehearsal Class = "rehearsal"
	ClassReal      Class = "real"
)

// RehearsalProvider is the name of the embedded provider.
const RehearsalProvider = "rehearsal"

// ProviderClass gives the class of a provider by its name.
func ProviderClass(provider string) Class {
	if provider == RehearsalProvider {
		return ClassRehearsal
	}
	return ClassReal
}

// keyRevision changes when the meaning of the fields below does, so that old replies are not found by new keys.
const keyRevision = "call/1"

// Key names the work a request asks for: the same key may be answered by the same stored reply.
func Key(provider string, r Request) digest.Digest {
	inputs := r.InputDigests
	if inputs == nil {
		inputs = []digest.Digest{}
	}
	body, err := json.Marshal(struct {
		Revision string          `json:"revision"`
		Provider string          `json:"provider"`
		Params   Params          `json:"params"`
		Agent    string          `json:"agent"`
		System   string          `json:"system"`
		Prompt   string          `json:"prompt"`
		Schema   digest.Digest   `json:"schema"`
		Inputs   digest.Digest   `json:"inputs"`
		Versions []digest.Digest `json:"versions"`
		Run      string          `json:"run"`
		Node     string          `json:"node"`
		Slot     string          `json:"slot"`
		Take     int             `json:"take"`
	}{
		keyRevision, provider, r.Params, r.Agent, r.System, r.Prompt, ofJSON(r.Schema), ofJSON(r.Inputs), inputs,
		r.Scope.Run, r.Scope.Node, r.Scope.Slot, r.Scope.Take,
	})
	if err != nil {
		// Only a temperature that is no number gets here; such a request is never answered, so any name will do.
		body = []byte(err.Error())
	}
	return digest.Of(body)
}

// ofJSON names a document by its canonical form, so that key order does not make a new call.
func ofJSON(raw json.RawMessage) digest.Digest {
	if len(raw) == 0 {
		return ""
	}
	canonical, err := digest.CanonicalJSON(raw)
	if err != nil {
		canonical = slices.Clone(raw)
	}
	return digest.Of(canonical)
}

// Defaults fills the parameters that a request leaves open, before the key is made of them.
func Defaults(next Model, p Params) Model { return defaults{next, p} }

type defaults struct {
	next   Model
	params Params
}

func (d defaults) Complete(ctx context.Context, r Request) (Reply, error) {
	if r.Params.Model == "" {
		r.Params.Model = d.params.Model
	}
	if r.Params.Temperature == nil {
		r.Params.Temperature = d.params.Temperature
	}
	if r.Params.MaxTokens == 0 {
		r.Params.MaxTokens = d.params.MaxTokens
	}
	if r.Params.Seed == nil {
		r.Params.Seed = d.params.Seed
	}
	return d.next.Complete(ctx, r)
}
