package doctor

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"testing"
	"time"

	"sluice/internal/digest"
	"sluice/internal/fault"
	"sluice/internal/journal"
	"sluice/internal/kernel"
)

// memStore keeps runs in memory, open to every damage.
type memStore struct {
	order       []string
	heads       map[string]journal.RunInfo
	batches     map[string][]journal.Stored
	blobs       map[string]map[digest.Digest][]byte // by run
	rows        map[string][]journal.Ask
	definitions map[digest.Digest][]byte
	pages       int
	onLoad      func() // a neighbour that is busy meanwhile
}

func newStore() *memStore {
	return &memStore{heads: map[string]journal.RunInfo{}, batches: map[string][]journal.Stored{}, blobs: map[string]map[digest.Digest][]byte{},
		rows: map[string][]journal.Ask{}, definitions: map[digest.Digest][]byte{}}
}

func (m *memStore) Run(_ context.Context, id string) (journal.RunInfo, error) {
	h, ok := m.heads[id]
	if !ok {
		return h, fault.New(fault.UnknownRun, id, "run %s is not in this workspace", id)
	}
	return h, nil
}

func (m *memStore) List(_ context.Context, f journal.Filter) (journal.RunPage, error) {
	m.pages++
	from, _ := strconv.Atoi(f.Cursor)
	var page journal.RunPage
	for i := from; i < len(m.order); i++ {
		if len(page.Runs) == 2 { // a store may give fewer than asked for
			page.Next = strconv.Itoa(i)
			break
		}
		page.Runs = append(page.Runs, m.heads[m.order[i]])
	}
	return page, nil
}

func (m *memStore) Load(_ context.Context, run string, after int64) ([]journal.Stored, error) {
	if m.onLoad != nil {
		m.onLoad()
	}
	return slices.DeleteFunc(slices.Clone(m.batches[run]), func(b journal.Stored) bool { return b.Last <= after }), nil
}

func (m *memStore) Blob(_ context.Context, run string, _ int64, d digest.Digest) ([]byte, error) {
	b, ok := m.blobs[run][d]
	if !ok {
		return nil, fault.New(fault.NotFound, string(d), "no bytes %s", d.Short())
	}
	if digest.Of(b) != d {
		return nil, fault.New(fault.StoreCorrupt, string(d), "bytes %s are damaged", d.Short())
	}
	return b, nil
}

func (m *memStore) Definition(_ context.Context, d digest.Digest) ([]byte, error) {
	b, ok := m.definitions[d]
	if !ok {
		return nil, fault.New(fault.NotFound, string(d), "definition %s is not stored", d.Short())
	}
	return b, nil
}

func (m *memStore) Asks(_ context.Context, run string, _ bool) ([]journal.Ask, error) {
	return m.rows[run], nil
}

// story is a run told by commands, one batch each.
type story struct {
	t     testing.TB
	store *memStore
	id    kernel.RunID
	run   *kernel.Run
	now   time.Time
	copy  func(journal.Batch) // gets every batch too, if set
}

var (
	anna   = kernel.Actor{Kind: kernel.Person, Name: "anna", Via: "cli"}
	worker = kernel.Actor{Kind: kernel.Engine}
)

func (s *story) by(a kernel.Actor) kernel.Stamp {
	s.now = s.now.Add(time.Minute)
	return kernel.Stamp{By: a, At: s.now}
}

// do applies a command and appends its batch with the bytes it names, as the engine does.
func (s *story) do(c kernel.Command, bodies ...string) {
	s.t.Helper()
	id, before := string(s.id), s.run.Seq()
	events, err := kernel.Apply(s.run, c)
	if err != nil {
		s.t.Fatalf("%T: %v", c, err)
	}
	s.append(before, events, bodies...)
	if _, there := s.store.heads[id]; !there {
		s.store.order = append(s.store.order, id)
	}
	s.store.heads[id] = journal.RunInfo{ID: id, Seq: s.run.Seq(), Head: journal.Head{Line: s.run.Line(), Title: s.run.Title(),
		Definition: s.run.Definition(), Status: string(s.run.Status()), Labels: maps.Clone(s.run.Labels())}}
	s.store.rows[id] = nil
	for a := range s.run.OpenAsks() {
		s.store.rows[id] = append(s.store.rows[id], s.row(a))
	}
	if s.copy != nil {
		s.copy(s.batch(before, events, bodies))
	}
}

func (s *story) row(a *kernel.Ask) journal.Ask {
	s.t.Helper()
	body, err := json.Marshal(a)
	if err != nil {
		s.t.Fatal(err)
	}
	return journal.Ask{ID: string(a.ID), Run: string(s.id), Node: string(a.Node), Kind: string(a.Kind), Title: a.Title,
		Version: string(a.Version), Digest: a.Digest, OpenedAt: a.OpenedAt, Open: a.IsOpen(), Body: body}
}

// batch is what was just done, as a real store takes it.
func (s *story) batch(after int64, events []kernel.Event, bodies []string) journal.Batch {
	stored := s.store.batches[string(s.id)]
	b := journal.Batch{Run: string(s.id), After: after, At: s.now, Count: len(events), Events: stored[len(stored)-1].Events,
		Head: s.store.heads[string(s.id)].Head}
	for _, body := range bodies {
		b.Blobs = append(b.Blobs, journal.Blob{Digest: digest.Of([]byte(body)), Body: []byte(body)})
	}
	for _, e := range events {
		var id kernel.AskID
		switch f := e.Fact.(type) {
		case kernel.AskOpened:
			id = f.Ask.ID
		case kernel.AskClosed:
			id = f.Ask
		}
		if a, ok := s.run.Ask(id); ok {
			b.Asks = append(b.Asks, s.row(a))
		}
	}
	return b
}

func (s *story) append(after int64, events []kernel.Event, bodies ...string) {
	s.t.Helper()
	raw, err := kernel.Encode(events)
	if err != nil {
		s.t.Fatal(err)
	}
	b := journal.Stored{First: after + 1, Last: after + int64(len(events)), At: s.now, Events: raw}
	for _, body := range bodies {
		d := digest.Of([]byte(body))
		b.Blobs = append(b.Blobs, d)
		s.store.blobs[string(s.id)][d] = []byte(body)
	}
	all := s.store.batches[string(s.id)]
	if len(all) > 0 {
		b.Prev = all[len(all)-1].Hash
	}
	s.store.batches[string(s.id)] = append(all, s.sealed(b))
}

// sealed gives the batch the hash of what it holds.
func (s *story) sealed(b journal.Stored) journal.Stored {
	b.Hash = journal.Chain(b.Prev, string(s.id), b.First, b.Last, b.At, b.Events, b.Blobs)
	return b
}

func (s *story) deliver(id kernel.NodeID, body string, parts ...string) {
	s.t.Helper()
	s.do(kernel.Begin{Stamp: s.by(worker), Node: id})
	n, _ := s.run.Node(id)
	content := kernel.Content{Digest: digest.Of([]byte(body)), Size: int64(len(body))}
	for _, p := range parts {
		content.Parts = append(content.Parts, kernel.Part{Path: p, Digest: digest.Of([]byte(p)), Size: int64(len(p))})
	}
	s.do(kernel.Deliver{Stamp: s.by(worker), Attempt: n.Open().ID, Content: content}, append([]string{body}, parts...)...)
}

// tell adds a run with versions, a bundle, a check, an approval and an open ask: 12 batches.
func tell(t testing.TB, store *memStore, id kernel.RunID) *story {
	t.Helper()
	return tellTo(t, store, id, nil)
}

func tellTo(t testing.TB, store *memStore, id kernel.RunID, sink func(journal.Batch)) *story {
	t.Helper()
	s := &story{t: t, store: store, id: id, run: kernel.NewRun(), now: time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC), copy: sink}
	store.blobs[string(id)] = map[digest.Digest][]byte{}
	definition := []byte("steps: [world, text]")
	store.definitions[digest.Of(definition)] = definition
	node := func(id kernel.NodeID, g kernel.Gate) kernel.Node {
		return kernel.Node{ID: id, Kind: kernel.Make, Title: string(id), Performer: kernel.Engine, Attempts: 3, Gate: g}
	}
	s.do(kernel.Open{Stamp: s.by(anna), Run: id, Line: "novel", Title: "a book", Definition: digest.Of(definition),
		Labels: map[string]string{"lang": "de"}, Nodes: []kernel.Node{node("world", kernel.Gate{}),
			node("text", kernel.Gate{Checks: true}), node("kit", kernel.Gate{Person: true}), node("late", kernel.Gate{Person: true}),
			{ID: "logic", Kind: kernel.Check, Target: "text", Performer: kernel.Engine, Attempts: 3}}})
	s.deliver("world", "a world")
	s.deliver("text", "once upon a time")
	s.do(kernel.Begin{Stamp: s.by(worker), Node: "logic"})
	n, _ := s.run.Node("logic")
	s.do(kernel.Judge{Stamp: s.by(worker), Attempt: n.Open().ID, Verdict: kernel.ForIt})
	s.deliver("kit", "list", "a.css", "b/c.js")
	s.do(kernel.Judge{Stamp: s.by(anna), Node: "kit", Verdict: kernel.ForIt})
	s.deliver("late", "a late version")
	return s
}
