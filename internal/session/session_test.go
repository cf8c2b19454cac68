package session

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"sluice/internal/digest"
	"sluice/internal/fault"
	"sluice/internal/kernel"
)

var by = kernel.Stamp{By: kernel.Actor{Kind: kernel.Person, Name: "ann"}, At: time.Unix(100, 0).UTC()}

// opened is a session's run that tests act on.
func opened(t testing.TB) *kernel.Run {
	t.Helper()
	r := kernel.NewRun()
	open := Open("s", 1, "ann")
	open.Stamp = by
	if _, err := kernel.Apply(r, open); err != nil {
		t.Fatal(err)
	}
	return r
}

func apply(t interface {
	Helper()
	Fatalf(string, ...any)
}, r *kernel.Run, acts []Act, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%v", err)
	}
	for _, a := range acts {
		if _, err := kernel.Apply(r, a.Command); err != nil {
			t.Fatalf("%T: %v", a.Command, err)
		}
	}
}

func TestNames(t *testing.T) {
	for _, good := range []string{"a", "A_b-9", strings.Repeat("x", 100)} {
		if err := CheckName(good); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
	for _, bad := range []string{"", "..", "a/b", "a b", "a.b", "é", "a\n", strings.Repeat("x", 101), `a\b`, "a:b"} {
		if fault.CodeOf(CheckName(bad)) != fault.BadValue {
			t.Errorf("%q is taken", bad)
		}
	}
}

func TestAuthors(t *testing.T) {
	for name, want := range map[string]fault.Code{"person ann via cli": "", "": "", "two\nlines": fault.BadValue,
		strings.Repeat("x", 201): fault.BadValue, "\xff": fault.BadValue} {
		if got := fault.CodeOf(CheckAuthor(name)); got != want {
			t.Errorf("author %.20q gives %q, want %q", name, got, want)
		}
	}
}

func TestOpenSessionAsksNobody(t *testing.T) {
	r := opened(t)
	if r.Status() != kernel.RunParked {
		t.Errorf("an open session is %s, want parked", r.Status())
	}
	acts, err := RecordBases(by, Read(r), Touch{Path: "a.md", Body: []byte("a"), There: true}, Touch{Path: "new.md"})
	apply(t, r, acts, err)
	for ask := range r.OpenAsks() {
		t.Errorf("ask %s is open", ask.ID)
	}
	for d := range kernel.Pending(r) {
		t.Errorf("there is a duty %T", d)
	}
}

// TestPlanCommit holds what happens to one path, by what the session recorded and holds and what the workspace shows.
func TestPlanCommit(t *testing.T) {
	const none = "-"
	for _, c := range []struct{ record, held, global, want string }{
		{"", "new", none, "added"},
		{"", "new", "other", "modified! it is in the workspace and was not copied from there"},
		{"", "same", "same", ""},
		{"absent", "new", none, "added"},
		{"absent", "new", "other", "modified! it was created in the workspace meanwhile"},
		{"absent", none, "other", ""},
		{"base", "new", "base", "modified"},
		{"base", "base", "base", ""},
		{"base", "base", "other", ""}, // an unchanged copy brings nothing over
		{"base", none, "base", ""},    // a copy that was removed by hand shows the workspace's file
		{"base", "new", "other", "modified! it was changed in the workspace since it was copied"},
		{"base", "new", "new", ""},
		{"base", "new", none, "added! it was removed from the workspace since it was copied"},
		{"deleted", none, "base", "deleted"},
		{"deleted", none, none, ""},
		{"deleted", none, "other", "deleted! it was changed in the workspace since it was copied"},
		{"deleted", "new", "base", "modified"}, // put there again by hand
	} {
		t.Run(strings.Join([]string{c.record, c.held, c.global}, "/"), func(t *testing.T) {
			r := opened(t)
			base := Touch{Path: "a.md", Body: []byte("base"), There: c.record != "absent"}
			switch c.record {
			case "base", "absent":
				acts, err := RecordBases(by, Read(r), base)
				apply(t, r, acts, err)
			case "deleted":
				acts, err := RecordDeleted(by, Read(r), Removal{Touch: base})
				apply(t, r, acts, err)
			}
			var seen []Seen
			if c.held != none {
				seen = append(seen, Seen{Path: "a.md", Body: []byte(c.held)})
			}
			p, err := PlanCommit(Read(r), seen, func(string) ([]byte, bool, error) { return []byte(c.global), c.global != none, nil })
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			for _, change := range p.Changes {
				got = string(change.Kind)
				if change.Conflict != "" {
					got += "! " + change.Conflict
				}
			}
			if got != c.want {
				t.Errorf("the plan is %q, want %q", got, c.want)
			}
		})
	}
}

func TestPlanRefusesPlacesThatAreNotForSessions(t *testing.T) {
	absent := func(string) ([]byte, bool, error) { return nil, false, nil }
	rec := Read(opened(t))
	for _, p := range []string{"workspace/sessions/other/a.md", "workspace/workflow-state/x.json", "workspace/logs/x.log"} {
		plan, err := PlanCommit(rec, []Seen{{Path: p, Body: []byte("x")}}, absent)
		if err != nil || len(plan.Conflicts()) != 1 {
			t.Errorf("%s: %v, %v", p, plan, err)
		}
	}
	plan, err := PlanCommit(rec, []Seen{{Path: "A.md", Body: []byte("x")}, {Path: "a.md", Body: []byte("y")}}, absent)
	if err != nil || len(plan.Conflicts()) != 1 {
		t.Errorf("twins: %v, %v", plan, err)
	}
	plan, err = PlanCommit(rec, []Seen{{Path: "b.md", Body: []byte("x")}}, func(string) ([]byte, bool, error) {
		return nil, false, fault.New(fault.BadPath, "b.md", "goes through a link")
	})
	if err != nil || len(plan.Conflicts()) != 1 {
		t.Errorf("a path that cannot be written: %v, %v", plan, err)
	}
}

func TestRemovedAndWrittenAgain(t *testing.T) {
	r := opened(t)
	base := Touch{Path: "a.md", Body: []byte("base"), There: true}
	step := func(acts []Act, err error) File {
		t.Helper()
		apply(t, r, acts, err)
		f, _ := Read(r).File("a.md")
		return f
	}
	f := step(RecordBases(by, Read(r), base))
	if f.Deleted || f.Base != digest.Of([]byte("base")) {
		t.Errorf("copied: %+v", f)
	}
	f = step(RecordDeleted(by, Read(r), Removal{Touch: base, Held: []byte("mine"), IsHeld: true}))
	if !f.Deleted || f.Base != digest.Of([]byte("base")) {
		t.Errorf("removed: %+v", f)
	}
	f = step(RecordBases(by, Read(r), Touch{Path: "a.md", Body: []byte("moved on"), There: true}))
	if !f.Deleted || f.Base != digest.Of([]byte("moved on")) {
		t.Errorf("compared anew: %+v", f)
	}
	f = step(RecordBases(by, Read(r), Touch{Path: "a.md", Again: true}))
	if f.Deleted || f.Base != digest.Of([]byte("moved on")) {
		t.Errorf("written again: %+v", f)
	}
	f = step(RecordDeleted(by, Read(r), Removal{Touch: base}))
	if !f.Deleted {
		t.Errorf("removed again: %+v", f)
	}
	acts, err := RecordBases(by, Read(r), Touch{Path: "a.md", Body: []byte("moved on"), There: true})
	if len(acts) != 0 || err != nil {
		t.Errorf("what is so already is recorded again: %v, %v", acts, err)
	}
}

func TestDocument(t *testing.T) {
	r := opened(t)
	acts, err := RecordBases(by, Read(r), Touch{Path: "a b.md", Body: []byte("a"), There: true}, Touch{Path: "new.md"})
	apply(t, r, acts, err)
	acts, err = RecordDeleted(by, Read(r), Removal{Touch: Touch{Path: "gone.md", Body: []byte("g"), There: true}})
	apply(t, r, acts, err)
	acts, err = RecordCancel(by, Read(r), []Seen{{Path: "new.md", Body: []byte("n")}}, End{Outcome: Cancelled, Workflows: []string{"w1"},
		Retries: []Retry{{WorkflowID: "w1", Step: "step/4", Attempt: 2, Reason: "Mira is absent"}}})
	apply(t, r, acts, err)
	if r.Status() != kernel.RunDone {
		t.Errorf("an ended session is %s, want done", r.Status())
	}
	shown, err := state(r, nil)
	if err != nil || len(shown) != 1 || shown[0].Path != "workspace/sessions/s/session.json" {
		t.Fatalf("state is %v, %v", shown, err)
	}
	var got Document
	if err := json.Unmarshal(shown[0].Body, &got); err != nil {
		t.Fatal(err)
	}
	a, g := digest.Of([]byte("a")), digest.Of([]byte("g"))
	want := Document{SessionName: "s", SessionID: "session-s-1", Status: Cancelled, CreatedBy: "ann", CreatedAt: by.At, ClosedAt: &by.At,
		Files:     []DocumentFile{{Path: "a b.md", State: "copied", BaseSHA256: &a}, {Path: "new.md", State: "created"}},
		Deleted:   []DocumentFile{{Path: "gone.md", State: "deleted", BaseSHA256: &g}},
		Workflows: []string{"w1"}, Retries: []Retry{{WorkflowID: "w1", Step: "step/4", Attempt: 2, Reason: "Mira is absent"}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("session.json (-want +got):\n%s", diff)
	}
}

// TestAnyPathHasANode draws paths: none may be refused by the kernel, and no two may share a node.
func TestAnyPathHasANode(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		part := rapid.StringMatching(`[^/\x00]{1,40}`)
		paths := rapid.SliceOfNDistinct(rapid.Custom(func(t *rapid.T) string {
			return strings.Join(rapid.SliceOfN(part.Filter(func(s string) bool { return s != "." && s != ".." }), 1, 8).Draw(t, "parts"), "/")
		}), 1, 5, rapid.ID[string]).Draw(t, "paths")
		r := kernel.NewRun()
		open := Open("s", 1, "ann")
		open.Stamp = by
		if _, err := kernel.Apply(r, open); err != nil {
			t.Fatal(err)
		}
		for i, p := range paths {
			acts, err := RecordBases(by, Read(r), Touch{Path: p, Body: []byte(fmt.Sprint(i)), There: true})
			apply(t, r, acts, err)
		}
		rec := Read(r)
		for i, p := range paths {
			if f, ok := rec.File(p); !ok || f.Base != digest.Of([]byte(fmt.Sprint(i))) {
				t.Fatalf("path %q has file %+v, %v", p, f, ok)
			}
		}
	})
}

func TestRetries(t *testing.T) {
	r := kernel.NewRun()
	do := func(c kernel.Command) {
		t.Helper()
		if _, err := kernel.Apply(r, c); err != nil {
			t.Fatal(err)
		}
	}
	do(kernel.Open{Stamp: by, Run: "w1", Line: "scene", Nodes: []kernel.Node{{ID: "step/4", Kind: kernel.Make, Performer: kernel.Engine,
		Attempts: 3, Gate: kernel.Gate{Rule: "compliance", Revision: 1}}}})
	for _, pass := range []bool{false, true} {
		do(kernel.Begin{Stamp: by, Node: "step/4"})
		n, _ := r.Node("step/4")
		body := []byte(fmt.Sprint("draft ", pass))
		rule := &kernel.RuleResult{Rule: "compliance", Revision: 1, Pass: pass}
		if !pass {
			rule.Findings = []kernel.Finding{{Code: "absent", Message: "Boris is absent"}}
		}
		do(kernel.Deliver{Stamp: by, Attempt: n.Open().ID, Content: kernel.Content{Digest: digest.Of(body), Size: int64(len(body))}, Rule: rule})
	}
	want := []Retry{{WorkflowID: "w1", Step: "step/4", Attempt: 2, Reason: "Boris is absent"}}
	if diff := cmp.Diff(want, Retries(r)); diff != "" {
		t.Errorf("retries (-want +got):\n%s", diff)
	}
}
