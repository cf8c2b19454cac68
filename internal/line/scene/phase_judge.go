package scene

import (
	"encoding/json"
	"fmt"
	"strings"

	"sluice/internal/kernel"
	"sluice/internal/line"
)

// judge performs a check of a workflow that someone defined themselves: its agents name issues, and whether they are
// too many is decided here.
func (m maker) judge(g given) (line.Move, error) {
	if len(g.in.Replies) == 0 {
		var move line.Move
		for _, agent := range g.p.Agents {
			call, err := m.judgeCall(g, agent)
			if err != nil {
				return line.Move{}, err
			}
			move.Calls = append(move.Calls, call)
		}
		return move, nil
	}
	out := line.Out{Verdict: kernel.ForIt}
	d := &document{lang: "en"}
	d.heading(1, g.p.Name)
	for i, agent := range g.p.Agents {
		var j judgement
		if err := json.Unmarshal([]byte(g.in.Replies[i].Content), &j); err != nil {
			return line.Move{}, line.Unusable{Reason: "the reply of " + agent + " does not fit its schema: " + err.Error()}
		}
		d.heading(2, strings.ReplaceAll(agent, "-", " "))
		d.text(j.Summary)
		for _, is := range j.Issues {
			d.list([]string{fmt.Sprintf("%s: %s", is.Severity, is.Message)})
			out.Review.Findings = append(out.Review.Findings, kernel.Finding{Code: agent, Severity: is.Severity, Message: is.Message, Fix: is.Fix})
			if is.Severity == "critical" || is.Severity == "high" {
				out.Verdict = kernel.AgainstIt
			}
		}
	}
	var files []output
	for _, key := range g.p.Outputs {
		files = append(files, output{key, g.p.work(fileOf(key)), d.bytes()})
	}
	done, err := finish(ruling{Pass: out.Verdict == kernel.ForIt, Findings: out.Review.Findings}, nil, files...)
	if err != nil {
		return line.Move{}, err
	}
	done.Verdict, done.Review = out.Verdict, out.Review
	return line.Move{Done: done}, nil
}

func (m maker) judgeCall(g given, agent string) (line.Call, error) {
	approved := g.approved()
	var subject []labelled
	if g.subject != nil {
		for _, p := range g.subject.doc.Parts {
			subject = append(subject, labelled{"to be judged: " + p.Path, string(p.Body)})
		}
	}
	lang := g.language(approved, subject)
	data := struct {
		Role, Language, About, Stage, Description string
		Approved, Subject                         []labelled
		Wishes                                    []string
	}{roleText(agent, g.p.Description), languageName(lang), g.about(), g.p.Name, g.p.Description, approved, subject, nil}
	for _, w := range g.wishes() {
		data.Wishes = append(data.Wishes, w.Stage+", "+w.Key+": "+w.Text)
	}
	call := line.Call{Slot: agent, Agent: agent, Schema: m.schemas.judgement}
	var err error
	if call.System, call.Prompt, err = m.prompts.Render("judge", data); err != nil {
		return call, err
	}
	return call, g.sources(&call, agentInputs{Workflow: g.p.Workflow, Stage: g.p.Name, SceneID: g.p.SceneID, Language: lang})
}
