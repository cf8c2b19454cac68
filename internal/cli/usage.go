package cli

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"sluice/internal/fault"
)

// wrongUse is an error in how a command was called.
func wrongUse(c *cobra.Command, subject, format string, args ...any) *fault.Error {
	return fault.New(fault.Usage, subject, format, args...).With(help(c))
}

func help(c *cobra.Command) fault.Action {
	return fault.Action{Action: "help", Command: c.CommandPath() + " --help", Why: "it shows how " + c.CommandPath() + " is used"}
}

// fitUse checks the number of arguments by what Use says: NAME is needed, [NAME] is not, NAME… may be repeated.
func fitUse(c *cobra.Command, args []string) error {
	words := strings.Fields(c.Use)[1:]
	isOpen := false
	for i, w := range words {
		isOpen = isOpen || strings.Contains(w, "…")
		if !strings.HasPrefix(w, "[") && i >= len(args) {
			return wrongUse(c, w, "%s needs %s", c.CommandPath(), strings.TrimSuffix(w, "…"))
		}
	}
	if len(args) > len(words) && !isOpen {
		takes := "takes no arguments"
		if len(words) > 0 {
			takes = "takes " + strings.Join(words, " ")
		}
		return wrongUse(c, args[len(words)], "%s %s; %q is too much", c.CommandPath(), takes, args[len(words)])
	}
	for i, a := range args {
		if a == "" {
			return wrongUse(c, words[min(i, len(words)-1)], "%s is empty", strings.Trim(words[min(i, len(words)-1)], "[]…"))
		}
	}
	return nil
}

// unknownCommand is what a group of commands answers when none of them was named.
func unknownCommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		if asJSON, err := c.Flags().GetBool("json"); err == nil && asJSON { // help is text
			return wrongUse(c, c.Name(), "%s needs a command", c.CommandPath())
		}
		return c.Help()
	}
	e := fault.New(fault.Usage, args[0], "there is no command %q", c.CommandPath()+" "+args[0])
	for _, s := range c.SuggestionsFor(args[0]) {
		e = e.With(fault.Action{Action: "did you mean", Command: c.CommandPath() + " " + s, Why: "did you mean this?"})
	}
	return e.With(fault.Action{Action: "help", Command: c.CommandPath() + " --help", Why: "it lists the commands"})
}

var badFlagValue = regexp.MustCompile(`^invalid argument "(.*)" for "(?:-., )?--([a-z-]+)" flag: (.*)$`)

// flagError puts what the flag parser says into our words.
func (k *Kit) flagError(c *cobra.Command, err error) error {
	if args := c.Flags().Args(); c.HasSubCommands() && len(args) > 0 {
		return unknownCommand(c, args) // that the flag of an unknown command is unknown helps nobody
	}
	text, _, _ := strings.Cut(err.Error(), "\n")
	if name, ok := strings.CutPrefix(text, "unknown flag: "); ok {
		e := fault.New(fault.Usage, name, "%s has no flag %s", c.CommandPath(), name)
		if near := nearest(c, strings.TrimPrefix(name, "--")); near != "" {
			e = e.With(fault.Action{Action: "did you mean", Command: c.CommandPath() + " " + near, Why: "did you mean this?"})
		}
		return e.With(help(c))
	}
	if m := badFlagValue.FindStringSubmatch(text); m != nil {
		need := m[3]
		if f := c.Flags().Lookup(m[2]); f != nil && f.Value.Type() == "int" {
			need = "a whole number is needed"
		}
		return wrongUse(c, "--"+m[2], "--%s is %q; %s", m[2], m[1], need)
	}
	return wrongUse(c, c.Name(), "%s", text)
}

// synonyms are flags that do for one command what the other does for another.
var synonyms = map[string]string{"reason": "note", "note": "reason", "why": "reason", "message": "note", "output": "out", "yes": "apply"}

// nearest finds a command of that name, or a flag that begins alike: most slips are in the middle or at the end of a
// word.
func nearest(c *cobra.Command, name string) string {
	for _, sub := range c.Commands() {
		if sub.Name() == name {
			return name
		}
	}
	if other := synonyms[name]; other != "" && c.Flags().Lookup(other) != nil {
		return "--" + other
	}
	usages := c.Flags().FlagUsages() + c.InheritedFlags().FlagUsages()
	for n := len(name); n >= max(2, (len(name)+1)/2); n-- {
		for line := range strings.Lines(usages) {
			_, rest, ok := strings.Cut(line, "--")
			if word, _, _ := strings.Cut(rest, " "); ok && strings.HasPrefix(word, name[:n]) {
				return "--" + word
			}
		}
	}
	return ""
}

// exits documents the exit codes of a command.
func exits(codes ...int) string {
	meanings := map[int]string{
		fault.ExitDone: "done", fault.ExitUnexpected: "unexpected, or interrupted", fault.ExitUsage: "wrong use or value",
		fault.ExitUnknown: "no such workspace, run, node or ask", fault.ExitParked: "a person must act",
		fault.ExitConflict: "conflict: moved on, answered, closed or locked", fault.ExitGaveUp: "the model gave up, or parts failed",
		fault.ExitFindings: "findings",
	}
	var b strings.Builder
	b.WriteString("Exit codes:")
	for _, c := range codes {
		fmt.Fprintf(&b, "\n  %d  %s", c, meanings[c])
	}
	return b.String()
}

// pairs reads K=V words of a repeated flag.
func pairs(c *cobra.Command, flag string, words []string) (map[string]string, error) {
	set := map[string]string{}
	for _, w := range words {
		key, value, ok := strings.Cut(w, "=")
		if !ok || key == "" {
			return nil, wrongUse(c, "--"+flag, "--%s is %q; NAME=VALUE is needed", flag, w)
		}
		if _, twice := set[key]; twice {
			return nil, wrongUse(c, "--"+flag, "--%s gives %s twice", flag, key)
		}
		set[key] = value
	}
	return set, nil
}
