package e2e

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// specCommands are the words for scripts of the spec line.
func specCommands() map[string]func(*testscript.TestScript, bool, []string) {
	return map[string]func(*testscript.TestScript, bool, []string){"nul": writeNUL, "records": validRecords}
}

// validRecords checks every snapshot, piece of evidence and spec version of the workspace with a validator that is not
// ours, and how many there are: records SNAPSHOTS VERSIONS.
func validRecords(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: records SNAPSHOTS VERSIONS")
	}
	count := func(schema, pattern string) string {
		c := jsonschema.NewCompiler()
		c.AssertFormat()
		compiled, err := c.Compile(ts.Getenv("SCHEMAS") + "/" + schema + ".schema.json")
		ts.Check(err)
		files, err := filepath.Glob(ts.MkAbs(pattern))
		ts.Check(err)
		for _, file := range files {
			doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(mustRead(file)))
			ts.Check(err)
			if err := compiled.Validate(doc); err != nil {
				ts.Fatalf("%s: %v", file, err)
			}
		}
		return fmt.Sprint(len(files))
	}
	if got := count("step-snapshot", "snapshots/*/*.json"); got != args[0] {
		ts.Fatalf("there are %s snapshots, want %s", got, args[0])
	}
	if got := count("canonical-spec", "specs/*/*.json"); got != args[1] {
		ts.Fatalf("there are %s spec versions, want %s", got, args[1])
	}
	if count("evidence", "evidence/*.json") == "0" {
		ts.Fatalf("there is no evidence")
	}
}

// writeNUL puts a NUL byte behind a file's text, which a script cannot hold: nul FILE.
func writeNUL(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: nul FILE")
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), append([]byte(ts.ReadFile(args[0])), 0), 0o644))
}
