package engine

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"sluice/internal/digest"
	"sluice/internal/kernel"
)

// TestNothingChangesUnreached makes random commands on random graphs: a node that shows anything else than before must be
// among those that the events reach.
func TestNothingChangesUnreached(t *testing.T) {
	changed, reachedInAll := 0, 0
	for seed := range uint64(1500) {
		w := walk{Rand: rand.New(rand.NewPCG(seed, 1)), run: kernel.NewRun(), at: time.Unix(1_000_000, 0).UTC()}
		if _, err := kernel.Apply(w.run, kernel.Open{Stamp: w.stamp(kernel.Person), Run: "r", Line: "walk", Nodes: w.graph(3 + w.IntN(9))}); err != nil {
			continue // a child may need what needs its group
		}
		for range 60 {
			before := w.shown()
			command := w.command()
			events, err := kernel.Apply(w.run, command)
			if err != nil {
				continue
			}
			ids := reached(w.run, events)
			reachedInAll += len(ids)
			for id, now := range w.shown() {
				if now == before[id] {
					continue
				}
				changed++
				if !slices.Contains(ids, id) {
					t.Fatalf("seed %d: %T changed %s from %s to %s, and the events do not reach it: %v", seed, command, id, before[id], now, ids)
				}
			}
		}
	}
	if changed < 10_000 {
		t.Errorf("only %d changes were seen", changed)
	}
	t.Logf("%d changes, %d nodes reached", changed, reachedInAll)
}

// TestAStepOfAHubReachesNoneOfThoseThatNeedIt holds the cost of steps that settle nothing.
func TestAStepOfAHubReachesNoneOfThoseThatNeedIt(t *testing.T) {
	nodes := []kernel.Node{{ID: "hub", Kind: kernel.Make, Performer: kernel.Engine, Attempts: 2, Gate: kernel.Gate{Person: true}}}
	for i := range 100 {
		nodes = append(nodes, kernel.Node{ID: kernel.NodeID(fmt.Sprint("n", i)), Kind: kernel.Make, Performer: kernel.Engine, Attempts: 1,
			Needs: []kernel.Need{{Node: "hub"}}})
	}
	w := walk{run: kernel.NewRun(), at: time.Unix(1_000_000, 0).UTC()}
	steps := []struct {
		command kernel.Command
		want    int
	}{
		{kernel.Open{Stamp: w.stamp(kernel.Person), Run: "r", Line: "walk", Nodes: nodes}, 101},
		{kernel.Begin{Stamp: w.stamp(kernel.Engine), Node: "hub"}, 1},
		{kernel.Deliver{Stamp: w.stamp(kernel.Engine), Attempt: "hub#1", Content: kernel.Content{Digest: digest.Of(nil)}}, 1},
		{kernel.Judge{Stamp: w.stamp(kernel.Person), Node: "hub", Verdict: kernel.ForIt}, 101},
		{kernel.Revise{Stamp: w.stamp(kernel.Person), Nodes: []kernel.NodeID{"hub"}}, 101},
	}
	for _, s := range steps {
		events, err := kernel.Apply(w.run, s.command)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(reached(w.run, events)); got != s.want {
			t.Errorf("%T reaches %d nodes, want %d", s.command, got, s.want)
		}
	}
}

type walk struct {
	*rand.Rand
	run  *kernel.Run
	at   time.Time
	said int
}

func (w *walk) stamp(by kernel.ActorKind) kernel.Stamp {
	w.at = w.at.Add(time.Second)
	return kernel.Stamp{By: kernel.Actor{Kind: by, Name: "ann"}, At: w.at}
}

// shown is what anyone may show of each node.
func (w *walk) shown() map[kernel.NodeID]string {
	all := map[kernel.NodeID]string{}
	for n := range w.run.Nodes() {
		text := fmt.Sprint(n.Status(), n.Attempts(), n.Used(), n.Reason(), n.Failure() != nil, len(n.Versions()))
		for _, v := range []*kernel.Version{n.Newest(), n.Approved()} {
			if v != nil {
				text += " " + string(v.ID)
			}
		}
		for _, a := range n.Asks() {
			text += " " + string(a.ID)
		}
		all[n.ID()] = text
	}
	return all
}

// graph draws nodes that need only earlier ones.
func (w *walk) graph(size int) []kernel.Node {
	var nodes []kernel.Node
	var known, makes, groups []kernel.NodeID
	pick := func(ids []kernel.NodeID) kernel.NodeID { return ids[w.IntN(len(ids))] }
	for i := range size {
		n := kernel.Node{ID: kernel.NodeID(fmt.Sprint("n", i)), Performer: kernel.Engine, Attempts: 1 + w.IntN(3)}
		if len(groups) > 0 && w.IntN(2) == 0 {
			n.Parent = pick(groups)
		}
		switch kind := w.IntN(6); {
		case kind == 0:
			n = kernel.Node{ID: n.ID, Kind: kernel.Group, Parent: n.Parent, Any: w.IntN(3) == 0}
			groups = append(groups, n.ID)
		case kind < 3 && len(makes) > 0:
			n.Kind, n.Target, n.Advisory = kernel.Check, pick(makes), w.IntN(4) == 0
		default:
			n.Kind, n.Refresh, n.Gate = kernel.Make, w.IntN(4) == 0, kernel.Gate{Checks: w.IntN(2) == 0, Person: w.IntN(4) == 0, Late: true}
			if w.IntN(4) == 0 {
				n.Alternative = "one of"
			}
			if w.IntN(6) == 0 {
				n.Performer = kernel.Person
			}
			makes = append(makes, n.ID)
		}
		for range w.IntN(3) {
			if len(known) > 0 && n.Kind != kernel.Group {
				need := kernel.Need{Node: pick(known), Settled: w.IntN(3) == 0}
				if need.Node != n.Target && !slices.ContainsFunc(n.Needs, func(o kernel.Need) bool { return o.Node == need.Node }) {
					n.Needs = append(n.Needs, need)
				}
			}
		}
		known = append(known, n.ID)
		nodes = append(nodes, n)
	}
	return nodes
}

// command draws a command; many are refused.
func (w *walk) command() kernel.Command {
	var nodes []kernel.View
	for n := range w.run.Nodes() {
		nodes = append(nodes, n)
	}
	n := nodes[w.IntN(len(nodes))]
	w.said++
	content := kernel.Content{Digest: digest.Of(fmt.Append(nil, w.said))}
	verdict := []kernel.Verdict{kernel.ForIt, kernel.AgainstIt}[w.IntN(2)]
	engine, person := w.stamp(kernel.Engine), w.stamp(kernel.Person)
	if a := n.Open(); a != nil && w.IntN(4) > 0 {
		switch {
		case w.IntN(6) == 0:
			class := []kernel.ErrorClass{kernel.Retryable, kernel.Permanent, kernel.BadReply}[w.IntN(3)]
			return kernel.Fail{Stamp: engine, Attempt: a.ID, Error: kernel.StepError{Code: "x", Message: "x", Class: class, Final: true}}
		case n.Node().Kind == kernel.Check:
			return kernel.Judge{Stamp: engine, Attempt: a.ID, Verdict: verdict, Report: &content}
		}
		return kernel.Deliver{Stamp: engine, Attempt: a.ID, Content: content}
	}
	for a := range w.run.OpenAsks() {
		if w.IntN(6) == 0 && len(a.Options) > 0 {
			return kernel.Answer{Stamp: person, Ask: a.ID, Choice: a.Options[w.IntN(len(a.Options))].Value, Content: &content, Text: "because"}
		}
	}
	switch w.IntN(14) {
	case 0:
		return kernel.Submit{Stamp: person, Node: n.ID(), Content: content}
	case 1:
		return kernel.Judge{Stamp: person, Node: n.ID(), Verdict: verdict, Review: kernel.Review{Summary: "because"}}
	case 2:
		return kernel.Revise{Stamp: person, Nodes: []kernel.NodeID{n.ID()}}
	case 3:
		return kernel.Rollback{Stamp: person, Nodes: []kernel.NodeID{n.ID()}, Reason: "because"}
	case 4:
		return kernel.Undo{Stamp: person}
	case 5:
		return kernel.Reopen{Stamp: person, Node: n.ID(), Reason: "because"}
	case 6:
		return kernel.Abandon{Stamp: person, Node: n.ID(), Reason: "because"}
	case 7:
		return kernel.Resume{Stamp: person}
	}
	return kernel.Begin{Stamp: engine, Node: n.ID(), TakeOver: w.IntN(4) == 0}
}
