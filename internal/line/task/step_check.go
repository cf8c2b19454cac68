package task

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"sluice/internal/kernel"
	"sluice/internal/line"
)

// checkReply is what a reviewer answers. Its verdict counts only against: whether all of it is enough is decided here.
type checkReply struct {
	Verdict           string            `json:"verdict"`
	TotalScore        float64           `json:"total_score"`
	AcceptanceResults []criterionResult `json:"acceptance_results"`
	Summary           string            `json:"summary"`
	Reasons           []string          `json:"reasons"`
	Suggestions       []string          `json:"suggestions"`
}

type criterionResult struct {
	CriterionID string `json:"criterion_id"`
	Pass        bool   `json:"pass"`
	Evidence    string `json:"evidence"`
}

const checkSchema = `{"type":"object","additionalProperties":false,"required":["verdict","total_score","acceptance_results","summary"],"properties":{"verdict":{"enum":["REJECTED","APPROVED"]},"total_score":{"type":"number","minimum":0,"maximum":100},"acceptance_results":{"type":"array","items":{"type":"object","additionalProperties":false,"required":["criterion_id","pass","evidence"],"properties":{"criterion_id":{"type":"string"},"pass":{"type":"boolean"},"evidence":{"type":"string"}}}},"summary":{"type":"string"},"reasons":{"type":"array","items":{"type":"string"}},"suggestions":{"type":"array","items":{"type":"string"}}}}`

// check judges exactly the version that its attempt began with. What programs can say comes first, and a deliverable that
// does not even parse, or fails what the user has run on it, costs no model call.
func (s steps) check(in line.In) (line.Move, error) {
	target, ok := in.Run.Node(in.Node.Target)
	if !ok || in.Subject == nil {
		return line.Move{}, line.Unusable{Reason: "there is nothing to judge"}
	}
	t, err := TaskOf(target.Node())
	if err != nil {
		return line.Move{}, err
	}
	settings, err := SettingsOf(in.Run)
	if err != nil {
		return line.Move{}, err
	}
	flaws, seen := examine(t, in.Subject.Parts)
	if len(flaws) > 0 {
		return finished(in, t, settings, judgeUnread(t, flaws))
	}
	if wanted := smokeTest(t, in.Subject.Parts); len(in.Ran) < len(wanted) {
		return line.Move{Commands: wanted}, nil
	}
	ran := ranFor(in)
	if isFatal(t, ran) {
		return finished(in, t, settings, judgeBroken(t, ran, seen))
	}
	if len(in.Replies) == 0 {
		c, err := s.checkCall(in, t, settings, seen)
		return line.Move{Calls: []line.Call{c}}, err
	}
	var reply checkReply
	if err := json.Unmarshal([]byte(in.Replies[0].Content), &reply); err != nil {
		return line.Move{}, line.Unusable{Reason: err.Error()}
	}
	return finished(in, t, settings, judge(t, reply, seen, ran))
}

func (s steps) checkCall(in line.In, t Node, settings Settings, seen []string) (line.Call, error) {
	c := line.Call{Slot: "1", Agent: AgentCheck, Schema: json.RawMessage(checkSchema)}
	data := struct {
		Task    Node
		Static  []string
		Pass    string
		Files   []quoted
		Sources []quoted
	}{Task: t, Static: seen, Pass: days(settings.ReviewPassScore)}
	for _, p := range in.Subject.Parts {
		data.Files = append(data.Files, quoted{"deliverable: " + p.Path, string(p.Body)})
	}
	if len(in.Ran) > 0 { // how it ended, not what it printed: that may differ from time to time, and would be asked anew
		data.Static = append(slices.Clone(seen), ranText(ranFor(in), false))
	}
	c.Sources = append(c.Sources, in.Subject.Version.Digest)
	var err error
	if c.System, c.Prompt, err = s.prompts.Render("check", data); err != nil {
		return c, err
	}
	c.Inputs, err = json.Marshal(given{TaskID: t.TaskID, CheckTaskID: string(in.Node.ID), Title: t.Title, AcceptanceCriteria: t.AcceptanceCriteria,
		Attempt: in.Attempt.N, Take: in.Attempt.Take, Version: in.Subject.Version.N})
	return c, err
}

// judgement is a review before it is held against what a plan asks for.
type judgement struct {
	criteria    []kernel.Criterion
	score       float64
	summary     string
	against     []string // reasons beside failed criteria
	suggestions []string
}

// judgeUnread is the verdict on a deliverable that a program refuses: nobody read it.
func judgeUnread(t Node, flaws []string) judgement {
	j := judgement{summary: "the deliverable was refused by a program before anyone read it", against: flaws}
	for _, k := range t.AcceptanceCriteria {
		j.criteria = append(j.criteria, kernel.Criterion{ID: k.ID, Evidence: "not judged: " + flaws[0]})
	}
	return j
}

func judge(t Node, reply checkReply, seen []string, ran line.Ran) judgement {
	j := judgement{score: reply.TotalScore, summary: reply.Summary, suggestions: reply.Suggestions, against: slices.Clone(reply.Reasons)}
	said := map[string]criterionResult{}
	for _, r := range reply.AcceptanceResults {
		if before, twice := said[r.CriterionID]; !twice || before.Pass { // what is said against counts
			said[r.CriterionID] = r
		}
	}
	for _, k := range t.AcceptanceCriteria {
		r, ok := said[k.ID]
		got := kernel.Criterion{ID: k.ID, Pass: r.Pass && strings.TrimSpace(r.Evidence) != "", Evidence: strings.TrimSpace(r.Evidence)}
		switch {
		case k.CheckMethod == StaticCheck: // a program has looked already; a reviewer's word counts only against
			got.Pass = !ok || r.Pass
			got.Evidence = strings.TrimSuffix("checked by a program: "+strings.Join(seen, "; ")+"; "+got.Evidence, "; ")
		case k.CheckMethod == RunSmokeTest:
			got = judgeRun(got, ok, ran)
		case !ok:
			got.Evidence = "not judged"
		case got.Evidence == "":
			got.Evidence = "no evidence was given"
		}
		j.criteria = append(j.criteria, got)
	}
	if reply.Verdict == "REJECTED" && len(j.against) == 0 {
		j.against = []string{orText(reply.Summary, "the reviewer rejected it")}
	} else if reply.Verdict != "REJECTED" {
		j.against = nil
	}
	return j
}

// finished holds a judgement against what a plan asks for: every blocker and major with evidence, and the score.
func finished(in line.In, t Node, s Settings, j judgement) (line.Move, error) {
	out := line.Out{ID: ArtifactID(in.Run.ID(), in.Attempt.ID), Verdict: kernel.ForIt,
		Review: kernel.Review{ID: kernel.ReviewID(reviewID(in.Run.ID(), in.Attempt.ID)), Score: &j.score, Criteria: j.criteria, Summary: j.summary}}
	find := func(code, severity, path, message string) {
		fix := ""
		if len(j.suggestions) > 0 {
			fix = strings.Join(j.suggestions, "; ")
		}
		out.Review.Findings = append(out.Review.Findings, kernel.Finding{Code: code, Severity: severity, Path: path, Message: message, Fix: fix})
	}
	for i, k := range t.AcceptanceCriteria {
		if got := j.criteria[i]; !got.Pass {
			find("criterion_failed", k.Severity, k.ID, k.Statement+": "+firstLine(got.Evidence))
			if k.Severity != Minor {
				out.Verdict = kernel.AgainstIt
			}
		}
	}
	for _, reason := range j.against {
		out.Verdict = kernel.AgainstIt
		find("reason", Major, "", reason)
	}
	if j.score < s.ReviewPassScore {
		out.Verdict = kernel.AgainstIt
		find("score_too_low", Major, "", fmt.Sprintf("the score is %s, and %s is needed", days(j.score), days(s.ReviewPassScore)))
	}
	shown := out.Review
	shown.Node, shown.Version, shown.Verdict, shown.Check = in.Node.Target, in.Subject.Version.ID, out.Verdict, in.Node.ID
	shown.By = kernel.Actor{Kind: kernel.Engine, Name: s.Reviewer}
	out.Body, out.Schema = []byte(ReviewText(shown, t.AcceptanceCriteria)), reviewSchema(out.Verdict)
	return line.Move{Done: &out}, nil
}

// The form of a review's file says its verdict, by which it is named.
const (
	approvedSchema = "task/review/approved"
	rejectedSchema = "task/review/rejected"
)

func reviewSchema(v kernel.Verdict) string {
	if v == kernel.ForIt {
		return approvedSchema
	}
	return rejectedSchema
}
