package openai

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/ssestream"

	"sluice/internal/journal"
	"sluice/internal/model"
)

// DefaultBaseURL is OpenAI's own server.
const DefaultBaseURL = "https://api.openai.com/v1"

// Options say which server to ask, and how.
type Options struct {
	Provider     string          // the name in records and errors; "openai" if empty
	BaseURL      string          // DefaultBaseURL if empty
	Key          model.KeySource // nil for servers that want none
	Model        string          // where a request names none
	Organization string
	Timeout      time.Duration // of one try; 0 leaves it to the caller's context
}

// Client is a model.Model.
type Client struct {
	o      Options
	ladder model.Ladder // of modes
	mute   atomic.Bool  // the server sends no streams
}

// New makes a client. Nothing is sent and no key is looked up before the first call.
func New(o Options) *Client {
	if o.Provider == "" {
		o.Provider = "openai"
	}
	if o.BaseURL == "" {
		o.BaseURL = DefaultBaseURL
	}
	o.BaseURL = strings.TrimRight(o.BaseURL, "/") + "/"
	return &Client{o: o}
}

// Complete asks once, or again in a simpler way where the server refuses the schema as such.
func (c *Client) Complete(ctx context.Context, r model.Request) (model.Reply, error) {
	if r.Params.Model == "" {
		r.Params.Model = c.o.Model
	}
	var key model.Secret
	if c.o.Key != nil {
		var err error
		if key, err = c.o.Key(ctx); err != nil {
			return model.Reply{}, err
		}
	}
	return c.ladder.Climb(r, int(plain), func(way int) (model.Reply, error) {
		reply, err := c.try(ctx, r, mode(way), key)
		if err != nil && r.Watch != nil && refusesStream(err) && c.mute.CompareAndSwap(false, true) {
			reply, err = c.try(ctx, r, mode(way), key)
		}
		return reply, err
	})
}

// try sends one request.
func (c *Client) try(ctx context.Context, r model.Request, m mode, key model.Secret) (model.Reply, error) {
	body, err := c.body(r, m)
	if err != nil {
		return model.Reply{}, err
	}
	limited := ctx
	if c.o.Timeout > 0 {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeout(ctx, c.o.Timeout)
		defer cancel()
	}
	began := time.Now()
	chat := sdk.NewChatCompletionService(c.options(key)...)
	var answer *sdk.ChatCompletion
	if r.Watch != nil && !c.mute.Load() {
		answer, err = stream(limited, chat, body, r.Watch)
	} else {
		answer, err = chat.New(limited, body)
	}
	if err != nil {
		return model.Reply{}, c.failure(ctx, key, err)
	}
	return c.reply(r, answer, key, time.Since(began))
}

// options are all that the SDK may know. The service is made without the client around it, which would read base URL
// and key from variables of its own choice.
func (c *Client) options(key model.Secret) []option.RequestOption {
	opts := []option.RequestOption{option.WithBaseURL(c.o.BaseURL), option.WithMaxRetries(0), option.WithHTTPClient(model.HTTPClient())}
	if !key.IsEmpty() {
		opts = append(opts, option.WithAPIKey(key.Reveal()))
	}
	if c.o.Organization != "" {
		opts = append(opts, option.WithOrganization(c.o.Organization))
	}
	return opts
}

// failure classes what the SDK returns. Only the server's message is kept, and the key is taken out of it: the SDK's
// error holds the whole request.
func (c *Client) failure(ctx context.Context, key model.Secret, err error) error {
	api, ok := errors.AsType[*sdk.Error](err)
	if told, isTold := errors.AsType[*ssestream.StreamError](err); !ok && isTold {
		return c.hidden(string(told.Event.Data), key)
	}
	if !ok {
		return model.FromTransport(ctx, c.o.Provider, key, err)
	}
	var header http.Header
	if api.Response != nil {
		header = api.Response.Header
	}
	detail := api.Message
	if detail == "" {
		detail = api.RawJSON()
	}
	if api.Param != "" {
		detail += " (" + api.Param + ")"
	}
	return model.FromStatus(c.o.Provider, api.StatusCode, header, key.Scrub(detail))
}

// reply reads an answer.
func (c *Client) reply(r model.Request, answer *sdk.ChatCompletion, key model.Secret, took time.Duration) (model.Reply, error) {
	u := journal.Usage{
		InputTokens: int(answer.Usage.PromptTokens), OutputTokens: int(answer.Usage.CompletionTokens), Duration: took,
	}
	if len(answer.Choices) == 0 {
		return model.Reply{}, c.hidden(answer.RawJSON(), key)
	}
	choice := answer.Choices[0]
	switch {
	case choice.Message.Refusal != "":
		return model.Reply{}, model.Refused(c.o.Provider, r.Agent, key.Scrub(choice.Message.Refusal), u)
	case choice.FinishReason == "content_filter":
		return model.Reply{}, model.Refused(c.o.Provider, r.Agent, "the server's content filter stopped it", u)
	case choice.FinishReason == "length":
		return model.Reply{}, model.Truncated(c.o.Provider, r.Agent, u)
	case strings.TrimSpace(choice.Message.Content) == "":
		return model.Reply{}, model.Unavailable(c.o.Provider, "%s answered %s with an empty reply", c.o.Provider, r.Agent)
	}
	name, finish := answer.Model, choice.FinishReason
	if name == "" {
		name = r.Params.Model
	}
	if finish == "" {
		finish = "stop"
	}
	return model.Reply{Content: choice.Message.Content, Usage: u, Model: name, Provider: c.o.Provider, Finish: finish}, nil
}

// hidden finds the error that some gateways send with status 200.
func (c *Client) hidden(raw string, key model.Secret) error {
	var body struct {
		Error struct {
			Code    json.Number
			Message string
		}
	}
	// A code that is a word leaves the message empty; then there is nothing more to tell than that nothing came.
	_ = json.Unmarshal([]byte(raw), &body)
	if status, err := body.Error.Code.Int64(); err == nil && status >= 400 && status < 600 {
		return model.FromStatus(c.o.Provider, int(status), nil, key.Scrub(body.Error.Message))
	}
	return model.Unavailable(c.o.Provider, "%s answered without a reply %s", c.o.Provider, key.Scrub(body.Error.Message))
}
