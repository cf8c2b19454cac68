package scene

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// token is one word of a text: how it is written, and how it is compared.
type token struct {
	plain   string // lower case, ё as е, without a possessive ending
	capital bool
	joined  bool // a hyphen, not a space, stands before it
	at      int  // byte offset in the normal form of the text
}

// normal brings a text into the form in which it is compared: composed, with one kind of apostrophe.
func normal(text string) string {
	return strings.NewReplacer("’", "'", "ʼ", "'", "‘", "'", "＇", "'", "\u00ad", "", "\u200b", "").Replace(norm.NFC.String(text))
}

func isHan(c rune) bool { return unicode.Is(unicode.Han, c) }

func hasHan(text string) bool { return strings.ContainsFunc(text, isHan) }

// wordsOf divides the normal form of a text into words. Chinese has none: its characters separate the words of others.
func wordsOf(text string) []token {
	var out []token
	start, hyphen := -1, false
	end := func(i int) {
		if start < 0 {
			return
		}
		raw := strings.Trim(text[start:i], "'")
		if raw != "" {
			first, _ := utf8.DecodeRuneInString(raw)
			out = append(out, token{plain: plainWord(raw), capital: unicode.IsUpper(first), joined: hyphen, at: start})
		}
		start, hyphen = -1, false
	}
	for i, c := range text {
		switch {
		case !isHan(c) && (unicode.IsLetter(c) || unicode.IsDigit(c) || unicode.IsMark(c)), c == '\'' && start >= 0:
			if start < 0 {
				start = i
			}
		default:
			end(i)
			hyphen = (c == '-' || c == '‐' || c == '‑') && i > 0
		}
	}
	end(len(text))
	return out
}

// plainWord gives the form in which two words are equal whatever their case: "O'Neil's" and "o'neil".
func plainWord(raw string) string {
	plain := strings.ReplaceAll(strings.ToLower(raw), "ё", "е")
	if cut, ok := strings.CutSuffix(plain, "'s"); ok && cut != "" {
		plain = cut
	}
	return strings.Trim(plain, "'")
}

// countWords counts words, and characters of Chinese.
func countWords(text string) int {
	text = normal(text)
	n := len(wordsOf(text))
	for _, c := range text {
		if isHan(c) {
			n++
		}
	}
	return n
}

// sameWord tells whether a word of a text is a form of the word looked for. Names have fewer forms than terms: Борисов
// is another man than Борис, Annual and Anna are not Ann.
func sameWord(wanted, found string, isName bool) bool {
	if wanted == found {
		return true
	}
	first, _ := utf8.DecodeRuneInString(wanted)
	switch {
	case unicode.Is(unicode.Cyrillic, first):
		return sameRussian(wanted, found, isName)
	case unicode.Is(unicode.Latin, first):
		return sameLatin(wanted, found, isName)
	}
	return false
}

// minStem is how many letters of a word must be left for its ending to be taken away.
const minStem = 4

func sameLatin(wanted, found string, isName bool) bool {
	if isName || len(wanted) < minStem {
		return len(wanted) > 1 && (found == wanted+"s" || found == wanted+"es")
	}
	return stemLatin(wanted) == stemLatin(found)
}

// stemLatin takes the common endings of English away.
func stemLatin(w string) string {
	for _, e := range []struct{ end, with string }{{"ies", "y"}, {"ing", ""}, {"ed", ""}, {"es", ""}, {"s", ""}, {"e", ""}} {
		if cut, ok := strings.CutSuffix(w, e.end); ok && len(cut) >= minStem && !strings.HasSuffix(w, "ss") {
			return strings.TrimSuffix(cut+e.with, "e")
		}
	}
	return w
}
