package engine

import (
	"context"
	"errors"
	"time"

	"sluice/internal/fault"
	"sluice/internal/kernel"
	"sluice/internal/line"
)

// wait takes in results, commands and what others appended: at least one where nothing else is left to do, and whatever waits
// with it. It tells whether the user stopped the drive; then everything in flight is delivered or withdrawn.
func (d *driver) wait(ctx context.Context) (stopped bool, err error) {
	if len(d.duties()) == 0 {
		poll := time.NewTicker(pollEvery)
		defer poll.Stop()
		select {
		case <-ctx.Done():
			return true, d.stop(ctx)
		case res := <-d.results:
			err = d.take(ctx, res)
		case req := <-d.commands:
			err = d.obey(ctx, req)
		case <-poll.C:
			return false, d.notice(ctx)
		}
	}
	for err == nil {
		select {
		case res := <-d.results:
			err = d.take(ctx, res)
		case req := <-d.commands:
			err = d.obey(ctx, req)
		default:
			return false, nil
		}
	}
	return false, err
}

// lingerFor is how long a result that lets nothing begin waits for others: those of calls that were made together come
// together, and share a commit. The reply it came from is stored already.
const lingerFor = 20 * time.Millisecond

// mayLinger tells whether nobody waits for what was decided, and more may come.
func (d *driver) mayLinger() bool {
	return len(d.events) > 0 && len(d.starting) == 0 && len(d.flying) > 0 && len(d.duties()) == 0
}

// linger waits a moment for one more result, and tells whether it came. The moment begins with the first of a turn.
func (d *driver) linger(ctx context.Context) (came bool, err error) {
	if d.lingered == nil {
		d.lingered = time.After(lingerFor)
	}
	select {
	case res := <-d.results:
		return true, d.take(ctx, res)
	case req := <-d.commands:
		return true, d.obey(ctx, req)
	case <-d.lingered:
	case <-ctx.Done():
	}
	return false, nil
}

// take brings a worker's result into the run.
func (d *driver) take(ctx context.Context, res result) error {
	f := d.flying[res.attempt]
	delete(d.flying, res.attempt)
	if f == nil {
		return nil
	}
	if a, ok := d.run.Attempt(res.attempt); !ok || a.Outcome != "" {
		return nil // withdrawn meanwhile; the reply is stored
	}
	if res.err != nil && ctx.Err() != nil && errors.Is(res.err, context.Canceled) {
		return d.apply(Act{Command: kernel.Release{Stamp: d.e.stamp(kernel.Engine), Attempt: res.attempt, Reason: "interrupted"}})
	}
	if err := d.heed(ctx, f); err != nil {
		return err
	}
	if act := d.land(context.WithoutCancel(ctx), f, res); act != nil {
		d.broke = d.broke || isRefusedMoney(res.err)
		return d.apply(*act)
	}
	d.launch(ctx, f)
	return nil
}

func isRefusedMoney(err error) bool {
	ce, ok := errors.AsType[*line.CallError](err)
	return ok && ce.Class == kernel.NoBudget
}

// heed looks, before content replaces a working file, whether a person changed that file while it was being made: the
// change is taken over first, so that it stays current and what was made becomes an offer.
func (d *driver) heed(ctx context.Context, f *flight) error {
	if d.e.Files == nil || d.line.Files == nil || f.in.Node.Kind != kernel.Make {
		return nil
	}
	n, _ := d.run.Node(f.in.Node.ID)
	var paths []string
	for _, file := range d.line.Files(d.run, n) {
		paths = append(paths, file.Path)
	}
	if len(paths) == 0 {
		return nil
	}
	edits, err := d.e.Files.Scan(context.WithoutCancel(ctx), string(d.run.ID()), paths...)
	if err != nil {
		return err
	}
	for _, edit := range edits {
		if err := d.adoptOne(context.WithoutCancel(ctx), edit); err != nil {
			return err
		}
	}
	return nil
}

// obey decides commands of a person, all or none, and answers when they are durable.
func (d *driver) obey(ctx context.Context, req request) error {
	_, err := d.settle(ctx, false) // so that a refusal has nothing else to undo
	if err != nil {
		req.reply <- err
		return err
	}
	refused, err := d.decide(context.WithoutCancel(ctx), req.acts)
	d.dropWithdrawn()
	req.reply <- errors.Join(refused, err)
	return err
}

// decide applies the acts and commits them. A refusal leaves the run as it is committed; err says that it is not known
// how the run stands.
func (d *driver) decide(ctx context.Context, acts []Act) (refused, err error) {
	for try := 0; ; try++ {
		refused = nil
		for _, a := range acts {
			if refused = d.apply(a); refused != nil {
				break
			}
		}
		if refused == nil {
			before := d.after
			refused = d.commit(ctx, d.lease.Epoch, false)
			if refused == nil || d.after > before {
				return nil, refused
			}
		}
		if len(d.events) > 0 { // the run in memory is ahead of the journal
			d.acts = nil
			if err := d.redecide(ctx); err != nil {
				return refused, err
			}
		}
		if fault.CodeOf(refused) != fault.Conflict || try == retries {
			return refused, nil
		}
	}
}

// hand gives commands to the owner of the run. It tells whether the owner took them.
func (d *driver) hand(ctx context.Context, acts []Act) (error, bool) {
	req := request{acts: acts, reply: make(chan error, 1)}
	select {
	case d.commands <- req:
		return <-req.reply, true
	case <-d.done:
		return nil, false
	case <-ctx.Done():
		return fault.Wrap(fault.Interrupted, string(d.run.ID()), ctx.Err(), "interrupted before the command was decided"), true
	}
}

// notice folds what other processes appended, and ends the work that they withdrew.
func (d *driver) notice(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx) // being stopped is noticed elsewhere
	now, err := d.e.Leaser.DataVersion(ctx)
	if err != nil || now == d.seen {
		return err
	}
	d.seen = now
	if err := d.e.catchUp(ctx, d.run.ID(), d.run); err != nil {
		return err
	}
	if d.after != d.run.Seq() {
		d.after, d.shown = d.run.Seq(), nil // whoever appended may have shown other state
		d.dropWithdrawn()
	}
	return nil
}

// dropWithdrawn cancels workers whose attempt is closed. Their results still come and are ignored.
func (d *driver) dropWithdrawn() {
	for id, f := range d.flying {
		if a, ok := d.run.Attempt(id); !ok || a.Outcome != "" {
			f.cancel()
		}
	}
}

// stop ends a drive that the user interrupted: workers are told, what they still bring is delivered, the rest is
// withdrawn, and all of it is committed.
func (d *driver) stop(ctx context.Context) error {
	for _, f := range d.flying {
		f.cancel()
	}
	for len(d.flying) > 0 {
		if err := d.take(ctx, <-d.results); err != nil {
			return err
		}
	}
	for _, f := range d.starting { // begun, and never asked for
		if a, ok := d.run.Attempt(f.in.Attempt.ID); ok && a.Outcome == "" {
			release := kernel.Release{Stamp: d.e.stamp(kernel.Engine), Attempt: a.ID, Reason: "interrupted"}
			if err := d.apply(Act{Command: release}); err != nil {
				return err
			}
		}
	}
	d.starting = nil
	_, err := d.settle(ctx, false)
	return errors.Join(err,
		fault.Wrap(fault.Interrupted, string(d.run.ID()), ctx.Err(), "run %s was interrupted; what was finished is kept", d.run.ID()).
			With(fault.Action{Action: "run", Command: Command(d.line, d.run, "", "run"), Why: "it goes on where it stopped"}))
}
