package ingest

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// head is how a message of a chat begins.
type head struct {
	speaker string
	body    int  // bytes from the beginning of the row to its first word
	stamped bool // a time stands beside the name
}

// longestHead is how many bytes of a line can say who speaks and when.
const longestHead = 200

const stamp = `(?:(?:\d{4}[-/.年]\s?\d{1,2}[-/.月]\s?\d{1,2}日?|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}),?[T ]?\s*)?\d{1,2}:\d{2}` +
	`(?::\d{2})?(?:[.,]\d{1,6})?(?:\s?[AaPp]\.?[Mm]\.?)?Z?`

var (
	stampFirst  = regexp.MustCompile(`^[\[(]?` + stamp + `[\])]?\s*[-–—]?\s*(?:<([^<>]{1,60})>|([^:：<>\[\]]{1,60}?)\s*[:：])\s*`)
	stampSecond = regexp.MustCompile(`^([^:：\[\]()]{1,60}?),?\s*[\[(]` + stamp + `[\])]\s*[:：]?\s*`)
	stampLast   = regexp.MustCompile(`^([^:：\[\]()]{1,60}?),?\s+` + stamp + `\s*[:：]?\s*$`)
	stampOnly   = regexp.MustCompile(`^[\[(]?` + stamp + `[\])]?\s+([^:：,.!?，。！？]{1,40})$`)
	unstamped   = regexp.MustCompile(`^(?:<([^<>]{1,40})>\s+|\*\*([^*:：]{1,40})(?:\*\*\s*[:：]|[:：]\*\*)\s*|([^:：*#|<>"“”]{1,40})[:：]\s*)`)
)

// headOf reads how a message begins, or nothing.
func headOf(s string) (head, bool) {
	begin := cut(s, longestHead)
	if !strings.ContainsAny(begin, ":：<") {
		return head{}, false
	}
	isWhole := len(begin) == len(s)
	if strings.IndexFunc(begin, unicode.IsDigit) >= 0 {
		for _, shape := range []*regexp.Regexp{stampFirst, stampSecond, stampLast, stampOnly} {
			if (shape == stampLast || shape == stampOnly) && !isWhole {
				continue
			}
			if h, ok := match(shape, begin); ok {
				h.stamped = true
				return h, true
			}
		}
	}
	if h, ok := match(unstamped, begin); ok && canSpeak(begin, h) {
		return h, true
	}
	return head{}, false
}

func match(shape *regexp.Regexp, s string) (head, bool) {
	m := shape.FindStringSubmatchIndex(s)
	if m == nil {
		return head{}, false
	}
	for i := 2; i < len(m); i += 2 {
		if m[i] < 0 {
			continue
		}
		name := strings.TrimSpace(s[m[i]:m[i+1]])
		if name == "" || !hasLetter(name) {
			return head{}, false
		}
		return head{speaker: name, body: m[1]}, true
	}
	return head{}, false
}

// canSpeak tells a name from the other words that stand before a colon.
func canSpeak(s string, h head) bool {
	if strings.HasPrefix(s[h.body:], "//") { // the beginning of an address
		return false
	}
	if n, _ := marker(s); n > 0 || len(strings.Fields(h.speaker)) > 4 || utf8.RuneCountInString(h.speaker) > 32 {
		return false
	}
	if _, known := sectionOf(h.speaker); known {
		return false
	}
	if _, known := lookUp(partWords, h.speaker); known {
		return false
	}
	_, _, _, isNumbered := numbered(s)
	return !isNumbered && !strings.ContainsAny(h.speaker, ".!?。！？,，;；")
}

func hasLetter(s string) bool { return strings.IndexFunc(s, unicode.IsLetter) >= 0 }

// conversation decides whether a text is a chat, and gives where its messages begin.
func conversation(text string, rows []row) (map[int]head, bool) {
	heads := map[int]head{}
	speakers := map[string]int{}
	stamped, plain, written, first := 0, 0, 0, -1
	for i, r := range rows {
		s := strings.TrimLeft(text[r.start:r.end], " \t")
		if strings.TrimSpace(cut(s, longestHead)) == "" {
			continue
		}
		written++
		if first < 0 {
			first = i
		}
		if level, from, to := heading(s, 0, len(s)); level > 0 {
			if _, known := sectionOf(s[from:to]); known {
				return nil, false
			}
		}
		h, ok := headOf(s)
		if !ok {
			continue
		}
		h.body += int(r.end-r.start) - len(s)
		heads[i] = h
		if h.stamped {
			stamped++
			continue
		}
		plain++
		speakers[h.speaker]++
	}
	if at, ok := heads[first]; ok && at.stamped && stamped > 0 || stamped >= 2 && stamped*4 >= written {
		for i, h := range heads {
			if !h.stamped { // in such a chat only a time begins a message: "Format: CSV" is words of one
				delete(heads, i)
			}
		}
		return heads, true
	}
	_, begins := heads[first]
	isTalk := begins && plain >= 2 && plain*5 >= written*2 && (len(speakers) >= 2 || plain >= 3)
	return heads, isTalk && !isForm(speakers, plain)
}

// isForm tells a list of properties, where every name stands once, from talk of several people.
func isForm(speakers map[string]int, messages int) bool {
	return messages > 3 && len(speakers) == messages
}
