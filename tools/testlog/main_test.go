package main

import (
	"strings"
	"testing"
)

func TestShow(t *testing.T) {
	tests := []struct {
		name, in, out, missing string
	}{
		{"a package that passes is one line",
			`{"Action":"start","Package":"a"}
{"Action":"run","Package":"a","Test":"T"}
{"Action":"output","Package":"a","Test":"T","Output":"=== RUN   T\n"}
{"Action":"output","Package":"a","Test":"T","Output":"    a_test.go:1: chatter\n"}
{"Action":"output","Package":"a","Test":"T","Output":"--- PASS: T (0.00s)\n"}
{"Action":"pass","Package":"a","Test":"T"}
{"Action":"output","Package":"a","Output":"PASS\n"}
{"Action":"output","Package":"a","Output":"ok  \ta\t0.01s\n"}
{"Action":"pass","Package":"a"}
`, "ok  \ta\t0.01s\n", ""},
		{"no tests",
			`{"Action":"output","Package":"a","Output":"?   \ta\t[no test files]\n"}
{"Action":"skip","Package":"a"}
`, "?   \ta\t[no test files]\n", ""},
		{"of a package that fails, what failed",
			`{"Action":"output","Package":"a","Test":"Good","Output":"    quiet\n"}
{"Action":"pass","Package":"a","Test":"Good"}
{"Action":"output","Package":"a","Test":"Bad","Output":"=== RUN   Bad\n"}
{"Action":"output","Package":"a","Test":"Bad","Output":"    a_test.go:2: got 1, want 2\n"}
{"Action":"output","Package":"a","Test":"Bad","Output":"--- FAIL: Bad (0.00s)\n"}
{"Action":"fail","Package":"a","Test":"Bad"}
{"Action":"output","Package":"a","Output":"FAIL\n"}
{"Action":"output","Package":"a","Output":"FAIL\ta\t0.01s\n"}
{"Action":"fail","Package":"a"}
`, "    a_test.go:2: got 1, want 2\n--- FAIL: Bad (0.00s)\nFAIL\nFAIL\ta\t0.01s\n", ""},
		{"a panic cuts a test short",
			`{"Action":"output","Package":"a","Test":"T","Output":"panic: x\n"}
{"Action":"output","Package":"a","Output":"FAIL\ta\t0.01s\n"}
{"Action":"fail","Package":"a"}
`, "panic: x\nFAIL\ta\t0.01s\n", ""},
		{"what does not compile",
			`{"ImportPath":"a","Action":"build-output","Output":"a.go:1: undefined: x\n"}
{"ImportPath":"a","Action":"build-fail"}
{"Action":"output","Package":"a","Output":"FAIL\ta [build failed]\n"}
{"Action":"fail","Package":"a","FailedBuild":"a"}
`, "a.go:1: undefined: x\nFAIL\ta [build failed]\n", ""},
		{"skipped for want of a tool",
			`{"Action":"output","Package":"a","Test":"T","Output":"    a_test.go:3: SKIP-TOOL: apt-get install epubcheck\n"}
{"Action":"skip","Package":"a","Test":"T"}
{"Action":"output","Package":"a","Output":"ok  \ta\t0.01s\n"}
{"Action":"pass","Package":"a"}
`, "ok  \ta\t0.01s\n", "a T was skipped for want of a tool: apt-get install epubcheck"},
		{"skipped for another reason, or only talking of it",
			`{"Action":"output","Package":"a","Test":"T","Output":"    a_test.go:3: slow\n"}
{"Action":"skip","Package":"a","Test":"T"}
{"Action":"output","Package":"a","Test":"U","Output":"    a_test.go:4: SKIP-TOOL: x\n"}
{"Action":"pass","Package":"a","Test":"U"}
{"Action":"pass","Package":"a"}
`, "", ""},
		{"words of the go command itself", "go: downloading x v1\n", "go: downloading x v1\n", ""},
		{"two packages at a time",
			`{"Action":"output","Package":"a","Output":"ok  \ta\n"}
{"Action":"output","Package":"b","Output":"ok  \tb\n"}
{"Action":"pass","Package":"b"}
{"Action":"pass","Package":"a"}
`, "ok  \tb\nok  \ta\n", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var out strings.Builder
			missing, err := show(strings.NewReader(tt.in), &out)
			if err != nil {
				t.Fatal(err)
			}
			if out.String() != tt.out {
				t.Errorf("got  %q\nwant %q", out.String(), tt.out)
			}
			if got := strings.Join(missing, "\n"); got != tt.missing {
				t.Errorf("missing: got %q, want %q", got, tt.missing)
			}
		})
	}
}
