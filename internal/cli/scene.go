package cli

import (
	"context"
	"encoding/json"

	"github.com/spf13/cobra"

	"sluice/internal/app"
	"sluice/internal/digest"
	"sluice/internal/fault"
	"sluice/internal/line/scene"
)

// scene groups the commands of the scene line.
func (k *Kit) scene() *cobra.Command {
	c := &cobra.Command{
		Use:   "scene",
		Short: "Generate and plan scenes, driven here or by outside agents",
		Long: `Workflows that generate a scene in seven steps or plan a scene, a chapter or an act in five phases. Steps run in
order, some wait for a person, and drafts that break their blueprint go back. A workflow is driven here (generate, plan,
run) or by outside agents, which report each step (update, or the tools of sluice mcp). With --json each command prints
the document of the tool with the same purpose.`,
		Example: `  sluice scene generate 0204
  sluice scene approve generation-scene-0204-20251110-143000 --set emotional_tone=detached
  sluice scene run generation-scene-0204-20251110-143000
  sluice scene plan --level scene --act 1 --chapter 2 --scene 4`,
		Args: cobra.ArbitraryArgs,
		RunE: unknownCommand,
	}
	c.AddCommand(k.sceneGenerate(), k.scenePlan(), k.sceneRun(), k.sceneImport(), k.sceneStatus(), k.sceneNext(), k.sceneCheck(),
		k.sceneApprove(), k.sceneReject(), k.sceneChoose(), k.sceneUpdate(), k.sceneResume(), k.sceneCancel(), k.sceneList(), k.sceneMetrics())
	return c
}

// sessionFlag gives a command the session it works in: the one named, or the current one.
func (k *Kit) sessionFlag(c *cobra.Command, name *string) {
	c.Flags().StringVar(name, "session", "", "work in session `NAME` (default: the current one)")
}

func inCurrent(ctx context.Context, a *app.App, name string) (string, error) {
	if name != "" {
		return name, nil
	}
	return a.CurrentSession(ctx)
}

func (k *Kit) sceneGenerate() *cobra.Command {
	var in scene.StartGeneration
	var external bool
	c := &cobra.Command{
		Use:   "generate SCENE_ID",
		Short: "Generate a scene from its blueprint",
		Long: `Makes a generation workflow and performs its steps until it waits for a person or ends. SCENE_ID has two digits of the
chapter and two of the scene. With --external the workflow is only made, for agents to drive.

` + exits(0, 1, 2, 3, 4, 5, 6),
		Example: "  sluice scene generate 0204\n  sluice scene generate 0204 --external --session chapter-2",
		Args:    fitUse,
	}
	k.sessionFlag(c, &in.SessionName)
	c.Flags().BoolVar(&external, "external", false, "only make the workflow; agents report its steps")
	c.RunE = func(c *cobra.Command, args []string) error {
		in.SceneID, in.Drive = args[0], !external
		return k.With(c.Context(), func(a *app.App) (err error) {
			if in.SessionName, err = inCurrent(c.Context(), a, in.SessionName); err != nil {
				return err
			}
			d, err := a.StartGeneration(c.Context(), in)
			return k.printWorkflow(d, in.Drive, err)
		})
	}
	return c
}

func (k *Kit) scenePlan() *cobra.Command {
	var in scene.StartPlanning
	var external bool
	c := &cobra.Command{
		Use:   "plan",
		Short: "Plan a scene, a chapter or an act",
		Long: `Makes a planning workflow and performs its phases until it waits for a person or ends. With --external the workflow is
only made, for agents to drive.

` + exits(0, 1, 2, 3, 4, 5, 6),
		Example: `  sluice scene plan --level scene --act 1 --chapter 2 --scene 4
  sluice scene plan --level act --act 2 --external`,
		Args: fitUse,
	}
	c.Flags().StringVar(&in.Level, "level", "", "`LEVEL` scene, chapter or act")
	c.Flags().IntVar(&in.Act, "act", 0, "act `N`")
	c.Flags().IntVar(&in.Chapter, "chapter", 0, "chapter `N`, for scene and chapter")
	c.Flags().IntVar(&in.Scene, "scene", 0, "scene `N`, for scene")
	c.Flags().BoolVar(&external, "external", false, "only make the workflow; agents report its phases")
	k.sessionFlag(c, &in.SessionName)
	c.RunE = func(c *cobra.Command, _ []string) error {
		in.Drive = !external
		return k.With(c.Context(), func(a *app.App) (err error) {
			if in.SessionName, err = inCurrent(c.Context(), a, in.SessionName); err != nil {
				return err
			}
			d, err := a.StartPlanning(c.Context(), in)
			return k.printWorkflow(d, in.Drive, err)
		})
	}
	return c
}

func (k *Kit) sceneRun() *cobra.Command {
	var takeOver bool
	c := &cobra.Command{
		Use:   "run WORKFLOW",
		Short: "Perform the steps of a workflow until it waits or ends",
		Long: `Performs the steps of a workflow until it needs a person, fails or is completed. A step in the hands of an outside
agent is refused without --take-over, which closes that agent's attempt. Ctrl-C stops it, and the same command goes on.

` + exits(0, 1, 2, 3, 4, 5, 6),
		Example: "  sluice scene run generation-scene-0204-20251110-143000",
		Args:    fitUse,
		RunE: func(c *cobra.Command, args []string) error {
			return k.With(c.Context(), func(a *app.App) error {
				d, err := a.DriveWorkflow(c.Context(), args[0], takeOver)
				return k.printWorkflow(d, true, err)
			})
		},
	}
	c.Flags().BoolVar(&takeOver, "take-over", false, "take over a step that is in the hands of an outside agent")
	return c
}

func (k *Kit) sceneImport() *cobra.Command {
	var session string
	c := &cobra.Command{
		Use:   "import FILE",
		Short: "Make a workflow from a state document",
		Long: `Reads a workflow-state document and makes the workflow that it shows, with its id and its times. Files that it names and
that are not there stay unverified references. A document that no workflow can show is refused with its place.

` + exits(0, 2, 5),
		Example: "  sluice scene import generation-scene-0204-20251110-143000.json",
		Args:    fitUse,
		RunE: func(c *cobra.Command, args []string) error {
			raw, err := k.content(c, args[0])
			if err != nil {
				return err
			}
			return k.With(c.Context(), func(a *app.App) error {
				d, err := a.ImportWorkflow(c.Context(), raw, session)
				return k.printWorkflow(d, false, err)
			})
		},
	}
	c.Flags().StringVar(&session, "session", "", "refuse a document that is not of session `NAME`")
	return c
}

// ask makes a command that shows one document about a workflow.
func ask[T any](k *Kit, use, short, long, example string, verb func(*cobra.Command, *app.App, string) (T, error), show func(look, string, T) string) *cobra.Command {
	return &cobra.Command{Use: use, Short: short, Long: long + "\n\n" + exits(0, 2, 3), Example: example, Args: fitUse,
		RunE: func(c *cobra.Command, args []string) error {
			return k.With(c.Context(), func(a *app.App) error {
				d, err := verb(c, a, args[0])
				if err != nil {
					return err
				}
				return k.Print(d, show(k.look(), args[0], d))
			})
		}}
}

func (k *Kit) sceneStatus() *cobra.Command {
	return ask(k, "status WORKFLOW", "Show where a workflow stands", "Shows the current step, the progress and what was made in it.",
		"  sluice scene status generation-scene-0204-20251110-143000",
		func(c *cobra.Command, a *app.App, id string) (scene.StatusDoc, error) {
			return a.WorkflowStatus(c.Context(), id)
		},
		func(v look, _ string, d scene.StatusDoc) string { return v.workflow(d) })
}

func (k *Kit) sceneNext() *cobra.Command {
	return ask(k, "next WORKFLOW", "Say what comes next, or what stands in the way", "Says which step comes next, whether it can begin, and who must do what if not.",
		"  sluice scene next generation-scene-0204-20251110-143000",
		func(c *cobra.Command, a *app.App, id string) (scene.NextDoc, error) {
			return a.NextStep(c.Context(), id)
		}, look.nextStep)
}

func (k *Kit) sceneMetrics() *cobra.Command {
	return ask(k, "metrics WORKFLOW", "Count what a workflow took", "Counts times, retries and calls from the record. The time that people took is counted apart.",
		"  sluice scene metrics generation-scene-0204-20251110-143000",
		func(c *cobra.Command, a *app.App, id string) (scene.MetricsDoc, error) {
			return a.WorkflowMetrics(c.Context(), id)
		}, look.metrics)
}

func (k *Kit) sceneCheck() *cobra.Command {
	var step int
	c := ask(k, "check WORKFLOW", "Say whether a step may begin", "Lists everything that a step stands on, and what of it is missing.",
		"  sluice scene check generation-scene-0204-20251110-143000 --step 4",
		func(c *cobra.Command, a *app.App, id string) (scene.PrerequisitesDoc, error) {
			return a.Prerequisites(c.Context(), id, step)
		},
		func(v look, _ string, d scene.PrerequisitesDoc) string { return v.prerequisites(step, d) })
	c.Flags().IntVar(&step, "step", 0, "step or phase `N`")
	return c
}

// deciding is an approval as the flags give it.
type deciding struct {
	scene.Approval
	set     []string
	version string
	run     bool
}

func (k *Kit) decide(c *cobra.Command, d *deciding) *cobra.Command {
	c.Long += "\n\n" + exits(0, 2, 3, 4, 5, 6)
	c.Args = fitUse
	f := c.Flags()
	f.IntVar(&d.Step, "step", 0, "step or phase `N` (default: the current one)")
	f.StringVar(&d.version, "digest", "", "`DIGEST` of the version you mean; refused if another stands")
	f.StringVar(&d.Reason, "reason", "", "`TEXT` that says why, for the record")
	f.BoolVar(&d.run, "run", false, "let the workflow go on afterwards")
	c.RunE = func(c *cobra.Command, args []string) error {
		d.WorkflowID = args[0]
		if len(args) > 1 {
			d.SelectedVariant = args[1]
		}
		set, err := pairs(c, "set", d.set)
		if err != nil {
			return err
		}
		if len(set) > 0 {
			if d.Modifications, err = json.Marshal(set); err != nil {
				return err
			}
		}
		if d.version != "" {
			if d.Version, err = digest.Parse(d.version); err != nil {
				return wrongUse(c, "--digest", "--digest is %q; sha256:… with 64 digits is needed", d.version)
			}
		}
		return k.With(c.Context(), func(a *app.App) error {
			doc, err := a.ApproveStep(c.Context(), d.Approval)
			if err != nil {
				return err
			}
			if d.run {
				driven, err := a.DriveWorkflow(c.Context(), d.WorkflowID, false)
				return k.printWorkflow(driven, true, err)
			}
			return k.Print(doc, k.look().approval(doc))
		})
	}
	return c
}

func (k *Kit) sceneApprove() *cobra.Command {
	d := &deciding{}
	d.Approved = true
	c := &cobra.Command{Use: "approve WORKFLOW", Short: "Approve the step that waits",
		Long: `Approves what a step made, with modifications if some are set. Content that changed since it was shown is refused with
exit code 5.`,
		Example: "  sluice scene approve generation-scene-0204-20251110-143000 --set emotional_tone=detached --run"}
	c.Flags().StringArrayVar(&d.set, "set", nil, "a modification `NAME=VALUE` (repeat for more)")
	return k.decide(c, d)
}

func (k *Kit) sceneReject() *cobra.Command {
	d := &deciding{}
	c := &cobra.Command{Use: "reject WORKFLOW", Short: "Reject what a step made",
		Long:    "Rejects what a step made. With modifications it is made again with them; without, the step has failed.",
		Example: "  sluice scene reject generation-scene-0204-20251110-143000 --set pace=slower"}
	c.Flags().StringArrayVar(&d.set, "set", nil, "a modification `NAME=VALUE` with which it is made again (repeat for more)")
	return k.decide(c, d)
}

func (k *Kit) sceneChoose() *cobra.Command {
	d := &deciding{}
	d.Approved = true
	return k.decide(&cobra.Command{Use: "choose WORKFLOW VARIANT", Short: "Choose one of the variants that a phase offers",
		Long: "Approves what a phase made with one of its variants.", Example: "  sluice scene choose planning-scene-0204-20251110-150000 A --run"}, d)
}

func (k *Kit) sceneUpdate() *cobra.Command {
	var in scene.Update
	var artifacts []string
	c := &cobra.Command{
		Use:   "update WORKFLOW",
		Short: "Report what an outside agent did at a step",
		Long: `Reports a step as in_progress, waiting_approval, completed or failed, with the files it made. Each file is read once
when the step leaves in_progress; the fast compliance check is always computed here.

` + exits(0, 2, 3, 4, 5),
		Example: "  sluice scene update generation-scene-0204-20251110-143000 --step 4 --status completed --artifact draft=workspace/generation-runs/…/draft.md",
		Args:    fitUse,
	}
	f := c.Flags()
	f.IntVar(&in.Step, "step", 0, "step `N`")
	f.IntVar(&in.Phase, "phase", 0, "phase `N`")
	f.StringVar(&in.Status, "status", "", "`STATUS` in_progress, waiting_approval, completed or failed")
	f.StringArrayVar(&artifacts, "artifact", nil, "a file that was made, `KEY=PATH` (repeat for more)")
	f.StringArrayVar(&in.Violations, "violation", nil, "`TEXT` of something that was found (repeat for more)")
	f.StringArrayVar(&in.Variants, "variant", nil, "`LABEL` of a variant that is offered (repeat for more)")
	c.RunE = func(c *cobra.Command, args []string) (err error) {
		in.WorkflowID = args[0]
		if in.Artifacts, err = pairs(c, "artifact", artifacts); err != nil {
			return err
		}
		return k.With(c.Context(), func(a *app.App) error {
			d, err := a.UpdateWorkflow(c.Context(), in)
			if err != nil {
				return err
			}
			return k.Print(d, k.look().update(d))
		})
	}
	return c
}

func (k *Kit) sceneResume() *cobra.Command {
	var from int
	var reason string
	var run bool
	c := &cobra.Command{
		Use:   "resume WORKFLOW",
		Short: "Let a failed or cancelled workflow go on, or go back to an earlier step",
		Long: `Lets a workflow go on from the step at which it stopped, or from an earlier one. What was done from there on is to be
done again; files and history stay. The workflow goes on with --run, or later with the command that is printed.

` + exits(0, 2, 3, 4, 5, 6),
		Example: "  sluice scene resume generation-scene-0204-20251110-143000 --from 4 --run",
		Args:    fitUse,
		RunE: func(c *cobra.Command, args []string) error {
			if c.Flags().Changed("from") && from < 1 {
				return wrongUse(c, "--from", "--from is %d; steps are counted from 1", from)
			}
			return k.With(c.Context(), func(a *app.App) error {
				d, err := a.ResumeWorkflow(c.Context(), args[0], from, reason)
				if err != nil {
					return err
				}
				if run {
					driven, err := a.DriveWorkflow(c.Context(), args[0], false)
					return k.printWorkflow(driven, true, err)
				}
				return k.Print(d, k.look().resumed(d))
			})
		},
	}
	c.Flags().IntVar(&from, "from", 0, "begin again from step or phase `N`")
	c.Flags().StringVar(&reason, "reason", "", "`TEXT` that says why, for the record")
	c.Flags().BoolVar(&run, "run", false, "let the workflow go on afterwards")
	return c
}

func (k *Kit) sceneCancel() *cobra.Command {
	var reason string
	c := &cobra.Command{
		Use:     "cancel WORKFLOW",
		Short:   "End a workflow",
		Long:    "Ends a workflow. Nothing is deleted: sluice scene resume lets it go on.\n\n" + exits(0, 2, 3, 5),
		Args:    fitUse,
		Example: `  sluice scene cancel generation-scene-0204-20251110-143000 --reason "not needed"`,
		RunE: func(c *cobra.Command, args []string) error {
			return k.With(c.Context(), func(a *app.App) error {
				d, err := a.CancelWorkflow(c.Context(), args[0], reason)
				if err != nil {
					return err
				}
				return k.Print(d, k.look().cancelled(d))
			})
		},
	}
	c.Flags().StringVar(&reason, "reason", "", "`TEXT` that says why, for the record")
	return c
}

func (k *Kit) sceneList() *cobra.Command {
	var q scene.Query
	c := &cobra.Command{
		Use:     "list",
		Short:   "List the workflows",
		Long:    "Lists the workflows, newest first.\n\n" + exits(0, 2),
		Example: "  sluice scene list --status waiting_approval\n  sluice scene list --type planning --session chapter-2",
		Args:    fitUse,
		RunE: func(c *cobra.Command, _ []string) error {
			return k.With(c.Context(), func(a *app.App) error {
				d, err := a.Workflows(c.Context(), q)
				if err != nil {
					return err
				}
				return k.Print(d, k.look().workflows(d))
			})
		},
	}
	c.Flags().StringVar(&q.Status, "status", "", "only workflows with `STATUS` in_progress, waiting_approval, failed, completed or cancelled")
	c.Flags().StringVar(&q.WorkflowType, "type", "", "only workflows of `TYPE` generation or planning")
	c.Flags().StringVar(&q.SessionName, "session", "", "only workflows of session `NAME`")
	return c
}

// printWorkflow answers with a workflow. One that was driven ends with what it came to: it waits, or failed.
func (k *Kit) printWorkflow(d scene.StatusDoc, driven bool, err error) error {
	if err != nil {
		return err
	}
	if driven {
		switch d.Status {
		case scene.InProgress:
			k.exit = fault.ExitParked
		case scene.Failed, scene.Cancelled:
			k.exit = fault.ExitGaveUp
		}
	}
	return k.Print(d, k.look().workflow(d))
}
