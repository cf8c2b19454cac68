package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"sluice/internal/app"
	"sluice/internal/fault"
)

func (k *Kit) replay() *cobra.Command {
	c := &cobra.Command{
		Use:   "replay RUN",
		Short: "Do a run again from what is recorded, and compare",
		Long: `Does every deterministic step again from its recorded inputs and the recorded replies of models, every rule of a gate
and every unfolding, and compares what comes out with what is recorded, byte for byte. No model is asked and nothing is
changed. The first difference is shown; then the exit code is 7.

` + exits(0, 2, 3, 7),
		Example: "  sluice replay sample-1\n  sluice replay F-2026-001 --json",
	}
	return k.replaying(c, (*app.App).Replay)
}

func (k *Kit) specReplay() *cobra.Command {
	c := &cobra.Command{
		Use:   "replay RUN",
		Short: "Do a run again from its snapshots, and compare",
		Long: `Does every deterministic step of a run again from its snapshot and the recorded replies of models. Every gate result and
every version must come out byte for byte; the first difference is shown, and then the exit code is 7. RUN is the id of
a run, or of a feature with all its runs. No model is asked and nothing is changed.

` + exits(0, 2, 3, 7),
		Example: "  sluice spec replay R-20261115-0001\n  sluice spec replay F-2026-001",
	}
	return k.replaying(c, (*app.App).ReplaySpec)
}

func (k *Kit) replaying(c *cobra.Command, verb func(*app.App, context.Context, string) (app.ReplayDoc, error)) *cobra.Command {
	c.Args = fitUse
	c.RunE = func(c *cobra.Command, args []string) error {
		return k.With(c.Context(), func(a *app.App) error {
			d, err := verb(a, c.Context(), args[0])
			if err != nil {
				return err
			}
			if !d.Same {
				k.exit = fault.ExitFindings
			}
			return k.Print(d, k.look().replay(d))
		})
	}
	return c
}

func (v look) replay(d app.ReplayDoc) string {
	var b strings.Builder
	name := d.Run
	if d.RunID != "" {
		name = d.RunID + " of " + d.Run
	}
	fmt.Fprintf(&b, "%s: %s, %s, %s and %s came out the same\n", clean(name), count(d.Steps, "step"), count(d.Versions, "version"),
		count(d.GateResults, "gate result"), count(d.Unfoldings, "unfolding"))
	if d.OtherProgram {
		b.WriteString("  the run began under another definition of its line\n")
	}
	for _, s := range d.Skipped {
		b.WriteString("  not repeated: " + clean(string(s.Attempt)) + ", " + clean(s.Why) + "\n")
	}
	x := d.Difference
	if x == nil {
		return b.String()
	}
	fmt.Fprintf(&b, "first difference at event %d, %s\n", x.Seq, clean(strings.TrimSpace(string(x.Node)+" "+x.Step+" "+string(x.Version))))
	fmt.Fprintf(&b, "  %s: %s\n  - %s\n  + %s\n", clean(x.What), clean(x.Message), clean(x.Recorded), clean(x.Repeated))
	return b.String() + v.next([]fault.Action{{Command: "sluice verify --run " + d.Run, Why: "it says whether the journal is whole"}})
}
