package ollama

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"

	"sluice/internal/fault"
	"sluice/internal/model"
)

// DefaultBaseURL is where Ollama listens on the user's own machine.
const DefaultBaseURL = "http://127.0.0.1:11434"

// Client is a model.Model.
type Client struct {
	caller *model.Caller
	http   *http.Client
	window int
}

// New makes a client. The window is tokens of prompt and reply together; 0 makes room for what is asked.
func New(s model.Server, window int) *Client {
	return &Client{caller: model.NewCaller(s, "ollama", DefaultBaseURL, model.Strict, model.Object, model.Plain),
		http: model.HTTPClient(), window: window}
}

// Complete asks for one reply.
func (c *Client) Complete(ctx context.Context, r model.Request) (model.Reply, error) {
	return c.caller.Complete(ctx, r, c.send)
}

// send makes one request and reads its stream.
func (c *Client) send(ctx context.Context, call model.Call) (model.Answer, error) {
	body, err := c.body(call)
	if err != nil {
		return model.Answer{}, err
	}
	resp, err := c.post(ctx, body, call.Key)
	if err != nil {
		return model.Answer{}, err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return model.Answer{}, refusal(call, resp)
	}
	return read(call, resp.Body)
}

func (c *Client) post(ctx context.Context, body []byte, key model.Secret) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.caller.BaseURL+"api/chat", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	if !key.IsEmpty() {
		req.Header.Set("Authorization", "Bearer "+key.Reveal())
	}
	return c.http.Do(req)
}

// refusal words an HTTP error.
func refusal(call model.Call, resp *http.Response) error {
	raw, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<16)) // what could be read is told
	var body struct {
		Error string `json:"error"`
	}
	detail := string(raw)
	if json.Unmarshal(raw, &body) == nil && body.Error != "" {
		detail = body.Error
	}
	e := call.Failed(resp.StatusCode, resp.Header, detail)
	if e.Status == http.StatusNotFound {
		e.Fault = e.Fault.With(fault.Action{Action: "pull", Command: "ollama pull " + word(call.Params.Model),
			Why: "it fetches the model, if that is what is missing"})
	}
	return e
}

// word keeps a name from being more than one word of a command.
func word(name string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.:/", r)
	}
	if name == "" || strings.ContainsFunc(name, func(r rune) bool { return !plain(r) }) {
		return "MODEL"
	}
	return name
}
