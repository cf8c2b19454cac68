package engine

import (
	"context"
	"errors"
	"fmt"

	"sluice/internal/digest"
	"sluice/internal/fault"
	"sluice/internal/kernel"
	"sluice/internal/line"
)

// Replaying says what is to be repeated.
type Replaying struct {
	Model Model                    // gives recorded replies and asks nobody
	Only  func(kernel.NodeID) bool // nil: every node
}

// Repeated is what came of a replay. Everything is counted that was recomputed and is as it was recorded.
type Repeated struct {
	Run          kernel.RunID
	Line         string
	Events       int64
	Steps        int            // attempts whose step came to the same end
	Versions     int            // byte for byte
	Schemas      map[string]int // of those versions
	Results      int            // of gates: rules, and verdicts of checks
	Unfoldings   int            // what followed an approved version
	OtherProgram bool           // the line was defined otherwise when the run began
	Skipped      []Skipped      // what cannot be repeated
	Difference   *Difference    // the first one; nothing after it was looked at
}

// Skipped is an attempt that cannot be repeated from what is recorded.
type Skipped struct {
	Attempt kernel.AttemptID `json:"attempt"`
	Why     string           `json:"why"`
}

// Difference is where what is recorded and what is recomputed part.
type Difference struct {
	Seq      int64            `json:"seq"` // number of the event
	Node     kernel.NodeID    `json:"node"`
	Step     string           `json:"step,omitempty"`
	Attempt  kernel.AttemptID `json:"attempt,omitempty"`
	Version  kernel.VersionID `json:"version,omitempty"`
	What     string           `json:"what"` // content, result, account, followers, reply, error
	Message  string           `json:"message"`
	Recorded string           `json:"recorded"`
	Repeated string           `json:"repeated"`
}

// Replay goes through the journal of a run and does again what is deterministic: each step of the engine from its
// inputs and the recorded replies, each rule, each unfolding. It changes nothing and ends at the first difference.
func (e *Engine) Replay(ctx context.Context, id kernel.RunID, w Replaying) (*Repeated, error) {
	info, err := e.Load(ctx, id)
	if err != nil {
		return nil, err
	}
	l, err := e.line(info.Line())
	if err != nil {
		return nil, err
	}
	batches, err := e.Journal.Load(ctx, string(id), 0)
	if err != nil {
		return nil, err
	}
	r := &replay{turn: &turn{e: e, line: l, run: kernel.NewRun(), cache: &bodyCache{}}, w: w,
		out: &Repeated{Run: id, Line: l.Name, Schemas: map[string]int{}, OtherProgram: info.Definition() != digest.Of(l.Definition)}}
	for _, b := range batches {
		events, err := kernel.Decode(b.Events)
		if err != nil {
			return nil, err
		}
		if r.out.Difference, err = r.batch(ctx, b.First, events); err != nil || r.out.Difference != nil {
			return r.out, err
		}
	}
	return r.out, nil
}

// replay is a run on its way from its first event to its last.
type replay struct {
	*turn
	w   Replaying
	out *Repeated
}

// batch repeats what one batch recorded. Each event is looked at with the run as it stood before it.
func (r *replay) batch(ctx context.Context, first int64, events []kernel.Event) (*Difference, error) {
	ends := closings(events)
	for i, e := range events {
		if ctx.Err() != nil {
			return nil, fault.Wrap(fault.Interrupted, string(r.out.Run), ctx.Err(), "the replay was interrupted")
		}
		r.out.Events = first + int64(i)
		var d *Difference
		var err error
		if end, ok := ends[i]; ok {
			d, err = r.attempt(ctx, closed{first: first, events: events[i : end+1], fact: events[end].Fact.(kernel.AttemptClosed)})
		}
		if d == nil && err == nil {
			d, err = r.other(ctx, e)
		}
		if err != nil {
			return nil, err
		}
		if d != nil {
			if d.Seq == 0 {
				d.Seq = first + int64(i)
			}
			return d, nil
		}
		kernel.Fold(r.run, []kernel.Event{e})
	}
	return nil, nil
}

// closings finds where the events of each closed attempt begin, and where they end.
func closings(events []kernel.Event) map[int]int {
	ends := map[int]int{}
	for i, e := range events {
		f, ok := e.Fact.(kernel.AttemptClosed)
		if !ok {
			continue
		}
		begin := i
		for begin > 0 && belongs(events[begin-1].Fact, f) {
			begin--
		}
		ends[begin] = i
	}
	return ends
}

// belongs tells whether a fact was decided together with the end of an attempt.
func belongs(fact kernel.Fact, end kernel.AttemptClosed) bool {
	switch f := fact.(type) {
	case kernel.EvidenceRecorded:
		return f.Attempt == end.Attempt
	case kernel.VersionStored:
		return f.Version.Attempt == end.Attempt
	case kernel.ReviewRecorded:
		return f.Review.ID == end.Snapshot.Review && end.Snapshot.Review != ""
	}
	return false
}

// other repeats rules and unfoldings.
func (r *replay) other(ctx context.Context, e kernel.Event) (*Difference, error) {
	switch f := e.Fact.(type) {
	case kernel.ReviewRecorded:
		if f.Review.By.Kind == kernel.Rule && r.wanted(f.Review.Node) {
			return r.ruling(ctx, f.Review)
		}
	case kernel.NodesAdded:
		if v, ok := r.run.Version(f.After); ok && r.wanted(v.Node) {
			return r.unfolding(ctx, f, v)
		}
	}
	return nil, nil
}

func (r *replay) wanted(id kernel.NodeID) bool { return r.w.Only == nil || r.w.Only(id) }

// closed is an attempt that ended: the events that say so, of the batch that begins with event first.
type closed struct {
	first  int64
	events []kernel.Event
	fact   kernel.AttemptClosed
}

// version is what the attempt stored, if anything.
func (c closed) version() *kernel.VersionStored {
	for _, e := range c.events {
		if f, ok := e.Fact.(kernel.VersionStored); ok {
			return &f
		}
	}
	return nil
}

func (c closed) review() *kernel.Review {
	for _, e := range c.events {
		if f, ok := e.Fact.(kernel.ReviewRecorded); ok {
			return &f.Review
		}
	}
	return nil
}

func (c closed) evidence() []kernel.Evidence {
	var all []kernel.Evidence
	for _, e := range c.events {
		if f, ok := e.Fact.(kernel.EvidenceRecorded); ok {
			all = append(all, f.Evidence)
		}
	}
	return all
}

// errNotRepeatable is why a step cannot be repeated from what is recorded.
type errNotRepeatable struct{ why string }

func (e errNotRepeatable) Error() string { return e.why }

// attempt repeats one attempt of the engine and compares its end.
func (r *replay) attempt(ctx context.Context, c closed) (*Difference, error) {
	a, ok := r.run.Attempt(c.fact.Attempt)
	if !ok || a.Performer.Kind != kernel.Engine || !r.wanted(a.Node) {
		return nil, nil
	}
	if c.fact.Snapshot.Outcome == kernel.Withdrawn {
		r.skip(a.ID, "it was withdrawn")
		return nil, nil
	}
	f, err := r.prepare(ctx, a)
	if err != nil {
		return nil, err
	}
	out, step := r.perform(ctx, f, c)
	if why, ok := errors.AsType[errNotRepeatable](step.err); ok {
		r.skip(a.ID, why.why)
		return nil, nil
	}
	d, err := r.compare(ctx, f, c, out, step)
	if d == nil || err != nil {
		return nil, err
	}
	if step.usesFiles {
		r.skip(a.ID, "it reads files of the workspace, which are not as they were")
		return nil, nil
	}
	d.Node, d.Step, d.Attempt = a.Node, f.in.Node.Step, a.ID
	return d, nil
}

func (r *replay) skip(a kernel.AttemptID, why string) {
	r.out.Skipped = append(r.out.Skipped, Skipped{a, why})
}

// ended is how a repeated step came to its end.
type ended struct {
	err       error
	isReply   bool // err is about a reply that should be recorded
	usesFiles bool
}

// perform lets a step go to its end with what is recorded.
func (r *replay) perform(ctx context.Context, f *flight, c closed) (*line.Out, ended) {
	var end ended
	var numbers []int64
	if r.line.Reserved != nil {
		if numbers, end.err = r.line.Reserved(c.fact.Snapshot); end.err != nil {
			return nil, end
		}
	}
	const most = 64 // rounds; a step that needs more asks for ever
	for range most {
		f.in.Run = r.run
		m, err := f.step(f.in)
		switch {
		case err != nil:
			end.err = err
			return nil, end
		case m.Done != nil:
			return m.Done, end
		case len(m.Reads)+len(m.Wants)+len(m.Numbers) > 0:
			end.usesFiles = end.usesFiles || len(m.Reads) > 0
			end.err = r.resupply(ctx, f, c, m, &numbers)
		case len(m.Commands) > 0:
			end.err = errNotRepeatable{"it ran programs, whose results are not recorded"}
		default:
			end.isReply = true
			if end.err = r.answers(ctx, f, c, m.Calls); end.err == nil {
				end.isReply = false
			}
		}
		if end.err != nil {
			return nil, end
		}
	}
	end.err = fault.New(fault.BadNode, string(f.in.Node.ID), "step %s asks for ever", f.in.Node.Step)
	return nil, end
}

// resupply gives a step the versions that are recorded as its sources, the files of now, and its recorded numbers.
func (r *replay) resupply(ctx context.Context, f *flight, c closed, m line.Move, numbers *[]int64) error {
	for _, id := range f.in.Lacking(m.Wants...) {
		f.in.Wanted = append(f.in.Wanted, id)
		v := r.source(c, id)
		if v == nil || id == f.in.Node.ID {
			continue
		}
		doc, err := r.doc(ctx, v.ID)
		if err != nil {
			return err
		}
		f.in.Inputs = append(f.in.Inputs, *doc)
	}
	if err := r.read(ctx, f, m.Reads); err != nil {
		return err
	}
	if len(*numbers) < len(m.Numbers) {
		if c.fact.Snapshot.Outcome != kernel.Delivered {
			return errNotRepeatable{"it failed, and its numbers are not recorded"}
		}
		return fault.New(fault.Conflict, string(f.in.Node.ID), "the step wants %d numbers and %d are recorded", len(m.Numbers), len(*numbers))
	}
	f.in.Numbers = append(f.in.Numbers, (*numbers)[:len(m.Numbers)]...)
	*numbers = (*numbers)[len(m.Numbers):]
	return nil
}

// source is the version of a node that an attempt used: its deliverable names it; nothing delivered is taken to have used
// what stood.
func (r *replay) source(c closed, id kernel.NodeID) *kernel.Version {
	stored := c.version()
	if stored == nil {
		return r.run.Approved(id)
	}
	for _, parent := range stored.Version.Parents {
		if v, ok := r.run.Version(parent); ok && v.Node == id {
			return v
		}
	}
	return nil
}

// answers gives a step the replies that are recorded for its calls.
func (r *replay) answers(ctx context.Context, f *flight, c closed, calls []line.Call) error {
	at := Place{Run: r.run.ID(), Node: f.in.Node.ID, Attempt: f.in.Attempt.ID, Take: f.in.Attempt.Take}
	for _, call := range calls {
		reply, err := r.w.Model.Ask(ctx, at, call)
		if err != nil {
			if call.Tolerant || c.fact.Snapshot.Outcome == kernel.Failed {
				return errNotRepeatable{"a call of it was not answered"}
			}
			return fmt.Errorf("the call of %s: %w", call.Agent, err)
		}
		f.in.Replies = append(f.in.Replies, reply)
	}
	return nil
}
