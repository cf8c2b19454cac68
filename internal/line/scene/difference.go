package scene

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"

	"sluice/internal/fault"
	"sluice/internal/kernel"
)

// compare refuses a document that the run does not show. What the document leaves out and every run shows is no
// difference.
func (m *importing) compare() error {
	w, err := Look(m.run, func(v *kernel.Version) ([]byte, error) { return m.bodies[v.Digest], nil })
	if err != nil {
		return err
	}
	shown := w.State()
	given := m.doc
	if given.Generation != nil {
		g := *given.Generation
		g.Steps = slices.Clone(g.Steps)
		for i := range g.Steps {
			fill(&g.Steps[i].HumanApproval, shown.Generation.Steps[i].HumanApproval)
			fill(&g.Steps[i].Attempts, shown.Generation.Steps[i].Attempts)
		}
		given.Generation = &g
	} else {
		p := *given.Planning
		p.Phases = slices.Clone(p.Phases)
		for i := range p.Phases {
			fill(&p.Phases[i].HumanApproval, shown.Planning.Phases[i].HumanApproval)
		}
		given.Planning = &p
	}
	a, errA := render(given)
	b, errB := render(shown)
	if errA != nil || errB != nil || bytes.Equal(a, b) {
		return firstError(errA, errB)
	}
	at := difference(a, b)
	return fault.New(fault.BadValue, "state document#"+at, "state document at %q cannot be: no run of this workflow stands like that", at)
}

func fill[T any](given **T, shown *T) {
	if *given == nil {
		*given = shown
	}
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// difference gives the place where two documents first differ.
func difference(a, b []byte) string {
	var x, y any
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return "/"
	}
	return orTop(differ("", x, y))
}

func differ(at string, x, y any) string {
	switch x := x.(type) {
	case map[string]any:
		y, ok := y.(map[string]any)
		if !ok {
			return at
		}
		keys := sortedKeys(x)
		for _, k := range sortedKeys(y) {
			if _, ok := x[k]; !ok {
				keys = append(keys, k)
			}
		}
		for _, k := range keys {
			if d := differ(at+"/"+escapePointer(k), x[k], y[k]); d != "" {
				return d
			}
		}
		return ""
	case []any:
		y, ok := y.([]any)
		if !ok || len(x) != len(y) {
			return at
		}
		for i := range x {
			if d := differ(at+"/"+strconv.Itoa(i), x[i], y[i]); d != "" {
				return d
			}
		}
		return ""
	}
	if x != y {
		return at
	}
	return ""
}

func compact(raw json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return raw
	}
	return b.Bytes()
}
