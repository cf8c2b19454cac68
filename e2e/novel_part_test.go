package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"sluice/internal/app"
)

// newSpoilt is a book of 50 chapters, whose outline takes three replies: chapters 1 to 16, 17 to 33 and 34 to 50. The script
// spoils the first so many calls for the second of them.
func newSpoilt(t *testing.T, spoilt int) (p *planned, args []string) {
	t.Helper()
	s := newShell(t)
	s.write("sluice.yaml", "engine:\n  workers: 1\n")
	var part, calls []string
	for n := 17; n <= 33; n++ {
		part = append(part, fmt.Sprintf("{chapter_number: %d}", n))
	}
	for n := range spoilt {
		calls = append(calls, fmt.Sprint(n+1))
	}
	s.write("script.yaml", fmt.Sprintf("- {agent: outline, when: {chapters: [%s]}, calls: [%s], fail: wrong_schema}\n", strings.Join(part, ", "), strings.Join(calls, ", ")))
	s.mustRun(0, "novel", "new", "b", "--premise", "A clockmaker finds a watch that runs backwards", "--chapters", "50", "--words-per-scene", "20")
	s.mustRun(0, "novel", "run", "b", "--until", "characters")
	return &planned{dir: s.dir}, []string{"--rehearsal", "script.yaml", "novel", "run", "b", "--until", "outline"}
}

// parts counts the calls of an agent for each of its parts that were answered, repairs among them. None is answered twice.
func (s *shell) parts(agent string) map[string]int {
	s.t.Helper()
	out, _ := s.mustRun(0, "--json", "calls", "novel-b")
	var d app.CallsDoc
	if err := json.Unmarshal([]byte(out), &d); err != nil {
		s.t.Fatal(err)
	}
	parts, keys := map[string]int{}, map[string]bool{}
	for _, c := range d.Calls {
		if c.Agent != agent || c.Outcome != "answered" {
			continue
		}
		if keys[c.Key] {
			s.t.Errorf("%s was paid for twice", c.Key)
		}
		keys[c.Key] = true
		part, _, _ := strings.Cut(c.Slot, "/")
		parts[part]++
	}
	return parts
}

// wholeOutline wants every chapter in the outline.
func (s *shell) wholeOutline() {
	s.t.Helper()
	var o struct{ Chapters []json.RawMessage }
	if err := json.Unmarshal([]byte(s.book()["outline.json"]), &o); err != nil || len(o.Chapters) != 50 {
		s.t.Errorf("the outline has %d chapters: %v", len(o.Chapters), err)
	}
}

func (s *shell) wantParts(agent string, first, second, third int) {
	s.t.Helper()
	if got := s.parts(agent); got["1"] != first || got["2"] != second || got["3"] != third || len(got) > 3 {
		s.t.Errorf("parts of %s were answered %v times, want %d, %d and %d", agent, got, first, second, third)
	}
}

// TestAPartThatCannotBeUsedIsAskedAgainAlone: the parts beside it are paid for once, also when the command has to be given
// again; only what is thrown away on purpose is asked anew as a whole.
func TestAPartThatCannotBeUsedIsAskedAgainAlone(t *testing.T) {
	t.Run("within one command", func(t *testing.T) {
		t.Parallel()
		p, args := newSpoilt(t, 3)
		s := p.copied(t)
		s.mustRun(0, args...)
		s.wholeOutline()
		s.wantParts("outline", 1, 4, 1)
		s.mustRun(0, "replay", "novel-b")
		s.mustRun(0, "verify")
		s.mustRun(0, "novel", "step", "b", "outline", "--force")
		s.wantParts("outline", 2, 5, 2)
	})
	t.Run("until the attempts are used up", func(t *testing.T) {
		t.Parallel()
		p, args := newSpoilt(t, 9)
		s := p.copied(t)
		s.mustRun(6, args...)
		s.wantParts("outline", 1, 9, 0)
		s.mustRun(0, args...)
		s.wholeOutline()
		s.wantParts("outline", 1, 10, 1)
		s.mustRun(0, "replay", "novel-b")
	})
}

// TestASpoiltOutlineKilledBetweenItsParts: a kill at any point costs no part that was answered.
func TestASpoiltOutlineKilledBetweenItsParts(t *testing.T) {
	p, args := newSpoilt(t, 3)
	points, whole := p.points(t, args...)
	whole.wantParts("outline", 1, 4, 1)
	for _, at := range sample(t, points, 8) {
		t.Run(fmt.Sprintf("point %d of %d", at, points), func(t *testing.T) {
			t.Parallel()
			s := p.killed(t, at, args...)
			s.mustRun(0, args...)
			s.wholeOutline()
			// The script counts calls, also one that a kill left without its reply: the part may be whole sooner.
			if got := s.parts("outline"); got["1"] != 1 || got["2"] > 4 || got["3"] != 1 || len(got) > 3 {
				t.Errorf("parts were answered %v times, want 1, at most 4 and 1", got)
			}
			s.mustRun(0, "verify")
		})
	}
}

// TestALongChapterIsRevisedInParts: each scene is revised once, a part that cannot be used is asked for again alone, and a kill
// between two parts costs none of them.
func TestALongChapterIsRevisedInParts(t *testing.T) {
	s := newShell(t)
	s.write("sluice.yaml", "engine:\n  workers: 1\n")
	s.write("script.yaml", `
- {agent: chapter-plan, reply: {scenes: [
    {scene_number: 1, location: quay, characters: [], purpose: leave, key_actions: [], estimated_words: 3500, scene_type: action, intensity: low},
    {scene_number: 2, location: sea, characters: [], purpose: sail, key_actions: [], estimated_words: 3500, scene_type: action, intensity: low},
    {scene_number: 3, location: isle, characters: [], purpose: land, key_actions: [], estimated_words: 3500, scene_type: action, intensity: low}]}}
- agent: consistency
  reply: {issues: [{issue_type: timeline, description: noon before dawn, severity: low, fix_instructions: begin at dawn}]}
- {agent: revision, calls: [2, 3, 4], fail: wrong_schema}
- {agent: revision, calls: [5], fail: crash_after}
`)
	s.mustRun(0, "novel", "new", "b", "--premise", "A keeper finds a door in the sea", "--chapters", "1", "--revision-policy", "manual_confirm")
	run := []string{"--rehearsal", "script.yaml", "novel", "run", "b"}
	cmd := s.command(t.Context(), "", run...)
	if out, err := cmd.CombinedOutput(); cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != -1 {
		t.Fatalf("it was not killed: %v\n%s", err, out)
	}
	s.wantParts("revision", 1, 4, 0)
	s.mustRun(4, run...)
	s.wantParts("revision", 1, 4, 1)
	type chapter struct {
		Scenes []struct {
			Content string
			Words   int `json:"word_count"`
		}
	}
	var before chapter
	var rev struct {
		After chapter `json:"revised_chapter"`
	}
	book := s.book()
	for file, into := range map[string]any{"chapters/chapter_001.json": &before, "chapters/chapter_001_revision.json": &rev} {
		if err := json.Unmarshal([]byte(book[file]), into); err != nil {
			t.Fatal(err)
		}
	}
	if len(before.Scenes) != 3 || len(rev.After.Scenes) != 3 {
		t.Fatalf("%d scenes became %d", len(before.Scenes), len(rev.After.Scenes))
	}
	for i, was := range before.Scenes {
		if is := rev.After.Scenes[i]; was.Words < 3000 || is.Words < 3000 || is.Content == was.Content {
			t.Errorf("scene %d: %d words became %d", i+1, was.Words, is.Words)
		}
	}
	s.mustRun(0, "novel", "apply", "b", "1")
	s.mustRun(0, "replay", "novel-b")
	s.mustRun(0, "verify")
}
