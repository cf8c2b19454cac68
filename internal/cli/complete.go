package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"sluice/internal/app"
	"sluice/internal/journal"
)

// CompleteRun offers ids of runs for the first argument. Errors are silent: a shell has no place for them.
func (k *Kit) CompleteRun(c *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	var found []string
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	_ = k.quiet(c, func(a *app.App) error {
		d, err := a.Overview(c.Context(), journal.Filter{Limit: maxPage})
		for _, r := range d.Runs {
			if strings.HasPrefix(r.Run, begun) {
				found = append(found, r.Run+"\t"+clean(r.Status+", "+r.Title))
			}
		}
		return err
	})
	return found, cobra.ShellCompDirectiveNoFileComp
}

// completeAsk offers ids of open asks, then the options of the one that was named.
func (k *Kit) completeAsk(c *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	var found []string
	_ = k.quiet(c, func(a *app.App) error {
		d, err := a.Inbox(c.Context(), "")
		for _, ask := range d.Asks {
			switch {
			case len(args) == 0 && strings.HasPrefix(ask.Ask, begun):
				found = append(found, ask.Ask+"\t"+clean(ask.Kind+": "+ask.Title))
			case len(args) == 1 && strings.Contains(c.Use, "[CHOICE]") && ask.Ask == args[0],
				len(args) == 1 && strings.Contains(c.Use, "VARIANT") && ask.Ask == args[0]:
				for _, o := range ask.Options {
					if strings.HasPrefix(o, begun) {
						found = append(found, o)
					}
				}
			}
		}
		return err
	})
	return found, cobra.ShellCompDirectiveNoFileComp
}

// quiet opens the workspace without a word on the terminal.
func (k *Kit) quiet(c *cobra.Command, verb func(*app.App) error) error {
	o := k.options()
	o.Observe, o.Warn, o.Verbose = nil, nil, false
	a, done, err := k.env.Open(c.Context(), o)
	if err != nil {
		return err
	}
	defer func() { _ = done() }()
	return verb(a)
}
