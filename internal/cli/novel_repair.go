package cli

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"sluice/internal/app"
	"sluice/internal/line/novel"
)

// chapterVerb makes a command about one chapter of a book.
func (k *Kit) chapterVerb(c *cobra.Command, verb func(c *cobra.Command, a *app.App, name string, chapter int) error) *cobra.Command {
	return k.ofBook(c, func(c *cobra.Command, a *app.App, args []string) error {
		chapter, err := chapterNumber(c, "CHAPTER", args[1])
		if err != nil {
			return err
		}
		return verb(c, a, args[0], chapter)
	})
}

func (k *Kit) novelCheck() *cobra.Command {
	var again bool
	c := &cobra.Command{
		Use:   "check NAME CHAPTER",
		Short: "Show what contradicts the rest of the book in a chapter",
		Long: `Shows the consistency report on the text of a chapter that stands, and makes one where there is none. It reports; what
is done about it is yours to say.

` + exits(0, 1, 2, 3, 5, 6),
		Example: "  sluice novel check mybook 3",
	}
	c.Flags().BoolVar(&again, "again", false, "check it anew, even if there is a report")
	return k.chapterVerb(c, func(c *cobra.Command, a *app.App, name string, chapter int) error {
		d, err := a.CheckChapter(c.Context(), name, chapter, again)
		if err != nil {
			return err
		}
		return k.Print(d, k.look().novelCheck(d))
	})
}

func (k *Kit) novelReview() *cobra.Command {
	var again bool
	c := &cobra.Command{
		Use:   "review NAME CHAPTER",
		Short: "Show the logic review of a chapter",
		Long: `Shows the logic review of the text that stands, and makes one where there is none. Where a chapter waits for revision
and its text was changed since, a pass opens the gate and a fail renews what is pending. With the policy off nothing is
ever blocked.

` + exits(0, 1, 2, 3, 5, 6),
		Example: "  sluice novel review mybook 3",
	}
	c.Flags().BoolVar(&again, "again", false, "review it anew, even if there is a report")
	return k.chapterVerb(c, func(c *cobra.Command, a *app.App, name string, chapter int) error {
		d, err := a.ReviewChapter(c.Context(), name, chapter, again)
		if err != nil {
			return err
		}
		return k.Print(d, k.look().novelReview(d))
	})
}

func (k *Kit) novelCandidate() *cobra.Command {
	return k.chapterVerb(&cobra.Command{
		Use:   "candidate NAME CHAPTER",
		Short: "Have a pending chapter revised, for you to look at",
		Long: `Has the chapter revised by the notes of its pending revision. The candidate goes into the revision file, with a text to
read beside it; the chapter stays as it is until you apply it.

` + exits(0, 1, 2, 3, 5, 6),
		Example: "  sluice novel candidate mybook 3",
	}, func(c *cobra.Command, a *app.App, name string, chapter int) error {
		d, err := a.MakeCandidate(c.Context(), name, chapter)
		return k.printRevision("made a candidate for", d, err)
	})
}

func (k *Kit) novelApply() *cobra.Command {
	var over bool
	c := &cobra.Command{
		Use:   "apply NAME CHAPTER",
		Short: "Make the candidate of a pending chapter its text",
		Long: `The candidate becomes the chapter, its memory is recorded anew, and the book may go on. The text before is kept. A
candidate that was made from a text that no longer stands is refused with exit code 5, unless --over is given.

` + exits(0, 1, 2, 3, 5),
		Example: "  sluice novel apply mybook 3",
	}
	c.Flags().BoolVar(&over, "over", false, "replace the text even if the candidate was made from another")
	return k.chapterVerb(c, func(c *cobra.Command, a *app.App, name string, chapter int) error {
		d, err := a.ApplyRevision(c.Context(), name, chapter, over)
		return k.printRevision("applied the revision of", d, err)
	})
}

func (k *Kit) novelReject() *cobra.Command {
	var reason string
	c := &cobra.Command{
		Use:     "reject NAME CHAPTER",
		Short:   "Keep a pending chapter as it is",
		Long:    "The chapter stays as it is, the revision is recorded as rejected, and the book may go on.\n\n" + exits(0, 2, 3, 5),
		Example: `  sluice novel reject mybook 3 --reason "the change of tone is intended"`,
	}
	c.Flags().StringVar(&reason, "reason", "", "`TEXT` that says why (needed)")
	return k.chapterVerb(c, func(c *cobra.Command, a *app.App, name string, chapter int) error {
		if err := k.askFor(c.Context(), &reason, question{text: "Why does the chapter stay as it is?"},
			wrongUse(c, "--reason", "sluice novel reject needs --reason TEXT")); err != nil {
			return err
		}
		d, err := a.RejectRevision(c.Context(), name, chapter, reason)
		return k.printRevision("rejected the revision of", d, err)
	})
}

func (k *Kit) printRevision(what string, d app.RevisionDoc, err error) error {
	if err != nil {
		return err
	}
	return k.Print(d, k.look().novelRevision(what, d))
}

func (k *Kit) novelRegen() *cobra.Command {
	return k.chapterVerb(&cobra.Command{
		Use:   "regen NAME CHAPTER",
		Short: "Write a chapter anew from its plan",
		Long: `Writes every scene of the chapter again, checks it and reviews it. A revision that waited on the old text is over; the
old text is kept.

` + exits(0, 1, 2, 3, 4, 5, 6),
		Example: "  sluice novel regen mybook 3",
	}, func(c *cobra.Command, a *app.App, name string, chapter int) error {
		d, err := a.RegenChapter(c.Context(), name, chapter, k.tellNotice)
		return k.printResults(d, err)
	})
}

func (k *Kit) novelRollback() *cobra.Command {
	var w app.NovelRollback
	var scene string
	c := &cobra.Command{
		Use:   "rollback NAME",
		Short: "Take a book back to the state just before a step, a chapter or a scene",
		Long: `Takes away what was made from there on: chapters, plans, scenes, revisions, reviews, reports and memory. Nothing is
lost: it stands in .versions of the project, and --undo brings the last rollback back.

` + exits(0, 2, 3, 5),
		Example: `  sluice novel rollback mybook --to-chapter 4
  sluice novel rollback mybook --to-scene 4.2
  sluice novel rollback mybook --to-step plan
  sluice novel rollback mybook --undo`,
	}
	f := c.Flags()
	f.StringVar(&w.Step, "to-step", "", "to just before `STEP`: "+strings.Join(novel.Steps(), ", "))
	f.IntVar(&w.Chapter, "to-chapter", 0, "to just before chapter `N`")
	f.StringVar(&scene, "to-scene", "", "to just before scene M of chapter N, as `N.M`")
	f.BoolVar(&w.Undo, "undo", false, "bring back what the last rollback took away")
	f.StringVar(&w.Reason, "reason", "", "`TEXT` that says why, for the record")
	return k.ofBook(c, func(c *cobra.Command, a *app.App, args []string) error {
		given := 0
		for _, flag := range []string{"to-step", "to-chapter", "to-scene", "undo"} {
			if c.Flags().Changed(flag) {
				given++
			}
		}
		if given != 1 {
			return wrongUse(c, "--to-chapter", "sluice novel rollback needs one of --to-step STEP, --to-chapter N, --to-scene N.M and --undo")
		}
		w.Name = args[0]
		if err := rollbackPlace(c, &w, scene); err != nil {
			return err
		}
		d, err := a.RollbackNovel(c.Context(), w)
		if err != nil {
			return err
		}
		return k.Print(d, k.look().novelRollback(d))
	})
}

func rollbackPlace(c *cobra.Command, w *app.NovelRollback, scene string) error {
	switch {
	case c.Flags().Changed("to-step"):
		if w.Step == "" {
			return wrongUse(c, "--to-step", "--to-step is empty; one of %s is needed", strings.Join(novel.Steps(), ", "))
		}
	case c.Flags().Changed("to-chapter"):
		if w.Chapter < 1 {
			return wrongUse(c, "--to-chapter", "--to-chapter is %d; a number from 1 on is needed", w.Chapter)
		}
	case c.Flags().Changed("to-scene"):
		chapter, part, ok := strings.Cut(scene, ".")
		var err1, err2 error
		w.Chapter, err1 = strconv.Atoi(chapter)
		w.Scene, err2 = strconv.Atoi(part)
		if !ok || err1 != nil || err2 != nil || w.Chapter < 1 || w.Scene < 1 {
			return wrongUse(c, "--to-scene", "--to-scene is %q; chapter and scene are needed, such as 4.2", scene)
		}
	}
	return nil
}

func (k *Kit) novelLock(isLocked bool) *cobra.Command {
	c := &cobra.Command{
		Use:     "lock NAME CHAPTERS",
		Short:   "Make chapters final: nothing may change them",
		Long:    "Makes chapters final. A command that would change one is refused before anything runs. CHAPTERS is a list such as 1,3-5.\n\n" + exits(0, 2, 3, 5),
		Example: "  sluice novel lock mybook 1-3",
	}
	if !isLocked {
		c.Use, c.Short, c.Example = "unlock NAME CHAPTERS", "Let chapters change again", "  sluice novel unlock mybook 2"
		c.Long = "Lets chapters change again that were locked. CHAPTERS is a list such as 1,3-5.\n\n" + exits(0, 2, 3, 5)
	}
	return k.ofBook(c, func(c *cobra.Command, a *app.App, args []string) error {
		list, err := novel.ParseChapters(args[1])
		if err != nil {
			return err
		}
		if len(list) == 0 {
			return wrongUse(c, "CHAPTERS", "CHAPTERS is empty; a list such as 1,3-5 is needed")
		}
		d, err := a.LockChapters(c.Context(), args[0], list, isLocked)
		if err != nil {
			return err
		}
		text := "no chapter of " + d.Project + " is locked\n"
		if len(d.Locked) > 0 {
			text = fmt.Sprintf("locked chapters of %s: %s\n", d.Project, novel.FormatChapters(d.Locked))
		}
		return k.Print(d, text)
	})
}

// novelScene groups the commands about single scenes.
func (k *Kit) novelScene() *cobra.Command {
	c := &cobra.Command{
		Use:     "scene",
		Short:   "Write single scenes, and put a chapter together from them",
		Long:    "Writes single scenes of a planned chapter, and puts the chapter together from them.",
		Example: "  sluice novel scene generate mybook 3 2\n  sluice novel scene merge mybook 3",
		Args:    cobra.ArbitraryArgs,
		RunE:    unknownCommand,
	}
	generate := k.chapterSceneVerb()
	merge := k.chapterVerb(&cobra.Command{
		Use:   "merge NAME CHAPTER",
		Short: "Put a chapter together from its scenes",
		Long: `Puts the chapter together from its scenes as they stand, then checks and reviews it as if it had just been written.

` + exits(0, 1, 2, 3, 4, 5, 6),
		Example: "  sluice novel scene merge mybook 3",
	}, func(c *cobra.Command, a *app.App, name string, chapter int) error {
		d, err := a.MergeScenes(c.Context(), name, chapter, k.tellNotice)
		return k.printResults(d, err)
	})
	c.AddCommand(generate, merge)
	return c
}

func (k *Kit) chapterSceneVerb() *cobra.Command {
	return k.ofBook(&cobra.Command{
		Use:   "generate NAME CHAPTER SCENE",
		Short: "Write one scene of a planned chapter",
		Long: `Writes one scene, going on from the one before it. A scene that is written is written again. The chapter takes it in
with sluice novel scene merge.

` + exits(0, 1, 2, 3, 4, 5, 6),
		Example: "  sluice novel scene generate mybook 3 2",
	}, func(c *cobra.Command, a *app.App, args []string) error {
		chapter, err := chapterNumber(c, "CHAPTER", args[1])
		if err != nil {
			return err
		}
		scene, err := chapterNumber(c, "SCENE", args[2])
		if err != nil {
			return err
		}
		d, err := a.GenerateScene(c.Context(), args[0], chapter, scene)
		if err != nil {
			return err
		}
		return k.Print(d, k.look().novelScene(d))
	})
}
