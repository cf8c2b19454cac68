package scene

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"sluice/internal/fault"
)

// reader takes JSON documents apart strictly and remembers the first thing that is wrong, with its place as a JSON
// pointer.
type reader struct {
	file string
	err  *fault.Error
}

func (r *reader) bad(at, format string, args ...any) {
	if r.err == nil {
		r.err = fault.New(fault.BadValue, r.file+"#"+at, "%s at %q: %s", r.file, orTop(at), fmt.Sprintf(format, args...))
	}
}

func (r *reader) fault() error {
	if r.err == nil {
		return nil
	}
	return r.err.With(fault.Action{Action: "correct", Why: "correct " + strings.Replace(r.err.Subject, "#", " at ", 1)})
}

func orTop(at string) string {
	if at == "" {
		return "/"
	}
	return at
}

// object gives the fields of an object. Fields besides the known ones, and fields given twice, are refused; no known
// ones means that any will do.
func (r *reader) object(at string, raw json.RawMessage, known ...string) map[string]json.RawMessage {
	if r.err != nil {
		return nil
	}
	pairs, err := members(raw)
	if err != nil {
		r.bad(at, "it is no JSON object: %v", err)
		return nil
	}
	out := map[string]json.RawMessage{}
	for _, p := range pairs {
		if _, twice := out[p.key]; twice {
			r.bad(at+"/"+escapePointer(p.key), "the field is there twice")
		}
		if len(known) > 0 && !slices.Contains(known, p.key) {
			r.bad(at+"/"+escapePointer(p.key), "there is no such field; there are %s", strings.Join(known, ", "))
		}
		out[p.key] = p.raw
	}
	return out
}

func (r *reader) array(at string, raw json.RawMessage) []json.RawMessage {
	var out []json.RawMessage
	if r.err != nil {
		return nil
	}
	if err := json.Unmarshal(raw, &out); err != nil {
		r.bad(at, "it is no list")
	}
	return out
}

// value reads one field.
func value[T any](r *reader, at string, o map[string]json.RawMessage, field string, required bool) T {
	var v T
	raw, there := o[field]
	if r.err != nil || !there && !required {
		return v
	}
	if !there {
		r.bad(at+"/"+field, "the field is missing")
		return v
	}
	if err := json.Unmarshal(raw, &v); err != nil || string(raw) == "null" {
		r.bad(at+"/"+field, "it is not of type %s", typeName(v))
	}
	return v
}

func typeName(v any) string {
	switch v.(type) {
	case int:
		return "whole number"
	case string:
		return "string"
	case bool:
		return "true or false"
	case []int:
		return "list of whole numbers"
	case []string:
		return "list of strings"
	}
	return "object"
}

// member is one field of an object as it stood there.
type member struct {
	key string
	raw json.RawMessage
}

// members gives the fields of an object in their order.
func members(raw json.RawMessage) ([]member, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	t, err := dec.Token()
	if err != nil {
		return nil, err
	}
	if t != json.Delim('{') {
		return nil, fmt.Errorf("it begins with %v", t)
	}
	var out []member
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, err
		}
		m := member{key: fmt.Sprint(key)}
		if err := dec.Decode(&m.raw); err != nil {
			return nil, err
		}
		out = append(out, m)
	}
	if _, err := dec.Token(); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, fmt.Errorf("something follows it")
	}
	return out, nil
}

func pointer(at string, i int) string { return at + "/" + strconv.Itoa(i) }

func escapePointer(key string) string {
	return strings.ReplaceAll(strings.ReplaceAll(key, "~", "~0"), "/", "~1")
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

var (
	agentName   = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,63}$`)
	artifactKey = regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`)
)

// isTitle tells whether a text can be shown as a name anywhere.
func isTitle(s string) bool {
	return s != "" && utf8.RuneCountInString(s) <= 100 && utf8.ValidString(s) && s == strings.TrimSpace(s) && !strings.ContainsFunc(s, func(r rune) bool {
		return !unicode.IsPrint(r)
	})
}
