package gate

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"sluice/internal/fault"
	"sluice/internal/kernel"
)

// Rule is a pure function of content and parameters, named for ever by its name and revision. A rule whose meaning
// changes gets a new revision and the old one stays, since runs keep the one they began with.
type Rule struct {
	Name     string
	Revision int
	Judge    func(content []byte, params json.RawMessage) kernel.RuleResult
}

// Evaluate judges the content and signs the result with the rule's name and revision.
func (r Rule) Evaluate(content []byte, params json.RawMessage) kernel.RuleResult {
	res := r.Judge(content, params)
	res.Rule, res.Revision = r.Name, r.Revision
	return res
}

// Set finds rules by name and revision.
type Set struct{ rules map[string]Rule }

// NewSet makes a set. Each name and revision occurs once.
func NewSet(rules ...Rule) (Set, error) {
	s := Set{rules: make(map[string]Rule, len(rules))}
	for _, r := range rules {
		k := key(r.Name, r.Revision)
		if _, twice := s.rules[k]; twice || r.Name == "" || r.Judge == nil {
			return Set{}, fault.New(fault.BadNode, k, "rule %s is named twice, has no name or no function", k)
		}
		s.rules[k] = r
	}
	return s, nil
}

func key(name string, revision int) string { return fmt.Sprintf("%s@%d", name, revision) }

// Find gives the rule of that name and revision.
func (s Set) Find(name string, revision int) (Rule, error) {
	r, ok := s.rules[key(name, revision)]
	if !ok {
		return Rule{}, fault.New(fault.BadNode, key(name, revision), "there is no rule %s; there are %s",
			key(name, revision), strings.Join(s.names(), ", "))
	}
	return r, nil
}

// Evaluate judges content by the rule that a node's gate names, with the node's parameters.
func (s Set) Evaluate(g kernel.Gate, content []byte, params json.RawMessage) (kernel.RuleResult, error) {
	r, err := s.Find(g.Rule, g.Revision)
	if err != nil {
		return kernel.RuleResult{}, err
	}
	return r.Evaluate(content, params), nil
}

func (s Set) names() []string {
	all := make([]string, 0, len(s.rules))
	for k := range s.rules {
		all = append(all, k)
	}
	slices.Sort(all)
	return all
}

// All passes when every result does. Findings keep their order; the score is the lowest one given.
func All(results ...kernel.RuleResult) kernel.RuleResult {
	all := kernel.RuleResult{Pass: true}
	for _, r := range results {
		all.Pass = all.Pass && r.Pass
		all.Findings = append(all.Findings, r.Findings...)
		if r.Score != nil && (all.Score == nil || *r.Score < *all.Score) {
			score := *r.Score
			all.Score = &score
		}
	}
	return all
}

// Each makes one rule of several: all of them judge the same content, each with its own parameters.
func Each(name string, revision int, parts ...Part) Rule {
	return Rule{Name: name, Revision: revision, Judge: func(content []byte, _ json.RawMessage) kernel.RuleResult {
		results := make([]kernel.RuleResult, len(parts))
		for i, p := range parts {
			results[i] = p.Rule.Evaluate(content, p.Params)
		}
		return All(results...)
	}}
}

// Part is one rule of an Each with its parameters.
type Part struct {
	Rule   Rule
	Params json.RawMessage
}

// against is a result with one finding.
func against(code, path, format string, args ...any) kernel.RuleResult {
	return kernel.RuleResult{Findings: []kernel.Finding{{Code: code, Severity: "high", Path: path, Message: fmt.Sprintf(format, args...)}}}
}
