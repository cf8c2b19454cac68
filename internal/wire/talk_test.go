package wire

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"sluice/internal/engine"
	"sluice/internal/line"
	"sluice/internal/model"
)

// takes answers by the take of a call, and remembers what it was asked and answered.
type takes struct {
	asked  []string
	stored map[string]bool
	good   map[int]bool
}

func (m *takes) Complete(_ context.Context, r model.Request) (model.Reply, error) {
	at := fmt.Sprintf("%d %s", r.Scope.Take, r.Scope.Slot)
	if isKnown := m.stored[at]; !isKnown {
		m.asked = append(m.asked, at)
	}
	reply := model.Reply{Content: `{"ok":false}`, Reused: m.stored[at]}
	if m.good[r.Scope.Take] {
		reply.Content = `{"ok":true}`
	}
	m.stored[at] = true
	return reply, nil
}

// TestTheTakesThatCountForACall: of those before the attempt's own the first is asked that is not known to be of no use, and
// no more than one is asked in an attempt.
func TestTheTakesThatCountForACall(t *testing.T) {
	schema := json.RawMessage(`{"type":"object","properties":{"ok":{"type":"boolean"}}}`)
	for name, c := range map[string]struct {
		schema        json.RawMessage
		stored        []string
		good          []int
		take, earlier int
		want          []string
		isBad         bool
	}{
		"a good one is used again":        {schema, []string{"0 1"}, []int{0}, 2, 2, nil, false},
		"one never asked is asked":        {schema, nil, []int{0}, 2, 2, []string{"0 1"}, false},
		"one of no use is passed":         {schema, []string{"0 1", "0 1/repair1", "0 1/repair2"}, []int{1}, 2, 2, []string{"1 1"}, false},
		"a repair left out is made":       {schema, []string{"0 1"}, []int{1}, 2, 2, []string{"0 1/repair1", "0 1/repair2"}, true},
		"what was paid now is not passed": {schema, nil, []int{1}, 1, 1, []string{"0 1", "0 1/repair1", "0 1/repair2"}, true},
		"the own take is the last":        {schema, []string{"0 1", "0 1/repair1", "0 1/repair2"}, nil, 0, 0, nil, true},
		"none before it counts":           {schema, []string{"0 1"}, []int{0, 1}, 1, 0, []string{"1 1"}, false},
		"never below the first":           {schema, []string{"0 1"}, []int{0}, 1, 5, nil, false},
		"a text of no use is passed":      {nil, []string{"0 1"}, []int{1}, 1, 1, []string{"1 1"}, false},
		"a good text is used again":       {nil, []string{"0 1"}, []int{0}, 1, 1, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			m := &takes{stored: map[string]bool{}, good: map[int]bool{}}
			for _, at := range c.stored {
				m.stored[at] = true
			}
			for _, take := range c.good {
				m.good[take] = true
			}
			call := line.Call{Slot: "1", Agent: "a", Schema: c.schema, Earlier: c.earlier, Check: func(content string) []string {
				if content != `{"ok":true}` {
					return []string{"it is not"}
				}
				return nil
			}}
			_, err := talk{model: m, schemas: model.NewSchemas(), class: model.ClassReal}.Ask(t.Context(), engine.Place{Take: c.take}, call)
			if (err != nil) != c.isBad || !slices.Equal(m.asked, c.want) {
				t.Errorf("asked %q, %v; want %q", m.asked, err, c.want)
			}
		})
	}
}
