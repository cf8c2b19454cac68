package bookfile

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
)

var complaint = regexp.MustCompile(`(?m)^(ERROR|WARNING|FATAL|USAGE)`)

// checker gives the command that checks a file. Debian installs the program as a jar that not every kernel can start by
// itself.
func checker(t *testing.T) []string {
	t.Helper()
	program, err := exec.LookPath("epubcheck")
	if err != nil {
		t.Skip("SKIP-TOOL: epubcheck is missing: install the package epubcheck")
	}
	file, err := os.Open(program)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	magic := make([]byte, 2)
	if _, err := file.Read(magic); err != nil || string(magic) != "PK" {
		return []string{program}
	}
	java, err := exec.LookPath("java")
	if err != nil {
		t.Skip("SKIP-TOOL: java is missing: install the package default-jre-headless")
	}
	return []string{java, "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto", "-jar", program}
}

// TestEPUBCheck asks the standard's own checker: it finds no error and warns of nothing.
func TestEPUBCheck(t *testing.T) {
	if testing.Short() {
		t.Skip("epubcheck starts a Java machine per book")
	}
	command := checker(t)
	dir := t.TempDir()
	for name, b := range books(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(dir, name+".epub")
			if err := os.WriteFile(file, mustRender(t, b, EPUB), 0o600); err != nil {
				t.Fatal(err)
			}
			out, err := exec.Command(command[0], append(command[1:len(command):len(command)], file)...).CombinedOutput()
			if err != nil || complaint.Match(out) {
				t.Errorf("epubcheck: %v\n%s", err, out)
			}
		})
	}
}
