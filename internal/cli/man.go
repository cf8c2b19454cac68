package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sluice/internal/fault"
)

// manDoc says what man wrote.
type manDoc struct {
	Dir   string   `json:"dir"`
	Pages []string `json:"pages"`
}

func (k *Kit) man() *cobra.Command {
	return &cobra.Command{
		Use:   "man [DIR]",
		Short: "Write manual pages of all commands",
		Long: `Writes one manual page per command into DIR (default man), for man -l or a directory of MANPATH. The same program writes
the same bytes: pages carry the date of its commit, or that of SOURCE_DATE_EPOCH. Pages that are there are replaced.

` + exits(0, 1, 2),
		Example: "  sluice man\n  sluice man ~/.local/share/man/man1",
		Args:    fitUse,
		RunE: func(c *cobra.Command, args []string) error {
			dir := "man"
			if len(args) > 0 {
				dir = args[0]
			}
			doc, err := k.writeMan(c.Root(), dir)
			if err != nil {
				return err
			}
			return k.Print(doc, fmt.Sprintf("wrote %d pages into %s\n", len(doc.Pages), clean(dir)))
		},
	}
}

func (k *Kit) writeMan(root *cobra.Command, name string) (manDoc, error) {
	doc, dir := manDoc{Dir: name}, k.absolute(name)
	b := manual{version: k.env.Version.Version, date: k.manDate()}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return doc, noPage(name, err)
	}
	for _, c := range manCommands(root) {
		page := strings.ReplaceAll(c.CommandPath(), " ", "-") + ".1"
		if err := os.WriteFile(filepath.Join(dir, page), []byte(b.page(c)), 0o644); err != nil {
			return doc, noPage(filepath.Join(name, page), err)
		}
		doc.Pages = append(doc.Pages, page)
	}
	return doc, nil
}

func noPage(path string, err error) error {
	return fault.Wrap(fault.NoPermission, path, err, "the manual page %s cannot be written", path).
		With(fault.Action{Action: "name another directory", Command: "sluice man DIR"})
}

// manDate is the day that pages carry; empty if nobody knows it.
func (k *Kit) manDate() string {
	if n, err := strconv.ParseInt(k.env.Getenv("SOURCE_DATE_EPOCH"), 10, 64); err == nil {
		return time.Unix(n, 0).UTC().Format(time.DateOnly)
	}
	if at, err := time.Parse(time.RFC3339, k.env.Version.Date); err == nil {
		return at.UTC().Format(time.DateOnly)
	}
	return ""
}

// manCommands are the commands that have a page: all that help shows.
func manCommands(c *cobra.Command) []*cobra.Command {
	all := []*cobra.Command{c}
	for _, sub := range c.Commands() {
		if !sub.Hidden {
			all = append(all, manCommands(sub)...)
		}
	}
	return all
}

// manual renders pages. It is written by hand since the texts of commands are plain text with tables in it, which a
// detour by Markdown would reflow.
type manual struct{ version, date string }

func (m manual) page(c *cobra.Command) string {
	c.InitDefaultHelpFlag()
	name := strings.ReplaceAll(c.CommandPath(), " ", "-")
	var b strings.Builder
	fmt.Fprintf(&b, ".TH %s 1 %s %s %s\n", roffWord(strings.ToUpper(name)), roffWord(m.date), roffWord("sluice "+m.version), roffWord("Sluice"))
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", roff(name), roff(c.Short))
	use := c.UseLine()
	if c.HasAvailableSubCommands() {
		use = c.CommandPath() + " COMMAND"
	}
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.B %s\n", roff(use))
	if c.Long != "" {
		b.WriteString(".SH DESCRIPTION\n" + roffText(c.Long))
	}
	if c.HasAvailableSubCommands() {
		b.WriteString(".SH COMMANDS\n")
		for _, sub := range c.Commands() {
			if !sub.Hidden {
				fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", roff(sub.Name()), roff(sub.Short))
			}
		}
	}
	writeFlags(&b, "OPTIONS", c.NonInheritedFlags())
	writeFlags(&b, "GLOBAL OPTIONS", c.InheritedFlags())
	if c.Example != "" {
		b.WriteString(".SH EXAMPLES\n" + roffText(c.Example))
	}
	if also := seeAlso(c); len(also) > 0 {
		b.WriteString(".SH SEE ALSO\n" + strings.Join(also, ",\n") + "\n")
	}
	return b.String()
}

func writeFlags(b *strings.Builder, title string, flags *pflag.FlagSet) {
	if !flags.HasAvailableFlags() {
		return
	}
	b.WriteString(".SH " + title + "\n")
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		value, usage := pflag.UnquoteUsage(f)
		head := "--" + f.Name
		if f.Shorthand != "" {
			head = "-" + f.Shorthand + ", " + head
		}
		fmt.Fprintf(b, ".TP\n\\fB%s\\fR", roff(head))
		if value != "" {
			b.WriteString(" \\fI" + roff(value) + "\\fR")
		}
		b.WriteString("\n" + roff(usage) + "\n")
	})
}

func seeAlso(c *cobra.Command) []string {
	var also []string
	refer := func(other *cobra.Command) {
		also = append(also, "\\fB"+roff(strings.ReplaceAll(other.CommandPath(), " ", "-"))+"\\fR(1)")
	}
	if c.HasParent() {
		refer(c.Parent())
	}
	for _, sub := range c.Commands() {
		if !sub.Hidden {
			refer(sub)
		}
	}
	return also
}

// roffText sets paragraphs that a reader's width may fill, and lines that begin with space as they stand.
func roffText(text string) string {
	var b strings.Builder
	isTable, isFresh := false, true
	for line := range strings.SplitSeq(strings.Trim(text, "\n"), "\n") {
		indented := strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t")
		if indented != isTable && strings.TrimSpace(line) != "" {
			b.WriteString(map[bool]string{true: ".nf\n", false: ".fi\n"}[indented])
			isTable, isFresh = indented, true
		}
		if strings.TrimSpace(line) == "" {
			if !isFresh {
				b.WriteString(".PP\n")
			}
			isFresh = true
			continue
		}
		b.WriteString(roff(line) + "\n")
		isFresh = false
	}
	if isTable {
		b.WriteString(".fi\n")
	}
	return b.String()
}

// roff escapes one line so that it is shown as it stands.
func roff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", `\(ga`, "^", `\(ha`, "~", `\(ti`, "\t", "    ").Replace(s)
	var b strings.Builder
	for _, r := range s {
		if r < 0x80 {
			b.WriteRune(r)
		} else { // readable by every man, whatever its input encoding
			fmt.Fprintf(&b, `\[u%04X]`, r)
		}
	}
	if strings.HasPrefix(s, ".") {
		return `\&` + b.String()
	}
	return b.String()
}

// roffWord is an argument of a request.
func roffWord(s string) string { return `"` + strings.ReplaceAll(roff(s), `"`, `\(dq`) + `"` }
