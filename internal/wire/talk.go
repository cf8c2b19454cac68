package wire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"sluice/internal/digest"
	"sluice/internal/engine"
	"sluice/internal/fault"
	"sluice/internal/kernel"
	"sluice/internal/line"
	"sluice/internal/model"
)

// talk lets the engine ask a model what a line wants to know.
type talk struct {
	model   model.Model
	schemas *model.Schemas
	class   model.Class
}

// Class is the class of the provider behind the talk.
func (t talk) Class() string { return string(t.class) }

// Ask makes one call, with repairs where the reply must fit a schema. Of the takes that count for it, it is the first that
// is not known to have no usable reply.
func (t talk) Ask(ctx context.Context, at engine.Place, c line.Call) (line.Reply, error) {
	r := model.Request{Agent: c.Agent, System: c.System, Prompt: c.Prompt, Schema: c.Schema, Inputs: c.Inputs, Params: model.Params{Model: c.Model},
		InputDigests: append([]digest.Digest(nil), c.Sources...),
		Scope:        model.Scope{Run: string(at.Run), Node: string(at.Node), Attempt: string(at.Attempt), Step: at.Step, Slot: c.Slot, Take: max(0, at.Take-c.Earlier)}}
	for ; ; r.Scope.Take++ {
		reply, isKnown, err := t.ask(ctx, r, c)
		if err == nil || !isKnown || r.Scope.Take >= at.Take {
			return reply, err
		}
	}
}

// ask makes the call of one take. A failure is known if all replies behind it were there before and cannot be used.
func (t talk) ask(ctx context.Context, r model.Request, c line.Call) (out line.Reply, isKnown bool, err error) {
	if len(c.Schema) == 0 {
		return t.text(ctx, r, c)
	}
	doc, reply, problems, err := model.Document(ctx, t.model, t.schemas, r, func(doc json.RawMessage) []string {
		if c.Check == nil {
			return nil
		}
		return c.Check(string(doc))
	})
	if err != nil {
		return line.Reply{}, reply.Reused && model.ClassOf(err) == model.Unusable, callError(err)
	}
	out = t.reply(reply, string(doc))
	for _, p := range problems {
		out.Errors = append(out.Errors, kernel.StepError{Code: string(fault.ReplyUnusable), Message: p.String(), Class: kernel.BadReply})
	}
	return out, false, nil
}

func (t talk) text(ctx context.Context, r model.Request, c line.Call) (out line.Reply, isKnown bool, err error) {
	reply, err := t.model.Complete(ctx, r)
	if err != nil {
		return line.Reply{}, false, callError(err)
	}
	if c.Check != nil {
		if problems := c.Check(reply.Content); len(problems) > 0 {
			return line.Reply{}, reply.Reused, &line.CallError{StepError: kernel.StepError{Code: string(fault.ReplyUnusable),
				Message: fmt.Sprintf("the reply to %s cannot be used: %s", c.Agent, problems[0]), Class: kernel.BadReply, Final: true}}
		}
	}
	return t.reply(reply, reply.Content), false, nil
}

func (t talk) reply(r model.Reply, content string) line.Reply {
	out := line.Reply{Content: content, Model: r.Model, Provider: string(t.class), Reused: r.Reused,
		Usage: kernel.Usage{Calls: 1, InputTokens: r.Usage.InputTokens, OutputTokens: r.Usage.OutputTokens}}
	if r.Reused {
		out.Usage = kernel.Usage{Reused: 1}
	}
	for _, note := range r.Notes {
		out.Errors = append(out.Errors, kernel.StepError{Code: budgetLow, Message: note, Class: kernel.Partial})
	}
	for _, try := range r.Tries {
		out.Errors = append(out.Errors, kernel.StepError{Code: string(fault.CodeOf(try.Err)), Message: try.Err.Error(),
			Class: kernel.Retryable, Retries: try.N})
	}
	return out
}

// budgetLow is what the record of an attempt says when a limit was nearly reached. Nothing failed.
const budgetLow = "budget_low"

// callError words a failure for the record. An interruption stays what it is: nobody failed.
func callError(err error) error {
	if model.ClassOf(err) == model.Interrupted {
		return errors.Join(context.Canceled, err)
	}
	class := map[model.ErrorClass]kernel.ErrorClass{
		model.Retryable: kernel.Retryable, model.Permanent: kernel.Permanent, model.Unusable: kernel.BadReply,
	}[model.ClassOf(err)]
	f := fault.From(err)
	if f.Code == fault.BudgetUsedUp {
		class = kernel.NoBudget
	}
	return &line.CallError{StepError: kernel.StepError{Code: string(f.Code), Message: f.Error(), Class: class,
		Retries: model.Retries(err), Final: true}, Next: f.Next, Cause: err}
}
