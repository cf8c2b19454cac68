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
	m.mu.Lock()
	defer m.mu.Unlock()
	// A terminal that went away must not fail the step.
	_, _ = io.WriteString(m.w, b.String())
	return reply, err
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
