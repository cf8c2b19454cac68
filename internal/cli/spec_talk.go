package cli

import (
	"context"
	"strings"

	"sluice/internal/app"
	"sluice/internal/fault"
	"sluice/internal/line/spec"
)

// talk asks the person at the terminal every open question of a feature. An empty answer leaves a question open; one that
// does not fit is told why and asked again. What was answered is given back, and recorded only then.
func (k *Kit) talk(ctx context.Context, a *app.App, feature string) (map[string]string, error) {
	d, err := a.SpecQuestions(ctx, feature, false)
	if err != nil {
		return nil, err
	}
	t := k.prompt()
	t.say(d.FeatureID + " " + d.Title)
	if d.AskTitle != "" {
		t.say(d.AskTitle)
	}
	set := map[string]string{}
	for i, q := range d.Questions {
		value, err := t.field(ctx, a, d.FeatureID, q, d.Rules[i], set)
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

// field asks for one field of a spec until its answer fits, or is left out.
func (t *talking) field(ctx context.Context, a *app.App, feature string, q spec.Question, rule string, set map[string]string) (string, error) {
	asked := question{text: q.ID + " " + q.Question + " (" + q.Path + ")", choices: q.Choices, isList: isList(q.Path) && len(q.Choices) == 0}
	switch {
	case len(q.Choices) > 0:
		asked.rule = "a number or a word of these; nothing leaves it open"
	case asked.isList:
		asked.rule = rule + "; an empty line ends it, and nothing leaves it open"
	default:
		asked.rule = rule + "; nothing leaves it open"
	}
	asked.check = func(value string) error {
		tried := map[string]string{q.Path: value}
		for path, one := range set { // a later answer may lean on an earlier one
			tried[path] = one
		}
		return a.CheckSpecAnswers(ctx, feature, tried)
	}
	t.say("")
	return t.put(ctx, asked)
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
		text, ok, err := t.line(ctx)
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
