package archtest

import (
	"fmt"
	"go/ast"
	"strconv"
	"strings"
)

// Kinds of things that have a size, as debt.txt names them.
const (
	kindFile      = "file"
	kindFunc      = "func"
	kindInterface = "interface"
)

// limits are what a reader takes in at once: lines of a file, lines of a function, methods of an interface.
var limits = map[string]int{kindFile: 500, kindFunc: 60, kindInterface: 5}

// Sized is one thing with its size.
type Sized struct {
	Kind string
	Path string // the file, with ":name" for what is inside it
	Size int
}

// Debt is a named exception: the exact size that something too large has today.
type Debt map[[2]string]int // kind and path

// ParseDebt reads debt.txt: `kind path[:name] limit` per line; blank lines and lines that begin with # are skipped.
func ParseDebt(text string) (Debt, error) {
	debt := make(Debt)
	n := 0
	for line := range strings.Lines(text) {
		n++
		fields := strings.Fields(line)
		if len(fields) == 0 || strings.HasPrefix(fields[0], "#") {
			continue
		}
		if len(fields) != 3 || limits[fields[0]] == 0 {
			return nil, fmt.Errorf("debt.txt:%d: %q is not: file|func|interface path[:name] limit", n, strings.TrimSpace(line))
		}
		size, err := strconv.Atoi(fields[2])
		if err != nil {
			return nil, fmt.Errorf("debt.txt:%d: limit %q is no number", n, fields[2])
		}
		at := [2]string{fields[0], fields[1]}
		if _, twice := debt[at]; twice {
			return nil, fmt.Errorf("debt.txt:%d: %s %s stands twice", n, at[0], at[1])
		}
		debt[at] = size
	}
	return debt, nil
}

// CheckSizes finds what is larger than its limit without being named in the debt, and debt that is not owed any more.
func CheckSizes(t *Tree, debt Debt) []Finding {
	var found []Finding
	owed := make(map[[2]string]bool)
	for _, s := range measure(t) {
		limit := limits[s.Kind]
		allowed, named := debt[[2]string{s.Kind, s.Path}]
		switch {
		case named && s.Size > limit:
			owed[[2]string{s.Kind, s.Path}] = true
			if s.Size > allowed {
				found = append(found, s.finding("has size %d; debt.txt allows %d and may only shrink", s.Size, allowed))
			} else if s.Size < allowed {
				found = append(found, s.finding("has size %d; lower its line in debt.txt from %d to that", s.Size, allowed))
			}
		case s.Size > limit:
			found = append(found, s.finding("has size %d, the limit for a %s is %d: divide it", s.Size, s.Kind, limit))
		}
	}
	for at := range debt {
		if !owed[at] {
			found = append(found, Finding{"debt", at[1], "this " + at[0] + " is not too large or not there: remove its line from debt.txt"})
		}
	}
	return found
}

func (s Sized) finding(format string, args ...any) Finding {
	return Finding{"size", s.Path, fmt.Sprintf(s.Kind+" "+format, args...)}
}

func measure(t *Tree) []Sized {
	var all []Sized
	for _, p := range t.Packages {
		for _, f := range p.product() {
			all = append(all, Sized{kindFile, f.Path, f.Lines})
			for _, decl := range f.AST.Decls {
				all = append(all, t.measureDecl(f, decl)...)
			}
		}
	}
	return all
}

func (t *Tree) measureDecl(f *File, decl ast.Decl) []Sized {
	var all []Sized
	switch d := decl.(type) {
	case *ast.FuncDecl:
		name := d.Name.Name
		if d.Recv != nil && len(d.Recv.List) == 1 {
			name = receiver(d.Recv.List[0].Type) + "." + name
		}
		all = append(all, Sized{kindFunc, f.Path + ":" + name, t.span(d)})
		all = append(all, t.measureInside(f, name, d.Body, false)...)
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				all = append(all, t.measureInside(f, s.Name.Name, s.Type, true)...)
			case *ast.ValueSpec:
				all = append(all, t.measureInside(f, s.Names[0].Name, s, true)...)
			}
		}
	}
	return all
}

// measureInside finds interface literals and, outside of functions, function literals: a literal inside a function
// counts as lines of that function.
func (t *Tree) measureInside(f *File, name string, n ast.Node, funcs bool) []Sized {
	if body, ok := n.(*ast.BlockStmt); ok && body == nil {
		return nil
	}
	var all []Sized
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.InterfaceType:
			all = append(all, Sized{kindInterface, f.Path + ":" + name, methods(n)})
		case *ast.FuncLit:
			if funcs {
				all = append(all, Sized{kindFunc, f.Path + ":" + name, t.span(n)})
			}
		}
		return true
	})
	return all
}

// methods counts what the literal itself lists; an embedded interface has its own count.
func methods(n *ast.InterfaceType) int {
	count := 0
	for _, field := range n.Methods.List {
		if _, ok := field.Type.(*ast.FuncType); ok {
			count += len(field.Names)
		}
	}
	return count
}

func receiver(e ast.Expr) string {
	switch x := e.(type) {
	case *ast.StarExpr:
		return receiver(x.X)
	case *ast.IndexExpr:
		return receiver(x.X)
	case *ast.IndexListExpr:
		return receiver(x.X)
	case *ast.Ident:
		return x.Name
	}
	return "?"
}
