package e2e

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"strings"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"github.com/rogpeppe/go-internal/testscript"
)

// specCommands are the words for scripts of the spec line.
func specCommands() map[string]func(*testscript.TestScript, bool, []string) {
	all := map[string]func(*testscript.TestScript, bool, []string){"nul": writeNUL, "edit": editFile, "utf16": writeUTF16,
		"records": validRecords, "filehas": fileHas, "fileenv": fileEnv, "samefields": sameFields}
	maps.Copy(all, targetCommands())
	return all
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

// editFile changes words of a file, as a person with an editor would: edit FILE OLD NEW.
func editFile(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: edit FILE OLD NEW")
	}
	body := ts.ReadFile(args[0])
	if !strings.Contains(body, args[1]) {
		ts.Fatalf("%s does not hold %q", args[0], args[1])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.ReplaceAll(body, args[1], args[2])), 0o644))
}

// writeUTF16 turns a file of UTF-8 into little-endian UTF-16 with its mark: utf16 FILE.
func writeUTF16(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: utf16 FILE")
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), inUTF16(ts.ReadFile(args[0])), 0o644))
}

func inUTF16(text string) []byte {
	body := []byte{0xff, 0xfe}
	for _, unit := range utf16.Encode([]rune(text)) {
		body = binary.LittleEndian.AppendUint16(body, unit)
	}
	return body
}

func fileJSON(ts *testscript.TestScript, name string) any {
	var doc any
	if err := json.Unmarshal([]byte(ts.ReadFile(name)), &doc); err != nil {
		ts.Fatalf("%s is no JSON: %v", name, err)
	}
	return doc
}

// fileHas compares values of a JSON file: filehas FILE path=value …; null is a value.
func fileHas(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: filehas FILE path=value…")
	}
	doc := fileJSON(ts, args[0])
	for _, a := range args[1:] {
		path, want, _ := strings.Cut(a, "=")
		v, ok := lookup(doc, path)
		got := fmt.Sprint(v)
		if ok && v == nil {
			got = "null"
		}
		if (ok && got == want) == neg {
			ts.Fatalf("%s has %s at %s (there: %v), and %q was wanted: %v", args[0], got, path, ok, want, !neg)
		}
	}
}

// fileEnv sets variables from a JSON file: fileenv FILE NAME=path…
func fileEnv(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: fileenv FILE NAME=path…")
	}
	doc := fileJSON(ts, args[0])
	for _, a := range args[1:] {
		name, path, _ := strings.Cut(a, "=")
		v, ok := lookup(doc, path)
		if !ok || v == nil {
			ts.Fatalf("%s has nothing at %s", args[0], path)
		}
		ts.Setenv(name, fmt.Sprint(v))
	}
}

// sameFields wants parts of two JSON files to be the same: samefields A B path…
func sameFields(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 3 {
		ts.Fatalf("usage: samefields A B path…")
	}
	a, b := fileJSON(ts, args[0]), fileJSON(ts, args[1])
	for _, path := range args[2:] {
		va, oka := lookup(a, path)
		vb, okb := lookup(b, path)
		if same := oka == okb && cmp.Equal(va, vb); same == neg {
			ts.Fatalf("%s and %s at %s (there: %v, %v):\n%s", args[0], args[1], path, oka, okb, cmp.Diff(va, vb))
		}
	}
}
