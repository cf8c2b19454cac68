package runner

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"sluice/internal/fault"
	"sluice/internal/line"
)

// linger is how long output is waited for after a program has ended: something it started may hold on to it.
const linger = 2 * time.Second

// program runs one program on a copy of the files and waits for its end.
func (r *Runner) program(ctx context.Context, rule Rule, args []string, files []line.Part) (line.Program, error) {
	dir, err := os.MkdirTemp("", "sluice-smoke-")
	if err != nil {
		return line.Program{}, r.impossible(rule, err)
	}
	defer func() { _ = os.RemoveAll(dir) }() // what a program made unremovable is the system's to sweep
	if err := lay(dir, files); err != nil {
		return line.Program{}, r.impossible(rule, err)
	}
	within, cancel := context.WithTimeout(ctx, rule.Timeout)
	defer cancel()
	out := &excerpt{}
	cmd := exec.CommandContext(within, args[0], args[1:]...) // no shell: file names are arguments and nothing else
	cmd.Dir, cmd.Env, cmd.WaitDelay = filepath.Join(dir, "files"), r.environ(dir), linger
	cmd.Stdout, cmd.Stderr = out, out
	killed, err := runGroup(cmd)
	if ctx.Err() != nil {
		return line.Program{}, ctx.Err()
	}
	done := line.Program{Name: rule.Match, Command: args, Output: out.text()}
	switch {
	case killed:
		done.Exit, done.TimedOut = -1, rule.Timeout
	case cmd.ProcessState == nil:
		return line.Program{}, r.impossible(rule, err)
	default:
		done.Exit = cmd.ProcessState.ExitCode()
	}
	return done, nil
}

func (r *Runner) impossible(rule Rule, err error) error {
	return fault.Wrap(fault.CommandFailed, rule.Match, err, "the program %s for %s was not started", rule.Command[0], rule.Match).
		With(fault.Action{Action: "mend", Command: "sluice config show", Why: r.Setting + " names it"})
}

// lay writes the copy and the directories that stand for the user's own.
func lay(dir string, files []line.Part) error {
	for _, name := range []string{"files", "home", "tmp"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			return err
		}
	}
	root, err := os.OpenRoot(filepath.Join(dir, "files")) // whatever a file is called, it stays inside
	if err != nil {
		return err
	}
	for _, f := range files {
		if err = root.MkdirAll(path.Dir(f.Path), 0o700); err == nil {
			err = root.WriteFile(f.Path, f.Body, 0o600)
		}
		if err != nil {
			break
		}
	}
	return errors.Join(err, root.Close())
}

// environ is everything that a program gets to know of ours: where programs are, directories of its own, the language.
func (r *Runner) environ(dir string) []string {
	home, tmp := filepath.Join(dir, "home"), filepath.Join(dir, "tmp")
	lang := r.Getenv("LANG")
	if lang == "" {
		lang = "C.UTF-8"
	}
	env := []string{"PATH=" + absolute(r.Getenv("PATH")), "HOME=" + home, "TMPDIR=" + tmp, "LANG=" + lang}
	if runtime.GOOS != "windows" {
		return env
	}
	env = append(env, "USERPROFILE="+home, "LOCALAPPDATA="+home, "APPDATA="+home, "TEMP="+tmp, "TMP="+tmp)
	for _, name := range []string{"SystemRoot", "SystemDrive", "ComSpec", "PATHEXT"} { // nothing starts there without them
		if v := r.Getenv(name); v != "" {
			env = append(env, name+"="+v)
		}
	}
	return env
}

// absolute drops what a PATH says about the current directory, which holds files that a model wrote.
func absolute(list string) string {
	var kept []string
	for _, dir := range filepath.SplitList(list) {
		if filepath.IsAbs(dir) {
			kept = append(kept, dir)
		}
	}
	return strings.Join(kept, string(filepath.ListSeparator))
}
