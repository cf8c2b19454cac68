package scene

import (
	"encoding/json"
	"fmt"
	"time"

	"sluice/internal/fault"
	"sluice/internal/kernel"
	"sluice/internal/line"
)

// validator is one of those who read the draft. Without the word of a critical one there is no pass.
type validator struct {
	name     string
	critical bool
	duty     string // what it looks at
}

// validators are the seven, critical ones first so that a definition with fewer keeps them.
var validators = []validator{
	{"world-lorekeeper", true, "the rules, places, objects and terms of the world: whether the draft breaks, bends or invents any"},
	{"canon-guardian", true, "what is established by the blueprint and by earlier text: whether the draft contradicts a fact, a date, a relation or an outcome"},
	{"scene-structure", true, "the shape of the scene: whether every beat of the blueprint happens, in order, once, and the scene begins and ends where it should"},
	{"character-state", false, "what each character knows, wants, feels, carries and is able to do: whether anyone acts on what they cannot know or cannot do"},
	{"chronicle-keeper", false, "time: the order of events, durations, time of day, ages, and how they fit what came before"},
	{"dialogue-analyst", false, "speech: whether each voice is its own, whether subtext carries, whether anyone explains what both know"},
	{"plot-architect", false, "cause and effect: whether the scene moves the story, sets up what it must and gives away nothing too early"},
}

// validatorTime is how long a validator may take.
const validatorTime = 120 * time.Second

// panel gives the validators of a definition: all of them unless it names a smaller number.
func panel(p Params) []validator {
	if n := p.ParallelAgents; n > 0 && n < len(validators) {
		return validators[:n]
	}
	return validators
}

// fullValidation lets the validators read the draft side by side. What they say together is counted here.
func (m maker) fullValidation(in line.In) (line.Move, error) {
	g, err := readGiven(in)
	if err != nil {
		return line.Move{}, err
	}
	c, reads := g.constraints()
	around := g.storyPatterns()
	if reads = append(reads, g.unread(around)...); len(reads) > 0 {
		return line.Move{Reads: reads}, nil
	}
	draft, ok := g.draft()
	if !ok || len(draft.body) == 0 {
		return line.Move{}, fault.New(fault.MissingPrerequisite, string(in.Node.ID), "scene %s has no draft that was read; step 6 validates one", g.p.SceneID)
	}
	panel := panel(g.p)
	if len(in.Replies) == 0 {
		var move line.Move
		for _, v := range panel {
			call, err := m.validatorCall(g, c, v, draft, g.story(around))
			if err != nil {
				return line.Move{}, err
			}
			move.Calls = append(move.Calls, call)
		}
		return move, nil
	}
	r := aggregate(panel, in.Replies)
	r.SceneID, r.Draft = g.p.SceneID, draft.Artifact
	body, err := pretty(r)
	if err != nil {
		return line.Move{}, err
	}
	out, err := finish(ruling{Pass: r.Pass, Findings: r.findings()}, nil, output{"final_validation_report", g.p.work("final-validation-report.json"), body})
	return line.Move{Done: out}, err
}

func (m maker) validatorCall(g given, c Constraints, v validator, draft artifact, around []labelled) (line.Call, error) {
	data := struct {
		Name, Duty, SceneID, Language string
		Constraints, Draft            string
		Wishes                        []string
		Around                        []labelled
	}{v.name, v.duty, c.SceneID, languageName(c.Language), c.text(), proseOf(string(draft.body)), nil, around}
	for _, w := range g.wishes() {
		data.Wishes = append(data.Wishes, w.Key+": "+w.Text)
	}
	call := line.Call{Slot: v.name, Agent: v.name, Schema: m.schemas.opinion, Timeout: validatorTime, Tolerant: true}
	var err error
	if call.System, call.Prompt, err = m.prompts.Render("validator", data); err != nil {
		return call, err
	}
	inputs := writerInputs(c, nil, 0)
	inputs.Validator, inputs.DraftDigest = v.name, draft.SHA256
	return call, g.sources(&call, inputs)
}

// ValidationReport is final-validation-report.json.
type ValidationReport struct {
	SceneID    string            `json:"scene_id"`
	Pass       bool              `json:"pass"`
	Verdict    string            `json:"verdict"`
	Draft      Artifact          `json:"draft"`
	Passed     int               `json:"passed"`
	Warned     int               `json:"warned"`
	Failed     int               `json:"failed"`
	Rehearsal  bool              `json:"rehearsal,omitempty"`
	Validators []ValidatorReport `json:"validators"`
}

// ValidatorReport is what one validator said, or that it said nothing.
type ValidatorReport struct {
	Validator string  `json:"validator"`
	Critical  bool    `json:"critical"`
	Verdict   string  `json:"verdict"`
	Score     float64 `json:"score"`
	Summary   string  `json:"summary"`
	Issues    []issue `json:"issues"`
	Error     string  `json:"error,omitempty"`
}

// aggregate counts verdicts: one FAIL is a FAIL. A validator that did not answer is a warning, a critical one a FAIL.
func aggregate(panel []validator, replies []line.Reply) ValidationReport {
	r := ValidationReport{Validators: []ValidatorReport{}}
	for i, v := range panel {
		report := ValidatorReport{Validator: v.name, Critical: v.critical, Issues: []issue{}}
		var o opinion
		switch {
		case i >= len(replies):
			report.silent("no reply came")
		case replies[i].Failed != nil:
			report.silent(replies[i].Failed.Message)
		case json.Unmarshal([]byte(replies[i].Content), &o) != nil || o.Verdict == "":
			report.silent("the reply does not fit its schema")
		default:
			report.speak(o)
		}
		if i < len(replies) && replies[i].Provider == kernel.ProviderRehearsal {
			r.Rehearsal = true
		}
		switch report.Verdict {
		case verdictPass:
			r.Passed++
		case verdictWarn:
			r.Warned++
		default:
			r.Failed++
		}
		r.Validators = append(r.Validators, report)
	}
	r.Pass = r.Failed == 0
	switch {
	case r.Failed > 0:
		r.Verdict = verdictFail
	case r.Warned > 0:
		r.Verdict = verdictWarn
	default:
		r.Verdict = verdictPass
	}
	return r
}

// speak takes an opinion over. A verdict that is milder than its own issues is corrected: a critical issue is a FAIL.
func (v *ValidatorReport) speak(o opinion) {
	v.Verdict, v.Score, v.Summary = o.Verdict, o.Score, o.Summary
	v.Issues = append(v.Issues, o.Issues...)
	for _, i := range o.Issues {
		switch {
		case i.Severity == "critical":
			v.Verdict = verdictFail
		case i.Severity == "high" && v.Verdict == verdictPass:
			v.Verdict = verdictWarn
		}
	}
}

func (v *ValidatorReport) silent(why string) {
	v.Error, v.Verdict = why, verdictWarn
	v.Summary = "it did not answer; that is a warning"
	if v.Critical {
		v.Verdict, v.Summary = verdictFail, "it did not answer, and nothing passes without it"
	}
}

// findings are what the report holds against the draft.
func (r ValidationReport) findings() []kernel.Finding {
	out := []kernel.Finding{}
	for _, v := range r.Validators {
		if v.Error != "" {
			out = append(out, kernel.Finding{Code: "validator_silent", Severity: severityOf(v.Verdict), Message: v.Validator + ": " + v.Error, Fix: "resume from this step"})
		}
		for _, i := range v.Issues {
			out = append(out, kernel.Finding{Code: v.Validator, Severity: i.Severity, Message: v.Validator + ": " + i.Message, Fix: i.Fix})
		}
		if v.Error == "" && len(v.Issues) == 0 && v.Verdict != verdictPass {
			out = append(out, kernel.Finding{Code: v.Validator, Severity: severityOf(v.Verdict), Message: fmt.Sprintf("%s: %s, score %g. %s", v.Validator, v.Verdict, v.Score, v.Summary)})
		}
	}
	return out
}

func severityOf(verdict string) string {
	if verdict == verdictFail {
		return "high"
	}
	return "low"
}
