package engine

import (
	"context"
	"errors"
	"slices"
	"time"

	"sluice/internal/fault"
	"sluice/internal/journal"
	"sluice/internal/kernel"
)

// Plan says how a run is to be driven.
type Plan struct {
	Workers int                    // attempts performed side by side; 0 means 4
	Switch  bool                   // a run with real replies may go on with rehearsal
	Only    func(kernel.Node) bool // which nodes may begin; nil means all
	// Next is asked when nothing is left to do: commands that make more to do, in the order in which they are applied, or
	// none for the end. It may change what Only says. They are committed with what was decided before and what they let
	// begin, so that a model need not wait for the files of the step before it.
	Next func(l Look) ([]Act, error)
}

// driver is the one goroutine that owns a driven run.
type driver struct {
	*turn
	plan     Plan
	lease    journal.Lease
	flying   map[kernel.AttemptID]*flight
	starting []*flight // their beginning is decided and not committed yet
	results  chan result
	commands chan request
	done     chan struct{}    // closed when no command is taken any more
	seen     int64            // of the workspace, when the run was last caught up
	lingered <-chan time.Time // tells when what was decided waits no longer for more; nil: it does not wait
	moved    bool             // others appended while the turn was decided
	broke    bool             // a node may wait for money
}

// request is commands of a person handed to the owner of a run.
type request struct {
	acts  []Act
	reply chan error
}

// pollEvery is how often a driver that waits for models looks whether another process appended to its run.
const pollEvery = 250 * time.Millisecond

// OpenAndDrive makes a run and drives it: its first commit already holds its first step.
func (e *Engine) OpenAndDrive(ctx context.Context, c kernel.Open, p Plan, blobs ...journal.Blob) (*kernel.Run, error) {
	t, err := e.open(ctx, c, blobs)
	if err != nil {
		return nil, err
	}
	return e.drive(ctx, t, journal.Lease{Run: string(c.Run), Driver: e.Leaser.Driver(), Epoch: 1}, p)
}

// Drive performs what there is to do in a run until it is done or only people can go on. It returns the run as it
// then stands. When ctx ends it stops cleanly: what was answered is delivered, what was not is withdrawn.
func (e *Engine) Drive(ctx context.Context, id kernel.RunID, p Plan) (*kernel.Run, error) {
	lease, err := e.Leaser.Acquire(ctx, string(id))
	if err != nil {
		return nil, err
	}
	t, err := e.begin(ctx, id)
	if err != nil {
		return nil, errors.Join(err, e.Leaser.Release(context.WithoutCancel(ctx), lease))
	}
	return e.drive(ctx, t, lease, p)
}

func (e *Engine) drive(ctx context.Context, t *turn, lease journal.Lease, p Plan) (*kernel.Run, error) {
	if p.Workers <= 0 {
		p.Workers = 4
	}
	d := &driver{turn: t, plan: p, lease: lease, flying: map[kernel.AttemptID]*flight{}, broke: true,
		results: make(chan result), commands: make(chan request), done: make(chan struct{})}
	d.durable = func() { d.start(ctx) }
	if err := e.register(d, t.run.ID()); err != nil {
		if t.after > 0 { // the owner before gave the lease back and has not left yet
			err = errors.Join(err, e.Leaser.Release(context.WithoutCancel(ctx), lease))
		}
		return nil, err
	}
	released, err := d.loop(ctx)
	e.unregister(t.run.ID())
	close(d.done)
	d.ground()
	if !released && t.after > 0 { // a run that was never committed was never leased
		err = errors.Join(err, e.Leaser.Release(context.WithoutCancel(ctx), d.lease))
	}
	if err == nil && t.run.Seq() > foldEvery {
		e.saveFold(context.WithoutCancel(ctx), t.run)
	}
	return t.run, err
}

func (e *Engine) register(d *driver, id kernel.RunID) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.drivers == nil {
		e.drivers = map[kernel.RunID]*driver{}
	}
	if e.drivers[id] != nil {
		return fault.New(fault.LeaseHeld, string(id), "run %s is driven by this process already", id).
			With(fault.Action{Action: "wait", Why: "it goes on by itself"})
	}
	e.drivers[id] = d
	return nil
}

func (e *Engine) unregister(id kernel.RunID) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.drivers, id)
}

// loop is the whole of driving: advance what can be, commit it, start what waits for models, wait, take in. It tells
// whether the lease went back with the last commit.
func (d *driver) loop(ctx context.Context) (released bool, err error) {
	for {
		if err := d.advance(ctx); err != nil {
			_, lost := d.settle(ctx, false)
			return false, errors.Join(err, lost)
		}
		idle := len(d.flying) == 0 && len(d.starting) == 0 && !d.hasWork()
		if idle && d.plan.Next != nil && !d.isBroke() {
			if ctx.Err() != nil { // whether anything comes next is not known
				return false, d.stop(ctx)
			}
			if idle, err = d.goOn(ctx); err != nil {
				return false, err
			}
			if !idle {
				continue
			}
		}
		if d.mayLinger() {
			if came, err := d.linger(ctx); err != nil {
				return false, err
			} else if came {
				continue
			}
		}
		d.moved = false
		released, err := d.settle(ctx, idle)
		if err != nil {
			return released, err
		}
		if d.moved { // what comes next is another question now
			continue
		}
		if idle && !d.hasWork() {
			return released, nil
		}
		if released { // a person's edit, found while files were put in place, made new work
			if d.lease, err = d.e.Leaser.Acquire(ctx, string(d.run.ID())); err != nil {
				return true, err
			}
		}
		d.start(ctx)
		if ctx.Err() != nil {
			return false, d.stop(ctx)
		}
		if len(d.flying) == 0 {
			continue
		}
		if stopped, err := d.wait(ctx); err != nil || stopped {
			return false, err
		}
	}
}

// advance unfolds, begins and performs what can be done at once: each attempt's own step, no further, so that every
// finished step is durable before the next begins.
func (d *driver) advance(ctx context.Context) error {
	whole := context.WithoutCancel(ctx) // what is begun here is brief, and finished when the user stops us
	if err := d.unfold(whole); err != nil {
		return err
	}
	for _, duty := range d.duties() {
		if ctx.Err() != nil {
			break
		}
		if err := d.perform(whole, duty); err != nil {
			return err
		}
	}
	return d.unfold(whole)
}

// goOn asks the plan what comes next, and tells whether nothing does. Where it cannot be asked or is refused, what was
// decided before it is kept.
func (d *driver) goOn(ctx context.Context) (idle bool, err error) {
	before := len(d.acts)
	acts, err := d.plan.Next(Look{d.turn})
	for i := 0; i < len(acts) && err == nil; i++ {
		err = d.apply(acts[i])
	}
	if err != nil {
		d.acts = d.acts[:before]
		lost := d.redecide(context.WithoutCancel(ctx))
		if lost == nil {
			_, lost = d.settle(ctx, false)
		}
		return false, errors.Join(err, lost)
	}
	return len(acts) == 0 && !d.hasWork(), nil
}

// duties picks what to perform now: attempts that nobody performs, then nodes to begin while workers are free.
func (d *driver) duties() []kernel.Duty {
	var picked []kernel.Duty
	free := d.plan.Workers - len(d.flying)
	stopped := d.isBroke()
	for duty := range kernel.Pending(d.run) {
		if free <= 0 {
			break
		}
		node, attempt := subject(duty)
		if attempt != "" && d.flying[attempt] != nil || attempt == "" && (stopped || !d.inScope(node)) {
			continue
		}
		picked = append(picked, duty)
		free--
	}
	return picked
}

func subject(duty kernel.Duty) (kernel.NodeID, kernel.AttemptID) {
	switch duty := duty.(type) {
	case kernel.PerformStep:
		return duty.Node, duty.Attempt
	case kernel.RunCheck:
		return duty.Node, duty.Attempt
	}
	return "", ""
}

func (d *driver) inScope(id kernel.NodeID) bool {
	if d.plan.Only == nil {
		return true
	}
	n, ok := d.run.Node(id)
	return ok && d.plan.Only(n.Node())
}

// hasWork tells whether there is anything left to perform within the plan.
func (d *driver) hasWork() bool {
	stopped := d.isBroke()
	for duty := range kernel.Pending(d.run) {
		node, attempt := subject(duty)
		if attempt != "" || node == "" || !stopped && d.inScope(node) {
			return true
		}
	}
	return false
}

// isBroke tells whether a node waits for money. Until a person has decided no other begins: a plan of a thousand ready nodes
// would ask a thousand times.
func (d *driver) isBroke() bool {
	if !d.broke || d.e.Survey {
		return false
	}
	for ask := range d.run.OpenAsks() {
		if n, ok := d.run.Node(ask.Node); ok && ask.Reason == kernel.UsedUp && n.Failure() != nil && n.Failure().Class == kernel.NoBudget {
			return true
		}
	}
	d.broke = false
	return false
}

// perform begins an attempt if none is open, and lets its step move.
func (d *driver) perform(ctx context.Context, duty kernel.Duty) error {
	id, attempt := subject(duty)
	provider := ""
	if d.e.Model != nil {
		provider = d.e.Model.Class()
	}
	if attempt == "" {
		begin := kernel.Begin{Stamp: d.e.stamp(kernel.Engine), Node: id, Provider: provider, Switch: d.plan.Switch}
		if err := d.apply(Act{Command: begin}); err != nil {
			return err
		}
	} else if err := d.run.RefuseProvider(provider, d.plan.Switch); err != nil { // begun by a process that is gone
		return d.explain(err)
	}
	n, _ := d.run.Node(id)
	f, err := d.prepare(ctx, n.Open())
	if err != nil {
		return err
	}
	if act := d.move(ctx, f); act != nil {
		return d.apply(*act)
	}
	d.starting = append(d.starting, f)
	return nil
}

// settle commits the turn, and gives the lease back with it if nothing is left to do. When another process appended
// meanwhile, the run is loaded and everything decided again.
func (d *driver) settle(ctx context.Context, idle bool) (released bool, err error) {
	ctx = context.WithoutCancel(ctx) // what is decided is committed even when the user stops us
	d.lingered = nil
	for try := 0; ; try++ {
		before := d.after
		err := d.commit(ctx, d.lease.Epoch, idle)
		if idle && d.after > before {
			return true, err
		}
		if fault.CodeOf(err) != fault.Conflict || try == retries {
			return false, err
		}
		if err := d.redecide(ctx); err != nil {
			return false, err
		}
		idle = false
	}
}

// redecide loads the run and decides the turn's acts again. One that is refused now is dropped, and so is what was made from
// something that was replaced meanwhile: the reply it came from is stored, and the run as it is now says what to do.
func (d *driver) redecide(ctx context.Context) error {
	t, err := d.e.begin(ctx, d.run.ID())
	if err != nil {
		return err
	}
	acts, before := d.acts, d.run
	d.moved = true
	t.shown, t.durable, t.cache = d.shown, d.durable, d.cache
	*d.turn = *t
	for _, a := range acts {
		if !d.isBasedAsBefore(a.Command, before) {
			continue // its attempt is open, and performed anew
		}
		if err := d.apply(a); err != nil {
			d.e.Log.Warn("a command was dropped, since the run moved on", "run", d.run.ID(), "error", err)
		}
	}
	return d.unfold(ctx)
}

// isBasedAsBefore tells whether what a command delivers was made from what its attempt works from now.
func (d *driver) isBasedAsBefore(c kernel.Command, before *kernel.Run) bool {
	var id kernel.AttemptID
	switch c := c.(type) {
	case kernel.Deliver:
		id = c.Attempt
	case kernel.Judge:
		id = c.Attempt
	}
	was, ok := before.Attempt(id)
	return !ok || d.isBasedOn(*was)
}

// isBasedOn tells whether an attempt of the run still works from what was gathered for it.
func (d *driver) isBasedOn(gathered kernel.Attempt) bool {
	now, ok := d.run.Attempt(gathered.ID)
	return !ok || now.Subject == gathered.Subject && slices.Equal(now.Inputs, gathered.Inputs)
}

// start hands the attempts whose beginning is now durable to workers.
func (d *driver) start(ctx context.Context) {
	if ctx.Err() != nil {
		return // stop withdraws them
	}
	for _, f := range d.starting {
		id := f.in.Attempt.ID
		if a, ok := d.run.Attempt(id); !ok || a.Outcome != "" || !d.isBasedOn(f.in.Attempt) {
			continue
		}
		d.launch(ctx, f)
	}
	d.starting = d.starting[:0]
}

func (d *driver) launch(ctx context.Context, f *flight) {
	ctx, f.cancel = context.WithCancel(ctx)
	d.flying[f.in.Attempt.ID] = f
	run := d.run.ID()
	go func() {
		defer f.cancel()
		res := d.e.fly(ctx, run, f)
		d.results <- res
	}()
}

// ground ends the workers of a driver that leaves, and waits for them.
func (d *driver) ground() {
	for _, f := range d.flying {
		f.cancel()
	}
	for range d.flying {
		<-d.results
	}
}
