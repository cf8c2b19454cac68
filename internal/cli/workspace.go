package cli

import (
	"github.com/spf13/cobra"

	"sluice/internal/app"
	"sluice/internal/config"
	"sluice/internal/fault"
)

// initDoc says what init made.
type initDoc struct {
	Workspace string `json:"workspace"`
}

func (k *Kit) initialize() *cobra.Command {
	return &cobra.Command{
		Use:   "init [DIR]",
		Short: "Make a directory a workspace",
		Long: `Writes sluice.yaml, by which a workspace is known, with every setting that may stand there commented out. Network and
cloud-synced folders are refused: locks do not hold there.

` + exits(0, 1, 2, 5),
		Example: "  sluice init\n  sluice init mybooks",
		Args:    fitUse,
		RunE: func(c *cobra.Command, args []string) error {
			dir := k.env.Dir
			if len(args) > 0 {
				dir = k.absolute(args[0])
			} else if k.workspace != "" {
				dir = k.absolute(k.workspace)
			}
			root, err := k.env.Init(c.Context(), dir)
			if err != nil {
				return err
			}
			text := "made the workspace " + clean(root) + "\n"
			if root != k.env.Dir {
				text += "next: cd " + shellWord(k.near(root)) + "\n"
			}
			return k.Print(initDoc{root}, text+k.look().next([]fault.Action{{Command: "sluice status", Why: "there are no runs yet"}}))
		},
	}
}

func (k *Kit) doctor() *cobra.Command {
	var repair bool
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Examine the workspace, and put right what can be",
		Long: `Checks the invariants against the store and the files: journal, contents, approvals, checkouts, drivers that died. With
--repair, files that are missing or damaged are written again from the store; edits of yours are never overwritten.

` + exits(0, 2, 3, 5, 7),
		Example: "  sluice doctor\n  sluice doctor --repair",
		Args:    fitUse,
		RunE: func(c *cobra.Command, _ []string) error {
			return k.With(c.Context(), func(a *app.App) error {
				r, err := a.Health.Examine(c.Context(), repair)
				if err != nil {
					return err
				}
				return k.printReport("examined", r)
			})
		},
	}
	c.Flags().BoolVar(&repair, "repair", false, "put right what can be put right without a decision")
	return c
}

func (k *Kit) config() *cobra.Command {
	group := &cobra.Command{
		Use:     "config",
		Short:   "Show the settings and where they come from",
		Long:    "Settings are taken from defaults, your own config.yaml, the workspace's sluice.yaml, the environment and flags; what\ncomes later wins.\n\n" + exits(0, 2),
		Example: "  sluice config show",
		Args:    cobra.ArbitraryArgs,
		RunE:    unknownCommand,

		SuggestionsMinimumDistance: 2,
	}
	group.AddCommand(&cobra.Command{
		Use:   "show",
		Short: "Print each setting, its value and its origin",
		Long: `Prints every setting with its value and where that came from: default, a file, env NAME or a flag. Keys of providers are
never shown, only where they are kept.

` + exits(0, 2),
		Example: "  sluice config show\n  sluice config show --json",
		Args:    fitUse,
		RunE: func(c *cobra.Command, _ []string) error {
			rows, err := k.env.Config(c.Context(), k.options())
			if err != nil {
				return err
			}
			doc := struct {
				Settings []config.Row `json:"settings"`
			}{rows}
			return k.Print(doc, k.look().settings(rows))
		},
	})
	return group
}

// sample starts runs of the built-in line from a file. It is for tests and for those who write lines.
func (k *Kit) sample() *cobra.Command {
	group := &cobra.Command{Use: "sample", Short: "The smallest line, given as data", Hidden: true, Args: cobra.ArbitraryArgs, RunE: unknownCommand,
		SuggestionsMinimumDistance: 2}
	var id string
	var waits bool
	c := &cobra.Command{
		Use:     "new FILE",
		Short:   "Start a run from a JSON definition",
		Long:    "Starts a run whose nodes FILE gives as data (- is stdin), and drives it until it waits or ends.\n\n" + exits(0, 1, 2, 3, 4, 5, 6),
		Example: "  sluice sample new definition.json --id trial",
		Args:    fitUse,
		RunE: func(c *cobra.Command, args []string) error {
			body, err := k.content(c, args[0])
			if err != nil {
				return err
			}
			return k.With(c.Context(), func(a *app.App) error {
				d, err := a.StartSample(c.Context(), body, id, !waits)
				if waits {
					return k.PrintRecorded("opened", d, err)
				}
				return k.PrintDriven(d, err)
			})
		},
	}
	c.Flags().StringVar(&id, "id", "", "`ID` of the run (default: the next number)")
	c.Flags().BoolVar(&waits, "no-run", false, "only open it")
	group.AddCommand(c)
	return group
}
