package spec

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"sluice/internal/fault"
)

// field is a value of a spec that a path names.
type field struct {
	value json.RawMessage
	named string // the path with items by their ids, by which an item is the same in every version
	at    string // the path with items by their places, as evidence has it
}

var fieldForm = regexp.MustCompile(`^[a-z_]+(\[[A-Za-z0-9-]{1,40}\]|\.[a-z_]+)*$`)

// maxPath is far longer than any path of a spec.
const maxPath = 300

// fieldAt finds what a path names, with items by their place or by their id; ok is false where the spec has no such field.
func fieldAt(s CanonicalSpec, path string) (f field, ok bool, err error) {
	if len(path) > maxPath || !fieldForm.MatchString(path) {
		return f, false, fault.New(fault.BadValue, path, "%q is no path of a spec, which looks like spec.goal or planning.tasks[0].scope", path)
	}
	if f.value, err = s.Encode(); err != nil {
		return f, false, err
	}
	rest := path
	for rest != "" {
		switch {
		case rest[0] == '[':
			name, after, _ := strings.Cut(rest[1:], "]")
			if rest = after; !f.item(name) {
				return f, false, nil
			}
		default:
			key := strings.TrimPrefix(rest, ".")
			if end := strings.IndexAny(key, ".["); end >= 0 {
				key, rest = key[:end], key[end:]
			} else {
				rest = ""
			}
			if !f.key(key) {
				return f, false, nil
			}
		}
	}
	var short bytes.Buffer
	if err := json.Compact(&short, f.value); err != nil {
		return f, false, err
	}
	f.value = short.Bytes()
	return f, true, nil
}

func (f *field) key(name string) bool {
	var object map[string]json.RawMessage
	if json.Unmarshal(f.value, &object) != nil {
		return false
	}
	value, ok := object[name]
	f.value = value
	f.named, f.at = strings.TrimPrefix(f.named+"."+name, "."), strings.TrimPrefix(f.at+"."+name, ".")
	return ok
}

func (f *field) item(name string) bool {
	var list []json.RawMessage
	if json.Unmarshal(f.value, &list) != nil {
		return false
	}
	for i, one := range list {
		one = bytes.TrimSpace(one)
		if id := nameOf(one, i); id == name || strconv.Itoa(i) == name {
			f.value = one
			f.named, f.at = fmt.Sprintf("%s[%s]", f.named, id), fmt.Sprintf("%s[%d]", f.at, i)
			return true
		}
	}
	return false
}

// touches tells whether one path lies inside the other.
func touches(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	rest, ok := strings.CutPrefix(b, a)
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}
