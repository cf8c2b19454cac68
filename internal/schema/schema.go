package schema

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// Option says about a type what Go's type system does not.
type Option struct {
	kind  reflect.Type // set: the schema of every field of this type
	enum  []any
	path  string // set: applies to the field at this path
	apply func(parent *jsonschema.Schema, name string) error
}

// For makes the full JSON schema of a Go type: fields are required unless omitempty or omitzero, unknown fields
// are refused, nothing is nullable. The jsonschema tag of a field is its description.
func For[T any](opts ...Option) (json.RawMessage, error) {
	types := make(map[reflect.Type]*jsonschema.Schema)
	for _, o := range opts {
		switch {
		case o.kind != nil && o.enum == nil:
			// An empty schema is written as true, which some clients of tools do not read.
			types[o.kind] = &jsonschema.Schema{Description: "any JSON"}
		case o.kind != nil:
			types[o.kind] = &jsonschema.Schema{Type: "string", Enum: o.enum}
		}
	}
	s, err := jsonschema.For[T](&jsonschema.ForOptions{TypeSchemas: types})
	if err != nil {
		return nil, fmt.Errorf("schema of %T: %w", *new(T), err)
	}
	withoutNull(s)
	for _, o := range opts {
		if o.path == "" {
			continue
		}
		parent, name, err := resolve(s, o.path)
		if err != nil {
			return nil, err
		}
		if err := o.apply(parent, name); err != nil {
			return nil, err
		}
	}
	return json.Marshal(s)
}

// EnumType lists the values of a string type, wherever it occurs.
func EnumType[E ~string](values ...E) Option {
	return Option{kind: reflect.TypeFor[E](), enum: anys(values)}
}

// AnyJSON lets json.RawMessage be any JSON, wherever it occurs.
func AnyJSON() Option { return Option{kind: reflect.TypeFor[json.RawMessage]()} }

// Enum lists the values of the field at a path such as "issues.severity"; a path goes through arrays and maps without
// saying so.
func Enum(path string, values ...string) Option {
	return at(path, func(s *jsonschema.Schema) { s.Enum = anys(values) })
}

// Range bounds the number at a path, both ends included.
func Range(path string, low, high float64) Option {
	return at(path, func(s *jsonschema.Schema) { s.Minimum, s.Maximum = &low, &high })
}

// Above demands a number greater than low.
func Above(path string, low float64) Option {
	return at(path, func(s *jsonschema.Schema) { s.ExclusiveMinimum = &low })
}

// Length bounds the characters of the string at a path; a negative high sets no upper bound.
func Length(path string, low, high int) Option {
	return at(path, func(s *jsonschema.Schema) {
		s.MinLength = &low
		if high >= 0 {
			s.MaxLength = &high
		}
	})
}

// Items bounds how many items the array at a path holds; a negative high sets no upper bound.
func Items(path string, low, high int) Option {
	return at(path, func(s *jsonschema.Schema) {
		s.MinItems = &low
		if high >= 0 {
			s.MaxItems = &high
		}
	})
}

// Pattern demands that the string at a path matches.
func Pattern(path, pattern string) Option {
	return at(path, func(s *jsonschema.Schema) { s.Pattern = pattern })
}

// Describe tells the model what the field at a path is for.
func Describe(path, text string) Option {
	return at(path, func(s *jsonschema.Schema) { s.Description = text })
}

// Nullable lets the field at a path be null as well.
func Nullable(path string) Option {
	return at(path, func(s *jsonschema.Schema) { s.Type, s.Types = "", []string{"null", s.Type} })
}

// Object says that the raw JSON at a path is an object with fields of its own choosing.
func Object(path string) Option {
	return at(path, func(s *jsonschema.Schema) {
		*s = jsonschema.Schema{Type: "object", Description: s.Description}
	})
}

// Required makes the field at a path required although Go may omit it.
func Required(path string) Option {
	return Option{path: path, apply: func(parent *jsonschema.Schema, name string) error {
		if !slices.Contains(parent.Required, name) {
			parent.Required = append(parent.Required, name)
		}
		return nil
	}}
}

// Optional lets a model leave the field at a path out although Go always writes it.
func Optional(path string) Option {
	return Option{path: path, apply: func(parent *jsonschema.Schema, name string) error {
		parent.Required = slices.DeleteFunc(parent.Required, func(k string) bool { return k == name })
		return nil
	}}
}

// Without removes the field at a path: what code computes, no model is asked for.
func Without(path string) Option {
	return Option{path: path, apply: func(parent *jsonschema.Schema, name string) error {
		delete(parent.Properties, name)
		parent.PropertyOrder = slices.DeleteFunc(parent.PropertyOrder, func(k string) bool { return k == name })
		parent.Required = slices.DeleteFunc(parent.Required, func(k string) bool { return k == name })
		return nil
	}}
}

func at(path string, change func(*jsonschema.Schema)) Option {
	return Option{path: path, apply: func(parent *jsonschema.Schema, name string) error {
		change(parent.Properties[name])
		return nil
	}}
}

// resolve finds the object that has the field at the path.
func resolve(s *jsonschema.Schema, path string) (*jsonschema.Schema, string, error) {
	names := strings.Split(path, ".")
	for i, name := range names {
		s = inside(s)
		field := s.Properties[name]
		if field == nil {
			return nil, "", fmt.Errorf("schema path %q: no field %q", path, name)
		}
		if i == len(names)-1 {
			return s, name, nil
		}
		s = field
	}
	return nil, "", fmt.Errorf("schema path is empty")
}

// inside goes through arrays and maps to what they hold.
func inside(s *jsonschema.Schema) *jsonschema.Schema {
	for {
		switch {
		case s.Items != nil:
			s = s.Items
		case s.Properties == nil && s.AdditionalProperties != nil:
			s = s.AdditionalProperties
		default:
			return s
		}
	}
}

// withoutNull removes the null that slices, maps and pointers bring: a missing list is an empty list.
func withoutNull(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	if kinds := slices.DeleteFunc(slices.Clone(s.Types), func(t string) bool { return t == "null" }); len(kinds) == 1 {
		s.Type, s.Types = kinds[0], nil
	}
	withoutNull(s.Items)
	withoutNull(s.AdditionalProperties)
	for _, p := range slices.Collect(maps.Values(s.Properties)) {
		withoutNull(p)
	}
}

func anys[E ~string](values []E) []any {
	out := make([]any, len(values))
	for i, v := range values {
		out[i] = string(v)
	}
	return out
}
