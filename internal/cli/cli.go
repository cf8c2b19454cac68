package cli

import (
	"context"
	"io"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"sluice/internal/app"
	"sluice/internal/config"
	"sluice/internal/doctor"
	"sluice/internal/kernel"
)

// Env is everything outside that the command line uses.
type Env struct {
	Args           []string // without the program's name
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	OutWidth       func() int  // columns of the terminal behind stdout; 0 if it is none
	ErrWidth       func() int  // likewise behind stderr
	IsTerminal     func() bool // stdin is a person's; nil: it is not
	Getenv         func(string) string
	Dir            string // the current directory
	Now            func() time.Time
	Version        Version

	Init      func(ctx context.Context, dir string) (root string, err error)       // makes a workspace
	Open      func(ctx context.Context, o Options) (*app.App, func() error, error) // opens the workspace
	Config    func(ctx context.Context, o Options) ([]config.Row, error)           // needs no workspace
	Models    func(ctx context.Context, o Options) (app.Roster, error)             // needs no workspace
	VerifyDir func(ctx context.Context, dir string) (doctor.Report, error)         // an export, by itself
	Restore   func(ctx context.Context, file, dir string, maxBytes int64) (app.RestoreDoc, error)
	Serve     func(ctx context.Context, s Serving) error // until the clients leave, or ctx ends
	Lines     []func(*Kit) *cobra.Command                // one command per line
}

// Options say what a workspace is opened with.
type Options struct {
	Dir       string // where the search for the workspace begins
	Workspace string // absolute, from the flag or the environment; empty means: search
	Provider  string // of models, from the flag or the environment; empty means: as configured
	Rehearsal string // absolute path of a rehearsal script; empty means none
	Replies   string // absolute path of a file with replies to use; empty means none
	Verbose   bool
	Telling   io.Writer // where a verbose model tells of its calls; makes harmless what terminals would obey
	Observe   func(r *kernel.Run, events []kernel.Event)
	Warn      func(message string)

	BudgetTokens, BudgetCost string            // limits of the run for this one command; empty means: as configured
	Dry                      func(app.DryCall) // told of calls instead of making them, and nothing is written; nil: they are made

	providerOrigin string
}

// Flags are the settings among the options, for the configuration.
func (o Options) Flags() []config.Flag {
	var flags []config.Flag
	for _, f := range []config.Flag{{Key: "model.provider", Value: o.Provider, Origin: o.providerOrigin},
		{Key: "budget.run_tokens", Value: o.BudgetTokens, Origin: "flag --budget-tokens"},
		{Key: "budget.run_cost", Value: o.BudgetCost, Origin: "flag --budget-cost"}} {
		if f.Value != "" {
			flags = append(flags, f)
		}
	}
	return flags
}

// Main runs one command and gives its exit code.
func Main(ctx context.Context, env Env) int {
	k := newKit(env)
	root := k.root()
	root.SetArgs(append([]string{}, env.Args...)) // nil would mean the arguments of the process
	c, err := root.ExecuteContextC(ctx)
	k.progress.end()
	if err != nil {
		return k.fail(c, err)
	}
	return k.exit
}

// Kit is what commands are made with: the global flags, the way to the workspace and the ways to answer.
type Kit struct {
	env       Env
	json      bool
	verbose   bool
	workspace string
	provider  string
	rehearsal string
	replies   string

	budgetTokens, budgetCost string // limits of this one command
	isDry                    bool   // nothing is called and nothing written

	noInput  bool
	progress *progress
	talking  *talking // nil until somebody is asked
	exit     int
}

func newKit(env Env) *Kit {
	return &Kit{env: env, json: wantsJSON(env.Args), // a usage error may come before the flags are read
		progress: &progress{w: env.Stderr, now: env.Now, columns: env.ErrWidth}}
}

// wantsJSON looks for the flag in arguments that may not parse.
func wantsJSON(args []string) bool {
	for _, a := range args {
		switch a {
		case "--json", "--json=true":
			return true
		case "--":
			return false
		}
	}
	return false
}

func (k *Kit) options() Options {
	o := Options{Dir: k.env.Dir, Workspace: k.workspace, Provider: k.provider, Rehearsal: k.rehearsal, Replies: k.replies, Verbose: k.verbose,
		providerOrigin: "flag --provider", Telling: k.progress, Observe: k.progress.observe, Warn: k.progress.warn,
		BudgetTokens: k.budgetTokens, BudgetCost: k.budgetCost}
	if o.Workspace == "" {
		o.Workspace = k.env.Getenv("SLUICE_WORKSPACE")
	}
	if o.Provider == "" {
		o.Provider, o.providerOrigin = k.env.Getenv("SLUICE_PROVIDER"), "env SLUICE_PROVIDER"
	}
	if o.Rehearsal == "" {
		o.Rehearsal = k.env.Getenv("SLUICE_REHEARSAL")
	}
	if o.Replies == "" {
		o.Replies = k.env.Getenv("SLUICE_REPLIES")
	}
	o.Replies = k.absolute(o.Replies)
	o.Workspace, o.Rehearsal = k.absolute(o.Workspace), k.absolute(o.Rehearsal)
	return o
}

// absolute gives a path that someone named from the current directory.
func (k *Kit) absolute(path string) string {
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(k.env.Dir, path)
}

// With opens the workspace for one verb and closes it again.
func (k *Kit) With(ctx context.Context, verb func(*app.App) error) (err error) {
	if k.isDry {
		return k.dry(ctx, verb)
	}
	a, done, err := k.env.Open(ctx, k.options())
	if err != nil {
		return err
	}
	defer func() {
		k.progress.end()
		if closing := done(); err == nil {
			err = closing
		}
	}()
	return verb(a)
}

// look is how this command shows things.
func (k *Kit) look() look {
	return look{now: k.env.Now(), width: k.env.OutWidth(), workspace: k.workspace}
}
