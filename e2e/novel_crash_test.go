package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// crashBook has a chapter that is revised by rule and reviews that pass.
const crashBookRules = `
- agent: consistency
  when: {chapter_number: 1}
  reply: {issues: [{issue_type: timeline, description: noon before dawn, related_characters: [], related_events: [], severity: low, fix_instructions: begin at dawn}]}
`

// newBook makes a workspace with a book of three chapters of which nothing is written.
func newBook(t *testing.T, flags ...string) *planned {
	t.Helper()
	s := newShell(t)
	// One at a time, so that every run has the same points in the same order.
	s.write("sluice.yaml", "engine:\n  workers: 1\n")
	p := &planned{dir: s.dir, rules: s.write("rules.yaml", crashBookRules)}
	s.mustRun(0, append([]string{"novel", "new", "b", "--premise", "A keeper finds a door in the sea", "--chapters", "3",
		"--words-per-scene", "20"}, flags...)...)
	return p
}

var bookTimes = regexp.MustCompile(`"(created_at|decision_at)": "[^"]*"`)

// book gives the files of the book without the times in them.
func (s *shell) book() map[string]string {
	s.t.Helper()
	files := s.files("projects/b")
	for name, body := range files {
		files[name] = bookTimes.ReplaceAllString(body, `"$1": ""`)
	}
	return files
}

// soundBook wants every record and every file to be as it should, every scene once, and memory of the text that stands.
func (s *shell) soundBook() {
	s.t.Helper()
	s.mustRun(0, "verify")
	s.mustRun(0, "doctor")
	out, _ := s.mustRun(0, "--json", "novel", "stale", "b")
	var stale struct{ Stale []json.RawMessage }
	if err := json.Unmarshal([]byte(out), &stale); err != nil {
		s.t.Fatal(err)
	}
	for _, row := range stale.Stale {
		if strings.Contains(string(row), `"memory"`) {
			s.t.Errorf("a memory does not match its text: %s", row)
		}
	}
	for n := 1; n <= 3; n++ {
		var c struct {
			Scenes []struct {
				SceneNumber int `json:"scene_number"`
			}
		}
		body := mustRead(filepath.Join(s.dir, fmt.Sprintf("projects/b/chapters/chapter_%03d.json", n)))
		if err := json.Unmarshal(body, &c); err != nil {
			s.t.Fatalf("chapter %d: %v", n, err)
		}
		if len(c.Scenes) == 0 {
			s.t.Errorf("chapter %d has no scene", n)
		}
		for i, scene := range c.Scenes {
			if scene.SceneNumber != i+1 {
				s.t.Errorf("chapter %d has scene %d as its number %d", n, scene.SceneNumber, i+1)
			}
		}
	}
}

// TestBookKilledWhileItIsWritten kills the writing of a book just before and after everything that becomes durable: the
// next run finishes the same book, and nothing that was answered is paid for again.
func TestBookKilledWhileItIsWritten(t *testing.T) {
	p := newBook(t, "--revision-policy", "auto_apply", "--logic-review", "blocking")
	args := []string{"--rehearsal", p.rules, "novel", "run", "b"}
	points, whole := p.points(t, args...)
	want, keys := whole.book(), whole.paid("novel-b")
	t.Logf("%d points, %d files, %d calls", points, len(want), len(keys))
	if points < 200 || len(want) < 16 || len(keys) < 27 {
		t.Fatalf("%d points, %d files and %d calls are too few to crash", points, len(want), len(keys))
	}
	whole.soundBook()
	for _, at := range sample(t, points, 8) {
		t.Run(fmt.Sprintf("point %d of %d", at, points), func(t *testing.T) {
			t.Parallel()
			s := p.killed(t, at, args...)
			s.mustRun(0, "novel", "status", "b") // whatever stands can be looked at
			s.mustRun(0, args...)
			s.sameBook(want, keys)
		})
	}
}

func (s *shell) sameBook(want map[string]string, keys map[string]int) {
	s.t.Helper()
	if diff := cmp.Diff(want, s.book()); diff != "" {
		s.t.Errorf("the book differs from one that was written undisturbed (-want +got):\n%s", diff)
	}
	if paid := s.paid("novel-b"); !maps.Equal(keys, paid) {
		s.t.Errorf("other calls were paid for than undisturbed (-want +got):\n%s", cmp.Diff(keys, paid))
	}
	s.soundBook()
}

// TestBookKilledWhileARevisionIsApplied kills the applying of a candidate: it is applied whole or not at all, the other
// command goes on, and the gate opens once.
func TestBookKilledWhileARevisionIsApplied(t *testing.T) {
	p := newBook(t, "--revision-policy", "manual_confirm")
	run := []string{"--rehearsal", p.rules, "novel", "run", "b"}
	apply := []string{"--rehearsal", p.rules, "novel", "apply", "b", "1"}
	(&shell{t: t, dir: p.dir}).mustRun(4, run...)
	points, whole := p.points(t, apply...)
	whole.mustRun(0, run...)
	want, keys := whole.book(), whole.paid("novel-b")
	if points < 10 {
		t.Fatalf("%d points are too few to crash", points)
	}
	for _, at := range sample(t, points, 4) {
		t.Run(fmt.Sprintf("point %d of %d", at, points), func(t *testing.T) {
			t.Parallel()
			s := p.killed(t, at, apply...)
			out, _ := s.mustRun(0, "--json", "novel", "status", "b")
			revision := string(mustRead(filepath.Join(s.dir, "projects/b/chapters/chapter_001_revision.json")))
			isPending := strings.Contains(out, `"blocked_chapter": 1`)
			if isPending != strings.Contains(revision, `"status": "pending"`) {
				t.Errorf("the gate says pending %v, and the file says:\n%s", isPending, revision)
			}
			if isPending {
				s.mustRun(0, apply...)
			} else {
				s.mustRun(5, apply...)
			}
			s.mustRun(0, run...)
			s.sameBook(want, keys)
		})
	}
}

// TestBookKilledWhileItIsExported kills an export at some time: the file is the old one or the new one, whole.
func TestBookKilledWhileItIsExported(t *testing.T) {
	p := newBook(t)
	s := &shell{t: t, dir: p.dir}
	s.mustRun(0, "--rehearsal", p.rules, "novel", "run", "b")
	export := []string{"novel", "export", "b", "--format", "epub", "-o", "out/b.epub"}
	old := s.write("old.epub", "the export of yesterday")
	began := time.Now()
	s.mustRun(0, export...)
	takes := time.Since(began)
	file := filepath.Join(s.dir, "out", "b.epub")
	whole := string(mustRead(file))
	const times = 8
	for i := range times {
		if err := os.WriteFile(file, mustRead(old), 0o600); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), takes*time.Duration(i+1)/times)
		out, err := s.command(ctx, "", export...).CombinedOutput()
		cancel()
		if got := string(mustRead(file)); got != whole && got != string(mustRead(old)) {
			t.Fatalf("killed after %d of %d: the file is neither the old nor the new one, %d bytes (%v)\n%s", i+1, times, len(got), err, out)
		}
	}
	s.mustRun(0, export...)
	if string(mustRead(file)) != whole {
		t.Error("the next export differs")
	}
	left, err := os.ReadDir(filepath.Dir(file))
	if err != nil || len(left) != 1 {
		t.Errorf("%v were left beside the export (%v)", left, err)
	}
	s.soundBook()
}
