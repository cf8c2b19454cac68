package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const lowScore = "- {agent: logic-review, when: {chapter_number: 1}, calls: [1], reply: {overall_score: 60}}\n"

// gateStates are states of a book at its gates, by the commands that lead there from a book that was just made.
func gateStates() map[string][]string {
	pending := `{"chapter_number": 1, "status": "pending", "triggered_by": "logic_review", "revision_notes": "- motive: say it", "issues": [], "base": "", "created_at": "2026-01-01T00:00:00Z"}`
	return map[string][]string{
		"new":                 {},
		"planned":             {"run b --until plan"},
		"pending":             {"run b"},
		"pending, candidate":  {"run b", "candidate b 1"},
		"rejected":            {"run b", "reject b 1 --reason x"},
		"pending, all stand":  {"run b", "reject b 1 --reason x", "run b", "file chapters/chapter_001_revision.json " + pending},
		"unreadable revision": {"run b", "reject b 1 --reason x", "file chapters/chapter_002_revision.json {"},
		"rolled back":         {"run b", "rollback b --to-chapter 1"},
		"undone":              {"run b", "rollback b --to-chapter 1", "rollback b --undo"},
		"stale and locked":    {"run b", "reject b 1 --reason x", "run b", "step b plan --chapters 2,3 --force", "lock b 3"},
	}
}

// probes are asked in every state; what they name as next must be legal there.
var probes = []string{"status b", "run b", "review b 1", "check b 1", "check b 3", "step b text --chapters 3", "scene generate b 3 1",
	"scene merge b 2", "candidate b 1", "apply b 1", "reject b 1 --reason x", "rollback b --undo", "rollback b --to-chapter 2", "stale b",
	"export b --format txt --strict", "regen b 3", "regen b 1"}

// TestWhatIsNamedAsNextIsLegal walks the states of the gates and runs every command that is named as the next action, in a copy
// of the workspace: none may be refused for the state it was named in.
func TestWhatIsNamedAsNextIsLegal(t *testing.T) {
	for name, commands := range gateStates() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newBook(t, "--logic-review", "blocking")
			s := &shell{t: t, dir: p.dir}
			low := s.write("low.yaml", lowScore)
			for _, c := range commands {
				if file, ok := strings.CutPrefix(c, "file "); ok {
					path, body, _ := strings.Cut(file, " ")
					if err := os.WriteFile(filepath.Join(p.dir, "projects/b", path), []byte(body), 0o600); err != nil {
						t.Fatal(err)
					}
					continue
				}
				if code, _, errs := s.run("", append([]string{"--rehearsal", low, "novel"}, strings.Fields(c)...)...); code != 0 && code != 4 {
					t.Fatalf("%s: exit %d\n%s", c, code, errs)
				}
			}
			tried := map[string]bool{}
			for _, probe := range probes {
				after := p.copied(t)
				code, out, _ := after.run("", append([]string{"--json", "novel"}, strings.Fields(probe)...)...)
				for _, next := range nextCommands(out) {
					at := &planned{dir: after.dir}
					if key := fmt.Sprint(code != 0, probe, next); tried[key] || code != 0 && tried[next] {
						continue
					} else if tried[key] = true; code != 0 {
						tried[next], at = true, p
					}
					if code, out, _ := at.copied(t).run("", append([]string{"--json"}, words(next)...)...); code != 0 && code != 6 {
						t.Errorf("%s names %q, which is refused with %d: %.400s", probe, next, code, out)
					}
				}
			}
			t.Logf("%d commands", len(tried))
		})
	}
}

// nextCommands are the commands of an answer that can be run as they are: those that come after another are not yet.
func nextCommands(out string) []string {
	var doc struct {
		Next  []nextAction `json:"next_actions"`
		Error struct {
			Next []nextAction `json:"next_actions"`
		}
	}
	if json.Unmarshal([]byte(out), &doc) != nil {
		return nil
	}
	var all []string
	for _, a := range slices.Concat(doc.Next, doc.Error.Next) {
		if rest, ok := strings.CutPrefix(a.Command, "sluice "); ok && a.After == "" && !strings.Contains(rest, "…") && !slices.Contains(all, rest) {
			all = append(all, rest)
		}
	}
	return all
}

type nextAction struct{ Command, After string }

// words splits a command as a shell would; TEXT is something to fill in.
func words(command string) []string {
	all := strings.Fields(command)
	for i := range all {
		all[i] = strings.ReplaceAll(all[i], "TEXT", "filled-in")
	}
	return all
}
