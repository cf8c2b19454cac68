package app

import (
	"cmp"
	"slices"

	"sluice/internal/journal"
)

// DryCall is a model call that would be made.
type DryCall struct {
	Run          string   `json:"run"`
	Node         string   `json:"node"`
	Step         string   `json:"step"` // with its line
	Slot         string   `json:"slot,omitempty"`
	Agent        string   `json:"agent"`
	Provider     string   `json:"provider"`
	Model        string   `json:"model"`
	InputTokens  int      `json:"input_tokens"`      // estimated from the prompt
	OutputTokens int      `json:"output_tokens"`     // estimated from the agent's replies so far
	Cost         *float64 `json:"cost"`              // in US dollars; null where the price is not known
	Refused      string   `json:"refused,omitempty"` // the limit that it would cross as things stand
}

// DryDoc lists the calls that a command would begin with. What comes after them depends on the answers.
type DryDoc struct {
	DryRun bool      `json:"dry_run"`
	Calls  []DryCall `json:"calls"`
	Tokens int       `json:"tokens"`
	Cost   *float64  `json:"cost"`
}

// DryRun orders and adds up calls that would be made.
func DryRun(calls []DryCall) DryDoc {
	d := DryDoc{DryRun: true, Calls: []DryCall{}}
	d.Calls = append(d.Calls, calls...)
	slices.SortFunc(d.Calls, func(a, b DryCall) int {
		return cmp.Or(cmp.Compare(a.Run, b.Run), cmp.Compare(a.Node, b.Node), cmp.Compare(a.Slot, b.Slot))
	})
	isPriced, cost := true, journal.Money(0)
	for _, c := range d.Calls {
		d.Tokens += c.InputTokens + c.OutputTokens
		isPriced = isPriced && c.Cost != nil
		if c.Cost != nil {
			cost += journal.Dollars(*c.Cost)
		}
	}
	if isPriced {
		d.Cost = add(nil, cost)
	}
	return d
}
