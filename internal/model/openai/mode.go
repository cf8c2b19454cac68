package openai

import (
	"encoding/json"
	"strings"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/shared"

	"sluice/internal/model"
)

// dialect is what strict mode accepts, narrowed to what compatible servers accept as well.
var dialect = model.Dialect{
	Drop: []string{
		"$schema", "$id", "title", "default", "examples", "format", "pattern", "minLength", "maxLength", "minimum", "maximum",
		"exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minItems", "maxItems", "uniqueItems", "minProperties",
		"maxProperties", "patternProperties", "propertyNames", "unevaluatedProperties", "unevaluatedItems", "contains",
	},
	AllRequired: true,
	Closed:      true,
}

// body is the request on the wire.
func (c *Client) body(r model.Call) (sdk.ChatCompletionNewParams, error) {
	p := sdk.ChatCompletionNewParams{Model: r.Params.Model}
	prompt := r.Prompt
	if len(r.Schema) > 0 && r.Mode != model.Strict {
		prompt = r.PromptWithSchema()
	}
	if r.System != "" {
		p.Messages = append(p.Messages, sdk.SystemMessage(r.System))
	}
	p.Messages = append(p.Messages, sdk.UserMessage(prompt))
	if r.Params.Temperature != nil {
		p.Temperature = sdk.Float(*r.Params.Temperature)
	}
	if r.Params.Seed != nil {
		p.Seed = sdk.Int(*r.Params.Seed)
	}
	if r.Params.MaxTokens > 0 {
		// OpenAI's newer models refuse the old name; most other servers know no other.
		if strings.HasPrefix(c.caller.BaseURL, DefaultBaseURL) {
			p.MaxCompletionTokens = sdk.Int(int64(r.Params.MaxTokens))
		} else {
			p.MaxTokens = sdk.Int(int64(r.Params.MaxTokens))
		}
	}
	if len(r.Schema) == 0 {
		return p, nil
	}
	switch r.Mode {
	case model.Strict:
		format, err := schemaFormat(r)
		if err != nil {
			return p, err
		}
		p.ResponseFormat.OfJSONSchema = format
	case model.Object:
		p.ResponseFormat.OfJSONObject = &shared.ResponseFormatJSONObjectParam{}
	}
	return p, nil
}

func schemaFormat(r model.Call) (*shared.ResponseFormatJSONSchemaParam, error) {
	reduced, exact, err := r.Reduced(dialect)
	if err != nil {
		return nil, err
	}
	return &shared.ResponseFormatJSONSchemaParam{JSONSchema: shared.ResponseFormatJSONSchemaJSONSchemaParam{
		// Raw bytes keep the order of the properties, which the model writes in.
		Name: schemaName(r.Agent), Strict: sdk.Bool(exact), Schema: json.RawMessage(reduced),
	}}, nil
}

// schemaName is the agent in the letters that the server allows.
func schemaName(agent string) string {
	name := strings.Map(func(c rune) rune {
		if c == '_' || c == '-' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' {
			return c
		}
		return '_'
	}, agent)
	if name == "" {
		return "reply"
	}
	return name[:min(len(name), 64)]
}
