package cli

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// helpDoc is the help of a command as a document.
type helpDoc struct {
	Command  string        `json:"command"`
	Short    string        `json:"short"`
	Long     string        `json:"long,omitempty"`
	Usage    string        `json:"usage"`
	Aliases  []string      `json:"aliases,omitempty"`
	Examples []string      `json:"examples,omitempty"`
	Flags    []flagDoc     `json:"flags"`
	Global   []flagDoc     `json:"global_flags"`
	Commands []commandLine `json:"commands,omitempty"`
}

// flagDoc is one flag in a help.
type flagDoc struct {
	Name      string `json:"name"`
	Shorthand string `json:"shorthand,omitempty"`
	Value     string `json:"value,omitempty"` // the word for what it takes; empty: it is a switch
	Default   string `json:"default,omitempty"`
	Usage     string `json:"usage"`
}

// commandLine is a command in the help of its group.
type commandLine struct {
	Name  string `json:"name"`
	Short string `json:"short"`
}

// setHelp makes help a document where one is asked for.
func (k *Kit) setHelp(root *cobra.Command) {
	text := root.HelpFunc()
	root.SetHelpFunc(func(c *cobra.Command, args []string) {
		if !k.json {
			text(c, args)
			return
		}
		_ = k.printJSON(describeCommand(c)) // help has no way to fail; a closed pipe is nobody's loss
	})
}

func describeCommand(c *cobra.Command) helpDoc {
	d := helpDoc{Command: c.CommandPath(), Short: c.Short, Long: c.Long, Usage: c.UseLine(), Aliases: c.Aliases, Flags: flagDocs(c.LocalFlags()),
		Global: flagDocs(c.InheritedFlags())}
	for line := range strings.Lines(c.Example) {
		d.Examples = append(d.Examples, strings.TrimSpace(line))
	}
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			d.Commands = append(d.Commands, commandLine{sub.Name(), sub.Short})
		}
	}
	return d
}

func flagDocs(flags *pflag.FlagSet) []flagDoc {
	all := []flagDoc{}
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		value, usage := pflag.UnquoteUsage(f)
		d := flagDoc{Name: f.Name, Shorthand: f.Shorthand, Value: value, Usage: usage}
		if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "[]" {
			d.Default = f.DefValue
		}
		all = append(all, d)
	})
	return all
}
