package spec

import (
	"encoding/json"
	"fmt"
	"time"

	"sluice/internal/digest"
	"sluice/internal/fault"
	"sluice/internal/kernel"
	"sluice/internal/line"
)

// PublishSchema is the document of what was published: a ledger record.
const PublishSchema = "spec/publish_result"

// Publishable gives the version that may be published: exactly the one on which go was decided, which an empty version
// means too. Anything else is refused and leaves no trace.
func Publishable(r *kernel.Run, version string) (string, error) {
	p, err := decidedToGo(r)
	if err != nil {
		return "", err
	}
	if version != "" && version != p.SpecVersion {
		return "", fault.New(fault.StaleVerdict, string(r.ID()), "%s is to be published, and go was decided on %s", version, p.SpecVersion).
			With(fault.Action{Action: "show", Command: "sluice spec show " + string(r.ID()), Why: "it shows the version that was decided on"})
	}
	return p.SpecVersion, nil
}

func decidedToGo(r *kernel.Run) (Params, error) {
	id := string(r.ID())
	review, ok := r.Node(Current(r).Review())
	status := StatusOf(r)
	if !ok || DecisionOf(review) != Go || review.Status() != kernel.StatusDone || status != ExecutableReady && status != Published {
		return Params{}, fault.New(fault.IllegalStep, id, "feature %s is %s and not decided to go; publishing needs go on exactly one version", id, status).
			With(NextActions(r)...)
	}
	return ParamsOf(review.Node())
}

// StillGo refuses what was published although something else was decided meanwhile: it stands outside, and the feature does
// not.
func StillGo(r *kernel.Run, at Place, target string) error {
	review, ok := r.Node(at.Review())
	if !ok || DecisionOf(review) == Go {
		return nil
	}
	return fault.New(fault.StaleVerdict, string(r.ID()), "it was published to %s, and %s was decided while it was on its way", target, DecisionOf(review)).
		With(NextActions(r)...)
}

// Publication is one publish of the version that was decided on, and what came of it.
type Publication struct {
	At           Place // whose review decided it; people may have gone on since
	Target       string
	By           kernel.Actor
	Began, Ended time.Time
	Errors       []kernel.StepError // that were got over
	Result       json.RawMessage    // the ledger record; none if it failed
	Failure      *kernel.StepError
	Log          string // id of the evidence of a failure
}

// Record gives the commands that write a publication into the journal as a step, and the bytes of what they deliver. Each
// is an attempt of its own, also where nothing was left to do outside.
func (p Publication) Record(r *kernel.Run) ([]kernel.Command, []byte, error) {
	at := p.At
	review, ok := r.Node(at.Review())
	if !ok {
		return nil, nil, fault.New(fault.IllegalStep, string(r.ID()), "feature %s has no review at %s", r.ID(), at.Review()).With(NextActions(r)...)
	}
	params, err := ParamsOf(review.Node())
	if err != nil {
		return nil, nil, err
	}
	node, err := params.node(at.Publish(p.Target), StepPublish, at.Node(partVV), at.Review())
	if err != nil {
		return nil, nil, err
	}
	node.Title = fmt.Sprintf("publish %s to %s", params.SpecVersion, p.Target)
	began := kernel.Stamp{By: p.By, At: p.Began}
	var commands []kernel.Command
	number := 1
	if n, ok := r.Node(node.ID); ok {
		number = n.Attempts() + 1
		switch n.Status() {
		case kernel.StatusDone:
			commands = append(commands, kernel.Revise{Stamp: began, Nodes: []kernel.NodeID{node.ID}, Note: "published again"})
		case kernel.StatusFailed, kernel.StatusAbandoned:
			commands = append(commands, kernel.Reopen{Stamp: began, Node: node.ID, Reason: "published again"})
		}
	} else {
		commands = append(commands, kernel.Unfold{Stamp: began, Nodes: []kernel.Node{node}})
	}
	commands = append(commands, kernel.Begin{Stamp: began, Node: node.ID})
	commands = append(commands, p.closing(kernel.AttemptID(fmt.Sprintf("%s#%d", node.ID, number))))
	if p.Failure != nil { // a target that fails is no failure of the feature: it stands as it did, and may be published again
		commands = append(commands, kernel.Abandon{Stamp: kernel.Stamp{By: p.By, At: p.Ended}, Node: node.ID, Reason: "not published: " + p.Failure.Code})
	}
	return commands, p.Result, nil
}

// closing ends the attempt: with the record, or with the error and its evidence.
func (p Publication) closing(attempt kernel.AttemptID) kernel.Command {
	ended := kernel.Stamp{By: p.By, At: p.Ended}
	account := kernel.Account{Errors: p.Errors}
	if p.Failure == nil {
		account.Decisions = []kernel.Decision{{Decision: "published", Reason: "the target " + p.Target + " holds the version", NextStep: "none"}}
		return kernel.Deliver{Stamp: ended, Attempt: attempt, Account: account,
			Content: kernel.Content{Digest: digest.Of(p.Result), Size: int64(len(p.Result)), Schema: PublishSchema}}
	}
	said := p.Failure.Code + ": " + p.Failure.Message
	account.Decisions = []kernel.Decision{{Decision: "stop_until_run_again", Reason: said, NextStep: string(StepPublish)}}
	if p.Log != "" {
		account.Evidence = []kernel.Evidence{{ID: p.Log, Type: string(FromLog), Ref: logRef(p.Ended),
			Hash: hash(said), Excerpt: excerpt(said), Note: fmt.Sprintf("final error of publish after %d retries", p.Failure.Retries),
			LinkedTo: []string{linkStep(StepPublish)}}}
	}
	return kernel.Fail{Stamp: ended, Attempt: attempt, Error: *p.Failure, Account: account}
}

// stepPublish is never the engine's: publishing is a person's command, and waits for nobody.
func stepPublish(in line.In) (line.Move, error) {
	p, err := ParamsOf(in.Node)
	if err != nil {
		return line.Move{}, err
	}
	return line.Move{}, fault.New(fault.IllegalStep, p.FeatureID, "%s is published by a command of its own", p.FeatureID).
		With(fault.Action{Action: "publish", Command: "sluice spec publish " + p.FeatureID + " --target file"})
}
