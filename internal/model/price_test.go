package model

import (
	"testing"

	"sluice/internal/journal"
)

func TestPriceIsNeverGuessed(t *testing.T) {
	hosts := map[string]string{"openai": "api.openai.com", "anthropic": "api.anthropic.com", "local": "127.0.0.1:8080"}
	p := NewPrices([]Price{{Model: "house-", Input: 1}, {Model: "house-big", Input: 7}}, hosts)
	for _, c := range []struct {
		name, server, model string
		input               int
		want                float64 // of input; negative: none
	}{
		{"the model itself", "openai", "gpt-4o", 10, 2.5},
		{"a dated edition", "openai", "gpt-4o-2024-08-06", 10, 2.5},
		{"a smaller sibling", "openai", "gpt-4o-mini", 10, 0.15},
		{"a sibling that nobody listed", "openai", "gpt-4o-audio", 10, -1},
		{"an edition by day", "anthropic", "claude-haiku-4-5-20251001", 10, 1},
		{"the next number is another model", "anthropic", "claude-opus-5-5", 10, 4},
		{"a number that is not listed", "anthropic", "claude-opus-5-6", 10, -1},
		{"beyond the tier", "anthropic", "claude-haiku-5-5", 100_001, -1},
		{"the same name elsewhere", "local", "gpt-4o", 10, -1},
		{"a price of the user's own", "local", "house-small", 10, 1},
		{"the longest name of the user's wins", "local", "house-big-2", 10, 7},
		{"rehearsal is free", "rehearsal", "rehearsal", 10, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, ok := p.Of(c.server, c.model, c.input)
			if ok != (c.want >= 0) || ok && got.Input != c.want {
				t.Errorf("got %v, %v, want %v", got, ok, c.want)
			}
		})
	}
}

func TestListPricesHaveDateAndHost(t *testing.T) {
	for _, p := range listPrices() {
		if p.AsOf == "" || p.Host == "" || p.Input <= 0 || p.Output <= p.Input || p.Cached <= 0 || p.Cached >= p.Input {
			t.Errorf("%+v", p)
		}
	}
}

func TestCost(t *testing.T) {
	p := Price{Input: 2.5, Output: 10, Cached: 1.25}
	got := p.Cost(journal.Usage{InputTokens: 1000, CachedTokens: 400, OutputTokens: 100})
	if want := journal.Dollars(0.0015 + 0.0005 + 0.001); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := p.Cost(journal.Usage{InputTokens: 1, CachedTokens: 900}); got != journal.Dollars(1.25/1e6) {
		t.Errorf("more cached than read: %s", got)
	}
}
