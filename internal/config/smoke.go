package config

import (
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// SmokeTests are the programs that may be run on deliverables, in the order of the file.
type SmokeTests []SmokeTest

// SmokeTest is the program for deliverables of one kind.
type SmokeTest struct {
	Match   string        // a format, or a pattern of file names
	Command []string      // without a shell; {files} stands for the files that fit
	Timeout time.Duration // after which it is killed with all it started
}

// Limits of a smoke test.
const (
	smokeTimeout    = time.Minute
	maxSmokeTimeout = time.Hour
)

// tests reads the table of smoke tests: a key per kind of deliverable.
func (d *document) tests(f field, n ast.Node) (table, error) {
	tests := SmokeTests{}
	err := d.each(n, f.key, func(match string, at *token.Token, value ast.Node) error {
		t := SmokeTest{Match: match, Timeout: smokeTimeout}
		place := f.key + "." + match
		if _, err := path.Match(match, ""); err != nil || strings.TrimSpace(match) == "" {
			return d.fault(at, f.key, "a key of %s is no format and no pattern of file names", f.key)
		}
		err := d.each(value, place, func(name string, at *token.Token, value ast.Node) error {
			switch name {
			case "command":
				return d.assignCommand(&t, place, value)
			case "timeout":
				return d.assignTimeout(&t, place, value)
			}
			return d.fault(at, f.key, "%s has %s; command and timeout are what it takes", place, name)
		})
		if err == nil && len(t.Command) == 0 {
			err = d.fault(at, f.key, "%s has no command", place)
		}
		tests = append(tests, t)
		return err
	})
	return tests, err
}

func (d *document) assignCommand(t *SmokeTest, place string, n ast.Node) error {
	list, ok := n.(*ast.SequenceNode)
	if !ok {
		return d.fault(begin(n), place, "the command of %s is %s; a list of the program and its arguments is needed", place, d.kind(n))
	}
	for _, v := range list.Values {
		text, ok := scalar(v)
		if !ok || strings.ContainsRune(text, 0) {
			return d.fault(begin(v), place, "an argument of %s is %s; a plain value is needed", place, d.kind(v))
		}
		t.Command = append(t.Command, text)
	}
	if len(t.Command) > 0 && strings.TrimSpace(t.Command[0]) == "" {
		return d.fault(begin(n), place, "the command of %s begins with nothing", place)
	}
	return nil
}

func (d *document) assignTimeout(t *SmokeTest, place string, n ast.Node) error {
	text, _ := scalar(n)
	limit, err := time.ParseDuration(text)
	if err != nil || limit <= 0 || limit > maxSmokeTimeout {
		return d.fault(begin(n), place, "the timeout of %s is no time above 0s and up to %s, such as 90s", place, shortDuration(maxSmokeTimeout))
	}
	t.Timeout = limit
	return nil
}

// String writes the table as it would stand in a file.
func (s SmokeTests) String() string {
	rows := make([]string, 0, len(s))
	for _, t := range s {
		args := make([]string, 0, len(t.Command))
		for _, a := range t.Command {
			args = append(args, word(a))
		}
		rows = append(rows, word(t.Match)+": {command: ["+strings.Join(args, ", ")+"], timeout: "+shortDuration(t.Timeout)+"}")
	}
	return "{" + strings.Join(rows, ", ") + "}"
}

// word quotes what would mean something else in a file.
func word(s string) string {
	for _, r := range s {
		isPlain := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("./_-", r)
		if !isPlain {
			return strconv.Quote(s)
		}
	}
	if s == "" || strings.Trim(s, ".-") == "" {
		return strconv.Quote(s)
	}
	return s
}
