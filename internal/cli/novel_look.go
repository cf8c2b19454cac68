package cli

import (
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"sluice/internal/app"
	"sluice/internal/line/novel"
	"sluice/internal/line/novel/bookfile"
)

func (k *Kit) novelMemory() *cobra.Command {
	var w app.NovelMemory
	var chapters string
	c := &cobra.Command{
		Use:   "memory NAME",
		Short: "Show what is remembered of the chapters, or record it again",
		Long: `Shows what later chapters are told about those before: when and where, what happened, how the characters stand, what is
open. --rebuild records it again from the texts, in order.

` + exits(0, 1, 2, 3, 5, 6),
		Example: "  sluice novel memory mybook --recent 3\n  sluice novel memory mybook --rebuild --chapters 4-6",
	}
	c.Flags().IntVar(&w.Recent, "recent", 0, "only the last `N` (default: all)")
	c.Flags().BoolVar(&w.Rebuild, "rebuild", false, "record it again from the texts")
	c.Flags().StringVar(&chapters, "chapters", "", "only these, as `LIST` such as 1,3-5")
	return k.ofBook(c, func(c *cobra.Command, a *app.App, args []string) error {
		if w.Recent < 0 || c.Flags().Changed("recent") && w.Recent == 0 {
			return wrongUse(c, "--recent", "--recent is %d; 1 or more is needed", w.Recent)
		}
		var err error
		if w.Chapters, err = chapterList(c, chapters); err != nil {
			return err
		}
		w.Name = args[0]
		d, err := a.NovelMemory(c.Context(), w)
		if err != nil {
			return err
		}
		if w.Rebuild && len(d.Failed) > 0 {
			k.exit = 6
		}
		return k.Print(d, k.look().novelMemory(d))
	})
}

func (k *Kit) novelContext() *cobra.Command {
	return k.chapterVerb(&cobra.Command{
		Use:   "context NAME CHAPTER",
		Short: "Show what a model is told about a chapter, and what is left out",
		Long: `Shows for the plan, each scene and each check of a chapter what goes into the prompt as the book stands: every item with
its tokens, how much of it goes in, and why the rest does not.

` + exits(0, 2, 3),
		Example: "  sluice novel context mybook 12",
	}, func(c *cobra.Command, a *app.App, name string, chapter int) error {
		d, err := a.NovelContext(c.Context(), name, chapter)
		if err != nil {
			return err
		}
		return k.Print(d, k.look().novelContext(d))
	})
}

func (k *Kit) novelStale() *cobra.Command {
	return k.ofBook(&cobra.Command{
		Use:   "stale NAME",
		Short: "List what a change touches, and what bringing it up to date costs",
		Long: `Lists every step that was made from something that is another now, with the calls and tokens that making it again would
take, and the chapters that are reached only through those. Nothing is made again by itself, except memory.

` + exits(0, 2, 3),
		Example: "  sluice novel stale mybook",
	}, func(c *cobra.Command, a *app.App, args []string) error {
		d, err := a.StaleNovel(c.Context(), args[0])
		if err != nil {
			return err
		}
		return k.Print(d, k.look().novelStale(d))
	})
}

// mayStream refuses to write a book to the standard output where it would not come out as it is: beside a JSON answer, and an
// archive on a terminal.
func (k *Kit) mayStream(c *cobra.Command, format string) error {
	switch {
	case k.json:
		return wrongUse(c, "--output", "--json answers on the standard output, where the book cannot go as well; -o FILE is needed")
	case format == string(bookfile.EPUB) && k.env.OutWidth() > 0:
		return wrongUse(c, "--output", "an EPUB is no text for a terminal; -o FILE or a pipe is needed")
	}
	return nil
}

func (k *Kit) novelExport() *cobra.Command {
	var w app.NovelExport
	var chapters, cover string
	c := &cobra.Command{
		Use:   "export NAME",
		Short: "Write a book to one file: text, Markdown, EPUB or JSON",
		Long: `Writes the chapters that stand to one file, with title page, contents and headings in the book's language. The same text
gives the same bytes. Chapters with a pending revision go out as they stand and are named in a warning; --strict refuses
them. A cover is taken from --cover, or from cover.png or cover.jpg in the project.

` + exits(0, 2, 3, 4),
		Example: "  sluice novel export mybook --format epub\n  sluice novel export mybook --format md -o drafts/part1.md --chapters 1-5 --strict",
	}
	f := c.Flags()
	f.StringVar(&w.Format, "format", "", "`FORMAT`: "+strings.Join(formats(), ", ")+" (needed)")
	f.StringVarP(&w.Path, "output", "o", "", "write to `FILE` of the workspace, or to the standard output with - (default: exports/NAME.FORMAT)")
	f.StringVar(&chapters, "chapters", "", "only these, as `LIST` such as 1,3-5")
	f.StringVar(&cover, "cover", "", "picture `FILE`, PNG or JPEG, for EPUB")
	f.BoolVar(&w.Strict, "strict", false, "refuse chapters with a pending revision")
	return k.ofBook(c, func(c *cobra.Command, a *app.App, args []string) (err error) {
		if err := k.meantFormat(c, &w); err != nil {
			return err
		}
		if w.Chapters, err = chapterList(c, chapters); err != nil {
			return err
		}
		if w.Cover, err = k.cover(c, cover); err != nil {
			return err
		}
		if w.Stream = w.Path == "-"; w.Stream {
			w.Path, err = "", k.mayStream(c, w.Format)
		} else {
			w.Path, err = k.inside(a.Root, w.Path)
		}
		if err != nil {
			return err
		}
		w.Name = args[0]
		d, err := a.ExportNovel(c.Context(), w)
		if err != nil {
			return err
		}
		if len(d.Pending) > 0 {
			k.progress.warn(pendingWarning(d))
		}
		if len(d.Rehearsed) > 0 {
			k.progress.warn("text of the rehearsal model, labelled as such: " + plural(len(d.Rehearsed), "chapter ", "chapters ") + novel.FormatChapters(d.Rehearsed))
		}
		if w.Stream {
			k.progress.end()
			if k.env.OutWidth() > 0 { // nothing that a terminal obeys; a pipe gets what a file would
				d.Body = []byte(guard(string(d.Body), false))
			}
			_, err := k.env.Stdout.Write(d.Body)
			return err
		}
		return k.Print(d, k.look().novelExport(d, k.near(filepath.Join(a.Root, filepath.FromSlash(d.Path)))))
	})
}

// meantFormat takes the format from the file's name where none was given, or asks for it.
func (k *Kit) meantFormat(c *cobra.Command, w *app.NovelExport) error {
	if w.Format == "" {
		w.Format = strings.TrimPrefix(filepath.Ext(w.Path), ".")
	}
	return k.askFor(c.Context(), &w.Format, question{text: "As what?", choices: formats()},
		wrongUse(c, "--format", "sluice novel export needs --format %s", strings.Join(formats(), ", ")))
}

func (k *Kit) cover(c *cobra.Command, file string) ([]byte, error) {
	if file == "" {
		return nil, nil
	}
	return k.content(c, file)
}
