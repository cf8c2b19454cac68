package rehearsal

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"slices"
	"time"
	"unicode"

	"sluice/internal/fault"
	"sluice/internal/journal"
	"sluice/internal/model"
)

const provider = model.RehearsalProvider

// Counter keeps durable numbers. Reserve gives the next number of a name, from 1.
type Counter interface {
	Reserve(ctx context.Context, name string, n int64) (int64, error)
}

// Rehearsal is a model.Model.
type Rehearsal struct {
	script Script
	counts Counter
	crash  func()
}

// New makes a rehearsal. A script without calls needs no counter.
func New(script Script, counts Counter) *Rehearsal {
	return &Rehearsal{script: script, counts: counts, crash: die}
}

// WithCrash returns a rehearsal that does this instead of dying, where a script says crash.
func (m *Rehearsal) WithCrash(crash func()) *Rehearsal {
	c := *m
	c.crash = crash
	return &c
}

// die ends the process as a power cut would: no deferred call, no flush.
func die() {
	p, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = p.Kill()
	}
	if err != nil {
		os.Exit(137)
	}
	select {} // the signal is on its way; nothing more may happen here
}

// Complete answers from the script and the generator.
func (m *Rehearsal) Complete(ctx context.Context, r model.Request) (model.Reply, error) {
	began := time.Now() // a delay is all that a reply takes
	inputs, err := decodeObject(r.Inputs)
	if err != nil {
		return model.Reply{}, fault.Wrap(fault.BadValue, r.Agent, err, "the inputs of %s are not a JSON object", r.Agent)
	}
	rule, err := m.choose(ctx, r.Agent, inputs)
	if err != nil {
		return model.Reply{}, err
	}
	content, err := compose(r, inputs)
	if err != nil {
		return model.Reply{}, err
	}
	if content, err = rule.patch(content, len(r.Schema) > 0); err != nil {
		return model.Reply{}, err
	}
	if left := rule.delay - time.Since(began); left > 0 && !wait(ctx, left) || ctx.Err() != nil {
		return model.Reply{}, model.Stopped(ctx, provider)
	}
	reply := model.Reply{
		Content: content, Provider: provider, Model: provider, Finish: "stop",
		Usage: journal.Usage{
			InputTokens: tokens(r.System) + tokens(r.Prompt), OutputTokens: tokens(content), Duration: rule.delay,
		},
	}
	return m.fail(rule.fail, r, reply)
}

// choose finds the rule that applies. Every rule that is about this call counts it, whether it applies or not, so
// that what a count means does not depend on the other rules.
func (m *Rehearsal) choose(ctx context.Context, agent string, inputs map[string]any) (rule, error) {
	var chosen *rule
	counted := make(map[string]int64)
	for i := range m.script.rules {
		r := &m.script.rules[i]
		if !r.matches(agent, inputs) {
			continue
		}
		if len(r.calls) > 0 {
			if _, ok := counted[r.counter]; !ok {
				n, err := m.counts.Reserve(ctx, r.counter, 1)
				if err != nil {
					return rule{}, err
				}
				counted[r.counter] = n
			}
			if !slices.Contains(r.calls, counted[r.counter]) {
				continue
			}
		}
		if chosen == nil {
			chosen = r
		}
	}
	if chosen == nil {
		return rule{}, nil
	}
	return *chosen, nil
}

// patch lays the rule's reply over the generated one. For plain text a string, or the text of an object, replaces it.
func (r rule) patch(content string, structured bool) (string, error) {
	if len(r.reply) == 0 {
		return content, nil
	}
	change, err := decode(r.reply)
	if err != nil {
		return "", badScript("reply: %s", err)
	}
	if !structured {
		if object, ok := change.(map[string]any); ok {
			change = object["text"]
		}
		text, ok := change.(string)
		if !ok {
			return "", badScript("the reply of agent %s is plain text: a string or {text: …} is needed", r.agent)
		}
		return text, nil
	}
	base, err := decode([]byte(content))
	if err != nil {
		return "", fault.Wrap(fault.Unexpected, r.agent, err, "the generated reply is not JSON")
	}
	return render(merge(base, change))
}

// fail turns a good reply into what the script asks for.
func (m *Rehearsal) fail(f Fail, r model.Request, reply model.Reply) (model.Reply, error) {
	none := model.Reply{}
	switch f {
	case "":
		return reply, nil
	case Timeout:
		return none, model.Unavailable(provider, "no answer from %s to %s in time", provider, r.Agent)
	case RateLimit:
		return none, model.FromStatus(provider, http.StatusTooManyRequests, nil, "rate limit, as the script says")
	case ServerError:
		return none, model.FromStatus(provider, http.StatusInternalServerError, nil, "server error, as the script says")
	case Refuse:
		return none, model.Refused(provider, r.Agent, "as the script says", reply.Usage)
	case Truncate:
		return none, model.Truncated(provider, r.Agent, reply.Usage)
	case BadJSON:
		reply.Content = `{"rehearsal": "this document ends too`
	case WrongSchema:
		reply.Content = wrongShape(r.Schema)
	case CrashBefore:
		m.crash()
	case CrashAfter:
		reply.Stored = m.crash
	}
	reply.Usage.OutputTokens = tokens(reply.Content)
	return reply, nil
}

// wrongShape is JSON that no schema of the given kind accepts: a list for an object, an object for anything else.
func wrongShape(schema json.RawMessage) string {
	s, err := decodeObject(schema)
	if err == nil && s["type"] == "object" {
		return `["wrong_schema"]`
	}
	return `{"wrong_schema": true}`
}

func wait(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// tokens estimates as tokenizers behave: a token for four Latin letters, and about one for each character of scripts
// that they know less well.
func tokens(text string) int {
	quarters := 0
	for _, c := range text {
		switch {
		case c < 128:
			quarters++
		case unicode.Is(unicode.Cyrillic, c):
			quarters += 2
		default:
			quarters += 4
		}
	}
	return (quarters + 3) / 4
}

// render writes a document as a model would hand it over.
func render(v any) (string, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return "", fault.Wrap(fault.Unexpected, provider, err, "the reply cannot be written as JSON")
	}
	return string(b), nil
}
