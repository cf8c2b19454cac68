package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestBrokenFilesOfAFoundProject breaks documents of a project that came without a journal: there is no last good version to put
// back. Looking at it says what is wrong and touches nothing; a run makes what is missing, keeps the broken bytes and leaves every
// other document as it is. What may say pending counts as that.
func TestBrokenFilesOfAFoundProject(t *testing.T) {
	t.Parallel()
	want := (&shell{t: t, dir: halfBook(t).dir}).files("projects/b")
	empty := &planned{dir: newShell(t).dir}
	for i, file := range brokenFiles {
		t.Run(file.path, func(t *testing.T) {
			t.Parallel()
			for j, h := range harms {
				if (i+j)%3 != 0 || testing.Short() && (i+j)%6 != 0 {
					continue
				}
				s := empty.copied(t)
				s.lay("projects/b", want)
				s.found(file.path, h.name, h.harm(want[file.path], file.needs), h.readable, want)
			}
		})
	}
}

// lay puts documents into a directory.
func (s *shell) lay(below string, files map[string]string) {
	s.t.Helper()
	for name, body := range files {
		if strings.HasPrefix(name, ".versions/") || strings.HasSuffix(name, ".txt") {
			continue
		}
		if err := os.MkdirAll(filepath.Join(s.dir, below, filepath.Dir(name)), 0o755); err != nil {
			s.t.Fatal(err)
		}
		s.write(filepath.Join(below, name), body)
	}
}

// found breaks a document, looks at the project, and lets it go on.
func (s *shell) found(file, name, body string, readable bool, want map[string]string) {
	s.t.Helper()
	s.write("projects/b/"+file, body)
	_, errs := s.mustRun(0, "novel", "status", "b")
	isWhole := readable || file == "settings.json" && name == "without a field"
	if isTold := strings.Contains(errs, "warning") && strings.Contains(errs, filepath.Base(file)); !isTold && !isWhole {
		s.t.Errorf("%s %s: nobody is told\n%s", file, name, errs)
	}
	views := []string{"chapter_memory.json", "consistency_reports.json"} // they show what was taken over
	if got := s.files("projects/b")[file]; got != body && !isWhole && !slices.Contains(views, file) {
		s.t.Errorf("%s %s: looking at it changed it", file, name)
	}
	code, out, errs := s.run("", "--json", "novel", "run", "b", "--chapters", "1")
	if code != 4 || strings.Contains(out+errs, "panic") { // chapter 1 waits, whatever else is wrong
		s.t.Errorf("%s %s: the run ended with %d\n%s%s", file, name, code, clip(out), clip(errs))
	}
	isKept := isWhole
	for _, at := range []string{"projects/b", ".sluice/kept"} {
		for _, b := range s.files(at) {
			isKept = isKept || b == body
		}
	}
	if !isKept {
		s.t.Errorf("%s %s: the broken bytes are gone", file, name)
	}
	got := s.files("projects/b")
	for path, b := range want {
		if path != file && !slices.Contains(views, path) && !strings.HasPrefix(path, ".versions/") && !strings.HasSuffix(path, ".txt") && got[path] != b {
			s.t.Errorf("%s %s: %s was touched", file, name, path)
		}
	}
	s.mustRun(0, "doctor")
}
