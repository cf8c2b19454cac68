package model

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// Verbose writes duration, tokens and prompt of every call, for a person who watches. Calls that end at the same
// time are written one after the other, never mixed.
func Verbose(next Model, w io.Writer) Model { return &verbose{next: next, w: w} }

type verbose struct {
	next Model
	mu   sync.Mutex
	w    io.Writer
}

func (m *verbose) Complete(ctx context.Context, r Request) (Reply, error) {
	began := time.Now()
	r.Watch = m.watch(r, began)
	reply, err := m.next.Complete(ctx, r)
	var b strings.Builder
	fmt.Fprintf(&b, "model call %s", r.Agent)
	for _, part := range []struct{ name, value string }{{"run", r.Scope.Run}, {"node", r.Scope.Node}, {"slot", r.Scope.Slot}} {
		if part.value != "" {
			fmt.Fprintf(&b, " %s=%s", part.name, part.value)
		}
	}
	if r.Scope.Take > 0 {
		fmt.Fprintf(&b, " take=%d", r.Scope.Take)
	}
	switch {
	case err != nil:
		fmt.Fprintf(&b, "\n  failed after %s: %s\n", round(time.Since(began)), err)
	case reply.Reused:
		fmt.Fprintf(&b, "\n  reused a stored reply of %s/%s (%d tokens in, %d out, then)\n", reply.Provider, reply.Model,
			reply.Usage.InputTokens, reply.Usage.OutputTokens)
	default:
		fmt.Fprintf(&b, "\n  %s/%s, %s, %d tokens in, %d out\n", reply.Provider, reply.Model, round(reply.Usage.Duration),
			reply.Usage.InputTokens, reply.Usage.OutputTokens)
		for _, t := range reply.Tries {
			fmt.Fprintf(&b, "  try %d failed, waited %s: %s\n", t.N, round(t.Wait), t.Err)
		}
	}
	section(&b, "system", r.System)
	section(&b, "prompt", r.Prompt)
	m.write(b.String())
	return reply, err
}

// watchEvery is how often a reply that is still coming is told of.
const watchEvery = 10 * time.Second

// watch tells when a model begins to answer, and from time to time how far it is.
func (m *verbose) watch(r Request, began time.Time) func(int) {
	told := time.Time{}
	return func(received int) {
		if r.Watch != nil {
			r.Watch(received)
		}
		now := time.Now()
		switch {
		case told.IsZero():
			m.write(fmt.Sprintf("model call %s: the reply begins after %s\n", r.Agent, round(now.Sub(began))))
		case now.Sub(told) >= watchEvery:
			m.write(fmt.Sprintf("model call %s: %d bytes after %s\n", r.Agent, received, round(now.Sub(began))))
		default:
			return
		}
		told = now
	}
}

func (m *verbose) write(text string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	// A terminal that went away must not fail the step.
	_, _ = io.WriteString(m.w, text)
}

func section(b *strings.Builder, name, text string) {
	if text == "" {
		return
	}
	fmt.Fprintf(b, "  %s:\n", name)
	for line := range strings.Lines(strings.TrimRight(text, "\n") + "\n") {
		b.WriteString("    | " + line)
	}
}

func round(d time.Duration) time.Duration { return d.Round(time.Millisecond) }
