package cli

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// TestEveryDrivingVerbCanBeTriedDry holds the list of those verbs against the commands that there are.
func TestEveryDrivingVerbCanBeTriedDry(t *testing.T) {
	root := newKit(newPerson(t).env).root()
	for _, path := range driving() {
		c, rest, err := root.Find(strings.Fields(path))
		switch {
		case err != nil || len(rest) > 0:
			t.Errorf("there is no command %s", path)
		case c.Flags().Lookup("dry-run") == nil || c.Flags().Lookup("budget-tokens") == nil:
			t.Errorf("%s cannot be tried dry, or be given a budget", path)
		}
	}
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		run := c.Flags().Lookup("run") // of verify it names one
		drives := c.Flags().Lookup("workers") != nil || run != nil && run.Value.Type() == "bool"
		if drives && c.Flags().Lookup("dry-run") == nil {
			t.Errorf("%s drives and is not in the list", c.CommandPath())
		}
		for _, sub := range c.Commands() {
			visit(sub)
		}
	}
	visit(root)
}
