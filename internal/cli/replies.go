package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"sluice/internal/app"
)

func (k *Kit) exportReplies() *cobra.Command {
	var file string
	c := &cobra.Command{
		Use:   "export-replies RUN…",
		Short: "Write the recorded replies of runs into a file for another machine",
		Long: `Writes what models answered to runs into a new file. With --replies FILE any command uses a reply of the file
where it would make the very same call: the same run, node, prompt, inputs, model and parameters. Such a reply
is stored first and counted as reused; whatever is not in the file is asked for as ever. The file holds no keys,
addresses or prompts; replies may repeat what they were asked about.

` + exits(0, 1, 2, 3, 5),
		Example: `  sluice export-replies sample-1 -o replies.jsonl
  sluice --replies replies.jsonl run sample-1`,
		Args: fitUse,
	}
	c.Flags().StringVarP(&file, "output", "o", "", "`FILE` to write")
	c.RunE = func(c *cobra.Command, args []string) error {
		if file == "" {
			return wrongUse(c, "--output", "sluice export-replies needs -o FILE")
		}
		return k.With(c.Context(), func(a *app.App) error {
			d, err := a.ExportReplies(c.Context(), args, k.absolute(file))
			if err != nil {
				return err
			}
			replies := thousands(d.Replies) + " replies"
			if d.Replies == 1 {
				replies = "1 reply"
			}
			text := fmt.Sprintf("wrote %s of %s to %s\n", replies, count(len(d.Runs), "run"), clean(file))
			if d.Missing > 0 {
				text += fmt.Sprintf("  %s no reply any more\n", count(d.Missing, "call")+" have")
			}
			return k.Print(d, text+"next: sluice --replies "+shellWord(file)+" run RUN   where the run is to be repeated\n")
		})
	}
	return c
}
