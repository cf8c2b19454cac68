package cli

import (
	"github.com/spf13/cobra"
)

// Groups of commands in the help.
const (
	GroupRuns      = "runs"
	groupPeople    = "people"
	groupRecords   = "records"
	groupWorkspace = "workspace"
	groupAbout     = "about"
)

// root builds the tree of commands.
func (k *Kit) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "sluice",
		Short: "Runs LLM work through gates: every step is recorded, nothing unapproved flows on",
		Long: `Sluice runs LLM work through gates. Every step leaves a record, every deliverable is judged at an exact version, and
nothing that is not approved flows downstream. Kill it at any moment: the same command goes on where it stopped.

Results go to stdout, progress to stderr. With --json every command prints exactly one JSON document, errors included.`,
		Example: `  sluice demo          see it work, offline and without a key
  sluice init          make this directory a workspace
  sluice status        what runs there are
  sluice inbox         what waits for you`,
		Args:          cobra.ArbitraryArgs,
		RunE:          unknownCommand,
		SilenceErrors: true,
		SilenceUsage:  true,

		SuggestionsMinimumDistance: 2,
		PersistentPreRunE:          func(*cobra.Command, []string) error { k.prepare(); return nil },
	}
	root.SetIn(k.env.Stdin)
	root.SetOut(k.env.Stdout)
	root.SetErr(k.env.Stderr)
	root.SetFlagErrorFunc(k.flagError)
	f := root.PersistentFlags()
	f.StringVar(&k.workspace, "workspace", "", "`DIR` of the workspace (default: the nearest with sluice.yaml; SLUICE_WORKSPACE)")
	f.BoolVar(&k.json, "json", k.json, "print one JSON document")
	f.BoolVarP(&k.verbose, "verbose", "v", false, "show duration, tokens and prompt of every model call")
	f.StringVar(&k.provider, "provider", "", "model provider `NAME` for this command (SLUICE_PROVIDER)")
	f.StringVar(&k.rehearsal, "rehearsal", "", "script `FILE` for the rehearsal model (SLUICE_REHEARSAL)")
	f.StringVar(&k.replies, "replies", "", "`FILE` of recorded replies that are used instead of asking (SLUICE_REPLIES)")
	f.BoolVar(&k.noInput, "no-input", false, "never ask at the terminal for what was not given")
	root.AddGroup(&cobra.Group{ID: GroupRuns, Title: "Runs:"}, &cobra.Group{ID: groupPeople, Title: "What people decide:"},
		&cobra.Group{ID: groupRecords, Title: "Records:"}, &cobra.Group{ID: groupWorkspace, Title: "Workspace:"},
		&cobra.Group{ID: groupAbout, Title: "About:"})
	help := helpCommand(root)
	root.SetHelpCommand(help)
	root.CompletionOptions.DisableDefaultCmd = true
	k.add(root)
	k.addDryRun(root)
	k.setHelp(root)
	k.completes(root)
	k.completes(help)
	return root
}

func (k *Kit) add(root *cobra.Command) {
	in := func(group string, commands ...*cobra.Command) {
		for _, c := range commands {
			c.GroupID = group
			root.AddCommand(c)
		}
	}
	in(GroupRuns, k.status(), k.run(), k.resume(), k.cancel(), k.revise(), k.reopen(), k.rollback())
	in(groupPeople, k.inbox(), k.approve(), k.reject(), k.answer(), k.choose())
	in(groupRecords, k.log(), k.calls(), k.export(), k.verify(), k.replay())
	in(groupWorkspace, k.initialize(), k.doctor(), k.config(), k.models(), k.session(), k.mcp(), k.serve())
	in(groupAbout, k.completion(root), k.version(), k.demo(), k.man())
	root.AddCommand(k.sample(), k.scene(), k.task(), k.spec(), k.novel())
	in(GroupRuns, k.watch())
	in(groupRecords, k.diff(), k.exportReplies())
	in(groupWorkspace, k.gc(), k.backup(), k.restore())
	in(groupRecords, k.budget(), k.forecast())
	for _, line := range k.env.Lines {
		root.AddCommand(line(k))
	}
}

// prepare settles what depends on the flags: a watched model's prompts and a live line do not share a terminal.
func (k *Kit) prepare() {
	k.progress.isLive = k.env.ErrWidth() > 0 && !k.verbose && k.env.Getenv("TERM") != "dumb"
}

// helpCommand shows the help of a command; the one that comes with the parser ends with 0 for commands that do not exist.
func helpCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:     "help [COMMAND…]",
		Short:   "Show how a command is used",
		Long:    "Shows how a command is used, as COMMAND --help does.\n\n" + exits(0, 2),
		Example: "  sluice help status",
		GroupID: groupAbout,
		Args:    fitUse,
		RunE: func(_ *cobra.Command, args []string) error {
			c, rest, err := root.Find(args)
			if err != nil {
				return unknownCommand(root, args)
			}
			if len(rest) > 0 {
				return unknownCommand(c, rest)
			}
			c.InitDefaultHelpFlag()
			return c.Help()
		},
	}
}
