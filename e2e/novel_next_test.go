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

// gateState is a state of a book at its gates: the commands that lead there from another state, and what is asked in it.
type gateState struct {
	name, from string
	commands   []string
	probes     []string
}

// gateStates come after those that they are reached from. Each is asked what its gate, its locks or what is missing in it speak to.
func gateStates() []gateState {
	pending := `file chapters/chapter_%03d_revision.json {"chapter_number": %[1]d, "status": "pending", "triggered_by": "logic_review", "revision_notes": "- motive: say it", "issues": [], "base": "", "created_at": "2026-01-01T00:00:00Z"}`
	return []gateState{
		{"new", "", nil, []string{"step b text --chapters 3", "review b 1", "scene generate b 3 1", "rollback b --undo", "rollback b --to-chapter 2", "stale b", "export b --format txt"}},
		{"planned", "new", []string{"run b --until plan"}, []string{"step b text --chapters 3", "scene merge b 2", "regen b 3", "check b 1", "candidate b 1", "export b --format txt --chapters 2-3"}},
		{"pending, unplanned", "new", []string{"run b --until outline", fmt.Sprintf(pending, 2)}, []string{"step b text --chapters 1", "scene generate b 2 1", "step b plan", "apply b 2", "check b 3"}},
		{"pending, no outline", "pending, unplanned", []string{"rollback b --to-step outline", fmt.Sprintf(pending, 2)}, []string{"step b text", "step b plan --chapters 1-2", "run b"}},
		{"pending", "new", []string{"run b"}, []string{"status b", "run b", "step b text --chapters 3", "scene generate b 3 1", "check b 3", "export b --format txt --strict", "apply b 1", "regen b 1",
			"reject b 1 --reason x", "rollback b --to-chapter 2", "review b 1"}},
		{"pending, candidate", "pending", []string{"candidate b 1"}, []string{"run b", "apply b 1", "candidate b 1"}},
		{"rolled back", "pending", []string{"rollback b --to-chapter 1"}, []string{"status b", "rollback b --undo", "check b 1"}},
		{"rejected", "pending", []string{"reject b 1 --reason x"}, []string{"review b 1", "regen b 3", "scene merge b 2", "candidate b 1", "reject b 1 --reason x"}},
		{"unreadable revision", "rejected", []string{"file chapters/chapter_002_revision.json {"}, []string{"run b", "step b text --chapters 2", "apply b 2", "review b 2", "regen b 3"}},
		{"written", "rejected", []string{"run b"}, []string{"status b", "scene generate b 2 1"}},
		{"pending, all stand", "written", []string{fmt.Sprintf(pending, 1)}, []string{"run b", "regen b 3", "rollback b --to-chapter 2"}},
		{"stale and locked", "written", []string{"step b plan --chapters 2,3 --force", "lock b 3"}, []string{"stale b", "regen b 3", "rollback b --to-chapter 2"}},
	}
}

// reach leads from one state to another.
func (g gateState) reach(t *testing.T, from *planned) *planned {
	s := from.copied(t)
	low := s.write("low.yaml", lowScore)
	for _, c := range g.commands {
		if file, ok := strings.CutPrefix(c, "file "); ok {
			path, body, _ := strings.Cut(file, " ")
			if err := os.MkdirAll(filepath.Join(s.dir, "projects/b/chapters"), 0o755); err != nil {
				t.Fatal(err)
			}
			s.write(filepath.Join("projects/b", path), body)
			continue
		}
		if code, _, errs := s.run("", append([]string{"--rehearsal", low, "novel"}, strings.Fields(c)...)...); code != 0 && code != 4 {
			t.Fatalf("%s: exit %d\n%s", c, code, errs)
		}
	}
	return &planned{dir: s.dir}
}

// TestWhatIsNamedAsNextIsLegal walks the states of the gates and runs every command that is named as the next action, in a copy
// of the workspace: none may be refused for the state it was named in.
func TestWhatIsNamedAsNextIsLegal(t *testing.T) {
	at := map[string]*planned{"": newBook(t, "--logic-review", "blocking")}
	for _, g := range gateStates() {
		p := g.reach(t, at[g.from])
		at[g.name] = p
		t.Run(g.name, func(t *testing.T) {
			t.Parallel()
			tried := map[string]bool{}
			after := p.copied(t)
			for _, probe := range g.probes {
				code, out, _ := after.run("", append([]string{"--json", "novel"}, strings.Fields(probe)...)...)
				for _, next := range nextCommands(out) {
					if key := fmt.Sprint(code == 0, next); tried[key] || isLook(next) && code == 0 {
						continue
					} else {
						tried[key] = true
					}
					if code, out, _ := (&planned{dir: after.dir}).copied(t).run("", append([]string{"--json"}, words(next)...)...); code != 0 {
						t.Errorf("%s names %q, which is refused with %d: %.400s", probe, next, code, out)
					}
				}
				if code == 0 || code == 6 { // what is refused changes nothing
					after = p.copied(t)
				}
			}
			t.Logf("%d probes, %d commands", len(g.probes), len(tried))
		})
	}
}

// isLook tells of a command that shows a book in any state.
func isLook(command string) bool {
	return strings.HasPrefix(command, "novel status") || strings.HasPrefix(command, "novel stale")
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
