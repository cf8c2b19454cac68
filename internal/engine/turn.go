package engine

import (
	"context"
	"encoding/json"

	"sluice/internal/digest"
	"sluice/internal/fault"
	"sluice/internal/journal"
	"sluice/internal/kernel"
	"sluice/internal/line"
)

// turn is a run with what was decided on it and is not committed yet. It becomes one batch.
type turn struct {
	e      *Engine
	line   *line.Line
	run    *kernel.Run
	after  int64 // the sequence number that is committed
	acts   []Act // to be decided again if the run moved on meanwhile
	events []kernel.Event
	blobs  []journal.Blob
	bodies map[digest.Digest][]byte
	cache  *bodyCache               // of what was read
	shown  map[string]digest.Digest // state files as last committed by this owner
	taken  map[string]digest.Digest // what files show whose content was taken over in another form
	// durable is told as soon as the turn is committed, before its files are put in place: model calls need not wait
	// for those. Nil tells nobody.
	durable func()
}

// apply decides one act on the run. After an error the turn must not be committed if acts before it changed it; Do
// gives the turn up, the driver drops the one act that was refused, which changed nothing.
func (t *turn) apply(a Act) error {
	events, err := kernel.Apply(t.run, a.Command)
	if err != nil {
		return t.explain(err)
	}
	if len(events) == 0 {
		return nil
	}
	t.acts = append(t.acts, a)
	t.events = append(t.events, events...)
	for _, b := range a.Blobs {
		t.keep(b)
	}
	return nil
}

func (t *turn) keep(b journal.Blob) {
	if t.bodies == nil {
		t.bodies = map[digest.Digest][]byte{}
	}
	if _, there := t.bodies[b.Digest]; there {
		return
	}
	t.bodies[b.Digest] = b.Body
	t.blobs = append(t.blobs, b)
}

// explain fills in the exact commands of a refusal's next actions, as the line words them.
func (t *turn) explain(err error) error {
	f := fault.From(err)
	if f.Code == fault.Unexpected {
		return err
	}
	c := *f
	c.Next = append([]fault.Action(nil), f.Next...)
	for i, a := range c.Next {
		switch {
		case a.Command != "":
		case a.Action == "revise" && f.Subject == string(t.run.ID()): // which node is the user's to say
			c.Next[i].Command, c.Next[i].Why = "sluice status "+f.Subject, "it shows what stands and can be made again"
		default:
			c.Next[i].Command = Command(t.line, t.run, kernel.NodeID(f.Subject), a.Action)
		}
	}
	return &c
}

// Command words a next action for the command line: the line's own way, or the general one.
func Command(l *line.Line, r *kernel.Run, n kernel.NodeID, action string) string {
	if l != nil && l.Command != nil {
		if c := l.Command(r, n, action); c != "" {
			return c
		}
	}
	switch action {
	case "answer":
		return "sluice inbox " + string(r.ID())
	case "run", "resume":
		return "sluice " + action + " " + string(r.ID())
	case "rehearse":
		return Command(l, r, n, "run") + " --provider rehearsal"
	case "upgrade":
		return "sluice version"
	case "reopen", "revise":
		if _, ok := r.Node(n); !ok { // the refusal was about the run: which node is the user's to say
			return "sluice status " + string(r.ID())
		}
		return "sluice " + action + " " + string(r.ID()) + " " + string(n)
	}
	return ""
}

// unfold asks the line what follows from approved versions, until nothing more does.
func (t *turn) unfold(ctx context.Context) error {
	for {
		var next kernel.UnfoldNodes
		for duty := range kernel.Pending(t.run) {
			next, _ = duty.(kernel.UnfoldNodes)
			break
		}
		if next.Node == "" {
			return nil
		}
		if err := t.unfoldOne(ctx, next); err != nil {
			return err
		}
	}
}

func (t *turn) unfoldOne(ctx context.Context, duty kernel.UnfoldNodes) error {
	node, _ := t.run.Node(duty.Node)
	version, _ := t.run.Version(duty.Version)
	body, err := t.body(ctx, version)
	if err != nil {
		return err
	}
	var follow line.Followers
	if t.line.Unfold != nil {
		follow, err = t.line.Unfold(line.Unfolding{Run: t.run, Node: node.Node(), Version: *version, Body: body})
		if err != nil {
			return fault.Wrap(fault.StepFailed, string(duty.Node), err, "line %s cannot say what follows %s", t.line.Name, duty.Version)
		}
	}
	return t.apply(Act{Command: kernel.Unfold{Stamp: t.e.stamp(kernel.Engine), After: duty.Version,
		Nodes: follow.Nodes, Abandon: follow.Abandon}})
}

// body gives the bytes of a version: of this turn, or from the journal.
func (t *turn) body(ctx context.Context, v *kernel.Version) ([]byte, error) {
	if b, ok := t.bodies[v.Digest]; ok {
		return b, nil
	}
	if b, ok := t.cache.get(v.Digest); ok {
		return b, nil
	}
	b, err := t.e.Journal.Blob(ctx, string(t.run.ID()), v.Seq, v.Digest)
	if err == nil {
		t.cache.put(v.Digest, b)
	}
	return b, err
}

// commit appends what was decided and then puts the files in place. An empty turn commits nothing.
func (t *turn) commit(ctx context.Context, epoch int64, release bool) error {
	if len(t.events) == 0 {
		return nil
	}
	batch, err := t.batch(ctx, epoch, release)
	if err != nil {
		return err
	}
	if err := t.e.Journal.Append(ctx, batch); err != nil {
		return err
	}
	return t.committed(ctx, batch.Checkouts)
}

// committed tells of what is durable now and puts its files in place.
func (t *turn) committed(ctx context.Context, rows []journal.Checkout) error {
	events, bodies := t.events, t.bodies
	last := t.run.Seq()
	t.after, t.acts, t.events, t.blobs, t.bodies, t.taken = last, nil, nil, nil, nil, nil
	if t.e.Observe != nil {
		t.e.Observe(t.run, events)
	}
	if t.durable != nil {
		t.durable()
	}
	if len(rows) == 0 {
		return nil
	}
	for i := range rows {
		rows[i].Run = string(t.run.ID())
		if rows[i].Seq == 0 {
			rows[i].Seq = last
		}
	}
	edits, err := t.e.Files.Place(ctx, rows, bodies)
	if err != nil {
		return err
	}
	return t.adopt(ctx, edits)
}

// batch renders the turn for the store.
func (t *turn) batch(ctx context.Context, epoch int64, release bool) (journal.Batch, error) {
	raw, err := kernel.Encode(t.events)
	if err != nil {
		return journal.Batch{}, err
	}
	b := journal.Batch{Run: string(t.run.ID()), After: t.after, Epoch: epoch, Release: release, At: t.run.Updated(),
		Count: len(t.events), Events: raw, Head: t.head()}
	if b.Asks, err = t.asks(); err != nil {
		return journal.Batch{}, err
	}
	if t.after == 0 && epoch > 0 {
		b.Driver = t.e.Leaser.Driver()
	}
	if t.e.Files != nil {
		if b.Checkouts, err = t.checkouts(ctx); err != nil {
			return journal.Batch{}, err
		}
	}
	if b.Rows, err = t.rows(ctx); err != nil {
		return journal.Batch{}, err
	}
	b.Blobs = t.blobs
	return b, nil
}

func (t *turn) head() journal.Head {
	h := journal.Head{Line: t.run.Line(), Definition: t.run.Definition(), Title: t.run.Title(),
		Status: string(t.run.Status()), Labels: t.run.Labels()}
	if t.line.Summary != nil {
		h.Summary = t.line.Summary(t.run)
	}
	return h
}

// asks gives the inbox rows that the turn changed.
func (t *turn) asks() ([]journal.Ask, error) {
	var rows []journal.Ask
	for _, e := range t.events {
		var id kernel.AskID
		switch f := e.Fact.(type) {
		case kernel.AskOpened:
			id = f.Ask.ID
		case kernel.AskClosed:
			id = f.Ask
		default:
			continue
		}
		a, ok := t.run.Ask(id)
		if !ok {
			continue
		}
		body, err := json.Marshal(a)
		if err != nil {
			return nil, err
		}
		rows = append(rows, journal.Ask{ID: string(id), Run: string(t.run.ID()), Node: string(a.Node), Kind: string(a.Kind),
			Title: a.Title, Version: string(a.Version), Digest: a.Digest, OpenedAt: a.OpenedAt, Open: a.IsOpen(), Body: body})
	}
	return rows, nil
}

// moved lists the nodes whose content changed in this turn, once each.
func (t *turn) moved() []kernel.NodeID {
	var ids []kernel.NodeID
	seen := map[kernel.NodeID]bool{}
	add := func(id kernel.NodeID) {
		if !seen[id] {
			seen[id] = true
			ids = append(ids, id)
		}
	}
	for _, e := range t.events {
		switch f := e.Fact.(type) {
		case kernel.VersionStored:
			add(f.Version.Node)
		case kernel.OfferTaken:
			add(f.Node)
		case kernel.VersionApproved:
			add(f.Node)
		case kernel.VersionRejected:
			add(f.Node)
		case kernel.ReviewRecorded: // a person's may be shown, and one on an older version decides nothing
			if f.Review.By.IsHuman() {
				add(f.Review.Node)
			}
		case kernel.NodeAbandoned: // what it showed may be shown no longer
			add(f.Node)
		case kernel.RolledBack:
			for _, id := range f.Nodes {
				add(id)
			}
		case kernel.RollbackUndone, kernel.RunRelabelled:
			for n := range t.run.Nodes() {
				add(n.ID())
			}
		}
	}
	return ids
}
