package model

import (
	"context"
	"log/slog"
	"time"
)

// Trace logs one line per call that reaches the provider: who, where, how long, how many tokens. Never the prompt:
// logs are kept and shared more easily than the store.
func Trace(next Model, log *slog.Logger) Model { return trace{next, log} }

type trace struct {
	next Model
	log  *slog.Logger
}

func (m trace) Complete(ctx context.Context, r Request) (Reply, error) {
	began := time.Now()
	reply, err := m.next.Complete(ctx, r)
	attrs := []slog.Attr{
		slog.String("agent", r.Agent), slog.String("run", r.Scope.Run), slog.String("node", r.Scope.Node),
		slog.String("slot", r.Scope.Slot), slog.Int("take", r.Scope.Take), slog.Duration("elapsed", time.Since(began)),
	}
	if err != nil {
		attrs = append(attrs, slog.String("class", string(ClassOf(err))), slog.Int("retries", Retries(err)),
			slog.String("error", err.Error()))
		m.log.LogAttrs(ctx, slog.LevelWarn, "model call failed", attrs...)
		return reply, err
	}
	attrs = append(attrs, slog.String("provider", reply.Provider), slog.String("model", reply.Model),
		slog.Int("input_tokens", reply.Usage.InputTokens), slog.Int("output_tokens", reply.Usage.OutputTokens),
		slog.Int("retries", len(reply.Tries)))
	m.log.LogAttrs(ctx, slog.LevelInfo, "model call", attrs...)
	return reply, nil
}
