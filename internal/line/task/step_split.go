package task

import (
	"encoding/json"
	"fmt"

	"sluice/internal/kernel"
	"sluice/internal/line"
)

const splitSchema = `{"type":"object","required":["children"],"properties":{"children":{"type":"array","minItems":2,"items":{"type":"object","required":["title","estimated_person_days","acceptance_criteria"],"properties":{"title":{"type":"string"},"estimated_person_days":{"type":"number","exclusiveMinimum":0},"acceptance_criteria":` + criteriaSchema + `}}}}}`

// part is how a model describes one part of a leaf.
type part struct {
	Title               string      `json:"title"`
	EstimatedPersonDays float64     `json:"estimated_person_days"`
	AcceptanceCriteria  []Criterion `json:"acceptance_criteria"`
}

// improve puts a model's words into a part that stands already: its id, its deliverable and its CHECK are ours.
func (p part) improve(n Node) Node {
	n.Title = orText(oneLine(p.Title), n.Title)
	if p.EstimatedPersonDays > 0 {
		n.EstimatedPersonDays = p.EstimatedPersonDays
	}
	seen := map[string]bool{}
	var criteria []Criterion
	for i, k := range p.AcceptanceCriteria {
		for next := i + 1; k.ID == "" || seen[k.ID]; next++ {
			k.ID = fmt.Sprintf("AC-%d", next)
		}
		seen[k.ID] = true
		k.Type, k.CheckMethod, k.Severity, k.CoveredBy = orText(k.Type, "content"), orText(k.CheckMethod, ManualReview), orText(k.Severity, Major), nil
		if k.Statement != "" {
			criteria = append(criteria, k)
		}
	}
	if len(criteria) > 0 {
		n.AcceptanceCriteria = criteria
	}
	return n
}

// splitWith splits what is too large, by a model's proposals where they are at least as fine as needed.
func splitWith(d Document, s Settings, better map[string][]part) (Document, []Change) {
	w := &rewrite{doc: clone(d), settings: s, better: better}
	w.split()
	return w.doc, w.told()
}

// split asks for the parts of every leaf that is too large, and splits by rule where nothing usable comes.
func (s steps) split(in line.In) (line.Move, error) {
	k, err := keptOf(in.Run)
	if err != nil {
		return line.Move{}, err
	}
	d, err := ParseDocument(in.Inputs[0].Body)
	if err != nil {
		return line.Move{}, err
	}
	large := TooLarge(d, k.Settings)
	if len(in.Replies) < len(large) {
		var m line.Move
		for _, n := range large {
			c, err := s.splitCall(in, n, k)
			if err != nil {
				return line.Move{}, err
			}
			m.Calls = append(m.Calls, c)
		}
		return m, nil
	}
	better := map[string][]part{}
	for i, n := range large {
		var reply struct {
			Children []part `json:"children"`
		}
		if in.Replies[i].Failed != nil || json.Unmarshal([]byte(in.Replies[i].Content), &reply) != nil {
			continue
		}
		if len(reply.Children) >= Parts(n.EstimatedPersonDays, k.OneShotThresholdPersonDays) && len(reply.Children) <= maxParts {
			better[n.TaskID] = reply.Children
		}
	}
	d, changes := splitWith(d, k.Settings, better)
	var decisions []kernel.Decision
	for _, c := range changes {
		decisions = append(decisions, kernel.Decision{Decision: c.Message, Reason: "it is over the threshold of " + days(k.OneShotThresholdPersonDays), NextStep: stepPlanReview})
	}
	return planned(d, decisions)
}

func (s steps) splitCall(in line.In, n Node, k kept) (line.Call, error) {
	c := line.Call{Slot: n.TaskID, Agent: AgentSplit, Schema: json.RawMessage(splitSchema), Tolerant: true}
	c.Sources = append(c.Sources, in.Inputs[0].Version.Digest)
	parts := Parts(n.EstimatedPersonDays, k.OneShotThresholdPersonDays)
	shown, err := json.MarshalIndent(n, "", "  ")
	if err != nil {
		return c, err
	}
	data := struct {
		Parts     int
		Threshold string
		Task      string
	}{parts, days(k.OneShotThresholdPersonDays), string(shown)}
	if c.System, c.Prompt, err = s.prompts.Render("split", data); err != nil {
		return c, err
	}
	c.Inputs, err = json.Marshal(struct {
		TaskID    string  `json:"task_id"`
		Title     string  `json:"title"`
		Estimate  float64 `json:"estimated_person_days"`
		Threshold float64 `json:"one_shot_threshold_person_days"`
		Parts     int     `json:"parts"`
	}{n.TaskID, n.Title, n.EstimatedPersonDays, k.OneShotThresholdPersonDays, parts})
	return c, err
}
