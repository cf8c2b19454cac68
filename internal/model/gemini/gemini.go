package gemini

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	sdk "google.golang.org/genai"

	"sluice/internal/fault"
	"sluice/internal/journal"
	"sluice/internal/model"
)

// DefaultBaseURL is Google's own server.
const DefaultBaseURL = "https://generativelanguage.googleapis.com"

// Options say which server to ask, and how.
type Options struct {
	Provider string          // the name in records and errors; "gemini" if empty
	BaseURL  string          // DefaultBaseURL if empty
	Key      model.KeySource // nil for gateways that want none
	Model    string          // where a request names none
	Timeout  time.Duration   // of one try; 0 leaves it to the caller's context
}

// Client is a model.Model.
type Client struct {
	o      Options
	ladder model.Ladder

	mu  sync.Mutex
	key model.Secret // that api was made for
	api *sdk.Models  // nil before the first call
}

// New makes a client. Nothing is sent and no key is looked up before the first call.
func New(o Options) *Client {
	if o.Provider == "" {
		o.Provider = "gemini"
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
	if !isName(r.Params.Model) {
		return model.Reply{}, fault.New(fault.ModelUnknown, c.o.Provider, "%q is no name of a model", r.Params.Model).With(
			fault.Action{Action: "show_config", Command: "sluice config show", Why: "it shows the models in use"})
	}
	var key model.Secret
	if c.o.Key != nil {
		var err error
		if key, err = c.o.Key(ctx); err != nil {
			return model.Reply{}, err
		}
	}
	api, err := c.models(ctx, key)
	if err != nil {
		return model.Reply{}, err
	}
	return c.ladder.Climb(r, int(plain), func(way int) (model.Reply, error) {
		return c.try(ctx, r, mode(way), api, key)
	})
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
		HTTPOptions: sdk.HTTPOptions{BaseURL: c.o.BaseURL}})
	if err != nil {
		return nil, fault.Wrap(fault.Unexpected, c.o.Provider, err, "the client of %s cannot be made", c.o.Provider)
	}
	c.api, c.key = made.Models, key
	return c.api, nil
}

// try sends one request.
func (c *Client) try(ctx context.Context, r model.Request, m mode, api *sdk.Models, key model.Secret) (model.Reply, error) {
	contents, config, err := body(r, m)
	if err != nil {
		return model.Reply{}, fault.Wrap(fault.Unexpected, r.Agent, err, "the schema of %s cannot be sent", r.Agent)
	}
	limited := ctx
	if c.o.Timeout > 0 {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeout(ctx, c.o.Timeout)
		defer cancel()
	}
	began := time.Now()
	a := &answer{}
	if err := a.ask(limited, r, api, contents, config); err != nil {
		return model.Reply{}, c.failure(ctx, key, err)
	}
	return c.reply(r, a, key, time.Since(began))
}

// ask fills the answer. The SDK panics on answers that are JSON of another shape than it expects; to a person that is one
// more answer that cannot be read.
func (a *answer) ask(ctx context.Context, r model.Request, api *sdk.Models, contents []*sdk.Content, config *sdk.GenerateContentConfig) (err error) {
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
func (c *Client) failure(ctx context.Context, key model.Secret, err error) error {
	if s, ok := errors.AsType[*statusError](err); ok {
		return s.word(c.o.Provider, key)
	}
	if api, ok := errors.AsType[sdk.APIError](err); ok && api.Code >= 400 {
		return model.FromStatus(c.o.Provider, api.Code, nil, key.Scrub(api.Message)) // it came inside the stream
	}
	return model.FromTransport(ctx, c.o.Provider, key, err)
}

// reply reads an answer.
func (c *Client) reply(r model.Request, a *answer, key model.Secret, took time.Duration) (model.Reply, error) {
	a.usage.Duration = took
	switch a.finish {
	case sdk.FinishReasonMaxTokens:
		return model.Reply{}, model.Truncated(c.o.Provider, r.Agent, a.usage)
	case sdk.FinishReasonSafety, sdk.FinishReasonRecitation, sdk.FinishReasonBlocklist, sdk.FinishReasonProhibitedContent,
		sdk.FinishReasonSPII, sdk.FinishReasonLanguage:
		return model.Reply{}, model.Refused(c.o.Provider, r.Agent, key.Scrub(string(a.finish)+" "+a.why), a.usage)
	}
	if a.blocked != "" {
		return model.Reply{}, model.Refused(c.o.Provider, r.Agent, key.Scrub(a.blocked+" "+a.why), a.usage)
	}
	text := a.text.String()
	if strings.TrimSpace(text) == "" {
		return model.Reply{}, model.Unavailable(c.o.Provider, "%s answered %s with an empty reply %s", c.o.Provider, r.Agent, a.finish)
	}
	if a.model == "" {
		a.model = r.Params.Model
	}
	finish := strings.ToLower(string(a.finish))
	if finish == "" {
		finish = "stop"
	}
	return model.Reply{Content: text, Usage: a.usage, Model: a.model, Provider: c.o.Provider, Finish: finish}, nil
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
