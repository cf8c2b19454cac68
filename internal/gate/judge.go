package gate

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"sluice/internal/kernel"
)

// ScoreAtLeast passes when the score reaches the minimum; equality passes.
func ScoreAtLeast(score, least float64) kernel.RuleResult {
	res := kernel.RuleResult{Pass: score >= least, Score: &score}
	if math.IsNaN(score) || math.IsInf(score, 0) {
		res.Pass, res.Score = false, nil
	}
	if !res.Pass {
		res.Findings = []kernel.Finding{{Code: "score_too_low", Severity: "high", Message: fmt.Sprintf("the score is %s and %s is needed",
			number(score), number(least))}}
	}
	return res
}

func number(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }

// NoFindingFrom passes when no finding is as severe as the given severity or more. The findings are part of the result
// either way. A severity that is not known counts as the highest.
func NoFindingFrom(findings []kernel.Finding, severity string) kernel.RuleResult {
	res := kernel.RuleResult{Pass: true, Findings: findings}
	for _, f := range findings {
		if Rank(f.Severity) >= Rank(severity) {
			res.Pass = false
		}
	}
	return res
}

// Rank orders severities: low and minor, medium and major, high and blocker. None given is medium.
func Rank(severity string) int {
	switch strings.ToLower(strings.TrimSpace(severity)) {
	case "info":
		return 0
	case "low", "minor":
		return 1
	case "", "med", "medium", "major":
		return 2
	}
	return 3
}

// scoreParams say where a score stands and what it must reach.
type scoreParams struct {
	Path string  `json:"path"`
	Min  float64 `json:"min"`
}

// Score is the rule "score at least N" on a JSON document: params {"path": "overall_score", "min": 75}.
func Score() Rule {
	return Rule{Name: "score", Revision: 1, Judge: func(content []byte, params json.RawMessage) kernel.RuleResult {
		var p scoreParams
		doc, bad := read(content, params, &p)
		if bad != nil {
			return *bad
		}
		found := lookUp(doc, p.Path)
		if len(found) == 0 {
			return against("missing", p.Path, "%s is missing", p.Path)
		}
		results := make([]kernel.RuleResult, len(found))
		for i, at := range found {
			score, ok := at.number()
			if !ok {
				results[i] = against("not_a_number", at.path, "%s is missing or no number", at.path)
				continue
			}
			results[i] = ScoreAtLeast(score, p.Min)
			for j := range results[i].Findings {
				results[i].Findings[j].Path = at.path
			}
		}
		return All(results...)
	}}
}

// severityParams say where findings stand, what their members are called and how severe none may be.
type severityParams struct {
	Path string `json:"path"` // of the array
	From string `json:"from"` // the lowest severity that blocks
}

// issue is a finding as models and lines spell it.
type issue struct {
	Code        string `json:"code"`
	IssueType   string `json:"issue_type"`
	Type        string `json:"type"`
	Severity    string `json:"severity"`
	Path        string `json:"path"`
	Message     string `json:"message"`
	Description string `json:"description"`
	Fix         string `json:"fix"`
	FixText     string `json:"fix_instructions"`
}

// Severity is the rule "no finding as severe as S" on a JSON document: params {"path": "issues", "from": "high"}. An
// empty array has no findings; a document without the array was not judged, and does not pass.
func Severity() Rule {
	return Rule{Name: "severity", Revision: 1, Judge: func(content []byte, params json.RawMessage) kernel.RuleResult {
		var p severityParams
		doc, bad := read(content, params, &p)
		if bad != nil {
			return *bad
		}
		var findings []kernel.Finding
		for _, at := range lookUp(doc, p.Path) {
			if _, ok := at.value.([]any); !ok {
				return against("missing", at.path, "%s is missing or no list", at.path)
			}
		}
		for _, at := range lookUp(doc, p.Path+"[]") {
			if at.value == nil {
				continue
			}
			raw, err := json.Marshal(at.value)
			var is issue
			if err != nil || json.Unmarshal(raw, &is) != nil {
				findings = append(findings, kernel.Finding{Code: "unreadable", Severity: "high", Path: at.path, Message: at.path + " is no finding"})
				continue
			}
			findings = append(findings, kernel.Finding{Code: first(is.Code, is.IssueType, is.Type, "issue"), Severity: is.Severity,
				Path: first(is.Path, at.path), Message: first(is.Message, is.Description), Fix: first(is.Fix, is.FixText)})
		}
		return NoFindingFrom(findings, p.From)
	}}
}

func first(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}

// requiredParams name what must be there.
type requiredParams struct {
	Paths []string `json:"paths"`
}

// Required is the rule "these paths are present": params {"paths": ["spec.goal", "spec.criteria[i].text"]}.
func Required() Rule {
	return Rule{Name: "required", Revision: 1, Judge: func(content []byte, params json.RawMessage) kernel.RuleResult {
		var p requiredParams
		doc, bad := read(content, params, &p)
		if bad != nil {
			return *bad
		}
		return present(doc, p.Paths)
	}}
}

// Present passes when every path of a JSON document leads to something: not null, no blank text, no empty list or
// object. Zero and false are something. [i] and [] mean every element, and an empty list is missing itself.
func Present(content []byte, paths ...string) kernel.RuleResult {
	doc, bad := read(content, nil, nil)
	if bad != nil {
		return *bad
	}
	return present(doc, paths)
}

func present(doc any, paths []string) kernel.RuleResult {
	res := kernel.RuleResult{Pass: true}
	seen := map[string]bool{}
	for _, path := range paths {
		for _, at := range lookUp(doc, path) {
			if at.isThere() || seen[at.path] {
				continue
			}
			seen[at.path] = true
			res.Pass = false
			res.Findings = append(res.Findings, kernel.Finding{Code: "missing", Severity: "high", Path: at.path, Message: at.path + " is missing"})
		}
	}
	return res
}
