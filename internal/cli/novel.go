package cli

import (
	"strconv"
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
  sluice novel status mybook
  sluice novel export mybook --format epub`,
		Args: cobra.ArbitraryArgs,
		RunE: unknownCommand,
	}
	c.AddCommand(k.novelNew(), k.novelSet(), k.novelRun(), k.novelStep(), k.novelStatus(), k.novelList(), k.novelContext(),
		k.novelMemory(), k.novelStale(), k.novelCheck(), k.novelReview(), k.novelCandidate(), k.novelApply(), k.novelReject(), k.novelRegen(),
		k.novelRollback(), k.novelLock(true), k.novelLock(false), k.novelScene(), k.novelExport())
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
	f.StringVar(&s.Title, "title", "", "its title, as `TEXT`, for exports (default: NAME)")
	f.StringVar(&s.Premise, "premise", "", "what the book is about, as `TEXT`")
	f.StringVar(&s.Theme, "theme", "", "its theme, as `TEXT`")
	f.StringVar(&s.Author, "author", "", "its author, as `TEXT`, for exports")
	f.IntVar(&s.TargetChapters, "chapters", s.TargetChapters, "`N` chapters")
	f.IntVar(&s.WordsPerScene, "words-per-scene", s.WordsPerScene, "about `N` words per scene")
	f.StringVar(&s.Language, "language", "", "write in the language `TAG` (default: that of the premise)")
	f.IntVar(&s.ContextTokens, "context-tokens", s.ContextTokens, "tell at most `N` tokens of the book in a prompt")
	policy, review := string(s.RevisionPolicy), string(s.LogicReviewPolicy)
	f.StringVar(&policy, "revision-policy", policy, "none, auto_apply or manual_confirm, as `P`")
	f.StringVar(&review, "logic-review", review, "off or blocking, as `P`")
	f.IntVar(&s.LogicReviewMinScore, "min-score", s.LogicReviewMinScore, "a review needs `N` of 100 to pass")
	c.RunE = func(c *cobra.Command, args []string) error {
		if story.IsBlank(s.Premise) {
			s.Premise = ""
		}
		if err := k.askFor(c.Context(), &s.Premise, question{text: "What is the book about?"},
			wrongUse(c, "--premise", "sluice novel new needs --premise TEXT")); err != nil {
			return err
		}
		s.RevisionPolicy, s.LogicReviewPolicy = story.RevisionPolicy(policy), story.LogicReviewPolicy(review)
		return k.With(c.Context(), func(a *app.App) error {
			k.watchBook(c.Context(), a)
			d, err := a.NewNovel(c.Context(), app.NovelNew{Name: args[0], Settings: configured(c, s, a.Novel)})
			if err != nil {
				return err
			}
			return k.Print(d, k.look().novelMade(d))
		})
	}
	return c
}

// configured gives settings that no flag gave the values of the configuration.
func configured(c *cobra.Command, s, defaults story.Settings) story.Settings {
	unset := func(flag string) bool { return !c.Flags().Changed(flag) }
	if unset("language") {
		s.Language = defaults.Language
	}
	if unset("author") {
		s.Author = defaults.Author
	}
	if unset("chapters") {
		s.TargetChapters = defaults.TargetChapters
	}
	if unset("words-per-scene") {
		s.WordsPerScene = defaults.WordsPerScene
	}
	if unset("revision-policy") {
		s.RevisionPolicy = defaults.RevisionPolicy
	}
	if unset("logic-review") {
		s.LogicReviewPolicy = defaults.LogicReviewPolicy
	}
	if unset("min-score") {
		s.LogicReviewMinScore = defaults.LogicReviewMinScore
	}
	if unset("context-tokens") {
		s.ContextTokens = defaults.ContextTokens
	}
	s.MemoryContextChapters = defaults.MemoryContextChapters
	return s
}

func (k *Kit) novelSet() *cobra.Command {
	return k.ofBook(&cobra.Command{
		Use:   "set NAME KEY=VALUE…",
		Short: "Change settings of a book",
		Long: `Changes settings of a book:
  ` + strings.Join(story.SettingKeys(), "\n  ") + `
What was made under other settings stays as it is; a change of policy holds for what is made from now on.

` + exits(0, 2, 3, 5),
		Example: "  sluice novel set mybook revision_policy=manual_confirm logic_review_min_score=80\n  sluice novel set mybook author=\"Ana Lind\"",
	}, func(c *cobra.Command, a *app.App, args []string) error {
		set, err := pairs(c, "KEY=VALUE", args[1:])
		if err != nil {
			return err
		}
		d, err := a.SetNovel(c.Context(), args[0], set)
		if err != nil {
			return err
		}
		return k.Print(d, k.look().novelSettings(d))
	})
}

// ofBook makes a command about one book, whose first argument is completed with the names of books.
func (k *Kit) ofBook(c *cobra.Command, verb func(c *cobra.Command, a *app.App, args []string) error) *cobra.Command {
	c.Args = fitUse
	c.RunE = func(c *cobra.Command, args []string) error {
		return k.With(c.Context(), func(a *app.App) error {
			k.watchBook(c.Context(), a)
			return verb(c, a, args)
		})
	}
	return c
}

// chapterNumber reads the argument that names a chapter or a scene.
func chapterNumber(c *cobra.Command, what, word string) (int, error) {
	n, err := strconv.Atoi(word)
	if err != nil || n < 1 || n > story.MaxChapters {
		return 0, wrongUse(c, what, "%s is %q; a number from 1 on is needed", what, word)
	}
	return n, nil
}

func (k *Kit) novelRun() *cobra.Command {
	var chapters, until string
	var force bool
	c := &cobra.Command{
		Use:     "run NAME",
		Aliases: []string{"resume"},
		Short:   "Go on with a book until it is written or waits",
		Long: `Makes what the book lacks, chapter after chapter. What stands is used as it is; --force makes plan and text of the scope
again. A chapter that fails is told of and the next one goes on; a chapter that waits for a revision stops the book. run
and resume are the same.

` + exits(0, 1, 2, 3, 4, 5, 6),
		Example: "  sluice novel run mybook\n  sluice novel run mybook --chapters 1,3-5 --until plan\n  sluice novel resume mybook",
	}
	f := c.Flags()
	f.StringVar(&chapters, "chapters", "", "only these, as `LIST` such as 1,3-5")
	f.StringVar(&until, "until", "", "stop after `STEP`: "+strings.Join(novel.Steps(), ", "))
	f.BoolVar(&force, "force", false, "make plan and text of the scope again, or the step that --until names")
	return k.ofBook(c, func(c *cobra.Command, a *app.App, args []string) error {
		list, err := chapterList(c, chapters)
		if err != nil {
			return err
		}
		d, err := a.RunNovel(c.Context(), app.NovelRun{Name: args[0], Chapters: list, Until: until, Force: force, Tell: k.tellNotice})
		return k.printResults(d, err)
	})
}

// chapterList reads --chapters; without the flag every chapter is meant, and an empty list is a mistake.
func chapterList(c *cobra.Command, text string) ([]int, error) {
	list, err := novel.ParseChapters(text)
	if err == nil && list == nil && c.Flags().Changed("chapters") {
		return nil, wrongUse(c, "--chapters", "--chapters is empty; a list such as 1,3-5 is needed")
	}
	return list, err
}

func (k *Kit) novelStep() *cobra.Command {
	var chapters string
	var force bool
	c := &cobra.Command{
		Use:   "step NAME STEP",
		Short: "Do one step of a book, and nothing before it",
		Long: `Does one step: ` + strings.Join(novel.Steps(), ", ") + `. plan and text are done for every chapter of the
outline, or for those of --chapters. Where something is missing before it, the commands are named in order.

` + exits(0, 1, 2, 3, 4, 5, 6),
		Example: "  sluice novel step mybook outline --force\n  sluice novel step mybook text --chapters 3",
	}
	f := c.Flags()
	f.StringVar(&chapters, "chapters", "", "only these, as `LIST` such as 1,3-5")
	f.BoolVar(&force, "force", false, "make it again where it stands")
	return k.ofBook(c, func(c *cobra.Command, a *app.App, args []string) error {
		list, err := chapterList(c, chapters)
		if err != nil {
			return err
		}
		if list != nil && !novel.IsChapterStep(args[1]) && novel.CheckStep(args[1]) == nil {
			return wrongUse(c, "--chapters", "step %s is of the whole book; --chapters goes with plan and text", args[1])
		}
		d, err := a.RunNovel(c.Context(), app.NovelRun{Name: args[0], Chapters: list, Until: args[1], Alone: true, Force: force, Tell: k.tellNotice})
		return k.printResults(d, err)
	})
}

// printResults answers with what became of each step.
func (k *Kit) printResults(d app.NovelRunDoc, err error) error {
	if err != nil {
		if len(d.Results) > 0 && !k.json { // what was reached is shown before what stopped it
			if shown := k.Print(d, k.look().novelResults(d)); shown != nil {
				return shown
			}
		}
		return err
	}
	if len(d.FailedChapters) > 0 {
		k.exit = fault.ExitGaveUp
	}
	return k.Print(d, k.look().novelResults(d)+k.look().novelGoesOn(d))
}

func (k *Kit) novelStatus() *cobra.Command {
	return k.ofBook(&cobra.Command{
		Use:     "status NAME",
		Short:   "Show where a book stands",
		Long:    "Lists the steps and chapters of a book, what waits, and what it has cost.\n\n" + exits(0, 2, 3),
		Example: "  sluice novel status mybook --json",
	}, func(c *cobra.Command, a *app.App, args []string) error {
		d, err := a.ShowNovel(c.Context(), args[0])
		if err != nil {
			return err
		}
		return k.Print(d, k.look().novelStatus(d))
	})
}

func (k *Kit) novelList() *cobra.Command {
	var limit int
	var page string
	c := &cobra.Command{
		Use:     "list",
		Short:   "List the books",
		Long:    "Lists the books of the workspace, newest first, and directories of projects that have no journal yet.\n\n" + exits(0, 2, 3),
		Example: "  sluice novel list --json",
		Args:    fitUse,
	}
	c.Flags().IntVar(&limit, "limit", 50, "show at most `N` books")
	c.Flags().StringVar(&page, "page", "", "show the page `MARK` that the last one named")
	c.RunE = func(c *cobra.Command, _ []string) error {
		if limit < 1 || limit > maxPage {
			return wrongUse(c, "--limit", "--limit is %d; 1 to %d is needed", limit, maxPage)
		}
		return k.With(c.Context(), func(a *app.App) error {
			d, err := a.ListNovels(c.Context(), limit, page)
			if err != nil {
				return err
			}
			return k.Print(d, k.look().novels(d))
		})
	}
	return c
}
