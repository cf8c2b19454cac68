package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"sluice/internal/app"
	"sluice/internal/fault"
	"sluice/internal/journal"
)

func (k *Kit) budget() *cobra.Command {
	c := &cobra.Command{
		Use:   "budget [RUN]",
		Short: "Show what was spent today and by a run, and what may be",
		Long: `Shows what was spent today, by one run, or by every run that is stopped for its budget, with the limits that count.
Tokens count always, money where the price of a model is known (model.prices). Limits come from the budget section of
the settings; a call that would cross one is not made, and you are asked.

` + exits(0, 2, 3),
		Example: `  sluice budget
  sluice budget sample-1
  sluice budget raise sample-1 --tokens 20000`,
		Args:              fitUse,
		ValidArgsFunction: k.CompleteRun,
		RunE: func(c *cobra.Command, args []string) error {
			return k.With(c.Context(), func(a *app.App) error {
				d, err := a.Budget(c.Context(), strings.Join(args, ""))
				if err != nil {
					return err
				}
				return k.Print(d, k.look().budget(d))
			})
		},
	}
	c.AddCommand(k.budgetRaise())
	return c
}

func (k *Kit) budgetRaise() *cobra.Command {
	var r app.Raise
	var tokens int64
	var cost float64
	var isDay bool
	c := &cobra.Command{
		Use:   "raise [RUN]",
		Short: "Set the limit of a run or of today",
		Long: `Sets what a run, or with --day all runs of today (UTC), may spend in all. It counts instead of the settings; 0 takes
the limit away. What was stopped for it is opened again and goes on with the next run.

` + exits(0, 2, 3),
		Example: `  sluice budget raise sample-1 --tokens 20000
  sluice budget raise sample-1 --cost 2.50
  sluice budget raise --day --cost 20`,
		Args:              fitUse,
		ValidArgsFunction: k.CompleteRun,
	}
	c.Flags().Int64Var(&tokens, "tokens", 0, "at most `N` tokens in all, in and out")
	c.Flags().Float64Var(&cost, "cost", 0, "at most `DOLLARS` in all")
	c.Flags().BoolVar(&isDay, "day", false, "the limit of today, for all runs together")
	c.RunE = func(c *cobra.Command, args []string) error {
		switch {
		case isDay == (len(args) > 0):
			return wrongUse(c, "RUN", "sluice budget raise needs either RUN or --day")
		case !c.Flags().Changed("tokens") && !c.Flags().Changed("cost"):
			return wrongUse(c, "--tokens", "sluice budget raise needs --tokens or --cost")
		case tokens < 0:
			return wrongUse(c, "--tokens", "--tokens is %d; 0 or more is needed", tokens)
		case !(cost >= 0 && cost < 1e9):
			return wrongUse(c, "--cost", "--cost is %g; 0 or more is needed", cost)
		}
		if c.Flags().Changed("tokens") {
			r.Tokens = &tokens
		}
		if c.Flags().Changed("cost") {
			r.Cost = &cost
		}
		r.Run = strings.Join(args, "")
		return k.With(c.Context(), func(a *app.App) error {
			d, err := a.RaiseBudget(c.Context(), r)
			if err != nil {
				return err
			}
			return k.Print(d, k.look().budget(d))
		})
	}
	return c
}

func (v look) budget(d app.BudgetDoc) string {
	rows := [][]string{{"BUDGET", "TOKENS", "OF", "RESERVED", "COST", "OF", "NOTE"}}
	for _, s := range d.Budgets {
		limit, money, of := "no limit", "unknown", "no limit"
		if s.LimitTokens != nil {
			limit = thousands(int(*s.LimitTokens))
		}
		if s.Cost != nil {
			money = dollars(*s.Cost)
		} else if s.Tokens == 0 {
			money = dollars(0)
		}
		if s.LimitCost != nil {
			of = dollars(*s.LimitCost)
		}
		rows = append(rows, []string{s.Scope + " " + clean(s.Name), thousands(int(s.Tokens)), limit, thousands(int(s.ReservedTokens)), money, of, budgetNote(s)})
	}
	var b strings.Builder
	b.WriteString(table(v.width, rows...))
	for _, run := range d.Reopens {
		b.WriteString("run " + clean(run) + " can go on\n")
	}
	b.WriteString(v.next(d.Next))
	return b.String()
}

func budgetNote(s app.ScopeDoc) string {
	var notes []string
	add := func(is bool, format string, args ...any) {
		if is {
			notes = append(notes, fmt.Sprintf(format, args...))
		}
	}
	add(s.Stopped > 0, "%s stopped", count(s.Stopped, "step"))
	add(s.Raised, "set by hand")
	add(s.Cheaper, "goes on with the cheaper model")
	add(s.UnpricedTokens > 0, "%s tokens have no known price", thousands(int(s.UnpricedTokens)))
	add(s.UnpricedTokens > 0 && s.LimitCost != nil, "they do not count against the limit in money")
	return strings.Join(notes, ", ")
}

// dollars writes an amount as people count it.
func dollars(amount float64) string { return journal.Dollars(amount).String() }

// budgetFlags are the limits of this one command.
func (k *Kit) budgetFlags(c *cobra.Command) {
	c.Flags().Var((*limitFlag)(&k.budgetTokens), "budget-tokens", "at most `N` tokens for the run, whatever was set before (budget.run_tokens)")
	c.Flags().Var((*limitFlag)(&k.budgetCost), "budget-cost", "at most so many `DOLLARS` for the run, whatever was set before (budget.run_cost)")
}

// limitFlag is a limit that is judged with the other settings. One that is given must say something: an empty variable of
// a script would otherwise lift the limit that it meant to set.
type limitFlag string

func (f *limitFlag) String() string { return string(*f) }
func (f *limitFlag) Type() string   { return "number" }

func (f *limitFlag) Set(text string) error {
	if strings.TrimSpace(text) == "" {
		return errors.New("a number is needed; 0 sets no limit")
	}
	*f = limitFlag(text)
	return nil
}

func (k *Kit) forecast() *cobra.Command {
	return &cobra.Command{
		Use:   "forecast RUN",
		Short: "Estimate what a run will still cost: calls, tokens, money and time",
		Long: `Estimates what is still to come of a run that has not finished, from the steps that are left and what such steps cost
so far: in this run, else in this workspace, else as a rule. It says for each step what its estimate rests on, and what
it leaves open. It calls no model.

` + exits(0, 2, 3, 5),
		Example:           "  sluice forecast sample-1\n  sluice forecast sample-1 --json",
		Args:              fitUse,
		ValidArgsFunction: k.CompleteRun,
		RunE: func(c *cobra.Command, args []string) error {
			return k.With(c.Context(), func(a *app.App) error {
				d, err := a.Forecast(c.Context(), args[0])
				if err != nil {
					return err
				}
				return k.Print(d, k.look().forecast(d))
			})
		},
	}
}

func (v look) forecast(d app.ForecastDoc) string {
	var b strings.Builder
	spent := usage(d.Spent)
	if spent == "" {
		spent = "nothing yet"
	}
	fmt.Fprintf(&b, "run %s (%s) is %s; spent: %s\n", clean(d.Run), clean(d.Line), d.Status, spent)
	if len(d.Steps) == 0 {
		b.WriteString("no model call is foreseen\n")
	} else {
		rows := [][]string{{"STEP", "LEFT", "CALLS", "TOKENS", "COST", "TIME", "RESTS ON"}}
		for _, s := range d.Steps {
			basis := string(s.Basis)
			if s.Basis != app.Usual {
				basis += ", " + count(s.Samples, "node")
			}
			rows = append(rows, []string{clean(s.Step), thousands(s.Nodes), thousands(s.Calls), thousands(int(s.InputTokens + s.OutputTokens)),
				costText(s.Cost), clock(s.Seconds), basis})
		}
		rows = append(rows, []string{"in all", "", thousands(d.Calls), thousands(int(d.Tokens)), costText(d.Cost), clock(d.Seconds), ""})
		b.WriteString(table(v.width, rows...))
	}
	for _, n := range d.Notes {
		b.WriteString("  " + clean(n) + "\n")
	}
	b.WriteString(v.next([]fault.Action{{Command: "sluice budget " + d.Run, Why: "it shows what may be spent"}}))
	return b.String()
}

func costText(c *float64) string {
	if c == nil {
		return "unknown"
	}
	return dollars(*c)
}

func clock(seconds int64) string {
	switch {
	case seconds < 60:
		return fmt.Sprintf("%ds", seconds)
	case seconds < 3600:
		return fmt.Sprintf("%dm%02ds", seconds/60, seconds%60)
	}
	return fmt.Sprintf("%dh%02dm", seconds/3600, seconds/60%60)
}
