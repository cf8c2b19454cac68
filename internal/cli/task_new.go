package cli

import (
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"sluice/internal/app"
	"sluice/internal/fault"
	"sluice/internal/line/task"
)

func (k *Kit) taskNew() *cobra.Command {
	var file string
	var threshold float64
	var depth int
	c := &cobra.Command{
		Use:   "new [TEXT]",
		Short: "Plan a task until its plan is reviewed and feasible",
		Long: `Makes a plan of a task in your words: it is drafted, held against the hard rules, reviewed, its leaves are estimated,
and what is too large for one go is split, round by round. When a limit is reached the plan waits, and a document says
what you must supply. The tasks themselves begin with sluice task run.

` + exits(0, 1, 2, 3, 4, 5, 6),
		Example: "  sluice task new \"Make a small chess game for the browser\"\n  sluice task new -f brief.md --threshold 5",
		Args:    fitUse,
	}
	c.Flags().StringVarP(&file, "file", "f", "", "take the task from `FILE` (- is stdin)")
	c.Flags().Float64Var(&threshold, "threshold", 0, "split leaves of more than `DAYS` person-days (default: as configured)")
	c.Flags().IntVar(&depth, "max-depth", 0, "split at most `N` levels deep (default: as configured)")
	c.RunE = func(c *cobra.Command, args []string) error {
		w := app.NewPlan{TopTask: strings.Join(args, "")}
		if (file == "") == (w.TopTask == "") {
			return wrongUse(c, "TEXT", "sluice task new needs TEXT or -f FILE")
		}
		if file != "" {
			raw, err := k.content(c, file)
			if err != nil {
				return err
			}
			w.TopTask = string(raw)
		}
		if !(threshold >= 0 && threshold <= math.MaxFloat64) || depth < 0 { // NaN is neither
			return wrongUse(c, "--threshold", "--threshold and --max-depth are numbers, 0 or more")
		}
		if c.Flags().Changed("threshold") {
			w.Threshold = &threshold
		}
		if c.Flags().Changed("max-depth") {
			w.MaxDepth = &depth
		}
		return k.With(c.Context(), func(a *app.App) error {
			d, err := a.StartPlan(c.Context(), w)
			if err != nil {
				return err
			}
			switch {
			case d.WaitingFor != "" || d.Status == task.PlanRequest:
				k.exit = fault.ExitParked
			case d.Status == task.PlanFailed:
				k.exit = fault.ExitGaveUp
			}
			return k.Print(d, k.look().planning(d))
		})
	}
	return c
}

func (k *Kit) taskFeasibility() *cobra.Command {
	return &cobra.Command{
		Use:   "feasibility PLAN",
		Short: "Have the leaves of a plan estimated",
		Long: `Has a model estimate every leaf of a plan and says which fit one go. Corrected estimates are written into a plan
that has findings; once its tasks follow from it they are only told.

` + exits(0, 1, 2, 3, 5, 6),
		Example: "  sluice task feasibility PLAN",
		Args:    fitUse,
		RunE: func(c *cobra.Command, args []string) error {
			return k.With(c.Context(), func(a *app.App) error {
				d, err := a.EstimatePlan(c.Context(), args[0])
				if err != nil {
					return err
				}
				return k.Print(d, k.look().feasibility(d))
			})
		},
	}
}

func (v look) feasibility(d task.FeasibilityDoc) string {
	rows := [][]string{{"TASK", "DAYS", "FITS", "TITLE"}}
	for _, e := range d.Leaves {
		fits := "yes"
		if !e.OneShotPass {
			fits = "no"
		}
		rows = append(rows, []string{e.TaskID[:min(8, len(e.TaskID))], strconv.FormatFloat(e.EstimatedPersonDays, 'f', -1, 64), fits, clean(e.Title + "  " + e.Why)})
	}
	text := table(v.width, rows...)
	if d.TooLarge > 0 && d.Begun {
		return text + v.next([]fault.Action{{Command: "sluice task status " + d.PlanID, Why: "its tasks follow from the plan already; it shows where they stand"}})
	}
	if d.TooLarge > 0 {
		text += v.next([]fault.Action{{Command: "sluice task rewrite " + d.PlanID, Why: "it proposes how to split what is too large"}})
	}
	return text
}
