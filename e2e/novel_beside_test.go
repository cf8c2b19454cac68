package e2e

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	bookdoc "sluice/internal/line/novel/story"
)

const noonBeforeDawn = `{"summary":"noon before dawn","issues":[{"issue_type":"timeline","description":"noon before dawn","related_characters":[],"related_events":[],"severity":"low","fix_instructions":"begin at dawn"}]}`

// newPendingThird is a book of four chapters of which the third waits for a person, with a candidate.
func newPendingThird(t *testing.T) mixed {
	t.Helper()
	m := newMixed(t, "--revision-policy", "manual_confirm")
	m.real(0, "novel", "run", "b", "--chapters", "1,2")
	m.author.says("consistency", noonBeforeDawn)
	m.real(4, "novel", "run", "b")
	return m
}

// chapterBody is the file of a chapter.
func (s *shell) chapterBody(n int) string {
	s.t.Helper()
	return string(mustRead(filepath.Join(s.dir, "projects/b", filepath.FromSlash(bookdoc.ChapterFile(n)))))
}

func (s *shell) revision(n int) (rev bookdoc.RevisionStatus) {
	s.t.Helper()
	if err := json.Unmarshal(mustRead(filepath.Join(s.dir, "projects/b", filepath.FromSlash(bookdoc.RevisionFile(n)))), &rev); err != nil {
		s.t.Fatal(err)
	}
	return rev
}

// paidOnce wants no answer to have been paid for twice, and every answer to be recorded but those of the given number of calls
// that were under way when what they were for was taken back: they are cut off, before or after they are answered.
func (m mixed) paidOnce(cut int) {
	m.t.Helper()
	paid := m.paid("novel-b")
	for key, n := range paid {
		if n > 1 {
			m.t.Errorf("call %s was paid for %d times", key, n)
		}
	}
	if n := int(m.author.calls.Load()); n < len(paid) || n > len(paid)+cut {
		m.t.Errorf("the author answered %d calls, and %d are recorded", n, len(paid))
	}
}

// TestDecisionsBesideADrive decides about the third chapter while another process writes the first anew: each goes on, and
// neither loses anything.
func TestDecisionsBesideADrive(t *testing.T) {
	for _, c := range []struct {
		name, says string
		args       []string
		state      bookdoc.RevisionState
	}{
		{"apply", "the memory of chapter 3 is recorded when the book goes on", []string{"apply", "b", "3"}, bookdoc.RevisionAccepted},
		{"reject", "rejected the revision of chapter 3", []string{"reject", "b", "3", "--reason", "it is meant"}, bookdoc.RevisionRejected},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m := newPendingThird(t)
			old := map[int]string{1: m.chapterBody(1), 2: m.chapterBody(2), 3: m.chapterBody(3)}
			candidate, err := bookdoc.Encode(*m.revision(3).RevisedChapter)
			if err != nil {
				t.Fatal(err)
			}
			drive := m.drive("scene-text", 2, "novel", "regen", "b", "1")
			out, _ := m.mustRun(5, "--json", "novel", "candidate", "b", "3")
			wantAll(t, out, `"lease_held"`)
			out = m.real(0, append([]string{"novel"}, c.args...)...)
			wantAll(t, out, c.says)
			if state := m.revision(3).Status; state != c.state {
				t.Errorf("while the other writes, the revision is %s", state)
			}
			m.mustRun(0, "novel", "lock", "b", "2")
			wantAll(t, drive.end(0), "chapter 1")

			want := old[3]
			if c.state == bookdoc.RevisionAccepted {
				want = string(candidate)
			}
			if diff := cmp.Diff(want, m.chapterBody(3)); diff != "" || m.revision(3).Status != c.state {
				t.Errorf("chapter 3 is not what was decided (%s):\n%s", m.revision(3).Status, diff)
			}
			if m.chapterBody(2) != old[2] || m.chapterBody(1) == old[1] {
				t.Errorf("chapter 2 was touched, or chapter 1 was not:\n%s\n%s", m.chapterBody(2), m.chapterBody(1))
			}
			m.mustRun(0, "doctor")
			out = m.real(5, "novel", "regen", "b", "2")
			wantAll(t, out, "chapter_locked")
			first := m.chapterBody(1)
			m.real(0, "novel", "run", "b")
			if m.chapterBody(1) != first || m.chapterBody(2) != old[2] || m.chapterBody(3) != want || m.chapterBody(4) == "" {
				t.Error("going on touched what stands, or wrote nothing")
			}
			m.paidOnce(0)
			m.soundBook()
		})
	}
}

// TestALockBesideADrive locks chapters that a drive has not come to: they stay as they are.
func TestALockBesideADrive(t *testing.T) {
	t.Parallel()
	m := newMixed(t)
	m.real(0, "novel", "run", "b", "--chapters", "1")
	first := m.chapterBody(1)
	drive := m.drive("scene-text", 1, "novel", "run", "b")
	m.mustRun(0, "novel", "lock", "b", "1,4")
	said := drive.end(5)
	wantAll(t, said, "chapter_locked", "sluice novel unlock b 4")
	for n, want := range map[int]bool{1: true, 2: true, 3: true, 4: false} {
		if got := m.chapterBody(n) != ""; got != want {
			t.Errorf("chapter %d is written: %v", n, got)
		}
	}
	if m.chapterBody(1) != first {
		t.Error("chapter 1 was touched")
	}
	m.mustRun(0, "doctor")
	m.mustRun(0, "novel", "unlock", "b", "4")
	m.real(0, "novel", "run", "b")
	m.paidOnce(0)
	m.soundBook()
}

// TestAGateThatIsShutBesideADrive puts a pending revision of the first chapter into its place while another process writes the
// third: nothing after the first is written any more.
func TestAGateThatIsShutBesideADrive(t *testing.T) {
	t.Parallel()
	m := newMixed(t)
	m.real(0, "novel", "run", "b", "--chapters", "1,2")
	drive := m.drive("scene-text", 1, "--json", "novel", "run", "b")
	m.write("projects/b/chapters/chapter_001_revision.json", `{"chapter_number": 1, "status": "pending", "triggered_by": "consistency", "revision_notes": "- motive: say it", "issues": [], "base": "", "created_at": "2026-01-01T00:00:00Z"}`)
	out, _ := m.mustRun(0, "--json", "novel", "status", "b")
	wantAll(t, out, `"blocked_chapter": 1`)
	wantAll(t, drive.end(4), `"revision_pending"`, `"blocked_chapter": 1`, `"target_chapter": 3`, `"results"`)
	if m.chapterBody(3) != "" || m.chapterBody(4) != "" {
		t.Error("a chapter behind the gate was written")
	}
	m.mustRun(0, "doctor")
	m.mustRun(0, "novel", "reject", "b", "1", "--reason", "it is said")
	m.real(0, "novel", "run", "b")
	m.paidOnce(0)
	m.soundBook()
}

// TestARollbackBesideADrive takes a book back to before its second chapter while another process writes the third.
func TestARollbackBesideADrive(t *testing.T) {
	t.Parallel()
	m := newMixed(t, "--logic-review", "blocking")
	m.real(0, "novel", "run", "b", "--chapters", "1,2")
	first, second := m.chapterBody(1), m.chapterBody(2)
	drive := m.drive("scene-text", 2, "novel", "run", "b")
	m.mustRun(0, "novel", "rollback", "b", "--to-chapter", "2")
	if m.chapterBody(2) != "" {
		t.Error("chapter 2 still stands")
	}
	drive.end(0) // it goes back and writes what was taken away
	if m.chapterBody(1) != first {
		t.Error("chapter 1 was touched")
	}
	for n := 2; n <= 4; n++ {
		if m.chapterBody(n) == "" {
			t.Errorf("chapter %d is not written", n)
		}
	}
	m.mustRun(0, "doctor")
	calls := m.author.calls.Load()
	m.real(0, "novel", "run", "b")
	if n := m.author.calls.Load(); n != calls {
		t.Errorf("%d calls were left to make", n-calls)
	}
	kept := m.files("projects/b/.versions")
	if m.chapterBody(2) == second || !strings.Contains(fmt.Sprint(kept), "Tide 2") {
		t.Error("chapter 2 was not written anew, or the one before is lost")
	}
	m.paidOnce(1)
	m.soundBook()
}

// TestManyCommandsBesideADrive locks and unlocks a chapter over and over while another process writes the book: it is the same
// book, from the same calls, as one that was written undisturbed.
func TestManyCommandsBesideADrive(t *testing.T) {
	t.Parallel()
	p := newBook(t, "--revision-policy", "auto_apply", "--logic-review", "blocking")
	s, whole := p.copied(t), p.copied(t)
	whole.mustRun(0, "--rehearsal", p.rules, "novel", "run", "b")
	slow := s.write("slow.yaml", crashBookRules+"  delay: 20ms\n- {agent: \"*\", delay: 20ms}\n")
	s.mustRun(0, "--rehearsal", p.rules, "novel", "run", "b", "--chapters", "1")
	drive := s.command(t.Context(), "", "--rehearsal", slow, "novel", "run", "b")
	ended := make(chan error, 1)
	go func() {
		out, err := drive.CombinedOutput()
		if err != nil {
			err = fmt.Errorf("%w: %s", err, out)
		}
		ended <- err
	}()
	for locked := true; ; locked = !locked {
		select {
		case err := <-ended:
			if err != nil {
				t.Error(err)
			}
			s.mustRun(0, "novel", "unlock", "b", "1")
			s.sameBook(whole.book(), whole.paid("novel-b"))
			return
		default:
			s.mustRun(0, "novel", map[bool]string{true: "lock", false: "unlock"}[locked], "b", "1")
		}
	}
}
