package ingest

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// farthestColon is how many bytes from its beginning a line may have the colon that ends a label.
const farthestColon = 180

// label reads what a line begins with if that names a part: "Goal: …", "**Goal:** …", "【目标】…". rest is where the words
// after it begin.
func label(s string) (name string, rest int, ok bool) {
	if inner, found := strings.CutPrefix(s, "【"); found {
		if at := strings.Index(cut(inner, farthestColon), "】"); at > 0 {
			rest = len("【") + at + len("】")
			return inner[:at], rest + skip(s[rest:]), true
		}
	}
	head := cut(s, farthestColon)
	at := strings.IndexAny(head, ":：")
	if at <= 0 {
		return "", 0, false
	}
	_, size := utf8.DecodeRuneInString(head[at:])
	rest = at + size
	for _, mark := range []string{"**", "__", "*"} { // emphasis that closes after the colon, where it opened before
		if strings.HasPrefix(s, mark) && strings.HasPrefix(s[rest:], mark) && strings.Count(s[:at], mark) == 1 {
			rest += len(mark)
			break
		}
	}
	return s[:at], rest + skip(s[rest:]), true
}

// skip gives the length of the spaces and of a second colon before the words of a label.
func skip(s string) int {
	n := blanks(s)
	for _, colon := range []string{":", "："} {
		if strings.HasPrefix(s[n:], colon) {
			n += len(colon)
			return n + blanks(s[n:])
		}
	}
	return n
}

// cut gives the beginning of a text, at most n bytes, no character halved.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// numbered reads the number a writer gave a criterion, task or story: "AC-3:", "**T-1** …", "US-2.", "验收标准1：",
// "Критерий 2:". rest is where its words begin.
func numbered(s string) (f Field, name string, rest int, ok bool) {
	if f, name, rest, ok = prefixed(s); ok {
		return f, name, rest, ok
	}
	word, rest, found := label(s)
	if !found {
		return "", "", 0, false
	}
	word = strings.Trim(word, "*_ ")
	stem := strings.TrimRight(word, "0123456789")
	if len(stem) == len(word) || len(word)-len(stem) > 6 {
		return "", "", 0, false
	}
	f, known := sectionOf(strings.TrimRight(stem, " -#№"))
	if !known || f != Criterion && f != Task && f != Story {
		return "", "", 0, false
	}
	return f, word, rest, true
}

func prefixed(s string) (f Field, name string, rest int, ok bool) {
	open := len(s) - len(strings.TrimLeft(s, "*_[`"))
	if open > 3 {
		return "", "", 0, false
	}
	i := open
	for i < len(s) && i-open < 5 && (s[i] >= 'A' && s[i] <= 'Z' || s[i] >= 'a' && s[i] <= 'z') {
		i++
	}
	switch strings.ToUpper(s[open:i]) {
	case "AC":
		f = Criterion
	case "T", "TASK":
		f = Task
	case "US":
		f = Story
	default:
		return "", "", 0, false
	}
	if i < len(s) && strings.IndexByte("-_ #", s[i]) >= 0 {
		i++
	}
	digits := i
	for i < len(s) && i-digits < 6 && s[i] >= '0' && s[i] <= '9' {
		i++
	}
	if i == digits {
		return "", "", 0, false
	}
	name = s[open:i]
	after := strings.TrimLeft(s[i:], "*_]`")
	rest = len(s) - len(after)
	r, size := utf8.DecodeRuneInString(after)
	switch {
	case size == 0:
		return f, name, rest, true
	case strings.ContainsRune(":：.)）、|–—-", r):
		rest += size
		if words := strings.TrimLeft(s[rest:], "*_"); open > 0 && strings.HasPrefix(s[rest:], s[:open]) {
			rest = len(s) - len(words)
		}
	case !unicode.IsSpace(r), f == Task: // "T1 line", "AC1000V"
		return "", "", 0, false
	}
	return f, name, rest + blanks(s[rest:]), true
}

// isStory reports a user story by how it begins, in three languages.
func isStory(s string) bool {
	head := strings.ToLower(cut(strings.TrimLeft(s, "*_> \"“«"), 400))
	for _, form := range []struct {
		begin []string
		then  []string
	}{
		{[]string{"as a ", "as an ", "as the "}, []string{" i want", " i need", " i can", " i would like", " i'd like", " i should",
			" i wish", " we want", " we need"}},
		{[]string{"作为"}, []string{"我想", "我希望", "我需要", "我要", "我可以", "我能", "希望", "想要", "需要"}},
		{[]string{"как "}, []string{" я хочу", " я хотел", " я могу", " я должен", " я должна", " мне нужно", " мне нужна", " мы хотим",
			" хочу "}},
	} {
		for _, begin := range form.begin {
			if !strings.HasPrefix(head, begin) {
				continue
			}
			for _, then := range form.then {
				if strings.Contains(head, then) {
					return true
				}
			}
		}
	}
	return false
}
