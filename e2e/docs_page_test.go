package e2e

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// part is a piece of a page: lines that stay as they are and, if they end in a command, the output the page shows for it.
type part struct {
	text    []string
	command string
	want    []string
	line    int // of the command, from 1
}

var (
	fence      = regexp.MustCompile("^(\\s*)```(.*)$")
	notRun     = regexp.MustCompile(`^<!-- not run: \S.* -->$`)
	shownFor   = regexp.MustCompile(`^<!-- output of: (sluice .+) -->$`)
	ourCommand = regexp.MustCompile(`^(\$ )?sluice( |$)`)
	heredoc    = regexp.MustCompile(`<<-?'?(\w+)'?`)
	helper     = regexp.MustCompile(`^(sluice|cat|cd|cp|echo|export|head|ls|mkdir|mv|printf|rm|tail|unset)( |$)`)
)

// parsePage takes a page apart. A page that shows commands which nobody runs is an error.
func parsePage(page string) (parts []part, err error) {
	lines := strings.Split(strings.TrimSuffix(page, "\n"), "\n")
	var text []string
	before := "" // the last line with anything on it
	for i := 0; i < len(lines); i++ {
		text = append(text, lines[i])
		open := fence.FindStringSubmatch(lines[i])
		if open == nil {
			if strings.TrimSpace(lines[i]) != "" {
				before = lines[i]
			}
			continue
		}
		size := slices.Index(lines[i+1:], open[1]+"```")
		if size < 0 {
			return nil, fmt.Errorf("line %d: the block is not closed", i+1)
		}
		body, at := lines[i+1:i+1+size], i+2
		i += size + 1
		var ran []part
		switch output := shownFor.FindStringSubmatch(before); {
		case notRun.MatchString(before):
		case output != nil:
			ran = []part{{command: output[1], want: body, line: at}}
		case open[1] != "":
			return nil, fmt.Errorf("line %d: a block begins at the margin", at-1)
		case open[2] == "console":
			if ran, err = parseConsole(body, at); err != nil {
				return nil, err
			}
		case slices.Contains([]string{"", "sh", "bash", "shell", "text"}, open[2]) && slices.ContainsFunc(body, ourCommand.MatchString):
			return nil, fmt.Errorf("line %d: the block has commands that nobody runs; begin it with ```console, or say <!-- not run: why --> before it", at-1)
		}
		before = ""
		if len(ran) == 0 {
			text = append(text, body...)
		} else {
			ran[0].text = append(text, ran[0].text...)
			parts, text = append(parts, ran...), nil
		}
		text = append(text, lines[i])
	}
	return append(parts, part{text: text}), nil
}

// parseConsole finds the commands of a block: what begins with "$ ", with the lines that a trailing backslash or a here
// document adds. Everything else is output.
func parseConsole(body []string, at int) (parts []part, err error) {
	for i := 0; i < len(body); i++ {
		command, ok := strings.CutPrefix(body[i], "$ ")
		if !ok {
			if len(parts) == 0 {
				return nil, fmt.Errorf("line %d: a console block begins with a command", at+i)
			}
			last := &parts[len(parts)-1]
			last.want = append(last.want, body[i])
			continue
		}
		if !helper.MatchString(command) {
			return nil, fmt.Errorf("line %d: a page uses sluice and a few plain commands of any shell, not this: %s", at+i, command)
		}
		p := part{text: []string{body[i]}, line: at + i}
		more := func() {
			i++
			p.text, command = append(p.text, body[i]), command+"\n"+body[i]
		}
		for strings.HasSuffix(command, `\`) && i+1 < len(body) {
			more()
		}
		if doc := heredoc.FindStringSubmatch(command); doc != nil {
			for i+1 < len(body) && body[i] != doc[1] {
				more()
			}
		}
		p.command = command
		parts = append(parts, p)
	}
	return parts, nil
}

// render is the page of these parts.
func render(parts []part) string {
	var b strings.Builder
	for _, p := range parts {
		for _, line := range slices.Concat(p.text, p.want) {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}

func leftOut(line string) bool { return strings.TrimSpace(line) == "..." }

// fits says whether a line of a page shows this line: as it is, or its beginning followed by " ...".
func fits(want, got string) bool {
	beginning, cut := strings.CutSuffix(want, " ...")
	return want == got || cut && strings.HasPrefix(got, beginning)
}

// align lays the output over what a page shows and gives the output as the page should show it: lines are left out where
// the page leaves lines out. same says that the page shows it already.
func align(want, got []string) (shown []string, same bool) {
	cost := make([][]int, len(want)+1)
	for i := len(want); i >= 0; i-- {
		cost[i] = make([]int, len(got)+1)
		for j := len(got); j >= 0; j-- {
			cost[i][j] = cheapest(want, got, i, j, cost).cost
		}
	}
	for i, j := 0, 0; i < len(want) || j < len(got); {
		m := cheapest(want, got, i, j, cost)
		switch {
		case m.i == 0: // new, or left out
			if i == len(want) || !leftOut(want[i]) {
				shown = append(shown, got[j])
			}
		case leftOut(want[i]), m.j == 1 && fits(want[i], got[j]):
			shown = append(shown, want[i])
		case m.j == 1:
			shown = append(shown, got[j])
		}
		i, j = i+m.i, j+m.j
	}
	return shown, cost[0][0] == 0
}

type move struct{ i, j, cost int }

// cheapest is the best way on from line i of a page and line j of the output. cost holds the ways that follow.
func cheapest(want, got []string, i, j int, cost [][]int) move {
	switch {
	case i == len(want) && j == len(got):
		return move{}
	case i == len(want):
		return move{0, 1, apart + cost[i][j+1]}
	}
	best := move{1, 0, apart + cost[i+1][j]}
	if leftOut(want[i]) {
		best.cost -= apart
	}
	if j == len(got) {
		return best
	}
	both, skip := move{1, 1, distance(want[i], got[j]) + cost[i+1][j+1]}, move{0, 1, apart + cost[i][j+1]}
	if leftOut(want[i]) {
		skip.cost -= apart
	}
	return slices.MinFunc([]move{both, best, skip}, func(a, b move) int { return a.cost - b.cost })
}

// apart is the distance of lines that have no word in common, and the cost of a line that only one side has.
const apart = 100

// distance says how far a line of the output is from one of a page: the fewer words they share, the farther.
func distance(want, got string) int {
	if fits(want, got) {
		return 0
	}
	a, b := strings.Fields(want), strings.Fields(got)
	all, shared := max(len(a), len(b), 1), 0
	for _, word := range a {
		if i := slices.Index(b, word); i >= 0 {
			b, shared = slices.Delete(b, i, i+1), shared+1
		}
	}
	return max(apart*(all-shared)/all, 1)
}

func TestPagesAreTakenApart(t *testing.T) {
	page := strings.Join([]string{"# A page", "```console", "$ sluice status", "a", "...", "$ cat > f <<'EOF'", "$ no command", "EOF", `$ sluice run \`, "  one", "b", "```",
		"<!-- not run: it would call out -->", "", "```sh", "sluice models --check", "```", "<!-- output of: sluice demo -->", "```text", "$ sluice init", "```", ""}, "\n")
	parts, err := parsePage(page)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range parts {
		got = append(got, fmt.Sprintf("%d %q %q", p.line, p.command, p.want))
	}
	want := []string{`3 "sluice status" ["a" "..."]`, `6 "cat > f <<'EOF'\n$ no command\nEOF" []`, `9 "sluice run \\\n  one" ["b"]`, `20 "sluice demo" ["$ sluice init"]`, `0 "" []`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("parts differ (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(page, render(parts)); diff != "" {
		t.Errorf("the page is not the same again (-want +got):\n%s", diff)
	}
	for bad, why := range map[string]string{
		"```sh\nsluice status\n```":            "nobody runs",
		"```\n$ sluice status\n```":            "nobody runs",
		"```console\nsluice status\n```":       "begins with a command",
		"```console\n$ curl example\n```":      "plain commands",
		"```console\n$ sluice status":          "not closed",
		"- a\n  ```console\n  $ sluice\n  ```": "margin",
	} {
		if _, err := parsePage(bad); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%q gives %v, want %s", bad, err, why)
		}
	}
}

func TestOutputIsAligned(t *testing.T) {
	for _, c := range []struct{ name, want, got, shown string }{
		{"the same", "a b", "a b", "a b"},
		{"lines left out", "a ... c", "a b b c", "a ... c"},
		{"nothing left out", "a ... c", "a c", "a ... c"},
		{"the end left out", "a ...", "a b", "a ..."},
		{"a new line", "a c", "a b c", "a b c"},
		{"a line gone", "a b c", "a c", "a c"},
		{"nothing shown yet", "", "a b", "a b"},
		{"a change before what is left out", "x ... c", "a b c", "a ... c"},
	} {
		want, got := strings.Fields(c.want), strings.Fields(c.got)
		shown, same := align(want, got)
		if s := strings.Join(shown, " "); s != c.shown || same != (s == c.want) {
			t.Errorf("%s: %q over %q gives %q, same %t", c.name, c.want, c.got, s, same)
		}
	}
	if shown, _ := align([]string{"...", "scene 2 costs 7", "..."}, []string{"scene 1 costs $6", "scene 2 costs $7", "done"}); shown[1] != "scene 2 costs $7" {
		t.Errorf("a line that changed a little is shown as %q", shown)
	}
	if shown, same := align([]string{"long ..."}, []string{"long line"}); !same || shown[0] != "long ..." {
		t.Errorf("a line that is cut off gives %q, same %t", shown, same)
	}
}
