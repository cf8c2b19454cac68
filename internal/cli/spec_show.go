package cli

import (
	"context"

	"github.com/spf13/cobra"

	"sluice/internal/app"
	"sluice/internal/line/spec"
)

// specRead makes a command that shows something of a feature and changes nothing.
func specRead[D any](k *Kit, c *cobra.Command, read func(ctx context.Context, a *app.App, args []string) (D, error), text func(look, D) string) *cobra.Command {
	c.Args = fitUse
	c.RunE = func(c *cobra.Command, args []string) error {
		return k.With(c.Context(), func(a *app.App) error {
			d, err := read(c.Context(), a, args)
			if err != nil {
				return err
			}
			return k.Print(d, text(k.look(), d))
		})
	}
	return c
}

func (k *Kit) specQuestions() *cobra.Command {
	var history bool
	c := &cobra.Command{
		Use:   "questions FEATURE",
		Short: "Show what a feature asks",
		Long: `Shows the questions that are open, with the rule of each field. What was asked and answered before is shown with
--history only.

` + exits(0, 2, 3),
		Example: "  sluice spec questions F-2026-001\n  sluice spec questions F-2026-001 --history",
	}
	c.Flags().BoolVar(&history, "history", false, "show the rounds before, too")
	return specRead(k, c, func(ctx context.Context, a *app.App, args []string) (app.SpecQuestionsDoc, error) {
		return a.SpecQuestions(ctx, args[0], history)
	}, look.specQuestions)
}

func (k *Kit) specVersions() *cobra.Command {
	c := &cobra.Command{
		Use:     "versions FEATURE",
		Short:   "List the versions of a feature's spec",
		Long:    "Lists every version, oldest first: which run and step made it, how complete it was, and what was decided on it.\n\n" + exits(0, 2, 3),
		Example: "  sluice spec versions F-2026-001",
	}
	return specRead(k, c, func(ctx context.Context, a *app.App, args []string) (app.SpecVersionsDoc, error) {
		return a.SpecVersions(ctx, args[0])
	}, look.specVersions)
}

func (k *Kit) specDiff() *cobra.Command {
	c := &cobra.Command{
		Use:   "diff FEATURE [FROM] [TO]",
		Short: "Show in which fields two versions differ",
		Long: `Shows the fields that were added, changed and removed from one version to another. Items of lists go by their ids.
Without versions it shows what the last amendment changed: from the last version before it to the newest.

` + exits(0, 2, 3),
		Example: "  sluice spec diff F-2026-001 S-20261115-0001 S-20261115-0004\n  sluice spec diff F-2026-001",
	}
	return specRead(k, c, func(ctx context.Context, a *app.App, args []string) (app.SpecDeltaDoc, error) {
		args = append(args, "", "")
		return a.DiffSpec(ctx, args[0], args[1], args[2])
	}, look.specDelta)
}

func (k *Kit) specSnapshots() *cobra.Command {
	c := &cobra.Command{
		Use:   "snapshots FEATURE",
		Short: "List the steps of a feature or of one of its runs",
		Long: `Lists the snapshot of every step, failed ones too: what went in, what came out, what was decided and why. FEATURE may be
the id of a run, such as R-20261115-0001. With --json the snapshots are whole.

` + exits(0, 2, 3),
		Example: "  sluice spec snapshots F-2026-001\n  sluice spec snapshots R-20261115-0001 --json",
	}
	return specRead(k, c, func(ctx context.Context, a *app.App, args []string) (app.SpecSnapshotsDoc, error) {
		return a.SpecSnapshots(ctx, args[0])
	}, look.specSnapshots)
}

func (k *Kit) specEvidence() *cobra.Command {
	c := &cobra.Command{
		Use:   "evidence FEATURE",
		Short: "List the evidence of a feature",
		Long: `Lists every piece of evidence: where it stands, what it says, and which fields and steps it supports. With --json each
has the hash of the text it quotes.

` + exits(0, 2, 3),
		Example: "  sluice spec evidence F-2026-001",
	}
	return specRead(k, c, func(ctx context.Context, a *app.App, args []string) (app.SpecEvidenceDoc, error) {
		return a.SpecEvidence(ctx, args[0])
	}, look.specEvidence)
}

func (k *Kit) specTrace() *cobra.Command {
	var version string
	c := &cobra.Command{
		Use:   "trace FEATURE PATH",
		Short: "Show where a field of the spec came from",
		Long: `Says of a field in which version and step it got its value, whether a person wrote or answered it or a model filled it,
who that was, and which evidence proves it. PATH is as questions and diff show it: spec.goal, planning.tasks[0].scope,
or planning.tasks[T-1].scope.

` + exits(0, 2, 3),
		Example: "  sluice spec trace F-2026-001 spec.goal\n  sluice spec trace F-2026-001 'spec.acceptance_criteria[AC-2]'",
	}
	c.Flags().StringVar(&version, "version", "", "`VERSION` to look at, such as S-20261115-0002 (default: the newest)")
	return specRead(k, c, func(ctx context.Context, a *app.App, args []string) (spec.Trace, error) {
		return a.TraceSpec(ctx, args[0], args[1], version)
	}, look.specTrace)
}

func (k *Kit) specValidate() *cobra.Command {
	var stage, version string
	c := &cobra.Command{
		Use:   "validate FEATURE",
		Short: "Hold the newest version against the gates",
		Long: `Prints what gates S, T and V say about a version. It is a look: nothing is recorded and nothing moves on.

` + exits(0, 2, 3),
		Example: "  sluice spec validate F-2026-001\n  sluice spec validate F-2026-001 --stage spec --json",
	}
	c.Flags().StringVar(&stage, "stage", string(spec.StageReady), "`STAGE` to release: spec needs gate S, ready all three")
	c.Flags().StringVar(&version, "version", "", "`VERSION` that is meant, such as S-20261115-0002 (default: the newest)")
	return specRead(k, c, func(ctx context.Context, a *app.App, args []string) (spec.GateResult, error) {
		return a.ValidateSpec(ctx, args[0], version, spec.Stage(stage))
	}, look.gateResult)
}

func (k *Kit) specList() *cobra.Command {
	var status, page string
	var limit int
	c := &cobra.Command{
		Use:     "list",
		Short:   "List the features",
		Long:    "Lists the features of the workspace, newest first.\n\n" + exits(0, 2, 3),
		Example: "  sluice spec list\n  sluice spec list --status clarifying",
		Args:    fitUse,
	}
	c.Flags().StringVar(&status, "status", "", "only features that are `STATUS`: draft, clarifying, executable_ready, published, hold or drop")
	c.Flags().IntVar(&limit, "limit", 50, "show at most `N` features")
	c.Flags().StringVar(&page, "page", "", "show the page `MARK` that the last one named")
	c.RunE = func(c *cobra.Command, _ []string) error {
		if limit < 1 || limit > maxPage {
			return wrongUse(c, "--limit", "--limit is %d; 1 to %d is needed", limit, maxPage)
		}
		return k.With(c.Context(), func(a *app.App) error {
			d, err := a.ListSpecs(c.Context(), spec.Status(status), limit, page)
			if err != nil {
				return err
			}
			return k.Print(d, k.look().features(d))
		})
	}
	return c
}
