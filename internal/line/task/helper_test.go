package task

import (
	"encoding/json"
)

func tid(name string) string { return deriveID("test", name) }

func yes(b bool) *bool { return &b }

func goal(name string) Node { return Node{TaskID: tid(name), NodeType: Goal, Title: name} }

func action(name string, estimate float64) Node {
	return Node{TaskID: tid(name), NodeType: Action, Title: name, EstimatedPersonDays: estimate,
		DeliverableSpec:    &DeliverableSpec{Format: "md", Filename: name + ".md", SingleFile: yes(true)},
		AcceptanceCriteria: []Criterion{{ID: "AC-1", Type: "content", Statement: "says what " + name + " is", CheckMethod: ManualReview, Severity: Blocker}}}
}

func check(of string) Node {
	return Node{TaskID: tid("check " + of), NodeType: Check, Title: "Review of " + of, ReviewTargetTaskID: tid(of),
		ReviewOutputSpec: &ReviewOutputSpec{ApprovedFilename, RejectedFilename}}
}

func edge(t EdgeType, from, to string) Edge {
	return Edge{EdgeID: deriveID("edge", string(t), from, to), FromTaskID: tid(from), ToTaskID: tid(to), EdgeType: t}
}

// soundPlan has nothing against it: a design, then a build that needs it.
func soundPlan() Document {
	root := goal("root")
	root.RootAcceptanceCriteria = []Criterion{{ID: "RC-1", Statement: "there is a game", CoveredBy: []string{tid("build")}}}
	root.FinalDeliverableSpec = &FinalSpec{Mode: PassThrough}
	return Document{
		Plan:  Plan{PlanID: deriveID("plan", "sound"), RootTaskID: tid("root"), Title: "A small game", TopTask: "Make a small game"},
		Nodes: []Node{root, action("design", 2), check("design"), action("build", 10), check("build")},
		Edges: []Edge{edge(Decompose, "root", "design"), edge(Decompose, "root", "build"), edge(DependsOn, "design", "build"), edge(DependsOn, "build", "check build")},
	}
}

func (d *Document) node(name string) *Node {
	for i := range d.Nodes {
		if d.Nodes[i].TaskID == tid(name) {
			return &d.Nodes[i]
		}
	}
	return nil
}

func drop(d *Document, name string) {
	for i := range d.Nodes {
		if d.Nodes[i].TaskID == tid(name) {
			d.Nodes = append(d.Nodes[:i], d.Nodes[i+1:]...)
			return
		}
	}
}

func mustParse(raw []byte, into any) {
	if err := json.Unmarshal(raw, into); err != nil {
		panic(err)
	}
}

// PersonReviews gives the files of the reviews that people wrote, by path.
func (v View) PersonReviews() map[string]string {
	out := map[string]string{}
	for n := range v.Run.Nodes() {
		if n.Node().Step == StepAction {
			for _, f := range personReviews(v.Run, n) {
				out[f.Path] = string(f.Body)
			}
		}
	}
	return out
}
