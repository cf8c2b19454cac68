package e2e

import (
	"os"

	"github.com/rogpeppe/go-internal/testscript"
)

// specCommands are the words for scripts of the spec line.
func specCommands() map[string]func(*testscript.TestScript, bool, []string) {
	return map[string]func(*testscript.TestScript, bool, []string){"nul": writeNUL, "records": validRecords}
}

// validRecords checks every snapshot, piece of evidence and spec version of the workspace, each by itself with a validator
// that is not ours and all against each other, and how many there are: records SNAPSHOTS VERSIONS.
func validRecords(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: records SNAPSHOTS VERSIONS")
	}
	ts.Check(wantRecords(ts.MkAbs("."), ts.Getenv("SCHEMAS"), args...))
}

// writeNUL puts a NUL byte behind a file's text, which a script cannot hold: nul FILE.
func writeNUL(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: nul FILE")
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), append([]byte(ts.ReadFile(args[0])), 0), 0o644))
}
