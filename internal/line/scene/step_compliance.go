package scene

import (
	"fmt"

	"sluice/internal/kernel"
	"sluice/internal/line"
)

// fastCompliance holds the draft against the constraints, without a model. It judges what anyone wrote, and trusts no
// verdict of the writer.
func fastCompliance(in line.In) (line.Move, error) {
	g, err := readGiven(in)
	if err != nil {
		return line.Move{}, err
	}
	c, reads := g.constraints()
	if len(reads) > 0 {
		return line.Move{Reads: reads}, nil
	}
	draft, ok := g.draft()
	r := CheckCompliance(c, string(draft.body))
	if !ok || draft.body == nil {
		r.Violations = []kernel.Finding{{Code: codeNoProse, Severity: "high", Message: "there is no draft to check", Fix: "write the draft to " + g.p.WorkingDir}}
		r.Pass = false
	}
	r.SceneID, r.Draft = g.p.SceneID, draft.Artifact
	body, err := pretty(r)
	if err != nil {
		return line.Move{}, err
	}
	out, err := finish(ruling{Pass: r.Pass, Findings: r.Violations}, nil, output{"fast_compliance_result", g.p.work("fast-compliance-result.json"), body})
	if err != nil {
		return line.Move{}, err
	}
	out.Verdict = kernel.ForIt
	if !r.Pass {
		out.Verdict = kernel.AgainstIt
	}
	out.Review = kernel.Review{Findings: append(r.Violations, r.Warnings...),
		Summary: fmt.Sprintf("%d violations, %d warnings, %d words", len(r.Violations), len(r.Warnings), r.WordCount.Actual)}
	return line.Move{Done: out}, nil
}
