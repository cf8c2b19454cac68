package bookfile

import (
	"strings"
	"unicode"

	"sluice/internal/line/novel/story"
)

// clean keeps what may stand in any of the formats. Control characters, non-characters and marks that change the
// direction of what follows are left out: they can hide text from a reader, and XML has no way to write most of them.
// Everything that breaks a line becomes a line feed.
func clean(s string) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\r' || r == '\v' || r == '\f' || r == '\u0085' || r == '\u2028' || r == '\u2029':
			return '\n'
		case r == '\t':
			return ' '
		case unicode.IsControl(r), isDirective(r), r&0xFFFE == 0xFFFE, r >= 0xFDD0 && r <= 0xFDEF:
			return -1
		}
		return r
	}, s)
}

// isDirective tells of characters that only steer how others are shown: embeddings, overrides and isolates of direction,
// annotation marks, a byte order mark, the old language tags.
func isDirective(r rune) bool {
	return r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069 || r >= 0xFFF9 && r <= 0xFFFB || r == 0xFEFF || r == 0xE0001
}

// line brings a text to one line, as titles and names need it.
func line(s string) string { return strings.Join(strings.Fields(clean(s)), " ") }

// block is a paragraph, or a break between scenes where it has no text.
type block struct{ text string }

func (b block) isBreak() bool { return b.text == "" }

// blocks gives what a chapter consists of: every line that says something is a paragraph. Breaks stand only between
// paragraphs, one at a time.
func blocks(c story.GeneratedChapter) []block {
	var out []block
	isBroken := false
	for _, s := range c.Scenes {
		isBroken = true
		for text := range strings.SplitSeq(clean(s.Content), "\n") {
			text = strings.TrimSpace(text)
			switch {
			case text == "":
				continue
			case isRule(text):
				isBroken = true
				continue
			case isBroken && len(out) > 0:
				out = append(out, block{})
			}
			out = append(out, block{text})
			isBroken = false
		}
	}
	return out
}

// isRule tells of a line that only divides: * * *, ---, ＊＊＊.
func isRule(text string) bool {
	marks := 0
	for _, r := range text {
		switch {
		case strings.ContainsRune("*＊-_⁂#~", r):
			marks++
		case !unicode.IsSpace(r):
			return false
		}
	}
	return marks >= 3 || strings.TrimSpace(text) == "⁂"
}
