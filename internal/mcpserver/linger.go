package mcpserver

import (
	"context"
	"errors"
	"io"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	quietTime  = 50 * time.Millisecond
	lingerTime = 5 * time.Second
)

// activity counts what goes on, so that the end can wait for it.
type activity struct{ begun, ended, written atomic.Int64 }

// counted counts the requests that are worked on.
func (a *activity) counted(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		a.begun.Add(1)
		defer a.ended.Add(1)
		return next(ctx, method, req)
	}
}

// lingering tells of the end of its stream only when what came before it is answered. The protocol's own connection would
// drop those answers, and a script that pipes requests into the program would see none.
type lingering struct {
	io.Reader
	ctx  context.Context // of the talk
	busy *activity
}

func (l lingering) Read(p []byte) (int, error) {
	n, err := l.Reader.Read(p)
	if n == 0 && errors.Is(err, io.EOF) {
		l.linger()
	}
	return n, err
}

// linger waits until nothing has happened for a moment. A question that the client will not answer any more ends it too.
func (l lingering) linger() {
	late := time.NewTimer(lingerTime)
	defer late.Stop()
	tick := time.NewTicker(quietTime)
	defer tick.Stop()
	begun, written := int64(-1), int64(-1)
	for {
		now, out := l.busy.begun.Load(), l.busy.written.Load()
		if now == begun && out == written && l.busy.ended.Load() == now {
			return
		}
		begun, written = now, out
		select {
		case <-tick.C:
		case <-late.C:
			return
		case <-l.ctx.Done():
			return
		}
	}
}

// noted is a stream that stays open when its talk ends, and counts what is written.
type noted struct {
	io.Writer
	busy *activity
}

func (w noted) Write(p []byte) (int, error) {
	defer w.busy.written.Add(1)
	return w.Writer.Write(p)
}

func (noted) Close() error { return nil }
