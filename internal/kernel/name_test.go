package kernel

import (
	"strings"
	"testing"

	"sluice/internal/fault"
)

func TestRunIDsThatCanBeTyped(t *testing.T) {
	for _, id := range []string{"sample-1", "a", "ü", "日本", "book/part-2", "a.b", "a@1", "%s", "x=1", "a~b", strings.Repeat("a", maxName)} {
		if _, err := ParseRunID(id); err != nil {
			t.Errorf("%q: %v", id, err)
		}
	}
}

func TestRunIDsThatCannotBeTyped(t *testing.T) {
	for name, id := range map[string]string{
		"empty": "", "too long": strings.Repeat("a", maxName+1), "space": "a b", "wide space": "a\u3000b", "line break": "a\nb",
		"escape": "a\x1b[31m", "turned around": "a\u202eb", "invisible": "a\u200bb", "not utf-8": "a\xff",
		"here": ".", "above": "..", "above inside": "a/../../b", "out": "../x", "rooted": "/x", "no end": "x/", "gap": "a//b",
		"flag": "-x", "home": "~x", "comment": "#x", "variable": "a$b", "quote": "a'b", "glob": "a*", "backslash": `a\b`,
	} {
		if _, err := ParseRunID(id); fault.CodeOf(err) != fault.BadValue {
			t.Errorf("%s: %q gives %v, want bad_value", name, id, err)
		}
		c := Open{Run: "r", Line: "l", Title: "t", Nodes: []Node{{ID: NodeID(id), Kind: Make, Performer: Engine, Step: "s", Attempts: 1}}}
		if _, err := Apply(NewRun(), c); err == nil {
			t.Errorf("%s: node id %q is taken", name, id)
		}
	}
}
