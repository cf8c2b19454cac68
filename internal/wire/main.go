package wire

import (
	"context"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"syscall"
	"time"

	"golang.org/x/term"

	"sluice/internal/app"
	"sluice/internal/cli"
	"sluice/internal/config"
	"sluice/internal/doctor"
	"sluice/internal/export"
	"sluice/internal/fault"
	"sluice/internal/kernel"
	"sluice/internal/workspace"
)

// Version, Commit and Date (of the commit, RFC 3339) are set by release builds.
var (
	Version = "dev"
	Commit  = ""
	Date    = ""
)

// Main is the whole program. It gives the exit code.
func Main(b Between) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // the first signal asks for a clean end, the second one takes it
	dir, err := os.Getwd()
	if err != nil {
		dir = "."
	}
	return cli.Main(ctx, cli.Env{
		Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		OutWidth: func() int { return width(os.Stdout) }, ErrWidth: func() int { return width(os.Stderr) },
		IsTerminal: func() bool { return term.IsTerminal(int(os.Stdin.Fd())) },
		Getenv:     os.Getenv, Dir: dir, Now: time.Now, Version: version(),
		Init: initWorkspace,
		Open: func(ctx context.Context, o cli.Options) (*app.App, func() error, error) { return openFor(ctx, o, b) },
		Config: func(_ context.Context, o cli.Options) ([]config.Row, error) {
			root, err := workspace.Find(o.Dir, o.Workspace)
			if err != nil && o.Workspace != "" {
				return nil, err
			}
			s, err := settings(o, root)
			if err != nil {
				return nil, err
			}
			return s.Show(), nil
		},
		Models:    models,
		VerifyDir: verifyDir,
		Restore:   restore,
		Serve:     func(ctx context.Context, o cli.Serving) error { return serve(ctx, o, b) },
	})
}

// width of the terminal behind a file; 0 if it is none.
func width(f *os.File) int {
	w, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return w
}

// version is what a release build was told, or else what the Go tool found in the checkout.
func version() cli.Version {
	v := cli.Version{Version: Version, Commit: Commit, Date: Date, Go: runtime.Version()}
	info, ok := debug.ReadBuildInfo()
	if !ok || v.Commit != "" {
		return v
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Commit = s.Value
		case "vcs.time":
			v.Date = s.Value
		}
	}
	return v
}

func initWorkspace(_ context.Context, dir string) (string, error) {
	root, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	return root, workspace.Init(root, config.DefaultFile(), allowUnsafe())
}

func allowUnsafe() bool { return os.Getenv("SLUICE_ALLOW_UNSAFE_FOLDER") != "" }

func settings(o cli.Options, root string) (*config.Settings, error) {
	file := ""
	if root != "" {
		file = filepath.Join(root, "sluice.yaml")
	}
	return config.Load(config.Source{UserFile: config.UserFile(os.Getenv), Workspace: file, Environ: os.Environ(), Flags: o.Flags()})
}

func openFor(ctx context.Context, o cli.Options, b Between) (*app.App, func() error, error) {
	root, err := workspace.Find(o.Dir, o.Workspace)
	if err != nil {
		return nil, nil, err
	}
	s, err := settings(o, root)
	if err != nil {
		return nil, nil, err
	}
	return Open(ctx, setup(o, root, s, b))
}

func setup(o cli.Options, root string, s *config.Settings, b Between) Setup {
	var verbose io.Writer
	if o.Verbose {
		verbose = o.Telling
	}
	return Setup{Root: root, Settings: s, Rehearsal: o.Rehearsal, Replies: o.Replies, Switch: o.Provider != "", Verbose: verbose,
		By: kernel.Actor{Kind: kernel.Person, Name: s.Person.Name, Via: "cli"}, Observe: o.Observe, Warn: o.Warn, Between: b, Dry: o.Dry}
}

// verifyDir checks an export with nothing but its directory.
func verifyDir(_ context.Context, dir string) (doctor.Report, error) {
	info, err := os.Stat(dir)
	if err != nil || !info.IsDir() {
		return doctor.Report{}, fault.New(fault.NotFound, dir, "there is no directory %s", dir).
			With(fault.Action{Action: "export", Command: "sluice export RUN", Why: "it makes a bundle that verifies"})
	}
	found := export.VerifyDir(os.DirFS(dir))
	out := doctor.Report{Versions: found.Items, Bytes: found.Bytes, Findings: []doctor.Finding{}}
	for _, f := range found.Findings {
		out.Findings = append(out.Findings, doctor.Finding(f))
	}
	return out, nil
}
