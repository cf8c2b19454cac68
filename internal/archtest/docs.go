package archtest

import (
	"go/ast"
	"path"
	"strings"
)

// CheckDocs finds packages that do not say what they are for: a doc.go with a package comment, or for a program a
// comment in any of its files.
func CheckDocs(t *Tree) []Finding {
	var found []Finding
	for _, p := range t.Packages {
		if why := refuseDoc(p); why != "" {
			found = append(found, Finding{"doc", p.Dir, why})
		}
	}
	return found
}

func refuseDoc(p *Package) string {
	isProgram := false
	for _, f := range p.product() {
		name := f.AST.Name.Name
		isProgram = isProgram || name == "main"
		if path.Base(f.Path) != "doc.go" && name != "main" {
			continue
		}
		if text := comment(f.AST); name == "main" && text != "" || strings.HasPrefix(text, "Package "+name+" ") {
			return ""
		}
	}
	if isProgram {
		return "the program has no package comment"
	}
	return "there is no doc.go whose comment begins with \"Package " + packageName(p) + " \""
}

func comment(f *ast.File) string {
	if f.Doc == nil {
		return ""
	}
	return strings.TrimSpace(f.Doc.Text())
}

func packageName(p *Package) string {
	return strings.TrimSuffix(p.Files[0].AST.Name.Name, "_test")
}
