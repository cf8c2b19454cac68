package continuity

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"sluice/internal/line/novel/story"
)

// paragraph is one line of a scene.
type paragraph struct {
	text     string
	tokens   []token
	isDashed bool // it begins with a dash: somebody speaks, and where the speech ends cannot be told
}

// token is one word of a paragraph. Chinese is not divided into words and is searched in the text.
type token struct {
	key       string // lower case, ё as е, without a possessive 's
	from, to  int
	isCapital bool
	isSpoken  bool // inside quotation marks
	before    rune // what stands before it, spaces left out; 0 at the beginning
	isBeside  bool // only spaces lie between it and the word before
}

// isClauseStart tells that something other than a word stands before.
func (t token) isClauseStart() bool { return !unicode.IsLetter(t.before) && !unicode.IsDigit(t.before) }

// isSentenceStart tells that a capital says nothing here.
func (t token) isSentenceStart() bool {
	return t.before == 0 || strings.ContainsRune(".!?…\"“”«»„‘’'—–-:。！？：", t.before)
}

// sceneText is a scene, read.
type sceneText struct {
	number     int
	raw        string
	low        string // as phrases are looked for
	paragraphs []paragraph
}

func readScenes(c story.GeneratedChapter) []sceneText {
	out := make([]sceneText, 0, len(c.Scenes))
	for _, s := range c.Scenes {
		t := sceneText{number: s.SceneNumber, raw: norm.NFC.String(strings.ToValidUTF8(s.Content, " "))}
		t.low = searchable(t.raw)
		for l := range strings.FieldsFuncSeq(t.raw, func(r rune) bool { return r == '\n' || r == '\r' || r == '\u2028' || r == '\u2029' }) {
			if l = strings.TrimSpace(l); l != "" {
				t.paragraphs = append(t.paragraphs, readParagraph(l))
			}
		}
		out = append(out, t)
	}
	return out
}

func readParagraph(text string) paragraph {
	p := paragraph{text: text}
	first, _ := utf8.DecodeRuneInString(text)
	p.isDashed = strings.ContainsRune("—–-―", first)
	isSpoken, before, isBeside := false, rune(0), false
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if unicode.IsLetter(r) && !unicode.Is(unicode.Han, r) {
			end := wordEnd(text, i)
			word := text[i:end]
			p.tokens = append(p.tokens, token{key: keyOf(word), from: i, to: end, isCapital: unicode.IsUpper(r), isSpoken: isSpoken,
				before: before, isBeside: isBeside && len(p.tokens) > 0})
			before, _ = utf8.DecodeLastRuneInString(word)
			i, isBeside = end, true
			continue
		}
		i += size
		isSpoken = spoken(r, isSpoken)
		if !unicode.IsSpace(r) {
			before, isBeside = r, false
		}
	}
	return p
}

// spoken tells whether what follows a character is speech, given what it was before.
func spoken(r rune, was bool) bool {
	switch r {
	case '“', '«', '「', '『', '„':
		return true
	case '”', '»', '」', '』':
		return false
	case '"':
		return !was
	}
	return was
}

// wordEnd finds where a word ends. Apostrophes and hyphens between letters belong to it.
func wordEnd(text string, i int) int {
	for i < len(text) {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case unicode.Is(unicode.Han, r):
			return i
		case unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r):
		case r == '\'' || r == '’' || r == '-':
			if next, _ := utf8.DecodeRuneInString(text[i+size:]); !unicode.IsLetter(next) || unicode.Is(unicode.Han, next) {
				return i
			}
		default:
			return i
		}
		i += size
	}
	return i
}

func keyOf(word string) string {
	word = strings.ReplaceAll(strings.ToLower(word), "ё", "е")
	for _, tail := range []string{"'s", "’s"} {
		word = strings.TrimSuffix(word, tail)
	}
	return word
}

// keysOf gives the words of a text.
func keysOf(text string) []string {
	var out []string
	for l := range strings.FieldsFuncSeq(norm.NFC.String(text), func(r rune) bool { return r == '\n' }) {
		for _, t := range readParagraph(l).tokens {
			out = append(out, t.key)
		}
	}
	return out
}

// hanParts gives the runs of Chinese characters of a text.
func hanParts(text string) []string {
	return strings.FieldsFunc(norm.NFC.String(text), func(r rune) bool { return !unicode.Is(unicode.Han, r) })
}
