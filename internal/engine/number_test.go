package engine_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"sluice/internal/engine"
	"sluice/internal/journal"
	"sluice/internal/kernel"
	"sluice/internal/line"
)

// counting is a line whose step wants numbers, and whose files show what happened.
func counting(fail bool) *line.Line {
	return &line.Line{
		Name: "counting",
		Steps: map[string]line.Step{"count": func(in line.In) (line.Move, error) {
			if len(in.Numbers) == 0 {
				return line.Move{Numbers: []string{"E", "S", "E"}}, nil
			}
			if fail {
				return line.Move{}, errors.New("it does not go")
			}
			return line.Move{Done: &line.Out{Body: fmt.Append(nil, in.Numbers)}}, nil
		}},
		Records: func(h line.Happened) ([]line.File, error) {
			var files []line.File
			for _, e := range h.Events {
				if f, ok := e.Fact.(kernel.AttemptClosed); ok {
					files = append(files, line.File{Path: "closed/" + string(f.Node), Body: []byte(f.Snapshot.Outcome), Role: journal.Kept})
				}
			}
			return files, nil
		},
		Failure: func(in line.In, e kernel.StepError) (line.Move, error) {
			if len(in.Numbers) == 0 {
				return line.Move{Numbers: []string{"E"}}, nil
			}
			return line.Move{Done: &line.Out{Account: kernel.Account{Evidence: []kernel.Evidence{
				{ID: fmt.Sprintf("E-%d", in.Numbers[0]), Type: "log", Ref: "log", Excerpt: e.Message}}}}}, nil
		},
	}
}

func TestStepsGetNumbersThatNobodyElseHas(t *testing.T) {
	h := newHouse(t, polite)
	h.Engine.Counter = h.store
	h.Lines["counting"] = counting(false)
	var all []string
	for i := range 3 {
		id := fmt.Sprintf("c-%d", i)
		r, err := h.OpenAndDrive(t.Context(), kernel.Open{Stamp: ann(h), Run: kernel.RunID(id), Line: "counting", Nodes: []kernel.Node{
			{ID: "a", Kind: kernel.Make, Step: "count", Performer: kernel.Engine, Attempts: 1}}}, engine.Plan{})
		if err != nil {
			t.Fatal(err)
		}
		mustStatus(t, r, kernel.RunDone)
		body, err := h.store.Blob(t.Context(), id, r.Approved("a").Seq, r.Approved("a").Digest)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, string(body))
	}
	if want := []string{"[1 1 2]", "[3 2 4]", "[5 3 6]"}; !slices.Equal(all, want) {
		t.Errorf("the numbers are %v, want %v", all, want)
	}
}

func TestFailuresAreToldAndShown(t *testing.T) {
	h := newHouse(t, polite)
	h.Engine.Counter = h.store
	h.Lines["counting"] = counting(true)
	r, err := h.OpenAndDrive(t.Context(), kernel.Open{Stamp: ann(h), Run: "c", Line: "counting", Nodes: []kernel.Node{
		{ID: "a", Kind: kernel.Make, Step: "count", Performer: kernel.Engine, Attempts: 1}}}, engine.Plan{})
	if err != nil {
		t.Fatal(err)
	}
	mustStatus(t, r, kernel.RunFailed)
	if e := r.Evidence(); len(e) != 1 || e[0].ID != "E-3" {
		t.Errorf("the failure left the evidence %+v", e)
	}
	if got, err := h.tree.Read("closed/a"); err != nil || string(got) != string(kernel.Failed) {
		t.Errorf("the record shows %q, %v", got, err)
	}
}
