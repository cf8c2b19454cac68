package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// commands are the words that scripts have besides those of testscript.
func commands() map[string]func(*testscript.TestScript, bool, []string) {
	all := map[string]func(*testscript.TestScript, bool, []string){
		"jsonenv": jsonEnv,
		"jsonhas": jsonHas,
		"samedoc": sameDoc,
		"states":  validStates,
		"status":  wantStatus,
	}
	maps.Copy(all, taskCommands())
	maps.Copy(all, specCommands())
	maps.Copy(all, novelCommands())
	maps.Copy(all, keepCommands())
	return all
}

// jsonEnv sets variables from the JSON document of the last stdout: jsonenv ASK=asks.0.ask …
func jsonEnv(ts *testscript.TestScript, neg bool, args []string) {
	doc := lastJSON(ts)
	for _, a := range args {
		name, path, ok := strings.Cut(a, "=")
		if neg || !ok {
			ts.Fatalf("usage: jsonenv NAME=path…")
		}
		v, ok := lookup(doc, path)
		if !ok {
			ts.Fatalf("stdout has nothing at %s", path)
		}
		ts.Setenv(name, fmt.Sprint(v))
	}
}

// jsonHas compares values of the last stdout: jsonhas path=value …; the value may be empty for "there, whatever it is".
func jsonHas(ts *testscript.TestScript, neg bool, args []string) {
	doc := lastJSON(ts)
	for _, a := range args {
		path, want, compare := strings.Cut(a, "=")
		v, ok := lookup(doc, path)
		holds := ok && (!compare || fmt.Sprint(v) == want)
		if holds == neg {
			ts.Fatalf("stdout has %v at %s (there: %v), and %q was wanted: %v", v, path, ok, want, !neg)
		}
	}
}

// sameDoc compares two JSON documents, the order of their keys included: samedoc A B; a name may be stdout.
func sameDoc(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: samedoc A B")
	}
	var docs [2]bytes.Buffer
	for i, name := range args {
		if err := json.Compact(&docs[i], []byte(ts.ReadFile(name))); err != nil {
			ts.Fatalf("%s is no JSON: %v", name, err)
		}
	}
	if same := docs[0].String() == docs[1].String(); same == neg {
		ts.Fatalf("%s\n%s\n%s\n%s", args[0], docs[0].String(), args[1], docs[1].String())
	}
}

// validStates checks every state document of the workspace with a validator that is not ours: states COUNT.
func validStates(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: states COUNT")
	}
	schema, err := jsonschema.NewCompiler().Compile(ts.Getenv("SCHEMAS") + "/workflow-state.schema.json")
	ts.Check(err)
	found := 0
	for _, pattern := range []string{"workspace/workflow-state/*.json", "workspace/sessions/*/workflow-state/*.json"} {
		files, err := filepath.Glob(ts.MkAbs(pattern))
		ts.Check(err)
		for _, file := range files {
			if filepath.Base(file) == "index.json" {
				continue
			}
			doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(mustRead(file)))
			ts.Check(err)
			if err := schema.Validate(doc); err != nil {
				ts.Fatalf("%s: %v", file, err)
			}
			found++
		}
	}
	if fmt.Sprint(found) != args[0] {
		ts.Fatalf("there are %d state documents, want %s", found, args[0])
	}
}

// wantStatus runs a command and wants one exit code: status 4 sluice run r1.
func wantStatus(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status CODE command args…")
	}
	err := ts.Exec(args[1], args[2:]...)
	got := "0"
	if err != nil {
		got = strings.TrimPrefix(err.Error(), "exit status ")
	}
	if got != args[0] {
		ts.Fatalf("%s ended with %s, want %s", strings.Join(args[1:], " "), got, args[0])
	}
}

func lastJSON(ts *testscript.TestScript) any {
	var doc any
	if err := json.Unmarshal([]byte(ts.ReadFile("stdout")), &doc); err != nil {
		ts.Fatalf("stdout is not one JSON document: %v", err)
	}
	return doc
}

func lookup(doc any, path string) (any, bool) {
	for _, key := range strings.Split(path, ".") {
		switch v := doc.(type) {
		case map[string]any:
			next, ok := v[key]
			if !ok {
				return nil, false
			}
			doc = next
		case []any:
			var i int
			if key == "#" {
				doc = len(v)
				continue
			}
			if _, err := fmt.Sscan(key, &i); err != nil || i < 0 || i >= len(v) {
				return nil, false
			}
			doc = v[i]
		default:
			return nil, false
		}
	}
	return doc, true
}

func mustRead(path string) []byte {
	body, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	return body
}
