package task

import (
	"strings"

	"sluice/internal/fault"
	"sluice/internal/kernel"
	"sluice/internal/line"
)

// Steps that stand for what the edges of a plan say and no task does.
const (
	stepChoice = "choice" // one of several alternatives is done
	stepShare  = "share"  // a part that belongs to another whole too
)

// joinSchema is the form of what these steps leave: the status of each task they stand for.
const joinSchema = "task/join"

// choiceID names the node that waits for one of several alternatives.
func choiceID(group string) kernel.NodeID {
	return kernel.NodeID("choice/" + deriveID("choice", group))
}

// choice is the node that what depends on one of several alternatives waits for: it is done when one of them is, and
// fails when none can be any more, so that nothing begins without its input.
func (u *unfolding) choice(group string) kernel.Node {
	n := kernel.Node{ID: choiceID(group), Kind: kernel.Make, Step: stepChoice, Performer: kernel.Engine, Attempts: u.settings.MaxAttempts + 1}
	var titles []string
	for _, id := range u.rivals[group] {
		n.Needs = append(n.Needs, kernel.Need{Node: kernel.NodeID(id), Settled: true})
		titles = append(titles, oneLine(u.chart.nodes[id].Title))
	}
	n.Title = cutText("One of: "+strings.Join(titles, ", "), 200)
	return n
}

// shares gives a stand-in for a task in each GOAL that it is part of beside the one it stands or falls with, since a node
// of a run has one place.
func (u *unfolding) shares(t Node) []kernel.Node {
	var out []kernel.Node
	main := u.chart.main(t.TaskID)
	for _, whole := range u.chart.wholes[t.TaskID] {
		if whole == main || u.chart.typeOf(whole) != Goal {
			continue
		}
		out = append(out, kernel.Node{ID: kernel.NodeID("share/" + deriveID("share", whole, t.TaskID)), Kind: kernel.Make, Step: stepShare,
			Title: oneLine(t.Title), Parent: kernel.NodeID(whole), Performer: kernel.Engine, Attempts: u.settings.MaxAttempts + 1,
			Needs: []kernel.Need{{Node: kernel.NodeID(t.TaskID), Settled: true}}})
	}
	return out
}

// join is done when one of the tasks it stands for is. Of a task that was given up, a whole that needs all its parts does
// not ask any more; whoever needs one of several does.
func join(in line.In) (line.Move, error) {
	var standing []string
	done, gone := false, true
	for _, need := range in.Node.Needs {
		n, ok := in.Run.Node(need.Node)
		if !ok {
			continue
		}
		done = done || n.Status() == kernel.StatusDone
		gone = gone && n.Status() == kernel.StatusAbandoned
		standing = append(standing, oneLine(n.Node().Title)+" is "+string(Word(Action, n.Status(), false)))
	}
	if whole, ok := in.Run.Node(in.Node.Parent); in.Node.Step == stepShare && ok {
		done = done || gone && !whole.Node().Any
	}
	if !done {
		return line.Move{}, fault.New(fault.MissingPrerequisite, string(in.Node.ID), "none of what could be used was finished: %s", cutText(strings.Join(standing, ", "), 400))
	}
	return line.Move{Done: &line.Out{Body: []byte(strings.Join(standing, "\n") + "\n"), Schema: joinSchema}}, nil
}
