package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"sluice/internal/app"
	"sluice/internal/fault"
)

// driving are the commands that may ask a model.
func driving() []string {
	return []string{"run", "resume", "approve", "reject", "answer", "choose", "sample new",
		"scene generate", "scene plan", "scene run", "scene resume", "scene approve", "scene reject", "scene choose",
		"task new", "task run", "task supply", "task feasibility", "task review",
		"spec new", "spec run", "spec answer", "spec amend", "spec review",
		"novel run", "novel resume", "novel step", "novel regen", "novel review", "novel check", "novel memory", "novel candidate",
		"novel apply", "novel reject", "novel scene generate", "novel scene merge"}
}

// addDryRun gives every command that may ask a model the flags about what that costs.
func (k *Kit) addDryRun(root *cobra.Command) {
	for _, path := range driving() {
		c, rest, err := root.Find(strings.Fields(path))
		if err != nil || len(rest) > 0 || c.HasSubCommands() || c.Flags().Lookup("dry-run") != nil {
			continue
		}
		c.Flags().BoolVar(&k.isDry, "dry-run", false, "show which models would be called; call nothing and write nothing")
		k.budgetFlags(c)
	}
}

// dry lets a verb run with nothing that it could change, and shows the calls that it would begin with. A refusal that comes
// before any call is the verb's own.
func (k *Kit) dry(ctx context.Context, verb func(*app.App) error) error {
	var mu sync.Mutex
	var calls []app.DryCall
	o := k.options()
	o.Observe, o.Warn = nil, nil
	o.Dry = func(c app.DryCall) {
		mu.Lock()
		defer mu.Unlock()
		calls = append(calls, c)
	}
	a, done, err := k.env.Open(ctx, o)
	if err != nil {
		return err
	}
	own, noInput := k.env, k.noInput
	k.env.Stdout, k.env.Stderr, k.noInput, k.progress.w = io.Discard, io.Discard, true, io.Discard // what it says of its end is not so
	refused := verb(a)
	k.progress.end()
	k.env, k.noInput, k.exit, k.progress.w = own, noInput, fault.ExitDone, own.Stderr
	if err := done(); err != nil {
		return err
	}
	mu.Lock()
	defer mu.Unlock()
	if refused != nil && len(calls) == 0 {
		return refused
	}
	d := app.DryRun(calls)
	return k.Print(d, k.look().dryRun(d))
}

func (v look) dryRun(d app.DryDoc) string {
	if len(d.Calls) == 0 {
		return "dry run: no model would be called\n"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "dry run: %s would be made first, about %s tokens, %s; what follows depends on the answers\n",
		count(len(d.Calls), "call"), thousands(d.Tokens), costText(d.Cost))
	rows := [][]string{{"STEP", "NODE", "AGENT", "MODEL", "IN", "OUT", "COST"}}
	for _, c := range d.Calls {
		name := clean(c.Model)
		if c.Provider != c.Model {
			name = clean(c.Provider) + "/" + name
		}
		rows = append(rows, []string{clean(c.Step), clean(c.Node), clean(c.Agent), name, thousands(c.InputTokens), thousands(c.OutputTokens), costText(c.Cost)})
	}
	b.WriteString(table(v.width, rows...))
	refused := slices.DeleteFunc(slices.Clone(d.Calls), func(c app.DryCall) bool { return c.Refused == "" })
	if len(refused) > 0 {
		fmt.Fprintf(&b, "the budget does not allow %d of them: %s\n", len(refused), clean(refused[0].Refused))
	}
	return b.String()
}
