package app

import (
	"context"
	"encoding/json"
	"slices"
	"sort"
	"strings"

	"sluice/internal/digest"
	"sluice/internal/engine"
	"sluice/internal/fault"
	"sluice/internal/kernel"
	"sluice/internal/line"
	"sluice/internal/line/task"
)

// Reply is a person's answer to an ask, as a door took it.
type Reply struct {
	Ask     string
	Choice  string // one of the ask's options; empty where content says enough
	Reason  string
	Set     map[string]string // modifications that go with an approval, or answers to questions
	Content []byte            // what is supplied, or what replaces the version that is approved
	Digest  digest.Digest     // of the version meant; empty means the one the ask carries
	Run     bool              // let the run go on afterwards
}

// Answer records a person's answer and says how the run goes on.
func (a *App) Answer(ctx context.Context, r Reply) (RunDoc, error) {
	row, err := a.Store.Ask(ctx, r.Ask)
	if err != nil {
		return RunDoc{}, err
	}
	run, err := a.load(ctx, row.Run)
	if err != nil {
		return RunDoc{}, err
	}
	ask, ok := run.Ask(kernel.AskID(row.ID))
	if !ok {
		return RunDoc{}, fault.New(fault.UnknownAsk, row.ID, "run %s has no ask %s", row.Run, row.ID)
	}
	if ask.IsOpen() && isRevision(run, ask) {
		return a.answerRevision(ctx, run, ask, r)
	}
	var acts []engine.Act
	if ask.IsOpen() && asksForMoney(ask) {
		if acts, err = a.answerBudget(ctx, run, ask, r); err != nil {
			return RunDoc{}, err
		}
	} else {
		act, err := a.answerAct(ctx, run, ask, r)
		if err != nil {
			return RunDoc{}, err
		}
		acts = []engine.Act{act}
	}
	if run, err = a.Engine.Do(ctx, run.ID(), acts...); err != nil {
		return RunDoc{}, err
	}
	if r.Run {
		return a.Drive(ctx, string(run.ID()))
	}
	return a.runDoc(ctx, run), nil
}

func (a *App) answerAct(ctx context.Context, run *kernel.Run, ask *kernel.Ask, r Reply) (engine.Act, error) {
	c := kernel.Answer{Stamp: a.stamp(), Ask: ask.ID, Digest: r.Digest, Choice: r.Choice, Text: r.Reason}
	if run.Line() == task.Name {
		c.Criteria, c.Score = task.Accepted(run, ask, r.Choice, r.Reason)
	}
	l := a.lineOf(run)
	if l != nil && l.Supply != nil && ask.IsOpen() { // one that is closed is refused by the law, with who answered it
		out, err := l.Supply(line.Given{Run: run, Ask: ask, By: a.By, Choice: r.Choice, Reason: r.Reason, Set: r.Set, Content: r.Content, Body: a.bodies(ctx, run)})
		if err != nil {
			return engine.Act{}, err
		}
		if out != nil {
			return a.supplyAct(run, ask, c, *out)
		}
	}
	content := r.Content
	if len(r.Set) > 0 {
		if err := fitQuestions(ask, r.Set); err != nil {
			return engine.Act{}, err
		}
		set, err := json.Marshal(r.Set)
		if err != nil {
			return engine.Act{}, err
		}
		if len(ask.Questions) > 0 && content == nil {
			content = append(set, '\n')
		} else {
			c.Edits = set
		}
	}
	if content == nil {
		return engine.Act{Command: c}, nil
	}
	return a.supplyAct(run, ask, c, line.Out{Body: content})
}

// supplyAct is an answer with its content, held against the rule of the node that takes it.
func (a *App) supplyAct(run *kernel.Run, ask *kernel.Ask, c kernel.Answer, out line.Out) (engine.Act, error) {
	node, _ := run.Node(ask.Node)
	if l := a.lineOf(run); l != nil && node.Node().Gate.Rule != "" && l.Rule != nil {
		rule, err := l.Rule(node.Node(), out.Body)
		if err != nil {
			return engine.Act{}, err
		}
		c.Rule = &rule
	}
	p := engine.PerformedAs(out)
	c.Content = &p.Content
	return engine.Act{Command: c, Blobs: p.Blobs}, nil
}

// fitQuestions refuses answers to what was not asked, and answers outside the choices given.
func fitQuestions(ask *kernel.Ask, set map[string]string) error {
	if len(ask.Questions) == 0 {
		return nil
	}
	keys := make([]string, 0, len(set))
	for k := range set {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	for _, k := range keys {
		i := slices.IndexFunc(ask.Questions, func(q kernel.Question) bool { return q.ID == k || q.Path == k })
		if i < 0 {
			names := make([]string, 0, len(ask.Questions))
			for _, q := range ask.Questions {
				names = append(names, q.ID)
			}
			return fault.New(fault.BadValue, k, "ask %s has no question %q; it asks %s", ask.ID, k, strings.Join(names, ", "))
		}
		if q := ask.Questions[i]; len(q.Choices) > 0 && !slices.Contains(q.Choices, set[k]) {
			return fault.New(fault.BadValue, k, "%q is no answer to %s; it takes %s", set[k], q.ID, strings.Join(q.Choices, ", "))
		}
	}
	return nil
}
