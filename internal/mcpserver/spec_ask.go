package mcpserver

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"sluice/internal/app"
	"sluice/internal/digest"
	"sluice/internal/fault"
	"sluice/internal/line/spec"
)

// maxAsked bounds how many questions one form puts; the rest are asked in the next round.
const maxAsked = 20

// formField is one field of a form that a client shows its user.
type formField struct {
	Type      string   `json:"type"`
	Title     string   `json:"title"`
	About     string   `json:"description,omitempty"`
	Enum      []string `json:"enum,omitempty"`
	MaxLength int      `json:"maxLength,omitempty"`
}

// askQuestions puts the open questions of a feature to the person at the client, and gives what was answered.
func (c *call) askQuestions(d app.SpecQuestionsDoc) (map[string]string, error) {
	command := fault.Action{Action: "answer", Command: "sluice spec answer " + d.FeatureID, Why: "a person answers at the command line"}
	if len(d.Questions) == 0 {
		return nil, fault.New(fault.BadValue, "answers", "feature %s is %s and has no open question; answers are needed by their paths", d.FeatureID, d.Status).With(d.Next...)
	}
	if !c.canAsk() {
		return nil, fault.New(fault.PersonRequired, d.FeatureID, "client %s cannot ask its user; answers are needed by their paths", c.client()).With(command)
	}
	asked := d.Questions[:min(len(d.Questions), maxAsked)]
	m, form, err := questionForm(d, asked)
	if err != nil {
		return nil, err
	}
	answer, isAnswered := c.req.Params.InputResponses[questionID].(*mcp.ElicitResult)
	if !isAnswered || c.req.Params.RequestState == "" {
		state, err := c.seal.close(c.req.Params.Name, c.req.Params.Arguments, m)
		if err != nil {
			return nil, err
		}
		return nil, &question{message: m.text, schema: form, state: state}
	}
	shown, err := c.seal.open(c.req.Params.RequestState, c.req.Params.Name, c.req.Params.Arguments)
	if err != nil {
		return nil, err
	}
	if shown.Version != m.version {
		return nil, fault.New(fault.StaleVerdict, d.FeatureID, "%s asks something else by now", d.FeatureID).
			With(fault.Action{Action: "call again", Why: "the person is asked the questions of now"})
	}
	given := answersIn(answer, asked)
	if answer.Action != "accept" || len(given) == 0 {
		return nil, fault.New(fault.PersonRequired, d.FeatureID, "the person at %s answered nothing; nothing was recorded", c.client()).With(command)
	}
	return given, nil
}

// questionForm words the questions, one field each, under the numbers of the questions.
func questionForm(d app.SpecQuestionsDoc, asked []spec.Question) (matter, json.RawMessage, error) {
	form := struct {
		Type       string               `json:"type"`
		Properties map[string]formField `json:"properties"`
	}{Type: "object", Properties: map[string]formField{}}
	for i, q := range asked {
		about := shorten(q.Question, 1000)
		if i < len(d.Rules) && len(q.Choices) == 0 {
			about += " (" + d.Rules[i] + ")"
		}
		f := formField{Type: "string", Title: q.Path, About: about, Enum: q.Choices}
		if len(q.Choices) == 0 {
			f.MaxLength = 20_000
		}
		form.Properties[q.ID] = f
	}
	raw, err := json.Marshal(form)
	text := fmt.Sprintf("%s %s: %d open. What is left empty stays open.", d.FeatureID, clip(d.Title), len(d.Questions))
	return matter{subject: d.FeatureID, version: digest.Of(raw), text: text}, raw, err
}

func answersIn(answer *mcp.ElicitResult, asked []spec.Question) map[string]string {
	given := map[string]string{}
	for _, q := range asked {
		if text, ok := answer.Content[q.ID].(string); ok && strings.TrimSpace(text) != "" {
			given[q.Path] = text
		}
	}
	return given
}
