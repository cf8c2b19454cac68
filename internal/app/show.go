package app

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"sluice/internal/digest"
	"sluice/internal/engine"
	"sluice/internal/fault"
	"sluice/internal/journal"
	"sluice/internal/kernel"
)

// RunDoc shows one run.
type RunDoc struct {
	Run       string         `json:"run"`
	Line      string         `json:"line"`
	Title     string         `json:"title"`
	Status    string         `json:"status"`
	Rehearsal bool           `json:"rehearsal"` // its text came from the rehearsal model
	OpenedAt  time.Time      `json:"opened_at"`
	UpdatedAt time.Time      `json:"updated_at"`
	Events    int64          `json:"events"`
	Nodes     []NodeDoc      `json:"nodes"`
	Asks      []AskDoc       `json:"asks"`
	Usage     UsageDoc       `json:"usage"`
	Next      []fault.Action `json:"next_actions"`
}

// NodeDoc shows one node.
type NodeDoc struct {
	Node     string `json:"node"`
	Kind     string `json:"kind"`
	Title    string `json:"title,omitempty"`
	Status   string `json:"status"`
	Attempts int    `json:"attempts"`
	Newest   string `json:"newest,omitempty"`
	Approved string `json:"approved,omitempty"`
	Stale    bool   `json:"stale,omitempty"`
	Reason   string `json:"reason,omitempty"`
}

// UsageDoc is what a run cost so far.
type UsageDoc struct {
	Calls        int `json:"calls"`
	Reused       int `json:"reused"`
	InputTokens  int `json:"input_tokens"`
	OutputTokens int `json:"output_tokens"`

	Cost          *float64 `json:"cost"` // in US dollars; null where no price is known
	UnpricedCalls int      `json:"unpriced_calls,omitempty"`
}

// AskDoc shows one ask with the exact commands that answer it.
type AskDoc struct {
	Ask       string            `json:"ask"`
	Run       string            `json:"run"`
	Node      string            `json:"node"`
	Kind      string            `json:"kind"`
	Reason    string            `json:"reason"`
	Title     string            `json:"title"`
	Version   string            `json:"version,omitempty"`
	Digest    digest.Digest     `json:"digest,omitempty"`
	Offer     string            `json:"offer,omitempty"`
	Since     time.Time         `json:"since"`
	Options   []string          `json:"options"`
	Questions []kernel.Question `json:"questions,omitempty"`
	Commands  []string          `json:"commands"`
}

// Exit is the exit code that the state of the run means: 4 beats 6.
func (d RunDoc) Exit() int {
	switch kernel.RunStatus(d.Status) {
	case kernel.RunParked, kernel.RunHeld:
		return fault.ExitParked
	case kernel.RunFailed:
		return fault.ExitGaveUp
	case kernel.RunActive: // what could begin waits for the same answer
		if slices.ContainsFunc(d.Asks, AskDoc.isForMoney) {
			return fault.ExitParked
		}
	}
	return fault.ExitDone
}

func (a *App) runDoc(ctx context.Context, r *kernel.Run) RunDoc {
	return a.runDocAt(r, a.usage(ctx, r))
}

// runDocAt shows a run from memory alone.
func (a *App) runDocAt(r *kernel.Run, u UsageDoc) RunDoc {
	d := RunDoc{Run: string(r.ID()), Line: r.Line(), Title: r.Title(), Status: string(r.Status()),
		Rehearsal: r.Provider() == kernel.ProviderRehearsal, OpenedAt: r.Opened(), UpdatedAt: r.Updated(), Events: r.Seq(),
		Nodes: []NodeDoc{}, Asks: []AskDoc{}, Next: []fault.Action{}, Usage: u}
	for n := range r.Nodes() {
		d.Nodes = append(d.Nodes, nodeDoc(n))
	}
	for ask := range r.OpenAsks() {
		d.Asks = append(d.Asks, a.Spending.choices(askDoc(string(r.ID()), ask)))
	}
	d.Next = a.nextActions(r, d.Asks)
	return d
}

// usage adds up the calls as they were counted, which is before each was made: repairs, failures and what a killed
// process had paid for are among them. The attempts' own accounts stand in where no calls are recorded.
func (a *App) usage(ctx context.Context, r *kernel.Run) UsageDoc {
	calls, err := a.Store.Calls(context.WithoutCancel(ctx), string(r.ID()))
	if err != nil || len(calls) == 0 {
		u := r.Usage()
		return UsageDoc{Calls: u.Calls, Reused: u.Reused, InputTokens: u.InputTokens, OutputTokens: u.OutputTokens}
	}
	var d UsageDoc
	for _, c := range calls {
		if c.Outcome == journal.Reused || c.Outcome == journal.Refused {
			d.Reused += count(c.Outcome == journal.Reused)
			continue
		}
		d.Calls++
		d.InputTokens += c.Usage.InputTokens
		d.OutputTokens += c.Usage.OutputTokens
		d.UnpricedCalls += count(!c.Usage.Priced && c.Usage.Tokens() > 0)
		if c.Usage.Priced {
			d.Cost = add(d.Cost, c.Usage.Cost)
		}
	}
	return d
}

func nodeDoc(n kernel.View) NodeDoc {
	d := NodeDoc{Node: string(n.ID()), Kind: string(n.Node().Kind), Title: n.Node().Title, Status: string(n.Status()),
		Attempts: n.Attempts(), Stale: n.IsStale(), Reason: n.Reason()}
	if v := n.Newest(); v != nil {
		d.Newest = string(v.ID)
	}
	if v := n.Approved(); v != nil {
		d.Approved = string(v.ID)
	}
	if f := n.Failure(); f != nil {
		d.Reason = f.Code + ": " + f.Message
	}
	return d
}

// nextActions says how a run goes on from here.
func (a *App) nextActions(r *kernel.Run, asks []AskDoc) []fault.Action {
	way := func(action, why string) fault.Action {
		return fault.Action{Action: action, Command: engine.Command(a.lineOf(r), r, "", action), Why: why}
	}
	next := []fault.Action{}
	for _, ask := range asks {
		for _, c := range ask.Commands {
			next = append(next, fault.Action{Action: "answer", Command: c, Why: ask.Title})
		}
	}
	switch r.Status() {
	case kernel.RunActive:
		if !slices.ContainsFunc(asks, AskDoc.isForMoney) {
			next = append(next, way("run", "there is work that can go on"))
		}
	case kernel.RunFailed:
		next = append(next, way("run", "what failed is tried again"))
	case kernel.RunCancelled, kernel.RunDropped:
		next = append(next, way("resume", "a closed run goes on only when it is resumed"))
	case kernel.RunDone:
		next = append(append(next, onward(r)...), a.refresh(r)...)
	case kernel.RunHeld:
		for n := range r.Nodes() {
			if n.Status() == kernel.StatusHeld {
				next = append(next, a.wayBack(r, n))
			}
		}
	}
	return next
}

// wayBack opens a node again that a person put aside. One that was stopped for money is opened by that alone, in every line.
func (a *App) wayBack(r *kernel.Run, n kernel.View) fault.Action {
	back := fault.Action{Action: "reopen", Why: "it was put aside", Command: engine.Command(a.lineOf(r), r, n.ID(), "reopen")}
	if n.Reason() != "" {
		back.Why += ": " + n.Reason()
	}
	if f := n.Failure(); f != nil && f.Class == kernel.NoBudget {
		back.Command, back.Why = "sluice reopen "+string(r.ID())+" "+string(n.ID()), "it was put aside when the budget was used up"
	}
	return back
}

func askDoc(run string, a *kernel.Ask) AskDoc {
	d := AskDoc{Ask: string(a.ID), Run: run, Node: string(a.Node), Kind: string(a.Kind), Reason: string(a.Reason),
		Title: a.Title, Version: string(a.Version), Digest: a.Digest, Offer: string(a.Offer), Since: a.OpenedAt,
		Questions: a.Questions, Options: []string{}, Commands: []string{}}
	if d.Title == "" {
		d.Title = d.Node
	}
	for _, o := range a.Options {
		d.Options = append(d.Options, o.Value)
		d.Commands = append(d.Commands, answerCommand(a, o))
	}
	return d
}

// answerCommand is the exact command that gives one answer.
func answerCommand(a *kernel.Ask, o kernel.Option) string {
	id := string(a.ID)
	switch {
	case o.Effect == kernel.SupplyIt && len(a.Questions) > 0:
		c := "sluice answer " + id
		for _, q := range a.Questions {
			c += " -a " + q.ID + "=…"
		}
		return c
	case o.Effect == kernel.SupplyIt && a.Kind == kernel.AskDecide: // the choice and its reason are the content
		return "sluice answer " + id + " " + o.Value + " --reason TEXT"
	case o.Effect == kernel.SupplyIt:
		return "sluice answer " + id + " -f FILE"
	case o.Value == "approve":
		return "sluice approve " + id
	case o.Value == "reject":
		return "sluice reject " + id + " --reason TEXT"
	case a.Kind == kernel.AskChoose:
		return "sluice choose " + id + " " + o.Value
	}
	return "sluice answer " + id + " " + o.Value
}

// Status shows one run.
func (a *App) Status(ctx context.Context, id string) (RunDoc, error) {
	run, err := a.load(ctx, id)
	if err != nil {
		return RunDoc{}, err
	}
	return a.runDoc(ctx, run), nil
}

// OverviewDoc shows the workspace.
type OverviewDoc struct {
	Workspace string   `json:"workspace"`
	Runs      []RunRow `json:"runs"`
	Next      string   `json:"next_page,omitempty"`
	OpenAsks  int      `json:"open_asks"`
}

// RunRow is a run in a list.
type RunRow struct {
	Run       string            `json:"run"`
	Line      string            `json:"line"`
	Title     string            `json:"title"`
	Status    string            `json:"status"`
	Labels    map[string]string `json:"labels,omitempty"`
	Rehearsal bool              `json:"rehearsal"`
	CreatedAt time.Time         `json:"created_at"`
	UpdatedAt time.Time         `json:"updated_at"`
	Summary   json.RawMessage   `json:"summary,omitempty"`
	Tokens    int64             `json:"tokens"`
	Cost      *float64          `json:"cost"` // in US dollars; null where no price is known
}

// Overview lists runs, newest first, and counts what waits for people.
func (a *App) Overview(ctx context.Context, f journal.Filter) (OverviewDoc, error) {
	page, err := a.Store.List(ctx, f)
	if err != nil {
		return OverviewDoc{}, err
	}
	asks, err := a.Store.Asks(ctx, "", false)
	if err != nil {
		return OverviewDoc{}, err
	}
	d := OverviewDoc{Workspace: a.Root, Runs: []RunRow{}, Next: page.Next, OpenAsks: len(asks)}
	for _, r := range page.Runs {
		if isGone(r) {
			continue
		}
		spent, err := a.Spending.of(ctx, journal.RunScope(r.ID))
		if err != nil {
			return OverviewDoc{}, err
		}
		d.Runs = append(d.Runs, RunRow{Tokens: spent.Tokens, Cost: costOf(spent), Run: r.ID, Line: r.Line, Title: r.Title, Status: r.Status, Labels: r.Labels,
			Rehearsal: r.Labels[kernel.LabelProvider] == kernel.ProviderRehearsal, CreatedAt: r.Created, UpdatedAt: r.Updated, Summary: r.Summary})
	}
	return d, nil
}

// InboxDoc lists what people are asked.
type InboxDoc struct {
	Asks []AskDoc `json:"asks"`
}

// Inbox lists every open ask of every run, or of one.
func (a *App) Inbox(ctx context.Context, run string) (InboxDoc, error) {
	if run != "" {
		id, err := a.resolve(ctx, run)
		if err != nil {
			return InboxDoc{}, err
		}
		run = string(id)
	}
	rows, err := a.Store.Asks(ctx, run, false)
	if err != nil {
		return InboxDoc{}, err
	}
	d := InboxDoc{Asks: []AskDoc{}}
	for _, row := range rows {
		var ask kernel.Ask
		if err := json.Unmarshal(row.Body, &ask); err != nil {
			return InboxDoc{}, fault.Wrap(fault.StoreCorrupt, row.ID, err, "ask %s does not parse", row.ID)
		}
		d.Asks = append(d.Asks, a.Spending.choices(askDoc(row.Run, &ask)))
	}
	return d, nil
}
