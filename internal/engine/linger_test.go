package engine_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"sluice/internal/engine"
	"sluice/internal/kernel"
	"sluice/internal/line"
)

const ms = time.Millisecond

// slowModel takes its time, by the node that asks.
type slowModel struct {
	*scriptModel
	delays map[kernel.NodeID]time.Duration
}

func (m slowModel) Ask(ctx context.Context, at engine.Place, c line.Call) (line.Reply, error) {
	time.Sleep(m.delays[at.Node])
	return m.scriptModel.Ask(ctx, at, c)
}

// TestResultsThatComeTogetherShareACommit drives texts that take their time, side by side. One commit stores the definition
// and one begins them; what comes within a moment of the first result is committed with it.
func TestResultsThatComeTogetherShareACommit(t *testing.T) {
	const texts = `{"title":"three","nodes":[
	{"id":"a","kind":"make","step":"write","performer":"engine","attempts":1,"params":{"path":"a.md","words":3}},
	{"id":"b","kind":"make","step":"write","performer":"engine","attempts":1,"params":{"path":"b.md","words":3}},
	{"id":"c","kind":"make","step":"write","performer":"engine","attempts":1,"params":{"path":"c.md","words":3}}]}`
	for name, c := range map[string]struct {
		delays  map[kernel.NodeID]time.Duration // of the calls
		commits int64
	}{
		"together":  {map[kernel.NodeID]time.Duration{"a": 100 * ms, "b": 105 * ms, "c": 115 * ms}, 3},
		"one later": {map[kernel.NodeID]time.Duration{"a": 100 * ms, "b": 105 * ms, "c": 130 * ms}, 4},
		"apart":     {map[kernel.NodeID]time.Duration{"a": 100 * ms, "b": 1000 * ms, "c": 5000 * ms}, 5},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHouse(t, polite)
				h.Model = slowModel{h.model, c.delays}
				r, err := h.OpenAndDrive(t.Context(), h.open(t, "r1", texts), engine.Plan{})
				if err != nil {
					t.Fatal(err)
				}
				mustStatus(t, r, kernel.RunDone)
				if got := h.store.Commits(); got != c.commits {
					t.Errorf("%d commits, want %d", got, c.commits)
				}
			})
		})
	}
}

// TestWhatCanGoOnDoesNotWait has steps without a model follow a text while another text is being written.
func TestWhatCanGoOnDoesNotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, polite)
		h.Model = slowModel{h.model, map[kernel.NodeID]time.Duration{"a": 100 * ms, "e": 10000 * ms}}
		began := time.Now()
		done := map[kernel.NodeID]time.Duration{}
		h.Observe = func(_ *kernel.Run, events []kernel.Event) {
			for _, e := range events {
				if f, ok := e.Fact.(kernel.VersionStored); ok {
					done[f.Version.Node] = time.Since(began)
				}
			}
		}
		_, err := h.OpenAndDrive(t.Context(), h.open(t, "r1", `{"title":"chain","nodes":[
	{"id":"a","kind":"make","step":"write","performer":"engine","attempts":1,"params":{"path":"a.md","words":3}},
	{"id":"b","kind":"make","step":"assemble","performer":"engine","attempts":1,"needs":[{"node":"a"}],"params":{"path":"b.md"}},
	{"id":"c","kind":"make","step":"assemble","performer":"engine","attempts":1,"needs":[{"node":"b"}],"params":{"path":"c.md"}},
	{"id":"d","kind":"make","step":"assemble","performer":"engine","attempts":1,"needs":[{"node":"c"}],"params":{"path":"d.md"}},
	{"id":"e","kind":"make","step":"write","performer":"engine","attempts":1,"params":{"path":"e.md","words":3}}]}`), engine.Plan{})
		if err != nil {
			t.Fatal(err)
		}
		for id, want := range map[kernel.NodeID]time.Duration{"a": 100 * ms, "b": 100 * ms, "c": 100 * ms, "d": 120 * ms, "e": 10000 * ms} {
			if got := done[id]; got != want {
				t.Errorf("%s stands after %s, want %s", id, got, want)
			}
		}
	})
}
