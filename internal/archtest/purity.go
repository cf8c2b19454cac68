package archtest

import (
	"go/ast"
	"go/token"
	"go/types"
	"path"
	"slices"
	"strings"
)

// clock are the names of package time that read or wait for a clock. Durations, dates and parsing are values.
var clock = []string{"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTicker", "NewTimer"}

// impure are packages that reach outside the process or make chance; what lies below them counts too.
var impure = []string{"os", "net", "syscall", "io/ioutil", "database/sql", "math/rand", "crypto/rand", "log"}

// CheckPurity finds what the layers up to the lines must not do: read the clock, make chance, touch the outside, start
// a goroutine, run code at start-up or change a package variable.
func CheckPurity(t *Tree) []Finding {
	var found []Finding
	for _, p := range t.Packages {
		if k, ok := key(p.Dir); ok && layerOf[k] <= lines {
			c := purity{tree: t, uses: resolve(t, p)}
			for _, f := range p.product() {
				c.file(f)
			}
			found = append(found, c.found...)
		}
	}
	return found
}

// resolve links identifiers to what they name inside the package. Imported packages stay empty: the rules need to know
// that a name is a package, never what is in it. Errors from that are expected and dropped.
func resolve(t *Tree, p *Package) map[*ast.Ident]types.Object {
	uses := make(map[*ast.Ident]types.Object)
	conf := types.Config{Importer: hollow{}, Error: func(error) {}, FakeImportC: true}
	var files []*ast.File
	for _, f := range p.product() {
		files = append(files, f.AST)
	}
	_, _ = conf.Check(p.Dir, t.fset, files, &types.Info{Uses: uses})
	return uses
}

// hollow imports every package as an empty one.
type hollow struct{}

func (hollow) Import(importPath string) (*types.Package, error) {
	pkg := types.NewPackage(importPath, path.Base(importPath))
	pkg.MarkComplete()
	return pkg, nil
}

type purity struct {
	tree  *Tree
	uses  map[*ast.Ident]types.Object
	found []Finding
}

func (c *purity) add(n ast.Node, message string) {
	c.found = append(c.found, Finding{"pure", c.tree.place(n), message})
}

func (c *purity) file(f *File) {
	for _, spec := range f.AST.Imports {
		c.imported(spec)
	}
	ast.Inspect(f.AST, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			c.add(n, "starts a goroutine")
		case *ast.FuncDecl:
			if n.Name.Name == "init" && n.Recv == nil {
				c.add(n, "has an init function")
			}
		case *ast.SelectorExpr:
			c.selector(n)
		case *ast.AssignStmt:
			if n.Tok != token.DEFINE {
				c.assigned(n, n.Lhs...)
			}
		case *ast.IncDecStmt:
			c.assigned(n, n.X)
		case *ast.RangeStmt:
			if n.Tok == token.ASSIGN {
				c.assigned(n, n.Key, n.Value)
			}
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				c.assigned(n, n.X)
			}
		case *ast.CallExpr:
			c.builtin(n)
		}
		return true
	})
}

func (c *purity) imported(spec *ast.ImportSpec) {
	p := importPath(spec)
	if spec.Name != nil && spec.Name.Name == "." {
		c.add(spec, "imports "+p+" without a name, which hides what is used")
	}
	// Of net, URLs are text, and of net/http only the numbers of statuses are let through, in selector.
	if p == "net/url" || p == "net/http" {
		return
	}
	for _, bad := range impure {
		if p == bad || strings.HasPrefix(p, bad+"/") {
			c.add(spec, "imports "+p+", which reaches outside the law")
		}
	}
}

func (c *purity) selector(n *ast.SelectorExpr) {
	id, ok := n.X.(*ast.Ident)
	if !ok {
		return
	}
	pkg, ok := c.uses[id].(*types.PkgName)
	if !ok {
		return
	}
	switch p := pkg.Imported().Path(); {
	case p == "time" && slices.Contains(clock, n.Sel.Name):
		c.add(n, "uses time."+n.Sel.Name+": time arrives inside commands")
	case p == "net/http" && !strings.HasPrefix(n.Sel.Name, "Status"):
		c.add(n, "uses http."+n.Sel.Name+": only the status numbers are pure")
	}
}

// builtin finds the built-in functions that change their first argument.
func (c *purity) builtin(n *ast.CallExpr) {
	id, ok := n.Fun.(*ast.Ident)
	if !ok || len(n.Args) == 0 {
		return
	}
	if b, ok := c.uses[id].(*types.Builtin); ok && slices.Contains([]string{"delete", "clear", "copy"}, b.Name()) {
		c.assigned(n, n.Args[0])
	}
}

// assigned reports targets that are, or lie inside, a package variable.
func (c *purity) assigned(at ast.Node, targets ...ast.Expr) {
	for _, target := range targets {
		if name := c.variable(target); name != "" {
			c.add(at, "changes package variable "+name+", or hands out its address, after its declaration")
		}
	}
}

func (c *purity) variable(e ast.Expr) string {
	for {
		switch x := e.(type) {
		case *ast.ParenExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.SliceExpr:
			e = x.X
		case *ast.SelectorExpr:
			if id, ok := x.X.(*ast.Ident); ok {
				if pkg, ok := c.uses[id].(*types.PkgName); ok {
					return pkg.Name() + "." + x.Sel.Name
				}
			}
			e = x.X
		case *ast.Ident:
			if v, ok := c.uses[x].(*types.Var); ok && v.Pkg() != nil && v.Parent() == v.Pkg().Scope() {
				return x.Name
			}
			return ""
		default:
			return ""
		}
	}
}
