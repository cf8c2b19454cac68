package anthropic

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"sluice/internal/model"
)

// DefaultBaseURL is Anthropic's own server.
const DefaultBaseURL = "https://api.anthropic.com"

// Client is a model.Model.
type Client struct {
	caller *model.Caller
	http   *http.Client
}

// New makes a client.
func New(s model.Server) *Client {
	return &Client{caller: model.NewCaller(s, "anthropic", DefaultBaseURL, model.Strict, model.Plain), http: model.HTTPClient()}
}

// Complete asks for one reply.
func (c *Client) Complete(ctx context.Context, r model.Request) (model.Reply, error) {
	return c.caller.Complete(ctx, r, c.send)
}

// send makes one request. It always asks for a stream: the server and its SDK refuse long replies in one piece.
func (c *Client) send(ctx context.Context, call model.Call) (model.Answer, error) {
	params, err := body(call)
	if err != nil {
		return model.Answer{}, err
	}
	messages := sdk.NewMessageService(c.options(call.Key)...)
	a, err := read(messages.NewStreaming(ctx, params), call.Watch)
	if err != nil {
		return model.Answer{}, failure(call, err)
	}
	return a, nil
}

// options are all that the SDK may know. The service is made without the client around it, which would read address, key
// and headers from variables and profiles of its own choice.
func (c *Client) options(key model.Secret) []option.RequestOption {
	opts := []option.RequestOption{option.WithBaseURL(c.caller.BaseURL), option.WithMaxRetries(0), option.WithHTTPClient(c.http)}
	if !key.IsEmpty() {
		opts = append(opts, option.WithAPIKey(key.Reveal()))
	}
	return opts
}

// failure classes what the SDK returns. Only the server's message is kept, and the key is taken out of it: the SDK's
// error holds the whole request.
func failure(call model.Call, err error) error {
	api, ok := errors.AsType[*sdk.Error](err)
	if !ok {
		return err
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
	return call.Failed(status, header, detail)
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
