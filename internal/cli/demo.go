package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"sluice/internal/app"
	"sluice/internal/fault"
	"sluice/internal/kernel"
)

// demoDir is where the demo goes when nobody says.
const demoDir = "sluice-demo"

// maxGates ends a demo whose run never stops asking.
const maxGates = 20

// demoDoc says what the demo made.
type demoDoc struct {
	Workspace string   `json:"workspace"`
	Run       string   `json:"run"`
	Status    string   `json:"status"`
	Rehearsal bool     `json:"rehearsal"`
	Commands  []string `json:"commands"`
	Export    string   `json:"export"`
}

func (k *Kit) demo() *cobra.Command {
	return &cobra.Command{
		Use:   "demo [DIR]",
		Short: "See it work: offline, without a key, in a new directory",
		Long: `Makes a workspace in a new directory (default ` + demoDir + `), runs the built-in sample line with the rehearsal model,
stops at real gates, answers them as a person would, exports and verifies. Every command is printed before its output.

` + exits(0, 1, 2, 5),
		Example: "  sluice demo\n  sluice demo /tmp/try",
		Args:    fitUse,
		RunE: func(c *cobra.Command, args []string) error {
			dir := demoDir
			if len(args) > 0 {
				dir = args[0]
			}
			return k.playDemo(c.Context(), dir)
		},
	}
}

// play is a demo on its way. It types commands as a person would and hands them to the same Main.
type play struct {
	k    *Kit
	out  io.Writer
	name string // of the directory, as the person wrote it
	dir  string
	doc  demoDoc
}

func (k *Kit) playDemo(ctx context.Context, name string) error {
	p := &play{k: k, out: k.env.Stdout, name: name, dir: k.absolute(name)}
	if k.json {
		p.out = k.env.Stderr // stdout is for the one document
	}
	if _, err := os.Lstat(p.dir); !errors.Is(err, fs.ErrNotExist) {
		return fault.New(fault.FileExists, p.dir, "the demo wants a new directory, and %s is there", name).
			With(fault.Action{Action: "another", Command: "sluice demo " + shellWord(name+"-2"), Why: "it goes into another directory"})
	}
	p.say("This is what working with sluice looks like. No model is called: the rehearsal model makes placeholder text.")
	if err := p.enter(ctx, k.env.Dir, 0, "init", name); err != nil {
		return err
	}
	p.echo("cd " + shellWord(name))
	for _, part := range []func(context.Context) error{p.through, p.scene, p.task, p.spec, p.novel} {
		if err := part(ctx); err != nil {
			return err
		}
	}
	return k.Print(p.doc, p.where())
}

// through plays from the start of the run to its export.
func (p *play) through(ctx context.Context) error {
	p.say("The demo starts a run of the sample line. It goes on until a person is needed.")
	d, err := p.start(ctx)
	if err != nil {
		return err
	}
	for gate := 1; d.Exit() == fault.ExitParked && len(d.Asks) > 0; gate++ {
		if gate > maxGates {
			return fault.New(fault.Unexpected, d.Run, "the demo run still asks after %d answers", maxGates)
		}
		if gate == 1 {
			p.say("It is parked: the process could end here, and the ask would wait in the inbox for ever.")
			if err := p.enter(ctx, p.dir, 0, "inbox"); err != nil {
				return err
			}
		}
		p.say("You answer:")
		if d, err = p.answer(ctx, d.Run, d.Asks[0]); err != nil {
			return err
		}
	}
	if kernel.RunStatus(d.Status) != kernel.RunDone {
		return fault.New(fault.Unexpected, d.Run, "the demo run ended as %s", d.Status).
			With(fault.Action{Action: "look", Command: "sluice --workspace " + shellWord(p.name) + " status " + d.Run})
	}
	p.doc.Workspace, p.doc.Run, p.doc.Status, p.doc.Rehearsal = p.dir, d.Run, d.Status, d.Rehearsal
	p.doc.Export = "exports/" + d.Run
	p.say("Everything is approved. The export holds approved versions only, and verifies offline.")
	if err := p.enter(ctx, p.dir, 0, "export", d.Run); err != nil {
		return err
	}
	if err := p.enter(ctx, p.dir, 0, "verify", filepath.FromSlash(p.doc.Export)); err != nil {
		return err
	}
	return p.enter(ctx, p.dir, 0, "verify")
}

// start opens the demo's run, which has no command of its own.
func (p *play) start(ctx context.Context) (app.RunDoc, error) {
	inner := newKit(p.env(p.dir, nil))
	inner.prepare()
	var doc app.RunDoc
	err := inner.With(ctx, func(a *app.App) (err error) {
		doc, err = a.StartDemo(ctx)
		return goOn(doc, err)
	})
	if err != nil {
		return doc, err
	}
	_, err = io.WriteString(p.out, inner.look().summary(doc))
	return doc, err
}

// answer gives an ask what a person might, and shows how the run goes on.
func (p *play) answer(ctx context.Context, run string, ask app.AskDoc) (app.RunDoc, error) {
	args := []string{"answer", ask.Ask}
	switch kernel.AskKind(ask.Kind) {
	case kernel.AskApprove:
		args = []string{"approve", ask.Ask, "--reason", "reads well"}
	case kernel.AskChoose:
		args = []string{"choose", ask.Ask, ask.Options[0]}
	case kernel.AskAnswer:
		for _, q := range ask.Questions {
			value := "as you think best"
			if len(q.Choices) > 0 {
				value = q.Choices[0]
			}
			args = append(args, "-a", q.ID+"="+value)
		}
	default:
		if len(ask.Options) > 0 {
			args = append(args, ask.Options[0])
		}
	}
	if err := p.enter(ctx, p.dir, fault.ExitParked, append(args, "--run")...); err != nil {
		return app.RunDoc{}, err
	}
	var doc app.RunDoc
	inner := newKit(p.env(p.dir, nil))
	err := inner.With(ctx, func(a *app.App) (err error) {
		doc, err = a.Status(ctx, run)
		return err
	})
	return doc, err
}

// enter shows a command line and runs it. also is an exit code besides 0 that is no failure.
func (p *play) enter(ctx context.Context, dir string, also int, args ...string) error {
	words := make([]string, len(args))
	for i, a := range args {
		words[i] = shellWord(a)
	}
	command := "sluice " + strings.Join(words, " ")
	p.echo(command)
	p.doc.Commands = append(p.doc.Commands, command)
	code := Main(ctx, p.env(dir, args))
	if code != 0 && code != also {
		return fault.New(fault.Unexpected, command, "the demo stopped: %q ended with exit code %d", command, code).
			With(fault.Action{Action: "look", Why: "what it made so far is in " + p.dir})
	}
	return ctx.Err()
}

// env is the world of the demo's commands: its own workspace, and the rehearsal model whatever is configured.
func (p *play) env(dir string, args []string) Env {
	env := p.k.env
	env.Args, env.Dir, env.Stdout = args, dir, p.out
	env.Getenv = func(name string) string {
		switch name {
		case "SLUICE_WORKSPACE":
			return ""
		case "SLUICE_PROVIDER":
			return "rehearsal"
		case "SLUICE_REHEARSAL":
			return p.k.options().Rehearsal
		}
		return p.k.env.Getenv(name)
	}
	return env
}

func (p *play) say(text string)     { fmt.Fprintf(p.out, "\n# %s\n", text) }
func (p *play) echo(command string) { fmt.Fprintf(p.out, "$ %s\n", command) }

// where says what is where, at the end.
func (p *play) where() string {
	v := p.k.look()
	at := func(parts ...string) string { return filepath.Join(append([]string{p.name}, parts...)...) }
	rows := [][]string{
		{at("sluice.yaml"), "settings of the workspace"},
		{at(".sluice"), "the journal and every version, in one SQLite file"},
		{at("sample", p.doc.Run), "working files; edit one, and your edit becomes a version"},
		{at(filepath.FromSlash(p.doc.Export)), "the export with its manifest"},
		{at("acts"), "the scene's blueprint and its text"},
		{at("specs"), "every version of the feature's spec; snapshots, evidence and ledger stand beside it"},
		{at("published"), "the feature as it was published"},
		{at("projects"), "the book: world, outline, chapters, memory and reports"},
		{at("workspace"), "workflow states, drafts and logs of the scene line; artifacts, reviews and deliverables of the plan"},
	}
	return "\n# What is where:\n" + table(0, rows...) +
		v.next([]fault.Action{
			{Command: "cd " + shellWord(p.name) + " && sluice status " + p.doc.Run, Why: "look at the run"},
			{Command: "cd " + shellWord(p.name) + " && sluice log " + p.doc.Run, Why: "see every event, who and when"},
		})
}
