package cli

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"sluice/internal/app"
	"sluice/internal/fault"
)

func (k *Kit) calls() *cobra.Command {
	return &cobra.Command{
		Use:   "calls [RUN]",
		Short: "List every model call",
		Long: `Lists every call of a model in the workspace, or in one run: agent, key, provider, tokens, duration, and whether it was
answered, reused or failed.

` + exits(0, 2, 3),
		Example: "  sluice calls\n  sluice calls sample-1 --json",
		Args:    fitUse,
		RunE: func(c *cobra.Command, args []string) error {
			return k.With(c.Context(), func(a *app.App) error {
				d, err := a.Calls(c.Context(), strings.Join(args, ""))
				if err != nil {
					return err
				}
				return k.Print(d, k.look().calls(d))
			})
		},
	}
}

func (k *Kit) export() *cobra.Command {
	var dir string
	var candidates bool
	c := &cobra.Command{
		Use:   "export RUN",
		Short: "Write what is approved, with a manifest that verifies offline",
		Long: `Writes the approved versions of a run and a manifest of their hashes and reviews into a directory of the workspace,
whole or not at all. sluice verify DIR checks it with nothing else at hand.

` + exits(0, 2, 3, 4, 5),
		Example: "  sluice export sample-1\n  sluice export sample-1 -o out",
		Args:    fitUse,
	}
	c.Flags().StringVarP(&dir, "output", "o", "", "`DIR` to write to, inside the workspace (default: exports/RUN)")
	c.Flags().BoolVar(&candidates, "candidates", false, "write versions that are not approved too, each marked")
	c.RunE = func(c *cobra.Command, args []string) error {
		return k.With(c.Context(), func(a *app.App) error {
			inside, err := k.inside(a.Root, dir)
			if err != nil {
				return err
			}
			d, err := a.Export(c.Context(), args[0], inside, candidates)
			if err != nil {
				return err
			}
			return k.Print(d, k.look().export(d, k.near(filepath.Join(a.Root, filepath.FromSlash(d.Dir)))))
		})
	}
	return c
}

// inside turns a directory that a person named from where they are into one of the workspace.
func (k *Kit) inside(root, dir string) (string, error) {
	if dir == "" {
		return "", nil
	}
	rel, err := filepath.Rel(root, k.absolute(dir))
	if err != nil || !filepath.IsLocal(rel) || rel == "." {
		return "", fault.New(fault.BadPath, dir, "%s is not a directory inside the workspace %s", dir, root).
			With(fault.Action{Action: "default", Why: "leave out -o: the export goes to its own directory of the workspace"})
	}
	return filepath.ToSlash(rel), nil
}

// near names a directory from where the person is.
func (k *Kit) near(dir string) string {
	if rel, err := filepath.Rel(k.env.Dir, dir); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return dir
}

func (v look) export(d app.ExportDoc, dir string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "exported %s of run %s to %s\n", count(len(d.Files), "file"), clean(d.Run), clean(dir))
	if d.Manifest.Rehearsal {
		b.WriteString("  " + rehearsalNote + "\n")
	}
	for _, f := range d.Files {
		b.WriteString("  " + clean(f) + "\n")
	}
	for _, f := range d.Manifest.LeftOut {
		b.WriteString("  left out " + clean(f.Node) + ", which is " + clean(f.Status) + "\n")
	}
	b.WriteString("next: sluice verify " + shellWord(dir) + "   it checks every hash and approval\n")
	return b.String()
}

func (k *Kit) verify() *cobra.Command {
	var run string
	c := &cobra.Command{
		Use:   "verify [DIR]",
		Short: "Check hashes, chain and approvals of the workspace or of an export",
		Long: `Recomputes the chain of every run, the digest of every version and what every approval rests on. With DIR, checks an
export by its manifest alone, without the workspace.

` + exits(0, 2, 3, 7),
		Example: "  sluice verify\n  sluice verify --run sample-1\n  sluice verify out",
		Args:    fitUse,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				if run != "" {
					return wrongUse(c, "--run", "DIR is an export by itself; --run is for the workspace")
				}
				r, err := k.env.VerifyDir(c.Context(), k.absolute(args[0]))
				if err != nil {
					return err
				}
				return k.printReport("verified "+clean(args[0]), r)
			}
			return k.With(c.Context(), func(a *app.App) error {
				r, err := a.Health.Verify(c.Context(), run)
				if err != nil {
					return err
				}
				return k.printReport("verified", r)
			})
		},
	}
	c.Flags().StringVar(&run, "run", "", "only this `RUN`")
	return c
}
