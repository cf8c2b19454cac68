package app

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"sluice/internal/fault"
	"sluice/internal/journal"
	"sluice/internal/kernel"
)

// LogDoc lists what happened.
type LogDoc struct {
	Run    string     `json:"run,omitempty"` // empty: in all runs
	Events []EventDoc `json:"events"`
}

// EventDoc is one event as people read it.
type EventDoc struct {
	Run  string          `json:"run,omitempty"` // where a log is of all runs
	Seq  int64           `json:"seq"`
	At   time.Time       `json:"at"`
	By   string          `json:"by"`
	Type string          `json:"type"`
	Fact json.RawMessage `json:"fact"`
}

// LogQuery says which events are meant. Zero fields leave nothing out.
type LogQuery struct {
	Run   string   // empty: every run
	Nodes []string // events about these nodes, or what is below them
	Types []string // words of the journal, or what they begin with: ask is ask_opened and ask_closed
	By    string   // a part of who did it
	Since time.Time
	Until time.Time
	Last  int // at most so many, the newest
}

// words are the facts of the journal in the order of a run's life.
var words = []kernel.Fact{kernel.RunOpened{}, kernel.NodesAdded{}, kernel.AttemptBegan{}, kernel.AttemptClosed{}, kernel.VersionStored{},
	kernel.OfferTaken{}, kernel.ReviewRecorded{}, kernel.VersionApproved{}, kernel.VersionRejected{}, kernel.AskOpened{}, kernel.AskClosed{},
	kernel.NodeAbandoned{}, kernel.NodeReopened{}, kernel.NodeHeld{}, kernel.RedoRequested{}, kernel.RolledBack{}, kernel.RollbackUndone{},
	kernel.RunClosed{}, kernel.RunReopened{}, kernel.RunRelabelled{}, kernel.EvidenceRecorded{}}

// EventTypes names the kinds of events that there are.
func EventTypes() []string {
	all := make([]string, len(words))
	for i, f := range words {
		all[i] = kernel.Word(f)
	}
	return all
}

// Log lists the events of a run, or of all runs by their time.
func (a *App) Log(ctx context.Context, q LogQuery) (LogDoc, error) {
	if err := q.check(); err != nil {
		return LogDoc{}, err
	}
	d := LogDoc{Events: []EventDoc{}}
	if q.Run == "" {
		events, err := a.logAll(ctx, q)
		d.Events = append(d.Events, events...)
		return d, err
	}
	run, err := a.resolve(ctx, q.Run)
	if err != nil {
		return LogDoc{}, err
	}
	d.Run = string(run)
	events, _, err := a.logRun(ctx, d.Run, 0, q)
	d.Events = newest(append(d.Events, events...), q.Last)
	return d, err
}

func (q LogQuery) check() error {
	for _, t := range q.Types {
		if t == "" || !slices.ContainsFunc(EventTypes(), func(w string) bool { return strings.HasPrefix(w, t) }) {
			return fault.New(fault.BadValue, t, "there is no event %q; there are %s", t, strings.Join(EventTypes(), ", "))
		}
	}
	return nil
}

func newest(events []EventDoc, n int) []EventDoc {
	if n > 0 && len(events) > n {
		return events[len(events)-n:]
	}
	return events
}

// logRun gives the events of a run after a number that the query means, and the number of its last event.
func (a *App) logRun(ctx context.Context, run string, after int64, q LogQuery) ([]EventDoc, int64, error) {
	batches, err := a.Engine.Journal.Load(ctx, run, after)
	if err != nil {
		return nil, after, err
	}
	var out []EventDoc
	for _, b := range batches {
		after = b.Last
		events, err := kernel.Decode(b.Events)
		if err != nil {
			return nil, after, err
		}
		for i, e := range events {
			if !q.means(e) {
				continue
			}
			fact, err := json.Marshal(e.Fact)
			if err != nil {
				return nil, after, err
			}
			out = append(out, EventDoc{Seq: b.First + int64(i), At: e.At, By: e.By.String(), Type: kernel.Word(e.Fact), Fact: fact})
		}
	}
	return out, after, nil
}

// logAll merges the events of all runs by time. Where only the newest are wanted, no more than a few times as many are
// held, and runs that ended before are not read.
func (a *App) logAll(ctx context.Context, q LogQuery) ([]EventDoc, error) {
	var all []EventDoc
	f := journal.Filter{Limit: 500}
	for {
		page, err := a.Store.List(ctx, f)
		if err != nil {
			return nil, err
		}
		for _, r := range page.Runs {
			full := q.Last > 0 && len(all) >= q.Last
			if r.Updated.Before(q.Since) || !q.Until.IsZero() && r.Created.After(q.Until) ||
				full && r.Updated.Before(all[len(all)-q.Last].At) {
				continue
			}
			events, _, err := a.logRun(ctx, r.ID, q.from(r.Seq), q)
			if err != nil {
				return nil, err
			}
			for i := range events {
				events[i].Run = r.ID
			}
			all = append(all, newest(events, q.Last)...)
			if q.Last > 0 {
				all = newest(byTime(all), q.Last)
			}
		}
		if page.Next == "" {
			return byTime(all), nil
		}
		f.Cursor = page.Next
	}
}

// from is the number after which a run's events are read. Where the newest are wanted whatever they say, no run gives more
// than so many.
func (q LogQuery) from(seq int64) int64 {
	if q.Last == 0 || len(q.Nodes) > 0 || len(q.Types) > 0 || q.By != "" || !q.Until.IsZero() {
		return 0
	}
	return max(0, seq-int64(q.Last))
}

func byTime(events []EventDoc) []EventDoc {
	slices.SortFunc(events, func(x, y EventDoc) int {
		return cmp.Or(x.At.Compare(y.At), cmp.Compare(x.Run, y.Run), cmp.Compare(x.Seq, y.Seq))
	})
	return events
}

// FollowLog shows the events of a run, then those that come, until the run is over or ctx ends.
func (a *App) FollowLog(ctx context.Context, q LogQuery, show func(LogDoc) error) error {
	if err := q.check(); err != nil {
		return err
	}
	run, err := a.resolve(ctx, q.Run)
	if err != nil {
		return err
	}
	const pause = 250 * time.Millisecond
	tick := time.NewTicker(pause)
	defer tick.Stop()
	for seen, last := int64(0), q.Last; ; last = 0 {
		// The state is asked for before the events: what ends a run is then among them.
		info, err := a.Store.Run(ctx, string(run))
		if err != nil {
			return untilStopped(ctx, err)
		}
		events, upTo, err := a.logRun(ctx, string(run), seen, q)
		if err != nil {
			return untilStopped(ctx, err)
		}
		if seen == 0 || len(events) > 0 {
			if err := show(LogDoc{Run: string(run), Events: newest(events, last)}); err != nil {
				return err
			}
		}
		seen = upTo
		switch kernel.RunStatus(info.Status) {
		case kernel.RunDone, kernel.RunCancelled, kernel.RunDropped:
			return nil
		}
		if !a.waitForCommit(ctx, tick.C) {
			return nil
		}
	}
}

// untilStopped forgives what comes of being told to stop.
func untilStopped(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// waitForCommit waits until something was committed to the workspace, which is cheap to ask, or says that ctx ended.
func (a *App) waitForCommit(ctx context.Context, tick <-chan time.Time) bool {
	before, err := a.Engine.Leaser.DataVersion(ctx)
	for {
		select {
		case <-ctx.Done():
			return false
		case <-tick:
		}
		now, nowErr := a.Engine.Leaser.DataVersion(ctx)
		if err != nil || nowErr != nil || now != before {
			return ctx.Err() == nil
		}
	}
}

// means says whether an event is asked for.
func (q LogQuery) means(e kernel.Event) bool {
	switch {
	case e.At.Before(q.Since), !q.Until.IsZero() && e.At.After(q.Until):
		return false
	case q.By != "" && !strings.Contains(strings.ToLower(e.By.String()), strings.ToLower(q.By)):
		return false
	case len(q.Types) > 0 && !slices.ContainsFunc(q.Types, func(t string) bool { return strings.HasPrefix(kernel.Word(e.Fact), t) }):
		return false
	case len(q.Nodes) == 0:
		return true
	}
	return slices.ContainsFunc(nodesOf(e.Fact), func(id kernel.NodeID) bool {
		return slices.ContainsFunc(q.Nodes, func(want string) bool {
			return string(id) == want || strings.HasPrefix(string(id), strings.TrimSuffix(want, "/")+"/")
		})
	})
}

// nodesOf gives the nodes that a fact is about.
func nodesOf(f kernel.Fact) []kernel.NodeID {
	switch f := f.(type) {
	case kernel.NodesAdded:
		ids := make([]kernel.NodeID, len(f.Nodes))
		for i, n := range f.Nodes {
			ids[i] = n.ID
		}
		return ids
	case kernel.NodeAbandoned:
		return []kernel.NodeID{f.Node}
	case kernel.NodeReopened:
		return []kernel.NodeID{f.Node}
	case kernel.NodeHeld:
		return []kernel.NodeID{f.Node}
	case kernel.RedoRequested:
		return f.Nodes
	case kernel.RolledBack:
		return f.Nodes
	case kernel.AttemptBegan:
		return []kernel.NodeID{f.Node}
	case kernel.AttemptClosed:
		return []kernel.NodeID{f.Node}
	}
	return nodesOfVersion(f)
}

// nodesOfVersion gives the nodes of facts about versions and what is said of them.
func nodesOfVersion(f kernel.Fact) []kernel.NodeID {
	switch f := f.(type) {
	case kernel.VersionStored:
		return []kernel.NodeID{f.Version.Node}
	case kernel.OfferTaken:
		return []kernel.NodeID{f.Node}
	case kernel.ReviewRecorded:
		return []kernel.NodeID{f.Review.Node, f.Review.Check}
	case kernel.VersionApproved:
		return []kernel.NodeID{f.Node}
	case kernel.VersionRejected:
		return []kernel.NodeID{f.Node}
	case kernel.AskOpened:
		return []kernel.NodeID{f.Ask.Node}
	case kernel.AskClosed:
		return []kernel.NodeID{f.Node}
	}
	return nil
}
