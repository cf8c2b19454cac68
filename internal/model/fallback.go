package model

import (
	"context"
	"errors"
	"strings"

	"sluice/internal/fault"
)

// Fallback asks the first model, and the next one when a model cannot answer now: it is overloaded, limits us or cannot
// be reached. A request that is refused for what it says is not carried elsewhere, and neither is a missing key: the
// user named the first model for a reason, and learns why it did not answer.
//
// It belongs inside Memo: whoever answers, the reply is found again under the key of what was asked for. Who answered
// stands in the reply.
func Fallback(models ...Model) Model { return fallback(models) }

type fallback []Model

func (f fallback) Complete(ctx context.Context, r Request) (Reply, error) {
	var tries []Try
	for i, m := range f {
		reply, err := m.Complete(ctx, r)
		if err == nil {
			reply.Tries = append(tries, reply.Tries...)
			return reply, nil
		}
		tries = append(tries, Try{N: i + 1, Err: err})
		if ClassOf(err) != Retryable || i == len(f)-1 || ctx.Err() != nil {
			return Reply{}, allFailed(tries)
		}
	}
	return Reply{}, Unavailable("model", "no model is configured")
}

// allFailed tells of every model that was asked. What can be done about it is what can be done about the first: the
// others only stood in for it.
func allFailed(tries []Try) error {
	last := tries[len(tries)-1].Err
	first, ok := errors.AsType[*Error](tries[0].Err)
	if len(tries) == 1 || !ok || ClassOf(last) == Interrupted {
		return last
	}
	var texts []string
	for _, t := range tries {
		texts = append(texts, fault.From(t.Err).Message)
	}
	f := *first.Fault
	f.Message = strings.Join(texts, "; then ")
	c := *first
	c.Fault, c.Retries = &f, len(tries)-1
	if e, ok := errors.AsType[*Error](last); ok {
		c.Usage = e.Usage
	}
	return &c
}

// Pin asks for one model whatever the request names. A model that others fall back to is asked so.
func Pin(next Model, name string) Model { return pin{next, name} }

type pin struct {
	next Model
	name string
}

func (p pin) Complete(ctx context.Context, r Request) (Reply, error) {
	r.Params.Model = p.name
	return p.next.Complete(ctx, r)
}
