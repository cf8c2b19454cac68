package model

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"sluice/internal/fault"
	"sluice/internal/prompt"
)

// maxRepairs bounds how often a model may correct itself before the attempt fails and a new take is due.
const maxRepairs = 2

// Structured asks for a reply that fits the request's schema and decodes into T, and lets the model repair it twice.
// The validate function, which may be nil, adds what a schema cannot say. The problems are those that repairs have
// cured, or with an error those of every round.
func Structured[T any](ctx context.Context, m Model, schemas *Schemas, r Request, validate func(T) []string) (T, Reply, []Problem, error) {
	var value T
	_, reply, problems, err := Document(ctx, m, schemas, r, func(doc json.RawMessage) []string {
		var v T
		if err := json.Unmarshal(doc, &v); err != nil {
			return []string{err.Error()}
		}
		value = v
		if validate == nil {
			return nil
		}
		return validate(v)
	})
	if err != nil {
		return *new(T), reply, problems, err
	}
	return value, reply, problems, nil
}

// Document is Structured without a Go type: the reply as JSON that fits the schema and passes the check.
func Document(ctx context.Context, m Model, schemas *Schemas, r Request, check func(json.RawMessage) []string) (json.RawMessage, Reply, []Problem, error) {
	var all []Problem
	var total Reply
	ask := r
	for round := 0; ; round++ {
		reply, err := m.Complete(ctx, ask)
		if err != nil {
			return nil, total, all, err
		}
		total = sum(total, reply, round)
		doc, problems, err := judge(schemas, r.Schema, reply.Content, check)
		if err != nil {
			return nil, total, all, fault.Wrap(fault.Unexpected, r.Agent, err, "the reply to %s cannot be checked", r.Agent)
		}
		if len(problems) == 0 {
			return doc, total, all, nil
		}
		for i := range problems {
			problems[i].Round = round
		}
		all = append(all, problems...)
		if round == maxRepairs {
			return nil, total, all, unusable(r.Agent, total, problems, all)
		}
		ask = repair(r, round+1, reply.Content, problems)
	}
}

// judge lists what is wrong with a reply: no JSON, against the schema, or against the caller's own check, in this
// order, each only when the one before found nothing.
func judge(schemas *Schemas, schema json.RawMessage, content string, check func(json.RawMessage) []string) (json.RawMessage, []Problem, error) {
	doc, err := ExtractJSON(content)
	if err != nil {
		return nil, []Problem{{Message: err.Error()}}, nil
	}
	if len(schema) > 0 {
		doc = withoutNulls(doc, schema)
		problems, err := schemas.Check(schema, doc)
		if err != nil || len(problems) > 0 {
			return nil, problems, err
		}
	}
	if check == nil {
		return doc, nil, nil
	}
	var problems []Problem
	for _, message := range check(doc) {
		problems = append(problems, Problem{Message: message})
	}
	return doc, problems, nil
}

// repair asks again with the errors and the previous reply, as a call of its own slot.
func repair(r Request, round int, previous string, problems []Problem) Request {
	var b strings.Builder
	b.WriteString(r.Prompt)
	b.WriteString("\n\nYour previous reply could not be used. Problems:\n")
	for _, p := range problems {
		fmt.Fprintf(&b, "- %s\n", oneLine(p.String()))
	}
	b.WriteString("\nGive the whole reply again, corrected: one JSON document that fits the schema, nothing before or after it.\n\n")
	b.WriteString(prompt.Fence("previous reply", previous))
	r.Prompt = b.String()
	r.Scope.Slot = strings.TrimPrefix(fmt.Sprintf("%s/repair%d", r.Scope.Slot, round), "/")
	return r
}

// sum gives the last reply with the cost of all of them.
func sum(total, reply Reply, round int) Reply {
	reply.Usage.InputTokens += total.Usage.InputTokens
	reply.Usage.OutputTokens += total.Usage.OutputTokens
	reply.Usage.Duration += total.Usage.Duration
	reply.Reused = reply.Reused && (round == 0 || total.Reused)
	reply.Tries = append(total.Tries, reply.Tries...)
	reply.Notes = append(total.Notes, reply.Notes...)
	return reply
}

func unusable(agent string, total Reply, last, all []Problem) error {
	f := fault.New(fault.ReplyUnusable, agent, "the reply to %s stayed unusable after %d repairs: %s", agent, maxRepairs,
		oneLine(last[0].String())).With(
		fault.Action{Action: "run_again", Why: "the same command asks for a new take"},
		fault.Action{Action: "show_calls", Command: "sluice calls", Why: "it lists the calls that were made"})
	fields, err := json.Marshal(struct {
		Problems []Problem `json:"problems"`
	}{all})
	if err == nil {
		f.Fields = fields
	}
	return &Error{Fault: f, Class: Unusable, Usage: total.Usage}
}
