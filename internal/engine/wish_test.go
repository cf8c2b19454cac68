package engine_test

import (
	"testing"

	"sluice/internal/digest"
	"sluice/internal/engine"
	"sluice/internal/kernel"
)

func TestWishIsAskedAgainWhenTheRunMovedOn(t *testing.T) {
	dir := t.TempDir()
	h, other := openHouse(t, dir, polite), openHouse(t, dir, polite)
	if _, err := h.OpenAndDrive(t.Context(), h.open(t, "r1", draft("{}")), engine.Plan{}); err != nil {
		t.Fatal(err)
	}
	fuse := &fuseJournal{Journal: h.Journal}
	fuse.conflicts.Store(1)
	note := func(h *house, id string) engine.Act {
		return engine.Act{Command: kernel.Record{Stamp: ann(h), Evidence: []kernel.Evidence{{ID: id, Type: "note", Ref: "x", Hash: digest.Of(nil)}}}}
	}
	fuse.meanwhile = func() {
		if _, err := other.Do(t.Context(), "r1", note(other, "theirs")); err != nil {
			t.Error(err)
		}
	}
	h.Journal = fuse
	asked := 0
	r, err := h.DoWish(t.Context(), "r1", func(l engine.Look) ([]engine.Act, error) {
		asked++
		if seen := len(l.Run().Evidence()); seen != asked-1 {
			t.Errorf("the wish sees %d pieces of evidence when it is asked for time %d", seen, asked)
		}
		return []engine.Act{note(h, "mine")}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if asked != 2 || len(r.Evidence()) != 2 {
		t.Errorf("asked %d times, %d pieces of evidence, want 2 and 2", asked, len(r.Evidence()))
	}
}

func TestPerformRecordsNothing(t *testing.T) {
	h := newHouse(t, polite)
	open := h.open(t, "r1", `{"title":"two","nodes":[
	{"id":"text","kind":"make","step":"text","performer":"engine","attempts":2,"params":{"text":"one"}},
	{"id":"by-model","kind":"make","step":"write","performer":"engine","attempts":2}]}`)
	open.Stamp = ann(h)
	if _, err := h.OpenWith(t.Context(), open); err != nil {
		t.Fatal(err)
	}
	r, err := h.DoWish(t.Context(), "r1", func(l engine.Look) ([]engine.Act, error) {
		p, err := l.Perform(t.Context(), "text")
		if err != nil || string(p.Out.Body) != "one" || p.Content.Digest != digest.Of([]byte("one")) {
			t.Errorf("got %+v %v", p, err)
		}
		if _, err := l.Perform(t.Context(), "by-model"); err == nil {
			t.Error("a step that asks a model is performed")
		}
		return nil, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if n, _ := r.Node("text"); n.Status() != kernel.StatusReady || n.Attempts() != 0 {
		t.Errorf("text is %s after %d attempts", n.Status(), n.Attempts())
	}
}
