package app

import (
	"context"
	"encoding/json"
	"maps"
	"time"
	"unicode/utf8"

	"sluice/internal/fault"
	"sluice/internal/kernel"
	"sluice/internal/line/novel/story"
)

// Watch follows one run as its journal grows, whoever makes it grow. It changes nothing: edits of files are not taken
// over. The folded run is kept, so a look costs what happened since the last one. It is not safe for concurrent use.
type Watch struct {
	app     *App
	id      kernel.RunID
	run     *kernel.Run
	version int64 // of the store's data, at the last look
	usage   UsageDoc
	counted time.Time // when usage was added up
	due     bool      // usage may have changed since
	words   map[kernel.VersionID]int
	doc     WatchDoc
}

// WatchDoc shows a run that is watched.
type WatchDoc struct {
	RunDoc
	Labels map[string]string `json:"labels,omitempty"`
	News   []EventDoc        `json:"news"`  // what happened since the last look
	Words  map[string]int    `json:"words"` // of the newest versions that were asked for, by node
}

// IsResting tells whether nothing happens to the run until a person acts.
func (d WatchDoc) IsResting() bool { return kernel.RunStatus(d.Status) != kernel.RunActive }

// recentEvents is how many events from before a watch began are shown.
const recentEvents = 200

// usageEvery is how long a total may lag behind: it is added up from all calls of a run.
const usageEvery = 2 * time.Second

// Watch begins to follow a run. The first look shows the newest events there are.
func (a *App) Watch(ctx context.Context, id string) (*Watch, error) {
	run, err := a.resolve(ctx, id)
	if err != nil {
		return nil, err
	}
	return &Watch{app: a, id: run, words: map[kernel.VersionID]int{}}, nil
}

// Look gives the run as it stands, and counts the words of the newest versions of some nodes.
func (w *Watch) Look(ctx context.Context, nodes []string) (WatchDoc, error) {
	version, err := w.app.Changes(ctx)
	if err != nil {
		return WatchDoc{}, err
	}
	w.doc.News = nil
	if w.run == nil || version != w.version {
		if err := w.catchUp(ctx); err != nil {
			return WatchDoc{}, err
		}
		w.version, w.due = version, true
	}
	if now := w.app.Now(); w.due && now.Sub(w.counted) >= usageEvery {
		w.usage, w.counted, w.due = w.app.usage(ctx, w.run), now, false
		w.doc.Usage = w.usage
	}
	if err := w.countWords(ctx, nodes); err != nil {
		return WatchDoc{}, err
	}
	return w.doc, nil
}

// catchUp folds what was appended since, and tells of it.
func (w *Watch) catchUp(ctx context.Context) (err error) {
	var events []EventDoc
	if w.run == nil {
		if w.run, err = w.app.Engine.Load(ctx, w.id); err != nil {
			return err
		}
		if events, _, err = w.app.logRun(ctx, string(w.id), max(0, w.run.Seq()-recentEvents), LogQuery{}); err != nil {
			return err
		}
		for len(events) > 0 && events[len(events)-1].Seq > w.run.Seq() { // appended after it was folded: told of next time
			events = events[:len(events)-1]
		}
		events = newest(events, recentEvents)
	} else if events, err = w.fold(ctx); err != nil {
		return err
	}
	if len(events) == 0 && w.doc.Run != "" {
		return nil // something else was committed
	}
	w.doc = WatchDoc{RunDoc: w.app.runDocAt(w.run, w.usage), Labels: maps.Clone(w.run.Labels()), News: events}
	return nil
}

func (w *Watch) fold(ctx context.Context) ([]EventDoc, error) {
	batches, err := w.app.Engine.Journal.Load(ctx, string(w.id), w.run.Seq())
	if err != nil {
		return nil, err
	}
	var out []EventDoc
	for _, b := range batches {
		events, err := kernel.Decode(b.Events)
		if err != nil {
			return nil, err
		}
		if b.First != w.run.Seq()+1 {
			return nil, fault.New(fault.StoreCorrupt, string(w.id), "run %s: event %d follows event %d", w.id, b.First, w.run.Seq()).
				With(fault.Action{Action: "doctor", Command: "sluice doctor"})
		}
		kernel.Fold(w.run, events)
		for i, e := range events {
			fact, err := json.Marshal(e.Fact)
			if err != nil {
				return nil, err
			}
			out = append(out, EventDoc{Seq: b.First + int64(i), At: e.At, By: e.By.String(), Type: kernel.Word(e.Fact), Fact: fact})
		}
	}
	return out, nil
}

// countWords counts the words of the newest versions of nodes, each version once.
func (w *Watch) countWords(ctx context.Context, nodes []string) error {
	w.doc.Words = make(map[string]int, len(nodes))
	for _, id := range nodes {
		n, ok := w.run.Node(kernel.NodeID(id))
		if !ok || n.Newest() == nil {
			continue
		}
		v := n.Newest()
		count, known := w.words[v.ID]
		if !known {
			body, err := w.app.Engine.Journal.Blob(ctx, string(w.id), v.Seq, v.Digest)
			if err != nil {
				return err
			}
			if count = -1; !isBinary(body) {
				count = story.Words(string(body))
			}
			w.words[v.ID] = count
		}
		if count >= 0 {
			w.doc.Words[id] = count
		}
	}
	return nil
}

// settling is how long a run must have been at rest to be taken for it: between two steps that follow from each other a
// run may look finished for an instant.
const settling = time.Second

// lookEvery is the pause between looks.
const lookEvery = 250 * time.Millisecond

// Follow tells of a run until it waits for a person or is over, or ctx ends. What it tells last is how the run came to rest.
func (w *Watch) Follow(ctx context.Context, tell func(WatchDoc) error) (WatchDoc, error) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for isFirst := true; ; isFirst = false {
		d, err := w.Look(ctx, nil)
		if err != nil {
			return d, untilStopped(ctx, err)
		}
		if isFirst || len(d.News) > 0 {
			if err := tell(d); err != nil {
				return d, err
			}
		}
		if d.IsResting() && w.app.Now().Sub(d.UpdatedAt) >= settling {
			d.Usage = w.app.usage(ctx, w.run)
			return d, nil
		}
		select {
		case <-ctx.Done():
			return d, nil
		case <-tick.C:
		}
	}
}

// FollowInbox tells of every ask that is open, of one run or of all, and of those that are opened later, until ctx ends.
func (a *App) FollowInbox(ctx context.Context, run string, tell func(AskDoc) error) error {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	told := map[string]bool{}
	for {
		d, err := a.Inbox(ctx, run)
		if err != nil {
			return untilStopped(ctx, err)
		}
		open := make(map[string]bool, len(d.Asks))
		for _, ask := range d.Asks {
			open[ask.Ask] = true
			if told[ask.Ask] {
				continue
			}
			if err := tell(ask); err != nil {
				return err
			}
		}
		told = open
		if !a.waitForCommit(ctx, tick.C) {
			return nil
		}
	}
}

// Changes gives a number that is another one whenever something was committed to the workspace.
func (a *App) Changes(ctx context.Context) (int64, error) { return a.Engine.Leaser.DataVersion(ctx) }

// Need is what an answer must bring along.
type Need string

const (
	NeedNothing Need = ""
	NeedReason  Need = "reason"  // the next attempt, or the record, works from it
	NeedContent Need = "content" // what is asked for
	NeedAnswers Need = "answers" // to the ask's questions
)

// AskChoice is one way to answer an ask.
type AskChoice struct {
	Value string
	Label string
	Need  Need
}

// AskText is what a person judges or answers, with the content that it is about.
type AskText struct {
	Ask       AskDoc
	Line      string
	Title     string // of the run
	Rehearsal bool
	Choices   []AskChoice
	Texts     []AskedText
	Against   string // the version that a difference is shown to; empty: there is none
	About     string // the version whose difference is shown
}

// AskedText is a content that an ask is about.
type AskedText struct {
	Name   string // of the version
	Body   string
	Binary bool
	Cut    int64 // how many bytes are not shown
}

// maxAskedText bounds how much of a content is shown in an inbox.
const maxAskedText = 1 << 20

// ShowAsk gives an open ask with the content that it is about: the version it carries, or what its node works from.
func (a *App) ShowAsk(ctx context.Context, id string) (AskText, error) {
	run, ask, err := a.openAsk(ctx, id)
	if err != nil {
		return AskText{}, err
	}
	d := AskText{Ask: askDoc(string(run.ID()), ask), Line: run.Line(), Title: run.Title(), Rehearsal: run.Provider() == kernel.ProviderRehearsal}
	for _, o := range ask.Options {
		d.Choices = append(d.Choices, AskChoice{Value: o.Value, Label: o.Label, Need: needOf(ask, o)})
	}
	about, against := askedVersions(run, ask)
	if len(about) > 0 && against != nil {
		d.About, d.Against = string(about[0].ID), string(against.ID)
	}
	for _, v := range about {
		t, err := a.askedText(ctx, run, v)
		if err != nil {
			return AskText{}, err
		}
		d.Texts = append(d.Texts, t)
	}
	return d, nil
}

// openAsk finds an ask that waits. One that was answered is refused with who did it.
func (a *App) openAsk(ctx context.Context, id string) (*kernel.Run, *kernel.Ask, error) {
	row, err := a.Store.Ask(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	run, err := a.Engine.Load(ctx, kernel.RunID(row.Run))
	if err != nil {
		return nil, nil, err
	}
	ask, ok := run.Ask(kernel.AskID(row.ID))
	if !ok {
		return nil, nil, fault.New(fault.UnknownAsk, row.ID, "run %s has no ask %s", row.Run, row.ID)
	}
	if !ask.IsOpen() {
		return nil, nil, fault.New(fault.AlreadyAnswered, row.ID, "ask %s is no longer open", row.ID).
			With(fault.Action{Action: "log", Command: "sluice log " + row.Run + " --event ask", Why: "it shows who answered"})
	}
	return run, ask, nil
}

// needOf says what an answer must bring along, as answerCommand words it.
func needOf(a *kernel.Ask, o kernel.Option) Need {
	switch {
	case o.Effect == kernel.SupplyIt && len(a.Questions) > 0:
		return NeedAnswers
	case o.Effect == kernel.SupplyIt && a.Kind == kernel.AskDecide:
		return NeedReason
	case o.Effect == kernel.SupplyIt:
		return NeedContent
	case o.Value == "reject":
		return NeedReason
	}
	return NeedNothing
}

// askedText reads a version as far as it is shown.
func (a *App) askedText(ctx context.Context, run *kernel.Run, v *kernel.Version) (AskedText, error) {
	body, err := a.Engine.Journal.Blob(ctx, string(run.ID()), v.Seq, v.Digest)
	if err != nil {
		return AskedText{}, err
	}
	t := AskedText{Name: string(v.ID), Binary: isBinary(body)}
	if t.Binary {
		t.Cut = int64(len(body))
		return t, nil
	}
	if len(body) > maxAskedText {
		at := maxAskedText
		for at > 0 && !utf8.RuneStart(body[at]) {
			at--
		}
		t.Cut, body = int64(len(body)-at), body[:at]
	}
	t.Body = string(body)
	return t, nil
}

// DiffAsk compares what an ask is about with what is approved in its place, or with the version before it.
func (a *App) DiffAsk(ctx context.Context, id string) (TextDiffDoc, error) {
	run, ask, err := a.openAsk(ctx, id)
	if err != nil {
		return TextDiffDoc{}, err
	}
	about, against := askedVersions(run, ask)
	if len(about) == 0 || against == nil {
		return TextDiffDoc{}, fault.New(fault.UnknownVersion, string(ask.Node), "there is nothing before it that it could be compared with")
	}
	return a.Diff(ctx, Comparison{Run: string(run.ID()), From: string(against.ID), To: string(about[0].ID), Context: 1})
}
