package mcpserver

import (
	"context"
	"errors"
	"log/slog"
	"sync"

	"sluice/internal/fault"
)

// DriveDoc says how the work of this server on a workflow goes. What the workflow itself reached stands beside it.
type DriveDoc struct {
	State   string `json:"state"` // running, waiting (for people), or failed
	Code    string `json:"code,omitempty"`
	Message string `json:"message,omitempty"`
}

// drives are the workflows that this server performs in the background. One goroutine per workflow at most; it ends when
// the workflow waits or ends, never waits for a person, and is cancelled with the server.
type drives struct {
	ctx    context.Context // the life of the server
	cancel context.CancelFunc
	log    *slog.Logger

	mu     sync.Mutex
	group  sync.WaitGroup
	states map[string]*drive
}

type drive struct {
	running bool
	again   bool         // asked for while running: what was decided meanwhile is worked on too
	ended   *fault.Error // what it came to, if not to its end
}

func newDrives(ctx context.Context, log *slog.Logger) *drives {
	ctx, cancel := context.WithCancel(ctx)
	return &drives{ctx: ctx, cancel: cancel, log: log, states: map[string]*drive{}}
}

// start lets a workflow go on in the background.
func (d *drives) start(id string, work func(ctx context.Context, id string) error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.ctx.Err() != nil {
		return
	}
	state := d.states[id]
	if state == nil {
		state = &drive{}
		d.states[id] = state
	}
	if state.running {
		state.again = true
		return
	}
	state.running, state.ended = true, nil
	d.group.Go(func() {
		for more := true; more; {
			err := work(d.ctx, id)
			more = d.ended(id, state, err)
		}
	})
}

func (d *drives) ended(id string, state *drive, err error) (more bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	state.ended = nil
	if err != nil && d.ctx.Err() == nil && !errors.Is(err, fault.Interrupted) {
		state.ended = fault.From(err)
		d.log.Warn("a workflow could not be driven", "workflow", id, "code", state.ended.Code, "error", err)
	}
	more = state.again && d.ctx.Err() == nil
	state.again, state.running = false, more
	return more
}

// has tells whether this server was asked to perform a workflow.
func (d *drives) has(id string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.states[id] != nil
}

// doc says how it goes, or nothing if there is nothing to say.
func (d *drives) doc(id string) *DriveDoc {
	d.mu.Lock()
	defer d.mu.Unlock()
	state := d.states[id]
	switch {
	case state == nil:
		return nil
	case state.running:
		return &DriveDoc{State: "running"}
	case state.ended == nil:
		return nil
	}
	doc := &DriveDoc{State: "failed", Code: string(state.ended.Code), Message: state.ended.Error()}
	if state.ended.Code.Exit() == fault.ExitParked {
		doc.State = "waiting"
	}
	return doc
}

// since tells of a drive beside something that was read after before. A drive that ended meanwhile still counts as it was:
// what was read may be older than its end.
func (d *drives) since(before *DriveDoc, id string) *DriveDoc {
	if before != nil {
		return before
	}
	return d.doc(id)
}

func (d *drives) stop() {
	d.mu.Lock()
	d.cancel()
	d.mu.Unlock()
	d.group.Wait()
}
