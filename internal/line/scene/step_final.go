package scene

import (
	"encoding/json"
	"fmt"
	"strings"

	"sluice/internal/digest"
	"sluice/internal/fault"
	"sluice/internal/kernel"
	"sluice/internal/line"
)

// finalOutput puts the approved text at its place in the story and reports how it came about.
func finalOutput(in line.In) (line.Move, error) {
	g, err := readGiven(in)
	if err != nil {
		return line.Move{}, err
	}
	c, reads := g.constraints()
	if len(reads) > 0 {
		return line.Move{Reads: reads}, nil
	}
	draft, ok := g.draft()
	if !ok || countWords(proseOf(string(draft.body))) == 0 {
		return line.Move{}, fault.New(fault.MissingPrerequisite, string(in.Node.ID), "scene %s has no approved draft to put in place", g.p.SceneID)
	}
	if !g.isValidated(draft) {
		return line.Move{}, fault.New(fault.MissingPrerequisite, string(in.Node.ID), "the draft of scene %s was changed after it was validated", g.p.SceneID).
			With(fault.Action{Action: "resume", Command: command(in.Run, g.validation(), "resume"), Why: "it is validated as it stands"})
	}
	at := c.Blueprint.Path
	if a, ok := g.artifact("blueprint_path"); ok && a.Path != "" {
		at = g.p.story(a.Path)
	}
	if at == "" {
		return line.Move{}, fault.New(fault.MissingPrerequisite, string(in.Node.ID), "the blueprint of scene %s is not known, and the text stands beside it", g.p.SceneID)
	}
	scene := output{"scene_content", contentPath(at, g.p.SceneID), []byte(sceneText(string(draft.body)) + "\n")}
	report := output{"final_report", g.p.work("final-report.md"), g.report(c, draft, scene)}
	out, err := finish(nil, nil, report, scene)
	return line.Move{Done: out}, err
}

// isValidated tells whether the draft is the one that was validated here. A report of another shape is an agent's, whose word counts.
func (g given) isValidated(draft artifact) bool {
	a, ok := g.artifact("final_validation_report")
	var r ValidationReport
	if !ok || json.Unmarshal(a.body, &r) != nil || r.Draft.SHA256 == "" {
		return true
	}
	return r.Draft.SHA256 == digest.Of(draft.body).Hex()
}

// validation is the step whose report the scene needs.
func (g given) validation() kernel.NodeID {
	s, _ := g.making("final_validation_report")
	return s.view.ID()
}

// sceneText is the prose alone, with the mark of a rehearsal if it has one: nobody may take it for a real scene.
func sceneText(draft string) string {
	prose := proseOf(draft)
	for l := range strings.Lines(draft) {
		if mark := rehearsed.FindString(l); mark != "" {
			return strings.TrimSpace(mark) + " " + prose
		}
	}
	return prose
}

func (g given) report(c Constraints, draft artifact, scene output) []byte {
	d := &document{lang: c.Language}
	d.heading(1, d.say("report")+" "+g.p.SceneID)
	if g.in.Run.Provider() == kernel.ProviderRehearsal || rehearsed.Match(scene.body) {
		d.text("**" + d.say("rehearsal") + "**")
		d.gap()
	}
	d.list([]string{
		d.say("text") + ": `" + scene.path + "`",
		d.say("attempt") + ": `" + draft.Path + "`",
		fmt.Sprintf("%s: %d (%s: %d, %d–%d)", d.say("words"), countWords(proseOf(string(draft.body))), d.say("target"), c.WordCount.Target, c.WordCount.Min, c.WordCount.Max),
	})
	g.reportValidators(d)
	g.reportCompliance(d)
	g.reportAttempts(d)
	var wishes []string
	for _, w := range g.wishes() {
		wishes = append(wishes, w.Key+": "+w.Text)
	}
	d.section(2, d.say("heeds"), wishes)
	return d.bytes()
}

func (g given) reportValidators(d *document) {
	a, ok := g.artifact("final_validation_report")
	var r ValidationReport
	if !ok || json.Unmarshal(a.body, &r) != nil || len(r.Validators) == 0 {
		return
	}
	d.heading(2, d.say("validators")+": "+r.Verdict)
	d.table(d.say("validator"), d.say("verdict"), d.say("score"), d.say("summary"))
	var remarks []string
	for _, v := range r.Validators {
		d.row(v.Validator, v.Verdict, fmt.Sprintf("%g", v.Score), v.Summary)
		for _, i := range v.Issues {
			remarks = append(remarks, fmt.Sprintf("%s (%s): %s", v.Validator, i.Severity, i.Message))
		}
	}
	d.section(2, d.say("issues"), remarks)
}

func (g given) reportCompliance(d *document) {
	a, ok := g.artifact("fast_compliance_result")
	var r ComplianceResult
	if !ok || json.Unmarshal(a.body, &r) != nil || len(r.Checks) == 0 {
		return
	}
	d.heading(2, d.say("compliance"))
	d.table(d.say("check"), d.say("item"), d.say("result"))
	for _, c := range r.Checks {
		word := d.say("pass")
		if !c.Pass {
			word = d.say("fail")
		}
		d.row(c.Check, c.Item, word)
	}
	var warnings []string
	for _, w := range r.Warnings {
		warnings = append(warnings, w.Message)
	}
	d.section(2, d.say("warnings"), warnings)
}

// reportAttempts lists the drafts and what was held against each.
func (g given) reportAttempts(d *document) {
	s, ok := g.making("draft")
	if !ok {
		return
	}
	var items []string
	for i, v := range s.view.Versions() {
		word := d.say("approved")
		var why []string
		if v.IsRejected() {
			word = d.say("rejected")
			for _, r := range v.Reviews() {
				for _, f := range r.Findings {
					if r.Verdict == kernel.AgainstIt {
						why = append(why, f.Message)
					}
				}
			}
		}
		items = append(items, strings.TrimSuffix(fmt.Sprintf("%d: %s: %s", i+1, word, strings.Join(why, "; ")), ": "))
	}
	d.section(2, d.say("attempts"), items)
}
