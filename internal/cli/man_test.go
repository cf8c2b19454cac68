package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestEveryCommandHasAManualPage(t *testing.T) {
	p := newPerson(t)
	p.env.Version.Date = "2026-01-02T03:04:05Z"
	p.must(0, "man", "pages")
	dir := filepath.Join(p.env.Dir, "pages")
	read := func(name string) string {
		t.Helper()
		body, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(body)
	}
	commands := manCommands(newKit(p.env).root())
	for _, c := range commands {
		page := read(strings.ReplaceAll(c.CommandPath(), " ", "-") + ".1")
		for _, want := range []string{`"2026\-01\-02" "sluice 1.2.3"`, ".SH NAME\n", ".SH SYNOPSIS\n", "\\-\\-json"} {
			if !strings.Contains(page, want) {
				t.Errorf("the page of %s lacks %s", c.CommandPath(), want)
			}
		}
		for line := range strings.Lines(page) {
			for _, r := range line {
				if r > 0x7e || r < ' ' && r != '\n' {
					t.Fatalf("the page of %s has %q in %q", c.CommandPath(), r, line)
				}
			}
		}
	}
	before := read("sluice-approve.1")
	p.env.Getenv = func(name string) string { return map[string]string{"SOURCE_DATE_EPOCH": "86400"}[name] }
	p.must(0, "man", "pages")
	if after := read("sluice-approve.1"); strings.Replace(before, `2026\-01\-02`, `1970\-01\-02`, 1) != after {
		t.Errorf("SOURCE_DATE_EPOCH gives another page than its date alone:\n%s", after)
	}
	code, _, stderr := p.types("man", "pages/sluice-man.1")
	if code != 1 || !strings.Contains(stderr, "next: sluice man DIR") {
		t.Errorf("a file instead of a directory: exit %d\n%s", code, stderr)
	}
}

// TestManualPagesAreWellFormed lets groff read every page and complain.
func TestManualPagesAreWellFormed(t *testing.T) {
	if _, err := exec.LookPath("groff"); err != nil {
		t.Skip("SKIP-TOOL: groff is missing: install the package groff-base")
	}
	p := newPerson(t)
	p.must(0, "man", "pages")
	pages, err := filepath.Glob(filepath.Join(p.env.Dir, "pages", "*.1"))
	if err != nil || len(pages) == 0 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	out, err := exec.Command("groff", append([]string{"-man", "-ww", "-z"}, pages...)...).CombinedOutput()
	if err != nil || len(out) > 0 {
		t.Errorf("groff says %v:\n%s", err, out)
	}
}

func TestTextForManualsIsShownAsItStands(t *testing.T) {
	for in, want := range map[string]string{
		"plain":           "plain",
		".sh runs":        `\&.sh runs`,
		"'sh' runs":       `\(aqsh\(aq runs`,
		`a\b --c`:         `a\eb \-\-c`,
		"NAME…":           `NAME\[u2026]`,
		"tilde ~ caret ^": `tilde \(ti caret \(ha`,
	} {
		if got := roff(in); got != want {
			t.Errorf("roff(%q) = %q, want %q", in, got, want)
		}
	}
}
