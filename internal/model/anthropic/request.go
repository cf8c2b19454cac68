package anthropic

import (
	"encoding/json"
	"fmt"

	sdk "github.com/anthropics/anthropic-sdk-go"

	"sluice/internal/model"
)

// dialect is what structured outputs accept; anything else is refused with 400.
var dialect = model.Dialect{
	Drop: []string{
		"$schema", "$id", "title", "default", "examples", "format", "pattern", "minLength", "maxLength", "minimum", "maximum",
		"exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minItems", "maxItems", "uniqueItems", "minProperties",
		"maxProperties", "patternProperties", "propertyNames", "unevaluatedProperties", "unevaluatedItems", "contains",
	},
	Closed: true,
}

// defaultMaxTokens is sent where nobody bounds the reply: this server wants a number. A chapter's scene fits in it, and
// every current model takes it.
const defaultMaxTokens = 16 << 10

// body is the request on the wire.
func body(r model.Call) (sdk.MessageNewParams, error) {
	p := sdk.MessageNewParams{Model: r.Params.Model, MaxTokens: int64(r.Params.MaxTokens)}
	if p.MaxTokens == 0 {
		p.MaxTokens = defaultMaxTokens
	}
	if r.System != "" {
		p.System = []sdk.TextBlockParam{{Text: r.System}}
	}
	if r.Params.Temperature != nil {
		p.Temperature = sdk.Float(*r.Params.Temperature)
	}
	prompt := r.Prompt
	if len(r.Schema) > 0 {
		schema, exact, err := reduced(r)
		if err != nil {
			return p, err
		}
		// A schema with free maps is refused whatever else it says.
		if r.Mode == model.Strict && exact {
			p.OutputConfig.Format = sdk.JSONOutputFormatParam{Schema: schema}
		} else {
			prompt = r.PromptWithSchema()
		}
	}
	p.Messages = []sdk.MessageParam{sdk.NewUserMessage(sdk.NewTextBlock(prompt))}
	return p, nil
}

// reduced gives the schema in the shape that the SDK takes. Only the topmost level is a map: the properties below it
// stay bytes and keep their order, which the model writes in.
func reduced(r model.Call) (map[string]any, bool, error) {
	raw, exact, err := r.Reduced(dialect)
	if err != nil {
		return nil, false, err
	}
	var parts map[string]json.RawMessage
	if err := json.Unmarshal(raw, &parts); err != nil {
		return nil, false, fmt.Errorf("reduce: %w", err)
	}
	schema := make(map[string]any, len(parts))
	for key, part := range parts {
		schema[key] = part
	}
	return schema, exact, nil
}
