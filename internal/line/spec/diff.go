package spec

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// Change is one field in which two versions differ.
type Change struct {
	Path string          `json:"path"` // items of lists by their id where they have one
	Op   ChangeOp        `json:"op"`
	From json.RawMessage `json:"from,omitempty"`
	To   json.RawMessage `json:"to,omitempty"`
}

// ChangeOp is what became of a field.
type ChangeOp string

const (
	Added   ChangeOp = "added"
	Removed ChangeOp = "removed"
	Changed ChangeOp = "changed"
)

// isCounter is a field that every version has another value of: From and To tell it already.
func isCounter(path string) bool { return path == "feature.updated_at" || path == "meta.spec_version" }

// Diff lists the fields in which two versions differ, in the order of the newer one; what was removed stands last.
func Diff(before, after CanonicalSpec) ([]Change, error) {
	old, err := leaves(before)
	if err != nil {
		return nil, err
	}
	now, err := leaves(after)
	if err != nil {
		return nil, err
	}
	was := make(map[string]json.RawMessage, len(old))
	for _, l := range old {
		was[l.path] = l.value
	}
	changes, stands := []Change{}, map[string]bool{}
	for _, l := range now {
		stands[l.path] = true
		if isCounter(l.path) {
			continue
		}
		from, there := was[l.path]
		switch {
		case !there:
			changes = append(changes, Change{Path: l.path, Op: Added, To: l.value})
		case !bytes.Equal(from, l.value):
			changes = append(changes, Change{Path: l.path, Op: Changed, From: from, To: l.value})
		}
	}
	for _, l := range old {
		if !stands[l.path] && !isCounter(l.path) {
			changes = append(changes, Change{Path: l.path, Op: Removed, From: l.value})
		}
	}
	return changes, nil
}

// leaf is a field that holds no others.
type leaf struct {
	path  string
	value json.RawMessage
}

// leaves takes a spec apart, in the order its file has.
func leaves(s CanonicalSpec) ([]leaf, error) {
	raw, err := s.Encode()
	if err != nil {
		return nil, err
	}
	var out []leaf
	err = walk(raw, "", &out)
	return out, err
}

// walk goes through one JSON value without losing the order of its fields.
func walk(raw json.RawMessage, path string, out *[]leaf) error {
	raw = bytes.TrimSpace(raw)
	switch {
	case len(raw) > 2 && raw[0] == '{':
		return walkObject(raw, path, out)
	case len(raw) > 2 && raw[0] == '[':
		var items []json.RawMessage
		if err := json.Unmarshal(raw, &items); err != nil {
			return err
		}
		for i, item := range items {
			if err := walk(item, fmt.Sprintf("%s[%s]", path, nameOf(item, i)), out); err != nil {
				return err
			}
		}
		return nil
	}
	*out = append(*out, leaf{path, raw})
	return nil
}

func walkObject(raw json.RawMessage, path string, out *[]leaf) error {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if _, err := dec.Token(); err != nil {
		return err
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return err
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return err
		}
		if err := walk(value, strings.TrimPrefix(fmt.Sprintf("%s.%s", path, key), "."), out); err != nil {
			return err
		}
	}
	if _, err := dec.Token(); err != nil && err != io.EOF {
		return err
	}
	return nil
}

// nameOf is an item's own id, else its place.
func nameOf(item json.RawMessage, at int) string {
	var ids struct {
		ID     string `json:"id"`
		VVID   string `json:"vv_id"`
		TaskID string `json:"task_id"`
	}
	if len(item) > 0 && item[0] == '{' && json.Unmarshal(item, &ids) == nil {
		for _, id := range []string{ids.ID, ids.VVID, ids.TaskID} {
			if id != "" {
				return id
			}
		}
	}
	return fmt.Sprint(at)
}
