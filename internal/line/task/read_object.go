package task

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// object is a JSON object and the path that leads to it. Reading a field marks it as known.
type object struct {
	r      *reader
	path   string
	fields map[string]any
	known  map[string]bool
}

func (o object) at(name string) string {
	if o.path == "" {
		return name
	}
	return o.path + "." + name
}

// find gives the first of several names that is there and not null.
func (o *object) find(names ...string) (name string, v any) {
	if o.known == nil {
		o.known = map[string]bool{}
	}
	name = names[0]
	for _, n := range slices.Backward(names) {
		o.known[n] = true
		if got, ok := o.fields[n]; ok && got != nil {
			name, v = n, got
		}
	}
	if v != nil && name != names[0] {
		o.r.change(o.at(name), "is read as %s", names[0])
	}
	return name, v
}

func (o *object) text(names ...string) string {
	name, v := o.find(names...)
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return strings.TrimSpace(v)
	case json.Number:
		return v.String()
	}
	o.r.problem(o.at(name), "give a text", "is %s, not a text", kindOf(v))
	return ""
}

// word reads one of several words, whatever its case; other is what some say for them.
func (o *object) word(words map[string]string, names ...string) string {
	name, v := o.find(names...)
	if v == nil {
		return ""
	}
	text, ok := v.(string)
	plain := strings.ToUpper(strings.NewReplacer(" ", "_", "-", "_").Replace(strings.TrimSpace(text)))
	ours, isKnown := words[plain]
	if !ok || !isKnown {
		known := slices.Sorted(maps.Values(words))
		o.r.problem(o.at(name), "use one of "+strings.Join(slices.Compact(known), ", "), "is %s, which has no meaning there", show(v))
		return ""
	}
	if ours != text {
		o.r.change(o.at(name), "was %q; it is %s", text, ours)
	}
	return ours
}

func (o *object) number(names ...string) float64 {
	name, v := o.find(names...)
	text := ""
	switch v := v.(type) {
	case nil:
		return 0
	case json.Number:
		text = v.String()
	case string:
		text = strings.TrimSpace(v)
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(f, 0) || math.IsNaN(f) {
		o.r.problem(o.at(name), "give a number", "is %s, not a number", show(v))
		return 0
	}
	if _, quoted := v.(string); quoted {
		o.r.change(o.at(name), "was text; it is the number %s", text)
	}
	return f
}

func (o *object) integer(words map[string]int, names ...string) int {
	name, v := o.find(names...)
	if s, ok := v.(string); ok {
		if n, ok := words[strings.ToUpper(s)]; ok {
			o.r.change(o.at(name), "was %q; it is %d", s, n)
			return n
		}
	}
	f := o.number(names...)
	if f != math.Trunc(f) || math.Abs(f) > 1e9 {
		o.r.problem(o.at(name), "give a whole number", "is %s, not a whole number", show(v))
		return 0
	}
	return int(f)
}

// boolean gives nil where nothing was said.
func (o *object) boolean(names ...string) *bool {
	name, v := o.find(names...)
	switch v := v.(type) {
	case nil:
		return nil
	case bool:
		return &v
	}
	o.r.problem(o.at(name), "give true or false", "is %s, not true or false", show(v))
	return nil
}

func (o *object) list(names ...string) (path string, items []any) {
	name, v := o.find(names...)
	switch v := v.(type) {
	case nil:
		return o.at(name), nil
	case []any:
		return o.at(name), v
	}
	o.r.problem(o.at(name), "give a list", "is %s, not a list", kindOf(v))
	return o.at(name), nil
}

func (o *object) texts(names ...string) []string {
	name, v := o.find(names...)
	if s, ok := v.(string); ok && s != "" {
		o.r.change(o.at(name), "was one text; it is a list")
		return []string{strings.TrimSpace(s)}
	}
	path, items := o.list(names...)
	var out []string
	for i, item := range items {
		switch v := item.(type) {
		case string:
			out = append(out, strings.TrimSpace(v))
		case json.Number:
			out = append(out, v.String())
		default:
			o.r.problem(fmt.Sprintf("%s[%d]", path, i), "give a text", "is %s, not a text", kindOf(item))
		}
	}
	return out
}

func (o *object) object(names ...string) (object, bool) {
	name, v := o.find(names...)
	if v == nil {
		return object{}, false
	}
	fields, ok := v.(map[string]any)
	if !ok {
		o.r.problem(o.at(name), "give an object", "is %s, not an object", kindOf(v))
	}
	return object{r: o.r, path: o.at(name), fields: fields}, ok
}

func (o *object) objects(names ...string) []object {
	path, items := o.list(names...)
	out := make([]object, 0, len(items))
	for i, item := range items {
		at := fmt.Sprintf("%s[%d]", path, i)
		fields, ok := item.(map[string]any)
		if !ok {
			o.r.problem(at, "give an object", "is %s, not an object", kindOf(item))
			continue
		}
		out = append(out, object{r: o.r, path: at, fields: fields})
	}
	return out
}

// rest tells of fields that have no place in a plan.
func (o object) rest() {
	for _, name := range slices.Sorted(maps.Keys(o.fields)) {
		if !o.known[name] {
			o.r.change(o.at(cutText(name, 60)), "has no place in a plan and is left out")
		}
	}
}

func kindOf(v any) string {
	switch v.(type) {
	case string:
		return "a text"
	case json.Number:
		return "a number"
	case bool:
		return "true or false"
	case []any:
		return "a list"
	case map[string]any:
		return "an object"
	}
	return "nothing"
}

func show(v any) string {
	switch v := v.(type) {
	case string:
		return strconv.Quote(cutText(v, 60))
	case json.Number:
		return v.String()
	}
	return kindOf(v)
}
