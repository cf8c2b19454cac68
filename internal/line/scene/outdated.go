package scene

import (
	"slices"

	"sluice/internal/kernel"
)

// Outdated finds the first step whose content was made here from something that was replaced since, and the step that was. What
// people and agents made stands until they say otherwise.
func Outdated(r *kernel.Run) (old, since kernel.NodeID, ok bool) {
	for n := range r.Nodes() {
		if n.Node().Kind != kernel.Make || !n.IsStale() || n.Status() != kernel.StatusDone || n.Approved().By.Kind != kernel.Engine {
			continue
		}
		for _, need := range n.Node().Needs {
			if now := r.Approved(need.Node); now != nil && !slices.Contains(n.Approved().Parents, now.ID) {
				return n.ID(), need.Node, true
			}
		}
	}
	return "", "", false
}
