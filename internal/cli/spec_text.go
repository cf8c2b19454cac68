package cli

import (
	"fmt"
	"strconv"
	"strings"

	"sluice/internal/app"
	"sluice/internal/fault"
	"sluice/internal/line/spec"
)

func (v look) features(d app.SpecListDoc) string {
	if len(d.Features) == 0 {
		return "no features\n" + v.next([]fault.Action{{Command: "sluice spec new TEXT", Why: "begin one from any input"}})
	}
	rows := [][]string{{"FEATURE", "STATUS", "VERSION", "WAITS FOR", "LAST STEP", "TITLE"}}
	for _, f := range d.Features {
		status := string(f.Status)
		if f.Rehearsal {
			status += " (rehearsal)"
		}
		rows = append(rows, []string{clean(f.FeatureID), status, clean(dash(f.SpecVersion)), dash(f.WaitingFor), dash(lastStep(f)), clean(f.Title)})
	}
	text := table(v.width, rows...)
	if d.Next != "" {
		text += v.next([]fault.Action{{Command: "sluice spec list --page " + d.Next, Why: "there are more"}})
	}
	return text
}

// lastStep tells of a feature that does not go on by itself, and of no other.
func lastStep(f spec.Summary) string {
	step, _, _ := strings.Cut(f.LastError, ":")
	switch {
	case f.Cancelled:
		return "cancelled"
	case step != "":
		return clean(step) + " failed"
	}
	return ""
}

// questions writes what is asked, each with its rule where rules are given.
func questions(b *strings.Builder, all []spec.Question, rules []string) {
	for i, q := range all {
		b.WriteString("  " + clean(q.ID+" "+q.Path) + "\n    " + clean(q.Question) + "\n")
		switch {
		case len(q.Choices) > 0:
			b.WriteString("    one of " + clean(strings.Join(q.Choices, ", ")) + "\n")
		case i < len(rules):
			b.WriteString("    " + clean(rules[i]) + "\n")
		}
	}
}

func (v look) specQuestions(d app.SpecQuestionsDoc) string {
	var b strings.Builder
	b.WriteString(clean(d.FeatureID+" "+d.Title) + "\n")
	if d.AskTitle == "" {
		b.WriteString("  " + string(d.Status) + "; nothing is asked\n")
	} else {
		b.WriteString(clean(d.AskTitle) + "\n")
	}
	if d.Rehearsal {
		b.WriteString("  " + rehearsalNote + "\n")
	}
	questions(&b, d.Questions, d.Rules)
	for _, r := range d.History {
		if r.AnsweredBy == "" { // it is open, and shown above
			continue
		}
		fmt.Fprintf(&b, "%s round %d, answered by %s at %s\n", clean(r.RunID), r.Round, clean(r.AnsweredBy), r.AnsweredAt)
		for _, a := range r.Answers {
			b.WriteString("  " + clean(a.Path+" = "+a.Value) + "\n")
		}
	}
	return b.String() + v.next(d.Next)
}

func (v look) specVersions(d app.SpecVersionsDoc) string {
	rows := [][]string{{"VERSION", "MADE", "RUN", "STEP", "SCORE", "MISSING", "DECISION"}}
	for _, x := range d.Versions {
		version := clean(x.SpecVersion)
		if x.Rehearsal {
			version += " (rehearsal)"
		}
		rows = append(rows, []string{version, x.CreatedAt, clean(x.RunID), string(x.Step), score(x.CompletenessScore),
			strconv.Itoa(len(x.MissingFields)), dash(string(x.Decision))})
	}
	return table(v.width, rows...)
}

func score(s float64) string { return strconv.FormatFloat(s, 'f', 2, 64) }

func (v look) specDelta(d app.SpecDeltaDoc) string {
	var b strings.Builder
	from := d.From
	if from == "" {
		from = "nothing"
	}
	fmt.Fprintf(&b, "%s: %s → %s, %s\n", clean(d.FeatureID), clean(from), clean(d.To), count(len(d.Changes), "change"))
	changes(&b, d.Changes)
	return b.String()
}

// amended shows what changed, then where the feature stands.
func (v look) amended(d app.AmendDoc) string {
	if d.Delta == nil {
		return v.feature(d.SpecDoc)
	}
	return v.specDelta(app.SpecDeltaDoc{FeatureID: d.FeatureID, Delta: *d.Delta}) + v.feature(d.SpecDoc)
}

func changes(b *strings.Builder, all []spec.Change) {
	for _, c := range all {
		switch c.Op {
		case spec.Added:
			b.WriteString("  + " + clean(c.Path+": "+string(c.To)) + "\n")
		case spec.Removed:
			b.WriteString("  - " + clean(c.Path+": "+string(c.From)) + "\n")
		default:
			b.WriteString("  ~ " + clean(c.Path) + "\n    - " + clean(string(c.From)) + "\n    + " + clean(string(c.To)) + "\n")
		}
	}
}

func (v look) specSnapshots(d app.SpecSnapshotsDoc) string {
	rows := [][]string{{"RUN", "SEQ", "STEP", "IN", "OUT", "DECISION"}}
	for _, s := range d.Snapshots {
		x := s.Snapshot
		why := ""
		if len(x.Decisions) > 0 {
			why = x.Decisions[0].Decision + ": " + x.Decisions[0].Reason
		}
		rows = append(rows, []string{clean(x.RunID), strconv.Itoa(x.Step.Seq), string(x.Step.Name), clean(dash(text(x.SpecVersionIn))),
			clean(dash(text(x.SpecVersionOut))), clean(why)})
	}
	return table(v.width, rows...)
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func (v look) specEvidence(d app.SpecEvidenceDoc) string {
	rows := [][]string{{"EVIDENCE", "TYPE", "SUPPORTS", "WHERE", "SAYS"}}
	for _, e := range d.Evidence {
		rows = append(rows, []string{clean(e.EvidenceID), string(e.Type), clean(links(e.LinkedTo)), clean(e.Source.Ref), clean(e.Content.Excerpt)})
	}
	return table(v.width, rows...)
}

// links words what evidence supports: its first field, else its step, and how many more there are.
func links(all []spec.Link) string {
	first, fields := "", 0
	for _, l := range all {
		if l.SpecPath == "" {
			continue
		}
		if fields++; fields == 1 {
			first = l.SpecPath
		}
	}
	switch {
	case fields > 1:
		return first + " and " + strconv.Itoa(fields-1) + " more"
	case fields == 1:
		return first
	case len(all) > 0:
		return string(all[0].Step)
	}
	return "-"
}

func (v look) specTrace(t spec.Trace) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s of %s in %s\n  %s\n", clean(t.Path), clean(t.FeatureID), clean(t.SpecVersion), clean(string(t.Value)))
	o := t.Origin
	fmt.Fprintf(&b, "got this value in %s: %s of %s, round %d, at %s\n", clean(o.SpecVersion), o.Step, clean(o.RunID), o.Round, o.At)
	switch t.Source {
	case spec.FromInput:
		b.WriteString("written by " + clean(t.Person) + " in the input\n")
	case spec.FromAnswer:
		fmt.Fprintf(&b, "answered by %s at %s (%s)\n  %s\n", clean(t.Answer.By), t.Answer.At, clean(t.Answer.Ref), clean(t.Answer.Path+" = "+t.Answer.Value))
	case spec.FromModel:
		b.WriteString("filled by the model " + clean(dash(o.LLMModel)) + "\n")
	default:
		b.WriteString("computed\n")
	}
	for _, e := range t.Evidence {
		b.WriteString("  " + clean(e.EvidenceID+" "+string(e.Type)+" "+e.Source.Ref+": "+e.Content.Excerpt) + "\n")
	}
	if len(t.History) > 1 {
		b.WriteString("before\n")
		for _, h := range t.History[:len(t.History)-1] {
			b.WriteString("  " + clean(h.SpecVersion+" "+string(h.Step)+": "+dash(string(h.Value))) + "\n")
		}
	}
	return b.String()
}

func (v look) gateResult(g spec.GateResult) string {
	var b strings.Builder
	verdict := "closed"
	if g.OverallPass {
		verdict = "open"
	}
	fmt.Fprintf(&b, "stage %s is %s; completeness %s; next %s\n", g.Stage, verdict, score(g.CompletenessScore), g.NextStep)
	for _, one := range []struct {
		name string
		gate spec.Gate
	}{{"S", g.GateS}, {"T", g.GateT}, {"V", g.GateV}} {
		says := "pass"
		if !one.gate.Pass {
			says = "fail"
		}
		b.WriteString("  gate " + one.name + " " + says + "\n")
		for _, r := range one.gate.Reasons {
			b.WriteString("    " + clean(r) + "\n")
		}
	}
	return b.String()
}
