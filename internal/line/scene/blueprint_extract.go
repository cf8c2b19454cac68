package scene

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// blueprint is a document on its way to constraints.
type blueprint struct {
	sections []section
	c        Constraints
	problems []Problem
}

func (b *blueprint) find(p part) []section {
	var out []section
	for _, s := range b.sections {
		if s.part == p {
			out = append(out, s)
		}
	}
	return out
}

func (b *blueprint) fault(kind, fix, format string, args ...any) {
	b.problems = append(b.problems, Problem{Type: kind, Severity: severityError, Message: fmt.Sprintf(format, args...), Fix: fix})
}

func (b *blueprint) warn(kind, fix, format string, args ...any) {
	b.problems = append(b.problems, Problem{Type: kind, Severity: severityWarning, Message: fmt.Sprintf(format, args...), Fix: fix})
}

// unmark takes the marks of Markdown away.
func unmark(s string) string {
	s = strings.NewReplacer("**", "", "__", "", "`", "").Replace(s)
	s = strings.Trim(strings.TrimSpace(s), "*_ ")
	return strings.Join(strings.Fields(s), " ")
}

// isNone tells that a list is said to be empty.
func isNone(s string) bool {
	s = plainLabel(brackets.ReplaceAllString(unmark(s), ""))
	return s == "" || slices.Contains([]string{"none", "nobody", "no one", "n/a", "n a", "na", "nil", "empty", "нет", "никто", "никого", "отсутствуют", "не требуется", "无", "没有", "暂无"}, s)
}

var locationSplit = regexp.MustCompile(`\s*(?:;|；|→|->|⇒|\s/\s|\sthen\s|\sзатем\s|，然后|然后)\s*`)

func (b *blueprint) location() {
	var found []string
	sections := b.find(partLocation)
	for _, s := range sections {
		for _, item := range s.placeItems() {
			if item = unmark(item); item != "" && !slices.Contains(found, item) {
				found = append(found, item)
			}
		}
	}
	switch {
	case len(sections) == 0:
		b.fault("missing_part", `add a heading "Location" with one place`, "the blueprint does not say where the scene takes place")
		return
	case len(found) == 0:
		b.fault("empty_part", "name one place under the heading", "the location is empty")
		return
	}
	if len(found) == 1 {
		if parts := locationSplit.Split(found[0], -1); len(parts) > 1 {
			found = slices.DeleteFunc(parts, func(s string) bool { return strings.TrimSpace(s) == "" })
		}
	}
	if len(found) > 1 {
		b.fault("several_locations", "keep one place, or divide the scene", "the scene has %d locations and may have one: %s", len(found), strings.Join(found, "; "))
		return
	}
	if b.c.Location = locationOf(found[0]); b.c.Location.Name == "" {
		b.fault("empty_part", "name one place under the heading", "the location %q has no name", found[0])
	}
}

// placeItems gives the places a section names. Bullets under a paragraph, and those with a label of another kind such as
// the time, tell more about the place and are none of their own.
func (s section) placeItems() []string {
	if s.inline != "" {
		return []string{s.inline}
	}
	var texts, items []string
	for _, l := range s.lines {
		label, rest, _, ok := splitLabel(l.text)
		switch {
		case l.kind == kindRow && len(l.cells) > 1 && !l.head:
			if p := partOf(l.cells[0]); p == partLocation || p == "" && !ok {
				items = append(items, strings.Join(l.cells[1:], " "))
			}
		case l.kind == kindText && ok && partOf(label) == "" && len(texts)+len(items) > 0:
		case ok && slices.Contains([]string{"name", "название", "имя", "名称"}, plainLabel(label)):
			return []string{rest}
		case l.kind == kindItem && ok && !strings.Contains(label, " "):
		case l.kind == kindItem && (len(items) == 0 || l.level == 0):
			items = append(items, l.text)
		case l.kind == kindText && len(texts) == 0 || l.kind == kindHeading:
			texts = append(texts, l.text)
		}
	}
	if len(texts) > 0 {
		return texts
	}
	return items
}

var stageWord = regexp.MustCompile(`(?i)^(?:int\./ext\.|int\.|ext\.|инт\.|нат\.)\s*`)

// locationOf divides the name of a place from what is said about it.
func locationOf(s string) Location {
	s = stageWord.ReplaceAllString(s, "")
	cut := len(s)
	for _, sep := range []string{" — ", " – ", " - ", "——", "(", "（", ", ", "，", ". ", "。", ": ", "："} {
		if i := strings.Index(s, sep); i > 0 && i < cut {
			cut = i
		}
	}
	return Location{Name: strings.Trim(s[:cut], " .。,，"), Detail: strings.Trim(s[cut:], " —–-()（）,，.。:：")}
}

var alsoKnown = regexp.MustCompile(`(?i)^(?:aka|a\.k\.a\.|also known as|also|alias|он же|она же|также|又名|别名|亦称)[:：\s]+(.+)$`)

func (b *blueprint) characters() {
	present, absent := b.find(partPresent), b.find(partAbsent)
	var in, out []Character
	for _, s := range present {
		in = append(in, s.people()...)
	}
	for _, s := range absent {
		out = append(out, s.people()...)
	}
	stated := len(absent) > 0
	for _, s := range b.find(partCharacters) {
		for _, c := range s.people() {
			if saysAbsent(c.Note) {
				out, stated = append(out, c), true
			} else {
				in = append(in, c)
			}
		}
	}
	if len(in) == 0 {
		b.fault("missing_part", `add a heading "Characters present" with at least one name`, "the blueprint does not say who is present")
	}
	if !stated {
		b.fault("missing_part", `add a heading "Characters absent"; write "none" if nobody is excluded`, "the blueprint does not say who is absent")
	}
	b.c.RequiredCharacters, b.c.ForbiddenCharacters = distinct(in), distinct(out)
}

func saysAbsent(note string) bool {
	for w := range strings.FieldsFuncSeq(strings.ToLower(note), func(c rune) bool { return !unicode.IsLetter(c) }) {
		if slices.Contains([]string{"absent", "no", "excluded", "offstage", "отсутствует", "нет", "缺席", "不在场", "不出场", "否"}, w) {
			return true
		}
	}
	return false
}

func distinct(all []Character) []Character {
	out := []Character{}
	for _, c := range all {
		if !slices.ContainsFunc(out, func(o Character) bool { return strings.EqualFold(o.Name, c.Name) }) {
			out = append(out, c)
		}
	}
	return out
}

// people reads the names of a section: one per item or row, several where an item is a plain list of names.
func (s section) people() []Character {
	var out []Character
	add := func(text string) {
		for _, piece := range splitNames(text) {
			if c := characterOf(piece); c.Name != "" && !isNone(c.Name) {
				out = append(out, c)
			}
		}
	}
	if s.inline != "" {
		add(strings.Trim(s.inline, "[]"))
	}
	base := -1
	for _, l := range s.lines {
		switch l.kind {
		case kindRow:
			if !l.head && len(l.cells) > 0 && strings.Trim(l.cells[0], "0123456789. #") == "" && len(l.cells) > 1 {
				l.cells = l.cells[1:]
			}
			if c := characterOf(l.cells[0]); !l.head && c.Name != "" && !isNone(c.Name) {
				c.Note = strings.TrimSpace(c.Note + " " + strings.Join(l.cells[1:], " "))
				out = append(out, c)
			}
		case kindItem:
			if base < 0 || l.level <= base {
				base = l.level
				add(l.text)
			}
		case kindText:
			if base < 0 {
				add(l.text)
			}
		case kindHeading:
			add(l.text)
			base = 0
		}
	}
	return out
}

var nameSeparator = regexp.MustCompile(`\s*[,;，；、]\s*|\s+(?:and|и|&)\s+|\s*[和与]\s*`)

// splitNames divides a list of names. "Anna, the clerk" is one name: not every piece of it could be one.
func splitNames(text string) []string {
	text = strings.TrimRight(quoteMarks.Replace(unmark(text)), ".。")
	pieces := nameSeparator.Split(outside(text), -1)
	if len(pieces) < 2 {
		return []string{text}
	}
	for _, p := range pieces {
		first, _ := utf8.DecodeRuneInString(strings.TrimSpace(brackets.ReplaceAllString(p, "")))
		long := len(strings.Fields(brackets.ReplaceAllString(p, ""))) > 4 || hasHan(p) && utf8.RuneCountInString(brackets.ReplaceAllString(p, "")) > 8
		if long || !unicode.IsUpper(first) && !isHan(first) || strings.ContainsAny(p, ":：—–") {
			return []string{text}
		}
	}
	for i, p := range pieces {
		pieces[i] = strings.ReplaceAll(p, hiddenComma, ",")
	}
	return pieces
}

const hiddenComma = "\x00"

// outside hides the commas inside brackets from what divides at commas.
func outside(text string) string {
	return brackets.ReplaceAllStringFunc(text, func(s string) string {
		return nameSeparator.ReplaceAllString(s, hiddenComma)
	})
}

var quoteMarks = strings.NewReplacer(`"`, "", "“", "", "”", "", "«", "", "»", "", "「", "", "」", "")

// characterOf divides a name from what is said about its bearer.
func characterOf(text string) Character {
	text = unmark(strings.ReplaceAll(text, hiddenComma, ","))
	cut := len(text)
	for _, sep := range []string{" — ", " – ", " - ", "——", "—", "(", "（", ":", "：", ", ", "，", "[", "【"} {
		if i := strings.Index(text, sep); i >= 0 && i < cut {
			cut = i
		}
	}
	c := Character{Name: strings.Trim(quoteMarks.Replace(text[:cut]), " .。'"), Note: strings.Trim(text[cut:], " —–-()（）:：,，[]【】")}
	if alias := alsoKnown.FindStringSubmatch(c.Note); alias != nil {
		c.Aliases, c.Note = nameSeparator.Split(strings.TrimSpace(alias[1]), -1), ""
	}
	if first, second, ok := strings.Cut(c.Name, "/"); ok {
		c.Name, c.Aliases = strings.TrimSpace(first), append(c.Aliases, strings.TrimSpace(second))
	}
	if utf8.RuneCountInString(c.Name) > 60 {
		c.Name = ""
	}
	return c
}

func (b *blueprint) beats() {
	sections := b.find(partBeats)
	for _, s := range sections {
		for _, item := range s.items() {
			if item = unmark(item); !isNone(item) {
				b.c.Beats = append(b.c.Beats, item)
			}
		}
	}
	switch {
	case len(sections) == 0:
		b.fault("missing_part", `add a heading "Beats" with what happens, one item each`, "the blueprint has no beats")
	case len(b.c.Beats) == 0:
		b.fault("empty_part", "list what happens, one item each", "the list of beats is empty")
	}
}

var numerals = regexp.MustCompile(`\d+(?:[ \x{00a0}\x{202f},.']\d{3})*`)

func (b *blueprint) words() {
	sections := b.find(partWords)
	if len(sections) == 0 {
		b.fault("missing_part", `add a heading "Word count" with a number`, "the blueprint does not say how long the scene is")
		return
	}
	text := strings.Join(sections[0].items(), " ")
	var found []int
	for _, m := range numerals.FindAllString(text, 2) {
		digits := strings.Map(func(c rune) rune {
			if unicode.IsDigit(c) {
				return c
			}
			return -1
		}, m)
		if n, err := strconv.Atoi(digits); err == nil && n >= minWords && n <= maxWords {
			found = append(found, n)
		}
	}
	if len(found) == 0 {
		b.fault("word_count_unreadable", fmt.Sprintf("write a number from %d to %d, or two for a range", minWords, maxWords), "the word count %q holds no usable number", text)
		return
	}
	low, high := found[0], found[0]
	if len(found) > 1 && !strings.Contains(text, "±") && !strings.Contains(text, "%") {
		low, high = min(found[0], found[1]), max(found[0], found[1])
	}
	b.c.WordCount = wordCountOf(low, high)
}

// A scene has at least a paragraph and at most a book.
const (
	minWords = 20
	maxWords = 100_000
)

func (b *blueprint) continuity() {
	sections := b.find(partContinuity)
	if len(sections) == 0 {
		b.fault("missing_part", `add a heading "Continuity"; write "none" if nothing came before`, "the blueprint does not say what it continues")
		return
	}
	said := false
	for _, s := range sections {
		for _, item := range s.items() {
			said = true
			if item = unmark(item); !isNone(item) {
				b.c.Continuity = append(b.c.Continuity, item)
			}
		}
	}
	if !said {
		b.fault("empty_part", `say what came before, or "none"`, "the continuity is empty")
	}
}

// notes keeps tone, point of view and the like for those who write and judge.
func (b *blueprint) notes() {
	for _, s := range b.find(partTone) {
		if text := unmark(strings.Join(s.items(), " ")); text != "" {
			b.c.Notes = append(b.c.Notes, Note{Label: unmark(s.label), Text: text})
		}
	}
	for _, s := range b.find(partLanguage) {
		switch said := plainLabel(strings.Join(s.items(), " ")); {
		case strings.HasPrefix(said, "en"), strings.HasPrefix(said, "англ"), strings.HasPrefix(said, "英"):
			b.c.Language = "en"
		case strings.HasPrefix(said, "ru"), strings.HasPrefix(said, "рус"), strings.HasPrefix(said, "俄"):
			b.c.Language = "ru"
		case strings.HasPrefix(said, "zh"), strings.HasPrefix(said, "chi"), strings.HasPrefix(said, "кит"), strings.HasPrefix(said, "中"), strings.HasPrefix(said, "汉"):
			b.c.Language = "zh"
		}
	}
}

// contradictions finds who is both present and absent, and who is absent and acts.
func (b *blueprint) contradictions() {
	for _, c := range b.c.ForbiddenCharacters {
		if slices.ContainsFunc(b.c.RequiredCharacters, func(o Character) bool { return strings.EqualFold(o.Name, c.Name) }) {
			b.fault("character_contradiction", "list "+c.Name+" once", "%s is listed as present and as absent", c.Name)
			continue
		}
		others := append(slices.Clone(b.c.RequiredCharacters), without(b.c.ForbiddenCharacters, c)...)
		forms := nameOf(c, b.c.RequiredCharacters)
		for i, beat := range b.c.Beats {
			if forms.in(textOf(beat), others).found {
				b.fault("absent_in_beat", "take "+c.Name+" out of the beat, or list them as present", "beat %s names %s, who is absent: %s", ordinal(i+1), c.Name, beat)
			}
		}
	}
}

func without(all []Character, c Character) []Character {
	return slices.DeleteFunc(slices.Clone(all), func(o Character) bool { return o.Name == c.Name })
}
