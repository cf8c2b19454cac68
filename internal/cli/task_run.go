package cli

import (
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"sluice/internal/app"
	"sluice/internal/fault"
	"sluice/internal/kernel"
	"sluice/internal/line"
	"sluice/internal/line/task"
)

func (k *Kit) taskRun() *cobra.Command {
	var workers int
	c := &cobra.Command{
		Use:   "run PLAN",
		Short: "Let a plan go on until it waits or ends",
		Long: `Performs the tasks of a plan, many side by side: each ACTION is made from approved inputs, judged by its CHECK, and
redone with the findings until it passes or a person must act. A plan with findings is refused.

` + exits(0, 1, 2, 3, 4, 5, 6, 7),
		Example: "  sluice task run PLAN --workers 8",
		Args:    fitUse,
	}
	c.Flags().IntVar(&workers, "workers", 0, "work on `N` tasks at the same time (default: as configured)")
	c.RunE = func(c *cobra.Command, args []string) error {
		if workers < 0 || workers == 0 && c.Flags().Changed("workers") {
			return wrongUse(c, "--workers", "--workers is %d; 1 or more is needed", workers)
		}
		return k.With(c.Context(), func(a *app.App) error {
			d, err := a.RunPlan(c.Context(), args[0], workers)
			return k.printPlan(d, err)
		})
	}
	return c
}

// printPlan answers with a plan that was driven.
func (k *Kit) printPlan(d task.StatusDoc, err error) error {
	if err != nil {
		return err
	}
	switch d.Status {
	case task.PlanWaiting, task.PlanRequest:
		k.exit = fault.ExitParked
	case task.PlanFailed:
		k.exit = fault.ExitGaveUp
	}
	return k.Print(d, k.look().plan(d))
}

// taskVerb is a command about one task that is recorded and not driven.
func (k *Kit) taskVerb(c *cobra.Command, call func(c *cobra.Command, a *app.App, args []string) (task.StatusDoc, error)) *cobra.Command {
	c.Args = fitUse
	c.Long += "\n\n" + exits(0, 2, 3, 5)
	c.RunE = func(c *cobra.Command, args []string) error {
		return k.With(c.Context(), func(a *app.App) error {
			d, err := call(c, a, args)
			if err != nil {
				return err
			}
			return k.Print(d, k.look().planRecorded(d))
		})
	}
	return c
}

func (k *Kit) taskRedo() *cobra.Command {
	var note string
	c := &cobra.Command{Use: "redo PLAN TASK", Short: "Have a task made or judged again",
		Long:    "Has an ACTION made again, or a CHECK judge again. Its attempts start again, and what was approved stands until the new\nversion is.",
		Example: `  sluice task redo PLAN 3f2a --note "name the opening hours"`}
	c.Flags().StringVar(&note, "note", "", "`TEXT` that the next attempt should heed")
	return k.taskVerb(c, func(c *cobra.Command, a *app.App, args []string) (task.StatusDoc, error) {
		return a.RedoTask(c.Context(), args[0], args[1], note)
	})
}

func (k *Kit) taskAbandon() *cobra.Command {
	var reason string
	c := &cobra.Command{Use: "abandon PLAN TASK", Short: "Take a task out of its plan",
		Long:    "Takes a task out of its plan, with its CHECK and all that is part of it. What depends on it then waits for a person.",
		Example: `  sluice task abandon PLAN 3f2a --reason "not needed any more"`}
	c.Flags().StringVar(&reason, "reason", "", "`TEXT` that says why (needed)")
	return k.taskVerb(c, func(c *cobra.Command, a *app.App, args []string) (task.StatusDoc, error) {
		if err := k.askFor(c.Context(), &reason, question{text: "Why is it not needed?"},
			wrongUse(c, "--reason", "sluice task abandon needs --reason TEXT")); err != nil {
			return task.StatusDoc{}, err
		}
		return a.AbandonTask(c.Context(), args[0], args[1], reason)
	})
}

func (k *Kit) taskSubmit() *cobra.Command {
	var files []string
	c := &cobra.Command{Use: "submit PLAN TASK", Short: "Hand over a deliverable of your own",
		Long:    "Takes files as the next version of an ACTION. They meet the same CHECK as what a model makes.",
		Example: "  sluice task submit PLAN 3f2a -f rules.md"}
	c.Flags().StringArrayVarP(&files, "file", "f", nil, "`FILE` of the deliverable (repeat for more)")
	return k.taskVerb(c, func(c *cobra.Command, a *app.App, args []string) (task.StatusDoc, error) {
		parts, err := k.parts(c, files)
		if err != nil {
			return task.StatusDoc{}, err
		}
		if len(parts) == 0 {
			return task.StatusDoc{}, wrongUse(c, "--file", "sluice task submit needs -f FILE")
		}
		return a.SubmitTask(c.Context(), args[0], args[1], parts)
	})
}

// parts reads the files that a person hands over.
func (k *Kit) parts(c *cobra.Command, files []string) ([]line.Part, error) {
	var parts []line.Part
	for _, f := range files {
		body, err := k.content(c, f)
		if err != nil {
			return nil, err
		}
		parts = append(parts, line.Part{Path: filepath.Base(f), Body: body})
	}
	return parts, nil
}

func (k *Kit) taskSupply() *cobra.Command {
	var files []string
	var note string
	c := &cobra.Command{
		Use:   "supply PLAN [TASK]",
		Short: "Give what a plan waits for, and let it go on",
		Long: `Gives the files or the confirmation that a task of the plan declared as its input, and drives the plan.

` + exits(0, 1, 2, 3, 4, 5, 6, 7),
		Example: "  sluice task supply PLAN 3f2a -f brief.md",
		Args:    fitUse,
	}
	c.Flags().StringArrayVarP(&files, "file", "f", nil, "`FILE` that is supplied (repeat for more)")
	c.Flags().StringVar(&note, "note", "", "`TEXT` that goes with it, or confirms")
	c.RunE = func(c *cobra.Command, args []string) error {
		parts, err := k.parts(c, files)
		if err != nil {
			return err
		}
		if len(parts) == 0 && strings.TrimSpace(note) == "" {
			return wrongUse(c, "--file", "sluice task supply needs -f FILE or --note TEXT")
		}
		given := ""
		if len(args) > 1 {
			given = args[1]
		}
		return k.With(c.Context(), func(a *app.App) error {
			d, err := a.SupplyTask(c.Context(), args[0], given, parts, note)
			return k.printPlan(d, err)
		})
	}
	return c
}

// reviewFlags are a review as the flags give it.
type reviewFlags struct {
	approve, reject bool
	reason          string
	version         string
	score           float64
	criteria        []string
	suggest         []string
	file            string
}

func (k *Kit) taskReview() *cobra.Command {
	var f reviewFlags
	c := &cobra.Command{Use: "review PLAN TASK", Short: "Judge a version of a task in place of its CHECK",
		Long: `Approves or rejects the newest version of an ACTION, or the one named with --version, also an older one: then the verdict
is recorded and the task's status stays. A bare --approve says that every criterion passes, with a score of 100.`,
		Example: `  sluice task review PLAN 3f2a --approve
  sluice task review PLAN 3f2a --reject --reason "rule 3 is missing" --criterion AC-1=fail:line 12 --suggest "add rule 3"
  sluice task review PLAN 3f2a -f review.json`}
	c.Flags().BoolVar(&f.approve, "approve", false, "approve it")
	c.Flags().BoolVar(&f.reject, "reject", false, "reject it; needs --reason")
	c.Flags().StringVar(&f.reason, "reason", "", "`TEXT` that says why")
	c.Flags().StringVar(&f.version, "version", "", "`ARTIFACT` that is judged (default: the newest)")
	c.Flags().Float64Var(&f.score, "score", 0, "`N` of 100")
	c.Flags().StringArrayVar(&f.criteria, "criterion", nil, "`ID=pass|fail[:EVIDENCE]` (repeat for more)")
	c.Flags().StringArrayVar(&f.suggest, "suggest", nil, "`TEXT` that the next attempt should heed (repeat for more)")
	c.Flags().StringVarP(&f.file, "file", "f", "", "take the review from `FILE` (JSON: verdict, total_score, acceptance_results, summary, suggestions)")
	return k.taskVerb(c, func(c *cobra.Command, a *app.App, args []string) (task.StatusDoc, error) {
		w, err := k.written(c, f)
		if err != nil {
			return task.StatusDoc{}, err
		}
		return a.ReviewTask(c.Context(), args[0], args[1], w)
	})
}

// written reads a review from flags or a file.
func (k *Kit) written(c *cobra.Command, f reviewFlags) (task.Written, error) {
	if f.file != "" {
		raw, err := k.content(c, f.file)
		if err != nil {
			return task.Written{}, err
		}
		return task.ParseWritten(raw)
	}
	w := task.Written{Approve: f.approve, Reason: strings.TrimSpace(f.reason), Version: f.version, Suggestions: f.suggest, Criteria: map[string]kernel.Criterion{}}
	switch {
	case f.approve == f.reject:
		return w, wrongUse(c, "--approve", "sluice task review needs --approve, --reject or -f FILE")
	case f.reject:
		if err := k.askFor(c.Context(), &w.Reason, question{text: "What is wrong with it? The next attempt works from it."},
			wrongUse(c, "--reason", "--reject needs --reason TEXT; the next attempt works from it")); err != nil {
			return w, err
		}
	}
	if c.Flags().Changed("score") {
		if !(f.score >= 0 && f.score <= 100) { // NaN is not
			return w, wrongUse(c, "--score", "--score is %v; 0 to 100 is needed", f.score)
		}
		w.Score = &f.score
	}
	for _, text := range f.criteria {
		id, said, ok := strings.Cut(text, "=")
		word, evidence, _ := strings.Cut(said, ":")
		if !ok || id == "" || word != "pass" && word != "fail" {
			return w, wrongUse(c, "--criterion", "--criterion is %q; ID=pass or ID=fail is needed, with :EVIDENCE if you like", text)
		}
		w.Criteria[id] = kernel.Criterion{ID: id, Pass: word == "pass", Evidence: evidence}
	}
	return w, nil
}

func (k *Kit) taskExport() *cobra.Command {
	var w app.PlanExport
	c := &cobra.Command{
		Use:   "export PLAN",
		Short: "Write the approved deliverables of a plan with a manifest",
		Long: `Writes what was approved into one directory, whole or not at all, with a manifest that names version, review and sha256
of every file. Nothing that is not approved goes out unless --include-candidates says so; then it is marked.

` + exits(0, 2, 3, 4, 5),
		Example: "  sluice task export PLAN\n  sluice task export PLAN -o release --final-only",
		Args:    fitUse,
		RunE: func(c *cobra.Command, args []string) error {
			return k.With(c.Context(), func(a *app.App) error {
				inside, err := k.inside(a.Root, w.Dir)
				if err != nil {
					return err
				}
				w.Dir = inside
				d, err := a.ExportPlan(c.Context(), args[0], w)
				if err != nil {
					return err
				}
				text := k.look().export(d, k.near(filepath.Join(a.Root, filepath.FromSlash(d.Dir))))
				if d.Manifest.Label != "" && !d.Manifest.Rehearsal {
					text = "  " + d.Manifest.Label + "\n" + text
				}
				return k.Print(d, text)
			})
		},
	}
	c.Flags().StringVarP(&w.Dir, "output", "o", "", "write to `DIR` of the workspace (default: workspace/deliverables/PLAN/bundle)")
	c.Flags().BoolVar(&w.Candidates, "include-candidates", false, "add versions that are not approved, marked as such")
	c.Flags().BoolVar(&w.FinalOnly, "final-only", false, "only the assembled deliverable of an ASSEMBLE plan")
	return c
}
