package task

import (
	"fmt"
	"strings"

	"sluice/internal/kernel"
)

// Words of verdicts in files and tables.
const (
	VerdictApproved = "APPROVED"
	VerdictRejected = "REJECTED"
)

// VerdictWord gives the word for a verdict.
func VerdictWord(v kernel.Verdict) string {
	if v == kernel.ForIt {
		return VerdictApproved
	}
	return VerdictRejected
}

// ReviewText is the file of a review: score, grounds, reasons, suggestions and a verdict per criterion.
func ReviewText(r kernel.Review, criteria []Criterion) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n", VerdictWord(r.Verdict))
	fmt.Fprintf(&b, "- task: %s\n- artifact: %s\n", r.Node, r.Version)
	if r.Check != "" {
		fmt.Fprintf(&b, "- check: %s\n", r.Check)
	}
	fmt.Fprintf(&b, "- review: %s\n", reviewUUID(r.ID))
	if r.By.Name != "" {
		fmt.Fprintf(&b, "- reviewer: %s\n", oneLine(r.By.Name))
	}
	if r.Score != nil {
		fmt.Fprintf(&b, "- score: %s\n", days(*r.Score))
	}
	b.WriteString("\n## Grounds\n\n" + orText(strings.TrimSpace(r.Summary), "none were given") + "\n")
	b.WriteString("\n## Acceptance criteria\n\n")
	b.WriteString(criteriaTable(r, criteria))
	b.WriteString(outputs(r))
	b.WriteString("\n## Reasons against\n\n" + bullets(r.Findings, func(f kernel.Finding) string { return f.Message }))
	b.WriteString("\n## Suggestions\n\n" + bullets(r.Findings, func(f kernel.Finding) string { return f.Fix }))
	return b.String()
}

func criteriaTable(r kernel.Review, criteria []Criterion) string {
	if len(r.Criteria) == 0 {
		return "none were judged one by one\n"
	}
	known := map[string]Criterion{}
	for _, k := range criteria {
		known[k.ID] = k
	}
	var b strings.Builder
	b.WriteString("| criterion | severity | verdict | statement | evidence |\n|---|---|---|---|---|\n")
	for _, c := range r.Criteria {
		word := "fail"
		if c.Pass {
			word = "pass"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", cell(c.ID), known[c.ID].Severity, word, cell(known[c.ID].Statement), cell(firstLine(c.Evidence)))
	}
	return b.String()
}

// firstLine of evidence says what it is; what follows is what a program printed.
func firstLine(s string) string {
	first, rest, _ := strings.Cut(s, "\n")
	if rest != "" {
		return first + " (more below)"
	}
	return first
}

// outputs shows evidence of more than one line as it is, each once, indented so that nothing in it can be taken for a part
// of the review.
func outputs(r kernel.Review) string {
	var b strings.Builder
	seen := map[string]bool{}
	for _, c := range r.Criteria {
		if !strings.Contains(c.Evidence, "\n") || seen[c.Evidence] {
			continue
		}
		seen[c.Evidence] = true
		fmt.Fprintf(&b, "\n## Evidence for %s\n\n", oneLine(c.ID))
		for row := range strings.Lines(c.Evidence) {
			b.WriteString("    " + strings.TrimRight(row, "\r\n") + "\n")
		}
	}
	return b.String()
}

func cell(s string) string { return strings.ReplaceAll(oneLine(s), "|", `\|`) }

// bullets lists each text once.
func bullets(found []kernel.Finding, text func(kernel.Finding) string) string {
	var b strings.Builder
	seen := map[string]bool{"": true}
	for _, f := range found {
		if t := oneLine(text(f)); !seen[t] {
			seen[t] = true
			b.WriteString("- " + t + "\n")
		}
	}
	if b.Len() == 0 {
		return "none\n"
	}
	return b.String()
}
