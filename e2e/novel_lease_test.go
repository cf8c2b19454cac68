package e2e

import (
	"strings"
	"testing"
)

// TestARefusedRequestRecordsNothing: while another process works on a book, what would drive it too is refused and leaves no
// trace.
func TestARefusedRequestRecordsNothing(t *testing.T) {
	p := newBook(t, "--logic-review", "blocking")
	s := &shell{t: t, dir: p.dir}
	slow := s.write("slow.yaml", "- {agent: chapter-plan, when: {chapter_number: 3}, delay: 1h}\n")
	s.mustRun(0, "--rehearsal", p.rules, "novel", "run", "b", "--chapters", "1,2")
	s.mustRun(0, "novel", "scene", "generate", "b", "1", "1")
	c := s.command(t.Context(), "", "--rehearsal", slow, "novel", "run", "b")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	for tries := 0; ; tries++ { // a call is recorded before it is made
		if out, _ := s.mustRun(0, "--json", "calls", "novel-b"); strings.Contains(out, "chapter/003/plan") {
			break
		}
		if tries == 200 {
			t.Fatal("the other process does not begin")
		}
	}
	before, _ := s.mustRun(0, "--json", "log", "novel-b")
	for _, args := range [][]string{{"regen", "b", "1"}, {"step", "b", "text", "--chapters", "2", "--force"}, {"run", "b", "--force"},
		{"step", "b", "world", "--force"}, {"scene", "merge", "b", "1"}, {"scene", "generate", "b", "1", "2"}, {"check", "b", "1", "--again"},
		{"review", "b", "2", "--again"}, {"memory", "b", "--rebuild"}} {
		out, _ := s.mustRun(5, append([]string{"--json", "novel"}, args...)...)
		if !strings.Contains(out, `"lease_held"`) {
			t.Errorf("%v: %s", args, out)
		}
		if after, _ := s.mustRun(0, "--json", "log", "novel-b"); after != before {
			t.Fatalf("%v was refused and recorded something:\n%s", args, after)
		}
	}
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait()
	s.mustRun(0, "novel", "regen", "b", "1")
	s.mustRun(0, "novel", "run", "b")
	s.mustRun(0, "verify")
	s.mustRun(0, "doctor")
}
