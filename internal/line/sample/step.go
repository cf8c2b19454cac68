package sample

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"sluice/internal/kernel"
	"sluice/internal/line"
	"sluice/internal/prompt"
)

// steps are those that ask a model.
type steps struct{ prompts *prompt.Set }

// fixedText is the step that needs nobody: its content is in the definition.
func fixedText(in line.In) (line.Move, error) {
	p, err := paramsOf(in.Node)
	if err != nil {
		return line.Move{}, err
	}
	return line.Move{Done: &line.Out{Body: []byte(p.Text), Schema: "text/markdown"}}, nil
}

// assemble joins the approved versions of everything it needs.
func assemble(in line.In) (line.Move, error) {
	var out bytes.Buffer
	for i, d := range in.Inputs {
		if i > 0 {
			out.WriteString("\n")
		}
		out.Write(d.Body)
		if !bytes.HasSuffix(d.Body, []byte("\n")) {
			out.WriteByte('\n')
		}
	}
	return line.Move{Done: &line.Out{Body: out.Bytes(), Schema: "text/markdown"}}, nil
}

// contains is a check without a model.
func contains(in line.In) (line.Move, error) {
	p, err := paramsOf(in.Node)
	if err != nil {
		return line.Move{}, err
	}
	out := &line.Out{Verdict: kernel.ForIt}
	if !bytes.Contains(in.Subject.Body, []byte(p.Contains)) {
		out.Verdict = kernel.AgainstIt
		out.Review.Findings = []kernel.Finding{{Code: "missing_text", Severity: "high",
			Message: fmt.Sprintf("%q does not occur", p.Contains), Fix: fmt.Sprintf("mention %q", p.Contains)}}
	}
	return line.Move{Done: out}, nil
}

// write asks for one text, or for several side by side which are joined.
func (s steps) write(in line.In) (line.Move, error) {
	p, err := paramsOf(in.Node)
	if err != nil {
		return line.Move{}, err
	}
	want := max(1, p.Calls)
	if len(in.Replies) >= want {
		parts := make([]string, 0, want)
		for _, r := range in.Replies {
			if strings.TrimSpace(r.Content) == "" {
				return line.Move{}, line.Unusable{Reason: "the reply is empty"}
			}
			parts = append(parts, strings.TrimSpace(r.Content))
		}
		return line.Move{Done: &line.Out{Body: []byte(strings.Join(parts, "\n\n") + "\n"), Schema: "text/markdown"}}, nil
	}
	var m line.Move
	for i := range want {
		c, err := s.call(in, p, "write", strconv.Itoa(i+1))
		if err != nil {
			return line.Move{}, err
		}
		m.Calls = append(m.Calls, c)
	}
	return m, nil
}

// Variants is what a model answers when it is asked for choices.
type Variants struct {
	Variants []Variant `json:"variants"`
}

// Variant is one choice. Its label is ours: the model's order decides, never its letters.
type Variant struct {
	Label string `json:"label,omitempty"`
	Text  string `json:"text"`
}

const variantsName = "sample/variants"

const variantsSchema = `{"type":"object","additionalProperties":false,"required":["variants"],"properties":{"variants":{"type":"array","minItems":2,"maxItems":5,"items":{"type":"object","additionalProperties":false,"required":["text"],"properties":{"text":{"type":"string","minLength":1}}}}}}`

func (s steps) variants(in line.In) (line.Move, error) {
	p, err := paramsOf(in.Node)
	if err != nil {
		return line.Move{}, err
	}
	if len(in.Replies) == 0 {
		c, err := s.call(in, p, "variants", "1")
		c.Schema = json.RawMessage(variantsSchema)
		return line.Move{Calls: []line.Call{c}}, err
	}
	var v Variants
	if err := json.Unmarshal([]byte(in.Replies[0].Content), &v); err != nil {
		return line.Move{}, line.Unusable{Reason: err.Error()}
	}
	out := line.Out{Schema: variantsName}
	for i := range v.Variants {
		v.Variants[i].Label = label(i)
		out.Variants = append(out.Variants, v.Variants[i].Label)
	}
	if out.Body, err = json.MarshalIndent(v, "", "  "); err != nil {
		return line.Move{}, err
	}
	return line.Move{Done: &out}, nil
}

const judgeSchema = `{"type":"object","additionalProperties":false,"required":["score","summary","findings"],"properties":{"score":{"type":"number","minimum":0,"maximum":100},"summary":{"type":"string"},"findings":{"type":"array","items":{"type":"object","additionalProperties":false,"required":["message"],"properties":{"message":{"type":"string"},"severity":{"type":"string","enum":["low","medium","high"]},"fix":{"type":"string"}}}}}}`

// judge asks a model for findings and a score; whether that is enough is decided here, not by the model.
func (s steps) judge(in line.In) (line.Move, error) {
	p, err := paramsOf(in.Node)
	if err != nil {
		return line.Move{}, err
	}
	if len(in.Replies) == 0 {
		c, err := s.call(in, p, "judge", "1")
		c.Schema = json.RawMessage(judgeSchema)
		return line.Move{Calls: []line.Call{c}}, err
	}
	var verdict struct {
		Score    float64          `json:"score"`
		Summary  string           `json:"summary"`
		Findings []kernel.Finding `json:"findings"`
	}
	if err := json.Unmarshal([]byte(in.Replies[0].Content), &verdict); err != nil {
		return line.Move{}, line.Unusable{Reason: err.Error()}
	}
	least := p.MinScore
	if least == 0 {
		least = 75
	}
	out := line.Out{Verdict: kernel.ForIt, Review: kernel.Review{Score: &verdict.Score, Summary: verdict.Summary, Findings: verdict.Findings}}
	high := 0
	for i := range out.Review.Findings {
		out.Review.Findings[i].Code = "finding"
		if out.Review.Findings[i].Severity == "high" {
			high++
		}
	}
	if verdict.Score < least || high > 0 {
		out.Verdict = kernel.AgainstIt
	}
	return line.Move{Done: &out}, nil
}

// call renders a prompt from what the step was given. Everything that came from outside is fenced.
func (s steps) call(in line.In, p Params, name, slot string) (line.Call, error) {
	type source struct{ Label, Text string }
	data := struct {
		Task     string
		Words    int
		Sources  []source
		Subject  string
		Findings []string
	}{Task: p.Task, Words: p.Words}
	c := line.Call{Slot: slot, Agent: p.Agent}
	if c.Agent == "" {
		c.Agent = "sample-" + name
	}
	texts := map[string]string{}
	for _, d := range in.Inputs {
		text := chosen(d)
		data.Sources = append(data.Sources, source{string(d.Version.Node), text})
		texts[string(d.Version.Node)] = text
		c.Sources = append(c.Sources, d.Version.Digest)
	}
	if in.Subject != nil {
		data.Subject = string(in.Subject.Body)
		c.Sources = append(c.Sources, in.Subject.Version.Digest)
	}
	for _, r := range in.Reviews {
		for _, f := range r.Findings {
			data.Findings = append(data.Findings, strings.TrimSpace(f.Message+" "+f.Fix))
		}
	}
	data.Findings = append(data.Findings, in.Attempt.Notes...)
	var err error
	if c.System, c.Prompt, err = s.prompts.Render(name, data); err != nil {
		return c, err
	}
	c.Inputs, err = json.Marshal(struct {
		Node    string            `json:"node"`
		Task    string            `json:"task,omitempty"`
		Words   int               `json:"words,omitempty"`
		Take    int               `json:"take"`
		Slot    string            `json:"slot"`
		Inputs  map[string]string `json:"inputs,omitempty"`
		Version int               `json:"version,omitempty"` // the number of what is judged or improved
	}{string(in.Node.ID), p.Task, p.Words, in.Attempt.Take, slot, texts, subjectNumber(in)})
	return c, err
}

func subjectNumber(in line.In) int {
	if in.Subject == nil {
		return 0
	}
	return in.Subject.Version.N
}

// chosen is the text of a version, or of the variant that a person chose of it.
func chosen(d line.Doc) string {
	choice := ""
	for _, r := range d.Version.Reviews() {
		if r.Verdict == kernel.ForIt && r.Choice != "" {
			choice = r.Choice
		}
	}
	var v Variants
	if d.Version.Schema != variantsName || json.Unmarshal(d.Body, &v) != nil {
		return string(d.Body)
	}
	for _, variant := range v.Variants {
		if variant.Label == choice {
			return variant.Text
		}
	}
	return string(d.Body)
}
