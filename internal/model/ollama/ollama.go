package ollama

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"time"

	"sluice/internal/fault"
	"sluice/internal/journal"
	"sluice/internal/model"
)

// DefaultBaseURL is where Ollama listens on the user's own machine.
const DefaultBaseURL = "http://127.0.0.1:11434"

// Options say which server to ask, and how.
type Options struct {
	Provider string          // the name in records and errors; "ollama" if empty
	BaseURL  string          // DefaultBaseURL if empty
	Key      model.KeySource // nil for servers that want none
	Model    string          // where a request names none
	Window   int             // tokens of prompt and reply together; 0 makes room for what is asked
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
		o.Provider = "ollama"
	}
	if o.BaseURL == "" {
		o.BaseURL = DefaultBaseURL
	}
	o.BaseURL = strings.TrimRight(o.BaseURL, "/")
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

// try sends one request and reads its stream.
func (c *Client) try(ctx context.Context, r model.Request, m mode, key model.Secret) (model.Reply, error) {
	body, err := c.body(r, m)
	if err != nil {
		return model.Reply{}, fault.Wrap(fault.Unexpected, r.Agent, err, "the request of %s cannot be sent", r.Agent)
	}
	limited := ctx
	if c.o.Timeout > 0 {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeout(ctx, c.o.Timeout)
		defer cancel()
	}
	began := time.Now()
	resp, err := c.send(limited, body, key)
	if err != nil {
		return model.Reply{}, model.FromTransport(ctx, c.o.Provider, key, err)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return model.Reply{}, c.refusal(r, resp, key)
	}
	a, err := read(resp.Body, r.Watch)
	if err != nil {
		return model.Reply{}, model.FromTransport(ctx, c.o.Provider, key, err)
	}
	return c.reply(r, a, key, time.Since(began))
}

func (c *Client) send(ctx context.Context, body []byte, key model.Secret) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.o.BaseURL+"/api/chat", bytes.NewReader(body))
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
func (c *Client) refusal(r model.Request, resp *http.Response, key model.Secret) error {
	raw, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<16)) // what could be read is told
	var body struct {
		Error string `json:"error"`
	}
	detail := string(raw)
	if json.Unmarshal(raw, &body) == nil && body.Error != "" {
		detail = body.Error
	}
	e := model.FromStatus(c.o.Provider, resp.StatusCode, resp.Header, key.Scrub(detail))
	if e.Status == http.StatusNotFound {
		e.Fault = e.Fault.With(fault.Action{Action: "pull", Command: "ollama pull " + word(r.Params.Model),
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

// answer is a whole reply, put together from its pieces.
type answer struct {
	text   string
	model  string
	reason string // why it ended
	input  int
	output int
	fault  string // an error that came after the status had been sent
}

// reply reads an answer.
func (c *Client) reply(r model.Request, a answer, key model.Secret, took time.Duration) (model.Reply, error) {
	u := journal.Usage{InputTokens: a.input, OutputTokens: a.output, Duration: took}
	switch {
	case a.fault != "":
		return model.Reply{}, model.Unavailable(c.o.Provider, "%s broke off its reply to %s: %s", c.o.Provider, r.Agent, brief(key.Scrub(a.fault)))
	case a.reason == "length":
		return model.Reply{}, model.Truncated(c.o.Provider, r.Agent, u)
	case strings.TrimSpace(a.text) == "":
		// A model that was just loaded says only that.
		return model.Reply{}, model.Unavailable(c.o.Provider, "%s answered %s with an empty reply", c.o.Provider, r.Agent)
	}
	if a.model == "" {
		a.model = r.Params.Model
	}
	if a.reason == "" {
		a.reason = "stop"
	}
	return model.Reply{Content: a.text, Usage: u, Model: a.model, Provider: c.o.Provider, Finish: a.reason}, nil
}

func brief(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > 300 {
		return string(r[:300]) + "…"
	}
	return s
}
