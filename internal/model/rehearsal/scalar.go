package rehearsal

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"sluice/internal/digest"
)

// number writes a number inside its bounds.
func (m *maker) number(s schema, f field) any {
	low, high, step := s.bounds()
	v := m.amount(f, low, high)
	if step > 0 {
		v = math.Round(v/step) * step
	} else {
		v = math.Round(v*100) / 100
	}
	v = min(max(v, low), high)
	if s.kind() == "integer" {
		return json.Number(strconv.FormatInt(int64(v), 10))
	}
	return json.Number(strconv.FormatFloat(v, 'f', -1, 64))
}

// amount chooses a number by the name of its field.
func (m *maker) amount(f field, low, high float64) float64 {
	rng := m.rng(f.path)
	switch {
	case strings.HasSuffix(f.name, "score") || f.judge && !math.IsInf(high, 1) || containsAny(f.path, "scores/", "rubric/", "breakdown/"):
		top := high
		if math.IsInf(top, 1) {
			top = 100
		}
		return top * (0.9 + 0.1*float64(rng.IntN(9))/10)
	case f.name == "estimated_person_days" && f.fresh:
		return m.share(f)
	case refersBack(f.list) && f.index >= 0:
		return float64(f.index + 1)
	}
	if v, ok := m.in.number(f.scope, f.name); ok {
		return v
	}
	switch {
	case strings.HasSuffix(f.name, "_number") || f.name == "seq" || f.name == "order" || f.name == "index" || f.name == "step" || f.name == "number" || f.name == "priority":
		return float64(f.index + 1)
	case containsAny(f.name, "words", "word_count"):
		if n, ok := m.target(f.scope); ok {
			return float64(n)
		}
		return 800
	case f.name == "age":
		return float64(20 + rng.IntN(40))
	case containsAny(f.name, "confidence", "ratio", "probability"):
		return min(0.9, high)
	}
	switch {
	case !math.IsInf(low, -1) && !math.IsInf(high, 1):
		return low + rng.Float64()*(high-low)
	case !math.IsInf(low, -1):
		return math.Ceil(low) + float64(rng.IntN(5))
	case !math.IsInf(high, 1):
		return high - float64(rng.IntN(5))
	}
	return float64(1 + rng.IntN(5))
}

// share divides the estimate of what is split among its parts, and keeps each part below the threshold.
func (m *maker) share(f field) float64 {
	limit, ok := m.in.number(nil, "one_shot_threshold_person_days", "threshold_person_days", "threshold")
	if !ok || limit <= 0 {
		limit = 10
	}
	days := float64(1 + m.rng(f.path).IntN(3))
	if whole, ok := m.in.number(f.scope, "estimated_person_days"); ok {
		days = math.Ceil(whole/float64(max(1, f.total))*10) / 10
	}
	return min(days, limit)
}

// text writes a string: by its pattern or format, as the inputs have it, or by the name of its field.
func (m *maker) text(s schema, f field) string {
	limit := s.count("maxLength", math.MaxInt32)
	if format, _ := s.doc["format"].(string); format != "" {
		if v, ok := m.formatted(format, f); ok {
			return v
		}
	}
	if pattern, _ := s.doc["pattern"].(string); pattern != "" {
		if v, ok := m.echo(f); ok && s.takes(v) {
			return v
		}
		return m.matching(pattern, f)
	}
	v, ok := m.echo(f)
	if !ok || !s.takes(v) {
		v = m.written(f, limit)
	}
	return m.fit(v, s.count("minLength", 0), limit)
}

// matching writes a text by its pattern. In a list the items take turns through what few draws show to be possible, in
// order where that is little, so that items named A to D are A, B, C.
func (m *maker) matching(pattern string, f field) string {
	if f.list == "" {
		return example(pattern, m.rng(f.path))
	}
	rng := m.rng(f.list + "/" + f.name)
	var seen []string
	for range 200 {
		if s := example(pattern, rng); !slices.Contains(seen, s) {
			seen = append(seen, s)
		}
	}
	if len(seen) < 64 {
		slices.Sort(seen)
	}
	return seen[max(0, f.index)%len(seen)]
}

// echo gives what the inputs have under this name. Prose is not given back: it is what the reply is wanted for.
func (m *maker) echo(f field) (string, bool) {
	if v, ok := m.answer(f.name); ok {
		return v, true
	}
	if prose(f.name) || f.name == "" || f.list == f.name {
		return "", false
	}
	v, ok := m.in.lookup(f.name, f.scope)
	if !ok && strings.HasSuffix(f.name, "_id") && len(f.scope) > 0 {
		v, ok = f.scope[len(f.scope)-1]["id"] // criterion_id means the id of the item it answers
	}
	if f.fresh && (strings.HasSuffix(f.name, "title") || strings.HasSuffix(f.name, "_id") || f.name == "id" || f.name == "name") {
		return "", false // several new things cannot all have the name of the one they come from
	}
	s, isText := v.(string)
	return s, ok && isText && s != ""
}

// answer finds what a person answered to the question about a field, as {path: value} or [{path, value}].
func (m *maker) answer(name string) (string, bool) {
	given, _ := m.in.lookup("answers", nil)
	about := func(path string) bool { return name != "" && (path == name || strings.HasSuffix(path, "."+name)) }
	switch given := given.(type) {
	case map[string]any:
		for path, v := range given {
			if s, ok := v.(string); ok && about(path) {
				return s, true
			}
		}
	case []any:
		for _, item := range objectsOf(given) {
			path, _ := item["path"].(string)
			for _, key := range []string{"value", "answer"} {
				if s, ok := item[key].(string); ok && about(path) {
					return s, true
				}
			}
		}
	}
	return "", false
}

func (m *maker) formatted(format string, f field) (string, bool) {
	switch format {
	case "date-time":
		return "2026-01-01T00:00:00Z", true
	case "date":
		return "2026-01-01", true
	case "time":
		return "00:00:00Z", true
	case "uuid":
		if v, ok := m.echo(f); ok && fits(v, "^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$") {
			return v, true
		}
		return m.uuid(f.path), true
	case "email":
		return "rehearsal@example.invalid", true
	case "uri", "url":
		return "https://example.invalid/rehearsal", true
	}
	return "", false
}

func (m *maker) uuid(path string) string {
	h := digest.Of([]byte(string(m.seed) + path)).Hex()
	return fmt.Sprintf("%s-%s-4%s-8%s-%s", h[:8], h[8:12], h[13:16], h[17:20], h[20:32])
}

// written makes a text by the name of its field.
func (m *maker) written(f field, limit int) string {
	name := f.name
	if s, ok := m.fact(f); ok {
		return s
	}
	if s, ok := m.formOf(f); ok {
		return s
	}
	switch {
	case name == "id" || strings.HasSuffix(name, "_id"):
		return m.identifier(name, f)
	case name == "name" || name == "names" || containsAny(f.list, "character") && f.list == name:
		return m.person(f)
	case name == "world_name" || containsAny(name, "location", "place") && !prose(name):
		return m.place(f)
	case name == "title" || strings.HasSuffix(name, "_title") || strings.HasSuffix(name, "_name") || name == "heading":
		return m.title(f)
	case containsAny(name, "anchor", "time_period"):
		return strings.ReplaceAll(m.words.day, "{n}", strconv.Itoa(m.ordinal(f)))
	case name == "filename" || strings.HasSuffix(name, "_filename") || name == "file":
		return "deliverable-" + hex.EncodeToString([]byte{byte(f.index + 1)}) + "." + m.format(f)
	case name == "format":
		return "md"
	case name == "output_dir" || name == "dir":
		return "."
	case name == "language":
		return m.lang
	case name == "gender":
		return m.pick(f.path, m.words.genders)
	case short(name) || limit < 40:
		return m.pick(f.path, m.words.shorts)
	case long(name):
		return m.body(f)
	}
	return m.remark(f)
}

// ordinal is the number of the chapter or item that a text belongs to.
func (m *maker) ordinal(f field) int {
	if n, ok := m.in.number(f.scope, "chapter_number", "scene_number"); ok && !f.fresh {
		return int(n)
	}
	return f.index + 1
}

// identifier numbers things by the initials of their list: AC-1 of acceptance_criteria, T-2 of tasks.
func (m *maker) identifier(name string, f field) string {
	source := strings.TrimSuffix(name, "_id")
	if name == "id" {
		source = f.list
	}
	initials := ""
	for part := range strings.SplitSeq(source, "_") {
		if part != "" {
			initials += strings.ToUpper(part[:1])
		}
	}
	if len(source) == 2 {
		initials = strings.ToUpper(source) // vv is VV
	}
	if initials == "" {
		initials = "R"
	}
	return fmt.Sprintf("%s-%d", initials, f.index+1)
}

// fit cuts or lengthens a text to its bounds, in characters.
func (m *maker) fit(s string, low, high int) string {
	if r := []rune(s); len(r) > high {
		s = strings.TrimSpace(string(r[:high]))
	}
	for utf8.RuneCountInString(s) < low {
		add := m.words.space + m.words.document[len(s)%len(m.words.document)]
		s += strings.ReplaceAll(add, "{topic}", m.topic(nil))
	}
	if r := []rune(s); len(r) > high {
		s = string(r[:high])
	}
	return s
}

// prose tells that a field wants a text of its own, not what the inputs say under the same name.
func prose(name string) bool {
	switch name {
	case "summary", "description", "why", "reason", "reasons", "rationale", "evidence", "note", "notes", "comment", "feedback", "context_snapshot":
		return true
	}
	return long(name) || strings.HasSuffix(name, "_summary")
}

func long(name string) bool {
	switch name {
	case "content", "text", "body", "prose", "draft", "markdown", "document", "story", "deliverable":
		return true
	}
	return strings.HasSuffix(name, "_text") || strings.HasSuffix(name, "_content") || strings.HasSuffix(name, "_draft")
}

// short tells that a field wants a word or two, which carry no label.
func short(name string) bool {
	switch name {
	case "role", "type", "kind", "tone", "mood", "genre", "unit", "category", "intensity", "severity", "status", "age", "tag", "tags", "owner", "priority", "abilities":
		return true
	}
	return strings.HasSuffix(name, "_type") || strings.HasSuffix(name, "_role") || strings.HasPrefix(name, "owner_") || strings.HasSuffix(name, "_level")
}
