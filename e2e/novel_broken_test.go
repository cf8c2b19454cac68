package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// brokenFiles are the documents of a book, each with a field that its model needs. Scenes stand alone only while their
// chapter is incomplete: chapter 2 is.
var brokenFiles = []struct{ path, needs string }{
	{"settings.json", "target_chapters"},
	{"world.json", "world_name"},
	{"theme_conflict.json", "core_theme"},
	{"characters.json", "protagonist"},
	{"outline.json", "chapters"},
	{"chapters/chapter_001_plan.json", "scenes"},
	{"chapters/chapter_001.json", "scenes"},
	{"chapters/scene_002_001.json", "content"},
	{"chapters/chapter_001_revision.json", "status"},
	{"chapter_memory.json", "chapter_number"},
	{"consistency_reports.json", "chapter_number"},
	{"reviews/chapter_001_logic_review.json", "overall_score"},
}

// harms are the ways in which a document is broken. One that leaves it readable is fine: nothing may be lost then either.
var harms = []struct {
	name     string
	harm     func(body, needs string) string
	readable bool
}{
	{"truncated", func(b, _ string) string { return b[:len(b)/2] }, false},
	{"empty", func(string, string) string { return "" }, false},
	{"of the wrong type", func(string, string) string { return "\"a text\"\n" }, false},
	{"with a field of the wrong type", func(b, needs string) string {
		return strings.Replace(b, `"`+needs+`": `, `"`+needs+`": [{"x": [1]}], "was": `, 1)
	}, false},
	{"without a field", func(b, needs string) string {
		return strings.Replace(b, `"`+needs+`": `, `"another": `, 1)
	}, false},
	{"of 10 MB", func(b, _ string) string { return "[" + strings.Repeat("[", 10<<20) }, false},
	{"with a byte order mark", func(b, _ string) string { return "\ufeff" + b }, true},
	{"with CRLF", func(b, _ string) string { return strings.ReplaceAll(b, "\n", "\r\n") }, true},
}

// halfBook is a book whose first chapter is pending and whose second has its first scene.
func halfBook(t *testing.T) *planned {
	t.Helper()
	s := newShell(t)
	p := &planned{dir: s.dir, rules: s.write("rules.yaml", "- {agent: logic-review, when: {chapter_number: 1}, reply: {overall_score: 10}}\n")}
	s.mustRun(0, "novel", "new", "b", "--premise", "A keeper finds a door in the sea", "--chapters", "2", "--words-per-scene", "20",
		"--logic-review", "blocking")
	s.mustRun(0, "--rehearsal", p.rules, "novel", "run", "b", "--until", "plan")
	s.mustRun(0, "--rehearsal", p.rules, "novel", "scene", "generate", "b", "2", "1")
	s.mustRun(4, "--rehearsal", p.rules, "novel", "run", "b", "--chapters", "1")
	return p
}

// TestBrokenFilesOfABook breaks every document of a book in every way: a clear warning or error, the broken bytes kept,
// nothing else touched and nothing paid for. Sluice wrote the documents, so that the last good version stands again.
func TestBrokenFilesOfABook(t *testing.T) {
	p := halfBook(t)
	want := (&shell{t: t, dir: p.dir}).files("projects/b")
	for _, file := range brokenFiles {
		if want[file.path] == "" || !strings.Contains(want[file.path], `"`+file.needs+`": `) {
			t.Fatalf("the book has no %s with %s", file.path, file.needs)
		}
		t.Run(file.path, func(t *testing.T) {
			t.Parallel()
			s := p.copied(t)
			for i, h := range harms {
				if testing.Short() && i%3 != 0 {
					continue
				}
				// Settings that are not given are as configured.
				readable := h.readable || file.path == "settings.json" && h.name == "without a field"
				s.broken(file.path, h.name, h.harm(want[file.path], file.needs), readable, want)
			}
		})
	}
}

// broken puts bytes in the place of a document and looks at what becomes of everything.
func (s *shell) broken(file, name, body string, readable bool, want map[string]string) {
	s.t.Helper()
	calls := len(s.paid("novel-b"))
	s.write("projects/b/"+file, body)
	code, out, errs := s.run("", "novel", "status", "b")
	if code == 1 || strings.Contains(out+errs, "unexpected") || strings.Contains(out+errs, "panic") {
		s.t.Errorf("%s %s: status ended with %d\n%s%s", file, name, code, out, errs)
	}
	if !readable && !strings.Contains(errs, filepath.Base(file)) {
		s.t.Errorf("%s %s: nobody is told\n%s", file, name, errs)
	}
	got := s.files("projects/b")
	kept := false
	for path, b := range got {
		if _, known := want[path]; !known {
			kept = kept || b == body
			delete(got, path)
			_ = os.Remove(filepath.Join(s.dir, "projects/b", filepath.FromSlash(path)))
		}
	}
	if !readable && !kept {
		s.t.Errorf("%s %s: the broken bytes are not kept among the versions", file, name)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		s.t.Errorf("%s %s: the book is not as before (-want +got):\n%s", file, name, clip(diff))
	}
	if now := len(s.paid("novel-b")); now != calls {
		s.t.Errorf("%s %s: %d calls were paid for", file, name, now-calls)
	}
}

func clip(text string) string {
	if len(text) > 2000 {
		return fmt.Sprintf("%s… (%d bytes)", text[:2000], len(text))
	}
	return text
}
