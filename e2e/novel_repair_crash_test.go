package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	bookdoc "sluice/internal/line/novel/story"
)

// repair is a command that mends a book, and the commands that lead to where it is given.
type repair struct {
	name string
	book []string // flags of the book
	lead [][]string
	args []string
	sort repairSort
}

// repairSort says what may be left of a repair that was killed.
type repairSort string

const (
	decision repairSort = "decision" // it is done or not done, and nothing between
	sequel   repairSort = "sequel"   // a decision, and work after it that is done when the book goes on
	work     repairSort = "work"     // what it began is finished by the same command, and when the book goes on
	lone     repairSort = "lone"     // what it began is finished by the same command alone
)

func repairs() []repair {
	run := []string{"run", "b"}
	manual, blocking := []string{"--revision-policy", "manual_confirm"}, []string{"--logic-review", "blocking"}
	return []repair{
		{"regen of a pending chapter", manual, [][]string{run}, []string{"regen", "b", "1"}, work},
		{"regen of a chapter that later ones build on", blocking, [][]string{run}, []string{"regen", "b", "2"}, work},
		{"merge", blocking, [][]string{run, {"scene", "generate", "b", "2", "1"}}, []string{"scene", "merge", "b", "2"}, work},
		{"apply", manual, [][]string{run}, []string{"apply", "b", "1"}, sequel},
		{"candidate", manual, [][]string{run}, []string{"candidate", "b", "1"}, lone},
		{"reject", manual, [][]string{run}, []string{"reject", "b", "1", "--reason", "it is meant"}, decision},
		{"rollback", blocking, [][]string{run}, []string{"rollback", "b", "--to-chapter", "2"}, decision},
		{"undo", blocking, [][]string{run, {"rollback", "b", "--to-chapter", "2"}}, []string{"rollback", "b", "--undo"}, decision},
		{"undo of a pending chapter", manual, [][]string{run, {"rollback", "b", "--to-chapter", "1"}}, []string{"rollback", "b", "--undo"}, decision},
	}
}

// outcome is a book and what was paid for it.
type outcome struct {
	Book map[string]string
	Paid map[string]int
}

func (s *shell) outcome() outcome { return outcome{s.book(), s.paid("novel-b")} }

// TestBookKilledWhileItIsMended kills what mends a book just before and after everything that becomes durable. The book is then as
// it was or as it was meant to be, and so is what it goes on to, for the same calls.
func TestBookKilledWhileItIsMended(t *testing.T) {
	for _, r := range repairs() {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			p := newBook(t, r.book...)
			s := &shell{t: t, dir: p.dir}
			for _, args := range r.lead {
				s.mend(append([]string{"--rehearsal", p.rules, "novel"}, args...)...)
			}
			killedRepairs(t, p, r)
		})
	}
}

func killedRepairs(t *testing.T, p *planned, r repair) {
	t.Helper()
	args := append([]string{"--rehearsal", p.rules, "novel"}, r.args...)
	untouched := p.copied(t)
	before := untouched.book()
	on := []string{"--rehearsal", p.rules, "novel", "run", "b"}
	untouched.mend(on...)
	points, whole := p.mended(t, args...)
	after := whole.book()
	whole.mend(on...)
	without, with := untouched.outcome(), whole.outcome()
	if points < 4 || cmp.Equal(before, after) || cmp.Equal(without, with) {
		t.Fatalf("%d points are too few to crash, or nothing is mended", points)
	}
	t.Logf("%d points", points)
	some := 1
	if r.sort == work {
		some = 2
	}
	for _, at := range sample(t, points, some) {
		t.Run(fmt.Sprintf("point %d of %d", at, points), func(t *testing.T) {
			t.Parallel()
			s := p.killed(t, at, args...)
			s.gateAsFile()
			s.mustRun(0, "doctor")
			if now := s.book(); r.sort == decision && !cmp.Equal(now, before) && !cmp.Equal(now, after) {
				t.Errorf("the book is neither as it was nor as it was meant to be (-want +got):\n%s", cmp.Diff(after, now))
			}
			s.untouchedBut(before, after)
			isRepeated := r.sort == lone && cmp.Equal(s.book(), before) || r.sort == work && at%2 == 1 && !cmp.Equal(s.book(), after)
			if isRepeated {
				s.mend(args...)
			}
			s.mend(on...)
			s.gateAsFile()
			got := s.outcome()
			isDone := cmp.Equal(got, with)
			if !isDone && !cmp.Equal(got, without) {
				t.Errorf("the book goes on to neither end (-want +got):\n%s", cmp.Diff(with, got))
			}
			if isSure := isRepeated || at == points; isSure && !isDone || !isRepeated && at == 1 && isDone {
				t.Errorf("at this point it is done: %v, after it was given again: %v", isDone, isRepeated)
			}
			s.mustRun(0, "verify")
			s.mustRun(0, "doctor")
		})
	}
}

// mended counts the points of a command that may end with a chapter that waits.
func (p *planned) mended(t *testing.T, args ...string) (int, *shell) {
	t.Helper()
	s := p.copied(t)
	fuse := filepath.Join(t.TempDir(), "fuse")
	s.env = []string{"SLUICE_E2E_FUSE=" + fuse, "SLUICE_E2E_AT=-1"}
	s.mend(args...)
	s.env = nil
	return len(mustRead(fuse)), s
}

// mend runs a command that may end with a chapter that waits.
func (s *shell) mend(args ...string) {
	s.t.Helper()
	if code, out, errs := s.run("", args...); code != 0 && code != 4 {
		s.t.Fatalf("%v: %d\n%s%s", args, code, out, errs)
	}
}

// gateAsFile wants the gate to say of every chapter what its revision file says.
func (s *shell) gateAsFile() {
	s.t.Helper()
	var status struct {
		Blocked  *int `json:"blocked_chapter"`
		Chapters []struct {
			Number   int                   `json:"chapter_number"`
			Revision bookdoc.RevisionState `json:"revision"`
			Written  bool                  `json:"written"`
		}
	}
	s.decode(&status, "novel", "status", "b")
	blocked := 0
	for _, c := range status.Chapters {
		var file bookdoc.RevisionStatus
		body := mustRead(filepath.Join(s.dir, "projects/b", filepath.FromSlash(bookdoc.RevisionFile(c.Number))))
		if body != nil && json.Unmarshal(body, &file) != nil {
			s.t.Errorf("the revision of chapter %d is no JSON: %s", c.Number, body)
		}
		if file.Status != c.Revision {
			s.t.Errorf("the revision of chapter %d is %q in its file and %q in the journal", c.Number, file.Status, c.Revision)
		}
		if c.Written != (s.chapterBody(c.Number) != "") {
			s.t.Errorf("chapter %d is written: %v, and its file says otherwise", c.Number, c.Written)
		}
		if file.Status == bookdoc.RevisionPending && blocked == 0 {
			blocked = c.Number
		}
	}
	if got := status.Blocked; got == nil && blocked != 0 || got != nil && *got != blocked {
		s.t.Errorf("the gate is shut at %v, and by the files at %d", got, blocked)
	}
}

// untouchedBut wants every chapter to be one of the two that there are, and those that do not differ to be untouched.
func (s *shell) untouchedBut(before, after map[string]string) {
	s.t.Helper()
	now := s.book()
	all := maps.Clone(before)
	maps.Copy(all, after)
	for name := range all {
		if isText, _ := filepath.Match("chapters/chapter_???.json", name); isText && now[name] != before[name] && now[name] != after[name] {
			s.t.Errorf("%s is neither as it was nor as it was meant to be:\n%s", name, now[name])
		}
	}
}

// TestBookKilledWhileADecisionIsMadeBesideADrive kills the applying of a candidate while another process writes another chapter:
// that one goes on, and the candidate is applied or still waits.
func TestBookKilledWhileADecisionIsMadeBesideADrive(t *testing.T) {
	t.Parallel()
	first := newPendingThird(t)
	candidate, err := bookdoc.Encode(*first.revision(3).RevisedChapter)
	if err != nil {
		t.Fatal(err)
	}
	p := &planned{dir: first.dir}
	for _, at := range sample(t, besidePoints(t, p), 1) {
		t.Run(fmt.Sprintf("point %d", at), func(t *testing.T) {
			t.Parallel()
			m, drive, _ := appliedBeside(t, p, at)
			drive.end(0)
			m.gateAsFile()
			m.mustRun(0, "doctor")
			if m.revision(3).Status == bookdoc.RevisionPending {
				m.real(0, "novel", "apply", "b", "3")
			} else {
				m.real(5, "novel", "apply", "b", "3")
			}
			if diff := cmp.Diff(string(candidate), m.chapterBody(3)); diff != "" {
				t.Errorf("chapter 3 is not what was applied (-want +got):\n%s", diff)
			}
			m.real(0, "novel", "run", "b")
			for key, n := range m.paid("novel-b") {
				if n > 1 {
					t.Errorf("call %s was paid for %d times", key, n)
				}
			}
			m.soundBook()
		})
	}
}

// besidePoints counts the points of an apply beside a drive.
func besidePoints(t *testing.T, p *planned) int {
	t.Helper()
	_, drive, points := appliedBeside(t, p, -1)
	drive.end(0)
	if points < 6 {
		t.Fatalf("%d points are too few to crash", points)
	}
	t.Logf("%d points", points)
	return points
}

// appliedBeside applies the candidate of the third chapter beside a process that writes the first anew and waits, and kills it at
// a point.
func appliedBeside(t *testing.T, p *planned, at int) (mixed, *busy, int) {
	t.Helper()
	m := mixed{p.copied(t), newAuthor(t)}
	drive := m.drive("scene-text", 2, "novel", "regen", "b", "1")
	fuse := filepath.Join(t.TempDir(), "fuse")
	m.env = append(m.author.realEnv(), "SLUICE_E2E_FUSE="+fuse, fmt.Sprintf("SLUICE_E2E_AT=%d", at))
	apply := m.command(t.Context(), "", "novel", "apply", "b", "3")
	m.env = nil
	if out, err := apply.CombinedOutput(); (apply.ProcessState.ExitCode() == -1) != (at > 0) {
		t.Fatalf("the process was killed at a point, or was not: %v\n%s", err, out)
	}
	return m, drive, len(mustRead(fuse))
}
