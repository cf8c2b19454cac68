package model

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Dialect says which part of JSON schema a provider accepts. Adapters declare theirs.
type Dialect struct {
	Drop        []string // keywords that the provider refuses; those that bound a value move into the description
	AllRequired bool     // every property is required: optional ones become nullable instead
	Closed      bool     // every object refuses unknown properties, so maps cannot be asked for exactly
}

// Reduce makes the schema that a provider accepts from the full one, keeping the order of properties. The result is
// exact when it still asks for the same shape; a schema with free maps or without an object at its root is not exact
// in a closed dialect. The full schema stays the one to validate by.
func Reduce(schema json.RawMessage, d Dialect) (reduced json.RawMessage, exact bool, err error) {
	v, err := decodeOrdered(schema)
	if err != nil {
		return nil, false, fmt.Errorf("schema is not JSON: %w", err)
	}
	root, ok := v.(*object)
	if !ok {
		return nil, false, fmt.Errorf("schema is not a JSON object")
	}
	r := reducer{d: d, exact: !d.Closed || root.get("type") == "object"}
	r.schema(root)
	reduced, err = json.Marshal(root)
	return reduced, r.exact, err
}

type reducer struct {
	d     Dialect
	exact bool
}

func (r *reducer) schema(s *object) {
	r.dropKeywords(s)
	for _, key := range []string{"$defs", "definitions", "properties"} {
		if group := s.child(key); group != nil {
			for _, name := range group.keys {
				r.any(group.get(name))
			}
		}
	}
	for _, key := range []string{"items", "additionalProperties", "not"} {
		r.any(s.get(key))
	}
	for _, key := range []string{"anyOf", "oneOf", "allOf", "prefixItems"} {
		list, _ := s.get(key).([]any)
		for _, item := range list {
			r.any(item)
		}
	}
	if s.get("type") == "object" || s.child("properties") != nil {
		r.closeObject(s)
	}
}

func (r *reducer) any(v any) {
	if s, ok := v.(*object); ok {
		r.schema(s)
	}
}

// dropKeywords removes what the provider refuses. A bound is still worth telling: a model that reads it needs fewer
// repairs.
func (r *reducer) dropKeywords(s *object) {
	var told []string
	for _, key := range slices.Clone(s.keys) {
		if !slices.Contains(r.d.Drop, key) {
			continue
		}
		if bound(key) {
			if text, err := json.Marshal(s.get(key)); err == nil {
				told = append(told, key+" "+string(text))
			}
		}
		s.drop(key)
	}
	if len(told) == 0 {
		return
	}
	text, _ := s.get("description").(string)
	s.set("description", strings.TrimSpace(text+" ("+strings.Join(told, ", ")+")"))
}

func bound(keyword string) bool {
	switch keyword {
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength",
		"pattern", "format", "minItems", "maxItems", "uniqueItems":
		return true
	}
	return false
}

func (r *reducer) closeObject(s *object) {
	properties := s.child("properties")
	if r.d.Closed {
		if _, isMap := s.get("additionalProperties").(*object); isMap || properties == nil {
			r.exact = false
		} else {
			s.set("additionalProperties", false)
		}
	}
	if !r.d.AllRequired || properties == nil {
		return
	}
	required, _ := s.get("required").([]any)
	for _, name := range properties.keys {
		if slices.Contains(required, any(name)) {
			continue
		}
		required = append(required, name)
		if p := properties.child(name); p != nil {
			properties.set(name, nullable(p))
		}
	}
	s.set("required", required)
}

// nullable lets a property that the full schema makes optional be answered with null.
func nullable(s *object) *object {
	switch kind := s.get("type").(type) {
	case string:
		s.set("type", []any{kind, "null"})
	case []any:
		if !slices.Contains(kind, any("null")) {
			s.set("type", append(slices.Clone(kind), "null"))
		}
	default:
		none := newObject()
		none.set("type", "null")
		either := newObject()
		either.set("anyOf", []any{s, none})
		return either
	}
	if values, ok := s.get("enum").([]any); ok && !slices.Contains(values, nil) {
		s.set("enum", append(slices.Clone(values), nil))
	}
	return s
}

// withoutNulls takes back what nullable gave: properties that are null, optional, and may not be null by the full
// schema are removed before the reply is validated by it.
func withoutNulls(doc json.RawMessage, schema json.RawMessage) json.RawMessage {
	v, err := decodeOrdered(doc)
	if err != nil {
		return doc
	}
	s, err := decodeOrdered(schema)
	if err != nil {
		return doc
	}
	root, ok := s.(*object)
	if !ok || !dropNulls(v, root, root, 0) {
		return doc
	}
	out, err := json.Marshal(v)
	if err != nil {
		return doc
	}
	return out
}

// maxDepth bounds the walk through schemas that refer to themselves.
const maxDepth = 64

func dropNulls(v any, s, root *object, depth int) (changed bool) {
	s = follow(s, root)
	if s == nil || depth > maxDepth {
		return false
	}
	switch v := v.(type) {
	case *object:
		properties := s.child("properties")
		if properties == nil {
			return false
		}
		required, _ := s.get("required").([]any)
		for _, name := range slices.Clone(v.keys) {
			p := properties.child(name)
			switch {
			case p == nil:
			case v.get(name) == nil && !slices.Contains(required, any(name)) && !takesNull(follow(p, root)):
				v.drop(name)
				changed = true
			default:
				changed = dropNulls(v.get(name), p, root, depth+1) || changed
			}
		}
	case []any:
		items := s.child("items")
		for _, item := range v {
			changed = dropNulls(item, items, root, depth+1) || changed
		}
	}
	return changed
}

// follow resolves a reference into the definitions of the same document.
func follow(s, root *object) *object {
	for range maxDepth {
		if s == nil {
			return nil
		}
		ref, ok := s.get("$ref").(string)
		if !ok {
			return s
		}
		s = root
		for part := range strings.SplitSeq(strings.TrimPrefix(ref, "#"), "/") {
			if part != "" && s != nil {
				s = s.child(strings.NewReplacer("~1", "/", "~0", "~").Replace(part))
			}
		}
	}
	return nil
}

func takesNull(s *object) bool {
	if s == nil {
		return true
	}
	switch kind := s.get("type").(type) {
	case string:
		return kind == "null"
	case []any:
		return slices.Contains(kind, any("null"))
	}
	return true
}
