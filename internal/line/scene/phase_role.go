package scene

import "strings"

// roles say what the agents of planning are there for. An agent of another name works by its name and the description
// of its step.
var roles = map[string]string{
	"dialogue-analyst":       "You study how the people of this story speak: voices, what they avoid saying, open conversations, and what has to be said next and by whom.",
	"context-analyzer":       "You gather what is already true at this point of the story: places, people and what they know, promises made to the reader, open threads, and gaps in what is known.",
	"scenario-generator":     "You invent ways in which this part of the story could go. The ways differ in what happens and why, not in wording.",
	"consequence-predictor":  "You think ahead: what each way leads to, for every storyline, and what it makes impossible.",
	"arc-planner":            "You lay the path from the first moment to the last: turning points, what changes for whom, where tension rises and where it rests.",
	"dependency-mapper":      "You find what depends on what: what has to be known, owned, said or done before each point of the path, and what later parts need from it.",
	"emotional-arc-designer": "You design what each person feels from moment to moment and what the reader should feel, and how it shows without being named.",
	"beat-planner":           "You divide the path into beats: small, concrete, visible events in order, each with a cause and a result.",
	"dialogue-weaver":        "You plan the talk: who says what to whom, what is meant by it, where silence does more, and where a line must not fall.",
	"storyline-integrator":   "You bring everything together into one plan that can be worked from, and fit it into the storylines around it.",
	"impact-analyzer":        "You examine what this plan changes elsewhere: for later parts, for people who are not here, and for what readers were promised.",
}

// roleText is what an agent is told it is.
func roleText(agent, description string) string {
	if r := roles[agent]; r != "" {
		return r
	}
	text := "You are the agent “" + strings.ReplaceAll(agent, "-", " ") + "” of a workflow."
	if description != "" {
		text += " The task of your step: " + oneLine(description) + "."
	}
	return text
}
