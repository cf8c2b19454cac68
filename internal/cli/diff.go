package cli

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"sluice/internal/app"
	"sluice/internal/textdiff"
)

func (k *Kit) diff() *cobra.Command {
	var q app.Comparison
	c := &cobra.Command{
		Use:   "diff RUN [NODE[@N]] [NODE[@N]]",
		Short: "Show in which words versions, or a version and its file, differ",
		Long: `Compares text word by word, and character by character where a script has no spaces between words. With RUN
alone it shows every file that does not show what is recorded. With a node it compares its newest version with
the one before it; with NODE@N that version with the newest; with two of them these two. --file compares with
the file on disk instead. Nothing is taken over and nothing is changed. What is gone stands in [-…-] and what is
new in {+…+}; a terminal shows red and green.

` + exits(0, 2, 3),
		Example: `  sluice diff sample-1
  sluice diff sample-1 text
  sluice diff sample-1 text@1 text@3
  sluice diff sample-1 text --file`,
		Args: fitUse,
		RunE: func(c *cobra.Command, args []string) error {
			args = append(args, "", "")
			q.Run, q.From, q.To = args[0], args[1], args[2]
			if q.Context < 0 {
				return wrongUse(c, "--context", "--context is %d; 0 or more is needed", q.Context)
			}
			if q.File && q.From == "" {
				return wrongUse(c, "NODE", "--file needs a NODE; without one every changed file is compared")
			}
			return k.With(c.Context(), func(a *app.App) error {
				d, err := a.Diff(c.Context(), q)
				if err != nil {
					return err
				}
				v := k.look()
				v.isColoured = k.env.OutWidth() > 0 && k.env.Getenv("NO_COLOR") == "" && k.env.Getenv("TERM") != "dumb"
				return k.Print(d, v.textDiff(d))
			})
		},
	}
	c.Flags().BoolVar(&q.File, "file", false, "compare with the file on disk")
	c.Flags().IntVarP(&q.Context, "context", "U", 1, "`N` lines around each change")
	return c
}

func (v look) textDiff(d app.TextDiffDoc) string {
	var b strings.Builder
	if len(d.Texts) == 0 {
		return "every file of run " + clean(d.Run) + " shows what is recorded\n"
	}
	for _, t := range d.Texts {
		fmt.Fprintf(&b, "%s: %s → %s, %s\n", v.paint("1", clean(t.Name)), clean(t.From), clean(t.To), deltaText(t))
		for _, h := range t.Hunks {
			fmt.Fprintf(&b, "%s\n", v.paint("36", fmt.Sprintf("@@ line %d → %d", h.FromLine, h.ToLine)))
			b.WriteString(v.hunk(h))
		}
	}
	return b.String() + v.next(d.Next)
}

func deltaText(t app.TextDelta) string {
	switch {
	case t.Same:
		return "the same"
	case t.ToDigest == "":
		return "it is not there"
	case t.FromDigest == "":
		return "it was not there"
	case t.Binary:
		return "no text: " + t.FromDigest.Short() + " and " + t.ToDigest.Short()
	case t.WordsDeleted+t.WordsInserted == 0:
		return "only spaces differ"
	}
	return count(t.WordsDeleted, "word") + " out, " + count(t.WordsInserted, "word") + " in"
}

// hunk marks what is gone and what is new. Long stretches that are the same are shortened: a paragraph may be one line.
func (v look) hunk(h textdiff.Hunk) string {
	var b strings.Builder
	for _, e := range h.Edits {
		text := cleanBlock(e.Text)
		switch {
		case e.Op == textdiff.Equal:
			b.WriteString(middleCut(text))
		case v.isColoured && e.Op == textdiff.Delete:
			b.WriteString(paintLines("9;31", text))
		case v.isColoured:
			b.WriteString(paintLines("32", text))
		case e.Op == textdiff.Delete:
			b.WriteString("[-" + text + "-]")
		default:
			b.WriteString("{+" + text + "+}")
		}
	}
	return strings.TrimSuffix(b.String(), "\n") + "\n"
}

// paintLines colours each line by itself: pagers forget a colour at the end of a line.
func paintLines(code, text string) string {
	parts := strings.Split(text, "\n")
	for i, p := range parts {
		if p != "" {
			parts[i] = "\x1b[" + code + "m" + p + "\x1b[0m"
		}
	}
	return strings.Join(parts, "\n")
}

// middleCut leaves the beginning and the end of each long line.
func middleCut(text string) string {
	const most, keep = 240, 90
	lines := strings.SplitAfter(text, "\n")
	for i, l := range lines {
		if utf8.RuneCountInString(l) > most {
			r := []rune(l)
			lines[i] = string(r[:keep]) + " … " + string(r[len(r)-keep:])
		}
	}
	return strings.Join(lines, "")
}
