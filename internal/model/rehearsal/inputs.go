package rehearsal

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// inputs is what a step was given, read the way a stranger reads a form: by the names of its fields.
type inputs struct {
	root     map[string]any
	names    []string // people that occur and may be written about
	places   []string
	absent   []string // people that must not appear
	headings []string // headings of documents inside the inputs
	told     []string // people that a premise names, where no list does
	world    string   // the place that everything lies in
}

// maxDepth bounds how deep the inputs are searched.
const maxDepth = 5

func readInputs(root map[string]any) *inputs {
	in := &inputs{root: root}
	in.collect("", root, 0, false)
	in.names = slices.DeleteFunc(unique(in.names), in.forbidden)
	in.places = slices.DeleteFunc(unique(in.places), in.forbidden)
	in.headings = slices.DeleteFunc(unique(in.headings), in.forbidden)
	if premise := in.text(nil, "premise"); premise != "" && len(in.names) == 0 {
		people, places := told(premise)
		in.told = slices.DeleteFunc(people, in.forbidden)
		if in.world == "" && len(places) > 0 && !in.forbidden(places[0]) {
			in.world = places[0]
		}
	}
	return in
}

// collect gathers names, places and headings. Below a field that says who is absent, every name is forbidden.
func (in *inputs) collect(key string, v any, depth int, absent bool) {
	if depth > maxDepth {
		return
	}
	absent = absent || containsAny(key, "absent", "forbidden", "exclude", "must_not", "not_present")
	switch v := v.(type) {
	case map[string]any:
		if name, ok := v["name"].(string); ok && (containsAny(key, "character", "agonist", "person", "people", "cast") || has(v, "role", "personality", "motivation")) {
			in.person(name, absent)
		}
		for _, k := range slices.Sorted(maps.Keys(v)) {
			in.collect(k, v[k], depth+1, absent)
		}
	case []any:
		for _, item := range v {
			if s, ok := item.(string); ok && (absent || containsAny(key, "character", "people", "cast")) {
				in.person(s, absent)
				continue
			}
			in.collect(key, item, depth+1, absent)
		}
	case string:
		switch {
		case absent:
			in.person(v, true)
		case key == "world_name":
			in.world = clean(v, 40)
		case containsAny(key, "location", "place"):
			in.places = append(in.places, clean(v, 40))
		}
		for line := range strings.Lines(v) {
			if h, ok := strings.CutPrefix(strings.TrimSpace(line), "#"); ok {
				in.headings = append(in.headings, clean(strings.TrimLeft(h, "# "), 60))
			}
		}
	}
}

func (in *inputs) person(name string, absent bool) {
	// "Anna (the clerk)" and "Anna, the clerk" name Anna.
	if i := strings.IndexAny(name, "(（,，:："); i > 0 {
		name = name[:i]
	}
	name = clean(name, 40)
	if name == "" {
		return
	}
	if absent {
		in.absent = append(in.absent, name)
		return
	}
	in.names = append(in.names, name)
}

// forbidden tells that a text names someone who must not appear, or is empty.
func (in *inputs) forbidden(text string) bool {
	if text == "" {
		return true
	}
	return slices.ContainsFunc(in.absent, func(name string) bool {
		for _, known := range in.names { // 李明, who may come, is no mention of 李
			if len(known) > len(name) && names(known, name) {
				text = strings.ReplaceAll(text, known, " ")
			}
		}
		return names(text, name)
	})
}

// names tells that a text holds a name as a word of its own: Anna is not Ann. Chinese has no spaces to tell by.
func names(text, name string) bool {
	text, name = strings.ToLower(text), strings.ToLower(name)
	letter := func(c rune) bool { return (unicode.IsLetter(c) || unicode.IsDigit(c)) && !unicode.Is(unicode.Han, c) }
	for from := 0; name != ""; {
		i := strings.Index(text[from:], name)
		if i < 0 {
			return false
		}
		at := from + i
		before, _ := utf8.DecodeLastRuneInString(text[:at])
		after, _ := utf8.DecodeRuneInString(text[at+len(name):])
		first, _ := utf8.DecodeRuneInString(name)
		if unicode.Is(unicode.Han, first) || !letter(before) && !letter(after) {
			return true
		}
		from = at + len(name)
	}
	return false
}

// lookup finds a field by its name: in the items being answered, innermost first, then in the inputs, nearest to the
// top first. Lists are not entered, for which of their items is meant nobody knows.
func (in *inputs) lookup(name string, scope []map[string]any) (any, bool) {
	for _, item := range slices.Backward(scope) {
		if v, ok := item[name]; ok && v != nil {
			return v, true
		}
	}
	level := []map[string]any{in.root}
	for range maxDepth {
		var next []map[string]any
		for _, object := range level {
			if v, ok := object[name]; ok && v != nil {
				return v, true
			}
			for _, k := range slices.Sorted(maps.Keys(object)) {
				if child, ok := object[k].(map[string]any); ok {
					next = append(next, child)
				}
			}
		}
		level = next
	}
	return nil, false
}

// text finds the first of the named fields that holds a text.
func (in *inputs) text(scope []map[string]any, names ...string) string {
	for _, name := range names {
		if v, ok := in.lookup(name, scope); ok {
			if s, ok := v.(string); ok && !in.forbidden(s) {
				return s
			}
		}
	}
	return ""
}

// number finds the first of the named fields that holds a number.
func (in *inputs) number(scope []map[string]any, names ...string) (float64, bool) {
	for _, name := range names {
		if v, ok := in.lookup(name, scope); ok {
			if n, ok := v.(json.Number); ok {
				if f, err := n.Float64(); err == nil {
					return f, true
				}
			}
		}
	}
	return 0, false
}

// strings finds the first of the named fields that holds a list of texts, or of objects with a telling text.
func (in *inputs) strings(scope []map[string]any, names ...string) []string {
	for _, name := range names {
		v, ok := in.lookup(name, scope)
		if !ok {
			continue
		}
		list, _ := v.([]any)
		var out []string
		for _, item := range list {
			s := telling(item)
			if !in.forbidden(s) {
				out = append(out, s)
			}
		}
		if len(out) > 0 {
			return out
		}
	}
	return nil
}

// objects finds the list of objects that a list of the reply answers: the one of the same name, else the nearest whose
// items carry one of the identifying fields.
func (in *inputs) objects(name string, ids []string, scope []map[string]any) []map[string]any {
	if v, ok := in.lookup(name, scope); ok {
		if list := objectsOf(v); len(list) > 0 {
			return list
		}
	}
	level := []map[string]any{in.root}
	if len(scope) > 0 {
		level = append([]map[string]any{scope[len(scope)-1]}, level...)
	}
	for range maxDepth {
		var next []map[string]any
		for _, object := range level {
			for _, k := range slices.Sorted(maps.Keys(object)) {
				if list := objectsOf(object[k]); len(list) > 0 && identified(k, list[0], ids) {
					return list
				}
				if child, ok := object[k].(map[string]any); ok {
					next = append(next, child)
				}
			}
		}
		level = next
	}
	return nil
}

// uncovered finds what a list that is already there does not speak of: a task for which no verification has its task_id.
func (in *inputs) uncovered(name string, ids []string, given []map[string]any) []map[string]any {
	v, ok := in.lookup(name, nil)
	if !ok || len(objectsOf(v)) == 0 {
		return nil // then the list answers another one, item by item
	}
	var out []map[string]any
	for _, id := range ids {
		stem, ok := strings.CutSuffix(id, "_id")
		if !ok || strings.HasPrefix(name, stem) {
			continue
		}
		v, _ := in.lookup(stem+"s", nil)
		for _, item := range objectsOf(v) {
			if !slices.ContainsFunc(given, func(g map[string]any) bool { return g[id] == item[id] }) {
				out = append(out, item)
			}
		}
	}
	return out
}

// identified tells that the items of a list carry one of the fields, or are meant by it: criterion_id means the id of
// acceptance_criteria.
func identified(list string, item map[string]any, ids []string) bool {
	for _, id := range ids {
		if _, ok := item[id]; ok {
			return true
		}
		if stem, ok := strings.CutSuffix(id, "_id"); ok && has(item, "id") && strings.Contains(list, stem[:min(len(stem), 6)]) {
			return true
		}
	}
	return false
}

func objectsOf(v any) []map[string]any {
	list, _ := v.([]any)
	var out []map[string]any
	for _, item := range list {
		if object, ok := item.(map[string]any); ok {
			out = append(out, object)
		}
	}
	return out
}

var tellingKeys = []string{
	"statement", "criteria", "chapter_title", "title", "name", "question", "summary", "description", "purpose", "text", "path",
}

// telling is the text by which a person would recognise an item.
func telling(v any) string {
	switch v := v.(type) {
	case string:
		return clean(v, 120)
	case map[string]any:
		for _, key := range tellingKeys {
			if s, ok := v[key].(string); ok && strings.TrimSpace(s) != "" {
				return clean(s, 120)
			}
		}
	}
	return ""
}

// language is the one asked for, else the one whose script the inputs are written in.
func (in *inputs) language(prompt string) string {
	if tag := strings.ToLower(in.text(nil, "language", "lang")); tag != "" {
		for _, lang := range []string{"zh", "ru"} {
			if tag == lang || strings.HasPrefix(tag, lang+"-") || strings.HasPrefix(tag, lang+"_") {
				return lang
			}
		}
		return "en"
	}
	var n scripts
	n.count(in.root)
	if n.han+n.cyrillic+n.latin == 0 {
		n.count(prompt)
	}
	switch {
	case n.han*5 > n.latin && n.han*5 > n.cyrillic: // a word takes one or two characters there, about five elsewhere
		return "zh"
	case n.cyrillic > 0 && n.cyrillic >= n.latin: // identifiers are Latin everywhere
		return "ru"
	}
	return "en"
}

type scripts struct{ han, cyrillic, latin int }

func (n *scripts) count(v any) {
	switch v := v.(type) {
	case map[string]any:
		for _, child := range v {
			n.count(child)
		}
	case []any:
		for _, child := range v {
			n.count(child)
		}
	case string:
		for _, c := range v {
			switch {
			case unicode.Is(unicode.Han, c):
				n.han++
			case unicode.Is(unicode.Cyrillic, c):
				n.cyrillic++
			case unicode.Is(unicode.Latin, c):
				n.latin++
			}
		}
	}
}

// clean brings a piece of foreign text into a sentence of ours: one line, without our own label, not too long.
func clean(s string, limit int) string {
	s = strings.Join(strings.Fields(unlabel(s)), " ")
	if r := []rune(s); len(r) > limit {
		s = string(r[:limit])
		if i := strings.LastIndex(s, " "); i > len(s)/2 {
			s = s[:i]
		}
	}
	return strings.Trim(s, " .,;:!?。，；：！？\"'«»“”`*_#")
}

func has(object map[string]any, keys ...string) bool {
	return slices.ContainsFunc(keys, func(k string) bool { _, ok := object[k]; return ok })
}

func containsAny(s string, parts ...string) bool {
	return slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(s, p) })
}

func unique(list []string) []string {
	var out []string
	for _, s := range list {
		if s != "" && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}
