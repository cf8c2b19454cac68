package cli

import (
	"context"

	"github.com/spf13/cobra"

	"sluice/internal/app"
	"sluice/internal/fault"
)

// session groups the commands of copy-on-write sessions.
func (k *Kit) session() *cobra.Command {
	c := &cobra.Command{
		Use:   "session",
		Short: "Work in a copy of the workspace, and commit or cancel it whole",
		Long: `A session is a copy-on-write view of the workspace: reading finds the session's copy of a file, else the workspace's;
writing goes into the session. Committing brings everything over at once or not at all; cancelling leaves the workspace
as it is.`,
		Example: `  sluice session new chapter-2
  sluice session switch chapter-2
  sluice session path --write acts/act-1/plan.md
  sluice session diff chapter-2
  sluice session commit chapter-2 --confirm`,
		Args: cobra.ArbitraryArgs,
		RunE: unknownCommand,
	}
	c.AddCommand(k.sessionNew(), k.sessionList(), k.sessionCurrent(), k.sessionLeave(), k.sessionSwitch(),
		k.sessionPath(), k.sessionRemove(), k.sessionDiff(), k.sessionCommit(), k.sessionCancel())
	return c
}

func (k *Kit) sessionNew() *cobra.Command {
	return &cobra.Command{
		Use:   "new NAME",
		Short: "Open a session",
		Long: `Opens a session. Its name has 1 to 100 of the characters A-Z a-z 0-9 _ - and is free again after the session's end.

` + exits(0, 2, 5),
		Example: "  sluice session new chapter-2",
		Args:    fitUse,
		RunE: func(c *cobra.Command, args []string) error {
			return k.With(c.Context(), func(a *app.App) error {
				d, err := a.CreateSession(c.Context(), args[0], "")
				if err != nil {
					return err
				}
				return k.Print(d, k.look().session("opened", d))
			})
		},
	}
}

func (k *Kit) sessionList() *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List the sessions",
		Long:    "Lists the sessions that are open or were committed, newest first.\n\n" + exits(0),
		Example: "  sluice session list --json",
		Args:    fitUse,
		RunE: func(c *cobra.Command, _ []string) error {
			return k.With(c.Context(), func(a *app.App) error {
				d, err := a.Sessions(c.Context())
				if err != nil {
					return err
				}
				return k.Print(d, k.look().sessions(d))
			})
		},
	}
}

// currentDoc is the answer of session current and leave.
type currentDoc struct {
	SessionName string `json:"session_name"`
}

func (k *Kit) sessionCurrent() *cobra.Command {
	return &cobra.Command{
		Use:     "current",
		Short:   "Name the session that commands work in",
		Long:    "Names the session that commands work in, or says that there is none.\n\n" + exits(0),
		Example: "  sluice session current",
		Args:    fitUse,
		RunE: func(c *cobra.Command, _ []string) error {
			return k.With(c.Context(), func(a *app.App) error {
				name, err := a.CurrentSession(c.Context())
				if err != nil {
					return err
				}
				return k.Print(currentDoc{name}, currentText(name))
			})
		},
	}
}

func (k *Kit) sessionLeave() *cobra.Command {
	return &cobra.Command{
		Use:     "leave",
		Short:   "Work in the workspace itself again",
		Long:    "Lets commands work in the workspace itself again. The session stays as it is.\n\n" + exits(0),
		Example: "  sluice session leave",
		Args:    fitUse,
		RunE: func(c *cobra.Command, _ []string) error {
			return k.With(c.Context(), func(a *app.App) error {
				if err := a.LeaveSession(c.Context()); err != nil {
					return err
				}
				return k.Print(currentDoc{}, currentText(""))
			})
		},
	}
}

func (k *Kit) sessionSwitch() *cobra.Command {
	return &cobra.Command{
		Use:     "switch NAME",
		Short:   "Let commands work in a session",
		Long:    "Lets the commands of this workspace work in a session until it ends or is left.\n\n" + exits(0, 2, 3),
		Example: "  sluice session switch chapter-2",
		Args:    fitUse,
		RunE: func(c *cobra.Command, args []string) error {
			return k.With(c.Context(), func(a *app.App) error {
				d, err := a.SwitchSession(c.Context(), args[0])
				if err != nil {
					return err
				}
				return k.Print(d, k.look().session("working in", d))
			})
		},
	}
}

// pathsDoc is the answer of session path for several files; one alone is answered as the tool of the same purpose does.
type pathsDoc struct {
	Paths []app.PathDoc `json:"paths"`
}

func (k *Kit) sessionPath() *cobra.Command {
	var name string
	var write, rebase bool
	c := &cobra.Command{
		Use:   "path FILE…",
		Short: "Say which file stands for a path in the session",
		Long: `Prints the file that stands for each path in the session: the session's copy, else the workspace's file. With --write the
file is copied into the session first. With --rebase the workspace's file as it is now becomes what the session's copy is
compared with: the way out of a conflict, once both are merged in the copy.

` + exits(0, 2, 3),
		Example: `  sluice session path acts/act-1/plan.md
  sluice session path --write acts/act-1/plan.md`,
		Args: fitUse,
		RunE: func(c *cobra.Command, args []string) error {
			if write && rebase {
				return wrongUse(c, "--rebase", "--write copies and --rebase compares anew; give one of them")
			}
			return k.inSession(c.Context(), name, rebase, func(a *app.App, session string) error {
				var docs []app.PathDoc
				var err error
				if rebase {
					for _, p := range args {
						d, err := a.RebasePath(c.Context(), session, p)
						if err != nil {
							return err
						}
						docs = append(docs, d)
					}
				} else if docs, err = a.ResolvePaths(c.Context(), session, args, write); err != nil {
					return err
				}
				return k.printPaths(docs)
			})
		},
	}
	c.Flags().StringVar(&name, "session", "", "session `NAME` (default: the current one)")
	c.Flags().BoolVar(&write, "write", false, "copy the file into the session, to write it")
	c.Flags().BoolVar(&rebase, "rebase", false, "compare with the workspace's file as it is now")
	return c
}

func (k *Kit) printPaths(docs []app.PathDoc) error {
	text := ""
	for _, d := range docs {
		text += k.look().path(d)
	}
	if len(docs) == 1 {
		return k.Print(docs[0], text)
	}
	return k.Print(pathsDoc{docs}, text)
}

func (k *Kit) sessionRemove() *cobra.Command {
	var name string
	c := &cobra.Command{
		Use:   "rm FILE…",
		Short: "Remove files as the session sees them",
		Long: `Removes files in the session: it sees them no more, and a commit removes them from the workspace. What the session's
copies held stays in the journal.

` + exits(0, 2, 3),
		Example: "  sluice session rm acts/act-1/old-plan.md",
		Args:    fitUse,
		RunE: func(c *cobra.Command, args []string) error {
			return k.inSession(c.Context(), name, true, func(a *app.App, session string) error {
				docs, err := a.RemovePaths(c.Context(), session, args)
				if err != nil {
					return err
				}
				return k.printPaths(docs)
			})
		},
	}
	c.Flags().StringVar(&name, "session", "", "session `NAME` (default: the current one)")
	return c
}

// inSession opens the workspace for a verb inside the named session, or the current one.
func (k *Kit) inSession(ctx context.Context, name string, needed bool, verb func(a *app.App, session string) error) error {
	return k.With(ctx, func(a *app.App) (err error) {
		if name == "" {
			if name, err = a.CurrentSession(ctx); err != nil {
				return err
			}
		}
		if name == "" && needed {
			return fault.New(fault.UnknownSession, "", "no session is current and none is named").With(
				fault.Action{Action: "list the sessions", Command: "sluice session list"},
				fault.Action{Action: "open one", Command: "sluice session new NAME"})
		}
		return verb(a, name)
	})
}

func (k *Kit) sessionDiff() *cobra.Command {
	return &cobra.Command{
		Use:   "diff NAME",
		Short: "Preview what a commit would do",
		Long: `Lists the files that a commit would add, modify or delete, the workflows that would move into the workspace, and what
stands in the way. It changes nothing.

` + exits(0, 2, 3),
		Example: "  sluice session diff chapter-2",
		Args:    fitUse,
		RunE: func(c *cobra.Command, args []string) error {
			return k.With(c.Context(), func(a *app.App) error {
				d, err := a.SessionDiff(c.Context(), args[0])
				if err != nil {
					return err
				}
				return k.Print(d, k.look().changes("would change", d.SessionName, d.Changes, d.Workflows))
			})
		},
	}
}

func (k *Kit) sessionCommit() *cobra.Command {
	var confirm bool
	c := &cobra.Command{
		Use:   "commit NAME",
		Short: "Bring a session into the workspace, all or nothing",
		Long: `Previews the commit of a session; with --confirm it happens: every file and workflow at once, or nothing. A file that
was changed in the workspace since it was copied stops it. If the program dies on the way, the next command completes
what was begun.

` + exits(0, 2, 3, 5),
		Example: `  sluice session commit chapter-2
  sluice session commit chapter-2 --confirm`,
		Args: fitUse,
		RunE: func(c *cobra.Command, args []string) error {
			return k.With(c.Context(), func(a *app.App) error {
				d, err := a.CommitSession(c.Context(), args[0], confirm)
				if err != nil {
					return err
				}
				return k.Print(d, k.look().ended(d))
			})
		},
	}
	c.Flags().BoolVar(&confirm, "confirm", false, "do it; otherwise it is previewed")
	return c
}

func (k *Kit) sessionCancel() *cobra.Command {
	return &cobra.Command{
		Use:   "cancel NAME",
		Short: "End a session and leave the workspace as it is",
		Long: `Ends a session: its files are removed and its workflows are not found any more. Their journal stays, with the bytes of
every file.

` + exits(0, 2, 3, 5),
		Example: "  sluice session cancel chapter-2",
		Args:    fitUse,
		RunE: func(c *cobra.Command, args []string) error {
			return k.With(c.Context(), func(a *app.App) error {
				d, err := a.CancelSession(c.Context(), args[0])
				if err != nil {
					return err
				}
				return k.Print(d, k.look().ended(d))
			})
		},
	}
}
