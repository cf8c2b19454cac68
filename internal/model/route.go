package model

import (
	"context"
	"path"
)

// Way sends the agents whose names fit a pattern to a model of their own.
type Way struct {
	Agents string // a pattern such as chapter-*
	Model  Model
}

// Route asks the model of the first way that fits the agent, and the other one where none does. It belongs outside Memo:
// the key must hold the model that an agent really has.
func Route(ways []Way, other Model) Model {
	if len(ways) == 0 {
		return other
	}
	return route{ways, other}
}

type route struct {
	ways  []Way
	other Model
}

func (m route) Complete(ctx context.Context, r Request) (Reply, error) {
	for _, w := range m.ways {
		// A pattern that cannot be read fits nothing; settings refuse it before it comes here.
		if fits, err := path.Match(w.Agents, r.Agent); err == nil && fits {
			return w.Model.Complete(ctx, r)
		}
	}
	return m.other.Complete(ctx, r)
}
