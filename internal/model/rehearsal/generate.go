package rehearsal

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"sluice/internal/digest"
	"sluice/internal/fault"
	"sluice/internal/model"
)

// maker writes one reply.
type maker struct {
	seed  digest.Digest // of the request without its take
	take  int
	agent string
	in    *inputs
	lang  string
	words vocabulary
}

// field is the place of a value in the reply, and what of the inputs it answers.
type field struct {
	name  string
	path  string
	scope []map[string]any // items of the inputs being answered, innermost last
	list  string           // the list it is an item of, or is inside of
	index int              // in that list
	total int              // how long that list is
	fresh bool             // the list answers no list of the inputs: it was made up here
	judge bool             // its object carries a verdict or a score
	of    string           // the map it is a value of; then its name is the key
	stage []string         // who of the people comes in the item of a new list
}

func (f field) child(name string) field {
	f.name, f.path, f.of = name, f.path+"/"+name, ""
	return f
}

// compose writes the reply to a request: JSON by its schema, or plain text.
func compose(r model.Request, given map[string]any) (string, error) {
	seed, err := seedOf(r)
	if err != nil {
		return "", fault.Wrap(fault.BadValue, r.Agent, err, "the request of %s cannot be read", r.Agent)
	}
	in := readInputs(given)
	lang := in.language(r.Prompt)
	m := &maker{seed: seed, take: r.Scope.Take, agent: r.Agent, in: in, lang: lang, words: vocabularyOf(lang)}
	m.words.people = slices.DeleteFunc(m.words.people, in.forbidden)
	m.words.things = allowed(m.words.things, in)
	m.words.places = allowed(m.words.places, in)
	if len(r.Schema) == 0 {
		return m.plain(), nil
	}
	doc, err := decode(r.Schema)
	if err != nil {
		return "", fault.Wrap(fault.BadValue, r.Agent, err, "the schema of %s is not JSON", r.Agent)
	}
	root, _ := doc.(map[string]any)
	return render(m.value(schema{root: root}.sub(root), field{path: "#"}))
}

// allowed leaves out what must not be mentioned, unless nothing would be left.
func allowed(list []string, in *inputs) []string {
	if kept := slices.DeleteFunc(slices.Clone(list), in.forbidden); len(kept) > 0 {
		return kept
	}
	return list
}

// seedOf is made of everything that may change a text but the take, which moves on from there. The run is left out: the same book told twice reads the same.
func seedOf(r model.Request) (digest.Digest, error) {
	canonical := func(raw json.RawMessage) (string, error) {
		if len(raw) == 0 {
			return "", nil
		}
		b, err := digest.CanonicalJSON(raw)
		return string(b), err
	}
	given, err := canonical(r.Inputs)
	if err != nil {
		return "", err
	}
	shape, err := canonical(r.Schema)
	if err != nil {
		return "", err
	}
	return digest.OfValue([]string{r.Agent, r.System, r.Prompt, given, shape, r.Scope.Node, r.Scope.Slot})
}

// rng gives each place of the reply its own chance, so that a new field does not change all the others.
func (m *maker) rng(path string) *rand.Rand {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %s %d", m.seed, path, m.take))
	return rand.New(rand.NewPCG(binary.BigEndian.Uint64(sum[:8]), binary.BigEndian.Uint64(sum[8:16])))
}

// pick chooses from a list. The next take has the next choice, so that two takes in a row never read the same.
func (m *maker) pick(path string, list []string) string { return list[(m.turn(path)+m.take)%len(list)] }

// turn is where a place of the reply begins in a list.
func (m *maker) turn(path string) int {
	sum := sha256.Sum256([]byte(string(m.seed) + path))
	return int(sum[0])
}

// value writes what a schema asks for.
func (m *maker) value(s schema, f field) any {
	if v, ok := s.doc["const"]; ok {
		return v
	}
	if list, ok := s.doc["enum"].([]any); ok && len(list) > 0 {
		return m.choice(list, f)
	}
	switch s.kind() {
	case "object":
		return m.object(s, f)
	case "array":
		return m.array(s, f)
	case "integer", "number":
		return m.number(s, f)
	case "boolean":
		return m.boolean(f)
	case "null":
		return nil
	}
	return m.text(s, f)
}

// choice takes the approving value, then the one the inputs have under this name, then the first; kinds take turns.
func (m *maker) choice(list []any, f field) any {
	for _, v := range list {
		if s, ok := v.(string); ok && approves(s) {
			return v
		}
	}
	if v, ok := m.in.lookup(f.name, f.scope); ok && slices.ContainsFunc(list, func(e any) bool { return subset(e, v) }) {
		return v
	}
	list = slices.DeleteFunc(slices.Clone(list), func(v any) bool { return v == nil })
	if len(list) == 0 {
		return nil
	}
	if f.name == "type" || f.name == "kind" || strings.HasSuffix(f.name, "_type") || f.list == f.name {
		return list[f.index%len(list)]
	}
	return list[0]
}

func approves(s string) bool {
	switch strings.ToLower(s) {
	case "approved", "approve", "pass", "passed", "accepted", "accept", "go", "ok", "success", "compliant", "valid", "consistent":
		return true
	}
	return false
}

func (m *maker) boolean(f field) bool {
	if f.name == "one_shot_pass" {
		days, known := m.in.number(f.scope, "estimated_person_days")
		limit, bounded := m.in.number(f.scope, "one_shot_threshold_person_days", "threshold_person_days", "threshold")
		return !known || !bounded || days <= limit
	}
	if v, ok := m.in.lookup(f.name, f.scope); ok && !f.judge {
		if b, ok := v.(bool); ok {
			return b
		}
	}
	return !containsAny(f.name, "fail", "block", "violat", "issue", "missing", "error", "reject", "conflict", "skip", "risk")
}

// object writes every property it knows, required or not; a map gets keys that the inputs suggest.
func (m *maker) object(s schema, f field) any {
	if v, ok := m.in.lookup(f.name, f.scope); ok && f.name != "" {
		if item, ok := v.(map[string]any); ok {
			f.scope = append(slices.Clone(f.scope), item)
		}
	}
	properties := s.properties()
	if plan, ok := m.plan(s, f); ok {
		return plan
	}
	out := make(map[string]any)
	f.judge = has(properties, "verdict", "overall_score", "total_score", "score", "pass", "passed", "issues")
	deep := strings.Count(f.path, "/") > 12 // a schema that refers to itself ends here
	required := s.required()
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if deep && !slices.Contains(required, name) || name == "error" || name == "errors" && !slices.Contains(required, name) {
			continue
		}
		out[name] = m.value(s.sub(properties[name]), f.child(name))
	}
	free := s.sub(s.doc["additionalProperties"])
	for _, name := range required {
		if _, ok := out[name]; !ok {
			out[name] = m.value(free, f.child(name))
		}
	}
	if len(properties) == 0 && s.doc["additionalProperties"] != false {
		m.fillMap(out, s, free, f)
	}
	return out
}

// fillMap writes a free map: the keys of the input of the same name, else the people that occur.
func (m *maker) fillMap(out map[string]any, s, free schema, f field) {
	var keys []string
	if v, ok := m.in.lookup(f.name, f.scope); ok {
		if given, ok := v.(map[string]any); ok {
			keys = slices.Sorted(maps.Keys(given))
		}
	}
	switch {
	case len(keys) > 0 || len(free.doc) == 0:
	case f.name == "relationships":
		keys = m.company(f)
	default:
		keys = m.cast(f)
	}
	for i := 0; len(keys) < s.count("minProperties", 0); i++ {
		keys = append(keys, fmt.Sprintf("key_%d", i+1))
	}
	for _, k := range keys[:min(len(keys), s.count("maxProperties", 8))] {
		value := f.child(k)
		value.of = f.name
		out[k] = m.value(free, value)
	}
}

// array writes one item for each item of the list it answers, else as many as the inputs or the schema say.
func (m *maker) array(s schema, f field) any {
	out := []any{}
	low, high := s.count("minItems", 0), s.count("maxItems", 50)
	if prefix, ok := s.doc["prefixItems"].([]any); ok {
		for i, item := range prefix {
			out = append(out, m.value(s.sub(item), f.child(strconv.Itoa(i))))
		}
		return out
	}
	if complaint(f.name) && low == 0 {
		return out
	}
	items := s.sub(s.doc["items"])
	if items.kind() != "object" {
		return m.scalars(items, f, low, high, s.doc["uniqueItems"] == true)
	}
	var given []map[string]any
	if !refersBack(f.name) {
		if given = m.sentences(f, items); given == nil {
			given = m.in.objects(f.name, identifiers(items), f.scope)
			given = append(given, m.in.uncovered(f.name, identifiers(items), given)...)
		}
	}
	total := len(given)
	if given == nil {
		total = m.howMany(f, 3, low, high)
	}
	for i := range max(low, min(total, high)) {
		item := f.child(strconv.Itoa(i))
		item.list, item.index, item.total, item.fresh, item.name = f.name, i, total, given == nil, ""
		if refersBack(f.name) {
			item.list, item.index = f.name, f.index-1 // what it points at is the item before
		}
		if item.fresh && has(items.properties(), "characters") {
			item.stage = m.stage(i)
		}
		if i < len(given) {
			item.scope = append(slices.Clone(f.scope), given[i])
		}
		out = append(out, m.value(items, item))
	}
	return out
}

// sentences reads a list of texts under the name of a list of objects as the telling field of each.
func (m *maker) sentences(f field, items schema) []map[string]any {
	v, _ := m.in.lookup(f.name, f.scope)
	var out []map[string]any
	for _, text := range stringsOf(v) {
		for _, key := range tellingKeys {
			if has(items.properties(), key) {
				out = append(out, map[string]any{key: text})
				break
			}
		}
	}
	return out
}

// complaint tells that a list is empty when all is well.
func complaint(name string) bool {
	switch name {
	case "issues", "findings", "violations", "missing", "errors", "warnings", "problems", "conflicts", "gaps", "defects":
		return true
	}
	return strings.HasPrefix(name, "missing_") || strings.HasSuffix(name, "_issues") || strings.HasSuffix(name, "_violations")
}

// refersBack tells that the items of a list point at earlier items of the list around it.
func refersBack(name string) bool {
	return name == "dependencies" || name == "depends_on" || name == "prerequisites"
}

// identifiers are the fields by which the items of a reply name what they answer.
func identifiers(items schema) []string {
	var ids []string
	for _, name := range slices.Sorted(maps.Keys(items.properties())) {
		if name == "id" || name == "path" || name == "name" || strings.HasSuffix(name, "_id") || strings.HasSuffix(name, "_number") {
			ids = append(ids, name)
		}
	}
	return ids
}

// longest is how many items a list may have because the inputs say so.
const longest = 10_000

// howMany reads the length of a list from the inputs: target_chapters, chapter_count, parts …
func (m *maker) howMany(f field, otherwise, low, high int) int {
	if refersBack(f.name) {
		return max(low, min(f.index, 1)) // the first item has nothing before it
	}
	one := strings.TrimSuffix(f.name, "s")
	names := []string{"target_" + f.name, f.name + "_count", one + "_count", "number_of_" + f.name, "num_" + f.name, f.name}
	if len(f.scope) == 0 && f.list == "" {
		names = append(names, "parts", "count")
	}
	if n, ok := m.in.number(f.scope, names...); ok && n >= 0 {
		otherwise = int(min(n, longest))
		if high == 50 {
			high = longest
		}
	}
	return max(low, min(otherwise, high))
}

// scalars writes a list of texts or numbers.
func (m *maker) scalars(items schema, f field, low, high int, distinct bool) any {
	if v, ok := m.in.lookup(f.name, f.scope); ok && !refersBack(f.name) && items.kind() == "string" && items.doc["enum"] == nil {
		list := stringsOf(v)
		unfit := func(text any) bool { s, _ := text.(string); return !items.takes(s) }
		if f.name == "characters" && len(f.stage) >= max(1, low) {
			return anyOf(f.stage)
		}
		if len(list) >= max(1, low) && len(list) <= high && !slices.ContainsFunc(list, unfit) {
			return list
		}
	}
	if low == 0 && (m.givenEmpty(f) || containsAny(f.name, "absent", "forbidden", "excluded", "must_not")) {
		return []any{} // nobody was named to be kept out, and nobody is invented for that
	}
	n := m.howMany(f, 2, low, high)
	if people := m.cast(f); containsAny(f.name, "character") && items.kind() == "string" {
		n = max(low, min(len(people), high, 4))
	}
	if values, ok := items.doc["enum"].([]any); ok && distinct {
		n = min(n, len(values))
	}
	out := []any{}
	for i := range n {
		item := f.child(strconv.Itoa(i))
		item.name, item.list = f.name, f.name
		if refersBack(f.name) && free(items) && items.kind() != "boolean" && items.kind() != "array" {
			out = append(out, m.reference(items, f))
			continue
		}
		item.index, item.total = i, n
		v := m.value(items, item)
		if s, ok := v.(string); ok && distinct && slices.Contains(out, v) {
			v = fmt.Sprintf("%s %d", s, i+1)
		}
		out = append(out, v)
	}
	return out
}

// stage takes turns with people: each item of a new list has the first of those who may come, and one of the others.
func (m *maker) stage(i int) []string {
	names := m.in.names
	if len(names) < 3 {
		return names
	}
	return []string{names[0], names[1+(i+m.take)%(len(names)-1)]}
}

func anyOf(list []string) []any {
	out := make([]any, 0, len(list))
	for _, s := range list {
		out = append(out, s)
	}
	return out
}

// givenEmpty tells that the inputs have a list under this name and nothing in it.
func (m *maker) givenEmpty(f field) bool {
	v, ok := m.in.lookup(f.name, f.scope)
	list, isList := v.([]any)
	return ok && isList && len(list) == 0
}

// free tells that a schema asks for no more than a type.
func free(s schema) bool {
	return len(without(without(s.doc, "type"), "description")) == 0
}

// reference names the item before this one, the way this one is named.
func (m *maker) reference(items schema, f field) any {
	if items.kind() != "string" {
		return json.Number(strconv.Itoa(f.index))
	}
	before := f
	before.index, before.scope = f.index-1, nil
	return m.identifier("id", before)
}

func stringsOf(v any) []any {
	list, _ := v.([]any)
	for _, item := range list {
		if _, ok := item.(string); !ok {
			return nil
		}
	}
	return list
}
