package gate

import (
	"bytes"
	"encoding/json"
	"io"
	"strconv"
	"strings"

	"sluice/internal/kernel"
)

// place is a value in a document and the path that leads to it, with numbers for every element.
type place struct {
	path  string
	value any // nil if the path ends before it
}

// isThere tells whether a value is more than nothing.
func (p place) isThere() bool {
	switch v := p.value.(type) {
	case nil:
		return false
	case string:
		return strings.TrimSpace(v) != ""
	case []any:
		return len(v) > 0
	case map[string]any:
		return len(v) > 0
	}
	return true
}

func (p place) number() (float64, bool) {
	n, ok := p.value.(json.Number)
	if !ok {
		return 0, false
	}
	f, err := n.Float64()
	return f, err == nil
}

// read parses content and parameters. What does not parse is a result against the content.
func read(content []byte, params json.RawMessage, into any) (doc any, bad *kernel.RuleResult) {
	if into != nil {
		dec := json.NewDecoder(bytes.NewReader(params))
		dec.DisallowUnknownFields()
		if err := dec.Decode(into); err != nil {
			res := against("bad_params", "", "the parameters of the rule do not parse: %v", err)
			return nil, &res
		}
	}
	dec := json.NewDecoder(bytes.NewReader(content))
	dec.UseNumber()
	err := dec.Decode(&doc)
	if err == nil {
		if _, more := dec.Token(); more != io.EOF {
			res := against("not_json", "", "the content goes on after its JSON document")
			return nil, &res
		}
		return doc, nil
	}
	res := against("not_json", "", "the content is not JSON: %v", err)
	return nil, &res
}

// lookUp follows a path like spec.criteria[i].text. [i], [*] and [] stand for every element, [2] for one. A path that
// ends early gives the place where it ends, without a value; so does a list without elements.
func lookUp(doc any, path string) []place {
	here := []place{{value: doc}}
	for _, name := range split(path) {
		var next []place
		for _, p := range here {
			next = append(next, p.step(name)...)
		}
		here = next
	}
	return here
}

// split cuts a path into names and brackets: a.b[i] → a, b, [i].
func split(path string) []string {
	var parts []string
	for _, dotted := range strings.Split(path, ".") {
		name, rest, _ := strings.Cut(dotted, "[")
		if name != "" {
			parts = append(parts, name)
		}
		for rest != "" {
			var index string
			index, rest, _ = strings.Cut(rest, "]")
			parts = append(parts, "["+index)
			rest = strings.TrimPrefix(rest, "[")
		}
	}
	return parts
}

func (p place) step(name string) []place {
	if p.value == nil && p.path != "" {
		return []place{p} // it ended before: that is what is missing
	}
	index, isIndex := strings.CutPrefix(name, "[")
	if !isIndex {
		to := name
		if p.path != "" {
			to = p.path + "." + name
		}
		object, _ := p.value.(map[string]any)
		return []place{{to, object[name]}}
	}
	list, ok := p.value.([]any)
	if !ok || len(list) == 0 {
		return []place{{path: p.path}}
	}
	if i, err := strconv.Atoi(index); err == nil {
		at := place{path: p.path + "[" + index + "]"}
		if i >= 0 && i < len(list) {
			at.value = list[i]
		}
		return []place{at}
	}
	all := make([]place, len(list))
	for i, v := range list {
		all[i] = place{p.path + "[" + strconv.Itoa(i) + "]", v}
	}
	return all
}
