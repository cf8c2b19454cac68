package archtest

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Tree is the source of one module.
type Tree struct {
	Module   string
	Packages []*Package // by directory
	fset     *token.FileSet
}

// Package is the Go files of one directory.
type Package struct {
	Dir   string // from the module's root, with slashes
	Files []*File
}

// File is one parsed Go file.
type File struct {
	Path   string // from the module's root
	Lines  int
	IsTest bool
	AST    *ast.File
}

// Finding is one broken rule, at a place.
type Finding struct {
	Rule, Place, Message string
}

func (f Finding) String() string { return f.Rule + ": " + f.Place + ": " + f.Message }

// Load parses every Go file of the module at the root of fsys. Directories that the go command skips (testdata, names
// that begin with a dot or an underscore) and modules inside the module are left out.
func Load(fsys fs.FS) (*Tree, error) {
	t := &Tree{fset: token.NewFileSet()}
	if err := t.readModule(fsys); err != nil {
		return nil, err
	}
	byDir := make(map[string]*Package)
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			return enter(fsys, name)
		case path.Ext(name) != ".go" || strings.HasPrefix(path.Base(name), "."):
			return nil
		}
		file, err := t.parse(fsys, name)
		if err != nil {
			return err
		}
		dir := path.Dir(name)
		if byDir[dir] == nil {
			byDir[dir] = &Package{Dir: dir}
			t.Packages = append(t.Packages, byDir[dir])
		}
		byDir[dir].Files = append(byDir[dir].Files, file)
		return nil
	})
	slices.SortFunc(t.Packages, func(a, b *Package) int { return strings.Compare(a.Dir, b.Dir) })
	return t, err
}

func (t *Tree) readModule(fsys fs.FS) error {
	mod, err := fs.ReadFile(fsys, "go.mod")
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(mod)) {
		if name, ok := strings.CutPrefix(line, "module "); ok {
			t.Module = strings.TrimSpace(name)
			return nil
		}
	}
	return fmt.Errorf("go.mod names no module")
}

func enter(fsys fs.FS, dir string) error {
	base := path.Base(dir)
	if dir == "." {
		return nil
	}
	if base == "testdata" || strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") {
		return fs.SkipDir
	}
	if _, err := fs.Stat(fsys, path.Join(dir, "go.mod")); err == nil {
		return fs.SkipDir
	}
	return nil
}

func (t *Tree) parse(fsys fs.FS, name string) (*File, error) {
	src, err := fs.ReadFile(fsys, name)
	if err != nil {
		return nil, err
	}
	tree, err := parser.ParseFile(t.fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	lines := bytes.Count(src, []byte("\n"))
	if len(src) > 0 && src[len(src)-1] != '\n' {
		lines++
	}
	return &File{Path: name, Lines: lines, IsTest: strings.HasSuffix(name, "_test.go"), AST: tree}, nil
}

// product gives the files that end up in the program.
func (p *Package) product() []*File {
	return slices.DeleteFunc(slices.Clone(p.Files), func(f *File) bool { return f.IsTest })
}

func importPath(spec *ast.ImportSpec) string {
	p, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		return spec.Path.Value
	}
	return p
}

func (t *Tree) place(n ast.Node) string {
	p := t.fset.Position(n.Pos())
	return fmt.Sprintf("%s:%d", p.Filename, p.Line)
}

// span is the number of lines from the first to the last of the node.
func (t *Tree) span(n ast.Node) int {
	return t.fset.Position(n.End()).Line - t.fset.Position(n.Pos()).Line + 1
}
