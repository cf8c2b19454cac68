package app

import (
	"context"
	"errors"
	"sync"
	"time"
)

// indexEvery is how long an index may lag behind while a program keeps changing workflows.
const indexEvery = time.Second

// Indexer writes the index of a session's workflows at most once a second, and what is left when it is closed: an index
// lists every workflow, so writing it with every change would cost more the more there are. It is safe for concurrent
// use.
type Indexer struct {
	write func(ctx context.Context, session string) error
	warn  func(error)

	mu     sync.Mutex
	last   map[string]time.Time
	due    map[string]*time.Timer // indexes that will be written, by session
	closed bool
}

// NewIndexer writes with write; what fails in the background goes to warn.
func NewIndexer(write func(ctx context.Context, session string) error, warn func(error)) *Indexer {
	return &Indexer{write: write, warn: warn, last: map[string]time.Time{}, due: map[string]*time.Timer{}}
}

// Touch says that workflows of a session changed. The first change in a while is written at once.
func (x *Indexer) Touch(ctx context.Context, session string) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.due[session] != nil {
		return nil
	}
	if wait := time.Until(x.last[session].Add(indexEvery)); wait > 0 && !x.closed {
		x.due[session] = time.AfterFunc(wait, func() { x.late(session) })
		return nil
	}
	x.last[session] = time.Now()
	return x.write(ctx, session)
}

// late writes an index that was due.
func (x *Indexer) late(session string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.due[session] == nil {
		return // closing wrote it
	}
	delete(x.due, session)
	x.last[session] = time.Now()
	if err := x.write(context.Background(), session); err != nil {
		x.warn(err)
	}
}

// Close writes what is due.
func (x *Indexer) Close() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.closed = true
	var errs []error
	for session, timer := range x.due {
		timer.Stop()
		delete(x.due, session)
		errs = append(errs, x.write(context.Background(), session))
	}
	return errors.Join(errs...)
}
