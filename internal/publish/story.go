package publish

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"sluice/internal/line/spec"
	"sluice/internal/line/spec/ledger"
)

// sources are what fields of a table can be filled from: paths of the spec as text, and user_story.
func sources(r ledger.Request) map[string]string {
	s := r.Spec
	ref, mvp := spec.ProjectContextRef{}, spec.MVP{}
	if s.ProjectContextRef != nil {
		ref = *s.ProjectContextRef
	}
	if s.Planning.MVPDefinition != nil {
		mvp = *s.Planning.MVPDefinition
	}
	all := map[string]string{
		"feature.feature_id": s.Feature.FeatureID, "feature.title": s.Feature.Title,
		"feature.created_at": s.Feature.CreatedAt, "feature.updated_at": s.Feature.UpdatedAt,
		"project_context_ref.project_id": ref.ProjectID, "project_context_ref.context_version": ref.ContextVersion,
		"project_context_ref.project_record_id": ref.ProjectRecordID, "project_context_ref.mentor_user_id": ref.MentorUserID,
		"project_context_ref.intern_user_id": ref.InternUserID,
		"spec.goal":                          s.Spec.Goal, "spec.background": s.Spec.Background, "spec.non_goals": bullets(s.Spec.NonGoals),
		"spec.acceptance_criteria":         criteria(s.Spec.AcceptanceCriteria),
		"planning.mvp_definition.mvp_goal": mvp.Goal,
		"planning.tasks":                   tasks(s.Planning.Tasks),
		"planning.vv":                      verifications(s.Planning.VV),
		"planning.known_assumptions":       bullets(s.Planning.KnownAssumptions),
		"planning.constraints":             bullets(s.Planning.Constraints),
		"quality.completeness_score":       strconv.FormatFloat(s.Quality.CompletenessScore, 'f', 2, 64),
		"decision.recommendation":          string(s.Decision.Recommendation),
		"meta.spec_version":                s.Meta.SpecVersion,
		"user_story":                       Story(r),
	}
	for name, text := range all {
		all[name] = visible(text)
	}
	return all
}

// visible takes out what nobody sees and what changes how the rest is shown: escapes of terminals, other control characters,
// marks that turn the direction of text. What people wrote stands in the spec word for word; outside, others read it.
func visible(s string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c == '\n', c == '\t', c == '\u200c', c == '\u200d': // joiners are letters of some scripts, and of emoji
			return c
		case unicode.IsControl(c), unicode.Is(unicode.Cf, c):
			return -1
		}
		return c
	}, strings.ReplaceAll(s, "\r\n", "\n"))
}

// Story is a version as people read it: front matter by which it is found again, then its parts.
func Story(r ledger.Request) string {
	s := r.Spec
	h := headingsFor(s)
	var b strings.Builder
	b.WriteString(frontMatter(r))
	section := func(title, body string) {
		if body != "" {
			fmt.Fprintf(&b, "\n## %s\n\n%s\n", title, strings.TrimRight(body, "\n"))
		}
	}
	section(h.background, s.Spec.Background)
	section(h.goal, s.Spec.Goal)
	section(h.nonGoals, bullets(s.Spec.NonGoals))
	section(h.criteria, criteria(s.Spec.AcceptanceCriteria))
	section(h.tasks, tasks(s.Planning.Tasks))
	section(h.vv, verifications(s.Planning.VV))
	return visible(b.String())
}

const (
	fence       = "---\n"
	featureLine = "feature_id: "
	originLine  = "origin: "
)

func frontMatter(r ledger.Request) string {
	origin := ""
	if r.Origin != "" {
		origin = originLine + oneLine(r.Origin) + "\n"
	}
	return fence + featureLine + oneLine(r.Spec.Feature.FeatureID) + "\nspec_version: " + oneLine(r.Spec.Meta.SpecVersion) + "\n" +
		origin + fence
}

// Mark is what a target may be searched for; whether a hit is ours, IsOurs says.
func Mark(p Payload) string { return featureLine + p.Feature }

// IsOurs reports whether a text that stands outside was published for this feature by this workspace. An id that begins
// with the same digits is another feature, and the same id in another workspace is another one too.
func IsOurs(text string, p Payload) bool {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	head, ok := strings.CutPrefix(strings.TrimLeft(text, " \n"), fence)
	if !ok {
		return false
	}
	head, _, ok = strings.Cut(head, "\n---")
	if !ok {
		return false
	}
	feature, origin := "", ""
	for line := range strings.SplitSeq(head, "\n") {
		if v, ok := strings.CutPrefix(line, featureLine); ok {
			feature = strings.TrimSpace(v)
		}
		if v, ok := strings.CutPrefix(line, originLine); ok {
			origin = strings.TrimSpace(v)
		}
	}
	return feature == p.Feature && origin == p.Origin
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

func bullets(items []string) string {
	var b strings.Builder
	for _, item := range items {
		b.WriteString("- " + indented(item) + "\n")
	}
	return b.String()
}

// indented keeps the lines of an item together.
func indented(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\n", "\n  ")
}

func criteria(list []spec.Criterion) string {
	var b strings.Builder
	for _, c := range list {
		fmt.Fprintf(&b, "- %s: %s\n", c.ID, indented(c.Criteria))
		if c.TestHint != "" {
			fmt.Fprintf(&b, "  - test: %s\n", indented(c.TestHint))
		}
	}
	return b.String()
}

func tasks(list []spec.Task) string {
	var b strings.Builder
	for _, t := range list {
		fmt.Fprintf(&b, "- %s [%s] %s: %s", t.TaskID, t.Type, oneLine(t.Title), indented(t.Scope))
		if t.Estimate != nil {
			fmt.Fprintf(&b, " (%s %s)", strconv.FormatFloat(t.Estimate.Value, 'f', -1, 64), t.Estimate.Unit)
		}
		if len(t.Dependencies) > 0 {
			fmt.Fprintf(&b, " ← %s", strings.Join(t.Dependencies, ", "))
		}
		b.WriteString("\n")
	}
	return b.String()
}

func verifications(list []spec.Verification) string {
	var b strings.Builder
	for _, v := range list {
		fmt.Fprintf(&b, "- %s (%s, %s): %s → %s\n", v.VVID, v.TaskID, v.Type, indented(v.Procedure), indented(v.ExpectedResult))
	}
	return b.String()
}

// headings are the names of a document's parts.
type headings struct{ background, goal, nonGoals, criteria, tasks, vv string }

// headingsFor speaks the language of the goal and the title.
func headingsFor(s spec.CanonicalSpec) headings {
	han, cyrillic, latin := 0, 0, 0
	for _, r := range s.Feature.Title + s.Spec.Goal {
		switch {
		case unicode.Is(unicode.Han, r):
			han++
		case unicode.Is(unicode.Cyrillic, r):
			cyrillic++
		case unicode.Is(unicode.Latin, r):
			latin++
		}
	}
	switch {
	case han*3 >= latin && han > 0 && han >= cyrillic:
		return headings{"背景", "目标", "非目标", "验收标准", "任务", "验证"}
	case cyrillic >= latin && cyrillic > 0:
		return headings{"Предыстория", "Цель", "Не входит", "Критерии приёмки", "Задачи", "Проверка"}
	}
	return headings{"Background", "Goal", "Non-goals", "Acceptance criteria", "Tasks", "Verification"}
}
