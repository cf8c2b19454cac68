package export

import (
	"context"
	"encoding/json"
	"testing"
	"testing/fstest"
	"time"

	"sluice/internal/digest"
	"sluice/internal/fault"
	"sluice/internal/kernel"
)

var (
	began  = time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	export = time.Date(2026, 3, 2, 12, 30, 0, 0, time.UTC)
	anna   = kernel.Actor{Kind: kernel.Person, Name: "anna", Via: "cli"}
	engine = kernel.Actor{Kind: kernel.Engine}
)

// story is a run with the bytes of its versions, told by commands.
type story struct {
	t      *testing.T
	run    *kernel.Run
	now    time.Time
	bodies map[digest.Digest][]byte
}

func newStory(t *testing.T, nodes ...kernel.Node) *story {
	t.Helper()
	s := &story{t: t, run: kernel.NewRun(), now: began, bodies: map[digest.Digest][]byte{}}
	s.do(kernel.Open{Stamp: s.by(anna), Run: "r1", Line: "novel", Title: "Der Fluß & das 川", Nodes: nodes})
	return s
}

func (s *story) by(a kernel.Actor) kernel.Stamp {
	s.now = s.now.Add(time.Minute)
	return kernel.Stamp{By: a, At: s.now}
}

func (s *story) do(c kernel.Command) {
	s.t.Helper()
	if _, err := kernel.Apply(s.run, c); err != nil {
		s.t.Fatalf("%T: %v", c, err)
	}
}

func (s *story) keep(body string) (digest.Digest, int64) {
	d := digest.Of([]byte(body))
	s.bodies[d] = []byte(body)
	return d, int64(len(body))
}

// begin opens an attempt and gives its id.
func (s *story) begin(id kernel.NodeID) kernel.AttemptID {
	s.t.Helper()
	s.do(kernel.Begin{Stamp: s.by(engine), Node: id})
	n, _ := s.run.Node(id)
	return n.Open().ID
}

// deliver makes a version, of parts if any are given.
func (s *story) deliver(id kernel.NodeID, body, provider string, parts ...string) {
	s.t.Helper()
	c := kernel.Content{Schema: "text/markdown"}
	c.Digest, c.Size = s.keep(body)
	for i := 0; i < len(parts); i += 2 {
		p := kernel.Part{Path: parts[i]}
		p.Digest, p.Size = s.keep(parts[i+1])
		c.Parts = append(c.Parts, p)
	}
	var rule *kernel.RuleResult
	if n, _ := s.run.Node(id); n.Node().Gate.Rule != "" {
		rule = &kernel.RuleResult{Rule: n.Node().Gate.Rule, Revision: n.Node().Gate.Revision, Pass: true}
	}
	s.do(kernel.Deliver{Stamp: s.by(engine), Attempt: s.begin(id), Content: c, Rule: rule, Account: kernel.Account{Provider: provider}})
}

func (s *story) check(id kernel.NodeID, verdict kernel.Verdict, score float64) {
	s.t.Helper()
	s.do(kernel.Judge{Stamp: s.by(engine), Attempt: s.begin(id), Verdict: verdict, Review: kernel.Review{Score: &score}})
}

func (s *story) judge(id kernel.NodeID, verdict kernel.Verdict) {
	s.t.Helper()
	s.do(kernel.Judge{Stamp: s.by(anna), Node: id, Verdict: verdict})
}

// Blob makes a story the bodies of its own export.
func (s *story) Blob(_ context.Context, _ string, _ int64, d digest.Digest) ([]byte, error) {
	b, ok := s.bodies[d]
	if !ok {
		return nil, fault.New(fault.NotFound, string(d), "no bytes %s", d.Short())
	}
	return b, nil
}

func (s *story) plan(sel Selection) (Manifest, []Item) {
	s.t.Helper()
	sel.At = export
	m, items, err := Plan(s.run, sel)
	if err != nil {
		s.t.Fatal(err)
	}
	return m, items
}

func makeNode(id kernel.NodeID, title string, gate kernel.Gate) kernel.Node {
	return kernel.Node{ID: id, Kind: kernel.Make, Title: title, Performer: kernel.Engine, Attempts: 3, Gate: gate}
}

// book is a story with every kind of approval: by no rule, by a rule, by a check, by a person, and none.
func book(t *testing.T) *story {
	s := newStory(t,
		makeNode("world", "World <1>", kernel.Gate{}),
		makeNode("chapter/001/text", "Chapter 1", kernel.Gate{Checks: true}),
		kernel.Node{ID: "chapter/001/logic", Kind: kernel.Check, Target: "chapter/001/text", Performer: kernel.Engine, Attempts: 3},
		makeNode("chapter/002/text", "第二章", kernel.Gate{Person: true}),
		makeNode("chapter/003/text", "Chapter 3", kernel.Gate{Person: true}),
		makeNode("kit", "Kit", kernel.Gate{Rule: "parts", Revision: 2}),
		makeNode("late", "Late", kernel.Gate{Person: true}))
	s.deliver("world", "a world\n", kernel.ProviderRehearsal)
	s.deliver("chapter/001/text", "one\n", "")
	s.check("chapter/001/logic", kernel.ForIt, 91.5)
	s.deliver("chapter/002/text", "二\n", "")
	s.judge("chapter/002/text", kernel.ForIt)
	s.deliver("chapter/003/text", "three\n", "")
	s.judge("chapter/003/text", kernel.AgainstIt)
	s.deliver("kit", "list\n", "", "index.html", "<p>", "css/a.css", "p{}")
	return s
}

// mapTree holds directories in memory.
type mapTree struct{ dirs map[string]fstest.MapFS }

func (m *mapTree) write(t *testing.T, dir string, man Manifest, items []Item, bodies Bodies) error {
	t.Helper()
	return Write(t.Context(), m, dir, man, items, bodies)
}

func mustJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
