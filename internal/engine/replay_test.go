package engine_test

import (
	"errors"
	"strings"
	"testing"

	"sluice/internal/engine"
	"sluice/internal/kernel"
	"sluice/internal/line"
	"sluice/internal/line/sample"
)

// demo drives the demo's run to its second gate.
func demo(t *testing.T) *house {
	t.Helper()
	h := newHouse(t, polite)
	r, err := h.OpenAndDrive(t.Context(), h.open(t, "r1", string(sample.Demo())), engine.Plan{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.Do(t.Context(), "r1", engine.Act{Command: kernel.Answer{Stamp: ann(h), Ask: firstAsk(t, r).ID, Choice: "B"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Drive(t.Context(), "r1", engine.Plan{}); err != nil {
		t.Fatal(err)
	}
	return h
}

// replayed replays with replies of a function.
func (h *house) replayed(t *testing.T, answer func(line.Call) (string, error)) *engine.Repeated {
	t.Helper()
	before, err := h.Load(t.Context(), "r1")
	if err != nil {
		t.Fatal(err)
	}
	out, err := h.Replay(t.Context(), "r1", engine.Replaying{Model: &scriptModel{answer: answer}})
	if err != nil {
		t.Fatal(err)
	}
	after, err := h.Load(t.Context(), "r1")
	if err != nil {
		t.Fatal(err)
	}
	if before.Seq() != after.Seq() {
		t.Errorf("a replay appended %d events", after.Seq()-before.Seq())
	}
	return out
}

func TestReplayComesOutTheSame(t *testing.T) {
	out := demo(t).replayed(t, polite)
	if out.Difference != nil || len(out.Skipped) > 0 {
		t.Fatalf("%+v, skipped %+v", out.Difference, out.Skipped)
	}
	if out.Steps != 4 || out.Versions != 3 || out.Results != 2 {
		t.Errorf("%+v; want 4 steps, 3 versions, a rule and a verdict", out)
	}
}

func TestReplayShowsTheFirstDifference(t *testing.T) {
	h := demo(t)
	for name, c := range map[string]struct {
		answer func(line.Call) (string, error)
		node   kernel.NodeID
		what   string
	}{
		"another text": {func(c line.Call) (string, error) {
			text, err := polite(c)
			if c.Agent == "sample-write" {
				text = strings.Replace(text, "word", "ward", 1)
			}
			return text, err
		}, "text", "content"},
		"another verdict": {func(c line.Call) (string, error) {
			if c.Agent == "sample-judge" {
				return `{"score": 94, "summary": "good", "findings": []}`, nil
			}
			return polite(c)
		}, "text/review", "result"},
		"a reply that is not there": {func(c line.Call) (string, error) {
			if c.Agent == "sample-judge" {
				return "", errors.New("no reply is recorded")
			}
			return polite(c)
		}, "text/review", "reply"},
	} {
		t.Run(name, func(t *testing.T) {
			d := h.replayed(t, c.answer).Difference
			if d == nil || d.Node != c.node || d.What != c.what || d.Seq == 0 || d.Recorded == d.Repeated {
				t.Errorf("got %+v, want %s of %s", d, c.what, c.node)
			}
		})
	}
}

func TestReplayOfWhatFailed(t *testing.T) {
	h := newHouse(t, outage)
	if _, err := h.OpenAndDrive(t.Context(), h.open(t, "r1", draft(`{}`)), engine.Plan{}); err != nil {
		t.Fatal(err)
	}
	out := h.replayed(t, outage)
	if out.Difference != nil || len(out.Skipped) != 1 || out.Steps != 0 {
		t.Errorf("%+v; want one attempt that cannot be repeated", out)
	}
}

func TestReplayOfSomeNodes(t *testing.T) {
	h := demo(t)
	out, err := h.Replay(t.Context(), "r1", engine.Replaying{Model: &scriptModel{answer: polite}, Only: func(n kernel.NodeID) bool { return n == "text" }})
	if err != nil || out.Steps != 1 || out.Versions != 1 {
		t.Errorf("%+v %v", out, err)
	}
}
