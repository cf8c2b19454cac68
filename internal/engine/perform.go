package engine

import (
	"context"
	"errors"
	"fmt"

	"sluice/internal/digest"
	"sluice/internal/fault"
	"sluice/internal/journal"
	"sluice/internal/kernel"
	"sluice/internal/line"
)

// flight is an attempt whose step waits for models or programs.
type flight struct {
	in       line.In
	step     line.Step
	label    string      // of the step, with its line
	calls    []line.Call // asked for, and not started or not answered yet
	commands []line.Command
	sources  []kernel.VersionID // supplied beside what the node needs
	account  kernel.Account
	cancel   context.CancelFunc
}

// result is what a worker brings back: the answers to one round of calls and commands, or why there are none.
type result struct {
	attempt kernel.AttemptID
	replies []line.Reply
	ran     []line.Ran
	err     error
}

// prepare gathers everything an attempt may know.
func (t *turn) prepare(ctx context.Context, a *kernel.Attempt) (*flight, error) {
	n, _ := t.run.Node(a.Node)
	step, ok := t.line.Steps[n.Node().Step]
	if !ok { // the attempt fails as any other would: a run must not stay open with nobody able to go on
		step = func(in line.In) (line.Move, error) {
			return line.Move{}, fault.New(fault.BadNode, string(in.Node.ID), "line %s has no step %q", t.line.Name, in.Node.Step)
		}
	}
	f := &flight{step: step, label: t.line.Name + "/" + n.Node().Step, in: line.In{Run: t.run, Node: n.Node(), Attempt: *a}}
	for _, input := range a.Inputs {
		doc, err := t.doc(ctx, input.Version)
		if err != nil {
			return nil, err
		}
		f.in.Inputs = append(f.in.Inputs, *doc)
	}
	if a.Subject == "" {
		return f, nil
	}
	subject, err := t.doc(ctx, a.Subject)
	if err != nil {
		return nil, err
	}
	f.in.Subject = subject
	for _, review := range subject.Version.Reviews() {
		for _, id := range a.Reviews {
			if review.ID == id {
				f.in.Reviews = append(f.in.Reviews, *review)
			}
		}
	}
	return f, nil
}

func (t *turn) doc(ctx context.Context, id kernel.VersionID) (*line.Doc, error) {
	v, ok := t.run.Version(id)
	if !ok {
		return nil, fault.New(fault.UnknownVersion, string(id), "run %s has no version %s", t.run.ID(), id)
	}
	body, err := t.body(ctx, v)
	if err != nil {
		return nil, err
	}
	doc := &line.Doc{Version: *v, Body: body}
	for _, p := range v.Parts {
		part, ok := t.bodies[p.Digest]
		if !ok {
			if part, err = t.e.Journal.Blob(ctx, string(t.run.ID()), v.Seq, p.Digest); err != nil {
				return nil, err
			}
		}
		doc.Parts = append(doc.Parts, line.Part{Path: p.Path, Body: part})
	}
	return doc, nil
}

// maxReads bounds how often a step may ask for versions and files before it must get to work.
const maxReads = 16

// move lets a step go on with what it has. It gives the act that closes the attempt, or none while calls or
// commands are wanted.
func (t *turn) move(ctx context.Context, f *flight) *Act {
	f.in.Run = t.run
	m, err := f.step(f.in)
	for range maxReads {
		if err != nil || len(m.Reads) == 0 && len(m.Wants) == 0 && len(m.Numbers) == 0 {
			break
		}
		if err = t.supply(ctx, f, m); err == nil {
			m, err = f.step(f.in)
		}
	}
	switch {
	case err != nil:
		return t.failure(ctx, f, stepError(err), nil)
	case m.Done != nil:
		act, err := t.finish(f, m.Done)
		if err != nil {
			return t.failure(ctx, f, stepError(err), nil)
		}
		return act
	case len(m.Calls) == 0 && len(m.Commands) == 0:
		return t.failure(ctx, f, stepError(fault.New(fault.BadNode, string(f.in.Node.ID), "step %s asks for nothing and is not done", f.in.Node.Step)), nil)
	}
	f.calls, f.commands = m.Calls, m.Commands
	if m.Then != nil {
		f.step = m.Then
	}
	return nil
}

// supply gives a step the versions, files and numbers it asked for.
func (t *turn) supply(ctx context.Context, f *flight, m line.Move) error {
	for _, id := range f.in.Lacking(m.Wants...) {
		f.in.Wanted = append(f.in.Wanted, id)
		v := t.run.Approved(id)
		if v == nil || id == f.in.Node.ID {
			continue
		}
		doc, err := t.doc(ctx, v.ID)
		if err != nil {
			return err
		}
		f.in.Inputs = append(f.in.Inputs, *doc)
		f.sources = append(f.sources, v.ID)
	}
	if err := t.read(ctx, f, m.Reads); err != nil {
		return err
	}
	numbers, err := t.e.reserve(ctx, m.Numbers)
	f.in.Numbers = append(f.in.Numbers, numbers...)
	return err
}

// read gives a step the files it asked for, or the word that there are none.
func (t *turn) read(ctx context.Context, f *flight, patterns []string) error {
	for _, pattern := range patterns {
		var found []line.Found
		if t.e.Finder != nil {
			var err error
			if found, err = t.e.Finder.Find(ctx, t.run, pattern); err != nil {
				return err
			}
		}
		if len(found) == 0 {
			found = []line.Found{{Pattern: pattern}}
		}
		f.in.Files = append(f.in.Files, found...)
	}
	return nil
}

// finish turns a step's output into the command that closes its attempt.
func (t *turn) finish(f *flight, out *line.Out) (*Act, error) {
	s := t.e.stamp(kernel.Engine)
	account := out.Account
	account.Errors = append(append([]kernel.StepError(nil), f.account.Errors...), account.Errors...)
	account.Usage, account.Provider = f.account.Usage, f.account.Provider
	content, blobs := contentOf(out)
	if f.in.Node.Kind == kernel.Check {
		judge := kernel.Judge{Stamp: s, Attempt: f.in.Attempt.ID, Verdict: out.Verdict, Review: out.Review, Sources: f.sources, Account: account}
		if out.Body == nil {
			return &Act{Command: judge}, nil
		}
		judge.Report = &content
		return &Act{Command: judge, Blobs: blobs}, nil
	}
	rule, err := t.rule(f.in.Node, out.Body)
	if err != nil {
		return nil, err
	}
	return &Act{Command: kernel.Deliver{Stamp: s, Attempt: f.in.Attempt.ID, Content: content, Sources: f.sources, Rule: rule,
		Account: account}, Blobs: blobs}, nil
}

// contentOf names what a step or a person made, with its bytes.
func contentOf(out *line.Out) (kernel.Content, []journal.Blob) {
	content := kernel.Content{ID: out.ID, Digest: digest.Of(out.Body), Size: int64(len(out.Body)), Schema: out.Schema, Variants: out.Variants}
	blobs := []journal.Blob{{Digest: content.Digest, Body: out.Body}}
	for _, p := range out.Parts {
		part := kernel.Part{Path: p.Path, Digest: digest.Of(p.Body), Size: int64(len(p.Body))}
		content.Parts = append(content.Parts, part)
		blobs = append(blobs, journal.Blob{Digest: part.Digest, Body: p.Body})
	}
	return content, blobs
}

// failure is the command that closes an attempt without content, with what the line tells about it.
func (t *turn) failure(ctx context.Context, f *flight, e kernel.StepError, earlier []kernel.StepError) *Act {
	account := f.account
	account.Errors = append(account.Errors, earlier...)
	if t.line.Failure != nil {
		told, err := t.excuse(ctx, f.in, e)
		if err != nil { // the attempt fails all the same
			t.e.Log.Warn("a failure is recorded without what the line tells of it", "run", t.run.ID(), "node", f.in.Node.ID, "error", err)
		}
		account.Evidence, account.Decisions, account.Body = told.Evidence, told.Decisions, told.Body
	}
	return &Act{Command: kernel.Fail{Stamp: t.e.stamp(kernel.Engine), Attempt: f.in.Attempt.ID, Error: e, Account: account}}
}

// excuse asks the line about a failed attempt, once more with the numbers it wants.
func (t *turn) excuse(ctx context.Context, in line.In, e kernel.StepError) (kernel.Account, error) {
	in.Run, in.Numbers = t.run, nil
	for range 2 {
		m, err := t.line.Failure(in, e)
		if err != nil {
			return kernel.Account{}, err
		}
		if m.Done != nil {
			return m.Done.Account, nil
		}
		if in.Numbers, err = t.e.reserve(ctx, m.Numbers); err != nil {
			return kernel.Account{}, err
		}
	}
	return kernel.Account{}, fault.New(fault.BadNode, string(in.Node.ID), "line %s does not say what it tells of a failure", t.line.Name)
}

// stepError classes what a step returned: an unusable reply costs an attempt, anything else stops the node.
func stepError(err error) kernel.StepError {
	if u, ok := errors.AsType[line.Unusable](err); ok {
		return kernel.StepError{Code: string(fault.ReplyUnusable), Message: u.Reason, Class: kernel.BadReply, Final: true}
	}
	f := fault.From(err)
	return kernel.StepError{Code: string(f.Code), Message: f.Error(), Class: kernel.Permanent, Final: true}
}

// land takes a worker's answers in. It gives the act that closes the attempt, or none if the step wants more.
func (t *turn) land(ctx context.Context, f *flight, res result) *Act {
	for _, r := range res.replies {
		f.account.Usage.Calls += r.Usage.Calls
		f.account.Usage.Reused += r.Usage.Reused
		f.account.Usage.InputTokens += r.Usage.InputTokens
		f.account.Usage.OutputTokens += r.Usage.OutputTokens
		f.account.Errors = append(f.account.Errors, r.Errors...)
		f.account.Provider = r.Provider
	}
	f.calls, f.commands = nil, nil
	if res.err == nil {
		f.in.Replies = append(f.in.Replies, res.replies...)
		f.in.Ran = append(f.in.Ran, res.ran...)
		return t.move(ctx, f)
	}
	if ce, ok := errors.AsType[*line.CallError](res.err); ok {
		if ce.Class == kernel.NoBudget && t.e.Outlook != nil {
			ce.Message += "; " + t.e.Outlook(ctx, t.run)
		}
		return t.failure(ctx, f, ce.StepError, ce.Earlier)
	}
	return t.failure(ctx, f, stepError(res.err), nil)
}

// fly makes one round of calls and commands side by side. The first failure ends the round; replies that came are stored
// already.
func (e *Engine) fly(ctx context.Context, run kernel.RunID, f *flight) result {
	res := result{attempt: f.in.Attempt.ID, replies: make([]line.Reply, len(f.calls)), ran: make([]line.Ran, len(f.commands))}
	at := Place{Run: run, Node: f.in.Node.ID, Attempt: f.in.Attempt.ID, Take: f.in.Attempt.Take, Step: f.label}
	errs := make(chan error, len(f.calls)+len(f.commands))
	for i, c := range f.calls {
		go func() {
			var err error
			res.replies[i], err = e.ask(ctx, at, c)
			errs <- err
		}()
	}
	for i, c := range f.commands {
		go func() {
			var err error
			res.ran[i], err = e.run(ctx, c)
			errs <- err
		}()
	}
	for range cap(errs) {
		if err := <-errs; err != nil && res.err == nil {
			res.err = err
			if isRefusedMoney(err) {
				continue // the others are being paid for, and found again when there is money for this one
			}
			f.cancel()
		}
	}
	if res.err != nil {
		res.replies, res.ran = nil, nil
	}
	return res
}

// run has the user's programs run on files, if there is anyone to do it.
func (e *Engine) run(ctx context.Context, c line.Command) (line.Ran, error) {
	if e.Runner == nil {
		return line.Ran{Slot: c.Slot, NotRun: "no program is run here"}, nil
	}
	return e.Runner.Run(ctx, c)
}

// ask makes one call within its time. A tolerant call that failed for good is answered by its failure.
func (e *Engine) ask(ctx context.Context, at Place, c line.Call) (line.Reply, error) {
	within := ctx
	if c.Timeout > 0 {
		var cancel context.CancelFunc
		within, cancel = context.WithTimeout(ctx, c.Timeout)
		defer cancel()
	}
	reply, err := e.Model.Ask(within, at, c)
	if err != nil && ctx.Err() == nil && within.Err() != nil {
		err = &line.CallError{StepError: kernel.StepError{Code: string(fault.ModelUnavailable), Class: kernel.Retryable, Final: true,
			Message: fmt.Sprintf("%s did not answer within %s", c.Agent, c.Timeout)}, Cause: err}
	}
	if err == nil || !c.Tolerant || ctx.Err() != nil {
		return reply, err
	}
	failed := stepError(err)
	if ce, ok := errors.AsType[*line.CallError](err); ok {
		failed = ce.StepError
	}
	if failed.Class == kernel.NoBudget { // nobody was asked: going on without the answer is not for the step to decide
		return reply, err
	}
	return line.Reply{Failed: &failed, Provider: e.Model.Class(), Errors: []kernel.StepError{failed}}, nil
}
