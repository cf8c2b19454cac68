package scene

import (
	"encoding/json"
	"fmt"

	"sluice/internal/kernel"
	"sluice/internal/line"
)

// Labels by which workflows are found.
const (
	LabelType  = "workflow_type"
	LabelScene = "scene_id"
	LabelLevel = "level"
)

// RulePassed is the gate rule of steps that may find something against their subject: what they deliver says so, and is
// kept either way.
const (
	RulePassed         = "passed"
	RulePassedRevision = 1
)

// unusableReplies is how often a step without retry may get replies that cannot be used.
const unusableReplies = 2

// Settings are what a run keeps of its request besides its nodes.
type Settings struct {
	Imported  bool       `json:"imported,omitempty"`  // from a state document; its times are shown as they came
	Artifacts []Artifact `json:"artifacts,omitempty"` // of the whole workflow, as the document had them
}

// Answers to a step that waits for approval.
const (
	AnswerApprove = "approve"
	AnswerRevise  = "revise" // not approved, to be done again with modifications
	AnswerReject  = "reject" // not approved
)

// Open makes the first command of a workflow of any definition: one node per step or phase.
func Open(d Definition, id kernel.RunID, s Subject) (kernel.Open, error) {
	stages, err := d.Stages(s.Level)
	if err != nil {
		return kernel.Open{}, err
	}
	o := kernel.Open{Run: id, Line: Name, Title: title(s), Labels: map[string]string{LabelType: d.Type}}
	for label, v := range map[string]string{line.LabelSession: s.Session, LabelScene: s.SceneID, LabelLevel: s.Level} {
		if v != "" {
			o.Labels[label] = v
		}
	}
	checked := map[int]bool{}
	for _, st := range stages {
		if target, ok := retried(stages, st); ok && st.TriggersRetry {
			checked[target.Number] = true
		}
	}
	for _, st := range stages {
		n, err := d.node(stages, st, checked[st.Number], id, s)
		if err != nil {
			return kernel.Open{}, err
		}
		o.Nodes = append(o.Nodes, n)
	}
	return o, nil
}

func title(s Subject) string {
	switch {
	case s.Level == LevelAct:
		return fmt.Sprintf("%s of act %d", s.Workflow, s.Act)
	case s.Level == LevelChapter:
		return fmt.Sprintf("%s of chapter %d", s.Workflow, s.Chapter)
	}
	return fmt.Sprintf("%s of scene %s", s.Workflow, s.SceneID)
}

// nodeID names the node of a step or phase.
func nodeID(phased bool, number int) kernel.NodeID {
	word := "step"
	if phased {
		word = "phase"
	}
	return kernel.NodeID(fmt.Sprintf("%s/%d", word, number))
}

// node records one stage. It needs everything it stands on, not only what it names, so that a step finds all that was
// approved before it among its inputs. What needs a check needs the check's target through this too.
func (d Definition) node(all []Stage, st Stage, checked bool, id kernel.RunID, s Subject) (kernel.Node, error) {
	p := Params{Workflow: d.Type, Number: st.Number, Name: st.Name, Description: st.Description, Agents: st.Agents,
		Parallel: st.Parallel, ParallelAgents: st.ParallelAgents, Outputs: st.Outputs, MaxAttempts: st.MaxAttempts,
		SceneID: s.SceneID, Level: s.Level, Act: s.Act, Chapter: s.Chapter, Scene: s.Scene,
		WorkingDir: WorkingDir(s.Session, d.Type, string(id)), Session: s.Session}
	raw, err := json.Marshal(p)
	if err != nil {
		return kernel.Node{}, err
	}
	n := kernel.Node{ID: nodeID(d.Phased, st.Number), Kind: kernel.Make, Title: st.Name, Step: StepFor(p), Performer: kernel.Engine,
		Attempts: unusableReplies, OnReject: kernel.FailNode, OnExhausted: kernel.FailNode, Params: raw,
		Gate: kernel.Gate{Rule: RulePassed, Revision: RulePassedRevision, Person: st.HumanApproval}}
	if st.RetryEnabled {
		n.Attempts, n.OnReject = st.MaxAttempts, kernel.Rework
		n.Gate = kernel.Gate{Checks: checked, Person: st.HumanApproval}
	}
	if st.HumanApproval {
		n.Ask = &kernel.AskSpec{Kind: kernel.AskApprove, Title: st.Name, Options: []kernel.Option{
			{Value: AnswerApprove, Effect: kernel.Approve}, {Value: AnswerRevise, Effect: kernel.Rework}, {Value: AnswerReject, Effect: kernel.FailNode}}}
		if st.ApprovalType == SelectVariant {
			n.Ask.Kind = kernel.AskChoose
		}
	}
	if st.TriggersRetry {
		target, _ := retried(all, st)
		n.Kind, n.Target = kernel.Check, nodeID(d.Phased, target.Number)
		n.OnReject, n.Gate = "", kernel.Gate{}
	}
	for _, need := range closure(all, st.Number) {
		if on := nodeID(d.Phased, need); on != n.Target {
			n.Needs = append(n.Needs, kernel.Need{Node: on})
		}
	}
	return n, nil
}

// rulePassed is the rule of that name: the content's own result says whether it passed. Content without one has nothing
// against it.
func rulePassed(n kernel.Node, body []byte) (kernel.RuleResult, error) {
	res := kernel.RuleResult{Rule: n.Gate.Rule, Revision: n.Gate.Revision, Pass: true}
	product, err := ParseProduct(body)
	if err != nil || len(product.Result) == 0 {
		return res, err
	}
	var said struct {
		Pass     *bool            `json:"pass"`
		Findings []kernel.Finding `json:"findings"`
	}
	if err := json.Unmarshal(product.Result, &said); err == nil && said.Pass != nil { // results of other shapes say nothing
		res.Pass, res.Findings = *said.Pass, said.Findings
	}
	return res, nil
}
