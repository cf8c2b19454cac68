package anthropic

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"sluice/internal/fault"
	"sluice/internal/journal"
	"sluice/internal/model"
)

// DefaultBaseURL is Anthropic's own server.
const DefaultBaseURL = "https://api.anthropic.com"

// Options say which server to ask, and how.
type Options struct {
	Provider string          // the name in records and errors; "anthropic" if empty
	BaseURL  string          // DefaultBaseURL if empty
	Key      model.KeySource // nil for gateways that want none
	Model    string          // where a request names none
	Timeout  time.Duration   // of one try; 0 leaves it to the caller's context
}

// Client is a model.Model.
type Client struct {
	o      Options
	http   *http.Client
	ladder model.Ladder
}

// New makes a client. Nothing is sent and no key is looked up before the first call.
func New(o Options) *Client {
	if o.Provider == "" {
		o.Provider = "anthropic"
	}
	if o.BaseURL == "" {
		o.BaseURL = DefaultBaseURL
	}
	o.BaseURL = strings.TrimRight(o.BaseURL, "/") + "/"
	return &Client{o: o, http: model.HTTPClient()}
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
		return c.try(ctx, r, mode(way), key)
	})
}

// try sends one request. It always asks for a stream: the server and its SDK refuse long replies in one piece.
func (c *Client) try(ctx context.Context, r model.Request, m mode, key model.Secret) (model.Reply, error) {
	params, err := body(r, m)
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
	messages := sdk.NewMessageService(c.options(key)...)
	a, err := read(messages.NewStreaming(limited, params), r.Watch)
	if err != nil {
		return model.Reply{}, c.failure(ctx, key, err)
	}
	return c.reply(r, a, key, time.Since(began))
}

// options are all that the SDK may know. The service is made without the client around it, which would read address, key
// and headers from variables and profiles of its own choice.
func (c *Client) options(key model.Secret) []option.RequestOption {
	opts := []option.RequestOption{option.WithBaseURL(c.o.BaseURL), option.WithMaxRetries(0), option.WithHTTPClient(c.http)}
	if !key.IsEmpty() {
		opts = append(opts, option.WithAPIKey(key.Reveal()))
	}
	return opts
}

// failure classes what the SDK returns. Only the server's message is kept, and the key is taken out of it: the SDK's
// error holds the whole request.
func (c *Client) failure(ctx context.Context, key model.Secret, err error) error {
	api, ok := errors.AsType[*sdk.Error](err)
	if !ok {
		return model.FromTransport(ctx, c.o.Provider, key, err)
	}
	var header http.Header
	if api.Response != nil {
		header = api.Response.Header
	}
	var told struct {
		Error struct{ Message string }
	}
	detail := api.RawJSON()
	if json.Unmarshal([]byte(detail), &told) == nil && told.Error.Message != "" {
		detail = told.Error.Message
	}
	status := api.StatusCode
	if status < http.StatusBadRequest {
		status = statusOf(api.Type()) // it came after the status line, inside the stream
	}
	return model.FromStatus(c.o.Provider, status, header, key.Scrub(detail))
}

// statusOf is the status that an error would have had at the beginning.
func statusOf(kind sdk.ErrorType) int {
	switch kind {
	case sdk.ErrorTypeInvalidRequestError:
		return http.StatusBadRequest
	case sdk.ErrorTypeAuthenticationError:
		return http.StatusUnauthorized
	case sdk.ErrorTypePermissionError, sdk.ErrorTypeBillingError:
		return http.StatusForbidden
	case sdk.ErrorTypeNotFoundError:
		return http.StatusNotFound
	case sdk.ErrorTypeTimeoutError:
		return http.StatusRequestTimeout
	case sdk.ErrorTypeRateLimitError:
		return http.StatusTooManyRequests
	case sdk.ErrorTypeOverloadedError:
		return statusOverloaded
	}
	return http.StatusInternalServerError
}

// statusOverloaded is this provider's own.
const statusOverloaded = 529

// reply reads an answer.
func (c *Client) reply(r model.Request, a answer, key model.Secret, took time.Duration) (model.Reply, error) {
	a.usage.Duration = took
	switch a.stop {
	case sdk.StopReasonRefusal:
		return model.Reply{}, model.Refused(c.o.Provider, r.Agent, key.Scrub(a.why), a.usage)
	case sdk.StopReasonMaxTokens, sdk.StopReasonModelContextWindowExceeded:
		return model.Reply{}, model.Truncated(c.o.Provider, r.Agent, a.usage)
	}
	if strings.TrimSpace(a.text) == "" {
		return model.Reply{}, model.Unavailable(c.o.Provider, "%s answered %s with an empty reply", c.o.Provider, r.Agent)
	}
	if a.model == "" {
		a.model = r.Params.Model
	}
	finish := string(a.stop)
	if a.stop == sdk.StopReasonEndTurn || a.stop == "" {
		finish = "stop"
	}
	return model.Reply{Content: a.text, Usage: a.usage, Model: a.model, Provider: c.o.Provider, Finish: finish}, nil
}

// answer is a whole reply, put together from its events.
type answer struct {
	text  string
	model string
	stop  sdk.StopReason
	why   string // of a refusal
	usage journal.Usage
}
