package archtest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// mustTree loads a module "sluice" made of the given files: path, source, path, source …
func mustTree(t *testing.T, files ...string) *Tree {
	t.Helper()
	fsys := fstest.MapFS{"go.mod": {Data: []byte("module sluice\n\ngo 1.26\n")}}
	for i := 0; i < len(files); i += 2 {
		fsys[files[i]] = &fstest.MapFile{Data: []byte(files[i+1])}
	}
	tree, err := Load(fsys)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func texts(found []Finding) []string {
	var all []string
	for _, f := range found {
		all = append(all, f.String())
	}
	slices.Sort(all)
	return all
}

func TestLoadSkipsWhatGoSkips(t *testing.T) {
	tree := mustTree(t,
		"internal/fault/a.go", "package fault\n",
		"internal/fault/testdata/b.go", "not Go",
		"tools/go.mod", "module tools\n",
		"tools/c.go", "not Go",
		"_old/d.go", "not Go",
		".cache/e.go", "not Go",
		"internal/fault/.f.go", "not Go",
	)
	if len(tree.Packages) != 1 || tree.Packages[0].Dir != "internal/fault" {
		t.Errorf("got %d packages, want internal/fault alone", len(tree.Packages))
	}
	if _, err := Load(fstest.MapFS{"go.mod": {Data: []byte("module x\n")}, "a.go": {Data: []byte("not Go")}}); err == nil {
		t.Error("a file that does not parse was let through")
	}
}

func TestImports(t *testing.T) {
	tests := []struct{ from, to, want string }{
		{"internal/kernel", "sluice/internal/fault", ""},
		{"internal/kernel", "sluice/internal/digest", ""},
		{"internal/kernel", "sluice/internal/journal", "fault, digest and graph only"},
		{"internal/kernel", "sluice/internal/journal", "fault, digest and graph only"},
		{"internal/kernel", "strings", ""},
		{"internal/kernel", "encoding/json", ""},
		{"internal/kernel", "github.com/google/uuid", "standard library"},
		{"internal/gate", "github.com/clipperhouse/uax29/v2", ""},
		{"internal/gate", "sluice/internal/kernel", ""},
		{"internal/journal", "sluice/internal/kernel", "same layer"},
		{"internal/fault", "sluice/internal/kernel", "point down only"},
		{"internal/line", "sluice/internal/kernel", ""},
		{"internal/line/novel", "sluice/internal/line", ""},
		{"internal/line/novel", "sluice/internal/gate", ""},
		{"internal/line/novel", "sluice/internal/line/spec", "lines never import each other"},
		{"internal/line/novel", "sluice/internal/engine", "point down only"},
		{"internal/line/novel", "sluice/internal/sqlitestore", "point down only"},
		{"internal/line", "sluice/internal/line/novel", "lines never import each other"},
		{"internal/engine", "sluice/internal/line", ""},
		{"internal/engine", "sluice/internal/sqlitestore", "point down only"},
		{"internal/engine", "sluice/internal/model", "point down only"},
		{"internal/engine", "sluice/internal/app", "point down only"},
		{"internal/session", "sluice/internal/engine", "same layer"},
		{"internal/sqlitestore", "sluice/internal/journal", ""},
		{"internal/sqlitestore", "sluice/internal/engine", "adapters never import the shell"},
		{"internal/workspace", "sluice/internal/doctor", "adapters never import the shell"},
		{"internal/workspace", "sluice/internal/app", "point down only"},
		{"internal/workspace", "sluice/internal/sqlitestore", "adapters never import each other"},
		{"internal/model/openai", "sluice/internal/model", ""},
		{"internal/model", "sluice/internal/model/openai", "adapters never import each other"},
		{"internal/model/openai", "sluice/internal/model/rehearsal", "adapters never import each other"},
		{"internal/app", "sluice/internal/config", ""},
		{"internal/app", "sluice/internal/engine", ""},
		{"internal/app", "sluice/internal/workspace", "only wire knows"},
		{"internal/cli", "sluice/internal/app", ""},
		{"internal/cli", "sluice/internal/sqlitestore", "only wire knows"},
		{"internal/mcpserver", "sluice/internal/model/openai", "only wire knows"},
		{"internal/cli", "sluice/internal/mcpserver", "same layer"},
		{"internal/wire", "sluice/internal/sqlitestore", ""},
		{"internal/wire", "sluice/internal/model/openai", ""},
		{"internal/wire", "sluice/internal/storetest", "for tests only"},
		{"cmd/sluice", "sluice/internal/wire", ""},
		{"cmd/sluice", "sluice/internal/cli", "wire and nothing else"},
		{"internal/storetest", "sluice/internal/sqlitestore", ""},
		{"internal/storetest", "sluice/internal/wire", ""},
		{"internal/bench", "sluice/internal/wire", ""},
	}
	for _, tt := range tests {
		t.Run(tt.from+" imports "+tt.to, func(t *testing.T) {
			tree := mustTree(t, tt.from+"/a.go", fmt.Sprintf("package p\n\nimport _ %q\n", tt.to))
			got := strings.Join(texts(CheckLayers(tree)), "\n")
			if (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if got != "" && !strings.HasPrefix(got, "import: "+tt.from+"/a.go:3: ") {
				t.Errorf("%q does not name the place", got)
			}
		})
	}
}

func TestTestsImportWhatTheyLike(t *testing.T) {
	tree := mustTree(t, "internal/kernel/a_test.go", "package kernel\n\nimport _ \"sluice/internal/sqlitestore\"\n")
	if got := texts(CheckLayers(tree)); got != nil {
		t.Errorf("got %q, want nothing", got)
	}
}

func TestPackageWithoutLayerIsToldWhereToGo(t *testing.T) {
	got := texts(CheckLayers(mustTree(t, "internal/helper/a.go", "package helper\n")))
	want := []string{"layer: internal/helper: the package has no layer: add it to layerOf in internal/archtest/layers.go"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
}

func TestPurity(t *testing.T) {
	tests := []struct{ name, source, want string }{
		{"a date is a value", `import "time"; func f(t time.Time) time.Time { return t.Add(time.Hour) }`, ""},
		{"Now", `import "time"; func f() { _ = time.Now() }`, "uses time.Now"},
		{"Now as a value", `import "time"; var now = time.Now`, "uses time.Now"},
		{"Now under another name", `import clock "time"; func f() { _ = clock.Now() }`, "uses time.Now"},
		{"Since", `import "time"; func f(t time.Time) { _ = time.Since(t) }`, "uses time.Since"},
		{"Sleep", `import "time"; func f() { time.Sleep(1) }`, "uses time.Sleep"},
		{"a parameter called time", `func f(time interface{ Now() int }) { time.Now() }`, ""},
		{"without a name", `import . "time"`, "without a name"},
		{"math/rand", `import "math/rand"`, "imports math/rand"},
		{"math/rand/v2", `import "math/rand/v2"`, "imports math/rand/v2"},
		{"crypto/rand", `import "crypto/rand"`, "imports crypto/rand"},
		{"crypto/sha256", `import "crypto/sha256"`, ""},
		{"os", `import "os"`, "imports os"},
		{"os/exec", `import "os/exec"`, "imports os/exec"},
		{"net", `import "net"`, "imports net"},
		{"net/netip", `import "net/netip"`, "imports net/netip"},
		{"net/url", `import "net/url"`, ""},
		{"a status number", `import "net/http"; const c = http.StatusOK`, ""},
		{"a request", `import "net/http"; func f() { http.Get("x") }`, "uses http.Get"},
		{"log/slog", `import "log/slog"`, "imports log/slog"},
		{"a goroutine", `func f() { go f() }`, "starts a goroutine"},
		{"init", `func init() {}`, "init function"},
		{"a method called init", `type t int; func (t) init() {}`, ""},
		{"a variable declared", `var m = map[string]int{"a": 1}; func f() int { return m["a"] }`, ""},
		{"a variable assigned", `var v int; func f() { v = 1 }`, "variable v"},
		{"a variable counted", `var v int; func f() { v++ }`, "variable v"},
		{"a variable added to", `var v int; func f() { v += 2 }`, "variable v"},
		{"an entry assigned", `var m = map[string]int{}; func f() { m["a"] = 1 }`, "variable m"},
		{"a field assigned", `var v struct{ a struct{ b int } }; func f() { (v.a).b = 1 }`, "variable v"},
		{"through a pointer", `var p = new(int); func f() { *p = 1 }`, "variable p"},
		{"by range", `var v int; func f() { for v = range 3 { } }`, "variable v"},
		{"by delete", `var m = map[string]int{}; func f() { delete(m, "a") }`, "variable m"},
		{"by copy", `var s = []int{1}; func f() { copy(s[1:], s) }`, "variable s"},
		{"its address", `var v int; func f() *int { return &v }`, "variable v"},
		{"of another package", `import "sluice/internal/fault"; func f() { fault.Table = nil }`, "variable fault.Table"},
		{"a local of the same name", `var v int; func f() { v := 1; v = 2; _ = v }`, ""},
		{"a parameter of the same name", `var v int; func f(v []int) { v[0] = 1 }`, ""},
		{"a field of the same name", `var v int; type t struct{ v int }; func f(x *t) { x.v = 1 }`, ""},
		{"a literal's address", `type t struct{}; func f() *t { return &t{} }`, ""},
		{"the blank variable", `type t int; var _ = t(1); func f() { _ = f }`, ""},
		{"a method with a pointer receiver", `type t struct{}; func (*t) m() {}; var v t; func f() { v.m() }`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			source := "package p\n" + strings.ReplaceAll(tt.source, "; ", "\n")
			for _, dir := range []string{"internal/digest", "internal/kernel", "internal/line/novel"} {
				got := strings.Join(texts(CheckPurity(mustTree(t, dir+"/a.go", source))), "\n")
				if (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
					t.Errorf("%s: got %q, want %q", dir, got, tt.want)
				}
			}
			for _, name := range []string{"internal/engine/a.go", "internal/kernel/a_test.go"} {
				if got := texts(CheckPurity(mustTree(t, name, source))); got != nil {
					t.Errorf("%s need not be pure, got %q", name, got)
				}
			}
		})
	}
}

func TestPurityAcrossFiles(t *testing.T) {
	tree := mustTree(t,
		"internal/kernel/a.go", "package kernel\n\nvar v int\n",
		"internal/kernel/b.go", "package kernel\n\nfunc f() { v = 1 }\n")
	got := texts(CheckPurity(tree))
	if len(got) != 1 || !strings.Contains(got[0], "internal/kernel/b.go:3") {
		t.Errorf("got %q, want b.go:3", got)
	}
}

func TestDocs(t *testing.T) {
	const doc = "// Package fault owns x.\npackage fault\n"
	tests := []struct{ name, file, source, want string }{
		{"doc.go", "doc.go", doc, ""},
		{"comment elsewhere", "a.go", doc, "no doc.go"},
		{"doc.go without comment", "doc.go", "package fault\n", "no doc.go"},
		{"comment of another package", "doc.go", "// Package other owns x.\npackage fault\n", "no doc.go"},
		{"program", "main.go", "// Sluice runs work.\npackage main\n", ""},
		{"program without comment", "main.go", "package main\n", "no package comment"},
		{"tests alone", "a_test.go", "package fault_test\n", `"Package fault "`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := strings.Join(texts(CheckDocs(mustTree(t, "internal/fault/"+tt.file, tt.source))), "\n")
			if (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// function is Go source of a function of n lines.
func function(head string, n int) string {
	return head + " {\n" + strings.Repeat("\t_ = 1\n", n-2) + "}\n"
}

func TestSizes(t *testing.T) {
	five := "\tA()\n\tB()\n\tC()\n\tD()\n\tE()\n"
	tests := []struct{ name, source, debt, want string }{
		{"file of 500", "package p\n" + strings.Repeat("\n", 499), "", ""},
		{"file of 501", "package p\n" + strings.Repeat("\n", 500), "", "size: a/a.go: file has size 501, the limit for a file is 500"},
		{"last line without end", "package p\n" + strings.Repeat("\n", 499) + "//", "", "file has size 501"},
		{"function of 60", "package p\n" + function("func f()", 60), "", ""},
		{"function of 61", "package p\n" + function("func f()", 61), "", "size: a/a.go:f: func has size 61"},
		{"method of 61", "package p\ntype t[X any] int\n" + function("func (*t[X]) m()", 61), "", "a/a.go:t.m: func has size 61"},
		{"literal of 61", "package p\n" + function("var v = func()", 61), "", "a/a.go:v: func has size 61"},
		{"function without body", "package p\nfunc f()\n", "", ""},
		{"five methods", "package p\ntype i interface {\n" + five + "}\n", "", ""},
		{"six methods", "package p\ntype i interface {\n" + five + "\tF()\n}\n", "", "a/a.go:i: interface has size 6"},
		{"embedding counts elsewhere", "package p\ntype i interface {\n" + five + "\tj\n\terror\n}\ntype j interface{ F() }\n", "", ""},
		{"six methods inside a function", "package p\nfunc f() {\n\tvar _ interface {\n" + five + "\tF()\n}\n}\n", "", "a/a.go:f: interface has size 6"},
		{"debt is exact", "package p\n" + function("func f()", 70), "func a/a.go:f 70", ""},
		{"debt has grown", "package p\n" + function("func f()", 71), "func a/a.go:f 70", "allows 70 and may only shrink"},
		{"debt has shrunk", "package p\n" + function("func f()", 65), "func a/a.go:f 70", "lower its line in debt.txt from 70"},
		{"debt is paid", "package p\n" + function("func f()", 60), "func a/a.go:f 70", "debt: a/a.go:f: this func is not too large"},
		{"debt of nothing", "package p\n", "file a/gone.go 600", "debt: a/gone.go: this file is not too large or not there"},
		{"debt of another kind", "package p\n" + function("func f()", 70), "interface a/a.go:f 70", "this interface is not too large"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			debt, err := ParseDebt(tt.debt)
			if err != nil {
				t.Fatal(err)
			}
			got := strings.Join(texts(CheckSizes(mustTree(t, "a/a.go", tt.source), debt)), "\n")
			if (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if got := texts(CheckSizes(mustTree(t, "a/a_test.go", tt.source), Debt{})); got != nil {
				t.Errorf("tests have no size, got %q", got)
			}
		})
	}
}

func TestParseDebt(t *testing.T) {
	debt, err := ParseDebt("# comment\n\nfile a.go 600\n  func b.go:f  70 \n")
	if err != nil || len(debt) != 2 || debt[[2]string{"func", "b.go:f"}] != 70 {
		t.Errorf("got %v, %v", debt, err)
	}
	for _, bad := range []string{"file a.go", "class a.go 600", "file a.go many", "file a.go 600\nfile a.go 700"} {
		if debt, err := ParseDebt(bad); err == nil {
			t.Errorf("%q gave %v", bad, debt)
		}
	}
}
