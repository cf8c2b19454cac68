package engine_test

import (
	"slices"
	"testing"

	"sluice/internal/engine"
	"sluice/internal/kernel"
	"sluice/internal/line"
)

// TestWantsAreSuppliedAndRecorded: a step asks for versions beside its needs, gets those that are approved, and they are
// parents of what it makes.
func TestWantsAreSuppliedAndRecorded(t *testing.T) {
	h := newHouse(t, polite)
	said := func(in line.In) (line.Move, error) {
		return line.Move{Done: &line.Out{Body: []byte("I am " + string(in.Node.ID)), Schema: "text/plain"}}, nil
	}
	h.Lines["wants"] = &line.Line{Name: "wants", Steps: map[string]line.Step{
		"say": said,
		"gather": func(in line.In) (line.Move, error) {
			if lacking := in.Lacking("a", "b", "unknown"); len(lacking) > 0 {
				return line.Move{Wants: lacking}, nil
			}
			if len(in.Replies) == 0 {
				return line.Move{Calls: []line.Call{{Slot: "1", Agent: "writer"}}}, nil
			}
			body := ""
			for _, d := range in.Inputs {
				body += string(d.Body) + "\n"
			}
			return line.Move{Done: &line.Out{Body: []byte(body), Schema: "text/plain"}}, nil
		},
	}}
	node := func(id kernel.NodeID, step string, needs ...kernel.Need) kernel.Node {
		return kernel.Node{ID: id, Kind: kernel.Make, Step: step, Performer: kernel.Engine, Attempts: 1, Needs: needs}
	}
	waiting := node("b", "say")
	waiting.Gate.Person = true
	r, err := h.OpenAndDrive(t.Context(), kernel.Open{Stamp: ann(h), Run: "w1", Line: "wants", Nodes: []kernel.Node{
		node("a", "say"), waiting, node("c", "say"), node("all", "gather", kernel.Need{Node: "c"})}}, engine.Plan{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	v := r.Approved("all")
	if v == nil {
		t.Fatal("nothing was gathered")
	}
	if want := []kernel.VersionID{"c@1", "a@1"}; !slices.Equal(v.Parents, want) {
		t.Errorf("parents are %v, want %v: b is not approved", v.Parents, want)
	}
	body, err := h.Journal.Blob(t.Context(), "w1", v.Seq, v.Digest)
	if want := "I am c\nI am a\n"; err != nil || string(body) != want {
		t.Errorf("got %q %v, want %q", body, err, want)
	}
}

// TestNextMakesMoreToDo: when nothing is left in scope the plan says what comes next, in the same drive.
func TestNextMakesMoreToDo(t *testing.T) {
	h := newHouse(t, polite)
	h.Lines["next"] = &line.Line{Name: "next", Steps: map[string]line.Step{"say": func(in line.In) (line.Move, error) {
		return line.Move{Done: &line.Out{Body: []byte(in.Node.ID), Schema: "text/plain"}}, nil
	}}}
	node := func(id kernel.NodeID) kernel.Node {
		return kernel.Node{ID: id, Kind: kernel.Make, Step: "say", Performer: kernel.Engine, Attempts: 1}
	}
	if _, err := h.Open(t.Context(), kernel.Open{Stamp: ann(h), Run: "n1", Line: "next", Nodes: []kernel.Node{node("a"), node("never")}}); err != nil {
		t.Fatal(err)
	}
	more := []kernel.NodeID{"b", "c"}
	r, err := h.Drive(t.Context(), "n1", engine.Plan{
		Only: func(n kernel.Node) bool { return n.ID != "never" },
		Next: func(l engine.Look) ([]engine.Act, error) {
			if len(more) == 0 {
				return nil, nil
			}
			next := node(more[0])
			more = more[1:]
			return []engine.Act{{Command: kernel.Unfold{Stamp: ann(h), Nodes: []kernel.Node{next}}}}, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []kernel.NodeID{"a", "b", "c"} {
		if r.Approved(id) == nil {
			t.Errorf("%s was not made", id)
		}
	}
	if r.Approved("never") != nil {
		t.Error("what is out of scope was made")
	}
	if _, err := h.Drive(t.Context(), "n1", engine.Plan{}); err != nil {
		t.Errorf("the lease was not given back: %v", err)
	}
}
