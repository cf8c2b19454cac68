package mcpserver

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"sluice/internal/fault"
)

// maxArguments bounds the arguments of one call. Artifacts are named by path, never sent, so nothing honest comes near.
const maxArguments = 256 << 10

// shape is what a published input schema says about the fields of a tool.
type shape struct {
	tool     string
	names    []string
	required []string
}

func shapeOf(tool string, schema json.RawMessage) (shape, error) {
	var doc struct {
		Properties map[string]json.RawMessage `json:"properties"`
		Required   []string                   `json:"required"`
	}
	if err := json.Unmarshal(schema, &doc); err != nil {
		return shape{}, fmt.Errorf("input schema of %s: %w", tool, err)
	}
	s := shape{tool: tool, required: doc.Required}
	for name := range doc.Properties {
		s.names = append(s.names, name)
	}
	slices.Sort(s.names)
	return s, nil
}

// read decodes arguments strictly: fields are known, spelled exactly, given once and of their type; what is required is
// there.
func (s shape) read(args json.RawMessage, into any) error {
	if len(args) > maxArguments {
		return fault.New(fault.BadValue, s.tool, "the arguments of %s have %d bytes; at most %d are taken", s.tool, len(args), maxArguments).
			With(fault.Action{Action: "shorten", Why: "artifacts are named by the paths of their files, never sent"})
	}
	if len(args) == 0 || string(args) == "null" {
		args = json.RawMessage(`{}`)
	}
	given, err := s.fields(args)
	if err != nil {
		return err
	}
	for _, name := range s.required {
		if !slices.Contains(given, name) {
			return fault.New(fault.BadValue, name, "%s needs %s", s.tool, name).With(s.look())
		}
	}
	if err := json.Unmarshal(args, into); err != nil {
		return s.mismatch(err)
	}
	return nil
}

// fields names what was given and refuses what is unknown or given twice.
func (s shape) fields(args json.RawMessage) ([]string, error) {
	dec := json.NewDecoder(bytes.NewReader(args))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil, fault.New(fault.BadValue, s.tool, "the arguments of %s are no JSON object", s.tool).With(s.look())
	}
	var given []string
	var value json.RawMessage
	for dec.More() {
		t, err := dec.Token()
		if err != nil {
			return nil, s.mismatch(err)
		}
		name, _ := t.(string)
		switch {
		case !slices.Contains(s.names, name):
			return nil, fault.New(fault.BadValue, clip(name), "%s has no field %q; it takes %s", s.tool, clip(name), strings.Join(s.names, ", ")).With(s.look())
		case slices.Contains(given, name):
			return nil, fault.New(fault.BadValue, name, "%s is given %s twice", s.tool, name).With(s.look())
		}
		if err := dec.Decode(&value); err != nil {
			return nil, s.mismatch(err)
		}
		if string(value) == "null" {
			return nil, fault.New(fault.BadValue, name, "%s of %s is null; leave it out instead", name, s.tool).With(s.look())
		}
		given = append(given, name)
	}
	return given, nil
}

func (s shape) mismatch(err error) error {
	if t, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fault.New(fault.BadValue, t.Field, "%s of %s is a JSON %s; %s is needed", t.Field, s.tool, t.Value, kindOf(t.Type.Kind().String())).With(s.look())
	}
	return fault.New(fault.BadValue, s.tool, "the arguments of %s do not parse: %s", s.tool, clip(err.Error())).With(s.look())
}

func (s shape) look() fault.Action {
	return fault.Action{Action: "tools/list", Why: "it shows the input schema of " + s.tool}
}

func kindOf(kind string) string {
	switch kind {
	case "int", "int64":
		return "a whole number"
	case "bool":
		return "true or false"
	case "slice":
		return "a list"
	case "map", "struct":
		return "an object"
	}
	return "a " + kind
}

// clip keeps what a client sent short and printable in a message.
func clip(text string) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return '?'
		}
		return r
	}, text)
	if r := []rune(text); len(r) > 80 {
		return string(r[:80]) + "…"
	}
	return text
}
