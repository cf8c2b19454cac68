package rehearsal

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// schema is one JSON schema with its references resolved as they are met.
type schema struct {
	doc  map[string]any
	root map[string]any
}

func (s schema) sub(v any) schema {
	doc, _ := v.(map[string]any)
	return schema{doc, s.root}.resolve()
}

// resolve follows references, joins what allOf lists and takes the first way that is not null where there are several.
func (s schema) resolve() schema {
	for range 2 * maxDepth {
		if ref, ok := s.doc["$ref"].(string); ok {
			s.doc = overlay(without(s.doc, "$ref"), pointer(s.root, ref))
			continue
		}
		if list, ok := s.doc["allOf"].([]any); ok {
			doc := without(s.doc, "allOf")
			for _, part := range list {
				doc = overlay(doc, s.sub(part).doc)
			}
			s.doc = doc
			continue
		}
		way, key := s.way()
		if key == "" {
			return s
		}
		s.doc = overlay(without(s.doc, key), way)
	}
	return s
}

func (s schema) way() (map[string]any, string) {
	for _, key := range []string{"anyOf", "oneOf"} {
		list, _ := s.doc[key].([]any)
		for i, item := range list {
			option, _ := item.(map[string]any)
			if option["type"] != "null" || i == len(list)-1 {
				return option, key
			}
		}
	}
	return nil, ""
}

func pointer(root map[string]any, ref string) map[string]any {
	at := root
	for part := range strings.SplitSeq(strings.TrimPrefix(ref, "#"), "/") {
		if part != "" {
			at, _ = at[strings.NewReplacer("~1", "/", "~0", "~").Replace(part)].(map[string]any)
		}
	}
	return at
}

// overlay joins two schemas: properties and required lists add up, for the rest the second wins.
func overlay(a, b map[string]any) map[string]any {
	out := maps.Clone(a)
	if out == nil {
		out = make(map[string]any)
	}
	for k, v := range b {
		switch k {
		case "properties":
			old, _ := out[k].(map[string]any)
			more, _ := v.(map[string]any)
			both := maps.Clone(old)
			if both == nil {
				both = make(map[string]any)
			}
			maps.Copy(both, more)
			out[k] = both
		case "required":
			old, _ := out[k].([]any)
			more, _ := v.([]any)
			out[k] = append(slices.Clone(old), more...)
		default:
			out[k] = v
		}
	}
	return out
}

func without(doc map[string]any, key string) map[string]any {
	out := maps.Clone(doc)
	delete(out, key)
	return out
}

// kind is the type to generate: the first that is not null, or what the keywords suggest.
func (s schema) kind() string {
	switch t := s.doc["type"].(type) {
	case string:
		return t
	case []any:
		for _, item := range t {
			if name, ok := item.(string); ok && name != "null" {
				return name
			}
		}
		return "null"
	}
	switch {
	case has(s.doc, "properties", "additionalProperties", "required", "minProperties"):
		return "object"
	case has(s.doc, "items", "prefixItems", "minItems"):
		return "array"
	case has(s.doc, "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"):
		return "number"
	}
	return "string"
}

func (s schema) properties() map[string]any {
	p, _ := s.doc["properties"].(map[string]any)
	return p
}

func (s schema) required() []string {
	var out []string
	list, _ := s.doc["required"].([]any)
	for _, v := range list {
		if name, ok := v.(string); ok {
			out = append(out, name)
		}
	}
	return out
}

func (s schema) number(key string) (float64, bool) {
	n, ok := s.doc[key].(json.Number)
	if !ok {
		return 0, false
	}
	f, err := n.Float64()
	return f, err == nil
}

func (s schema) count(key string, otherwise int) int {
	if f, ok := s.number(key); ok {
		return int(f)
	}
	return otherwise
}

// bounds gives the closed interval of a number, in units of the step between allowed values.
func (s schema) bounds() (low, high, step float64) {
	low, high = math.Inf(-1), math.Inf(1)
	integer := s.kind() == "integer"
	gap := 0.01 // how far a number keeps from a bound that it must not touch
	if integer {
		step, gap = 1, 1
	}
	if m, ok := s.number("multipleOf"); ok && m > 0 {
		step, gap = m, m
	}
	if v, ok := s.number("minimum"); ok {
		low = v
	}
	if v, ok := s.number("exclusiveMinimum"); ok {
		low = max(low, v+gap)
	}
	if v, ok := s.number("maximum"); ok {
		high = v
	}
	if v, ok := s.number("exclusiveMaximum"); ok {
		high = min(high, v-gap)
	}
	if step > 0 {
		low, high = math.Ceil(low/step-1e-9)*step, math.Floor(high/step+1e-9)*step
	}
	return low, high, step
}

// takes tells whether a text of the inputs may stand here as it is.
func (s schema) takes(text string) bool {
	n := utf8.RuneCountInString(text)
	pattern, _ := s.doc["pattern"].(string)
	return n >= s.count("minLength", 0) && n <= s.count("maxLength", math.MaxInt32) && s.doc["format"] == nil &&
		(pattern == "" || fits(text, pattern))
}
