package openai

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"sync/atomic"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/ssestream"

	"sluice/internal/journal"
	"sluice/internal/model"
)

// DefaultBaseURL is OpenAI's own server.
const DefaultBaseURL = "https://api.openai.com/v1"

// Client is a model.Model.
type Client struct {
	caller *model.Caller
	mute   atomic.Bool // the server sends no streams
}

// New makes a client.
func New(s model.Server) *Client {
	return &Client{caller: model.NewCaller(s, "openai", DefaultBaseURL, model.Strict, model.Object, model.Plain)}
}

// Complete asks for one reply.
func (c *Client) Complete(ctx context.Context, r model.Request) (model.Reply, error) {
	return c.caller.Complete(ctx, r, func(ctx context.Context, call model.Call) (model.Answer, error) {
		a, err := c.send(ctx, call)
		if err != nil && r.Watch != nil && refusesStream(err) && c.mute.CompareAndSwap(false, true) {
			a, err = c.send(ctx, call)
		}
		return a, err
	})
}

// send makes one request.
func (c *Client) send(ctx context.Context, call model.Call) (model.Answer, error) {
	body, err := c.body(call)
	if err != nil {
		return model.Answer{}, err
	}
	chat := sdk.NewChatCompletionService(c.options(call.Key)...)
	var answer *sdk.ChatCompletion
	if call.Watch != nil && !c.mute.Load() {
		answer, err = stream(ctx, chat, body, call.Watch)
	} else {
		answer, err = chat.New(ctx, body)
	}
	if err != nil {
		return model.Answer{}, failure(call, err)
	}
	return read(call, answer)
}

// options are all that the SDK may know. The service is made without the client around it, which would read base URL
// and key from variables of its own choice.
func (c *Client) options(key model.Secret) []option.RequestOption {
	opts := []option.RequestOption{option.WithBaseURL(c.caller.BaseURL), option.WithMaxRetries(0), option.WithHTTPClient(model.HTTPClient())}
	if !key.IsEmpty() {
		opts = append(opts, option.WithAPIKey(key.Reveal()))
	}
	return opts
}

// failure classes what the SDK returns. Only the server's message is kept, and the key is taken out of it: the SDK's
// error holds the whole request.
func failure(call model.Call, err error) error {
	api, ok := errors.AsType[*sdk.Error](err)
	if told, isTold := errors.AsType[*ssestream.StreamError](err); !ok && isTold {
		return hidden(call, string(told.Event.Data))
	}
	if !ok {
		return err
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
	return call.Failed(api.StatusCode, header, detail)
}

// read takes what is wanted of an answer.
func read(call model.Call, answer *sdk.ChatCompletion) (model.Answer, error) {
	if len(answer.Choices) == 0 {
		return model.Answer{}, hidden(call, answer.RawJSON())
	}
	choice := answer.Choices[0]
	a := model.Answer{
		Text: choice.Message.Content, Model: answer.Model, Finish: choice.FinishReason, Cut: choice.FinishReason == "length",
		Refused: choice.Message.Refusal != "", Why: choice.Message.Refusal,
		Usage: journal.Usage{InputTokens: int(answer.Usage.PromptTokens), OutputTokens: int(answer.Usage.CompletionTokens)},
	}
	if !a.Refused && choice.FinishReason == "content_filter" {
		a.Refused, a.Why = true, "the server's content filter stopped it"
	}
	return a, nil
}

// hidden finds the error that some gateways send with status 200.
func hidden(call model.Call, raw string) error {
	var body struct {
		Error struct {
			Code    json.Number
			Message string
		}
	}
	// A code that is a word leaves the message empty; then there is nothing more to tell than that nothing came.
	_ = json.Unmarshal([]byte(raw), &body)
	if status, err := body.Error.Code.Int64(); err == nil && status >= 400 && status < 600 {
		return call.Failed(int(status), nil, body.Error.Message)
	}
	return call.Broken("it holds no reply " + body.Error.Message)
}
