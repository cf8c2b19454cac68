package e2e

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// novelCommands are the words of scripts about books.
func novelCommands() map[string]func(*testscript.TestScript, bool, []string) {
	return map[string]func(*testscript.TestScript, bool, []string){"edit": edit, "logged": logged, "reformat": reformat}
}

// logged looks for a line in the program's log: logged PATTERN.
func logged(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: logged PATTERN")
	}
	want, err := regexp.Compile("(?m)" + args[0])
	ts.Check(err)
	files, err := filepath.Glob(ts.MkAbs(".sluice/log/*.log"))
	ts.Check(err)
	found := false
	for _, f := range files {
		found = found || want.Match(mustRead(f))
	}
	if found == neg {
		ts.Fatalf("the log has %q: %v", args[0], found)
	}
}

// edit replaces text in a file, as a person would: edit FILE OLD NEW.
func edit(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: edit FILE OLD NEW")
	}
	body := ts.ReadFile(args[0])
	if !strings.Contains(body, args[1]) {
		ts.Fatalf("%s has no %q:\n%s", args[0], args[1], body)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.Replace(body, args[1], args[2], 1)), 0o644))
}

// reformat writes a JSON document on one line: reformat FILE.
func reformat(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: reformat FILE")
	}
	var b bytes.Buffer
	ts.Check(json.Compact(&b, []byte(ts.ReadFile(args[0]))))
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), b.Bytes(), 0o644))
}
