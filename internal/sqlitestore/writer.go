package sqlitestore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"sluice/internal/fault"
)

const (
	groupLimit = 64   // requests that share one transaction
	rowLimit   = 4096 // run rows remembered between transactions
	busyPoll   = 2    // milliseconds

	syncWithin = 10 * time.Millisecond // what is to be durable soon waits this long for a change that is synced anyway
)

// haste says by when a change must outlive the machine. It outlives the process as soon as its request is answered, and
// whatever is committed after it is lost with it or not at all.
type haste int

const (
	atOnce  haste = iota // before its request is answered
	soon                 // with the next change that is synced, or within syncWithin
	someday              // with the next change that is synced
)

// request is one change that waits for the writer. apply runs inside a transaction and may run again in another one.
// A *fault.Error from it is a refusal, and then it has written nothing; any other error spoils the transaction.
type request struct {
	apply   func(*writer) error
	haste   haste
	state   atomic.Int32
	refusal error
	done    chan error
}

// States of a request. Whoever moves it away from waiting decides what becomes of it.
const (
	waiting int32 = iota
	taken
	dropped
)

// writer owns the only connection that writes. Its goroutine alone touches rows and statements.
type writer struct {
	conn       *sql.Conn
	file       string
	busy       time.Duration
	queue      chan *request
	quit       chan struct{} // closed by stop
	gone       chan struct{} // closed when the goroutine has ended
	marks      *marks
	commits    atomic.Int64
	statements map[string]*sql.Stmt
	rows       map[string]*row
	isBrief    bool             // the connection does not sync its commits
	owed       <-chan time.Time // tells when changes that are to be durable soon must be; nil: there are none
	last       error            // of the final flush
}

func startWriter(ctx context.Context, db *sql.DB, m *marks, busy time.Duration, file string) (*writer, error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	// SQLite's own busy handler sleeps up to 100 ms between tries, which starves a process among busy ones. So it is
	// kept short and begin tries again until the whole time is over.
	if _, err := conn.ExecContext(ctx, fmt.Sprintf("PRAGMA busy_timeout=%d", busyPoll)); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	w := &writer{conn: conn, file: file, busy: busy, marks: m,
		queue: make(chan *request, 4*groupLimit), quit: make(chan struct{}), gone: make(chan struct{}),
		statements: map[string]*sql.Stmt{}, rows: map[string]*row{}}
	go w.loop()
	return w, nil
}

// submit waits until the change is durable or refused. A request that ctx ends before the writer took it is dropped;
// after that its true outcome is returned.
func (w *writer) submit(ctx context.Context, apply func(*writer) error) error {
	return w.submitWith(ctx, atOnce, apply)
}

// submitWith is submit for what need not be durable when it is answered.
func (w *writer) submitWith(ctx context.Context, h haste, apply func(*writer) error) error {
	r := &request{apply: apply, haste: h, done: make(chan error, 1)}
	if err := ctx.Err(); err != nil {
		return failure(w.file, err)
	}
	select {
	case w.queue <- r:
	case <-ctx.Done():
		return failure(w.file, ctx.Err())
	case <-w.gone:
		return errClosed(w.file)
	}
	select {
	case err := <-r.done:
		return err
	case <-ctx.Done():
	case <-w.gone:
	}
	if !r.state.CompareAndSwap(waiting, dropped) {
		return <-r.done
	}
	if err := ctx.Err(); err != nil {
		return failure(w.file, err)
	}
	return errClosed(w.file)
}

// stop lets the writer finish what waits and write what was deferred.
func (w *writer) stop() error {
	close(w.quit)
	<-w.gone
	var errs []error
	for _, s := range w.statements {
		errs = append(errs, s.Close())
	}
	return errors.Join(w.last, errors.Join(errs...), w.conn.Close())
}

func (w *writer) loop() {
	defer close(w.gone)
	for {
		select {
		case r := <-w.queue:
			w.serve(r)
		case <-w.owed:
			w.pay()
		case <-w.quit:
			w.drain()
			return
		}
	}
}

func (w *writer) drain() {
	for {
		select {
		case r := <-w.queue:
			w.serve(r)
		default:
			if w.owed != nil {
				w.pay()
			}
			if w.marks.any() {
				w.last = w.commit(nil)
			}
			return
		}
	}
}

// serve commits the request together with whatever else waits by the time the lock is held.
func (w *writer) serve(first *request) {
	if !first.state.CompareAndSwap(waiting, taken) {
		return
	}
	group := w.collect(append(make([]*request, 0, groupLimit), first))
	isBrief := !slices.ContainsFunc(group, func(r *request) bool { return r.haste == atOnce })
	err := w.begin(isBrief)
	if !isBrief {
		group = w.collect(group)
	}
	if err == nil {
		err = w.finish(group)
	}
	if err != nil && len(group) > 1 && isOwnFault(err) {
		// One request holds what the database does not take. Alone, each gets its own outcome.
		for _, r := range group {
			r.answer(w.commit([]*request{r}), w.file)
		}
		return
	}
	if isBrief && w.owed == nil && slices.ContainsFunc(group, func(r *request) bool { return r.haste == soon }) {
		w.owed = time.After(syncWithin)
	}
	for _, r := range group {
		r.answer(err, w.file)
	}
}

// pay makes durable what was to be so soon. A transaction that writes nothing syncs nothing, so it counts itself. Where that
// fails, the next change that must be durable either takes the others along or tells its caller why it cannot.
func (w *writer) pay() {
	w.owed = nil
	_ = w.commit([]*request{{apply: func(w *writer) error {
		_, err := w.exec("INSERT INTO counter (name, last) VALUES ('synced', 1) ON CONFLICT (name) DO UPDATE SET last = last + 1")
		return err
	}}})
}

func (r *request) answer(err error, file string) {
	if err == nil {
		err = r.refusal
	}
	r.done <- failure(file, err)
}

// collect adds to a group what waits.
func (w *writer) collect(group []*request) []*request {
	for len(group) < groupLimit {
		select {
		case r := <-w.queue:
			if r.state.CompareAndSwap(waiting, taken) {
				group = append(group, r)
			}
		default:
			return group
		}
	}
	return group
}

// commit does the group in a transaction of its own.
func (w *writer) commit(group []*request) error {
	if err := w.begin(false); err != nil {
		return err
	}
	return w.finish(group)
}

// begin takes the write lock of the file, waiting for other processes as long as the options say.
func (w *writer) begin(isBrief bool) error {
	if err := w.setBrief(isBrief); err != nil {
		return err
	}
	deadline := time.Now().Add(w.busy)
	for {
		_, err := w.exec("BEGIN IMMEDIATE")
		if err == nil || !isBusy(err) || !time.Now().Before(deadline) {
			return err
		}
	}
}

// setBrief says whether commits are synced. Those of a write-ahead log are whole and in order either way; the next synced one
// takes along those before it. The statement acts when it is compiled, so it cannot be prepared once.
func (w *writer) setBrief(isBrief bool) error {
	if isBrief == w.isBrief {
		return nil
	}
	level := "FULL"
	if isBrief {
		level = "NORMAL"
	}
	_, err := w.conn.ExecContext(context.Background(), "PRAGMA synchronous="+level)
	if err == nil {
		w.isBrief = isBrief
	}
	return err
}

// finish writes the deferred marks and the group into the transaction that is open and commits it. After an error
// nothing of it is stored.
func (w *writer) finish(group []*request) (err error) {
	defer func() {
		if err != nil {
			// SQLite may have rolled back by itself; then this only says so.
			_, _ = w.exec("ROLLBACK")
			clear(w.rows)
		}
	}()
	marks := w.marks.waiting()
	for _, m := range marks {
		if err := w.mark(m); err != nil {
			return err
		}
	}
	written := len(marks) > 0
	for _, r := range group {
		r.refusal = nil
		err := r.apply(w)
		if f, ok := errors.AsType[*fault.Error](err); ok {
			r.refusal = f
			continue
		}
		if err != nil {
			return err
		}
		written = true
	}
	if _, err := w.exec("COMMIT"); err != nil {
		return err
	}
	if written {
		w.commits.Add(1)
		if !w.isBrief {
			w.owed = nil
		}
	}
	w.marks.settle(marks)
	return nil
}

// exec runs a statement that is prepared once for the life of the writer. The context is never cancelled: a
// transaction that was begun is finished.
func (w *writer) exec(query string, args ...any) (sql.Result, error) {
	s, err := w.statement(query)
	if err != nil {
		return nil, err
	}
	return s.ExecContext(context.Background(), args...)
}

// scan reads one row into dest and says whether there was one.
func (w *writer) scan(query string, args []any, dest ...any) (bool, error) {
	s, err := w.statement(query)
	if err != nil {
		return false, err
	}
	err = s.QueryRowContext(context.Background(), args...).Scan(dest...)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

// changed runs a statement and says whether it changed a row.
func (w *writer) changed(query string, args ...any) (bool, error) {
	res, err := w.exec(query, args...)
	if err != nil {
		return false, err
	}
	n, err := res.RowsAffected()
	return n > 0, err
}

func (w *writer) statement(query string) (*sql.Stmt, error) {
	if s, ok := w.statements[query]; ok {
		return s, nil
	}
	s, err := w.conn.PrepareContext(context.Background(), query)
	if err != nil {
		return nil, err
	}
	w.statements[query] = s
	return s, nil
}
