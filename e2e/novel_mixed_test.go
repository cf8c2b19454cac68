package e2e

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/internal/app"
)

// mixed is a book that a real author and rehearsal write in turns.
type mixed struct {
	*shell
	author *author
}

func newMixed(t *testing.T, flags ...string) mixed {
	t.Helper()
	m := mixed{newShell(t, authorPrice), newAuthor(t)}
	m.mustRun(0, append([]string{"novel", "new", "b", "--premise", "A keeper finds a door in the sea", "--chapters", "4", "--words-per-scene", "20"}, flags...)...)
	return m
}

// real runs a command with the author's key.
func (m mixed) real(want int, args ...string) string {
	m.t.Helper()
	m.env = m.author.realEnv()
	out, errs := m.mustRun(want, args...)
	m.env = []string{authorPrice}
	return out + errs
}

// wantStatus wants exactly these chapters of a real book to be labelled in its status.
func (m mixed) wantStatus(want ...int) {
	m.t.Helper()
	var status struct {
		Rehearsal bool
		Chapters  []int `json:"rehearsal_chapters"`
	}
	m.decode(&status, "novel", "status", "b")
	if status.Rehearsal || !slices.Equal(status.Chapters, want) {
		m.t.Errorf("status labels all: %v, chapters: %v; want %v", status.Rehearsal, status.Chapters, want)
	}
}

// wantRehearsed wants exactly these chapters of a real book to be labelled, wherever they are shown.
func (m mixed) wantRehearsed(want ...int) {
	m.t.Helper()
	m.wantStatus(want...)
	out, _ := m.mustRun(0, "novel", "status", "b")
	for row := range strings.Lines(out) {
		if f := strings.Fields(row); len(f) > 1 && (f[1] == "yes" || f[1] == "-") {
			n, err := strconv.Atoi(f[0])
			if got := strings.Contains(row, "rehearsal"); err != nil || got != slices.Contains(want, n) {
				m.t.Errorf("a row of status is labelled %v: %s", got, row)
			}
		}
	}
	for _, format := range []string{"txt", "md", "epub", "json"} {
		file := "out/b." + format
		var doc app.NovelExportDoc
		m.decode(&doc, "novel", "export", "b", "--format", format, "-o", file)
		if doc.Rehearsal || !slices.Equal(doc.Rehearsed, want) {
			m.t.Errorf("the export as %s labels all: %v, chapters: %v; want %v", format, doc.Rehearsal, doc.Rehearsed, want)
		}
		got := labelled(m.t, format, mustRead(filepath.Join(m.dir, file)))
		if !slices.Equal(got, want) {
			m.t.Errorf("%s has labels at %v, want %v", file, got, want)
		}
	}
	var books app.NovelListDoc
	m.decode(&books, "novel", "list")
	if len(books.Projects) != 1 || books.Projects[0].Rehearsal {
		m.t.Errorf("the list shows a real book as %+v", books.Projects)
	}
}

func (s *shell) decode(into any, args ...string) {
	s.t.Helper()
	out, _ := s.mustRun(0, append([]string{"--json"}, args...)...)
	if err := json.Unmarshal([]byte(out), into); err != nil {
		s.t.Fatalf("%v\n%s", err, out)
	}
}

var tideHeading = regexp.MustCompile(`(?m)^(?:## <a id="[^"]*"></a>)?Chapter (\d+)\b`)

// labelled finds the chapters of an export that carry the label of rehearsal.
func labelled(t *testing.T, format string, body []byte) (chapters []int) {
	t.Helper()
	switch format {
	case "json":
		var doc struct {
			Chapters []int `json:"rehearsal_chapters"`
		}
		if err := json.Unmarshal(body, &doc); err != nil {
			t.Fatal(err)
		}
		return doc.Chapters
	case "epub":
		return labelledPages(t, body)
	}
	text := string(body)
	at := tideHeading.FindAllStringSubmatchIndex(text, -1)
	for i, m := range at {
		end := len(text)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		if strings.Contains(text[m[0]:end], "REHEARSAL") {
			n, _ := strconv.Atoi(text[m[2]:m[3]])
			chapters = append(chapters, n)
		}
	}
	return chapters
}

var pageTitle = regexp.MustCompile(`<title>Chapter (\d+)\b`)

func labelledPages(t *testing.T, body []byte) (chapters []int) {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(body), int64(len(body)))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		page, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if m := pageTitle.FindSubmatch(page); m != nil && bytes.Contains(page, []byte("REHEARSAL")) {
			n, _ := strconv.Atoi(string(m[1]))
			chapters = append(chapters, n)
		}
	}
	slices.Sort(chapters)
	return chapters
}

// wantAccounts wants the cost to be the author's alone, and the tokens those of all who answered.
func (m mixed) wantAccounts() {
	m.t.Helper()
	var calls app.CallsDoc
	m.decode(&calls, "calls", "novel-b")
	tokens, real := 0, 0
	for _, c := range calls.Calls {
		isReal := c.Provider != "rehearsal"
		switch {
		case c.Outcome != "answered":
		case isReal && (c.InputTokens != authorIn || c.OutputTokens != authorOut || c.Cost == nil || !near(*c.Cost, authorCost)):
			m.t.Errorf("a call of the author is accounted for as %+v", c)
		case !isReal && c.Cost != nil && *c.Cost != 0:
			m.t.Errorf("a call of rehearsal has a price: %+v", c)
		default:
			tokens += c.InputTokens + c.OutputTokens
			real += map[bool]int{true: 1}[isReal]
		}
	}
	if n := int(m.author.calls.Load()); real != n {
		m.t.Errorf("%d calls of the author are recorded, and it was asked %d times", real, n)
	}
	var status struct {
		Tokens int
		Cost   *float64
	}
	m.decode(&status, "novel", "status", "b")
	if status.Tokens != tokens || status.Cost == nil || !near(*status.Cost, float64(real)*authorCost) {
		m.t.Errorf("the book took %d tokens and cost %v; want %d and %d times %v", status.Tokens, status.Cost, tokens, real, authorCost)
	}
}

func near(a, b float64) bool { return a-b < 1e-9 && b-a < 1e-9 }

// TestABookOfARealAuthorAndRehearsal lets a real author begin a book and rehearsal go on: that is refused until it is said
// to be meant, and then exactly what rehearsal wrote is labelled.
func TestABookOfARealAuthorAndRehearsal(t *testing.T) {
	t.Parallel()
	m := newMixed(t, "--logic-review", "blocking")
	m.real(0, "novel", "run", "b", "--chapters", "1,2")
	m.wantRehearsed()
	before, paid := m.files("projects"), m.paid("novel-b")

	// Somebody who forgot the key writes nothing into it, whatever the verb.
	for _, args := range [][]string{{"run", "b"}, {"run", "b", "--chapters", "3"}, {"step", "b", "text", "--chapters", "1", "--force"}, {"regen", "b", "2"},
		{"scene", "generate", "b", "1", "2"}, {"review", "b", "1", "--again"}, {"check", "b", "1", "--again"}, {"memory", "b", "--rebuild"}} {
		out, _ := m.mustRun(5, append([]string{"--json", "novel"}, args...)...)
		if !strings.Contains(out, `"provider_changed"`) || !slices.ContainsFunc(nextCommands(out), isMeant) {
			t.Errorf("%v: %s", args, out)
		}
	}
	if diff := cmp.Diff(before, m.files("projects")); diff != "" || !cmp.Equal(paid, m.paid("novel-b")) {
		t.Errorf("what was refused changed the book (-want +got):\n%s", diff)
	}
	out, _ := m.mustRun(5, "--json", "novel", "run", "b")
	at := slices.IndexFunc(nextCommands(out), isMeant)
	said, _ := m.mustRun(0, strings.Fields(nextCommands(out)[at])...)
	wantAll(t, said, "rehearsal: the text of chapters 3-4")
	m.wantRehearsed(3, 4)
	m.wantAccounts()
	after := m.files("projects")
	for _, n := range []int{1, 2} {
		if name := fmt.Sprintf("b/chapters/chapter_%03d.json", n); after[name] != before[name] {
			t.Errorf("%s is another", name)
		}
	}

	// What is written anew is labelled by who wrote it.
	m.real(0, "novel", "regen", "b", "3")
	m.wantStatus(4)
	m.mustRun(0, "--provider", "rehearsal", "novel", "regen", "b", "1")
	m.wantStatus(1, 4)
	m.mustRun(0, "--provider", "rehearsal", "novel", "scene", "generate", "b", "2", "1")
	m.wantStatus(1, 4)
	m.real(0, "novel", "scene", "merge", "b", "2")
	m.wantStatus(1, 2, 4)
	m.mustRun(0, "novel", "rollback", "b", "--to-chapter", "2")
	m.wantStatus(1)
	m.mustRun(0, "novel", "rollback", "b", "--undo")
	m.wantRehearsed(1, 2, 4)
	m.wantAccounts()
	m.mustRun(0, "verify")
	m.mustRun(0, "doctor")
}

// TestARealAuthorGoesOnAfterRehearsal kills rehearsal at the first scene and lets a real author go on with the same attempt: what
// the author wrote is not labelled, whether rehearsal had answered or not.
func TestARealAuthorGoesOnAfterRehearsal(t *testing.T) {
	for _, fail := range []string{"crash_before", "crash_after"} {
		t.Run(fail, func(t *testing.T) {
			t.Parallel()
			m := newMixed(t)
			script := m.write("killed.yaml", "- {agent: scene-text, calls: [1], fail: "+fail+"}\n")
			killed := m.command(t.Context(), "", "--rehearsal", script, "novel", "run", "b")
			if out, err := killed.CombinedOutput(); killed.ProcessState.ExitCode() != -1 {
				t.Fatalf("the process was not killed: %v\n%s", err, out)
			}
			var books app.NovelListDoc
			if m.decode(&books, "novel", "list"); !books.Projects[0].Rehearsal {
				t.Errorf("what was rehearsed so far is listed as %+v", books.Projects[0])
			}
			m.real(0, "novel", "run", "b", "--chapters", "1")
			m.wantRehearsed()
			m.mustRun(0, "--provider", "rehearsal", "novel", "run", "b", "--chapters", "2")
			m.wantRehearsed(2)
			m.wantAccounts()
			m.mustRun(0, "doctor")
		})
	}
}

// TestAForgottenKeyFindsAnOpenAttempt kills a real author's process while a scene is being written: somebody without the key does
// not end that scene by rehearsal.
func TestAForgottenKeyFindsAnOpenAttempt(t *testing.T) {
	t.Parallel()
	m := newMixed(t)
	m.real(0, "novel", "run", "b", "--chapters", "1")
	drive := m.drive("scene-text", 1, "novel", "run", "b", "--chapters", "2")
	drive.kill()
	m.mustRun(0, "novel", "status", "b") // what was recorded is put in place
	before := m.files("projects")
	out, _ := m.mustRun(5, "--json", "novel", "run", "b")
	if diff := cmp.Diff(before, m.files("projects")); diff != "" || !strings.Contains(out, `"provider_changed"`) {
		t.Errorf("a scene was rehearsed (-want +got):\n%s\n%s", diff, out)
	}
	m.real(0, "novel", "run", "b", "--chapters", "2")
	m.wantRehearsed()
	m.mustRun(0, "doctor")
}

// TestADecisionNeedsNoKey decides about the revision of a real book where the author cannot be asked: the decision stands, and
// what must be asked for waits until the book goes on.
func TestADecisionNeedsNoKey(t *testing.T) {
	t.Parallel()
	m := newMixed(t, "--revision-policy", "manual_confirm")
	m.author.says("consistency", `{"summary":"noon before dawn","issues":[{"issue_type":"timeline","description":"noon before dawn","related_characters":[],"related_events":[],"severity":"low","fix_instructions":"begin at dawn"}]}`)
	m.real(4, "novel", "run", "b")
	out, _ := m.mustRun(5, "--json", "novel", "candidate", "b", "1")
	if !strings.Contains(out, `"provider_changed"`) || !slices.Contains(nextCommands(out), "novel candidate b 1 --provider rehearsal") {
		t.Errorf("a candidate: %s", out)
	}
	calls := m.author.calls.Load()
	_, errs := m.mustRun(0, "novel", "apply", "b", "1")
	wantAll(t, errs, "the memory of chapter 1 is recorded when the book goes on")
	if n := m.author.calls.Load(); n != calls {
		t.Errorf("the author was asked %d times", n-calls)
	}
	if text := string(mustRead(filepath.Join(m.dir, "projects/b/chapters/chapter_001.json"))); !strings.Contains(text, "Mara revised the morning") {
		t.Errorf("the candidate is not the text: %s", text)
	}
	m.real(0, "novel", "run", "b")
	m.wantRehearsed()
	m.soundBook()
}

// isMeant tells of a command that says that rehearsal is meant.
func isMeant(command string) bool { return strings.Contains(command, "--provider rehearsal") }
