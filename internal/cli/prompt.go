package cli

import (
	"bufio"
	"context"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"sluice/internal/app"
	"sluice/internal/fault"
	"sluice/internal/line/spec"
)

// maxAnswerLine bounds one line that a person types or pastes.
const maxAnswerLine = 1 << 20

// canAsk says whether somebody sits there who can be asked: at a terminal, and willing.
func (k *Kit) canAsk() bool {
	return !k.json && !k.noInput && k.env.IsTerminal != nil && k.env.IsTerminal() && k.env.ErrWidth() > 0
}

// question is one thing that the person at the terminal is asked.
type question struct {
	text    string
	choices []string // values; they can be given by their number, too
	labels  []string // what the choices mean, where that is not plain
	rule    string   // what an answer must be
	isList  bool     // takes lines up to an empty one
	isText  bool     // takes lines up to a dot
	check   func(value string) error
}

// askFor asks for a value that was not given. Where nobody can be asked, or nothing is said, otherwise is the answer.
func (k *Kit) askFor(ctx context.Context, value *string, q question, otherwise error) error {
	if strings.TrimSpace(*value) != "" {
		return nil
	}
	if !k.canAsk() {
		return otherwise
	}
	said, err := k.prompt().put(ctx, q)
	if err != nil {
		return err
	}
	if said == "" {
		return otherwise
	}
	*value = said
	return nil
}

// confirm asks whether something shall be done; everything but yes is a no.
func (k *Kit) confirm(ctx context.Context, text string) (bool, error) {
	if !k.canAsk() {
		return false, nil
	}
	said, err := k.prompt().put(ctx, question{text: text, choices: []string{"yes", "no"}, rule: "nothing is a no"})
	return said == "yes", err
}

// prompt is the talk with the person at the terminal. There is one for a command, since it reads ahead.
func (k *Kit) prompt() *talking {
	if k.talking == nil {
		k.talking = &talking{k: k, in: bufio.NewScanner(k.env.Stdin)}
		k.talking.in.Buffer(nil, maxAnswerLine)
	}
	return k.talking
}

// talking is a talk with the person at the terminal.
type talking struct {
	k  *Kit
	in *bufio.Scanner
}

func (t *talking) say(text string) { _, _ = io.WriteString(t.k.env.Stderr, clean(text)+"\n") }

// put asks until the answer fits. An empty answer is given back as it is: what it means is the asker's to say.
func (t *talking) put(ctx context.Context, q question) (string, error) {
	t.k.progress.end()
	t.say(q.text)
	for i, c := range q.choices {
		line := "  " + strconv.Itoa(i+1) + " " + c
		if i < len(q.labels) && q.labels[i] != "" {
			line += ": " + q.labels[i]
		}
		t.say(line)
	}
	if q.rule != "" {
		t.say("  " + q.rule)
	}
	for {
		value, ok, err := t.read(ctx, q)
		if err != nil || value == "" {
			return "", err
		}
		refused := q.fits(value)
		if refused == nil {
			return value, nil
		}
		if fault.CodeOf(refused) != fault.BadValue || !ok {
			return "", refused
		}
		t.say("  " + fault.From(refused).Error())
	}
}

// fits says why an answer is none.
func (q question) fits(value string) error {
	if q.check != nil {
		return q.check(value)
	}
	if len(q.choices) > 0 && !slices.Contains(q.choices, value) {
		return fault.New(fault.BadValue, "answer", "%q is no answer; it takes %s", value, strings.Join(q.choices, ", "))
	}
	return nil
}

// line reads what the person types; ok is false where nothing more comes. An interruption does not wait for the line.
func (t *talking) line(ctx context.Context) (text string, ok bool, err error) {
	_, _ = io.WriteString(t.k.env.Stderr, "> ")
	type typed struct {
		text string
		ok   bool
		err  error
	}
	came := make(chan typed, 1)
	go func() {
		ok := t.in.Scan()
		came <- typed{t.in.Text(), ok, t.in.Err()}
	}()
	select {
	case <-ctx.Done():
		_, _ = io.WriteString(t.k.env.Stderr, "\n") // what follows begins a line of its own
		return "", false, ctx.Err()
	case l := <-came:
		if !l.ok {
			_, _ = io.WriteString(t.k.env.Stderr, "\n")
		}
		if errors.Is(l.err, bufio.ErrTooLong) {
			l.err = fault.New(fault.BadValue, "answer", "the line is longer than %d bytes; give it in a file with -f", maxAnswerLine)
		}
		return strings.TrimSpace(l.text), l.ok, l.err
	}
}

// read takes an answer: one line, a choice by its number, or several lines.
func (t *talking) read(ctx context.Context, q question) (string, bool, error) {
	first, ok, err := t.line(ctx)
	if err != nil || !ok || first == "" && !q.isText {
		return first, ok, err
	}
	if n, err := strconv.Atoi(first); err == nil && n >= 1 && n <= len(q.choices) {
		return q.choices[n-1], true, nil
	}
	for _, c := range q.choices {
		if strings.EqualFold(c, first) && !slices.Contains(q.choices, first) {
			return c, true, nil
		}
	}
	end := ""
	switch {
	case q.isText:
		end = "."
	case !q.isList || strings.HasPrefix(first, "["):
		return first, true, nil
	}
	var lines []string
	for more := first; more != end; {
		lines = append(lines, more)
		if more, ok, err = t.line(ctx); err != nil || !ok {
			break
		}
	}
	return strings.Join(lines, "\n"), ok, err
}

// askReply asks for what an answer to an ask lacks: the choice, then what that must bring along.
func (k *Kit) askReply(ctx context.Context, a *app.App, r *reply) error {
	d, err := a.ShowAsk(ctx, r.Ask)
	if err != nil {
		return err
	}
	t := k.prompt()
	t.say(d.Ask.Kind + ": " + d.Ask.Title)
	t.say("  run " + d.Ask.Run + ", " + orWord(d.Ask.Version, "node "+d.Ask.Node) + "; sluice inbox --watch shows what it is about")
	choice, err := t.choose(ctx, d, r.Choice)
	if err != nil {
		return err
	}
	nothing := fault.New(fault.Parked, d.Ask.Ask, "nothing was answered; the ask stays open").
		With(fault.Action{Action: "inbox", Command: "sluice inbox " + d.Ask.Run, Why: "it lists the commands that answer it"})
	if choice.Value == "" {
		return nothing
	}
	r.Choice, r.Digest = choice.Value, d.Ask.Digest
	switch choice.Need {
	case app.NeedReason:
		return k.askFor(ctx, &r.Reason, question{text: "Why?"}, nothing)
	case app.NeedContent:
		var body string
		err := k.askFor(ctx, &body, question{text: d.Ask.Title, isText: true, rule: "lines up to one that is a dot; -f FILE takes a file instead"}, nothing)
		r.Choice, r.Content = "", []byte(body+"\n")
		return err
	case app.NeedAnswers:
		r.Choice = ""
		if r.Set, err = t.answers(ctx, a, d); err == nil && len(r.Set) == 0 {
			err = nothing
		}
	}
	return err
}

// choose asks for one of an ask's choices, unless it was given or there is only one.
func (t *talking) choose(ctx context.Context, d app.AskText, given string) (app.AskChoice, error) {
	var q question
	for _, c := range d.Choices {
		if c.Value == given || len(d.Choices) == 1 {
			return c, nil
		}
		q.choices, q.labels = append(q.choices, c.Value), append(q.labels, c.Label)
	}
	q.text, q.rule = "Your answer?", "a number or a word of these; nothing leaves it open"
	value, err := t.put(ctx, q)
	for _, c := range d.Choices {
		if c.Value == value {
			return c, err
		}
	}
	return app.AskChoice{}, err
}

// answers asks the questions of an ask one by one. The questions of a feature are asked with their rules.
func (t *talking) answers(ctx context.Context, a *app.App, d app.AskText) (map[string]string, error) {
	if d.Line == spec.Name {
		return t.k.talk(ctx, a, d.Ask.Run)
	}
	set := map[string]string{}
	for _, q := range d.Ask.Questions {
		rule := "nothing leaves it open"
		if len(q.Choices) > 0 {
			rule = "a number or a word of these; nothing leaves it open"
		}
		value, err := t.put(ctx, question{text: q.ID + " " + q.Text, choices: q.Choices, rule: rule})
		if err != nil {
			return nil, err
		}
		if value != "" {
			set[q.ID] = value
		}
	}
	return set, nil
}
