package wire

import (
	"net/url"
	"path"
	"strings"
	"time"

	"sluice/internal/app"
	"sluice/internal/config"
	"sluice/internal/journal"
	"sluice/internal/model"
)

// budget keeps calls within what the settings allow. A limit that a flag names counts for this command whatever was raised.
func (h *house) budget(s Setup) *model.Budget {
	c := s.Settings.Budget
	isFlag := func(key string) bool { return strings.HasPrefix(s.Settings.Origin(key), "flag ") }
	b := &model.Budget{Store: h.store, Prices: prices(s.Settings.Config), WarnAt: c.WarnAt, Now: time.Now,
		Run: journal.Limit{Tokens: int64(c.RunTokens), Cost: journal.LimitOf(c.RunCost),
			FixedTokens: isFlag("budget.run_tokens"), FixedCost: isFlag("budget.run_cost")},
		Day: journal.Limit{Tokens: int64(c.DayTokens), Cost: journal.LimitOf(c.DayCost)}}
	if s.Warn != nil {
		b.Warn = func(message string) { s.Warn(message + "; sluice budget shows it") }
	}
	return b
}

// spendingOf is what verbs know of money.
func (h *house) spendingOf(s *config.Settings) app.Spending {
	target := func(agent string) config.Target {
		ways := s.Model.Ways()
		for _, w := range ways[:len(ways)-1] {
			if fits, err := path.Match(w.Agents, agent); err == nil && fits {
				return w.Targets[0]
			}
		}
		return ways[len(ways)-1].Targets[0]
	}
	return app.Spending{Purse: h.store, Run: h.spending.Run, Day: h.spending.Day, Cheaper: s.Budget.Cheaper,
		Price: func(agent string, u journal.Usage) (journal.Money, bool) {
			t := target(agent)
			p, ok := h.spending.Prices.Of(t.Provider, named(t), u.InputTokens)
			return p.Cost(u), ok
		},
		Model: func(agent string) string { return named(target(agent)) }}
}

// named is the model of a target; rehearsal has one without a name.
func named(t config.Target) string {
	if t.Model == "" {
		return t.Provider
	}
	return t.Model
}

// prices are the user's own and the vendors' lists, with where each configured server is.
func prices(c config.Config) model.Prices {
	m := c.Model
	var own []model.Price
	for _, p := range m.Prices {
		own = append(own, model.Price{Model: p.Model, Input: p.Input, Output: p.Output, Cached: p.Cached})
	}
	hosts := map[string]string{}
	for _, w := range append(m.Ways(), config.Way{Targets: c.CheaperTargets()}) {
		for _, t := range w.Targets {
			if p, ok := m.Server(t.Provider); ok {
				if u, err := url.Parse(address(p)); err == nil {
					hosts[t.Provider] = u.Host
				}
			}
		}
	}
	return model.NewPrices(own, hosts)
}
