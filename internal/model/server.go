package model

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

	"sluice/internal/fault"
	"sluice/internal/journal"
)

// Server says which server a provider asks, and how. Fields that stay empty take the provider's own defaults.
type Server struct {
	Provider string        // the name in records and errors
	BaseURL  string        // with or without a slash at its end
	Key      KeySource     // nil for servers that want none
	Model    string        // where a request names none
	Timeout  time.Duration // of one try; 0 leaves it to the caller's context
}

// Caller is what the adapters of all providers share: it fetches the key, fills in the model, bounds the time of a try,
// climbs down from the strictest way to ask for a schema, and makes a reply or a fault of what came. An adapter adds its
// wire format and nothing else.
type Caller struct {
	Server
	ladder ladder
}

// NewCaller completes what the user configured with the provider's name and address. The modes are those the provider
// knows, strictest first. Nothing is sent and no key is looked up before the first call.
func NewCaller(s Server, provider, baseURL string, modes ...Mode) *Caller {
	if s.Provider == "" {
		s.Provider = provider
	}
	if s.BaseURL == "" {
		s.BaseURL = baseURL
	}
	s.BaseURL = strings.TrimRight(s.BaseURL, "/") + "/"
	if len(modes) == 0 {
		modes = []Mode{Plain}
	}
	return &Caller{Server: s, ladder: ladder{modes: modes}}
}

// Call is a request as one try sends it.
type Call struct {
	Request  // with the model filled in
	Mode     Mode
	Provider string
	Key      Secret
}

// Answer is what a server said, without its words for it.
type Answer struct {
	Text    string
	Model   string // as the server names it
	Finish  string // "stop" if empty
	Refused bool   // the model declines
	Why     string // of a refusal, or of an answer without a text
	Cut     bool   // the reply ended at the token limit
	Usage   journal.Usage
}

// ErrEndedEarly is a stream without its end: the connection closed as if all had been said.
var ErrEndedEarly = errors.New("the stream ended before the reply did")

// Complete asks once, or again in a simpler mode where the server refuses the schema as such. An error of send that is no
// fault yet is one of the connection.
func (c *Caller) Complete(ctx context.Context, r Request, send func(context.Context, Call) (Answer, error)) (Reply, error) {
	if r.Params.Model == "" {
		r.Params.Model = c.Model
	}
	call := Call{Request: r, Provider: c.Provider}
	if c.Key != nil {
		var err error
		if call.Key, err = c.Key(ctx); err != nil {
			return Reply{}, err
		}
	}
	return c.ladder.climb(r, func(m Mode) (Reply, error) {
		call.Mode = m
		return c.try(ctx, call, send)
	})
}

func (c *Caller) try(ctx context.Context, call Call, send func(context.Context, Call) (Answer, error)) (Reply, error) {
	limited := ctx
	if c.Timeout > 0 {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeout(ctx, c.Timeout)
		defer cancel()
	}
	began := time.Now()
	a, err := send(limited, call)
	if _, ok := errors.AsType[*fault.Error](err); ok {
		return Reply{}, err
	}
	if err != nil {
		return Reply{}, FromTransport(ctx, c.Provider, call.Key, err)
	}
	a.Usage.Duration = time.Since(began)
	return call.reply(a)
}

// reply makes of an answer what it is worth.
func (c Call) reply(a Answer) (Reply, error) {
	why := c.Key.Scrub(a.Why)
	switch {
	case a.Refused:
		return Reply{}, Refused(c.Provider, c.Agent, why, a.Usage)
	case a.Cut:
		return Reply{}, Truncated(c.Provider, c.Agent, a.Usage)
	case strings.TrimSpace(a.Text) == "":
		said := "with an empty reply"
		if why = oneLine(why); why != "" {
			said += ": " + why
		}
		return Reply{}, Unavailable(c.Provider, "%s answered %s %s", c.Provider, c.Agent, said)
	}
	if a.Model == "" {
		a.Model = c.Params.Model
	}
	if a.Finish == "" {
		a.Finish = "stop"
	}
	return Reply{Content: a.Text, Usage: a.Usage, Model: a.Model, Provider: c.Provider, Finish: a.Finish}, nil
}

// Failed is the fault for an error status, with the server's message and without the key.
func (c Call) Failed(status int, header http.Header, detail string) *Error {
	return FromStatus(c.Provider, status, header, c.Key.Scrub(detail))
}

// Broken is the fault for an answer that the server itself calls off.
func (c Call) Broken(detail string) *Error {
	return Unavailable(c.Provider, "%s broke off its reply to %s: %s", c.Provider, c.Agent, oneLine(c.Key.Scrub(detail)))
}

// Reduced is the request's schema in the dialect of the provider. The result is exact as Reduce says.
func (c Call) Reduced(d Dialect) (json.RawMessage, bool, error) {
	schema, exact, err := Reduce(c.Schema, d)
	if err != nil {
		return nil, false, fault.Wrap(fault.Unexpected, c.Agent, err, "the schema of %s cannot be sent", c.Agent)
	}
	return schema, exact, nil
}
