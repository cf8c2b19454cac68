package cli

import (
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"sluice/internal/app"
	"sluice/internal/fault"
)

func (k *Kit) gc() *cobra.Command {
	var q app.WasteQuery
	c := &cobra.Command{
		Use:   "gc",
		Short: "Show what nothing needs, and remove it with --yes",
		Long: `Lists what is left on the disk and nothing needs: contents whose batch was refused, files that a killed process
was writing, locks of processes that ended, folded states of other versions of sluice. Nothing younger than an
hour is touched. No version, event, review or file of yours is ever removed. Two things can be asked for
besides: --folds drops every folded state, which is made anew; --cancelled drops replies that only cancelled or
dropped runs asked for: replaying or resuming those runs then asks the models again.

` + exits(0, 2, 3),
		Example: "  sluice gc\n  sluice gc --yes\n  sluice gc --cancelled --yes",
		Args:    fitUse,
		RunE: func(c *cobra.Command, _ []string) error {
			return k.With(c.Context(), func(a *app.App) error {
				d, err := a.Waste(c.Context(), q)
				if err != nil {
					return err
				}
				if err := k.Print(d, k.look().waste(d, q)); err != nil || q.Remove || len(d.Items) == 0 {
					return err
				}
				if q.Remove, err = k.confirm(c.Context(), "Remove this?"); err != nil || !q.Remove {
					return err
				}
				if d, err = a.Waste(c.Context(), q); err != nil {
					return err
				}
				return k.Print(d, k.look().waste(d, q))
			})
		},
	}
	c.Flags().BoolVar(&q.Remove, "yes", false, "remove what is listed")
	c.Flags().BoolVar(&q.Folds, "folds", false, "folded states of every run, too")
	c.Flags().BoolVar(&q.Cancelled, "cancelled", false, "replies of cancelled and dropped runs, too")
	return c
}

func (v look) waste(d app.WasteDoc, q app.WasteQuery) string {
	if len(d.Items) == 0 {
		return "nothing is left over\n"
	}
	rows := [][]string{{"WHAT", "COUNT", "SIZE", "NAME", "WHY"}}
	for _, i := range d.Items {
		rows = append(rows, []string{i.Kind, strconv.Itoa(i.Count), bytesText(i.Bytes), dash(clean(i.Name)), clean(i.Why)})
	}
	text := table(v.width, rows...)
	if d.Removed {
		return text + fmt.Sprintf("removed %s\n", bytesText(d.Bytes))
	}
	command := "sluice gc"
	if q.Folds {
		command += " --folds"
	}
	if q.Cancelled {
		command += " --cancelled"
	}
	return text + v.next([]fault.Action{{Command: command + " --yes", Why: "it removes this, " + bytesText(d.Bytes)}})
}
