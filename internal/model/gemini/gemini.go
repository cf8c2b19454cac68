package gemini

import (
	"context"
	"errors"
	"strings"
	"sync"

	sdk "google.golang.org/genai"

	"sluice/internal/fault"
	"sluice/internal/journal"
	"sluice/internal/model"
)

// DefaultBaseURL is Google's own server.
const DefaultBaseURL = "https://generativelanguage.googleapis.com"

// Client is a model.Model.
type Client struct {
	caller *model.Caller

	mu  sync.Mutex
	key model.Secret // that api was made for
	api *sdk.Models  // nil before the first call
}

// New makes a client.
func New(s model.Server) *Client {
	return &Client{caller: model.NewCaller(s, "gemini", DefaultBaseURL, model.Strict, model.Object, model.Plain)}
}

// Complete asks for one reply.
func (c *Client) Complete(ctx context.Context, r model.Request) (model.Reply, error) {
	return c.caller.Complete(ctx, r, c.send)
}

// send makes one request.
func (c *Client) send(ctx context.Context, call model.Call) (model.Answer, error) {
	if !isName(call.Params.Model) {
		return model.Answer{}, fault.New(fault.ModelUnknown, call.Provider, "%q is no name of a model", call.Params.Model).With(
			fault.Action{Action: "show_config", Command: "sluice config show", Why: "it shows the models in use"})
	}
	api, err := c.models(ctx, call.Key)
	if err != nil {
		return model.Answer{}, err
	}
	contents, config, err := body(call)
	if err != nil {
		return model.Answer{}, err
	}
	a := &answer{}
	if err := a.ask(ctx, call, api, contents, config); err != nil {
		return model.Answer{}, failure(call, err)
	}
	return a.whole(), nil
}

// isName keeps a name from becoming another path of the server: this API has the model in its address.
func isName(name string) bool {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./", r)
	}
	return name != "" && !strings.Contains(name, "..") && !strings.ContainsFunc(name, func(r rune) bool { return !plain(r) })
}

// models gives the SDK for a key. It is made once: making it reads variables, and warns on stderr about some of them.
// None of them is used: address, key and headers are given, the key by the transport alone, because the SDK prints its
// configuration in errors.
func (c *Client) models(ctx context.Context, key model.Secret) (*sdk.Models, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.api != nil && c.key.Reveal() == key.Reveal() {
		return c.api, nil
	}
	client := model.HTTPClient()
	client.Transport = transport{client.Transport, key}
	made, err := sdk.NewClient(ctx, &sdk.ClientConfig{Backend: sdk.BackendGeminiAPI, APIKey: noKey, HTTPClient: client,
		HTTPOptions: sdk.HTTPOptions{BaseURL: c.caller.BaseURL}})
	if err != nil {
		return nil, fault.Wrap(fault.Unexpected, c.caller.Provider, err, "the client of %s cannot be made", c.caller.Provider)
	}
	c.api, c.key = made.Models, key
	return c.api, nil
}

// ask fills the answer. The SDK panics on answers that are JSON of another shape than it expects; to a person that is one
// more answer that cannot be read.
func (a *answer) ask(ctx context.Context, r model.Call, api *sdk.Models, contents []*sdk.Content, config *sdk.GenerateContentConfig) (err error) {
	defer func() {
		if recover() != nil {
			err = errors.New("the answer cannot be read")
		}
	}()
	if r.Watch != nil {
		return a.read(api.GenerateContentStream(ctx, r.Params.Model, contents, config), r.Watch)
	}
	resp, err := api.GenerateContent(ctx, r.Params.Model, contents, config)
	if err == nil {
		a.add(resp)
	}
	return err
}

// failure classes what the SDK returns.
func failure(call model.Call, err error) error {
	if s, ok := errors.AsType[*statusError](err); ok {
		return s.word(call)
	}
	if api, ok := errors.AsType[sdk.APIError](err); ok && api.Code >= 400 {
		return call.Failed(api.Code, nil, api.Message) // it came inside the stream
	}
	return err
}

// answer is a whole reply, put together from its pieces.
type answer struct {
	text    strings.Builder
	model   string
	finish  sdk.FinishReason
	blocked string // why the prompt was refused
	why     string
	usage   journal.Usage
}

// whole takes what is wanted of it.
func (a *answer) whole() model.Answer {
	w := model.Answer{Text: a.text.String(), Model: a.model, Finish: strings.ToLower(string(a.finish)), Why: string(a.finish), Usage: a.usage}
	switch a.finish {
	case sdk.FinishReasonMaxTokens:
		w.Cut = true
	case sdk.FinishReasonSafety, sdk.FinishReasonRecitation, sdk.FinishReasonBlocklist, sdk.FinishReasonProhibitedContent,
		sdk.FinishReasonSPII, sdk.FinishReasonLanguage:
		w.Refused, w.Why = true, string(a.finish)+" "+a.why
	default:
		if a.blocked != "" {
			w.Refused, w.Why = true, a.blocked+" "+a.why
		}
	}
	return w
}
