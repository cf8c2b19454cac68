package cli

import (
	"slices"

	"github.com/spf13/cobra"

	"sluice/internal/app"
	"sluice/internal/journal"
	"sluice/internal/kernel"
)

func (k *Kit) status() *cobra.Command {
	var f journal.Filter
	var labels []string
	c := &cobra.Command{
		Use:   "status [RUN]",
		Short: "Show the runs, or one run with its nodes",
		Long: `Lists the runs of the workspace, newest first, or shows one run: its nodes, what it waits for, what it cost and how
it goes on.

` + exits(0, 2, 3),
		Example: `  sluice status
  sluice status --status parked --line sample
  sluice status sample-1 --json`,
		Args: fitUse,
	}
	c.Flags().StringVar(&f.Line, "line", "", "only runs of line `NAME`")
	c.Flags().StringSliceVar(&f.Status, "status", nil, "only runs with `STATUS` "+statusHelp+" (several with commas)")
	c.Flags().StringArrayVar(&labels, "label", nil, "only runs with label `NAME=VALUE` (repeat for more)")
	c.Flags().IntVar(&f.Limit, "limit", 50, "show at most `N` runs")
	c.Flags().StringVar(&f.Cursor, "page", "", "show the page `MARK` that the last one named")
	c.RunE = func(c *cobra.Command, args []string) (err error) {
		if f.Limit < 1 || f.Limit > maxPage {
			return wrongUse(c, "--limit", "--limit is %d; 1 to %d is needed", f.Limit, maxPage)
		}
		for _, s := range f.Status {
			if !slices.Contains(statuses, kernel.RunStatus(s)) {
				return wrongUse(c, "--status", "--status is %q; %s", s, statusHelp)
			}
		}
		if f.Labels, err = pairs(c, "label", labels); err != nil {
			return err
		}
		return k.With(c.Context(), func(a *app.App) error {
			if len(args) > 0 {
				d, err := a.Status(c.Context(), args[0])
				if err != nil {
					return err
				}
				return k.Print(d, k.look().status(d))
			}
			if err := a.CheckLine(f.Line); err != nil {
				return err
			}
			d, err := a.Overview(c.Context(), f)
			if err != nil {
				return err
			}
			return k.Print(d, k.look().overview(d))
		})
	}
	return c
}

var statuses = []kernel.RunStatus{kernel.RunActive, kernel.RunParked, kernel.RunFailed, kernel.RunHeld, kernel.RunDone,
	kernel.RunCancelled, kernel.RunDropped}

const statusHelp = "active, parked, failed, held, done, cancelled or dropped"

// maxPage bounds how many runs one page lists.
const maxPage = 1000

func (k *Kit) run() *cobra.Command {
	return &cobra.Command{
		Use:   "run RUN",
		Short: "Let a run go on until it waits or ends",
		Long: `Drives a run until it needs a person, fails or is done. What failed is tried again. Ctrl-C stops it: what is finished is
kept, and the same command goes on.

` + exits(0, 1, 2, 3, 4, 5, 6),
		Example: "  sluice run sample-1",
		Args:    fitUse,
		RunE: func(c *cobra.Command, args []string) error {
			return k.With(c.Context(), func(a *app.App) error {
				return k.PrintDriven(a.Drive(c.Context(), args[0]))
			})
		},
	}
}

func (k *Kit) resume() *cobra.Command {
	var from, reason string
	c := &cobra.Command{
		Use:   "resume RUN",
		Short: "Reopen a closed or failed run, and let it go on",
		Long: `Reopens a run that was cancelled, dropped or has failed, and drives it. With --from, that node and what depends on it
are made again.

` + exits(0, 1, 2, 3, 4, 5, 6),
		Example: `  sluice resume sample-1 --reason "the server is back"
  sluice resume sample-1 --from text`,
		Args: fitUse,
		RunE: func(c *cobra.Command, args []string) error {
			return k.With(c.Context(), func(a *app.App) error {
				return k.PrintDriven(a.Resume(c.Context(), args[0], from, reason))
			})
		},
	}
	c.Flags().StringVar(&from, "from", "", "begin again from `NODE`")
	c.Flags().StringVar(&reason, "reason", "", "`TEXT` that says why, for the record")
	return c
}

// verb is a command about a run that is recorded and not driven.
type verb struct {
	use, short, long, example string
	done                      string // what it did, in words
	call                      func(c *cobra.Command, a *app.App, args []string) (app.RunDoc, error)
}

func (k *Kit) recording(v verb) *cobra.Command {
	return &cobra.Command{Use: v.use, Short: v.short, Long: v.long + "\n\n" + exits(0, 2, 3, 5), Example: v.example, Args: fitUse,
		RunE: func(c *cobra.Command, args []string) error {
			return k.With(c.Context(), func(a *app.App) error {
				d, err := v.call(c, a, args)
				return k.PrintRecorded(v.done, d, err)
			})
		},
	}
}

func (k *Kit) cancel() *cobra.Command {
	var reason string
	c := k.recording(verb{use: "cancel RUN", short: "End a run", done: "cancelled",
		long:    "Ends a run. Nothing is deleted: sluice resume lets it go on.",
		example: `  sluice cancel sample-1 --reason "not needed any more"`,
		call: func(c *cobra.Command, a *app.App, args []string) (app.RunDoc, error) {
			return a.Cancel(c.Context(), args[0], reason)
		}})
	c.Flags().StringVar(&reason, "reason", "", "`TEXT` that says why, for the record")
	return c
}

func (k *Kit) revise() *cobra.Command {
	var note string
	c := k.recording(verb{use: "revise RUN NODE…", short: "Have nodes made again", done: "to be made again",
		long: `Throws the content of nodes away on purpose: they are made again when the run goes on, as another take. What stands
stays until the new content is approved; then what was made from it is stale.`,
		example: `  sluice revise sample-1 text --note "shorter, and name the opening hours"`,
		call: func(c *cobra.Command, a *app.App, args []string) (app.RunDoc, error) {
			return a.Revise(c.Context(), args[0], args[1:], note)
		}})
	c.Flags().StringVar(&note, "note", "", "`TEXT` that the next attempt should heed")
	return c
}

func (k *Kit) reopen() *cobra.Command {
	var reason string
	c := k.recording(verb{use: "reopen RUN NODE", short: "Give a node its attempts again", done: "reopened",
		long:    "Reopens a node that failed, was put aside, was given up or used up its attempts.",
		example: `  sluice reopen sample-1 text --reason "the brief is clearer now"`,
		call: func(c *cobra.Command, a *app.App, args []string) (app.RunDoc, error) {
			return a.Reopen(c.Context(), args[0], args[1], reason)
		}})
	c.Flags().StringVar(&reason, "reason", "", "`TEXT` that says why, for the record")
	return c
}

func (k *Kit) rollback() *cobra.Command {
	var undo bool
	var reason string
	c := k.recording(verb{use: "rollback RUN [NODE…]", short: "Take nodes back to before they had content, or undo that", done: "rolled back",
		long: `Takes nodes and what depends on them back to the time before they had content. Nothing is deleted; --undo brings the
last rollback back.`,
		example: `  sluice rollback sample-1 text
  sluice rollback sample-1 --undo`,
		call: func(c *cobra.Command, a *app.App, args []string) (app.RunDoc, error) {
			switch {
			case undo && len(args) > 1:
				return app.RunDoc{}, wrongUse(c, "--undo", "--undo brings the last rollback back as a whole; it takes no NODE")
			case undo:
				return a.Undo(c.Context(), args[0])
			case len(args) < 2:
				return app.RunDoc{}, wrongUse(c, "NODE", "sluice rollback needs NODE or --undo")
			}
			return a.Rollback(c.Context(), args[0], args[1:], reason)
		}})
	c.Flags().BoolVar(&undo, "undo", false, "bring the last rollback back")
	c.Flags().StringVar(&reason, "reason", "", "`TEXT` that says why, for the record")
	return c
}
