package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"sluice/internal/app"
)

func (k *Kit) backup() *cobra.Command {
	return &cobra.Command{
		Use:   "backup FILE",
		Short: "Write the whole workspace into one file, while it is in use",
		Long: `Writes the store, every content and every file of the workspace, as they are at one moment, into a new file
outside of the workspace. Runs may go on meanwhile. Logs, locks, git's directory and symbolic links are not in
it. The file appears whole or not at all and never in the place of another. It holds everything that you wrote
and your models answered: keep it like the workspace.

` + exits(0, 1, 2, 3, 5),
		Example: "  sluice backup ../books-2026-11-15.tar.gz",
		Args:    fitUse,
		RunE: func(c *cobra.Command, args []string) error {
			return k.With(c.Context(), func(a *app.App) error {
				d, err := a.Backup(c.Context(), k.absolute(args[0]))
				if err != nil {
					return err
				}
				var b strings.Builder
				fmt.Fprintf(&b, "wrote %s: %s, %s, packed %s\n", clean(args[0]), count(d.Files, "file"), bytesText(d.Bytes), bytesText(d.Size))
				for _, l := range d.LeftOut {
					b.WriteString("  left out " + clean(l.Path) + ": " + clean(l.Why) + "\n")
				}
				b.WriteString("next: sluice restore " + shellWord(args[0]) + " DIR   it makes a workspace of it\n")
				return k.Print(d, b.String())
			})
		},
	}
}

func (k *Kit) restore() *cobra.Command {
	var most int64
	c := &cobra.Command{
		Use:   "restore FILE DIR",
		Short: "Make a workspace of a backup",
		Long: `Unpacks a backup into a directory that is not there yet or is empty. Every checksum is compared, and a file that
is no backup, was changed, or unpacks to more than it should is refused; then nothing is left behind. Runs go on
there with sluice run. The workspace that was backed up stays as it is.

` + exits(0, 1, 2, 3, 5),
		Example: "  sluice restore ../books-2026-11-15.tar.gz ../books-again",
		Args:    fitUse,
		RunE: func(c *cobra.Command, args []string) error {
			if most < 0 {
				return wrongUse(c, "--max-bytes", "--max-bytes is %d; 0 or more is needed", most)
			}
			d, err := k.env.Restore(c.Context(), k.absolute(args[0]), k.absolute(args[1]), most)
			if err != nil {
				return err
			}
			near := shellWord(k.near(d.Workspace))
			text := fmt.Sprintf("restored %s of %s to %s: %s, %s\n", clean(args[0]), timeText(d.CreatedAt), clean(d.Workspace), count(d.Files, "file"), bytesText(d.Bytes))
			return k.Print(d, text+"next: sluice --workspace "+near+" verify   it checks every hash and approval\n")
		},
	}
	c.Flags().Int64Var(&most, "max-bytes", 0, "refuse what unpacks to more than `N` bytes; 0 is a hundred times the size of FILE")
	return c
}
