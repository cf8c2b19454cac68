package model

import (
	"regexp"
	"slices"
	"strings"

	"sluice/internal/journal"
)

// Price is what a model costs, in US dollars per million tokens.
type Price struct {
	Model  string // what the model's name begins with
	Input  float64
	Output float64
	Cached float64 // input that the provider had read before
	Host   string  // of the server that takes this price; empty is any
	UpTo   int     // tokens of input up to which the price holds; 0 is any number
	AsOf   string  // of the overview that a list price was taken from; empty for one of the user's own
}

// Cost is what a call cost.
func (p Price) Cost(u journal.Usage) journal.Money {
	cached := min(u.CachedTokens, u.InputTokens)
	perMillion := float64(u.InputTokens-cached)*p.Input + float64(cached)*p.Cached + float64(u.OutputTokens)*p.Output
	return journal.Dollars(perMillion / 1e6)
}

// listPrices are those of the vendors' own servers, as public overviews of them had them at the date of each row. The same
// model elsewhere costs something else, so it has no price until the user says one.
func listPrices() []Price {
	vendor := func(host, asOf string, rows ...Price) []Price {
		for i := range rows {
			rows[i].Host, rows[i].AsOf = host, asOf
		}
		return rows
	}
	return slices.Concat(
		vendor("api.anthropic.com", "2026-11-15",
			Price{Model: "claude-opus-5-5", Input: 4, Output: 20, Cached: 0.2},
			Price{Model: "claude-opus-5", Input: 5, Output: 25, Cached: 0.5},
			Price{Model: "claude-opus-4-8", Input: 5, Output: 25, Cached: 0.5},
			Price{Model: "claude-opus-4-7", Input: 5, Output: 25, Cached: 0.5},
			Price{Model: "claude-opus-4-6", Input: 5, Output: 25, Cached: 0.5},
			Price{Model: "claude-opus-4-5", Input: 5, Output: 25, Cached: 0.5},
			Price{Model: "claude-opus-4-1", Input: 15, Output: 75, Cached: 1.5},
			Price{Model: "claude-sonnet-5-5", Input: 2, Output: 10, Cached: 0.2},
			Price{Model: "claude-sonnet-5", Input: 2, Output: 10, Cached: 0.2},
			Price{Model: "claude-sonnet-4-5", Input: 3, Output: 15, Cached: 0.3, UpTo: 200_000},
			Price{Model: "claude-haiku-5-5", Input: 0.1, Output: 0.5, Cached: 0.01, UpTo: 100_000},
			Price{Model: "claude-haiku-4-5", Input: 1, Output: 5, Cached: 0.1}),
		vendor("api.openai.com", "2026-03-21",
			Price{Model: "gpt-5", Input: 1.25, Output: 10, Cached: 0.125},
			Price{Model: "gpt-5-mini", Input: 0.25, Output: 2, Cached: 0.025},
			Price{Model: "gpt-5-nano", Input: 0.05, Output: 0.4, Cached: 0.005},
			Price{Model: "gpt-4.1", Input: 2, Output: 8, Cached: 0.5},
			Price{Model: "gpt-4.1-mini", Input: 0.4, Output: 1.6, Cached: 0.1},
			Price{Model: "gpt-4.1-nano", Input: 0.1, Output: 0.4, Cached: 0.025},
			Price{Model: "gpt-4o", Input: 2.5, Output: 10, Cached: 1.25},
			Price{Model: "gpt-4o-mini", Input: 0.15, Output: 0.6, Cached: 0.075},
			Price{Model: "o3", Input: 2, Output: 8, Cached: 0.5},
			Price{Model: "o4-mini", Input: 1.1, Output: 4.4, Cached: 0.275}),
		vendor("generativelanguage.googleapis.com", "2025",
			Price{Model: "gemini-2.5-pro", Input: 1.25, Output: 10, Cached: 0.125, UpTo: 200_000},
			Price{Model: "gemini-2.5-flash", Input: 0.3, Output: 2.5, Cached: 0.03},
			Price{Model: "gemini-2.5-flash-lite", Input: 0.1, Output: 0.4, Cached: 0.01}))
}

// edition is what vendors put behind the name of a model for one edition of it: a date, three or four digits, latest. A
// single number there is another model.
var edition = regexp.MustCompile(`^(?:[-@](?:[0-9]{8}|[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{3,4}|latest))?$`)

// Prices knows what models cost.
type Prices struct {
	own   []Price
	list  []Price
	hosts map[string]string
}

// NewPrices takes the user's own prices, which win, and where each server is. Rehearsal is free.
func NewPrices(own []Price, hosts map[string]string) Prices {
	return Prices{own: own, list: listPrices(), hosts: hosts}
}

// Of gives the price of a model at a server, for so many tokens of input. What is not in a table has none: it is never
// guessed. The user's own prices count for every model whose name begins so; a list price only for editions of its model.
func (p Prices) Of(server, model string, input int) (Price, bool) {
	best, found := Price{}, false
	for _, q := range p.own {
		if strings.HasPrefix(model, q.Model) && (!found || len(q.Model) > len(best.Model)) {
			best, found = q, true
		}
	}
	if found || server == RehearsalProvider {
		return best, true
	}
	for _, q := range p.list {
		rest, ok := strings.CutPrefix(model, q.Model)
		if ok && edition.MatchString(rest) && q.Host == p.hosts[server] && (q.UpTo == 0 || input <= q.UpTo) {
			return q, true
		}
	}
	return Price{}, false
}

// charge puts the cost of a call into its usage, where the price is known.
func (p Prices) charge(server, model string, u *journal.Usage) {
	if q, ok := p.Of(server, model, u.InputTokens); ok {
		u.Cost, u.Priced = q.Cost(*u), true
	}
}

// EstimateTokens is about how many tokens a text has: one for four Latin letters, for two Cyrillic ones, and for each
// character of scripts that tokenizers know less well.
func EstimateTokens(text string) int {
	quarters := 0
	for _, c := range text {
		switch {
		case c < 0x80:
			quarters++
		case c >= 0x400 && c < 0x530:
			quarters += 2
		default:
			quarters += 4
		}
	}
	return (quarters + 3) / 4
}
