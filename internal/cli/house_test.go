package cli

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"sluice/internal/app"
	"sluice/internal/config"
	"sluice/internal/doctor"
	"sluice/internal/engine"
	"sluice/internal/export"
	"sluice/internal/fault"
	"sluice/internal/kernel"
	"sluice/internal/line"
	"sluice/internal/line/novel"
	"sluice/internal/line/novel/story"
	"sluice/internal/line/sample"
	"sluice/internal/line/scene"
	"sluice/internal/line/spec"
	"sluice/internal/line/task"
	"sluice/internal/model"
	"sluice/internal/model/rehearsal"
	"sluice/internal/publish"
	"sluice/internal/session"
	"sluice/internal/sqlitestore"
	"sluice/internal/workspace"
)

// politeModel writes enough words and finds no fault.
type politeModel struct{}

func (politeModel) Class() string { return kernel.ProviderRehearsal }

func (m politeModel) Ask(ctx context.Context, _ engine.Place, c line.Call) (line.Reply, error) {
	text := strings.Repeat("word ", 80)
	switch c.Agent {
	default:
		if strings.HasPrefix(c.Agent, "sample-") {
			break
		}
		r, err := rehearsal.New(rehearsal.Script{}, nil).Complete(ctx, model.Request{Agent: c.Agent, System: c.System, Prompt: c.Prompt,
			Schema: c.Schema, Inputs: c.Inputs})
		if err != nil {
			return line.Reply{}, err
		}
		text = r.Content
	case "sample-judge":
		text = `{"score": 95, "summary": "good", "findings": []}`
	case "sample-variants":
		text = `{"variants":[{"text":"plain"},{"text":"warm"}]}`
	}
	return line.Reply{Content: text, Provider: m.Class(), Usage: kernel.Usage{Calls: 1, InputTokens: 10, OutputTokens: 5}}, nil
}

// health answers with what a test put there, or with a real examination.
type health struct{ doctor.Workspace }

func (h health) Verify(ctx context.Context, run string) (doctor.Report, error) {
	if run == "" {
		return doctor.VerifyAll(ctx, h.Store, nil)
	}
	return doctor.Verify(ctx, h.Store, kernel.RunID(run))
}

func (h health) Examine(ctx context.Context, repair bool) (doctor.Report, error) {
	found, err := h.Workspace.Examine(ctx, nil)
	if err != nil || !repair {
		return found, err
	}
	return h.Repair(ctx, found)
}

// person sits at a terminal in a directory: real store, real files, a polite model, a clock that moves by seconds.
type person struct {
	t      *testing.T
	env    Env
	stdout bytes.Buffer
	stderr bytes.Buffer
	opened []Options

	mu    sync.Mutex
	clock time.Time
}

func newPerson(t *testing.T) *person {
	p := &person{t: t, clock: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	zero := func() int { return 0 }
	p.env = Env{Stdin: strings.NewReader(""), Stdout: &p.stdout, Stderr: &p.stderr, OutWidth: zero, ErrWidth: zero,
		Getenv: func(string) string { return "" }, Dir: t.TempDir(), Now: p.now,
		Version: Version{Version: "1.2.3", Commit: "abc", Go: "go1.26"},
		Init: func(_ context.Context, dir string) (string, error) {
			return dir, workspace.Init(dir, config.DefaultFile(), true)
		},
		Open: p.open,
		Config: func(_ context.Context, o Options) ([]config.Row, error) {
			s, err := config.Load(config.Source{Environ: []string{"SLUICE_PERSON_NAME=ana"}, Flags: o.Flags()})
			if err != nil {
				return nil, err
			}
			return s.Show(), nil
		},
		Models: func(context.Context, Options) (app.Roster, error) { return fakeRoster{}, nil },
		VerifyDir: func(_ context.Context, dir string) (doctor.Report, error) {
			found := export.VerifyDir(os.DirFS(dir))
			r := doctor.Report{Versions: found.Items, Bytes: found.Bytes}
			for _, f := range found.Findings {
				r.Findings = append(r.Findings, doctor.Finding(f))
			}
			return r, nil
		},
	}
	return p
}

// now moves on by a second whenever someone looks, so that times differ and repeat.
func (p *person) now() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clock = p.clock.Add(time.Second)
	return p.clock
}

func (p *person) open(ctx context.Context, o Options) (*app.App, func() error, error) {
	p.opened = append(p.opened, o)
	root, err := workspace.Find(o.Dir, o.Workspace)
	if err != nil {
		return nil, nil, err
	}
	store, err := sqlitestore.Open(ctx, filepath.Join(root, ".sluice"), sqlitestore.Options{})
	if err != nil {
		return nil, nil, err
	}
	tree, err := workspace.Open(root)
	if err != nil {
		store.Close()
		return nil, nil, err
	}
	done := func() error { tree.Close(); return store.Close() }
	lines := map[string]*line.Line{}
	for _, make := range []func() (*line.Line, error){sample.New, session.New, scene.New, task.New, spec.New, novel.New} {
		l, err := make()
		if err != nil {
			return nil, nil, err
		}
		lines[l.Name] = l
	}
	files := workspace.NewCheckouts(tree, store, store, nil)
	e := &engine.Engine{Journal: store, Leaser: store, Folds: store, Counter: store, Files: files, Model: politeModel{}, Now: p.now,
		Lines: lines, Log: slog.New(slog.DiscardHandler), Observe: o.Observe}
	e.Finder = &session.Finder{Tree: tree, Runs: store, Load: e.Load}
	a := &app.App{Root: root, Engine: e, Plans: task.DefaultSettings(), Novel: story.DefaultSettings(), Store: store, Counter: store, Tree: tree, Space: tree, Writer: tree, Notes: tree, Now: p.now,
		Recorded: politeModel{}, Publisher: publish.NewDesk(store, publish.Options{Now: p.now}, publish.NewFile(tree, "published")),
		Health: health{doctor.Workspace{Store: store, Rows: store, Files: files}},
		By:     kernel.Actor{Kind: kernel.Person, Name: "ana", Via: "cli"}}
	a.Index = app.NewIndexer(a.WriteIndex, func(err error) { p.t.Error(err) })
	return a, func() error { return errors.Join(a.Index.Close(), done()) }, nil
}

// types runs a command line and gives what came out of it, with the directory's name taken out.
func (p *person) types(args ...string) (code int, stdout, stderr string) {
	p.t.Helper()
	p.stdout.Reset()
	p.stderr.Reset()
	env := p.env
	env.Args = args
	code = Main(p.t.Context(), env)
	tidy := func(s string) string { return strings.ReplaceAll(s, p.env.Dir, "DIR") }
	return code, tidy(p.stdout.String()), tidy(p.stderr.String())
}

func (p *person) must(want int, args ...string) string {
	p.t.Helper()
	code, stdout, stderr := p.types(args...)
	if code != want {
		p.t.Fatalf("sluice %s: exit %d, want %d\n%s%s", strings.Join(args, " "), code, want, stdout, stderr)
	}
	return stdout
}

// withRun makes a workspace with the demo's run in it, parked at its first gate.
func withRun(t *testing.T) *person {
	t.Helper()
	p := newPerson(t)
	p.must(0, "init")
	if err := os.WriteFile(filepath.Join(p.env.Dir, "demo.json"), sample.Demo(), 0o600); err != nil {
		t.Fatal(err)
	}
	p.must(fault.ExitParked, "sample", "new", "demo.json", "--id", "r1")
	return p
}

var askPattern = regexp.MustCompile(`(?m)^a[0-9a-f]{11}\b`)

func (p *person) ask() string {
	p.t.Helper()
	id := askPattern.FindString(p.must(0, "inbox"))
	if id == "" {
		p.t.Fatal("no ask is open")
	}
	return id
}
