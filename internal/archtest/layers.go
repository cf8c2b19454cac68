package archtest

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// Layers. An import points to a smaller number, or to a sibling that the table siblings names.
const (
	base     = iota // L0: error type, names for bytes, order
	law             // L1: nouns, law and records
	lines           // L2: what is made, as data and pure functions
	shell           // L3: performs duties through ports
	adapters        // L4: concretes behind the ports
	verbs           // L5: one function per user verb
	doors           // L6: command line and protocols
	wiring          // L7: where concretes meet
	programs        // main packages
	free            // suites and programs for developers: import what they like, imported by tests only
)

// layerOf is the house: each directory, or each directory below one where the key ends in "/*".
var layerOf = map[string]int{
	"internal/fault": base, "internal/digest": base, "internal/graph": base, "internal/prompt": base, "internal/safepath": base, "internal/yamlguard": base, "internal/schema": base, "internal/textdiff": base, "internal/termtext": base,
	"internal/journal": law, "internal/kernel": law, "internal/gate": law,
	"internal/line": lines, "internal/line/*": lines,
	"internal/line/spec": lines, "internal/line/spec/ingest": lines, "internal/line/spec/ledger": lines,
	"internal/line/novel": lines, "internal/line/novel/*": lines, "internal/line/novel/story": lines,
	"internal/engine": shell, "internal/export": shell, "internal/session": shell, "internal/doctor": shell,
	"internal/sqlitestore": adapters, "internal/workspace": adapters, "internal/publish": adapters, "internal/publish/*": adapters, "internal/runner": adapters,
	"internal/backup": adapters, "internal/replyfile": adapters,
	"internal/model": adapters, "internal/model/*": adapters,
	"internal/app": verbs, "internal/config": verbs,
	"internal/cli": doors, "internal/mcpserver": doors, "internal/watch": doors,
	"internal/wire": wiring,
	"cmd/sluice":    programs,

	"internal/storetest": free, "internal/modeltest": free, "internal/publishtest": free, "internal/feishutest": free, "internal/golden": free, "internal/linetest": free, "internal/sim": free,
	"internal/archtest": free, "internal/bench": free, "e2e": free,
}

// siblings are the imports inside one layer that are meant.
var siblings = map[string][]string{
	"internal/graph":            {"internal/fault"},
	"internal/safepath":         {"internal/fault"},
	"internal/gate":             {"internal/kernel"},
	"internal/line/*":           {"internal/line"},
	"internal/line/spec":        {"internal/line", "internal/line/spec/ingest"},
	"internal/line/novel":       {"internal/line", "internal/line/novel/story", "internal/line/novel/*"},
	"internal/line/novel/*":     {"internal/line/novel/story"},
	"internal/line/spec/ledger": {"internal/line/spec"},
	"internal/publish/*":        {"internal/publish"},
	"internal/model/*":          {"internal/model"},
	"internal/app":              {"internal/config"},
	"internal/cli":              {"internal/watch"},
}

// key gives the entry of the table that speaks for a directory.
func key(dir string) (string, bool) {
	if _, ok := layerOf[dir]; ok {
		return dir, true
	}
	for parent := path.Dir(dir); parent != "."; parent = path.Dir(parent) {
		if _, ok := layerOf[parent+"/*"]; ok {
			return parent + "/*", true
		}
	}
	return "", false
}

// CheckLayers finds packages without a layer and imports that do not point down.
func CheckLayers(t *Tree) []Finding {
	var found []Finding
	for _, p := range t.Packages {
		from, ok := key(p.Dir)
		if !ok {
			found = append(found, Finding{"layer", p.Dir,
				"the package has no layer: add it to layerOf in internal/archtest/layers.go"})
			continue
		}
		for _, f := range p.product() {
			for _, spec := range f.AST.Imports {
				if why := t.refuseImport(from, importPath(spec)); why != "" {
					found = append(found, Finding{"import", t.place(spec), p.Dir + " " + why})
				}
			}
		}
	}
	return found
}

// refuseImport says why a package may not import another, or nothing.
func (t *Tree) refuseImport(from, imported string) string {
	dir, ok := strings.CutPrefix(imported, t.Module+"/")
	if !ok {
		if first, _, _ := strings.Cut(imported, "/"); from == "internal/kernel" && strings.Contains(first, ".") {
			return "imports " + imported + ": the kernel needs the standard library, fault, digest and graph only"
		}
		return ""
	}
	to, ok := key(dir)
	if !ok || layerOf[from] == free { // a package without a layer is a finding of its own
		return ""
	}
	if why := refuseRoom(from, to); why != "" {
		return "imports " + dir + ": " + why
	}
	return ""
}

func refuseRoom(from, to string) string {
	a, b := layerOf[from], layerOf[to]
	switch {
	case b == free:
		return "test suites and developers' programs are for tests only"
	case from == "internal/kernel" && to != "internal/fault" && to != "internal/digest" && to != "internal/graph":
		return "the kernel needs the standard library, fault, digest and graph only"
	case a == programs && to != "internal/wire":
		return "a program calls wire and nothing else"
	case a == b && slices.Contains(siblings[from], to):
		return ""
	case a == lines && b == lines:
		return "lines never import each other"
	case a == adapters && b == adapters:
		return "adapters never import each other"
	case a == b:
		return "it is in the same layer, and siblings in internal/archtest/layers.go does not name it"
	case a < b:
		return fmt.Sprintf("imports point down only, from L%d to L%d is up", a, b)
	case a == adapters && b == shell:
		return "adapters never import the shell; ports are declared where they are used"
	case b == adapters && a != wiring:
		return "only wire knows concrete stores, workspaces, models and publishers"
	}
	return ""
}
