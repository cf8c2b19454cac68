package engine_test

import (
	"testing"
	"testing/synctest"
	"time"

	"sluice/internal/engine"
	"sluice/internal/kernel"
	"sluice/internal/line"
)

// TestResultsThatComeTogetherShareACommit drives texts that take their time, side by side. One commit stores the definition
// and one begins them; what comes within a moment of the first result is committed with it.
func TestResultsThatComeTogetherShareACommit(t *testing.T) {
	const texts = `{"title":"three","nodes":[
	{"id":"a","kind":"make","step":"write","performer":"engine","attempts":1,"params":{"path":"a.md","words":3}},
	{"id":"b","kind":"make","step":"write","performer":"engine","attempts":1,"params":{"path":"b.md","words":3}},
	{"id":"c","kind":"make","step":"write","performer":"engine","attempts":1,"params":{"path":"c.md","words":3}}]}`
	for name, c := range map[string]struct {
		delays  []time.Duration // of the calls, in the order in which they are made
		commits int64
	}{
		"together":  {[]time.Duration{100, 105, 115}, 3},
		"one later": {[]time.Duration{100, 105, 130}, 4},
		"apart":     {[]time.Duration{100, 1000, 5000}, 5},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHouse(t, nil)
				delays := make(chan time.Duration, len(c.delays))
				for _, d := range c.delays {
					delays <- d * time.Millisecond
				}
				h.model.answer = func(call line.Call) (string, error) {
					time.Sleep(<-delays)
					return polite(call)
				}
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
		h := newHouse(t, nil)
		delays := make(chan time.Duration, 2)
		delays <- 100 * time.Millisecond
		delays <- 10 * time.Second
		h.model.answer = func(c line.Call) (string, error) {
			time.Sleep(<-delays)
			return polite(c)
		}
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
		if done["e"] < done["a"] { // which of the two was asked first is not said
			done["a"], done["e"] = done["e"], done["a"]
		}
		t.Log(done)
		for id, want := range map[kernel.NodeID]time.Duration{"a": 100, "b": 100, "c": 100, "d": 120, "e": 10000} {
			if got := done[id]; got != want*time.Millisecond {
				t.Errorf("%s stands after %s, want %d ms", id, got, want)
			}
		}
	})
}
