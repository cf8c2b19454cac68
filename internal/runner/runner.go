package runner

import (
	"context"
	"path"
	"slices"
	"strings"
	"time"

	"sluice/internal/line"
)

// Rule names the program for files of one kind.
type Rule struct {
	Match   string   // a format, or a pattern of file names: it holds a dot, a star or a question mark
	Command []string // the argument {files} stands for the files that fit
	Timeout time.Duration
}

// Runner runs the programs of its rules.
type Runner struct {
	Rules   []Rule
	Setting string                   // where the user says which programs are run, for those who wonder why none was
	Getenv  func(name string) string // of the user; only what a program cannot do without is passed on
}

// filesWord is the argument that stands for the files that fit.
const filesWord = "{files}"

// Run runs the program of every rule that fits, one after the other, each on a copy of its own. That none fits is a result,
// and so is a program that ends badly; an error says that one could not be started.
func (r *Runner) Run(ctx context.Context, c line.Command) (line.Ran, error) {
	ran := line.Ran{Slot: c.Slot}
	for _, rule := range r.Rules {
		fitting := rule.fitting(c)
		if len(fitting) == 0 {
			continue
		}
		done, err := r.program(ctx, rule, rule.arguments(fitting), c.Files)
		if err != nil {
			return line.Ran{}, err
		}
		ran.Programs = append(ran.Programs, done)
	}
	if len(ran.Programs) == 0 {
		ran.NotRun = "your settings name no program for " + nameOf(c) + " in " + r.Setting
	}
	return ran, nil
}

// nameOf says in a few words what was to be tried.
func nameOf(c line.Command) string {
	if c.Format != "" {
		return "format " + c.Format
	}
	return "these files"
}

// fitting gives the files that a rule is for. A format is for the files of its extension, or for all of them where none
// has it.
func (r Rule) fitting(c line.Command) []string {
	var out, all []string
	isPattern := strings.ContainsAny(r.Match, "*?.")
	for _, f := range c.Files {
		all = append(all, f.Path)
		ext := strings.TrimPrefix(path.Ext(f.Path), ".")
		switch {
		case isPattern && (matches(r.Match, f.Path) || matches(r.Match, path.Base(f.Path))):
			out = append(out, f.Path)
		case !isPattern && strings.EqualFold(ext, r.Match):
			out = append(out, f.Path)
		}
	}
	if len(out) == 0 && !isPattern && strings.EqualFold(c.Format, r.Match) {
		return all
	}
	return out
}

func matches(pattern, name string) bool {
	ok, err := path.Match(pattern, name)
	return err == nil && ok
}

// arguments puts the files into the command. A name that begins with a dash must not be read as an option.
func (r Rule) arguments(files []string) []string {
	i := slices.Index(r.Command, filesWord)
	if i < 0 {
		return r.Command
	}
	out := slices.Clone(r.Command[:i])
	for _, f := range files {
		out = append(out, "./"+f)
	}
	return append(out, r.Command[i+1:]...)
}
