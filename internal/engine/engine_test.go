package engine_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync"
	"testing"
	"time"

	"sluice/internal/engine"
	"sluice/internal/kernel"
	"sluice/internal/line"
	"sluice/internal/line/sample"
	"sluice/internal/sqlitestore"
	"sluice/internal/workspace"
)

// scriptModel answers by agent and remembers what it was asked.
type scriptModel struct {
	mu     sync.Mutex
	asked  []string
	isReal bool
	answer func(c line.Call) (string, error)
}

func (m *scriptModel) Class() string {
	if m.isReal {
		return kernel.ProviderReal
	}
	return kernel.ProviderRehearsal
}

func (m *scriptModel) Ask(ctx context.Context, at engine.Place, c line.Call) (line.Reply, error) {
	m.mu.Lock()
	m.asked = append(m.asked, c.Agent)
	m.mu.Unlock()
	text, err := m.answer(c)
	if err != nil {
		return line.Reply{}, err
	}
	return line.Reply{Content: text, Provider: m.Class(), Usage: kernel.Usage{Calls: 1, InputTokens: 10, OutputTokens: 5}}, nil
}

// polite writes enough words and finds no fault.
func polite(c line.Call) (string, error) {
	switch c.Agent {
	case "sample-judge":
		return `{"score": 95, "summary": "good", "findings": []}`, nil
	case "sample-variants":
		return `{"variants":[{"text":"plain"},{"text":"warm"}]}`, nil
	}
	text := ""
	for range 80 {
		text += "word "
	}
	return text, nil
}

type house struct {
	*engine.Engine
	store *sqlitestore.Store
	tree  *workspace.Tree
	model *scriptModel
}

func newHouse(t *testing.T, answer func(line.Call) (string, error)) *house {
	t.Helper()
	return openHouse(t, t.TempDir(), answer)
}

func openHouse(t *testing.T, dir string, answer func(line.Call) (string, error)) *house {
	t.Helper()
	ctx := t.Context()
	store, err := sqlitestore.Open(ctx, dir+"/.sluice", sqlitestore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	tree, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close(); tree.Close() })
	l, err := sample.New()
	if err != nil {
		t.Fatal(err)
	}
	m := &scriptModel{answer: answer}
	return &house{store: store, tree: tree, model: m, Engine: &engine.Engine{
		Journal: store, Leaser: store, Folds: store, Files: workspace.NewCheckouts(tree, store, store, nil), Model: m,
		Lines: map[string]*line.Line{l.Name: l}, Now: time.Now, Log: slog.New(slog.DiscardHandler),
	}}
}

func ann(h *house) kernel.Stamp {
	return kernel.Stamp{By: kernel.Actor{Kind: kernel.Person, Name: "ann", Via: "cli"}, At: h.Now()}
}

func (h *house) open(t *testing.T, id, definition string) kernel.Open {
	t.Helper()
	d, err := sample.ParseDefinition([]byte(definition))
	if err != nil {
		t.Fatal(err)
	}
	c, err := sample.Open(kernel.RunID(id), d)
	if err != nil {
		t.Fatal(err)
	}
	c.Stamp = ann(h)
	return c
}

func mustStatus(t *testing.T, r *kernel.Run, want kernel.RunStatus) {
	t.Helper()
	if r.Status() != want {
		for n := range r.Nodes() {
			t.Logf("%s %s %v", n.ID(), n.Status(), n.Failure())
		}
		t.Fatalf("run is %s, want %s", r.Status(), want)
	}
}

func firstAsk(t *testing.T, r *kernel.Run) *kernel.Ask {
	t.Helper()
	for a := range r.OpenAsks() {
		return a
	}
	t.Fatal("no ask is open")
	return nil
}

func TestDemoRunsThroughItsGates(t *testing.T) {
	h := newHouse(t, polite)
	r, err := h.OpenAndDrive(t.Context(), h.open(t, "r1", string(sample.Demo())), engine.Plan{})
	if err != nil {
		t.Fatal(err)
	}
	mustStatus(t, r, kernel.RunParked)
	if _, err := h.Do(t.Context(), "r1", engine.Act{Command: kernel.Answer{Stamp: ann(h), Ask: firstAsk(t, r).ID, Choice: "B"}}); err != nil {
		t.Fatal(err)
	}
	if r, err = h.Drive(t.Context(), "r1", engine.Plan{}); err != nil {
		t.Fatal(err)
	}
	mustStatus(t, r, kernel.RunParked)
	body, err := h.tree.Read("sample/r1/announcement.md")
	if err != nil || len(body) < 100 {
		t.Fatalf("the announcement is not checked out: %q %v", body, err)
	}
	if _, err := h.Do(t.Context(), "r1", engine.Act{Command: kernel.Answer{Stamp: ann(h), Ask: firstAsk(t, r).ID, Choice: "approve"}}); err != nil {
		t.Fatal(err)
	}
	if r, err = h.Drive(t.Context(), "r1", engine.Plan{}); err != nil {
		t.Fatal(err)
	}
	mustStatus(t, r, kernel.RunDone)
	state, err := h.tree.Read("sample/r1/state.json")
	var doc struct{ Status string }
	if err != nil || json.Unmarshal(state, &doc) != nil || doc.Status != "done" {
		t.Fatalf("state file: %s %v", state, err)
	}
	t.Logf("asked %v; commits %d", h.model.asked, h.store.Commits())
}
