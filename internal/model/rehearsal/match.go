package rehearsal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"path"
)

// matches tells whether a rule is about this call, leaving its count aside.
func (r rule) matches(agent string, inputs map[string]any) bool {
	ok, err := path.Match(r.agent, agent)
	return err == nil && ok && subset(r.when, inputs)
}

// subset tells whether every value of want is found in got: objects by their keys, everything else by equality.
func subset(want, got any) bool {
	switch want := want.(type) {
	case map[string]any:
		object, ok := got.(map[string]any)
		if !ok {
			return false
		}
		for k, v := range want {
			if g, there := object[k]; !there || !subset(v, g) {
				return false
			}
		}
		return true
	case []any:
		list, ok := got.([]any)
		if !ok || len(list) != len(want) {
			return false
		}
		for i, v := range want {
			if !subset(v, list[i]) {
				return false
			}
		}
		return true
	case json.Number:
		number, ok := got.(json.Number)
		return ok && sameNumber(want, number)
	default:
		return want == got
	}
}

func sameNumber(a, b json.Number) bool {
	x, okX := new(big.Float).SetString(a.String())
	y, okY := new(big.Float).SetString(b.String())
	return okX && okY && x.Cmp(y) == 0
}

// merge lays a patch over a document as JSON merge patch does: objects merge, null removes, the rest replaces.
func merge(doc, patch any) any {
	object, ok := patch.(map[string]any)
	if !ok {
		return patch
	}
	base, _ := doc.(map[string]any)
	out := maps.Clone(base)
	if out == nil {
		out = make(map[string]any)
	}
	for k, v := range object {
		if v == nil {
			delete(out, k)
			continue
		}
		out[k] = merge(out[k], v)
	}
	return out
}

func decode(raw []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	err := dec.Decode(&v)
	return v, err
}

// decodeObject reads an object; nothing and null give an empty one.
func decodeObject(raw []byte) (map[string]any, error) {
	if len(bytes.TrimSpace(raw)) == 0 {
		return map[string]any{}, nil
	}
	v, err := decode(raw)
	if err != nil {
		return nil, err
	}
	object, ok := v.(map[string]any)
	if !ok && v != nil {
		return nil, fmt.Errorf("not a JSON object")
	}
	if object == nil {
		object = map[string]any{}
	}
	return object, nil
}
