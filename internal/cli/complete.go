package cli

import (
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sluice/internal/app"
)

// A completer offers words for one argument or for the value of a flag. Words may have a description behind a tab.
// Errors are silent: a shell has no place for them.
type completer struct {
	words  []string                                                             // where the words are fixed
	list   func(k *Kit, c *cobra.Command, a *app.App, args []string) []string   // where the workspace knows them
	begun  func(k *Kit, c *cobra.Command, args []string, begun string) []string // where neither does
	isFile bool                                                                 // names of files
	isDir  bool                                                                 // names of directories
	isFree bool                                                                 // any text: nothing can be offered
	isOpen bool                                                                 // more follows a word without a space
}

// completes gives every command of the tree its completion: by the words of its Use and the values of its flags.
func (k *Kit) completes(c *cobra.Command) {
	if _, ok := completerOf(c, argumentAt(c, 0)); ok {
		c.ValidArgsFunction = func(c *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
			d, ok := completerOf(c, argumentAt(c, len(args)))
			if !ok {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return k.offer(d, c, args, begun)
		}
	}
	register := func(f *pflag.Flag) {
		if d, ok := completerOfFlag(c, f); ok && !d.isFree {
			_ = c.RegisterFlagCompletionFunc(f.Name, func(c *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
				return k.offer(d, c, args, begun)
			}) // it fails only for flags that are not there, or have one
		}
	}
	c.LocalNonPersistentFlags().VisitAll(register)
	c.PersistentFlags().VisitAll(register)
	for _, sub := range c.Commands() {
		k.completes(sub)
	}
}

// argumentAt is the word that Use has for an argument; an argument that may be repeated has the same word again.
func argumentAt(c *cobra.Command, at int) string {
	words := strings.Fields(c.Use)
	if at+1 < len(words) {
		return words[at+1]
	}
	if last := words[len(words)-1]; len(words) > 1 && strings.Contains(last, "…") {
		return last
	}
	return ""
}

// place is where a command stands, without the program's name.
func place(c *cobra.Command) string {
	_, rest, _ := strings.Cut(c.CommandPath(), " ")
	return rest
}

// completerOf finds what completes an argument: an entry for the command, for its group, or for the word anywhere.
func completerOf(c *cobra.Command, word string) (completer, bool) {
	word = strings.NewReplacer("[", "", "]", "", "…", "", "@N", "").Replace(word)
	if strings.Contains(word, "|") {
		return completer{words: strings.Split(word, "|")}, true
	}
	group, _, _ := strings.Cut(place(c), " ")
	for _, key := range []string{place(c) + " " + word, group + " " + word, word} {
		if d, ok := argumentTable[key]; ok {
			return d, true
		}
	}
	return completer{}, false
}

// completerOfFlag finds what completes the value of a flag: an entry for the command's flag, for the flag anywhere, or
// for the word that its usage has for the value. Switches have no value.
func completerOfFlag(c *cobra.Command, f *pflag.Flag) (completer, bool) {
	if f.NoOptDefVal != "" {
		return completer{isFree: true}, true
	}
	word, _ := pflag.UnquoteUsage(f)
	for _, key := range []string{place(c) + " --" + f.Name, "--" + f.Name} {
		if d, ok := flagTable[key]; ok {
			return d, true
		}
	}
	switch f.Value.Type() {
	case "int", "int64", "float64", "duration":
		return completer{isFree: true}, true
	}
	d, ok := valueTable[word]
	return d, ok
}

func (k *Kit) offer(d completer, c *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	switch {
	case d.isFile:
		return nil, cobra.ShellCompDirectiveDefault
	case d.isDir:
		return nil, cobra.ShellCompDirectiveFilterDirs
	}
	words := d.words
	if d.list != nil {
		_ = k.quiet(c, func(a *app.App) error {
			words = d.list(k, c, a, args)
			return nil
		})
	}
	if d.begun != nil {
		words = d.begun(k, c, args, begun)
	}
	directive := cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	if d.isOpen {
		directive |= cobra.ShellCompDirectiveNoSpace
	}
	return fitting(words, begun), directive
}

// fitting are the words that begin as it was begun, in any case. Several with commas are completed one by one.
func fitting(words []string, begun string) []string {
	var found []string
	for _, w := range words {
		value, about, has := strings.Cut(w, "\t")
		if len(value) < len(begun) || !strings.EqualFold(value[:len(begun)], begun) {
			continue
		}
		if has {
			value += "\t" + clean(about)
		}
		found = append(found, value)
	}
	return found
}

// CompleteRun offers ids of runs for the first argument, for commands of lines that the tables do not know.
func (k *Kit) CompleteRun(c *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return k.offer(argumentTable["RUN"], c, args, begun)
}

// quiet opens the workspace without a word on the terminal.
func (k *Kit) quiet(c *cobra.Command, verb func(*app.App) error) error {
	o := k.options()
	o.Observe, o.Warn, o.Verbose = nil, nil, false
	a, done, err := k.env.Open(c.Context(), o)
	if err != nil {
		return err
	}
	defer func() { _ = done() }()
	return verb(a)
}

// bareBash lets the script work where the package bash-completion is not installed: it stands in for the one function of
// it that the script needs.
const bareBash = `if ! declare -F _get_comp_words_by_ref >/dev/null; then
    _get_comp_words_by_ref() {
        words=("${COMP_WORDS[@]}")
        cword=$COMP_CWORD
        cur=${COMP_WORDS[COMP_CWORD]}
        prev=${COMP_WORDS[COMP_CWORD-1]}
    }
fi
`

// completion prints the script that a shell asks for words with. The one that comes with the parser ends with 0 for
// shells that it does not know.
func (k *Kit) completion(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "completion bash|zsh|fish|powershell",
		Short: "Print the script that completes commands, flags and ids in a shell",
		Long: `Prints a script for your shell. With it, the tab key completes commands, flags, and what there is in the workspace:
runs, books, features, plans, tasks, nodes, versions, asks and their choices, settings, each with a word about it.

` + exits(0, 2),
		Example: `  source <(sluice completion bash)
  sluice completion zsh > "${fpath[1]}/_sluice"
  sluice completion fish > ~/.config/fish/completions/sluice.fish
  sluice completion powershell | Out-String | Invoke-Expression`,
		Args: fitUse,
		RunE: func(c *cobra.Command, args []string) error {
			switch args[0] {
			case "bash":
				if _, err := io.WriteString(k.env.Stdout, bareBash); err != nil {
					return err
				}
				return root.GenBashCompletionV2(k.env.Stdout, true)
			case "zsh":
				return root.GenZshCompletion(k.env.Stdout)
			case "fish":
				return root.GenFishCompletion(k.env.Stdout, true)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(k.env.Stdout)
			}
			return wrongUse(c, args[0], "there is no completion for %q; there is one for bash, zsh, fish and powershell", args[0])
		},
	}
}
