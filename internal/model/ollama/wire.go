package ollama

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"sluice/internal/fault"
	"sluice/internal/journal"
	"sluice/internal/model"
)

// dialect leaves out what the server's grammar does not know or gets wrong.
var dialect = model.Dialect{Drop: []string{
	"$schema", "$id", "title", "default", "examples", "format", "pattern", "minLength", "maxLength", "minimum", "maximum",
	"exclusiveMinimum", "exclusiveMaximum", "multipleOf", "uniqueItems", "minProperties", "maxProperties",
	"patternProperties", "propertyNames", "unevaluatedProperties", "unevaluatedItems", "contains",
}}

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

type options struct {
	Window      int      `json:"num_ctx,omitempty"`
	MaxTokens   int      `json:"num_predict,omitempty"`
	Temperature *float64 `json:"temperature,omitempty"`
	Seed        *int64   `json:"seed,omitempty"`
}

type request struct {
	Model    string          `json:"model"`
	Messages []message       `json:"messages"`
	Format   json.RawMessage `json:"format,omitempty"`
	Options  options         `json:"options"`
	Stream   bool            `json:"stream"`
	// A prompt that does not fit is refused instead of being cut at its beginning, where its rules stand. Servers that do
	// not know the word ignore it.
	Truncate bool `json:"truncate"`
}

// body is the request on the wire. It always asks for a stream: one way of reading serves all.
func (c *Client) body(r model.Call) ([]byte, error) {
	b := request{Model: r.Params.Model, Stream: true,
		Options: options{MaxTokens: r.Params.MaxTokens, Temperature: r.Params.Temperature, Seed: r.Params.Seed}}
	prompt := r.Prompt
	if len(r.Schema) > 0 {
		switch r.Mode {
		case model.Strict:
			reduced, _, err := r.Reduced(dialect)
			if err != nil {
				return nil, err
			}
			b.Format = reduced
		case model.Object:
			b.Format = json.RawMessage(`"json"`)
		}
		// The grammar alone does not tell the model what the fields are for.
		prompt = r.PromptWithSchema()
	}
	if r.System != "" {
		b.Messages = append(b.Messages, message{"system", r.System})
	}
	b.Messages = append(b.Messages, message{"user", prompt})
	if b.Options.Window = c.window; b.Options.Window == 0 {
		b.Options.Window = window(r.System+prompt, r.Params.MaxTokens)
	}
	raw, err := json.Marshal(b)
	if err != nil {
		return nil, fault.Wrap(fault.Unexpected, r.Agent, err, "the request of %s cannot be sent", r.Agent)
	}
	return raw, nil
}

// Room that is made for a reply whose length nobody bounds, and the smallest and largest window that is asked for.
const (
	replyRoom  = 8 << 10
	minWindow  = 8 << 10
	maxWindow  = 256 << 10
	asciiToken = 3 // letters of a token, at least: English has four, names and code fewer
)

// window is room for prompt and reply, in steps of two: a server loads a model anew whenever its window changes.
func window(prompt string, reply int) int {
	wide := 0 // letters beyond ASCII are up to a token each
	for _, r := range prompt {
		if r >= utf8.RuneSelf {
			wide++
		}
	}
	narrow := utf8.RuneCountInString(prompt) - wide
	if reply == 0 {
		reply = replyRoom
	}
	need := wide + narrow/asciiToken + reply + 256
	size := minWindow
	for size < need && size < maxWindow {
		size *= 2
	}
	return size
}

// piece is one line of the stream.
type piece struct {
	Model   string  `json:"model"`
	Message message `json:"message"`
	Done    bool    `json:"done"`
	Reason  string  `json:"done_reason"`
	Input   int     `json:"prompt_eval_count"`
	Output  int     `json:"eval_count"`
	Error   string  `json:"error"`
}

// read puts the pieces of a reply together. What a model thinks aloud comes in a field of its own and is left out.
func read(call model.Call, body io.Reader) (model.Answer, error) {
	var a model.Answer
	var text strings.Builder
	dec := json.NewDecoder(body)
	for {
		var p piece
		if err := dec.Decode(&p); err != nil {
			if errors.Is(err, io.EOF) {
				return a, model.ErrEndedEarly
			}
			return a, fmt.Errorf("the stream cannot be read: %w", err)
		}
		if p.Error != "" {
			return a, call.Broken(p.Error) // it came after the status had been sent
		}
		text.WriteString(p.Message.Content)
		if call.Watch != nil && p.Message.Content != "" {
			call.Watch(text.Len())
		}
		if p.Model != "" {
			a.Model = p.Model
		}
		if p.Done {
			a.Text, a.Finish, a.Cut = text.String(), p.Reason, p.Reason == "length"
			a.Usage = journal.Usage{InputTokens: p.Input, OutputTokens: p.Output}
			return a, nil
		}
	}
}
