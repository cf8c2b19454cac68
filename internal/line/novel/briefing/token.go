package briefing

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Tokens estimates how many tokens a text takes: one for each CJK character, one for two characters of other scripts
// beyond ASCII, one for four characters of ASCII. Tokenizers differ by a third either way; the budget is a measure to
// keep prompts even, not a limit of a model.
func Tokens(text string) int {
	quarters := 0
	for _, r := range text {
		quarters += weight(r)
	}
	return (quarters + 3) / 4
}

// weight is in quarters of a token.
func weight(r rune) int {
	switch {
	case r < 128:
		return 1
	case isCJK(r):
		return 4
	}
	return 2
}

// isCJK goes by blocks, for it is asked of every character: radicals, punctuation, kana, bopomofo, ideographs and Hangul,
// compatibility and full-width forms, and the planes of rarer ideographs.
func isCJK(r rune) bool {
	return r >= 0x1100 && r <= 0x11FF || r >= 0x2E80 && r <= 0x9FFF || r >= 0xAC00 && r <= 0xD7FF ||
		r >= 0xF900 && r <= 0xFAFF || r >= 0xFE30 && r <= 0xFE4F || r >= 0xFF00 && r <= 0xFFEF || r >= 0x20000 && r <= 0x3FFFF
}

const ellipsis = "…"

// clip keeps the beginning of a text within a number of tokens: up to the end of a sentence where one is near, else of a
// word.
func clip(text string, limit int) string {
	text = strings.TrimSpace(strings.ToValidUTF8(text, "�"))
	if Tokens(text) <= limit {
		return text
	}
	room := limit*4 - weight('…')
	if room <= 0 {
		return ""
	}
	end, sentence, word := 0, 0, 0
	for i, r := range text {
		if room -= weight(r); room < 0 {
			break
		}
		end = i + utf8.RuneLen(r)
		switch {
		case endsSentence(r):
			sentence = end
		case unicode.IsSpace(r) || isCJK(r):
			word = end
		}
	}
	switch {
	case sentence > end*3/5:
		end = sentence
	case word > end/2:
		end = word
	}
	return strings.TrimRightFunc(text[:end], unicode.IsSpace) + ellipsis
}

// tail keeps the end of a text within a number of tokens, from the beginning of a paragraph or sentence where one is near.
func tail(text string, limit int) string {
	text = strings.TrimSpace(strings.ToValidUTF8(text, "�"))
	if Tokens(text) <= limit {
		return text
	}
	room := limit*4 - weight('…')
	if room <= 0 {
		return ""
	}
	start := len(text)
	for start > 0 {
		r, size := utf8.DecodeLastRuneInString(text[:start])
		if room -= weight(r); room < 0 {
			break
		}
		start -= size
	}
	kept := text[start:]
	for i, r := range kept {
		if i > len(kept)*2/5 {
			break
		}
		if r == '\n' || endsSentence(r) {
			if rest := strings.TrimLeftFunc(kept[i+utf8.RuneLen(r):], func(r rune) bool {
				return unicode.IsSpace(r) || unicode.Is(unicode.Pe, r) || unicode.Is(unicode.Pf, r) || r == '"'
			}); rest != "" {
				return ellipsis + rest
			}
		}
	}
	return ellipsis + kept
}

func endsSentence(r rune) bool {
	switch r {
	case '.', '!', '?', '。', '！', '？', '…':
		return true
	}
	return false
}

// first and last are the sentences with which a text begins and ends.
func first(text string, limit int) string {
	text = oneLine(text)
	for i, r := range text {
		if endsSentence(r) && i > 0 {
			return clip(text[:i+utf8.RuneLen(r)], limit)
		}
	}
	return clip(text, limit)
}

func last(text string, limit int) string {
	text = oneLine(text)
	body := strings.TrimRightFunc(text, func(r rune) bool { return endsSentence(r) || unicode.IsPunct(r) })
	if i := strings.LastIndexFunc(body, endsSentence); i >= 0 {
		_, size := utf8.DecodeRuneInString(text[i:])
		text = strings.TrimLeftFunc(text[i+size:], func(r rune) bool { return unicode.IsSpace(r) || unicode.IsPunct(r) && r != '—' })
	}
	return tail(text, limit)
}

// oneLine takes line breaks away, so that an item of a list stays one.
func oneLine(s string) string {
	if isOneLine(s) { // as most are
		return s
	}
	return strings.Join(strings.Fields(strings.ToValidUTF8(s, "�")), " ")
}

// isOneLine tells that there is nothing to mend: every space is one between words.
func isOneLine(s string) bool {
	before := ' '
	for _, r := range s {
		if r == utf8.RuneError || unicode.IsSpace(r) && (r != ' ' || before == ' ') {
			return false
		}
		before = r
	}
	return before != ' ' || s == ""
}

// fenceable shortens runs of backticks: a fence must be longer than any inside, and its length is counted beforehand.
func fenceable(s string) string {
	for strings.Contains(s, longTicks) {
		s = strings.ReplaceAll(s, longTicks, maxTicks)
	}
	return s
}

const (
	maxTicks  = "````````"
	longTicks = maxTicks + "`"
)
