package cli

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strconv"
	"strings"

	"sluice/internal/app"
	"sluice/internal/fault"
	"sluice/internal/line/spec"
)

// maxAnswerLine bounds one line that a person types or pastes.
const maxAnswerLine = 1 << 20

// talk asks the person at the terminal every open question of a feature. An empty answer leaves a question open; one that
// does not fit is told why and asked again. What was answered is given back, and recorded only then.
func (k *Kit) talk(ctx context.Context, a *app.App, feature string) (map[string]string, error) {
	d, err := a.SpecQuestions(ctx, feature, false)
	if err != nil {
		return nil, err
	}
	t := &talking{k: k, in: bufio.NewScanner(k.env.Stdin)}
	t.in.Buffer(nil, maxAnswerLine)
	t.say(d.FeatureID + " " + d.Title)
	if d.AskTitle != "" {
		t.say(d.AskTitle)
	}
	set := map[string]string{}
	for i, q := range d.Questions {
		value, err := t.ask(ctx, a, d.FeatureID, q, d.Rules[i], set)
		if err != nil {
			return nil, err
		}
		if value != "" {
			set[q.Path] = value
		}
	}
	if len(d.Questions) == 0 && d.AskTitle != "" { // a feature that was on hold asks nothing in particular
		if err := t.anything(ctx, a, d.FeatureID, set); err != nil {
			return nil, err
		}
	}
	if len(set) == 0 && d.AskTitle != "" {
		return nil, fault.New(fault.Parked, feature, "nothing was answered; the questions stay open").With(d.Next...)
	}
	return set, nil
}

// talking is a talk with the person at the terminal.
type talking struct {
	k  *Kit
	in *bufio.Scanner
}

func (t *talking) say(text string) { _, _ = io.WriteString(t.k.env.Stderr, clean(text)+"\n") }

// line reads what the person types; ok is false where nothing more comes.
func (t *talking) line() (text string, ok bool, err error) {
	_, _ = io.WriteString(t.k.env.Stderr, "> ")
	if !t.in.Scan() {
		err := t.in.Err()
		if errors.Is(err, bufio.ErrTooLong) {
			err = fault.New(fault.BadValue, "answer", "the line is longer than %d bytes; give it in a file with -f", maxAnswerLine)
		}
		return "", false, err
	}
	return strings.TrimSpace(t.in.Text()), true, nil
}

// ask puts one question until its answer fits, or is left out.
func (t *talking) ask(ctx context.Context, a *app.App, feature string, q spec.Question, rule string, set map[string]string) (string, error) {
	t.say("")
	t.say(q.ID + " " + q.Question + " (" + q.Path + ")")
	for i, c := range q.Choices {
		t.say("  " + strconv.Itoa(i+1) + " " + c)
	}
	switch {
	case len(q.Choices) > 0:
		t.say("  a number or a word of these; nothing leaves it open")
	case isList(q.Path):
		t.say("  " + rule + "; an empty line ends it, and nothing leaves it open")
	default:
		t.say("  " + rule + "; nothing leaves it open")
	}
	for {
		value, ok, err := t.read(q)
		if err != nil || value == "" {
			return "", err
		}
		tried := map[string]string{q.Path: value}
		for path, one := range set { // a later answer may lean on an earlier one
			tried[path] = one
		}
		refused := a.CheckSpecAnswers(ctx, feature, tried)
		if refused == nil {
			return value, nil
		}
		if fault.CodeOf(refused) != fault.BadValue || !ok {
			return "", refused
		}
		t.say("  " + fault.From(refused).Error())
	}
}

// read takes an answer: one line, a choice by its number, or lines up to an empty one for a list.
func (t *talking) read(q spec.Question) (string, bool, error) {
	first, ok, err := t.line()
	if err != nil || !ok || first == "" {
		return first, ok, err
	}
	if n, err := strconv.Atoi(first); err == nil && n >= 1 && n <= len(q.Choices) {
		return q.Choices[n-1], true, nil
	}
	if !isList(q.Path) || strings.HasPrefix(first, "[") {
		return first, true, nil
	}
	lines := []string{first}
	for {
		more, ok, err := t.line()
		if err != nil || !ok || more == "" {
			return strings.Join(lines, "\n"), ok, err
		}
		lines = append(lines, more)
	}
}

// isList tells of fields that take several lines.
func isList(path string) bool {
	switch path {
	case "spec.acceptance_criteria", "spec.non_goals", "planning.tasks", "planning.vv", "planning.constraints", "planning.known_assumptions":
		return true
	}
	return false
}

// anything takes answers as PATH=VALUE, line by line.
func (t *talking) anything(ctx context.Context, a *app.App, feature string, set map[string]string) error {
	t.say("  PATH=VALUE, such as spec.background=A shop with many books; an empty line ends it")
	for {
		text, ok, err := t.line()
		if err != nil || !ok || text == "" {
			return err
		}
		path, value, isPair := strings.Cut(text, "=")
		if !isPair {
			t.say("  PATH=VALUE is needed")
			continue
		}
		path, value = strings.TrimSpace(path), strings.TrimSpace(value)
		if err := a.CheckSpecAnswers(ctx, feature, map[string]string{path: value}); err != nil {
			if fault.CodeOf(err) != fault.BadValue {
				return err
			}
			t.say("  " + fault.From(err).Error())
			continue
		}
		set[path] = value
	}
}
