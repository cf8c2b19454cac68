package spec

import (
	"fmt"

	"sluice/internal/fault"
	"sluice/internal/kernel"
	"sluice/internal/line"
)

// PublishSchema is the document of what was published: a ledger record.
const PublishSchema = "spec/publish_result"

// PublishNode gives the node of publishing to a target, and the version that is published: exactly the one on which go was
// decided. Anything else is refused and leaves no trace.
func PublishNode(r *kernel.Run, target string) (kernel.Node, string, error) {
	id := string(r.ID())
	at := Current(r)
	review, ok := r.Node(at.Review())
	status := StatusOf(r)
	if !ok || DecisionOf(review) != Go || review.Status() != kernel.StatusDone || status != ExecutableReady && status != Published {
		return kernel.Node{}, "", fault.New(fault.IllegalStep, id, "feature %s is %s and not decided to go; publishing needs go on exactly one version", id, status).
			With(NextActions(r)...)
	}
	p, err := ParamsOf(review.Node())
	if err != nil {
		return kernel.Node{}, "", err
	}
	n, err := p.node(at.Publish(target), StepPublish, at.Node(partVV), at.Review())
	n.Title = fmt.Sprintf("publish %s to %s", p.SpecVersion, target)
	return n, p.SpecVersion, err
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
