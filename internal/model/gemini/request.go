package gemini

import (
	"encoding/json"
	"iter"
	"math"

	sdk "google.golang.org/genai"

	"sluice/internal/model"
)

// dialect leaves out what this API does not list; it refuses some of that and ignores the rest.
var dialect = model.Dialect{Drop: []string{
	"$schema", "$id", "default", "examples", "format", "pattern", "minLength", "maxLength", "exclusiveMinimum",
	"exclusiveMaximum", "multipleOf", "uniqueItems", "minProperties", "maxProperties", "patternProperties", "propertyNames",
	"unevaluatedProperties", "unevaluatedItems", "contains",
}}

const asJSON = "application/json"

// body is the request on the wire.
func body(r model.Call) ([]*sdk.Content, *sdk.GenerateContentConfig, error) {
	config := &sdk.GenerateContentConfig{CandidateCount: 1, MaxOutputTokens: int32(min(r.Params.MaxTokens, math.MaxInt32))}
	if r.System != "" {
		config.SystemInstruction = sdk.NewContentFromText(r.System, sdk.RoleUser)
	}
	if t := r.Params.Temperature; t != nil {
		heat := float32(*t)
		config.Temperature = &heat
	}
	if s := r.Params.Seed; s != nil {
		seed := int32(*s) // the rest of the number is left out: any seed is as good as another
		config.Seed = &seed
	}
	prompt := r.Prompt
	if len(r.Schema) > 0 && r.Mode == model.Strict {
		reduced, _, err := r.Reduced(dialect)
		if err != nil {
			return nil, nil, err
		}
		config.ResponseMIMEType = asJSON
		config.HTTPOptions = &sdk.HTTPOptions{ExtrasRequestProvider: withSchema(reduced)}
	} else if len(r.Schema) > 0 {
		prompt = r.PromptWithSchema()
		if r.Mode == model.Object {
			config.ResponseMIMEType = asJSON
		}
	}
	return []*sdk.Content{sdk.NewContentFromText(prompt, sdk.RoleUser)}, config, nil
}

// withSchema puts the schema into the body as bytes: given to the SDK as a value, it would lose the order of its
// properties, which the model writes in.
func withSchema(schema json.RawMessage) sdk.ExtrasRequestProvider {
	return func(body map[string]any) map[string]any {
		config, ok := body["generationConfig"].(map[string]any)
		if !ok {
			config = map[string]any{}
			body["generationConfig"] = config
		}
		config["responseJsonSchema"] = schema
		return body
	}
}

// read puts the pieces of a reply together.
func (a *answer) read(pieces iter.Seq2[*sdk.GenerateContentResponse, error], watch func(int)) error {
	for piece, err := range pieces {
		if err != nil {
			return err
		}
		before := a.text.Len()
		a.add(piece)
		if n := a.text.Len(); n > before {
			watch(n)
		}
	}
	if a.finish == "" && a.blocked == "" {
		return model.ErrEndedEarly
	}
	return nil
}

// add takes one piece. What the model thinks aloud is marked and left out of the text, but not of its cost.
func (a *answer) add(piece *sdk.GenerateContentResponse) {
	if piece.ModelVersion != "" {
		a.model = piece.ModelVersion
	}
	if u := piece.UsageMetadata; u != nil {
		a.usage.InputTokens = int(u.PromptTokenCount + u.ToolUsePromptTokenCount)
		a.usage.OutputTokens = int(u.CandidatesTokenCount + u.ThoughtsTokenCount)
	}
	if f := piece.PromptFeedback; f != nil && f.BlockReason != "" {
		a.blocked, a.why = string(f.BlockReason), f.BlockReasonMessage
	}
	if len(piece.Candidates) == 0 || piece.Candidates[0] == nil {
		return
	}
	first := piece.Candidates[0]
	if first.FinishReason != "" {
		a.finish, a.why = first.FinishReason, first.FinishMessage
	}
	if first.Content == nil {
		return
	}
	for _, part := range first.Content.Parts {
		if part != nil && !part.Thought {
			a.text.WriteString(part.Text)
		}
	}
}
