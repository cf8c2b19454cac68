package engine

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"sluice/internal/digest"
	"sluice/internal/fault"
	"sluice/internal/journal"
	"sluice/internal/kernel"
	"sluice/internal/line"
)

// Engine drives runs of the lines it was given. It is safe for concurrent use.
type Engine struct {
	Journal Journal
	Leaser  Leaser
	Folds   Folds
	Tables  Tables // nil: rows of runs that have none are not written
	Files   Files  // nil: nothing is checked out
	Finder  Finder // nil: there are no files to read
	Counter Counter
	Model   Model
	Runner  Runner // nil: no program is run
	Lines   map[string]*line.Line
	Now     func() time.Time
	Log     *slog.Logger
	// Observe is told of committed events, in order per run, on the goroutine that committed them.
	Observe func(r *kernel.Run, events []kernel.Event)
	// Outlook says what a run will still cost, for the person who is asked about its budget; nil: nothing is said.
	Outlook func(ctx context.Context, r *kernel.Run) string
	// Survey is set where calls are refused to see them all: one that is refused stops no other node.
	Survey bool

	mu      sync.Mutex
	drivers map[kernel.RunID]*driver
	defined map[string]digest.Digest // definitions known to be stored, by line
}

// Act is a command with the bytes of the content it names.
type Act struct {
	Command kernel.Command
	Blobs   []journal.Blob
}

// retries is how often a command of a person is decided again when the run moved on meanwhile.
const retries = 8

// Do applies commands of people or clients to a run, all or none, in one batch. A run that this process drives gets
// them through its owner.
func (e *Engine) Do(ctx context.Context, id kernel.RunID, acts ...Act) (*kernel.Run, error) {
	if d := e.driving(id); d != nil {
		if err, taken := d.hand(ctx, acts); taken {
			if err != nil {
				return nil, err
			}
			return e.Load(ctx, id)
		}
	}
	return e.DoWish(ctx, id, func(Look) ([]Act, error) { return acts, nil })
}

// RunActs are acts on one run.
type RunActs struct {
	Run  kernel.RunID
	At   int64 // the sequence number for which the acts are right; 0 means any
	Acts []Act
}

// DoAll applies commands to several runs, all or none, in one transaction. None of them may be driven by this process.
// Acts that begin with Open make their run. A run that is not where its acts expect it is a conflict, and so is one that moves on again and again.
func (e *Engine) DoAll(ctx context.Context, many ...RunActs) error {
	for try := 0; ; try++ {
		turns := make([]*turn, 0, len(many))
		batches := make([]journal.Batch, 0, len(many))
		for _, m := range many {
			t, err := e.decide(ctx, m)
			if err != nil {
				return err
			}
			if len(t.events) == 0 {
				continue
			}
			b, err := t.batch(ctx, 0, false)
			if err != nil {
				return err
			}
			turns, batches = append(turns, t), append(batches, b)
		}
		if len(batches) == 0 {
			return nil
		}
		err := e.Journal.Append(ctx, batches...)
		if fault.CodeOf(err) == fault.Conflict && try < retries {
			continue
		}
		if err != nil {
			return err
		}
		for i, t := range turns {
			if err := t.committed(ctx, batches[i].Checkouts); err != nil {
				return err
			}
		}
		return nil
	}
}

// decide applies the acts on one run without committing them.
func (e *Engine) decide(ctx context.Context, m RunActs) (t *turn, err error) {
	acts := m.Acts
	if c, ok := m.opens(); ok {
		t, err = e.open(ctx, c, acts[0].Blobs)
		acts = acts[1:]
	} else {
		t, err = e.begin(ctx, m.Run)
	}
	if err != nil {
		return nil, err
	}
	if m.At > 0 && t.after != m.At {
		return nil, fault.New(fault.Conflict, string(m.Run), "run %s is at %d and was expected at %d", m.Run, t.after, m.At)
	}
	for _, a := range acts {
		if err := t.apply(a); err != nil {
			return nil, err
		}
	}
	return t, t.unfold(ctx)
}

func (m RunActs) opens() (kernel.Open, bool) {
	if len(m.Acts) == 0 {
		return kernel.Open{}, false
	}
	c, ok := m.Acts[0].Command.(kernel.Open)
	return c, ok
}

// Open makes a run without driving it.
func (e *Engine) Open(ctx context.Context, c kernel.Open, blobs ...journal.Blob) (*kernel.Run, error) {
	t, err := e.open(ctx, c, blobs)
	if err != nil {
		return nil, err
	}
	if err := t.unfold(ctx); err != nil {
		return nil, err
	}
	return t.run, t.commit(ctx, 0, false)
}

// open decides the first command of a run without committing it. The line's definition is stored before it is named.
func (e *Engine) open(ctx context.Context, c kernel.Open, blobs []journal.Blob) (*turn, error) {
	l, err := e.line(c.Line)
	if err != nil {
		return nil, err
	}
	if c.Definition == "" {
		if c.Definition, err = e.define(ctx, l); err != nil {
			return nil, err
		}
	}
	t := &turn{e: e, line: l, run: kernel.NewRun(), cache: &bodyCache{}}
	return t, t.apply(Act{Command: c, Blobs: blobs})
}

// define stores the definition of a line once per process and gives its digest.
func (e *Engine) define(ctx context.Context, l *line.Line) (digest.Digest, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if d, ok := e.defined[l.Name]; ok || len(l.Definition) == 0 {
		return d, nil
	}
	d, err := e.Journal.PutDefinition(ctx, l.Definition)
	if err != nil {
		return "", err
	}
	if e.defined == nil {
		e.defined = map[string]digest.Digest{}
	}
	e.defined[l.Name] = d
	return d, nil
}

// Load gives a run as the journal has it now.
func (e *Engine) Load(ctx context.Context, id kernel.RunID) (*kernel.Run, error) {
	run := kernel.NewRun()
	cached, ok, err := e.Folds.Fold(ctx, string(id), kernel.FoldRevision)
	if err != nil {
		return nil, err
	}
	if ok {
		if r, err := kernel.FromImage(cached.State); err == nil { // a cache that does not load is no cache
			run = r
		}
	}
	folded := run.Seq()
	if err := e.catchUp(ctx, id, run); err != nil {
		return nil, err
	}
	if run.Seq()-folded > foldEvery {
		e.saveFold(ctx, run)
	}
	return run, nil
}

// foldEvery is how many events are folded anew at most before the folded state is cached.
const foldEvery = 500

func (e *Engine) saveFold(ctx context.Context, run *kernel.Run) {
	state, err := run.Image()
	if err == nil {
		err = e.Folds.SaveFold(ctx, journal.Fold{Run: string(run.ID()), Seq: run.Seq(), Revision: kernel.FoldRevision, State: state})
	}
	if err != nil {
		e.Log.Warn("the folded state was not cached", "run", run.ID(), "error", err)
	}
}

// catchUp folds what was appended since the run was loaded.
func (e *Engine) catchUp(ctx context.Context, id kernel.RunID, run *kernel.Run) error {
	batches, err := e.Journal.Load(ctx, string(id), run.Seq())
	if err != nil {
		return err
	}
	for _, b := range batches {
		events, err := kernel.Decode(b.Events)
		if err != nil {
			return err
		}
		if b.First != run.Seq()+1 || b.Last != run.Seq()+int64(len(events)) {
			return fault.New(fault.StoreCorrupt, string(id), "run %s: batch %d to %d follows event %d", id, b.First, b.Last, run.Seq()).
				With(fault.Action{Action: "doctor", Command: "sluice doctor"})
		}
		kernel.Fold(run, events)
	}
	return nil
}

// begin loads a run for a turn of commands.
func (e *Engine) begin(ctx context.Context, id kernel.RunID) (*turn, error) {
	run, err := e.Load(ctx, id)
	if err != nil {
		return nil, err
	}
	l, err := e.line(run.Line())
	if err != nil {
		return nil, err
	}
	return &turn{e: e, line: l, run: run, after: run.Seq(), cache: &bodyCache{}}, nil
}

func (e *Engine) line(name string) (*line.Line, error) {
	l, ok := e.Lines[name]
	if !ok {
		return nil, fault.New(fault.UnknownLine, name, "this sluice has no line %q", name).
			With(fault.Action{Action: "upgrade", Command: "sluice version"})
	}
	return l, nil
}

func (e *Engine) driving(id kernel.RunID) *driver {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.drivers[id]
}

func (e *Engine) stamp(by kernel.ActorKind) kernel.Stamp {
	return kernel.Stamp{By: kernel.Actor{Kind: by}, At: e.Now().UTC().Truncate(time.Microsecond)}
}
