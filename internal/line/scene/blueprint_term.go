package scene

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

var (
	markedTerm = regexp.MustCompile("\\*\\*([^*]+)\\*\\*|`([^`]+)`|\"([^\"]+)\"|“([^”]+)”|«([^»]+)»|「([^」]+)」|『([^』]+)』|《([^》]+)》")
	negation   = regexp.MustCompile(`(?i)^(?:no|not|never|without|avoid|forbidden|do not|don't|must not|may not|не|нет|никакой|никакая|никакого|никаких|без|запрещено|запрещена|запрещен|нельзя|不得|不要|不能|不可|禁止|没有|无|不)(?:\s+|[:：]\s*|$)`)
	hanNot     = regexp.MustCompile(`^(?:不得|不要|不能|不可|禁止|没有)(?:出现|使用|提及|提到|发生)?`)
	speakOf    = regexp.MustCompile(`(?i)^(?:mention(?:ing)?|name|naming|use|using|show|reveal|speak of|упоминать|упоминания|использовать|называть|показывать|раскрывать|提及|提到|使用|出现)\s*(?:of\s+)?`)
	anyNot     = regexp.MustCompile(`(?i)(?:^|\s)(?:no|not|never|without|forbidden|cannot|must not|не|нельзя|без|запрещен[оаы]?)(?:\s|$)|不得|不要|不能|不可|禁止`)
)

// longestTerm is how many words a term may have before it is a sentence.
const longestTerm = 3

// termsOf finds what code can look for in an item: what is marked or quoted, else the item itself if it is short.
func termsOf(item string) (terms []string, negative bool) {
	bare := strings.TrimSpace(item)
	rest := hanNot.ReplaceAllString(negation.ReplaceAllString(unmark(bare), ""), "")
	for negation.MatchString(rest) {
		rest = negation.ReplaceAllString(rest, "")
	}
	negative = rest != unmark(bare) || anyNot.MatchString(head(unmark(bare)))
	for _, m := range markedTerm.FindAllStringSubmatch(bare, -1) {
		term := ""
		for _, group := range m[1:] {
			term += group
		}
		term = strings.TrimRight(strings.TrimSpace(term), ":：.。,")
		if n := negation.ReplaceAllString(term, ""); n != term {
			term, negative = n, true
		}
		if term != "" && !slices.Contains(terms, term) {
			terms = append(terms, term)
		}
	}
	if len(terms) > 0 {
		return terms, negative
	}
	if term := head(speakOf.ReplaceAllString(rest, "")); isTerm(term) {
		terms = []string{term}
	}
	return terms, negative
}

// head is the part of an item before its explanation.
func head(item string) string {
	cut := len(item)
	for _, sep := range []string{" — ", " – ", " - ", "——", ": ", "：", " (", "（", ". ", "。", "; ", "；"} {
		if i := strings.Index(item, sep); i > 0 && i < cut {
			cut = i
		}
	}
	return strings.Trim(item[:cut], " .。,，;；:：!！")
}

func isTerm(s string) bool {
	if hasHan(s) {
		return utf8.RuneCountInString(s) <= 8 && utf8.RuneCountInString(s) >= 2
	}
	n := len(strings.Fields(s))
	return n > 0 && n <= longestTerm && len(wordsOf(normal(s))) > 0
}

var termSeparator = regexp.MustCompile(`\s*[,;，；、]\s*`)

// terms gives the items of a section; a label with several short terms behind it lists each of them.
func (s section) terms() []string {
	pieces := termSeparator.Split(s.inline, -1)
	if len(pieces) < 2 || slices.ContainsFunc(pieces, func(p string) bool {
		return !isTerm(hanNot.ReplaceAllString(negation.ReplaceAllString(unmark(p), ""), ""))
	}) {
		return s.items()
	}
	rest := s
	rest.inline = ""
	return append(pieces, rest.items()...)
}

// scope reads what must not happen. Words count as forbidden where an item says no, or is short.
func (b *blueprint) scope() {
	for _, s := range b.find(partScope) {
		for _, item := range s.terms() {
			if isNone(item) {
				continue
			}
			b.c.Scope.Limits = append(b.c.Scope.Limits, unmark(item))
			terms, negative := termsOf(item)
			if negative || forbids(s.label) {
				b.c.Scope.ForbiddenTerms = union(b.c.Scope.ForbiddenTerms, terms)
			}
		}
	}
}

// forbids tells a heading under which everything is forbidden from one that only says how far a scene goes.
func forbids(label string) bool {
	switch plainLabel(label) {
	case "scope", "limits", "constraints", "boundaries", "scope limits", "restrictions", "ограничения", "границы", "рамки", "границы сцены", "рамки сцены", "范围", "限制", "边界", "范围限制":
		return false
	}
	return true
}

// mechanics reads named rules of the world. An item that says no forbids its terms.
func (b *blueprint) mechanics() {
	for _, s := range b.sections {
		if s.part != partMechanics && s.part != partNoMechanic {
			continue
		}
		for _, item := range s.terms() {
			if isNone(item) {
				continue
			}
			terms, negative := termsOf(item)
			switch {
			case len(terms) == 0:
				b.warn("mechanic_unnamed", "mark the term with **stars** so that code can look for it", "the mechanic names no term and is left to readers: %s", unmark(item))
				fallthrough
			case len(wordsOf(normal(item))) > longestTerm || hasHan(item):
				b.c.Mechanics.Notes = append(b.c.Mechanics.Notes, unmark(item))
			}
			if negative || s.part == partNoMechanic {
				b.c.Mechanics.Forbidden = union(b.c.Mechanics.Forbidden, terms)
			} else {
				b.c.Mechanics.Required = union(b.c.Mechanics.Required, terms)
			}
		}
	}
}

func union(all, more []string) []string {
	for _, s := range more {
		if s = strings.TrimSpace(s); s != "" && !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all
}
