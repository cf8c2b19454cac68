package app

import (
	"context"
	"time"

	"golang.org/x/sync/errgroup"

	"sluice/internal/fault"
)

// Roster knows which models are configured, and can ask each of them for a word. It needs no workspace.
type Roster interface {
	Models() []ModelRow
	// Ask makes one small call. It gives the name of the model that answered, and how long it took.
	Ask(ctx context.Context, provider, model string) (string, time.Duration, error)
}

// ModelsDoc lists the models that agents are answered by.
type ModelsDoc struct {
	Models []ModelRow `json:"models"`
}

// ModelRow is one model in the place where it is asked.
type ModelRow struct {
	Agents     string      `json:"agents"` // a pattern; * is every agent without a row of its own
	Tier       string      `json:"tier,omitempty"`
	Place      int         `json:"place"` // 1 is asked first, each one after it when those before cannot answer
	Provider   string      `json:"provider"`
	Kind       string      `json:"kind"`
	Model      string      `json:"model"`
	BaseURL    string      `json:"base_url,omitempty"`
	Key        string      `json:"key,omitempty"` // where it is kept; empty where none is wanted
	IsKeyFound bool        `json:"key_found"`
	Check      *ModelCheck `json:"check,omitempty"`
}

// ModelCheck is what came of a call.
type ModelCheck struct {
	Answers    bool         `json:"answers"`
	AnsweredBy string       `json:"answered_by,omitempty"` // where the server names its model otherwise
	Millis     int64        `json:"duration_ms"`
	Error      *fault.Error `json:"error,omitempty"`
}

// Bounds of a check: how long one model may take, and how many are asked at a time.
const (
	checkTimeout = 30 * time.Second
	checkWorkers = 4
)

// ListModels shows what is configured and, where that is wanted, whether it answers. A model that stands in several places
// is asked once.
func ListModels(ctx context.Context, r Roster, isChecked bool) (ModelsDoc, error) {
	doc := ModelsDoc{Models: r.Models()}
	if !isChecked {
		return doc, nil
	}
	type target struct{ provider, model string }
	results := map[target]*ModelCheck{}
	var group errgroup.Group
	group.SetLimit(checkWorkers)
	for i := range doc.Models {
		row := &doc.Models[i]
		t := target{row.Provider, row.Model}
		if results[t] == nil {
			c := &ModelCheck{}
			results[t] = c
			group.Go(func() error {
				c.ask(ctx, r, t.provider, t.model)
				return nil
			})
		}
		row.Check = results[t]
	}
	_ = group.Wait() // what fails stands in its row
	if ctx.Err() != nil {
		return doc, fault.Wrap(fault.Interrupted, "models", ctx.Err(), "the check was interrupted").
			With(fault.Action{Action: "check", Command: "sluice models --check"})
	}
	return doc, nil
}

func (c *ModelCheck) ask(ctx context.Context, r Roster, provider, model string) {
	limited, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	name, took, err := r.Ask(limited, provider, model)
	c.Millis = took.Milliseconds()
	switch fault.CodeOf(err) {
	case "":
		c.Answers = true
		if name != model {
			c.AnsweredBy = name
		}
	case fault.ModelTruncated, fault.ModelRefused:
		c.Answers = true // it is there, knows the key and has begun to speak: that was the question
	default:
		c.Error = fault.From(err)
	}
}

// Err says that models were asked and did not answer.
func (d ModelsDoc) Err() error {
	silent := map[string]bool{}
	var first *fault.Error
	for _, row := range d.Models {
		if row.Check == nil || row.Check.Answers || silent[row.Provider+" "+row.Model] {
			continue
		}
		silent[row.Provider+" "+row.Model] = true
		if first == nil {
			first = row.Check.Error
		}
	}
	if first == nil {
		return nil
	}
	noun := "models do"
	if len(silent) == 1 {
		noun = "model does"
	}
	return fault.New(first.Code, first.Subject, "%d %s not answer; %s", len(silent), noun, first.Error()).With(first.Next...)
}
