package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"sluice/internal/app"
	"sluice/internal/fault"
	"sluice/internal/line/task"
)

// task groups the commands of the task line.
func (k *Kit) task() *cobra.Command {
	c := &cobra.Command{
		Use:   "task",
		Short: "Run plans of tasks: every deliverable is specified, reviewed and kept",
		Long: `A plan is a graph of GOALs, ACTIONs and CHECKs. Every ACTION declares its deliverable, its acceptance criteria and its
effort; every deliverable is judged by one CHECK at an exact version; only approved versions are used further on. TASK
is a task_id or the beginning of one.`,
		Example: `  sluice task new "Make a small chess game for the browser"
  sluice task import plan.json
  sluice task doctor PLAN
  sluice task run PLAN --workers 8
  sluice task show PLAN 3f2a`,
		Args: cobra.ArbitraryArgs,
		RunE: unknownCommand,
	}
	c.AddCommand(k.taskNew(), k.taskFeasibility(), k.taskImport(), k.taskDoctor(), k.taskRewrite(), k.taskList(), k.taskStatus(), k.taskShow(), k.taskGraph(),
		k.taskRun(), k.taskReview(), k.taskRedo(), k.taskSubmit(), k.taskAbandon(), k.taskSupply(), k.taskExport())
	return c
}

func (k *Kit) taskImport() *cobra.Command {
	return &cobra.Command{
		Use:   "import FILE",
		Short: "Make a plan from a file",
		Long: `Reads a plan, of an older form too: other words for fields, types and edges are put into ours, ids that are no UUIDs are
mapped, and all of that is told. A plan that the doctor has something against is kept, shown and drawn, and does not
run. FILE - is stdin.

` + exits(0, 2, 3, 5),
		Example: "  sluice task import plan.json",
		Args:    fitUse,
		RunE: func(c *cobra.Command, args []string) error {
			raw, err := k.content(c, args[0])
			if err != nil {
				return err
			}
			return k.With(c.Context(), func(a *app.App) error {
				d, err := a.ImportPlan(c.Context(), raw)
				if err != nil {
					return err
				}
				return k.Print(d, k.look().planImport(d))
			})
		},
	}
}

func (k *Kit) taskDoctor() *cobra.Command {
	return &cobra.Command{
		Use:   "doctor PLAN",
		Short: "Hold a plan and what became of it against every hard rule",
		Long: `Checks the document (root, decomposition, cycles, pairs of ACTION and CHECK, fields, coverage, effort), the records
(what is done was approved, what was approved was reviewed) and the files. Each finding names its node and says how to
mend it.

` + exits(0, 2, 3, 7),
		Example: "  sluice task doctor PLAN",
		Args:    fitUse,
		RunE: func(c *cobra.Command, args []string) error {
			return k.With(c.Context(), func(a *app.App) error {
				d, err := a.PlanDoctor(c.Context(), args[0])
				if err != nil {
					return err
				}
				if d.Err() != nil {
					k.exit = fault.ExitFindings
				}
				return k.Print(d, k.look().planFindings(d))
			})
		},
	}
}

func (k *Kit) taskRewrite() *cobra.Command {
	var apply bool
	c := &cobra.Command{
		Use:   "rewrite PLAN",
		Short: "Propose a plan without the findings that have a mechanical answer",
		Long: `Fills in missing fields and CHECKs, puts loose tasks under the root and splits leaves over the threshold. It only
proposes; --apply stores the proposal. What needs thought is left and listed; then the exit code is 7. Tasks that follow
from the plan already stay what they are: a proposal that would change one is not stored, and the refusal names it.

` + exits(0, 2, 3, 5, 7),
		Example: "  sluice task rewrite PLAN\n  sluice task rewrite PLAN --apply",
		Args:    fitUse,
		RunE: func(c *cobra.Command, args []string) error {
			return k.With(c.Context(), func(a *app.App) error {
				d, err := a.RewritePlan(c.Context(), args[0], apply)
				if err != nil {
					return err
				}
				if task.HasErrors(d.Findings) {
					k.exit = fault.ExitFindings
				}
				return k.Print(d, k.look().planRewrite(d))
			})
		},
	}
	c.Flags().BoolVar(&apply, "apply", false, "store the proposal as the plan")
	return c
}

func (k *Kit) taskList() *cobra.Command {
	var limit int
	var page string
	c := &cobra.Command{
		Use:     "list",
		Short:   "List the plans",
		Long:    "Lists the plans of the workspace, newest first.\n\n" + exits(0, 2, 3),
		Example: "  sluice task list --json",
		Args:    fitUse,
	}
	c.Flags().IntVar(&limit, "limit", 50, "show at most `N` plans")
	c.Flags().StringVar(&page, "page", "", "show the page `MARK` that the last one named")
	c.RunE = func(c *cobra.Command, _ []string) error {
		if limit < 1 || limit > maxPage {
			return wrongUse(c, "--limit", "--limit is %d; 1 to %d is needed", limit, maxPage)
		}
		return k.With(c.Context(), func(a *app.App) error {
			d, err := a.ListPlans(c.Context(), limit, page)
			if err != nil {
				return err
			}
			return k.Print(d, k.look().plans(d))
		})
	}
	return c
}

func (k *Kit) taskStatus() *cobra.Command {
	return &cobra.Command{
		Use:     "status PLAN",
		Short:   "Show where a plan and its tasks stand",
		Long:    "Shows the status of a plan and of each task, with what keeps it from going on.\n\n" + exits(0, 2, 3),
		Example: "  sluice task status PLAN --json",
		Args:    fitUse,
		RunE: func(c *cobra.Command, args []string) error {
			return k.With(c.Context(), func(a *app.App) error {
				d, err := a.PlanStatus(c.Context(), args[0])
				if err != nil {
					return err
				}
				return k.Print(d, k.look().plan(d))
			})
		},
	}
}

func (k *Kit) taskShow() *cobra.Command {
	return &cobra.Command{
		Use:   "show PLAN TASK",
		Short: "Show one task with its deliverable, criteria, versions and reviews",
		Long: `Shows everything about a task: what it hands over, its acceptance criteria, every version with its path and sha256, and
every review with its score and reasons.

` + exits(0, 2, 3),
		Example: "  sluice task show PLAN 3f2a",
		Args:    fitUse,
		RunE: func(c *cobra.Command, args []string) error {
			return k.With(c.Context(), func(a *app.App) error {
				d, err := a.ShowTask(c.Context(), args[0], args[1])
				if err != nil {
					return err
				}
				return k.Print(d, k.look().task(d))
			})
		},
	}
}

func (k *Kit) taskGraph() *cobra.Command {
	var format string
	c := &cobra.Command{
		Use:   "graph PLAN",
		Short: "Draw a plan",
		Long: `Draws a plan with where its tasks stand: as a tree to read, as Mermaid or DOT for other programs, or as JSON.

` + exits(0, 2, 3),
		Example: "  sluice task graph PLAN\n  sluice task graph PLAN --format mermaid",
		Args:    fitUse,
	}
	c.Flags().StringVar(&format, "format", task.FormatTree, "`FORMAT`: "+strings.Join(task.Formats(), ", "))
	c.RunE = func(c *cobra.Command, args []string) error {
		if !slices.Contains(task.Formats(), format) {
			return wrongUse(c, "--format", "--format is %q; one of %s is needed", format, strings.Join(task.Formats(), ", "))
		}
		return k.With(c.Context(), func(a *app.App) error {
			if k.json {
				d, err := a.PlanGraph(c.Context(), args[0])
				if err != nil {
					return err
				}
				return k.Print(d, "")
			}
			text, err := a.DrawPlan(c.Context(), args[0], format)
			if err != nil {
				return err
			}
			return k.Print(nil, cleanBlock(text))
		})
	}
	return c
}
