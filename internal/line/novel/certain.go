package novel

import (
	"sluice/internal/line/novel/continuity"
	"sluice/internal/line/novel/story"
)

// outlineFlaws says what is wrong with the order of an outline, for the model that wrote it.
func outlineFlaws(o story.Outline) []string {
	var flaws []string
	for _, p := range continuity.CheckOutline(o) {
		flaws = append(flaws, p.Place+": "+p.Message)
	}
	return flaws
}

// certain are the contradictions that need no model to be seen.
func certain(_ judged) []story.ConsistencyIssue { return nil }
