package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"sluice/internal/app"
	"sluice/internal/fault"
	"sluice/internal/line/novel"
	"sluice/internal/line/novel/story"
)

// novel groups the commands of the novel line.
func (k *Kit) novel() *cobra.Command {
	c := &cobra.Command{
		Use:   "novel",
		Short: "Write books: from a premise to chapters that agree with each other",
		Long: `A book goes from its premise to world, theme, characters and outline, then chapter by chapter to a plan, scenes and the
text. Every chapter is remembered and checked against those before it; what a check or a review holds against it can
wait for you before the book goes on. Everything stands in projects/NAME and can be edited there.`,
		Example: `  sluice novel new mybook --premise "A lighthouse keeper finds a door in the sea" --chapters 12
  sluice novel run mybook
  sluice novel status mybook`,
		Args: cobra.ArbitraryArgs,
		RunE: unknownCommand,
	}
	c.AddCommand(k.novelNew(), k.novelRun(), k.novelStatus())
	return c
}

func (k *Kit) novelNew() *cobra.Command {
	s := story.DefaultSettings()
	c := &cobra.Command{
		Use:     "new NAME",
		Short:   "Begin a book",
		Long:    "Makes projects/NAME with its settings. Nothing is written yet; sluice novel run does that.\n\n" + exits(0, 2, 3, 5),
		Example: `  sluice novel new mybook --premise "A lighthouse keeper finds a door in the sea" --chapters 12`,
		Args:    fitUse,
	}
	f := c.Flags()
	f.StringVar(&s.Premise, "premise", "", "what the book is about, as `TEXT`")
	f.StringVar(&s.Theme, "theme", "", "its theme, as `TEXT`")
	f.IntVar(&s.TargetChapters, "chapters", s.TargetChapters, "`N` chapters")
	f.StringVar(&s.Language, "language", "", "write in the language `TAG` (default: that of the premise)")
	policy, review := string(s.RevisionPolicy), string(s.LogicReviewPolicy)
	f.StringVar(&policy, "revision-policy", policy, "none, auto_apply or manual_confirm, as `P`")
	f.StringVar(&review, "logic-review", review, "off or blocking, as `P`")
	f.IntVar(&s.LogicReviewMinScore, "min-score", s.LogicReviewMinScore, "a review needs `N` of 100 to pass")
	c.RunE = func(c *cobra.Command, args []string) error {
		if story.IsBlank(s.Premise) {
			return wrongUse(c, "--premise", "sluice novel new needs --premise TEXT")
		}
		s.RevisionPolicy, s.LogicReviewPolicy = story.RevisionPolicy(policy), story.LogicReviewPolicy(review)
		return k.With(c.Context(), func(a *app.App) error {
			d, err := a.NewNovel(c.Context(), app.NovelNew{Name: args[0], Settings: s})
			if err != nil {
				return err
			}
			return k.Print(d, fmt.Sprintf("%s\n  next: sluice novel run %s\n", d.Path, d.Project))
		})
	}
	return c
}

func (k *Kit) novelRun() *cobra.Command {
	var chapters, until string
	var force bool
	c := &cobra.Command{
		Use:     "run NAME",
		Aliases: []string{"resume"},
		Short:   "Go on with a book until it is written or waits",
		Long: `Makes what the book lacks, chapter after chapter. What stands is used as it is; --force makes plan and text of the scope
again. A chapter that fails is told of and the next one goes on; a chapter that waits for a revision stops the book.

` + exits(0, 1, 2, 3, 4, 5, 6),
		Example: "  sluice novel run mybook\n  sluice novel run mybook --chapters 1,3-5 --until plan",
		Args:    fitUse,
	}
	f := c.Flags()
	f.StringVar(&chapters, "chapters", "", "only these, as `LIST` such as 1,3-5")
	f.StringVar(&until, "until", "", "stop after `STEP`: "+strings.Join(novel.Steps(), ", "))
	f.BoolVar(&force, "force", false, "make plan and text of the scope again")
	c.RunE = func(c *cobra.Command, args []string) error {
		list, err := novel.ParseChapters(chapters)
		if err != nil {
			return err
		}
		return k.With(c.Context(), func(a *app.App) error {
			d, err := a.RunNovel(c.Context(), app.NovelRun{Name: args[0], Chapters: list, Until: until, Force: force})
			if err != nil {
				return err
			}
			if len(d.FailedChapters) > 0 {
				k.exit = fault.ExitGaveUp
			}
			return k.Print(d, novelResults(d))
		})
	}
	return c
}

func novelResults(d app.NovelRunDoc) string {
	var b strings.Builder
	for _, r := range d.Results {
		fmt.Fprintf(&b, "%-11s %-10s", r.Action, r.Step)
		if r.ChapterNumber > 0 {
			fmt.Fprintf(&b, " %3d", r.ChapterNumber)
		}
		fmt.Fprintf(&b, "  %s", r.Path)
		if r.Error != "" {
			fmt.Fprintf(&b, "  %s", r.Error)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func (k *Kit) novelStatus() *cobra.Command {
	return &cobra.Command{
		Use:     "status NAME",
		Short:   "Show where a book stands",
		Long:    "Lists the steps and chapters of a book, what waits, and what it has cost.\n\n" + exits(0, 2, 3),
		Example: "  sluice novel status mybook",
		Args:    fitUse,
		RunE: func(c *cobra.Command, args []string) error {
			return k.With(c.Context(), func(a *app.App) error {
				d, err := a.NovelStatus(c.Context(), args[0])
				if err != nil {
					return err
				}
				return k.Print(d, novelStatusText(d))
			})
		},
	}
}

func novelStatusText(d novel.StatusDoc) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d words\n", d.Project, d.Words)
	for _, step := range novel.Steps() {
		fmt.Fprintf(&b, "  %-11s %s\n", step, d.Steps[step])
	}
	for _, c := range d.Chapters {
		fmt.Fprintf(&b, "  %3d %-30s %6d words", c.ChapterNumber, c.ChapterTitle, c.Words)
		if c.Revision != "" {
			fmt.Fprintf(&b, "  revision %s", c.Revision)
		}
		b.WriteString("\n")
	}
	return b.String()
}
