package openai

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/shared"

	"sluice/internal/fault"
	"sluice/internal/model"
)

// mode is how a structured reply is asked for, from the strictest to what every server understands.
type mode int

const (
	strict mode = iota // the server enforces the schema
	object             // the server enforces JSON; the prompt shows the schema
	plain              // the prompt alone asks for it
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

func (c *Client) mode(r model.Request) mode {
	if len(r.Schema) == 0 {
		return plain
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.modes[r.Params.Model]
}

func (c *Client) remember(r model.Request, m mode) {
	if len(r.Schema) == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.modes[r.Params.Model] = m
}

// refusesSchema tells a server that cannot do what the mode asks from one that finds fault with something else.
func refusesSchema(err error) bool {
	e, ok := errors.AsType[*model.Error](err)
	if !ok || e.Status != http.StatusBadRequest && e.Status != http.StatusUnprocessableEntity {
		return false
	}
	text := strings.ToLower(e.Error())
	for _, word := range []string{"response_format", "json_schema", "json_object", "schema", "structured output"} {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}

// body is the request on the wire.
func (c *Client) body(r model.Request, m mode) (sdk.ChatCompletionNewParams, error) {
	p := sdk.ChatCompletionNewParams{Model: r.Params.Model}
	prompt := r.Prompt
	if len(r.Schema) > 0 && m != strict {
		prompt += "\n\nAnswer with one JSON document that fits this JSON schema, and with nothing else:\n" + string(r.Schema)
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
		if strings.HasPrefix(c.o.BaseURL, DefaultBaseURL) {
			p.MaxCompletionTokens = sdk.Int(int64(r.Params.MaxTokens))
		} else {
			p.MaxTokens = sdk.Int(int64(r.Params.MaxTokens))
		}
	}
	if len(r.Schema) == 0 {
		return p, nil
	}
	switch m {
	case strict:
		format, err := schemaFormat(r)
		if err != nil {
			return p, fault.Wrap(fault.Unexpected, r.Agent, err, "the schema of %s cannot be sent", r.Agent)
		}
		p.ResponseFormat.OfJSONSchema = format
	case object:
		p.ResponseFormat.OfJSONObject = &shared.ResponseFormatJSONObjectParam{}
	}
	return p, nil
}

func schemaFormat(r model.Request) (*shared.ResponseFormatJSONSchemaParam, error) {
	reduced, exact, err := model.Reduce(r.Schema, dialect)
	if err != nil {
		return nil, fmt.Errorf("reduce: %w", err)
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
