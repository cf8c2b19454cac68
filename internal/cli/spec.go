package cli

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"sluice/internal/app"
	"sluice/internal/fault"
	"sluice/internal/line/spec"
	"sluice/internal/line/spec/ingest"
)

// spec groups the commands of the spec line.
func (k *Kit) spec() *cobra.Command {
	c := &cobra.Command{
		Use:   "spec",
		Short: "Turn any input into a spec that passes its gates, with evidence for every field",
		Long: `A feature begins with any input: a sentence, a chat, documents. What you wrote stays word for word, a model fills the
rest, gates say what is missing, and you are asked for it. FEATURE is an id such as F-2026-001.`,
		Example: `  sluice spec new "Let readers find a book by any word of its title"
  sluice spec new -f brief.md -f chat.txt
  sluice spec answer F-2026-001 -a spec.goal="Find a book by any word of its title"
  sluice spec review F-2026-001 go --reason "as agreed"
  sluice spec show F-2026-001`,
		Args: cobra.ArbitraryArgs,
		RunE: unknownCommand,
	}
	c.AddCommand(k.specNew(), k.specRun(), k.specQuestions(), k.specAnswer(), k.specAmend(), k.specReopen(), k.specReview(), k.specPublish(),
		k.specShow(), k.specVersions(), k.specDiff(), k.specSnapshots(), k.specEvidence(), k.specTrace(), k.specReplay(), k.specValidate(), k.specList())
	return c
}

func (k *Kit) specNew() *cobra.Command {
	var files []string
	var title string
	var project spec.ProjectContextRef
	c := &cobra.Command{
		Use:   "new [TEXT]",
		Short: "Begin a feature and go on until it waits or ends",
		Long: `Reads the input, compiles a spec of it, holds it against its gates, plans tasks and how they are verified, and waits
where only you can go on: for answers, or for a review.

` + exits(0, 1, 2, 3, 4, 5, 6),
		Example: "  sluice spec new \"Let readers find a book by any word of its title\"\n  sluice spec new -f brief.md --title \"Book search\"",
		Args:    fitUse,
	}
	c.Flags().StringArrayVarP(&files, "file", "f", nil, "take input from `FILE` (- is stdin; repeat for more)")
	c.Flags().StringVar(&title, "title", "", "`TITLE` of the feature (default: as found or made)")
	c.Flags().StringVar(&project.ProjectID, "project", "", "`ID` of the project it belongs to")
	c.Flags().StringVar(&project.ContextVersion, "context", "", "version of the project's context, `C-NN`")
	c.Flags().StringVar(&project.ProjectRecordID, "project-record", "", "`ID` of the project's record where it is published")
	c.Flags().StringVar(&project.MentorUserID, "mentor", "", "`ID` of who answers for it")
	c.Flags().StringVar(&project.InternUserID, "intern", "", "`ID` of who works on it")
	c.RunE = func(c *cobra.Command, args []string) error {
		w, err := k.wish(c, args, files, title)
		if err != nil {
			return err
		}
		wish := app.NewSpec{Wish: w}
		if project != (spec.ProjectContextRef{}) {
			wish.Context = &project
		}
		return k.specVerb(c, func(ctx context.Context, a *app.App) (app.SpecDoc, error) { return a.NewSpec(ctx, wish) })
	}
	return c
}

// wish gathers input from words and files.
func (k *Kit) wish(c *cobra.Command, args, files []string, title string) (spec.Wish, error) {
	w := spec.Wish{Title: strings.TrimSpace(title)}
	if text := strings.Join(args, ""); text != "" {
		w.Sources = append(w.Sources, ingest.Source{Name: "text", Body: []byte(text)})
	}
	for _, f := range files {
		body, err := k.content(c, f)
		if err != nil {
			return w, err
		}
		name := filepath.Base(f)
		if f == "-" {
			name = "stdin"
		}
		w.Sources = append(w.Sources, ingest.Source{Name: name, Body: body})
	}
	if len(w.Sources) == 0 {
		return w, wrongUse(c, "TEXT", "%s needs TEXT or -f FILE", c.CommandPath())
	}
	return w, nil
}

func (k *Kit) specRun() *cobra.Command {
	return &cobra.Command{
		Use:     "run FEATURE",
		Short:   "Let a feature go on until it waits or ends",
		Long:    "Goes on where the feature stopped. A step that failed is tried again.\n\n" + exits(0, 1, 2, 3, 4, 5, 6),
		Example: "  sluice spec run F-2026-001",
		Args:    fitUse,
		RunE: func(c *cobra.Command, args []string) error {
			return k.specVerb(c, func(ctx context.Context, a *app.App) (app.SpecDoc, error) { return a.RunSpec(ctx, args[0]) })
		},
	}
}

func (k *Kit) specAnswer() *cobra.Command {
	var words []string
	var file string
	c := &cobra.Command{
		Use:   "answer FEATURE",
		Short: "Answer the open questions of a feature and go on",
		Long: `Answers by path or by the number of the question. An answer that does not fit its field is refused with the rule, and
then nothing is stored. FILE holds a JSON object of paths and values. Without either, each question is asked at the
terminal. Items of lists go by their place or their id: planning.tasks[0].scope, planning.tasks[T-1].scope.

` + exits(0, 1, 2, 3, 4, 5, 6),
		Example: "  sluice spec answer F-2026-001 -a spec.goal=\"Find a book by any word of its title\" -a Q-2='[\"a word finds it\"]'\n  sluice spec answer F-2026-001 -f answers.json\n  sluice spec answer F-2026-001",
		Args:    fitUse,
	}
	c.Flags().StringArrayVarP(&words, "answer", "a", nil, "`PATH=VALUE` (repeat for more)")
	c.Flags().StringVarP(&file, "file", "f", "", "take answers from `FILE` (- is stdin)")
	c.RunE = func(c *cobra.Command, args []string) error {
		set, err := pairs(c, "answer", words)
		if err != nil {
			return err
		}
		var content []byte
		if file != "" {
			if content, err = k.content(c, file); err != nil {
				return err
			}
		}
		isTalk := len(set) == 0 && file == ""
		if isTalk && !k.canAsk() {
			return wrongUse(c, "-a", "sluice spec answer needs -a PATH=VALUE or -f FILE; without them it asks at a terminal")
		}
		return k.specVerb(c, func(ctx context.Context, a *app.App) (app.SpecDoc, error) {
			if isTalk {
				if set, err = k.talk(ctx, a, args[0]); err != nil {
					return app.SpecDoc{}, err
				}
			}
			return a.AnswerSpec(ctx, args[0], set, content)
		})
	}
	return c
}

func (k *Kit) specAmend() *cobra.Command {
	var files []string
	c := &cobra.Command{
		Use:   "amend FEATURE [TEXT]",
		Short: "Give a published or dropped feature new input",
		Long: `Opens a new run of the same feature: what the new input says is added to what stands, and new versions follow. What
changed is shown, and sluice spec diff shows it again. Where the first input could not be read, new input takes its
place.

` + exits(0, 1, 2, 3, 4, 5, 6),
		Example: "  sluice spec amend F-2026-001 -f change.md",
		Args:    fitUse,
	}
	c.Flags().StringArrayVarP(&files, "file", "f", nil, "take input from `FILE` (- is stdin; repeat for more)")
	c.RunE = func(c *cobra.Command, args []string) error {
		w, err := k.wish(c, args[1:], files, "")
		if err != nil {
			return err
		}
		return k.With(c.Context(), func(a *app.App) error {
			d, err := a.AmendSpec(c.Context(), args[0], w)
			if err != nil {
				return err
			}
			if d.WaitingFor != "" {
				k.exit = fault.ExitParked
			}
			return k.Print(d, k.look().amended(d))
		})
	}
	return c
}

func (k *Kit) specReopen() *cobra.Command {
	return &cobra.Command{
		Use:     "reopen FEATURE",
		Short:   "Lead a feature on hold back to its questions",
		Long:    "Anything may be answered then; the answers make a new version, which is validated and reviewed again.\n\n" + exits(0, 2, 3, 4, 5),
		Example: "  sluice spec reopen F-2026-001",
		Args:    fitUse,
		RunE: func(c *cobra.Command, args []string) error {
			return k.specVerb(c, func(ctx context.Context, a *app.App) (app.SpecDoc, error) { return a.ReopenSpec(ctx, args[0]) })
		},
	}
}

func (k *Kit) specReview() *cobra.Command {
	var reason, version string
	c := &cobra.Command{
		Use:   "review FEATURE go|hold|drop",
		Short: "Decide on the version that passed every gate",
		Long: `Records go, hold or drop, by whom and why, for exactly one version. What is on hold may be decided again; what is
published or dropped is not.

` + exits(0, 2, 3, 5),
		Example: "  sluice spec review F-2026-001 go --reason \"as agreed\"",
		Args:    fitUse,
	}
	c.Flags().StringVar(&reason, "reason", "", "`TEXT` that says why (needed)")
	c.Flags().StringVar(&version, "version", "", "`VERSION` that is meant, such as S-20261115-0002 (default: the one up for review)")
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := k.askFor(c.Context(), &reason, question{text: "Why " + args[1] + "?"}, nil); err != nil {
			return err // without a reason the verb says what is missing
		}
		v := spec.Verdict{Decision: spec.Recommendation(args[1]), SpecVersion: version, Reason: reason}
		return k.With(c.Context(), func(a *app.App) error {
			d, err := a.ReviewSpec(c.Context(), args[0], v)
			if err != nil {
				return err
			}
			return k.Print(d, k.look().feature(d))
		})
	}
	return c
}

func (k *Kit) specShow() *cobra.Command {
	var version string
	c := &cobra.Command{
		Use:     "show FEATURE",
		Short:   "Print a version of a feature's spec",
		Long:    "Prints the CanonicalSpec as it is stored, as JSON.\n\n" + exits(0, 2, 3),
		Example: "  sluice spec show F-2026-001 --version S-20261115-0002",
		Args:    fitUse,
	}
	c.Flags().StringVar(&version, "version", "", "`VERSION` that is meant, such as S-20261115-0002 (default: the newest)")
	c.RunE = func(c *cobra.Command, args []string) error {
		return k.With(c.Context(), func(a *app.App) error {
			d, err := a.ShowSpec(c.Context(), args[0], version)
			if err != nil {
				return err
			}
			text, err := d.Encode()
			if err != nil {
				return err
			}
			return k.Print(d, cleanBlock(string(text)))
		})
	}
	return c
}

// specVerb answers with a feature that was driven.
func (k *Kit) specVerb(c *cobra.Command, call func(context.Context, *app.App) (app.SpecDoc, error)) error {
	return k.With(c.Context(), func(a *app.App) error {
		d, err := call(c.Context(), a)
		if err != nil {
			return err
		}
		if d.WaitingFor != "" {
			k.exit = fault.ExitParked
		}
		return k.Print(d, k.look().feature(d))
	})
}

// feature shows where a feature stands: what is asked comes first, and what happened before is not in its way.
func (v look) feature(d app.SpecDoc) string {
	var b strings.Builder
	b.WriteString(clean(d.FeatureID+" "+d.Title) + "\n")
	b.WriteString("  " + strings.TrimSpace(string(d.Status)+" "+d.SpecVersion+" "+d.RunID) + "\n")
	switch {
	case d.Rehearsal:
		b.WriteString("  " + rehearsalNote + "\n")
	case slices.Contains(d.Rehearsed, d.SpecVersion):
		b.WriteString("  rehearsal: some of its text comes from the offline placeholder model\n")
	}
	if d.AskTitle != "" {
		b.WriteString(clean(d.AskTitle) + "\n")
	}
	questions(&b, d.Questions, nil)
	return b.String() + v.next(d.Next)
}
