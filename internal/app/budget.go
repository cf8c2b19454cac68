package app

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"sluice/internal/engine"
	"sluice/internal/fault"
	"sluice/internal/journal"
	"sluice/internal/kernel"
)

// Purse is the part of the store that knows what was spent and what may be.
type Purse interface {
	Budget(ctx context.Context, scope string) (journal.Budget, error)
	ChangeBudget(ctx context.Context, scope string, c journal.BudgetChange) error
	LastRefused(ctx context.Context, run string) (journal.Hold, error)
	StepCosts(ctx context.Context, run string) ([]journal.StepCost, error)
	ReleaseDead(ctx context.Context) error
}

// Spending is what may be spent, from configuration, and where it is counted.
type Spending struct {
	Purse   Purse         // nil: nothing is counted
	Run     journal.Limit // of each run
	Day     journal.Limit // of each day
	Cheaper string        // the model that goes on when a person says so; empty is none
	// Price gives what a call of an agent would cost; false where the price of its model is not known.
	Price func(agent string, u journal.Usage) (journal.Money, bool)
	Model func(agent string) string // that is asked for an agent
}

func (s Spending) of(ctx context.Context, scope string) (journal.Budget, error) {
	if s.Purse == nil {
		return journal.Budget{Scope: scope}, nil
	}
	return s.Purse.Budget(ctx, scope)
}

func (s Spending) limit(scope string) journal.Limit {
	l := s.Run
	if strings.HasPrefix(scope, "day/") {
		l = s.Day
	}
	l.Scope = scope
	return l
}

// choices leaves the cheaper model out of an ask where none is configured.
func (s Spending) choices(d AskDoc) AskDoc {
	if s.Cheaper != "" || d.Reason != string(kernel.UsedUp) {
		return d
	}
	if i := slices.Index(d.Options, "cheaper"); i >= 0 && len(d.Commands) == len(d.Options) {
		d.Options, d.Commands = slices.Delete(d.Options, i, i+1), slices.Delete(d.Commands, i, i+1)
	}
	return d
}

// BudgetDoc shows what was spent and what may be.
type BudgetDoc struct {
	Budgets []ScopeDoc     `json:"budgets"`
	Reopens []string       `json:"reopened,omitempty"` // runs that stopped for it and can go on
	Next    []fault.Action `json:"next_actions"`
}

// ScopeDoc is the budget of a run or of a day.
type ScopeDoc struct {
	Scope          string   `json:"scope"` // run or day
	Name           string   `json:"name"`
	Tokens         int64    `json:"tokens"`
	ReservedTokens int64    `json:"reserved_tokens"` // for calls under way
	LimitTokens    *int64   `json:"limit_tokens"`    // null: none
	Cost           *float64 `json:"cost"`            // in US dollars; null where no price is known
	ReservedCost   float64  `json:"reserved_cost"`
	LimitCost      *float64 `json:"limit_cost"` // null: none
	UnpricedTokens int64    `json:"unpriced_tokens"`
	Raised         bool     `json:"raised"` // a person set the limit, not the configuration
	Cheaper        bool     `json:"cheaper"`
	Stopped        int      `json:"stopped"` // nodes that wait for money
}

// Budget shows what was spent today, and by a run or by every run that is stopped for it.
func (a *App) Budget(ctx context.Context, run string) (BudgetDoc, error) {
	d := BudgetDoc{Budgets: []ScopeDoc{}, Next: []fault.Action{}}
	if a.Spending.Purse == nil {
		return d, nil
	}
	if err := a.Spending.Purse.ReleaseDead(ctx); err != nil {
		return d, err
	}
	stopped, err := a.stoppedNodes(ctx)
	if err != nil {
		return d, err
	}
	total := 0
	for _, nodes := range stopped {
		total += len(nodes)
	}
	scopes := []string{journal.DayScope(a.Now())}
	if run != "" {
		id, err := a.resolve(ctx, run)
		if err != nil {
			return d, err
		}
		scopes = append(scopes, journal.RunScope(string(id)))
	} else {
		for _, id := range sortedKeys(stopped) {
			scopes = append(scopes, journal.RunScope(string(id)))
		}
	}
	for _, scope := range scopes {
		b, err := a.Spending.of(ctx, scope)
		if err != nil {
			return d, err
		}
		row := scopeDoc(b, a.Spending.limit(scope))
		row.Stopped = total
		if row.Scope == "run" {
			row.Stopped = len(stopped[kernel.RunID(row.Name)])
		}
		d.Budgets = append(d.Budgets, row)
		if row.Scope == "run" && row.Stopped > 0 {
			d.Next = append(d.Next, fault.Action{Action: "inbox", Command: "sluice inbox " + row.Name, Why: "it says what stopped it and how it goes on"})
		}
	}
	return d, nil
}

func sortedKeys(m map[kernel.RunID][]kernel.NodeID) []kernel.RunID {
	var all []kernel.RunID
	for k := range m {
		all = append(all, k)
	}
	slices.Sort(all)
	return all
}

func scopeDoc(b journal.Budget, l journal.Limit) ScopeDoc {
	kind, name, _ := strings.Cut(b.Scope, "/")
	d := ScopeDoc{Scope: kind, Name: name, Tokens: b.Tokens, ReservedTokens: b.HeldTokens, Cost: costOf(b), ReservedCost: b.HeldCost.Dollars(),
		UnpricedTokens: b.Unpriced, Raised: b.MaxTokens != nil || b.MaxCost != nil, Cheaper: b.IsCheaper}
	l = b.Effective(l)
	if l.Tokens > 0 {
		d.LimitTokens = &l.Tokens
	}
	if l.Cost > 0 {
		dollars := l.Cost.Dollars()
		d.LimitCost = &dollars
	}
	return d
}

// costOf is what is known to have been spent; nil where nothing is.
func costOf(b journal.Budget) *float64 {
	if b.Cost == 0 && (b.Unpriced > 0 || b.Tokens == 0) {
		return nil
	}
	return add(nil, b.Cost)
}

func add(sum *float64, m journal.Money) *float64 {
	total := m
	if sum != nil {
		total += journal.Dollars(*sum)
	}
	d := total.Dollars()
	return &d
}

func count(is bool) int {
	if is {
		return 1
	}
	return 0
}

// Raise is what a person sets a limit to. Nil leaves it as it is, 0 takes it away.
type Raise struct {
	Run    string // empty means today
	Tokens *int64
	Cost   *float64
}

// RaiseBudget sets the limit of a run or of today, and reopens what was stopped for it and fits now.
func (a *App) RaiseBudget(ctx context.Context, r Raise) (BudgetDoc, error) {
	if a.Spending.Purse == nil {
		return BudgetDoc{}, fault.New(fault.MissingPrerequisite, "budget", "nothing is counted here")
	}
	scope, run := journal.DayScope(a.Now()), ""
	if r.Run != "" {
		id, err := a.resolve(ctx, r.Run)
		if err != nil {
			return BudgetDoc{}, err
		}
		scope, run = journal.RunScope(string(id)), string(id)
	}
	c := journal.BudgetChange{MaxTokens: r.Tokens}
	if r.Cost != nil {
		m := journal.LimitOf(*r.Cost)
		c.MaxCost = &m
	}
	if err := a.Spending.Purse.ChangeBudget(ctx, scope, c); err != nil {
		return BudgetDoc{}, err
	}
	runs := []kernel.RunID{kernel.RunID(run)}
	if run == "" {
		stopped, err := a.stoppedNodes(ctx)
		if err != nil {
			return BudgetDoc{}, err
		}
		runs = sortedKeys(stopped)
	}
	var reopened []string
	var next []fault.Action
	for _, id := range runs {
		way, err := a.goOn(ctx, id, run != "")
		if err != nil {
			return BudgetDoc{}, err
		}
		if way != nil {
			reopened, next = append(reopened, string(id)), append(next, *way)
		}
	}
	d, err := a.Budget(ctx, run)
	d.Reopens, d.Next = reopened, append(next, d.Next...)
	return d, err
}

// goOn reopens what a run was stopped for, if there is enough now, and says how it goes on. A limit that is set for this very
// run also brings back what was put aside when it was asked about.
func (a *App) goOn(ctx context.Context, id kernel.RunID, aside bool) (*fault.Action, error) {
	r, err := a.load(ctx, string(id))
	if err != nil {
		return nil, err
	}
	nodes := budgetNodes(r)
	if aside {
		nodes = append(nodes, putAside(r)...)
	}
	if r, err = a.affordAll(ctx, r, nodes); err != nil || len(nodes) == 0 || len(budgetNodes(r)) > 0 || aside && len(putAside(r)) > 0 {
		return nil, err
	}
	return &fault.Action{Action: "run", Command: engine.Command(a.lineOf(r), r, "", "run"), Why: "it goes on where it stopped"}, nil
}

// stoppedNodes are the nodes that wait for money, by run.
func (a *App) stoppedNodes(ctx context.Context) (map[kernel.RunID][]kernel.NodeID, error) {
	rows, err := a.Store.Asks(ctx, "", false)
	if err != nil {
		return nil, err
	}
	stopped := map[kernel.RunID][]kernel.NodeID{}
	for _, row := range rows {
		var ask kernel.Ask
		if json.Unmarshal(row.Body, &ask) == nil && asksForMoney(&ask) {
			stopped[kernel.RunID(row.Run)] = append(stopped[kernel.RunID(row.Run)], ask.Node)
		}
	}
	return stopped, nil
}

// asksForMoney tells an ask by its choices: no other has them.
func asksForMoney(ask *kernel.Ask) bool {
	return ask.Reason == kernel.UsedUp && slices.ContainsFunc(ask.Options, func(o kernel.Option) bool { return o.Value == "cheaper" && o.Effect == kernel.Retry })
}

// isForMoney tells an ask that others may see by its choices, as asksForMoney does.
func (d AskDoc) isForMoney() bool {
	return d.Reason == string(kernel.UsedUp) && slices.Contains(d.Options, "raise")
}

func budgetNodes(r *kernel.Run) []kernel.NodeID {
	var all []kernel.NodeID
	for ask := range r.OpenAsks() {
		if asksForMoney(ask) {
			all = append(all, ask.Node)
		}
	}
	return all
}

// afford reopens what was stopped for money, if there is enough now: the limit was raised, or another day has come.
func (a *App) afford(ctx context.Context, r *kernel.Run) (*kernel.Run, error) {
	return a.affordAll(ctx, r, budgetNodes(r))
}

func (a *App) affordAll(ctx context.Context, r *kernel.Run, nodes []kernel.NodeID) (*kernel.Run, error) {
	if len(nodes) == 0 || a.Spending.Purse == nil {
		return r, nil
	}
	over, err := a.inTheWay(ctx, r)
	if err != nil || len(over) > 0 {
		return r, err
	}
	return a.Engine.Do(ctx, r.ID(), a.reopenAll(nodes, "there is money for it")...)
}

// putAside are the nodes that a person put aside when asked about their budget.
func putAside(r *kernel.Run) []kernel.NodeID {
	var all []kernel.NodeID
	for n := range r.Nodes() {
		if f := n.Failure(); n.Status() == kernel.StatusHeld && f != nil && f.Class == kernel.NoBudget {
			all = append(all, n.ID())
		}
	}
	return all
}

// outOfMoney is the refusal of a run that stopped for a limit; nil where none did.
func (a *App) outOfMoney(r *kernel.Run) error {
	for ask := range r.OpenAsks() {
		if !asksForMoney(ask) {
			continue
		}
		f := fault.New(fault.BudgetUsedUp, string(r.ID()), "%s", ask.Title)
		for _, c := range a.Spending.choices(askDoc(string(r.ID()), ask)).Commands {
			f = f.With(fault.Action{Action: "answer", Command: c})
		}
		return f
	}
	if r.Status() != kernel.RunHeld {
		return nil
	}
	for _, n := range putAside(r) {
		id := string(r.ID())
		return fault.New(fault.BudgetUsedUp, id, "%s was put aside when the budget of run %s was used up", n, id).With(
			fault.Action{Action: "reopen", Command: "sluice reopen " + id + " " + string(n), Why: "it is tried again within the limits that are set"},
			fault.Action{Action: "raise", Command: "sluice budget raise " + id + " --tokens N", Why: "it sets another limit and opens it again"})
	}
	return nil
}

func (a *App) reopenAll(nodes []kernel.NodeID, why string) []engine.Act {
	var acts []engine.Act
	for _, n := range nodes {
		acts = append(acts, engine.Act{Command: kernel.Reopen{Stamp: a.stamp(), Node: n, Reason: why}})
	}
	return acts
}

// inTheWay are the limits that the call which stopped a run would cross now.
func (a *App) inTheWay(ctx context.Context, r *kernel.Run) ([]journal.Over, error) {
	if err := a.Spending.Purse.ReleaseDead(ctx); err != nil {
		return nil, err
	}
	hold, err := a.Spending.Purse.LastRefused(ctx, string(r.ID()))
	if err != nil {
		return nil, err
	}
	var all []journal.Over
	for _, scope := range []string{journal.RunScope(string(r.ID())), journal.DayScope(a.Now())} {
		b, err := a.Spending.of(ctx, scope)
		if err != nil {
			return nil, err
		}
		if over := b.Over(a.Spending.limit(scope), hold); over != nil {
			all = append(all, *over)
		}
	}
	return all, nil
}

// answerBudget lets a run go on for which a limit was in the way: raise doubles each such limit, as often as it takes;
// cheaper does so too, and has the cheaper model asked from there on; stop puts aside all that waits for it.
func (a *App) answerBudget(ctx context.Context, run *kernel.Run, ask *kernel.Ask, r Reply) ([]engine.Act, error) {
	act := engine.Act{Command: kernel.Answer{Stamp: a.stamp(), Ask: ask.ID, Digest: r.Digest, Choice: r.Choice, Text: r.Reason}}
	if r.Choice == "stop" {
		acts := []engine.Act{act}
		for other := range run.OpenAsks() {
			if asksForMoney(other) && other.ID != ask.ID {
				acts = append(acts, engine.Act{Command: kernel.Answer{Stamp: a.stamp(), Ask: other.ID, Choice: r.Choice, Text: r.Reason}})
			}
		}
		return acts, nil
	}
	if r.Choice != "raise" && r.Choice != "cheaper" || a.Spending.Purse == nil {
		return []engine.Act{act}, nil
	}
	if r.Choice == "cheaper" {
		if a.Spending.Cheaper == "" {
			return nil, fault.New(fault.MissingPrerequisite, string(ask.ID), "no cheaper model is configured").With(
				fault.Action{Action: "configure", Command: "export SLUICE_BUDGET_CHEAPER_MODEL=NAME", Why: "or budget.cheaper_model in a settings file"},
				fault.Action{Action: "raise", Command: "sluice answer " + string(ask.ID) + " raise", Why: "it goes on with the same model"})
		}
		yes := true
		if err := a.Spending.Purse.ChangeBudget(ctx, journal.RunScope(string(run.ID())), journal.BudgetChange{Cheaper: &yes}); err != nil {
			return nil, err
		}
	}
	for range 64 { // a limit that is crossed in tokens and in money is found twice
		over, err := a.inTheWay(ctx, run)
		if err != nil {
			return nil, err
		}
		if len(over) == 0 {
			break
		}
		for _, o := range over {
			if err := a.Spending.Purse.ChangeBudget(ctx, o.Scope, doubled(o)); err != nil {
				return nil, err
			}
		}
	}
	acts := []engine.Act{act}
	for _, n := range budgetNodes(run) {
		if n != ask.Node {
			acts = append(acts, a.reopenAll([]kernel.NodeID{n}, "the budget was raised")...)
		}
	}
	return acts, nil
}

func doubled(o journal.Over) journal.BudgetChange {
	to := int64(math.MaxInt64)
	if o.Limit < math.MaxInt64/2 {
		to = 2 * o.Limit
	}
	if o.Money {
		m := journal.Money(to)
		return journal.BudgetChange{MaxCost: &m}
	}
	return journal.BudgetChange{MaxTokens: &to}
}

// Outlook says in a few words what a run will still cost.
func (a *App) Outlook(ctx context.Context, r *kernel.Run) string {
	d, err := a.forecast(ctx, r)
	if err != nil {
		return "what is still to come cannot be estimated"
	}
	calls := "1 call"
	if d.Calls != 1 {
		calls = journal.Thousands(int64(d.Calls)) + " calls"
	}
	text := fmt.Sprintf("to go: about %s, %s tokens", calls, journal.Thousands(d.Tokens))
	if d.Cost != nil {
		text += ", " + journal.Dollars(*d.Cost).String()
	}
	return text + ", " + (time.Duration(d.Seconds) * time.Second).String()
}
