package rehearsal

import (
	"encoding/json"
	"html"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"regexp"
)

// target is how many words a text should have: characters in Chinese.
func (m *maker) target(scope []map[string]any) (int, bool) {
	n, ok := m.in.number(scope, "words", "estimated_words", "target_words", "words_per_scene", "word_count")
	return int(n), ok && n > 0 && n < 1e6
}

// topic is what a reply is about.
func (m *maker) topic(scope []map[string]any) string {
	if len(scope) > 0 {
		if s := telling(scope[len(scope)-1]); !m.in.forbidden(s) {
			return clean(s, 60)
		}
	}
	if s := clean(m.in.text(scope, "chapter_title", "scene_title", "title", "goal", "top_task", "premise", "theme", "core_theme", "question", "story_premise"), 60); s != "" {
		return s
	}
	if len(m.in.headings) > 0 {
		return m.in.headings[0]
	}
	if list := m.in.strings(nil, "pieces", "rest"); len(list) > 0 { // what a person wrote
		return clean(list[0], 60)
	}
	return or(strings.ReplaceAll(m.agent, "-", " "), provider)
}

// cast is who a text is about: the people of the item, else of the inputs, else invented ones.
func (m *maker) cast(f field) []string {
	for _, item := range slices.Backward(f.scope) {
		for _, key := range []string{"characters", "characters_present", "required_characters"} {
			list := &inputs{absent: m.in.absent}
			list.collect(key, item[key], 0, false)
			if names := slices.DeleteFunc(unique(list.names), list.forbidden); len(names) > 0 {
				return names
			}
		}
	}
	switch {
	case len(f.stage) > 0:
		return f.stage
	case len(m.in.names) > 0:
		return m.in.names
	case len(m.in.told) > 0:
		return m.in.told
	}
	n := len(m.words.people)
	if n < 2 {
		return []string{"R."}
	}
	first := m.rng("cast").IntN(n)
	return []string{m.words.people[first], m.words.people[(first+3)%n]}
}

// person gives each place of a list its own name.
func (m *maker) person(f field) string {
	known := m.in.names
	if f.list == f.name && f.index < len(known) && f.name != "" {
		return known[f.index]
	}
	if given := m.toldPerson(f); given != "" {
		return given
	}
	if len(m.words.people) == 0 {
		return "R."
	}
	// Protagonist, antagonist and the rest are different people: the path turns the wheel, the index moves it on.
	at := m.rng("people").IntN(len(m.words.people)) + f.index
	switch {
	case strings.Contains(f.path, "antagonist") && !strings.Contains(f.path, "protagonist"):
		at++
	case f.list != "":
		at += 2
	}
	return m.words.people[at%len(m.words.people)]
}

// toldPerson is who the premise has for this place: its first name is the protagonist, the others are the rest.
func (m *maker) toldPerson(f field) string {
	at := 0
	switch {
	case f.list != "":
		at = f.index + 1
	case !strings.Contains(f.path, "protagonist"):
		return ""
	}
	if at < len(m.in.told) {
		return m.in.told[at]
	}
	return ""
}

// company is whom a person of the reply has to do with: the protagonist, and the protagonist with the first of the others.
func (m *maker) company(f field) []string {
	if len(m.in.names) > 0 {
		return m.in.names
	}
	hero := m.person(field{name: "name", path: "#/protagonist/name"})
	if !strings.Contains(f.path, "protagonist") {
		return []string{hero}
	}
	return []string{m.person(field{name: "name", path: "#/supporting/0/name", list: "supporting"})}
}

func (m *maker) place(f field) string {
	if s := m.in.text(f.scope, "location", "place"); s != "" {
		return clean(s, 40)
	}
	if n := len(m.in.places); n > 0 && f.of != "" {
		return m.in.places[n-1] // where people are in the end
	}
	if len(m.in.places) > 0 {
		return m.in.places[f.index%len(m.in.places)]
	}
	if f.name == "world_name" && m.in.world != "" {
		return m.in.world
	}
	places := m.words.places
	return places[(m.rng("places").IntN(len(places))+f.index)%len(places)]
}

// title makes a short name without a label; in a list that was made up here each is another one.
func (m *maker) title(f field) string {
	titles := m.words.titles
	if !m.fiction() {
		topic := clean(m.topic(f.scope), 40)
		if f.list == "" {
			return topic
		}
		return topic + " · " + strings.ReplaceAll(m.words.part, "{n}", strconv.Itoa(f.index+1))
	}
	n := m.rng("titles").IntN(len(titles)) + f.index
	title := titles[n%len(titles)]
	if f.index >= len(titles) {
		title += " " + strconv.Itoa(f.index/len(titles)+1)
	}
	return title
}

// fiction tells a story from a report.
func (m *maker) fiction() bool {
	if len(m.in.names) > 0 {
		return true
	}
	for _, key := range []string{"premise", "world", "characters", "blueprint", "scene_number", "chapter_number", "outline"} {
		if _, ok := m.in.lookup(key, nil); ok {
			return true
		}
	}
	return false
}

// remark is the sentence of a field in a form.
func (m *maker) remark(f field) string {
	if f.name == "evidence" {
		return m.mark(m.say(m.words.seen, f, m.topic(f.scope)))
	}
	if !m.fiction() || f.judge {
		return m.mark(m.say(m.pick(f.path, m.words.remarks), f, ""))
	}
	s := m.say(m.pick(f.path, m.words.story), f, "")
	switch {
	case prose(f.name):
		s = m.say(m.pick(f.path, m.words.openings), f, "") + m.words.space + s
	case f.list == "":
		s = m.topic(f.scope) + m.words.colon + s
	}
	return m.mark(s)
}

// mark labels a text.
func (m *maker) mark(s string) string { return m.words.label + m.words.space + s }

// say fills the slots of a sentence, each time for this place alike.
func (m *maker) say(sentence string, f field, point string) string {
	return m.fill(sentence, m.scene(f), point, m.rng(f.path+sentence))
}

// scene is what the sentences of one text share.
type scene struct {
	cast         []string
	place, topic string
}

func (m *maker) scene(f field) scene { return scene{m.cast(f), m.place(f), m.topic(f.scope)} }

func (m *maker) fill(sentence string, at scene, point string, rng *rand.Rand) string {
	s := strings.NewReplacer(
		"{name}", at.cast[rng.IntN(len(at.cast))], "{place}", at.place, "{thing}", m.words.things[rng.IntN(len(m.words.things))],
		"{topic}", at.topic, "{point}", point,
	).Replace(sentence)
	first, rest := []rune(s)[:1], []rune(s)[1:]
	return string(unicode.ToUpper(first[0])) + string(rest)
}

// wanted lists what a text must not leave out: beats, actions, criteria.
func (m *maker) wanted(scope []map[string]any) []string {
	var all []string
	for _, key := range []string{"beats", "key_actions", "key_events", "mechanics", "required_mechanics", "acceptance_criteria", "criteria", "constraints", "purpose"} {
		if list := m.in.strings(scope, key); len(list) > 0 {
			all = append(all, list...)
		} else if s := clean(m.in.text(scope, key), 120); s != "" {
			all = append(all, s)
		}
	}
	return unique(all)
}

// body writes a long text: a revision of the one that is there, a story, or a report.
func (m *maker) body(f field) string {
	if len(f.scope) > 0 {
		if old, ok := f.scope[len(f.scope)-1][f.name].(string); ok && strings.TrimSpace(old) != "" {
			notes := strings.TrimLeft(clean(m.in.text(nil, "revision_notes", "notes", "feedback"), 120), "- ")
			return m.mark(strings.Join([]string{
				strings.TrimSpace(unlabel(old)), m.say(m.words.revised, f, or(notes, m.topic(f.scope))), m.say(m.pick(f.path, m.words.story), f, ""),
			}, m.words.space))
		}
	}
	n, ok := m.target(f.scope)
	if !ok {
		n = 120
	}
	return m.mark(m.compose(f, n, m.fiction()))
}

// compose writes about n words: an opening, everyone and everything that is wanted, then what the language offers.
func (m *maker) compose(f field, n int, story bool) string {
	rng := m.rng(f.path + "/body")
	at := m.scene(f)
	must, pool := m.script(f, at, rng, story)
	pool = allowed(pool, m.in)
	var b strings.Builder
	size := measure(m.words.label)
	for i := 0; size < n; i++ {
		var s string
		if i < len(must) {
			s = must[i]
		} else {
			s = m.fill(pool[(i-len(must))%len(pool)], at, "", rng)
			if (i-len(must))%len(pool) == len(pool)-1 {
				rng.Shuffle(len(pool), func(a, b int) { pool[a], pool[b] = pool[b], pool[a] })
			}
		}
		if over := size + measure(s) - n; over > n/20 && size > 0 {
			if n-size < n/15 {
				break
			}
			s = m.cut(s, n-size)
		}
		size += measure(s)
		switch {
		case i == 0:
		case i%5 == 0:
			b.WriteString("\n\n")
		default:
			b.WriteString(m.words.space)
		}
		b.WriteString(s)
	}
	text := strings.TrimSpace(b.String())
	if !story {
		return text
	}
	return m.mention(f, at, text, rng)
}

// mention adds a sentence for everything that must be mentioned and is not yet.
func (m *maker) mention(f field, at scene, text string, rng *rand.Rand) string {
	for i, point := range m.in.strings(f.scope, "must_mention") {
		if !names(text, point) {
			text += m.words.space + m.fill(m.words.beats[i%len(m.words.beats)], at, point, rng)
		}
	}
	return text
}

// script gives the sentences that must come, in order, and those that may follow.
func (m *maker) script(f field, at scene, rng *rand.Rand, story bool) (must, pool []string) {
	wanted := m.wanted(f.scope)
	if !story {
		must = append(must, m.fill(m.words.document[0], at, "", rng))
		for i, point := range wanted {
			must = append(must, m.fill(m.words.points[i%len(m.words.points)], at, point, rng))
		}
		pool = slices.Clone(m.words.document[1:])
	} else {
		must = append(must, m.fill(m.words.openings[rng.IntN(len(m.words.openings))], at, "", rng))
		for _, name := range at.cast {
			line := m.words.story[2+rng.IntN(2)*4] // one of two lines that have a speaker
			must = append(must, m.fill(strings.ReplaceAll(line, "{name}", name), at, "", rng))
		}
		for i, point := range wanted {
			must = append(must, m.fill(m.words.beats[i%len(m.words.beats)], at, point, rng))
		}
		pool = slices.Clone(m.words.story)
	}
	rng.Shuffle(len(pool), func(a, b int) { pool[a], pool[b] = pool[b], pool[a] })
	return must, pool
}

// cut keeps the first n words of a sentence.
func (m *maker) cut(s string, n int) string {
	kept := 0
	for i, c := range s {
		if unicode.Is(unicode.Han, c) || c == ' ' {
			if kept++; kept > max(1, n) || kept == max(1, n) && c == ' ' {
				return strings.TrimRight(s[:i], " ,;:，；：—") + m.words.stop
			}
		}
	}
	return s
}

// measure counts words, and characters of Chinese.
func measure(s string) int {
	n, inside := 0, false
	for _, c := range s {
		switch {
		case unicode.Is(unicode.Han, c):
			n, inside = n+1, false
		case unicode.IsLetter(c) || unicode.IsDigit(c) || inside && (c == '\'' || c == '-'):
			if !inside {
				n++
			}
			inside = true
		default:
			inside = false
		}
	}
	return n
}

// plain writes a reply without a schema: a story where a teller is asked, else a document in the wanted format.
func (m *maker) plain() string {
	f := field{path: "#"}
	if m.fiction() && m.tells() {
		return m.body(f)
	}
	n, ok := m.in.number(nil, "words")
	if !ok || n < 1 || n > 1e6 {
		n = 120
	}
	title, text := clean(m.topic(nil), 60), m.compose(f, int(n), false)
	switch m.format(f) {
	case "html", "htm":
		return "<!doctype html>\n<html lang=\"" + m.lang + "\">\n<head><meta charset=\"utf-8\"><title>" + html.EscapeString(title) +
			"</title></head>\n<body>\n<h1>" + html.EscapeString(title) + "</h1>\n<p>" +
			strings.ReplaceAll(html.EscapeString(m.mark(text)), "\n\n", "</p>\n<p>") + "</p>\n</body>\n</html>\n"
	case "json":
		doc, err := json.MarshalIndent(map[string]string{"title": title, "note": m.mark(text)}, "", "  ")
		if err == nil {
			return string(doc) + "\n"
		}
	}
	return m.markdown(title, text)
}

// tells says that the agent is one who writes stories, by a word of its name.
func (m *maker) tells() bool {
	return slices.ContainsFunc(strings.Split(m.agent, "-"), func(word string) bool {
		return slices.Contains([]string{"text", "prose", "writer", "story", "revision"}, word)
	})
}

// markdown gives the headings of the source back, and lists the people, places and criteria found there.
func (m *maker) markdown(title, text string) string {
	var b strings.Builder
	b.WriteString("# " + title + "\n\n" + m.mark(text) + "\n")
	for _, h := range m.in.headings {
		if h != title {
			b.WriteString("\n## " + h + "\n\n" + m.say(m.pick(h, m.words.remarks), field{path: h}, "") + "\n")
		}
	}
	list := slices.Concat(m.in.names, m.in.places, m.in.strings(nil, "acceptance_criteria", "criteria"))
	for i, item := range unique(list) {
		if i == 0 {
			b.WriteString("\n")
		}
		b.WriteString("- " + item + "\n")
	}
	return b.String()
}

// format is the kind of file that is wanted.
func (m *maker) format(f field) string {
	if s := strings.ToLower(m.in.text(f.scope, "format")); regexp.MustCompile(`^[a-z0-9]{1,8}$`).MatchString(s) {
		return s
	}
	return "md"
}

func fits(s, pattern string) bool {
	ok, err := regexp.MatchString(pattern, s)
	return err == nil && ok
}

func or(a, b string) string {
	if a != "" {
		return a
	}
	return b
}
