package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"sluice/internal/digest"
)

// Problem is one thing that is wrong with a reply.
type Problem struct {
	Round   int    `json:"round"`   // 0 for the first reply, then the repair it was found in
	Pointer string `json:"pointer"` // JSON pointer into the reply; empty for the whole
	Message string `json:"message"`
}

func (p Problem) String() string {
	if p.Pointer == "" {
		return p.Message
	}
	return p.Pointer + ": " + p.Message
}

// Schemas validates documents and compiles each schema once. It is safe for concurrent use.
type Schemas struct {
	mu       sync.Mutex
	compiled map[digest.Digest]*jsonschema.Schema
}

// NewSchemas makes an empty cache.
func NewSchemas() *Schemas { return &Schemas{compiled: make(map[digest.Digest]*jsonschema.Schema)} }

// Check lists every place where the document breaks the schema. The error is about the schema, not the document.
func (s *Schemas) Check(schema, doc json.RawMessage) ([]Problem, error) {
	compiled, err := s.compile(schema)
	if err != nil {
		return nil, err
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(doc))
	if err != nil {
		return []Problem{{Message: "not JSON: " + err.Error()}}, nil
	}
	err = compiled.Validate(v)
	if err == nil {
		return nil, nil
	}
	invalid, ok := errors.AsType[*jsonschema.ValidationError](err)
	if !ok {
		return nil, err
	}
	return leaves(invalid.BasicOutput()), nil
}

func (s *Schemas) compile(schema json.RawMessage) (*jsonschema.Schema, error) {
	name := digest.Of(schema)
	s.mu.Lock()
	defer s.mu.Unlock()
	if c, ok := s.compiled[name]; ok {
		return c, nil
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		return nil, fmt.Errorf("schema is not JSON: %w", err)
	}
	const location = "mem:///schema.json"
	c := jsonschema.NewCompiler()
	// A schema that refers outside itself would read files: nothing here may.
	c.UseLoader(jsonschema.SchemeURLLoader{})
	c.AssertFormat()
	if err := c.AddResource(location, v); err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	compiled, err := c.Compile(location)
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	s.compiled[name] = compiled
	return compiled, nil
}

// leaves gives the errors that have no more precise cause. A member that nobody asked for is none: whoever reads the
// reply does not see it, and a repair would cost another call.
func leaves(out *jsonschema.OutputUnit) []Problem {
	if len(out.Errors) == 0 {
		if out.Error == nil {
			return nil
		}
		if _, isStray := out.Error.Kind.(*kind.AdditionalProperties); isStray {
			return nil
		}
		return []Problem{{Pointer: out.InstanceLocation, Message: out.Error.String()}}
	}
	var all []Problem
	for i := range out.Errors {
		all = append(all, leaves(&out.Errors[i])...)
	}
	return all
}
