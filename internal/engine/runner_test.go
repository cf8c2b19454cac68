package engine_test

import (
	"context"
	"errors"
	"testing"

	"sluice/internal/engine"
	"sluice/internal/fault"
	"sluice/internal/kernel"
	"sluice/internal/line"
)

// fakeRunner answers commands, and tells when one is under way.
type fakeRunner func(ctx context.Context, c line.Command) (line.Ran, error)

func (f fakeRunner) Run(ctx context.Context, c line.Command) (line.Ran, error) { return f(ctx, c) }

// tried is a line of one step that asks for a program and a model at once, and delivers what came of both.
func tried(h *house) {
	h.Lines["tried"] = &line.Line{Name: "tried", Definition: []byte("{}"), Steps: map[string]line.Step{"try": func(in line.In) (line.Move, error) {
		if len(in.Ran) == 0 {
			return line.Move{Commands: []line.Command{{Slot: "a", Files: []line.Part{{Path: "x", Body: []byte("x")}}}}, Calls: []line.Call{{Slot: "b", Agent: "b"}}}, nil
		}
		return line.Move{Done: &line.Out{Body: []byte(in.Ran[0].Slot + in.Ran[0].NotRun + in.Replies[0].Content)}}, nil
	}}}
}

func openTried(h *house) kernel.Open {
	return kernel.Open{Stamp: ann(h), Run: "r1", Line: "tried", Nodes: []kernel.Node{{ID: "n", Kind: kernel.Make, Step: "try", Performer: kernel.Engine, Attempts: 1}}}
}

func yes(line.Call) (string, error) { return "yes", nil }

func TestAStepGetsWhatItsProgramsSaid(t *testing.T) {
	h := newHouse(t, yes)
	tried(h)
	h.Runner = fakeRunner(func(_ context.Context, c line.Command) (line.Ran, error) {
		return line.Ran{Slot: c.Slot + string(c.Files[0].Body)}, nil
	})
	r, err := h.OpenAndDrive(t.Context(), openTried(h), engine.Plan{})
	if err != nil {
		t.Fatal(err)
	}
	mustStatus(t, r, kernel.RunDone)
	if body, err := h.store.Blob(t.Context(), "r1", r.Approved("n").Seq, r.Approved("n").Digest); err != nil || string(body) != "axyes" {
		t.Errorf("got %q, %v", body, err)
	}
}

func TestWithoutARunnerNothingIsRun(t *testing.T) {
	h := newHouse(t, yes)
	tried(h)
	r, err := h.OpenAndDrive(t.Context(), openTried(h), engine.Plan{})
	if err != nil {
		t.Fatal(err)
	}
	if body, err := h.store.Blob(t.Context(), "r1", r.Approved("n").Seq, r.Approved("n").Digest); err != nil || string(body) != "ano program is run hereyes" {
		t.Errorf("got %q, %v", body, err)
	}
}

func TestAProgramThatCannotBeStartedFailsTheNodeAndCountsNoAttempt(t *testing.T) {
	h := newHouse(t, yes)
	tried(h)
	h.Runner = fakeRunner(func(context.Context, line.Command) (line.Ran, error) {
		return line.Ran{}, fault.New(fault.CommandFailed, "x", "the program x was not started")
	})
	r, err := h.OpenAndDrive(t.Context(), openTried(h), engine.Plan{})
	if err != nil {
		t.Fatal(err)
	}
	mustStatus(t, r, kernel.RunFailed)
	if n, _ := r.Node("n"); n.Used() != 0 || n.Failure().Code != string(fault.CommandFailed) {
		t.Errorf("used %d, failure %+v", n.Used(), n.Failure())
	}
}

func TestAStoppedDriveEndsItsProgramsAndGoesOnLater(t *testing.T) {
	h := newHouse(t, yes)
	tried(h)
	ctx, stop := context.WithCancel(t.Context())
	h.Runner = fakeRunner(func(ctx context.Context, _ line.Command) (line.Ran, error) {
		stop()
		<-ctx.Done()
		return line.Ran{}, ctx.Err()
	})
	if _, err := h.OpenAndDrive(ctx, openTried(h), engine.Plan{}); fault.CodeOf(err) != fault.Interrupted || !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	h.Runner = nil
	r, err := h.Drive(t.Context(), "r1", engine.Plan{})
	if err != nil {
		t.Fatal(err)
	}
	mustStatus(t, r, kernel.RunDone)
}
