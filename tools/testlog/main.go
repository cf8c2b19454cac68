// Testlog reads the events of go test -json and prints what go test prints without it: one line per package, and the
// output of what failed. It ends with 1 if a test was skipped for want of a tool, which plain go test would hide.
//
// Such a test says "SKIP-TOOL: what to install" when it skips. Whether tests failed is for go test's own exit code.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
)

const marker = "SKIP-TOOL:"

// event is what go test -json and go build -json print, one per line.
type event struct {
	Action, Package, Test, Output string
}

// pkg is what is known of a package that is still running.
type pkg struct {
	output []event
	result map[string]string // of each test that ended
}

func main() {
	missing, err := show(os.Stdin, os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "testlog:", err)
		os.Exit(1)
	}
	for _, m := range missing {
		fmt.Fprintln(os.Stderr, m)
	}
	if len(missing) > 0 {
		os.Exit(1)
	}
}

// show prints the events as go test would and gives the tests that were skipped for want of a tool.
func show(in io.Reader, out io.Writer) (missing []string, err error) {
	running := make(map[string]*pkg)
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadString('\n')
		if line != "" {
			missing = append(missing, step(running, line, out)...)
		}
		if err == io.EOF {
			return missing, nil
		}
		if err != nil {
			return missing, err
		}
	}
}

func step(running map[string]*pkg, line string, out io.Writer) (missing []string) {
	var e event
	if json.Unmarshal([]byte(line), &e) != nil {
		fmt.Fprint(out, line) // what the go command itself says
		return nil
	}
	if e.Action == "build-output" {
		fmt.Fprint(out, e.Output)
		return nil
	}
	p := running[e.Package]
	if p == nil {
		p = &pkg{result: make(map[string]string)}
		running[e.Package] = p
	}
	switch e.Action {
	case "output":
		p.output = append(p.output, e)
	case "pass", "fail", "skip":
		p.result[e.Test] = e.Action
		if e.Test == "" {
			delete(running, e.Package)
			return p.end(e.Action == "fail", out)
		}
	}
	return nil
}

// end prints a package that is done.
func (p *pkg) end(failed bool, out io.Writer) (missing []string) {
	for _, e := range p.output {
		if p.isShown(e, failed) {
			fmt.Fprint(out, e.Output)
		}
		if r := p.result[e.Test]; strings.Contains(e.Output, marker) && (e.Test == "" || r == "skip") {
			_, what, _ := strings.Cut(e.Output, marker)
			missing = append(missing, fmt.Sprintf("%s %s was skipped for want of a tool: %s", e.Package, e.Test, strings.TrimSpace(what)))
		}
	}
	return missing
}

func (p *pkg) isShown(e event, failed bool) bool {
	if !failed {
		return e.Test == "" && (strings.HasPrefix(e.Output, "ok  \t") || strings.HasPrefix(e.Output, "?   \t"))
	}
	if strings.HasPrefix(e.Output, "=== ") {
		return false
	}
	// A test without a result was cut short: by a panic, a time-out or a signal.
	return e.Test == "" || p.result[e.Test] == "fail" || p.result[e.Test] == ""
}
