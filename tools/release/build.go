package main

import (
	"bytes"
	"context"
	"debug/elf"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

func host() string { return runtime.GOOS + "/" + runtime.GOARCH }

// run gives the output of a command in a directory. Variables are added to those of this process.
func run(ctx context.Context, dir string, env []string, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, errs.String())
	}
	return out.Bytes(), nil
}

// describe finds version, commit and date in git.
func (r *release) describe(ctx context.Context) error {
	git := func(args ...string) (string, error) {
		out, err := run(ctx, r.root, nil, "git", args...)
		return strings.TrimSpace(string(out)), err
	}
	var err error
	if r.commit, err = git("rev-parse", "HEAD"); err != nil {
		return err
	}
	stamp, err := git("log", "-1", "--format=%cI")
	if err != nil {
		return err
	}
	at, err := time.Parse(time.RFC3339, stamp)
	if err != nil {
		return err
	}
	r.date, r.epoch = at.UTC().Format(time.RFC3339), at.Unix()
	if r.version == "" {
		if r.version, err = git("describe", "--tags", "--always", "--dirty"); err != nil {
			return err
		}
	}
	if strings.ContainsAny(r.version, "/\\ '\"") || strings.HasPrefix(r.version, ".") {
		return fmt.Errorf("the version %q cannot be part of a file name", r.version)
	}
	return nil
}

// build makes the binary of a platform, once.
func (r *release) build(ctx context.Context, work, target string) (string, error) {
	system, arch, ok := strings.Cut(target, "/")
	if !ok {
		return "", fmt.Errorf("%q is no platform such as linux/amd64", target)
	}
	file := filepath.Join(work, system+"_"+arch, "sluice")
	if system == "windows" {
		file += ".exe"
	}
	if _, err := os.Stat(file); err == nil {
		return file, nil
	}
	// What the Go tool would find in the checkout differs with its state; what is told here does not.
	flags := fmt.Sprintf("-s -w -buildid= -X sluice/internal/wire.Version=%s -X sluice/internal/wire.Commit=%s -X sluice/internal/wire.Date=%s",
		r.version, r.commit, r.date)
	_, err := run(ctx, r.root, []string{"CGO_ENABLED=0", "GOOS=" + system, "GOARCH=" + arch, "GOFLAGS=", "GOWORK=off", "GOEXPERIMENT=", "GOAMD64=v1", "GOARM64=v8.0"},
		"go", "build", "-trimpath", "-buildvcs=false", "-mod=readonly", "-ldflags", flags, "-o", file, "./cmd/sluice")
	return file, err
}

// checkStatic refuses a Linux binary that needs anything of the system it runs on. Binaries of other systems always call
// the system through its own library.
func checkStatic(file, target string) error {
	if !strings.HasPrefix(target, "linux/") {
		return nil
	}
	f, err := elf.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP || p.Type == elf.PT_DYNAMIC {
			return fmt.Errorf("the binary is not static: it has a segment %s", p.Type)
		}
	}
	return nil
}

// gather collects what every archive holds: documents of the repository, and what the program writes about itself.
func (r *release) gather(ctx context.Context, work string) error {
	for _, name := range []string{"LICENSE", "README.md"} {
		body, err := os.ReadFile(filepath.Join(r.root, name))
		if err != nil {
			return err
		}
		r.extras = append(r.extras, entry{name, body, false})
	}
	program, err := r.build(ctx, work, host())
	if err != nil {
		return err
	}
	home := filepath.Join(work, "home") // nothing of the user's may get in
	if err := os.MkdirAll(home, 0o700); err != nil {
		return err
	}
	env := []string{"HOME=" + home, "XDG_CONFIG_HOME=" + home, "AppData=" + home, "SOURCE_DATE_EPOCH="}
	for shell, name := range map[string]string{"bash": "sluice.bash", "zsh": "_sluice", "fish": "sluice.fish", "powershell": "sluice.ps1"} {
		script, err := run(ctx, home, env, program, "completion", shell)
		if err != nil {
			return err
		}
		r.extras = append(r.extras, entry{"completions/" + name, script, false})
	}
	pages := filepath.Join(work, "man1")
	if _, err := run(ctx, home, env, program, "man", pages); err != nil {
		return err
	}
	if err := r.gatherPages(pages); err != nil {
		return err
	}
	slices.SortFunc(r.extras, func(a, b entry) int { return strings.Compare(a.name, b.name) })
	return nil
}

func (r *release) gatherPages(dir string) error {
	return fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		body, err := os.ReadFile(filepath.Join(dir, name))
		r.extras = append(r.extras, entry{"man/man1/" + name, body, false})
		return err
	})
}
