package task

import (
	"encoding/json"
	"fmt"
	"strings"

	"sluice/internal/kernel"
	"sluice/internal/line"
)

// Agents of planning.
const (
	AgentPlanGen     = "plan-gen"
	AgentPlanReview  = "plan-review"
	AgentFeasibility = "feasibility"
	AgentSplit       = "split"
)

const criteriaSchema = `{"type":"array","minItems":1,"items":{"type":"object","required":["id","type","statement","check_method","severity"],"properties":{"id":{"type":"string"},"type":{"type":"string"},"statement":{"type":"string"},"check_method":{"enum":["manual_review","static_check","run_smoke_test"]},"severity":{"enum":["blocker","major","minor"]}}}}`

const planSchema = `{"type":"object","required":["plan","nodes","edges"],"properties":{"plan":{"type":"object","required":["title","root_task_id"],"properties":{"title":{"type":"string"},"root_task_id":{"type":"string"}}},"nodes":{"type":"array","items":{"type":"object","required":["task_id","node_type","title"],"properties":{"task_id":{"type":"string"},"node_type":{"enum":["GOAL","ACTION","CHECK"]},"title":{"type":"string"},"goal_statement":{"type":"string"},"estimated_person_days":{"type":"number","exclusiveMinimum":0},"deliverable_spec":{"type":"object","required":["format","filename","single_file"],"properties":{"format":{"type":"string"},"filename":{"type":"string"},"single_file":{"type":"boolean"},"bundle_mode":{"type":"string"},"files":{"type":"array","items":{"type":"string"}},"description":{"type":"string"}}},"acceptance_criteria":` + criteriaSchema + `,"review_target_task_id":{"type":"string"},"review_output_spec":{"type":"object","required":["approved_filename","rejected_filename"],"properties":{"approved_filename":{"enum":["APPROVED.md"]},"rejected_filename":{"enum":["REJECTED.md"]}}},"root_acceptance_criteria":{"type":"array","items":{"type":"object","required":["id","statement","covered_by"],"properties":{"id":{"type":"string"},"statement":{"type":"string"},"covered_by":{"type":"array","items":{"type":"string"}}}}},"final_deliverable_spec":{"type":"object","required":["mode"],"properties":{"mode":{"enum":["PASS_THROUGH","ASSEMBLE"]},"assemble_task_id":{"type":"string"}}}}}},"edges":{"type":"array","items":{"type":"object","required":["from_task_id","to_task_id","edge_type"],"properties":{"from_task_id":{"type":"string"},"to_task_id":{"type":"string"},"edge_type":{"enum":["DECOMPOSE","DEPENDS_ON","ALTERNATIVE"]}}}}}}`

// planGen asks for a plan and puts it into our words. What cannot be is an unusable reply.
func (s steps) planGen(in line.In) (line.Move, error) {
	k, err := keptOf(in.Run)
	if err != nil {
		return line.Move{}, err
	}
	if len(in.Replies) == 0 {
		c, err := s.planGenCall(in, k)
		return line.Move{Calls: []line.Call{c}}, err
	}
	read, err := readAs([]byte(in.Replies[0].Content), string(in.Run.ID()))
	if err == nil {
		err = read.Err()
	}
	if err != nil {
		return line.Move{}, line.Unusable{Reason: err.Error()}
	}
	d := read.Document
	d.Plan.TopTask, d.Plan.CreatedAt = k.TopTask, in.Attempt.Began.UTC().Format("2006-01-02T15:04:05Z")
	return planned(d, nil)
}

func planned(d Document, decisions []kernel.Decision) (line.Move, error) {
	body, err := d.Encode()
	return line.Move{Done: &line.Out{Body: body, Schema: PlanSchema, Account: kernel.Account{Decisions: decisions}}}, err
}

func (s steps) planGenCall(in line.In, k kept) (line.Call, error) {
	c := line.Call{Slot: "1", Agent: AgentPlanGen, Schema: json.RawMessage(planSchema)}
	data := struct {
		TopTask   string
		Threshold string
		Depth     int
		Notes     []string
		Findings  []string
		Sources   []quoted
		Last      string
	}{TopTask: k.TopTask, Threshold: days(k.OneShotThresholdPersonDays), Depth: k.MaxDecompositionDepth, Notes: in.Attempt.Notes}
	data.Sources, c.Sources = sources(in)
	for _, r := range in.Reviews {
		for _, f := range r.Findings {
			data.Findings = append(data.Findings, strings.TrimSpace(f.Path+" "+f.Message+"; "+f.Fix))
		}
	}
	if in.Subject != nil {
		data.Last = string(in.Subject.Body)
		c.Sources = append(c.Sources, in.Subject.Version.Digest)
	}
	var err error
	if c.System, c.Prompt, err = s.prompts.Render("plan-gen", data); err != nil {
		return c, err
	}
	c.Inputs, err = json.Marshal(struct {
		TopTask string `json:"top_task"`
		Attempt int    `json:"attempt"`
		Take    int    `json:"take"`
	}{k.TopTask, in.Attempt.N, in.Attempt.Take})
	return c, err
}

const planReviewSchema = `{"type":"object","required":["total_score","problems"],"properties":{"total_score":{"type":"number","minimum":0,"maximum":100},"summary":{"type":"string"},"problems":{"type":"array","items":{"type":"string"}}}}`

// planReview asks a reviewer for a score; whether it is enough is decided here.
func (s steps) planReview(in line.In) (line.Move, error) {
	k, err := keptOf(in.Run)
	if err != nil {
		return line.Move{}, err
	}
	if len(in.Replies) == 0 {
		c := line.Call{Slot: "1", Agent: AgentPlanReview, Schema: json.RawMessage(planReviewSchema)}
		c.Sources = append(c.Sources, in.Subject.Version.Digest)
		data := struct{ TopTask, Pass, Plan string }{k.TopTask, days(k.PlanReviewPassScore), string(in.Subject.Body)}
		if c.System, c.Prompt, err = s.prompts.Render("plan-review", data); err != nil {
			return line.Move{}, err
		}
		c.Inputs, err = json.Marshal(struct {
			TopTask string `json:"top_task"`
			Title   string `json:"title"`
			Version int    `json:"version"`
		}{k.TopTask, in.Run.Title(), in.Subject.Version.N})
		return line.Move{Calls: []line.Call{c}}, err
	}
	var reply struct {
		TotalScore float64  `json:"total_score"`
		Summary    string   `json:"summary"`
		Problems   []string `json:"problems"`
	}
	if err := json.Unmarshal([]byte(in.Replies[0].Content), &reply); err != nil {
		return line.Move{}, line.Unusable{Reason: err.Error()}
	}
	out := line.Out{Verdict: kernel.ForIt, Review: kernel.Review{Score: &reply.TotalScore, Summary: reply.Summary}}
	if reply.TotalScore < k.PlanReviewPassScore {
		out.Verdict = kernel.AgainstIt
		out.Review.Findings = []kernel.Finding{{Code: "score_too_low", Severity: Major,
			Message: fmt.Sprintf("the plan's score is %s, and %s is needed", days(reply.TotalScore), days(k.PlanReviewPassScore))}}
		for _, p := range reply.Problems {
			out.Review.Findings = append(out.Review.Findings, kernel.Finding{Code: "problem", Severity: Major, Message: p})
		}
	}
	return line.Move{Done: &out}, nil
}

const feasibilitySchema = `{"type":"object","required":["results"],"properties":{"results":{"type":"array","items":{"type":"object","required":["task_id","estimated_person_days","one_shot_pass","why"],"properties":{"task_id":{"type":"string"},"estimated_person_days":{"type":"number","exclusiveMinimum":0},"one_shot_pass":{"type":"boolean"},"why":{"type":"string"}}}}}}`

// leafGiven is a leaf as it is estimated.
type leafGiven struct {
	TaskID              string   `json:"task_id"`
	Title               string   `json:"title"`
	GoalStatement       string   `json:"goal_statement,omitempty"`
	Deliverable         string   `json:"deliverable"`
	Criteria            []string `json:"criteria"`
	EstimatedPersonDays float64  `json:"estimated_person_days"`
}

// feasibility has every leaf estimated and writes the estimates back, each with its reason.
func (s steps) feasibility(in line.In) (line.Move, error) {
	k, err := keptOf(in.Run)
	if err != nil {
		return line.Move{}, err
	}
	d, err := ParseDocument(in.Inputs[0].Body)
	if err != nil {
		return line.Move{}, err
	}
	if len(in.Replies) == 0 {
		c, err := s.feasibilityCall(in, d, k)
		return line.Move{Calls: []line.Call{c}}, err
	}
	var reply struct {
		Results []struct {
			TaskID              string  `json:"task_id"`
			EstimatedPersonDays float64 `json:"estimated_person_days"`
			Why                 string  `json:"why"`
		} `json:"results"`
	}
	if err := json.Unmarshal([]byte(in.Replies[0].Content), &reply); err != nil {
		return line.Move{}, line.Unusable{Reason: err.Error()}
	}
	chart := NewChart(&d)
	var decisions []kernel.Decision
	for _, r := range reply.Results {
		n := chart.nodes[r.TaskID]
		if n == nil || n.NodeType != Action || r.EstimatedPersonDays <= 0 {
			continue // ids are never trusted from a model
		}
		next := "it fits one call"
		if r.EstimatedPersonDays > k.OneShotThresholdPersonDays {
			next = "split"
		}
		decisions = append(decisions, kernel.Decision{Decision: fmt.Sprintf("%s takes %s person-days", n.Title, days(r.EstimatedPersonDays)), Reason: r.Why, NextStep: next})
		if r.EstimatedPersonDays != n.EstimatedPersonDays {
			n.Rationale = strings.TrimSpace(fmt.Sprintf("%s Estimate corrected from %s to %s: %s", n.Rationale, days(n.EstimatedPersonDays), days(r.EstimatedPersonDays), oneLine(r.Why)))
			n.EstimatedPersonDays = r.EstimatedPersonDays
		}
	}
	return planned(d, decisions)
}

func (s steps) feasibilityCall(in line.In, d Document, k kept) (line.Call, error) {
	c := line.Call{Slot: "1", Agent: AgentFeasibility, Schema: json.RawMessage(feasibilitySchema)}
	c.Sources = append(c.Sources, in.Inputs[0].Version.Digest)
	chart := NewChart(&d)
	var leaves []leafGiven
	for _, id := range chart.Leaves() {
		n := chart.nodes[id]
		g := leafGiven{TaskID: id, Title: n.Title, GoalStatement: n.GoalStatement, EstimatedPersonDays: n.EstimatedPersonDays}
		if n.DeliverableSpec != nil { // a plan of an older form may say nothing
			g.Deliverable = n.DeliverableSpec.Filename
		}
		for _, kr := range n.AcceptanceCriteria {
			g.Criteria = append(g.Criteria, kr.Statement)
		}
		leaves = append(leaves, g)
	}
	shown, err := json.MarshalIndent(leaves, "", "  ")
	if err != nil {
		return c, err
	}
	data := struct{ Threshold, Leaves string }{days(k.OneShotThresholdPersonDays), string(shown)}
	if c.System, c.Prompt, err = s.prompts.Render("feasibility", data); err != nil {
		return c, err
	}
	c.Inputs, err = json.Marshal(struct {
		TopTask   string      `json:"top_task"`
		Threshold float64     `json:"one_shot_threshold_person_days"`
		Leaves    []leafGiven `json:"leaves"`
	}{k.TopTask, k.OneShotThresholdPersonDays, leaves})
	return c, err
}

// final takes the estimated draft as the plan.
func final(in line.In) (line.Move, error) {
	return line.Move{Done: &line.Out{Body: in.Inputs[0].Body, Schema: PlanSchema}}, nil
}
