package model

import (
	"encoding/json"
	"testing"

	"sluice/internal/digest"
)

func TestKeyNamesTheWork(t *testing.T) {
	warm := 0.7
	seed := int64(3)
	base := Request{
		Agent: "chapter-plan", System: "s", Prompt: "p", Schema: json.RawMessage(`{"type":"object","required":["a"]}`),
		Inputs: json.RawMessage(`{"b":1,"a":2}`), InputDigests: []digest.Digest{digest.Of([]byte("v1"))},
		Scope: Scope{Run: "r", Node: "n", Attempt: "a1", Slot: "s", Take: 0},
	}
	key := Key("openai", base)
	same := map[string]func(*Request){
		"another attempt":       func(r *Request) { r.Scope.Attempt = "a2" },
		"other order of inputs": func(r *Request) { r.Inputs = json.RawMessage(`{"a": 2, "b": 1}`) },
		"other order of schema": func(r *Request) { r.Schema = json.RawMessage(`{"required":["a"],"type":"object"}`) },
	}
	for name, change := range same {
		r := base
		change(&r)
		if got := Key("openai", r); got != key {
			t.Errorf("%s: key changed", name)
		}
	}
	other := map[string]func(*Request){
		"model":       func(r *Request) { r.Params.Model = "m" },
		"temperature": func(r *Request) { r.Params.Temperature = &warm },
		"max tokens":  func(r *Request) { r.Params.MaxTokens = 9 },
		"seed":        func(r *Request) { r.Params.Seed = &seed },
		"agent":       func(r *Request) { r.Agent = "x" },
		"system":      func(r *Request) { r.System = "x" },
		"prompt":      func(r *Request) { r.Prompt = "x" },
		"schema":      func(r *Request) { r.Schema = nil },
		"inputs":      func(r *Request) { r.Inputs = json.RawMessage(`{"a":3}`) },
		"versions":    func(r *Request) { r.InputDigests = nil },
		"run":         func(r *Request) { r.Scope.Run = "x" },
		"node":        func(r *Request) { r.Scope.Node = "x" },
		"slot":        func(r *Request) { r.Scope.Slot = "x" },
		"take":        func(r *Request) { r.Scope.Take = 1 },
	}
	seen := map[digest.Digest]string{key: "base", Key("ollama", base): "provider"}
	if len(seen) != 2 {
		t.Error("provider: key did not change")
	}
	for name, change := range other {
		r := base
		change(&r)
		k := Key("openai", r)
		if before, ok := seen[k]; ok {
			t.Errorf("%s: same key as %s", name, before)
		}
		seen[k] = name
	}
}

// The key of a stored reply must be found again by every later release.
func TestKeyIsStable(t *testing.T) {
	got := Key("rehearsal", Request{Agent: "world", Prompt: "p", Scope: Scope{Run: "r", Node: "n"}})
	const want = "sha256:7974fb48658b17f0700f1c5c89e738fe2c18a24737a8080cf41680f46e60aae2"
	if string(got) != want {
		t.Errorf("got %s, want %s: stored replies would be paid for again", got, want)
	}
}

func TestDefaultsFillOnlyWhatIsOpen(t *testing.T) {
	warm, cold := 0.9, 0.0
	m := says("ok")
	d := Defaults(m, Params{Model: "big", Temperature: &warm, MaxTokens: 100})
	if _, err := d.Complete(t.Context(), Request{Params: Params{Temperature: &cold}}); err != nil {
		t.Fatal(err)
	}
	got := m.asked[0].Params
	if got.Model != "big" || got.MaxTokens != 100 || *got.Temperature != 0 {
		t.Errorf("got %+v, want model big, 100 tokens, temperature 0", got)
	}
}

func TestProviderClass(t *testing.T) {
	if ProviderClass("rehearsal") != ClassRehearsal || ProviderClass("openai") != ClassReal {
		t.Error("only rehearsal is rehearsal")
	}
}
