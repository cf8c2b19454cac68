package spec

import (
	"fmt"

	"pgregory.net/rapid"
)

// whole is a spec with nothing missing.
func whole() CanonicalSpec {
	return CanonicalSpec{
		SchemaVersion: SchemaVersion,
		Feature:       Feature{FeatureID: "F-2026-001", Title: "Search", CreatedAt: "2026-11-15T10:00:00Z", UpdatedAt: "2026-11-15T10:00:00Z"},
		Spec: Requirement{Goal: "Find a book by any word of its title", AcceptanceCriteria: []Criterion{
			{ID: "AC-1", Criteria: "a word finds its book", TestHint: "search for one"}, {ID: "AC-2", Criteria: "an unknown word finds none"}}},
		Planning: Planning{
			Tasks: []Task{{TaskID: "T-1", Title: "Index", Type: "dev", Scope: "the index"},
				{TaskID: "T-2", Title: "Test", Type: "test", Scope: "the search", Dependencies: []string{"T-1"}}},
			VV: []Verification{{VVID: "VV-1", TaskID: "T-1", Type: "unit", Procedure: "run", ExpectedResult: "found"},
				{VVID: "VV-2", TaskID: "T-2", Type: "e2e", Procedure: "search", ExpectedResult: "found"}}},
		Decision: Advice{Recommendation: Hold},
		Meta:     Meta{SpecVersion: "S-20261115-0001", SourceArtifacts: []SourceArtifact{{Type: "doc", Ref: "doc://text"}}},
	}
}

// anySpec draws specs with holes in them, dependencies that lead nowhere and in circles, and ids that repeat.
func anySpec(t *rapid.T) CanonicalSpec {
	s := whole()
	word := rapid.SampledFrom([]string{"", " ", "\u200b", "x", "a goal that is long enough", "ten chars!"})
	s.Spec.Goal = word.Draw(t, "goal")
	s.Spec.AcceptanceCriteria = nil
	for i := range rapid.IntRange(0, 5).Draw(t, "criteria") {
		s.Spec.AcceptanceCriteria = append(s.Spec.AcceptanceCriteria, Criterion{ID: anyID(t, "AC", i), Criteria: word.Draw(t, "criterion"), TestHint: word.Draw(t, "hint")})
	}
	s.Planning.Tasks, s.Planning.VV = nil, nil
	for i := range rapid.IntRange(0, 6).Draw(t, "tasks") {
		task := Task{TaskID: anyID(t, "T", i), Title: word.Draw(t, "title"), Scope: word.Draw(t, "scope"),
			Type: rapid.SampledFrom(append(TaskTypes(), "", "magic")).Draw(t, "type")}
		for range rapid.IntRange(0, 2).Draw(t, "dependencies") {
			task.Dependencies = append(task.Dependencies, fmt.Sprintf("T-%d", rapid.IntRange(1, 7).Draw(t, "dependency")))
		}
		s.Planning.Tasks = append(s.Planning.Tasks, task)
	}
	for i := range rapid.IntRange(0, 6).Draw(t, "vv") {
		s.Planning.VV = append(s.Planning.VV, Verification{VVID: anyID(t, "VV", i), TaskID: fmt.Sprintf("T-%d", rapid.IntRange(0, 7).Draw(t, "of")),
			Type:      rapid.SampledFrom(append(VVTypes(), "", "magic")).Draw(t, "vv type"),
			Procedure: word.Draw(t, "procedure"), ExpectedResult: word.Draw(t, "expected")})
	}
	return s
}

func anyID(t *rapid.T, prefix string, i int) string {
	return rapid.SampledFrom([]string{fmt.Sprintf("%s-%d", prefix, i+1), fmt.Sprintf("%s-%d", prefix, i+1), "", prefix + "-1"}).Draw(t, "id")
}
