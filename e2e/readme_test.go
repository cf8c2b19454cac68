package e2e

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the transcript into README.md")

const (
	transcriptBegin = "<!-- transcript: sluice demo -->\n```text\n"
	transcriptEnd   = "```\n<!-- end -->"
)

// TestReadmeTranscript runs the README's first command and compares what it prints with what the README says.
func TestReadmeTranscript(t *testing.T) {
	s := &shell{t: t, dir: t.TempDir()}
	cmd := s.command(t.Context(), "", "demo")
	var seen bytes.Buffer
	cmd.Stdout, cmd.Stderr = &seen, &seen
	if err := cmd.Run(); err != nil {
		t.Fatalf("sluice demo: %v\n%s", err, seen.String())
	}
	real, err := filepath.EvalSymlinks(s.dir)
	if err != nil {
		t.Fatal(err)
	}
	got := strings.NewReplacer(real+string(filepath.Separator), "", s.dir+string(filepath.Separator), "").Replace(seen.String())
	got = regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ`).ReplaceAllString(got, "2026-11-15 09:30:00Z")
	got, _, _ = strings.Cut(strings.TrimLeft(got, "\n"), "\n# The scene line") // what follows names times in its ids

	file := filepath.Join("..", "README.md")
	readme := string(mustRead(file))
	before, rest, ok := strings.Cut(readme, transcriptBegin)
	want, after, ok2 := strings.Cut(rest, transcriptEnd)
	if !ok || !ok2 {
		t.Fatal("README.md has no place for the transcript")
	}
	if *update {
		if err := os.WriteFile(file, []byte(before+transcriptBegin+got+transcriptEnd+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("README.md says otherwise (-README +sluice demo); go test ./e2e -run Readme -update writes it:\n%s", diff)
	}
}
